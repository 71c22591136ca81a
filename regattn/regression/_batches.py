"""Batches: which rows a step may name, and when steps from random batches settle."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh


def largest_batch_step(X: np.ndarray, size: int) -> float:
    r"""Return the step from which on the mean squared distance grows, for batches of ``size`` independent rows.

    With :math:`h_B = \frac{2}{|B|}\sum_{i \in B} x_i x_i^\top` the mean of the squared error
    :math:`\Sigma_t = E[e_t e_t^\top]` follows, apart from the noise of the targets,

    .. math:: \Sigma_{t+1} = \Sigma_t - \eta (H\Sigma_t + \Sigma_t H) + \eta^2 E[h_B \Sigma_t h_B] .

    It keeps a matrix as it is when :math:`H\Sigma + \Sigma H = \eta E[h_B \Sigma h_B]`, and the smallest such step is
    the border. Directions that the rows do not have are left out: nothing moves there.
    """
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    rows = (U * s)[:, s > len(X) * np.finfo(float).eps * s[0]]  # the same rows, in coordinates that they fill
    n, p = rows.shape
    H = 2 / n * rows.T @ rows
    squares = (rows[:, :, None] * rows[:, None, :]).reshape(n, p * p)
    single = 4 / n * (squares.T @ squares).reshape(p, p, p, p).transpose(0, 2, 1, 3).reshape(p * p, p * p)
    both = np.kron(H, H) + (single - np.kron(H, H)) / size  # E[h_B ⊗ h_B]
    once = np.kron(H, np.eye(p)) + np.kron(np.eye(p), H)
    return float(1 / eigh(both, once, eigvals_only=True)[-1])


def check_rows(rows: Any, n: int, t: int) -> Any:
    """Return the rows of step ``t`` as an array, or as they are if they are all; raise if one of n is not there."""
    if isinstance(rows, slice) and rows == slice(None):
        return rows
    rows = np.asarray(rows)
    if rows.size == 0:
        raise ValueError(f"batch {t} is empty")
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ValueError(f"batch {t} must be a vector of row numbers, got shape {rows.shape} of {rows.dtype}")
    if rows.min() < 0 or rows.max() >= n:
        raise ValueError(f"batch {t} names a row outside 0 to {n - 1}, got {rows.min()} to {rows.max()}")
    return rows
