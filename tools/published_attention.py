r"""Attention regression as the version of 2026 of its source trains it, with a switch that the source lacks.

.. math:: \hat y = \sum_{h=1}^{H} \alpha_h \operatorname{softmax}(X L_h L_h^\top X^\top)\, y

Five heads with lower triangles L, started at least squares, shares α and all L learned together by L-BFGS with the
penalty .001 on the squares of L; every training row attends to itself. The switch: no row does. One thing is added
where there are many rows: at most ``queries`` of them, drawn by chance, ask while L is learned; all are keys.
"""

from __future__ import annotations

import numpy as np
import torch
from sklearn.base import BaseEstimator, RegressorMixin
from torch import Tensor

HEADS, PENALTY = 5, 1e-3


class PublishedAttention(RegressorMixin, BaseEstimator):
    """Five heads of softmax attention, trained together."""

    def __init__(
        self,
        *,
        exclude_self: bool = False,
        max_iter: int = 300,
        queries: int = 1000,
        random_state: int = 0,
    ):
        self.exclude_self = exclude_self
        self.max_iter = max_iter
        self.queries = queries
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> PublishedAttention:
        """Learn the heads and their shares."""
        self._centre, self._unit = float(y.mean()), float(y.std())
        self._X, self._y = _tensor(X), _tensor((y - self._centre) / self._unit)
        rng = torch.Generator().manual_seed(self.random_state)
        rows = torch.randperm(len(X), generator=rng)[: self.queries].sort().values
        self._triangles = self._start(rng).requires_grad_()
        self._shares = torch.full((HEADS,), 1 / HEADS).requires_grad_()
        search = {"max_iter": self.max_iter, "history_size": 100, "line_search_fn": "strong_wolfe"}
        optimiser = torch.optim.LBFGS([self._triangles, self._shares], **search)

        def loss() -> Tensor:
            optimiser.zero_grad()
            error = ((self._answers(self._X[rows], rows if self.exclude_self else None) - self._y[rows]) ** 2).mean()
            total = error + PENALTY * (self._triangles**2).sum()
            total.backward()
            return total

        optimiser.step(loss)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the predictions."""
        with torch.no_grad():
            return self._centre + self._unit * self._answers(_tensor(X), None).numpy().astype(float)

    def heard(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the training rows X are answered while heads are learned, and the shares of the heads."""
        with torch.no_grad():
            own = torch.arange(len(X)) if self.exclude_self else None
            fitted = self._answers(_tensor(X), own).numpy().astype(float)
            return self._centre + self._unit * fitted, self._shares.detach().numpy().copy()

    def _start(self, rng: torch.Generator) -> Tensor:
        """Return the triangle of least squares for each head, with a little noise."""
        p = self._X.shape[1]
        moments = self._X.mT @ self._X / len(self._X) + 1e-6 / len(self._X) * torch.eye(p)
        triangle = torch.linalg.cholesky(torch.linalg.inv(moments))
        return (triangle + 0.05 * torch.randn(HEADS, p, p, generator=rng)).tril()

    def _answers(self, X: Tensor, own: Tensor | None) -> Tensor:
        """Return what rows are answered; ``own`` says which training row each of them is and may not hear."""
        triangles = self._triangles.tril()
        queries, keys = X @ triangles, self._X @ triangles  # (heads, m, p) and (heads, n, p)
        scores = queries @ keys.mT
        if own is not None:
            hidden = torch.zeros(len(X), len(self._X), dtype=torch.bool)
            hidden[torch.arange(len(X)), own] = True
            scores = scores.masked_fill(hidden, -torch.inf)
        return torch.einsum("h,hmn,n->m", self._shares, scores.softmax(dim=2), self._y)


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.asarray(values, dtype=np.float32))
