r"""Least squares as embedding: OLS, ridge and principal-component regression from one factorisation.

With the thin singular value decomposition :math:`X = U S V^\top`, every penalty λ ≥ 0 and every rank L share

.. math:: W = V_L\,(S_L^2 + \lambda I)^{-1/2}, \qquad \Omega = W W^\top, \qquad F = X W,
          \qquad \omega_{ji} = \langle F_j, F_i \rangle .

X'X is never formed: it would square the condition number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from regattn._validation import check_matrix, check_real, check_sizes, column_sizes
from regattn.regression._factorisation import factor
from regattn.regression.spectral import Spectrum

__all__ = ["proximity_weights", "spectrum"]


def spectrum(X: ArrayLike, *, centre: bool = False, tolerance: float | None = None) -> Spectrum:
    r"""Return the thin singular value decomposition of a design matrix with its rank decided.

    .. math:: X = U S V^\top, \qquad U^\top U = V^\top V = I_r

    A QR factorisation followed by the SVD of its small factor. Where columns differ much in size (Longley's data,
    polynomials) the QR is pivoted and the SVD by one-sided Jacobi rotations, so that small singular values keep their
    digits whatever the units. Source: eqs. (4) and (23) of [GC]_, which use the eigenvectors of X'X: the same algebra,
    but not the same digits.

    Parameters
    ----------
    X : array of shape (n, p)
        Design matrix, one row per observation; any column of ones is yours to include, unless you centre.
    centre : bool, default False
        Take the column means off first. The fit then has an intercept that no penalty shrinks and no truncation
        drops, and ``X`` should not contain a column of ones.
    tolerance : float, optional
        Directions whose singular value, after every column is scaled to unit norm, is below this share of the largest
        count as absent. Default: the machine epsilon times the larger of n and p.

    Returns
    -------
    Spectrum
        Its ``rank`` is the number of directions kept; a rank-deficient X gives minimum-norm answers.

    Raises
    ------
    ValueError
        If ``X`` is empty, not two-dimensional or not finite, if a column is beyond 1e100 or, without being zero, below
        1e-100 in size, if ``tolerance`` is not in [0, 1), or if nothing is left (every column zero, or constant when
        centring).

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    >>> spectrum(X).rank
    1
    """
    X = check_matrix(X, "X")
    if tolerance is None:
        tolerance = np.finfo(float).eps * max(X.shape)
    tolerance = check_real(tolerance, "tolerance", least=0.0, most=1.0)
    if centre:
        X, middle, sizes = _centred(X, tolerance)
    else:
        X, middle, sizes = np.array(X, order="F"), None, column_sizes(X)
    check_sizes(sizes, "X")
    if not sizes.any():
        raise ValueError(f"X has rank 0: every column is {'constant' if centre else 'zero'}, shape {X.shape}")
    left, singular_values, directions = factor(X, sizes, tolerance)
    return Spectrum(left, singular_values, directions, middle)


def proximity_weights(X: ArrayLike, X_new: ArrayLike, *, ridge: float = 0.0, rank: int | None = None) -> np.ndarray:
    r"""Return the weight that least squares gives each training target when it predicts at each new row.

    .. math:: \omega_{ji} = \langle F_j, F_i \rangle, \qquad F = X W,\; W W^\top = (X^\top X + \lambda I)^{-1}

    Implements :eq:`proximity-weights`; source: eqs. (7)-(8) of [GC]_, with ridge eq. (30) and rank eq. (27).

    Parameters
    ----------
    X : array of shape (n, p)
        Training inputs, one row per observation, with a column of ones if the model has an intercept.
    X_new : array of shape (m, p)
        Rows to predict at, in the units of the columns of ``X``.
    ridge : float, default 0
        Penalty λ ≥ 0, in squared units of ``X``.
    rank : int, optional
        Number of leading directions kept, between 1 and the rank of ``X``.

    Returns
    -------
    ndarray of shape (m, n)
        Weights in units of target per target; may be negative. Rows sum to one when both inputs carry the same column
        of ones, ``ridge`` is 0 and ``rank`` is full.

    Raises
    ------
    ValueError
        If the numbers of columns differ, ``ridge`` is negative, ``rank`` is out of range, or an entry is not finite.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> proximity_weights(X, np.array([[1.0, 1.0]])).round(3)
    array([[0.333, 0.333, 0.333]])
    """
    return spectrum(X).weights(X_new, ridge=check_real(ridge, "ridge", least=0.0), rank=rank)


def _centred(X: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return X without its column means, column-major, the means, and the sizes of the columns; a constant is zero."""
    middle = X.mean(axis=0)
    rows, X = X, np.empty(X.shape, order="F")
    for start in range(0, len(X), 256):  # few enough rows to stay in the cache while they are turned into columns
        np.subtract(rows[start : start + 256], middle, out=X[start : start + 256])
    rest, sizes = X.mean(axis=0), column_sizes(X)
    if (np.abs(rest) > np.finfo(float).eps * sizes).any():  # rounding left some of the mean: a second pass removes it
        X -= rest
        middle, sizes = middle + rest, column_sizes(X)
    constant = sizes <= tolerance * (sizes + np.abs(middle))  # rounding is all there was
    X[:, constant] = sizes[constant] = 0.0
    return X, middle, sizes
