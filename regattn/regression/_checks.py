"""Checks that fits share: penalties, covariances, and leverages that leave nothing to leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import read_table, written

if TYPE_CHECKING:
    from pandas import Index


def check_covariance(C: ArrayLike) -> np.ndarray:
    """Return a covariance of predictors, (p, p), symmetric and positive definite, or raise."""
    C = read_table(C, "C").values
    if C.shape[0] != C.shape[1] or not np.allclose(C, C.T):
        raise ValueError(f"C must be square and symmetric, got shape {C.shape}")
    if (least := np.linalg.eigvalsh(C)[0]) <= 0:
        raise ValueError(f"C must be positive definite, got {least:g} for its least eigenvalue")
    return C


def check_leverage(leverage: np.ndarray, of: str = "", *, index: Index | None = None) -> None:
    """Raise if a row, ``of`` what the message adds and labelled by ``index``, decides its own fit alone."""
    if leverage.max() > 1 - 1e-10:  # nearer to 1 than rounding leaves no digit of the residual
        row = int(np.nonzero(leverage > 1 - 1e-10)[-1][0])
        row = row if index is None else written(index[row])
        raise ValueError(f"row {row}{of} has leverage 1: without it the fit is not determined")


def check_ridge(ridge: ArrayLike) -> np.ndarray:
    """Return one penalty or several as float64, or raise unless each is finite and not negative."""
    penalties = np.asarray(ridge)
    if penalties.dtype.kind not in "fiub":
        raise ValueError(f"ridge must be a real number or several, got {ridge!r}")
    penalties = penalties.astype(np.float64)
    if penalties.ndim > 1 or penalties.size == 0:
        raise ValueError(f"ridge must be a number or a one-dimensional array, got shape {penalties.shape}")
    bad = ~(np.isfinite(penalties) & (penalties >= 0))
    if bad.any():
        raise ValueError(f"ridge must be ≥ 0 and finite, got {float(penalties[bad].flat[0])}")
    return penalties
