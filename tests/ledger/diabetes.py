"""The patients on which statements of GC are checked: 300 to train on and 142 to test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from regattn.data import load_diabetes


class Split(NamedTuple):
    """Inputs and outcomes of the training and of the test patients."""

    X: np.ndarray
    X_new: np.ndarray
    y: np.ndarray
    y_new: np.ndarray


def split() -> Split:
    """Return the patients as they come."""
    X, y = (part.to_numpy() for part in load_diabetes())
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:300], order[300:]
    return Split(X[train], X[test], y[train], y[test])
