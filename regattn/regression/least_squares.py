r"""Least squares as embedding: OLS, ridge and principal-component regression from one factorisation.

With the thin singular value decomposition :math:`X = U S V^\top`, every penalty λ ≥ 0 and every rank L share

.. math:: W = V_L\,(S_L^2 + \lambda I)^{-1/2}, \qquad \Omega = W W^\top, \qquad F = X W,
          \qquad \omega_{ji} = \langle F_j, F_i \rangle .

X'X is never formed: it would square the condition number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from regattn._sparse import is_sparse
from regattn._tables import read_table
from regattn._validation import check_real, check_sizes, column_sizes
from regattn.regression._dual import dual_weights
from regattn.regression._factorisation import factor
from regattn.regression.spectral import Spectrum

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["proximity_weights", "spectrum"]


def spectrum(X: ArrayLike, *, centre: bool = True, tolerance: float | None = None) -> Spectrum:
    r"""Return the thin singular value decomposition of a design matrix with its rank decided.

    .. math:: X = U S V^\top, \qquad U^\top U = V^\top V = I_r

    A QR factorisation followed by the SVD of its small factor. Where columns differ much in size (Longley's data,
    polynomials) the QR is pivoted and the SVD by one-sided Jacobi rotations, so that small singular values keep their
    digits whatever the units. Source: eqs. (4) and (23) of [GC]_, which use the eigenvectors of X'X: the same algebra,
    but not the same digits.

    Parameters
    ----------
    X : array or DataFrame of shape (n, p)
        Design matrix, one row per observation, without a column of ones. The labels of a DataFrame are remembered: rows
        and targets that come later are matched with them, and answers carry them.
    centre : bool, default True
        Take the column means off first. The fit then has an intercept that no penalty shrinks and no truncation
        drops. With False there is none, unless ``X`` has a column of ones.
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
        If ``X`` is empty, sparse, not two-dimensional or not finite, if it holds anything but numbers (the message
        names column, row and value), if a column is beyond 1e100 or, without being zero, below 1e-100 in size, if
        ``tolerance`` is not in [0, 1), or if nothing is left (every column zero, or constant when centring).

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    >>> spectrum(X).rank
    1
    """
    X, index, columns = read_table(X, "X")
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
    return Spectrum(left, singular_values, directions, middle, index, columns)


def proximity_weights(
    X: ArrayLike, X_new: ArrayLike, *, centre: bool = True, ridge: float = 0.0, rank: int | None = None
) -> np.ndarray | DataFrame:
    r"""Return the weight that least squares gives each training target when it predicts at each new row.

    .. math:: \omega_{ji} = \tfrac1n + \langle F_j, F_i \rangle, \qquad
              F = (X - \bar x) W,\; W W^\top = (X_c^\top X_c + \lambda I)^{-1}

    Implements :eq:`proximity-weights`, with an intercept; source: eqs. (7)-(8) of [GC]_, with ridge eq. (30) and rank
    eq. (27).

    Parameters
    ----------
    X : array, DataFrame or sparse array of shape (n, p)
        Training inputs, one row per observation. Where they are sparse, with a ``ridge``, only the n × n inner products
        of rows are ever filled.
    X_new : array or DataFrame of shape (m, p)
        Rows to predict at, in the units of the columns of ``X``; named columns may stand in another order.
    centre : bool, default True
        Whether the model has an intercept, which gives every target 1/n to begin with. With False there is none, unless
        both inputs have a column of ones, and ``X`` is taken as it is.
    ridge : float, default 0
        Penalty λ ≥ 0, in squared units of ``X``.
    rank : int, optional
        Number of leading directions kept, between 1 and the rank of ``X``.

    Returns
    -------
    ndarray or DataFrame of shape (m, n)
        Weights in units of target per target; may be negative. Rows sum to one where there is an intercept. Labels are
        those of the rows of ``X_new`` and of ``X``.

    Raises
    ------
    ValueError
        If the columns differ in number or name, ``ridge`` is negative, ``rank`` is out of range, or an entry is no
        finite number.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> proximity_weights(X, np.array([[3.0]])).round(3)
    array([[-0.667,  0.333,  1.333]])
    >>> proximity_weights(X, np.array([[3.0]]), centre=False)
    array([[0. , 0.6, 1.2]])
    >>> proximity_weights(csr_array(X), np.array([[3.0]]), ridge=1.0).round(3)
    array([[-0.333,  0.333,  1.   ]])
    """
    ridge = check_real(ridge, "ridge", least=0.0)
    if is_sparse(X) or is_sparse(X_new):
        return dual_weights(X, X_new, centre=centre, ridge=ridge, rank=rank)
    return spectrum(X, centre=centre).weights(X_new, ridge=ridge, rank=rank)


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
