"""What a model must say of itself so that its predictions can be read as averages of outcomes, and who says it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from regattn._types import Table
from regattn.attribution._training import Matrix, Training

__all__ = ["Smoother", "smoother"]

ROUNDING = 1e-8
"""Half of the digits of a float64: what a solve with a matrix of condition 1e8 leaves of them."""


@dataclass(frozen=True, eq=False)
class Smoother:
    """How a fitted model averages outcomes; made by :func:`smoother`.

    Attributes
    ----------
    weights : callable
        Takes what the model was fitted to, with attributes ``X``, ``y`` and ``sample_weight`` (the last two may be
        None), and new rows; returns an array or a sparse array of shape (m, n).
    predict : callable
        Takes new rows, and the outcomes besides if ``asks_outcomes``; returns what the weights times the outcomes are
        held to, shape (m,) or (m, t).
    held_out : callable or str
        Takes what the model was fitted to; returns the weights of shape (n, n) by which each training row is predicted
        from the others. A text says why there are none.
    outcomes : ndarray of shape (n,) or (n, t), optional
        The training outcomes where the model keeps them.
    classes : ndarray, optional
        Labels of a classifier: the weights average the indicators of these.
    tolerance : float
        The largest miss allowed, in units of the sum of absolute contributions.
    asks_outcomes : bool
        Whether ``predict`` takes the outcomes besides, since the model keeps nothing of them.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> smoother(Ridge().fit([[0.0], [1.0]], [0.0, 1.0])).tolerance
    1e-08
    """

    weights: Callable[[Training, Table], Matrix]
    predict: Callable[..., np.ndarray]
    held_out: Callable[[Training], Matrix] | str = "it keeps no record of what it would predict without a row"
    outcomes: np.ndarray | None = None
    classes: np.ndarray | None = None
    tolerance: float = ROUNDING
    asks_outcomes: bool = False


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
        "weighted sums of the training outcomes, register it with regattn.attribution.smoother; of a network, "
        "regattn.attribution.last_layer asks the ridge regression on its last layer"
    )
