"""How far out the rows lie that a model predicts at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from regattn._tables import matched, read_table
from regattn._types import Table

if TYPE_CHECKING:
    from pandas import Index


def distances(
    X_train: Table | None, X_new: Table | None, old: Index | None, asked: Index | None, shape: tuple[int, int]
) -> np.ndarray | None:
    """Return Mahalanobis distances of the new rows from the mean, in units of that of the farthest training row."""
    if (X_train is None) != (X_new is None):
        raise ValueError(f"X_train and X_new come together, got {'X_new' if X_train is None else 'X_train'} alone")
    if X_train is None:
        return None
    X, index, columns = read_table(X_train, "X_train")
    new, new_index, _ = read_table(X_new, "X_new", columns=columns, of="X_train")
    if (len(X), len(new), new.shape[1]) != (shape[1], shape[0], X.shape[1]):
        raise ValueError(
            f"X_train must have {shape[1]} rows and X_new {shape[0]}, with the same columns; "
            f"got shapes {X.shape} and {new.shape}"
        )
    matched(index, old, "X_train", "weights' columns")
    order = matched(new_index, asked, "X_new", "weights' rows")
    new = new if order is None else new[order]
    centre, scale = X.mean(axis=0), X.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    U, s, Vt = np.linalg.svd((X - centre) / scale, full_matrices=False)
    kept = s > s.max(initial=0.0) * max(X.shape) * np.finfo(float).eps
    farthest = np.sqrt(np.square(U[:, kept]).sum(axis=1)).max(initial=0.0) or 1.0
    moved = (new - centre) / scale
    within = moved @ Vt[kept].T
    beyond = np.abs(moved - within @ Vt[kept]).max(axis=1, initial=0.0)  # where no training row differs from another
    far = np.sqrt(np.square(within / s[kept]).sum(axis=1)) / farthest
    return np.where(beyond > 1e-9 * np.maximum(1.0, np.abs(moved).max(axis=1, initial=0.0)), np.inf, far)
