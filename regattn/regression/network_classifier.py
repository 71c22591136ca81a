r"""Classes from images or other rows by a network of torch, as a scikit-learn estimator that gives out its codes.

.. math:: p = \operatorname{softmax}(W_l\, h(x) + b_l)

Whatever h is, the last layer is a linear rule on the codes h(x).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted
from torch import Generator, Tensor, nn
from torch.nn import functional

from regattn._validation import check_count, check_finite, check_real
from regattn.regression._inputs import validated

__all__ = ["NetworkClassifier"]

ROWS = 4096  # rows that are read at once


class NetworkClassifier(ClassifierMixin, BaseEstimator):
    """A torch network for one of m classes, trained anew by every fit: AdamW on the cross-entropy of small batches.

    Parameters
    ----------
    network : torch.nn.Sequential
        The layers, the last one linear with one output for each class. They are copied, and their weights drawn anew.
    epochs : int, default 20
        Passes over the rows; 0 leaves the network as it was drawn.
    learning_rate : float, default 0.01
        Step size η > 0.
    weight_decay : float, default 0.01
        Decay ≥ 0 of AdamW.
    batch_size : int, default 64
        Rows of a step.
    initial : callable, optional
        What draws the weights of each layer, such as ``torch.nn.init.uniform_``; each layer's own way by default.
    random_state : int, default 0
        Seed of the weights and of the order of the rows.

    Attributes
    ----------
    network_ : torch.nn.Sequential
        The trained layers.
    classes_ : ndarray of shape (m,)
        The classes, in the order of the outputs.

    Raises
    ------
    ValueError
        When fitted with a setting out of its range, or with classes for which there are not as many outputs.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
    >>> network = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
    >>> model = NetworkClassifier(network, epochs=300).fit(X, y)
    >>> model.predict(X), model.codes(X).shape
    (array([0, 1, 1, 0]), (4, 8))
    """

    def __init__(  # noqa: PLR0913
        self,
        network: nn.Sequential,
        *,
        epochs: int = 20,
        learning_rate: float = 0.01,
        weight_decay: float = 0.01,
        batch_size: int = 64,
        initial: Callable[[Tensor], Any] | None = None,
        random_state: int = 0,
    ):
        self.network = network
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.initial = initial
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> NetworkClassifier:
        """Draw new weights and train them.

        Parameters
        ----------
        X : array of shape (n, p)
            Training rows.
        y : array of shape (n,)
            The class of each.

        Returns
        -------
        NetworkClassifier
            The estimator itself.
        """
        X, y = validated(self, X, y, dtype=np.float64)
        X = _single(X)
        check_classification_targets(y)
        self._check_parameters()
        self.classes_, target = np.unique(y, return_inverse=True)
        rng = torch.Generator().manual_seed(self.random_state)
        self.network_ = self._drawn()
        outputs = self._read(self.network_, X[:1]).shape[-1]
        if outputs != len(self.classes_):
            raise ValueError(f"the network has {outputs} outputs but y has {len(self.classes_)} classes")
        self.descend(self.network_.train(), torch.from_numpy(X), torch.from_numpy(target), rng)
        self.network_.eval()
        return self

    def descend(self, network: nn.Module, x: Tensor, y: Tensor, rng: Generator) -> None:
        """Take all steps: in every epoch each row once, in batches drawn anew."""
        rates = {"lr": self.learning_rate, "weight_decay": self.weight_decay}
        optimiser = torch.optim.AdamW(network.parameters(), **rates, fused=True)
        for _ in range(self.epochs):
            for rows in torch.randperm(len(x), generator=rng).split(self.batch_size):
                optimiser.zero_grad()
                functional.cross_entropy(network(x[rows]), y[rows]).backward()
                optimiser.step()

    def logits(self, X: ArrayLike) -> np.ndarray:
        """Return the outputs of the last layer for the rows of X: shape (n, m)."""
        found = self._read(self._fitted(), self._checked(X)).astype(float)
        check_finite(found, "the logits")
        return found

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Return the probability of each class for the rows of X: shape (n, m)."""
        return functional.softmax(torch.from_numpy(self.logits(X)), dim=1).numpy()

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the likeliest class of each row of X: shape (n,)."""
        found = self.logits(X).argmax(axis=1)
        return self.classes_[found]

    def codes(self, X: ArrayLike) -> np.ndarray:
        """Return what the last layer is given for the rows of X: shape (n, width)."""
        found = self._read(self._fitted()[:-1], self._checked(X)).astype(float)
        check_finite(found, "the codes")
        return found

    def _fitted(self) -> nn.Sequential:
        check_is_fitted(self)
        return self.network_

    def _checked(self, X: ArrayLike) -> np.ndarray:
        check_is_fitted(self)
        return _single(validated(self, X, reset=False, dtype=np.float64))

    def _drawn(self) -> nn.Sequential:
        """Return a copy of the network with new weights."""
        network = copy.deepcopy(self.network)
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(self.random_state)
            for layer in network.modules():
                if hasattr(layer, "reset_parameters"):
                    layer.reset_parameters()
                if self.initial is not None and isinstance(getattr(layer, "weight", None), Tensor):
                    self.initial(layer.weight)
        return network

    @staticmethod
    def _read(network: nn.Module, X: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return torch.cat([network(rows) for rows in torch.from_numpy(X).split(ROWS)]).numpy()

    def _check_parameters(self) -> None:
        if not isinstance(self.network, nn.Sequential):
            raise ValueError(f"network must be a torch.nn.Sequential, got {type(self.network).__name__}")
        check_count(self.epochs, "epochs", least=0)
        check_count(self.batch_size, "batch_size")
        check_count(self.random_state, "random_state", least=0)
        check_real(self.learning_rate, "learning_rate", least=0.0, strictly=True)
        check_real(self.weight_decay, "weight_decay", least=0.0)


def _single(X: np.ndarray) -> np.ndarray:
    """Return rows in the single precision of the network."""
    with np.errstate(over="ignore"):  # refused in words
        X = X.astype(np.float32)
    check_finite(X, "X in single precision")
    return X
