r"""Least squares as embedding: OLS, ridge and principal-component regression from one factorisation.

With the thin singular value decomposition :math:`X = U S V^\top`, every penalty λ ≥ 0 and every rank L share

.. math:: W = V_L\,(S_L^2 + \lambda I)^{-1/2}, \qquad \Omega = W W^\top, \qquad F = X W,
          \qquad \omega_{ji} = \langle F_j, F_i \rangle .

X'X is never formed: it would square the condition number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regattn._validation import (
    check_count,
    check_finite,
    check_matrix,
    check_real,
    check_same_width,
    check_sizes,
    check_targets,
    column_sizes,
)
from regattn.attention import attend, attention_weights
from regattn.regression._factorisation import Orthonormal, factor, product

__all__ = [
    "LinearFit",
    "Predictor",
    "ScaleAndAlignment",
    "Spectrum",
    "proximity_weights",
    "scale_and_alignment",
    "spectrum",
]


class LinearFit(NamedTuple):
    """Coefficients and intercept of a linear model; with an array of penalties, one row for each."""

    coef: np.ndarray
    intercept: np.ndarray


class ScaleAndAlignment(NamedTuple):
    """The two factors of an attention weight: product of norms, and cosine of the angle."""

    scale: np.ndarray
    alignment: np.ndarray


@dataclass(frozen=True, eq=False)
class Spectrum:
    r"""The factorisation of a design matrix, from which every ridge penalty and every rank can be read off.

    Made by :func:`spectrum`. In every method ``ridge`` is a number λ ≥ 0 or a one-dimensional array of k of them (the
    result then has a first axis of length k), in squared units of X; ``rank`` is the number L of leading directions
    kept, by default all :attr:`rank` of them. One exception: a single new penalty costs products with the kept
    factors, never a new decomposition.

    Attributes
    ----------
    singular_values : ndarray of shape (r,)
        s₁ ≥ s₂ ≥ …, in units of X.
    directions : ndarray of shape (p, r)
        Right singular vectors V: the principal directions.
    centre : ndarray of shape (p,) or None
        Column means taken off, or None when the columns were left as they are.

    Examples
    --------
    >>> s = spectrum(np.array([[1.0], [2.0], [6.0]]), centre=True)
    >>> s.rank, s.weights(np.array([[3.0]])).round(3)
    (1, array([[0.333, 0.333, 0.333]]))
    >>> s.effective_dof(ridge=np.array([0.0, 14.0])).round(3)  # the intercept counts one
    array([2. , 1.5])
    """

    _left: Orthonormal
    singular_values: np.ndarray
    directions: np.ndarray
    centre: np.ndarray | None

    @cached_property
    def scores(self) -> np.ndarray:
        """Left singular vectors U, shape (n, r): the orthonormal codes of the training rows, made when asked for."""
        return self._left.array()

    @property
    def rank(self) -> int:
        """Numerical rank r of the (centred) design matrix."""
        return len(self.singular_values)

    def filter(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        r"""Return the share of each direction that is kept, :math:`s_k^2 / (s_k^2 + \lambda)`; zero beyond the rank.

        Implements :eq:`ridge-filter`; source: eq. (30) of [GC]_.

        Returns
        -------
        ndarray of shape (r,) or (k, r)
            Numbers in [0, 1].
        """
        ridge, kept = self._check(ridge, rank)
        squares = self.singular_values**2
        return np.where(np.arange(self.rank) < kept, squares / (squares + ridge[..., None]), 0.0)

    def embedding(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        r"""Return :math:`W = V_L (S_L^2 + \lambda I)^{-1/2}`, the encoder of queries and keys.

        Implements :eq:`embedding`; source: eqs. (12), (27) and (30) of [GC]_.

        Returns
        -------
        ndarray of shape (p, L) or (k, p, L)
            In units of 1/X.
        """
        ridge, kept = self._check(ridge, rank)
        return self.directions[:, :kept] / np.sqrt(self.singular_values[:kept] ** 2 + ridge[..., None])[..., None, :]

    def omega(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        r"""Return :math:`\Omega = W W^\top`, which is :math:`(X^\top X + \lambda I)^{-1}` at full rank.

        Source: eqs. (21), (27) and (29) of [GC]_.

        Returns
        -------
        ndarray of shape (p, p) or (k, p, p)
            In units of 1/X².
        """
        W = self.embedding(ridge=ridge, rank=rank)
        return W @ W.mT

    def codes(self, X_new: ArrayLike = None, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        r"""Return the codes :math:`F = X W`, of the training rows when ``X_new`` is not given.

        Implements :eq:`codes`; source: eqs. (5) and (13) of [GC]_. For training rows U itself is used, which keeps
        digits that X V / s would lose.

        Returns
        -------
        ndarray of shape (m, L) or (k, m, L)
            Free of units.
        """
        ridge, kept = self._check(ridge, rank)
        shrink = self.singular_values / np.sqrt(self.singular_values**2 + ridge[..., None])
        return self._orthonormal_codes(X_new)[:, :kept] * shrink[..., None, :kept]

    def weights(self, X_new: ArrayLike = None, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        r"""Return the attention weights :math:`\omega_{ji} = \langle F_j, F_i \rangle` on the training targets.

        After centring each weight is 1/n (uniform attention) plus a correction, and the corrections of a row sum to
        zero. Implements :eq:`proximity-weights`; source: eq. (8) of [GC]_.

        Returns
        -------
        ndarray of shape (m, n) or (k, m, n)
            In units of target per target; may be negative. Without ``X_new`` this is the hat matrix.
        """
        filters = self.filter(ridge=ridge, rank=rank)
        queries, keys = self._orthonormal_codes(X_new) * filters[..., None, :], self.scores
        if self.centre is not None:  # one code more, the same for all: 1/n on every row
            queries, keys = (_with_column(codes, np.sqrt(self._uniform)) for codes in (queries, keys))
        return attention_weights(queries, keys, kernel="identity")

    def predict(self, X_new: ArrayLike, y: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        """Return the predictions at ``X_new`` (None for the training rows), for one target or several.

        The cost of k penalties is one product of the new codes with a k-column matrix, not k fits.

        Parameters
        ----------
        X_new : array of shape (m, p) or None
            Rows to predict at.
        y : array of shape (n,) or (n, t)
            Training targets.
        ridge, rank
            See the class.

        Returns
        -------
        ndarray of shape (m,) or (m, t), with a first axis of length k for k penalties
            In units of ``y``.
        """
        return self.predictor(X_new, y)(ridge=ridge, rank=rank)

    def predictor(self, X_new: ArrayLike, y: ArrayLike) -> Predictor:
        """Return the predictions at ``X_new`` as a function of the penalty and the rank alone: what a slider moves.

        All that depends on neither is computed once; a call then costs one small product.

        Parameters
        ----------
        X_new, y
            As in :meth:`predict`.

        Returns
        -------
        Predictor
            ``predictor(ridge=…, rank=…)`` equals ``predict(X_new, y, ridge=…, rank=…)``.

        Examples
        --------
        >>> s = spectrum(np.array([[1.0], [2.0], [6.0]]), centre=True)
        >>> slider = s.predictor(np.array([[3.0], [9.0]]), np.array([1.0, 3.0, 5.0]))
        >>> slider(ridge=0.0).round(3), slider(ridge=14.0).round(3)
        (array([3.   , 7.286]), array([3.   , 5.143]))
        """
        codes, (y, level) = self._orthonormal_codes(X_new), self._check_targets(y)
        # what each direction knows about the targets, shape (r,) or (r, t)
        return Predictor(self, codes, self._left.project(y - level), level)

    def coefficients(self, y: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> LinearFit:
        """Return the slope coefficients and the intercept (zero without centring).

        Returns
        -------
        LinearFit
            ``coef`` of shape (p,) or (p, t) and ``intercept`` of shape () or (t,); a first axis of length k for k
            penalties.
        """
        y, level = self._check_targets(y)
        filters = self.filter(ridge=ridge, rank=rank)
        content = self._left.project(y - level).T / self.singular_values  # (..., r)
        coef = (filters[..., None, :] * np.atleast_2d(content)) @ self.directions.T  # ([k,] t, p)
        intercept = level - coef @ (np.zeros(coef.shape[-1]) if self.centre is None else self.centre)
        if y.ndim == 1:
            return LinearFit(coef[..., 0, :], intercept[..., 0])
        return LinearFit(coef.mT, intercept)

    def effective_dof(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray | float:
        r"""Return the effective degrees of freedom, the trace of the hat matrix: :math:`\sum_k s_k^2/(s_k^2+\lambda)`.

        A centred fit adds one for its intercept. Implements :eq:`effective-dof`.

        Returns
        -------
        float or ndarray of shape (k,)
            Between 0 and the rank, plus one if centred.
        """
        return self.filter(ridge=ridge, rank=rank).sum(axis=-1) + (self.centre is not None)

    def leverage(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        r"""Return the leverages :math:`h_{ii} = \lVert F_i \rVert^2` (plus 1/n if centred): the weight on oneself.

        Returns
        -------
        ndarray of shape (n,) or (k, n)
            Numbers in [0, 1].
        """
        leverage = product(np.atleast_2d(self.filter(ridge=ridge, rank=rank)), (self.scores**2).T)
        leverage += self._uniform
        return leverage.reshape(*np.shape(ridge), -1)

    def loo_residuals(self, y: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        r"""Return the leave-one-out residuals :math:`(y_i - \hat y_i)/(1 - h_{ii})`, without refitting.

        For OLS and ridge these are exactly the errors made at row i by the model fitted to the others (its intercept
        included, when centred). At a reduced rank the directions are kept as they are and only the regression on them
        leaves row i out. Implements :eq:`leave-one-out`; their sum of squares is the PRESS statistic.

        Parameters
        ----------
        y : array of shape (n,)
            Training targets.
        ridge, rank
            See the class.

        Returns
        -------
        ndarray of shape (n,) or (k, n)
            In units of ``y``.

        Raises
        ------
        ValueError
            If some leverage is 1: without that row the fit is not determined.
        """
        y, _ = self._check_targets(y)
        if y.ndim != 1:
            raise ValueError(f"y must have shape (n,), got shape {y.shape}")
        y_hat, h = self.predict(None, y, ridge=ridge, rank=rank), self.leverage(ridge=ridge, rank=rank)
        _check_leverage(h)
        return (y - y_hat) / (1 - h)

    @property
    def _uniform(self) -> float:
        """The weight that an intercept gives every training row."""
        return 0.0 if self.centre is None else 1 / len(self._left)

    def _orthonormal_codes(self, X_new: ArrayLike) -> np.ndarray:
        if X_new is None:
            return self.scores
        X_new = check_matrix(X_new, "X_new")
        check_same_width(X_new, self.directions.T, "X_new", "X_train")
        if self.centre is not None:
            X_new = X_new - self.centre
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is reported as the infinite code it gives
            codes = product(X_new, self.directions) / self.singular_values
        check_finite(codes, "codes of X_new")
        return codes

    def _check(self, ridge: ArrayLike, rank: int | None) -> tuple[np.ndarray, int]:
        ridge = _check_ridge(ridge)
        if rank is None:
            return ridge, self.rank
        return ridge, check_count(rank, "rank", most=self.rank, bound="the rank of X")

    def _check_targets(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return y and the level (0, or the mean when centred) its fit starts from."""
        y = check_targets(y, len(self._left))
        return y, np.zeros(y.shape[1:]) if self.centre is None else y.mean(axis=0)


