"""What a model must say of itself so that its predictions can be read as averages of outcomes, and who says it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from regattn._types import Table

__all__ = ["ROUNDING", "Matrix", "Smoother", "Training", "read", "smoother"]

Matrix = np.ndarray | csr_array
"""Weights, one row for each prediction: dense or sparse."""

ROUNDING = 1e-8
"""Half of the digits of a float64: what a solve with a matrix of condition 1e8 leaves of them."""

FAMILIES = {
    "sklearn": ("_linear", "_trees", "_boosting", "_neighbours", "_kernels", "_compositions"),
    "regattn": ("_book",),
    "statsmodels": ("_statsmodels",),
}
"""The modules that know the models of a package; they are imported when the first of its models comes."""


class Training(NamedTuple):
    """What a model was fitted to: rows, outcomes and weights, None where they were not given."""

    X: Table
    y: np.ndarray | None = None
    sample_weight: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of training rows."""
        return self.X.shape[0]


@dataclass(frozen=True, eq=False)
class Smoother:
    """How a fitted model averages outcomes; made by :func:`smoother`.

    Attributes
    ----------
    weights : callable
        Takes what the model was fitted to, with attributes ``X``, ``y`` and ``sample_weight`` (the last two may be
        None), and new rows; returns an array or a sparse array of shape (m, n).
    predict : callable
        Takes new rows; returns what the weights times the outcomes are held to, shape (m,) or (m, t).
    held_out : callable or str
        Takes what the model was fitted to; returns the weights of shape (n, n) by which each training row is predicted
        from the others. A text says why there are none.
    outcomes : ndarray of shape (n,) or (n, t), optional
        The training outcomes where the model keeps them.
    classes : ndarray, optional
        Labels of a classifier: the weights average the indicators of these.
    tolerance : float
        The largest miss allowed, in units of the sum of absolute contributions.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> smoother(Ridge().fit([[0.0], [1.0]], [0.0, 1.0])).tolerance
    1e-08
    """

    weights: Callable[[Training, Table], Matrix]
    predict: Callable[[Table], np.ndarray]
    held_out: Callable[[Training], Matrix] | str = "it keeps no record of what it would predict without a row"
    outcomes: np.ndarray | None = None
    classes: np.ndarray | None = None
    tolerance: float = ROUNDING


@singledispatch
def smoother(model: object) -> Smoother:
    """Return how a fitted model averages the outcomes that it was fitted to.

    A generic function: ``@smoother.register(MyModel)`` teaches :func:`~regattn.attribution.observation_weights` a class
    that it does not know.

    Parameters
    ----------
    model : object
        A fitted model.

    Returns
    -------
    Smoother
        Its weights, what they are held to, and how closely.

    Raises
    ------
    ValueError
        If nothing is registered for the class of the model, or its settings let no such weights exist.

    Examples
    --------
    >>> class Mean:
    ...     def predict(self, X):
    ...         return np.full(len(X), 3.0)
    >>> @smoother.register(Mean)
    ... def _(model):
    ...     return Smoother(lambda training, X_new: np.full((len(X_new), training.n), 1 / training.n), model.predict)
    >>> from regattn import observation_weights
    >>> observation_weights(Mean(), [[0.0], [1.0]], [[5.0]], y_train=[2.0, 4.0])
    array([[0.5, 0.5]])
    """
    raise ValueError(
        f"{type(model).__name__} has no weights on observations that this package knows; where its predictions are "
        "weighted sums of the training outcomes, register it with regattn.attribution.smoother"
    )


def read(model: Any) -> Smoother:
    """Return the smoother of a model, once the modules that know its package are loaded."""
    for package in {kind.__module__.partition(".")[0] for kind in type(model).__mro__} & set(FAMILIES):
        for module in FAMILIES[package]:
            importlib.import_module(f"regattn.attribution.{module}")
    return smoother(model)
