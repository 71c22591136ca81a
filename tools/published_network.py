"""The network of the published Monte Carlo: three layers of 200 ReLU units, dropout, Adam, early stopping."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import torch
from sklearn.base import BaseEstimator, RegressorMixin
from torch import Tensor, nn

LAYERS, WIDTH, DROPOUT = 3, 200, 0.2
BATCH, RATE, HELD_OUT, PATIENCE, EPOCHS = 64, 1e-3, 0.15, 20, 1000


class PublishedNetwork(RegressorMixin, BaseEstimator):
    """A network trained until 15 per cent of the rows, held out, were not predicted better for 20 epochs."""

    def __init__(self, *, random_state: int = 0):
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> PublishedNetwork:
        """Train the network; rows and outcomes are standardised."""
        self._centre, self._spread = X.mean(axis=0), X.std(axis=0)
        self._mean, self._unit = y.mean(), y.std()
        rows, target = self._standard(X), _tensor((y - self._mean) / self._unit)
        with torch.random.fork_rng():
            torch.manual_seed(self.random_state)
            order = torch.randperm(len(X))
            held, kept = order[: int(HELD_OUT * len(X))], order[int(HELD_OUT * len(X)) :]
            self._network = _layers(X.shape[1])
            self._train(rows[kept], target[kept], rows[held], target[held])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the predictions."""
        with torch.no_grad():
            return self._mean + self._unit * self._network(self._standard(X))[:, 0].numpy().astype(float)

    def _standard(self, X: np.ndarray) -> Tensor:
        return _tensor((X - self._centre) / self._spread)

    def _train(self, X: Tensor, y: Tensor, X_held: Tensor, y_held: Tensor) -> None:
        network, best, waited = self._network, (np.inf, {}), 0
        optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
        for _ in range(EPOCHS):
            network.train()
            for rows in torch.randperm(len(X)).split(BATCH):
                optimiser.zero_grad()
                nn.functional.mse_loss(network(X[rows])[:, 0], y[rows]).backward()
                optimiser.step()
            network.eval()
            with torch.no_grad():
                error = float(nn.functional.mse_loss(network(X_held)[:, 0], y_held))
            waited = 0 if error < best[0] - 1e-6 else waited + 1
            if waited == 0:
                best = error, copy.deepcopy(network.state_dict())
            if waited >= PATIENCE:
                break
        network.load_state_dict(best[1])


def _layers(width: int) -> nn.Sequential:
    sizes = (width, *(WIDTH,) * LAYERS)
    hidden = [(nn.Linear(a, b), nn.ReLU(), nn.Dropout(DROPOUT)) for a, b in pairwise(sizes)]
    return nn.Sequential(*(part for layer in hidden for part in layer), nn.Linear(WIDTH, 1))


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.asarray(values, dtype=np.float32))