@dataclass(frozen=True, eq=False)
class Predictor:
    """Predictions at fixed rows from fixed targets, for any penalty and rank. Made by :meth:`Spectrum.predictor`.

    Attributes
    ----------
    spectrum : Spectrum
        The factorisation.
    codes : ndarray of shape (m, r)
        Orthonormal codes of the rows to predict at.
    content : ndarray of shape (r,) or (r, t)
        What each direction knows about the targets, in their units.
    level : ndarray of shape () or (t,)
        What predictions start from: the mean target if centred, else 0.
    """

    spectrum: Spectrum
    codes: np.ndarray
    content: np.ndarray
    level: np.ndarray

    def __call__(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        """Return the predictions, as :meth:`Spectrum.predict` does."""
        filters = self.spectrum.filter(ridge=ridge, rank=rank)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.content.ndim == 1:
                predictions = product(np.atleast_2d(filters * self.content), self.codes.T)
                predictions += self.level
                predictions = predictions.reshape(*filters.shape[:-1], -1)
            else:
                predictions = self.codes @ (filters[..., None] * self.content) + self.level
        check_finite(predictions, "predictions")
        return predictions


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


def proximity_weights(
    X_train: ArrayLike, X_new: ArrayLike, *, ridge: float = 0.0, rank: int | None = None
) -> np.ndarray:
    r"""Return the weight that least squares gives each training target when it predicts at each new row.

    .. math:: \omega_{ji} = \langle F_j, F_i \rangle, \qquad F = X W,\; W W^\top = (X^\top X + \lambda I)^{-1}

    Implements :eq:`proximity-weights`; source: eqs. (7)-(8) of [GC]_, with ridge eq. (30) and rank eq. (27).

    Parameters
    ----------
    X_train : array of shape (n, p)
        Training inputs, one row per observation, with a column of ones if the model has an intercept.
    X_new : array of shape (m, p)
        Rows to predict at, in the units of the columns of ``X_train``.
    ridge : float, default 0
        Penalty λ ≥ 0, in squared units of ``X_train``.
    rank : int, optional
        Number of leading directions kept, between 1 and the rank of ``X_train``.

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
    return spectrum(X_train).weights(X_new, ridge=check_real(ridge, "ridge", least=0.0), rank=rank)


def scale_and_alignment(F_new: ArrayLike, F_train: ArrayLike) -> ScaleAndAlignment:
    r"""Return the two factors of every weight: how far out the two codes are, and how well they line up.

    .. math:: \omega_{ji} = \lVert F_j \rVert \lVert F_i \rVert \cos\theta_{ji}

    Implements :eq:`scale-alignment`; source: eq. (9) of [GC]_.

    Parameters
    ----------
    F_new : array of shape (m, r)
        Codes of the queries.
    F_train : array of shape (n, r)
        Codes of the training rows.

    Returns
    -------
    ScaleAndAlignment
        ``scale`` and ``alignment`` (the cosine, in [-1, 1]), each of shape (m, n); their product is the weight. A code
        of length zero has no direction: its alignment is 0.

    Raises
    ------
    ValueError
        If the numbers of columns differ or an entry is not finite.

    Examples
    --------
    >>> scale_and_alignment(np.array([[3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, -2.0]]))
    ScaleAndAlignment(scale=array([[ 5., 10.]]), alignment=array([[ 0.6, -0.8]]))
    """
    F_new, F_train = check_matrix(F_new, "F_new"), check_matrix(F_train, "F_train")
    check_same_width(F_new, F_train, "F_new", "F_train")
    scale = np.outer(np.linalg.norm(F_new, axis=1), np.linalg.norm(F_train, axis=1))
    products = attend(F_new, F_train, np.eye(len(F_train)), kernel="identity")
    alignment = np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)
    return ScaleAndAlignment(scale, np.clip(alignment, -1.0, 1.0))


def _with_column(codes: np.ndarray, constant: float) -> np.ndarray:
    return np.concatenate((codes, np.full((*codes.shape[:-1], 1), constant)), axis=-1)


def _check_leverage(leverage: np.ndarray) -> None:
    """Raise if a row decides its own fit alone."""
    if leverage.max() > 1 - 1e-10:  # nearer to 1 than rounding leaves no digit of the residual
        row = int(np.nonzero(leverage > 1 - 1e-10)[-1][0])
        raise ValueError(f"row {row} has leverage 1: without it the fit is not determined")


def _check_ridge(ridge: ArrayLike) -> np.ndarray:
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
