"""What every model of scikit-learn is asked: whether it is fitted, to which columns, and what must not be set."""

from __future__ import annotations

from typing import Any

import numpy as np

from regattn._types import Table
from regattn.attribution._training import Training


def refuse(model: Any, reason: str) -> None:
    """Raise for a model whose class is known but whose settings are not those of an average."""
    raise ValueError(f"{type(model).__name__} has no such weights: {reason}")


def refuse_weights(model: Any, training: Training) -> None:
    """Raise if sample weights were given for a model that takes none, or whose use of them is not known."""
    if training.sample_weight is not None:
        refuse(model, "sample_weight was given, which its weights do not know of")


def dense(X: Table) -> np.ndarray:
    """Return rows as float64 numbers, as linear models and kernels compare them."""
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)


def shares(training: Training) -> np.ndarray:
    """Return the share of each training row in a weighted mean."""
    if training.sample_weight is None:
        return np.full(training.n, 1 / training.n)
    return training.sample_weight / training.sample_weight.sum()


def counted(training: Training) -> np.ndarray:
    """Return how much each training row counts: one, or its sample weight."""
    return np.ones(training.n) if training.sample_weight is None else training.sample_weight


def check_rows(model: Any, fitted: Any, training: Training) -> None:
    """Raise unless the training rows are those that the model kept."""
    X = dense(training.X)
    fitted = dense(fitted)
    if len(X) != len(fitted):
        raise ValueError(f"X_train has {len(X)} rows but {type(model).__name__} was fitted to {len(fitted)}")
    other = ~np.isclose(X, fitted, rtol=1e-6, atol=1e-12).all(axis=1)
    if other.any():
        raise ValueError(f"X_train is not what {type(model).__name__} was fitted to: row {int(other.argmax())} differs")
