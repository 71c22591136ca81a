"""A factorised design matrix as an object: what every ridge penalty and every rank read off it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import Table, named, read_table, read_targets
from regattn._validation import check_count, check_finite, check_same_width
from regattn.attention import attention_weights
from regattn.regression._checks import check_leverage, check_ridge
from regattn.regression._factorisation import Orthonormal, product

if TYPE_CHECKING:
    from pandas import DataFrame, Index, Series

__all__ = ["LinearFit", "Predictor", "Spectrum"]


class LinearFit(NamedTuple):
    """Coefficients and intercept of a linear model; with an array of penalties, one row for each."""

    coef: np.ndarray | Series | DataFrame
    intercept: np.ndarray | Series | DataFrame


@dataclass(frozen=True, eq=False)
class Spectrum:
    r"""The factorisation of a design matrix, from which every ridge penalty and every rank can be read off.

    Made by :func:`~regattn.regression.spectrum`. In every method ``ridge`` is a number λ ≥ 0 or a one-dimensional array
    of k of them (the result then has a first axis of length k), in squared units of X; ``rank`` is the number L of
    leading directions kept, by default all :attr:`rank` of them. One exception: a single new penalty costs products
    with the kept factors, never a new decomposition.

    Where X was a DataFrame, answers are Series and DataFrames under the labels of its rows and columns (k penalties are
    a level of the rows), new rows and targets are matched with them by label or refused, and attributes are arrays.

    Attributes
    ----------
    singular_values : ndarray of shape (r,)
        s₁ ≥ s₂ ≥ …, in units of X.
    directions : ndarray of shape (p, r)
        Right singular vectors V: the principal directions.
    centre : ndarray of shape (p,) or None
        Column means taken off, or None when the columns were left as they are.
    index, columns : pandas.Index or None
        Labels of the rows and columns of X; None where X was an array.

    Examples
    --------
    >>> from regattn.regression import spectrum
    >>> s = spectrum(np.array([[1.0], [2.0], [6.0]]))
    >>> s.rank, s.weights(np.array([[3.0]])).round(3)
    (1, array([[0.333, 0.333, 0.333]]))
    >>> s.effective_dof(ridge=np.array([0.0, 14.0])).round(3)  # the intercept counts one
    array([2. , 1.5])
    """

    _left: Orthonormal
    singular_values: np.ndarray
    directions: np.ndarray
    centre: np.ndarray | None
    index: Index | None = None
    columns: Index | None = None

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

    def embedding(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray | DataFrame:
        r"""Return :math:`W = V_L (S_L^2 + \lambda I)^{-1/2}`, the encoder of queries and keys.

        Implements :eq:`embedding`; source: eqs. (12), (27) and (30) of [GC]_.

        Returns
        -------
        ndarray of shape (p, L) or (k, p, L)
            In units of 1/X.
        """
        return named(self._embedding(ridge, rank), self.columns, None, ridge=ridge)

    def _embedding(self, ridge: ArrayLike, rank: int | None) -> np.ndarray:
        ridge, kept = self._check(ridge, rank)
        return self.directions[:, :kept] / np.sqrt(self.singular_values[:kept] ** 2 + ridge[..., None])[..., None, :]

    def omega(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray | DataFrame:
        r"""Return :math:`\Omega = W W^\top`, which is :math:`(X^\top X + \lambda I)^{-1}` at full rank.

        Source: eqs. (21), (27) and (29) of [GC]_.

        Returns
        -------
        ndarray of shape (p, p) or (k, p, p)
            In units of 1/X².
        """
        W = self._embedding(ridge, rank)
        return named(W @ W.mT, self.columns, self.columns, ridge=ridge)

    def codes(
        self, X_new: ArrayLike = None, *, ridge: ArrayLike = 0.0, rank: int | None = None
    ) -> np.ndarray | DataFrame:
        r"""Return the codes :math:`F = X W`, of the training rows when ``X_new`` is not given.

        Implements :eq:`codes`; source: eqs. (5) and (13) of [GC]_. For training rows U itself is used, which keeps
        digits that X V / s would lose.

        Returns
        -------
        ndarray of shape (m, L) or (k, m, L)
            Free of units.
        """
        penalties, kept = self._check(ridge, rank)
        shrink = self.singular_values / np.sqrt(self.singular_values**2 + penalties[..., None])
        codes, index, _ = self._orthonormal_codes(X_new)
        return named(codes[:, :kept] * shrink[..., None, :kept], index, None, ridge=penalties)

    def weights(
        self, X_new: ArrayLike = None, *, ridge: ArrayLike = 0.0, rank: int | None = None
    ) -> np.ndarray | DataFrame:
        r"""Return the attention weights :math:`\omega_{ji} = \langle F_j, F_i \rangle` on the training targets.

        After centring each weight is 1/n (uniform attention) plus a correction, and the corrections of a row sum to
        zero. Implements :eq:`proximity-weights`; source: eq. (8) of [GC]_.

        Returns
        -------
        ndarray of shape (m, n) or (k, m, n)
            In units of target per target; may be negative. Without ``X_new`` this is the hat matrix.
        """
        filters = self.filter(ridge=ridge, rank=rank)
        codes, index, _ = self._orthonormal_codes(X_new)
        queries, keys = codes * filters[..., None, :], self.scores
        if self.centre is not None:  # one code more, the same for all: 1/n on every row
            queries, keys = (_with_column(codes, np.sqrt(self._uniform)) for codes in (queries, keys))
        return named(attention_weights(queries, keys, kernel="identity"), index, self.index, ridge=ridge)

    def predict(
        self, X_new: ArrayLike, y: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None
    ) -> np.ndarray | Series | DataFrame:
        """Return the predictions at ``X_new`` (None for the training rows), for one target or several.

        The cost of k penalties is one product of the new codes with a k-column matrix, not k fits.

        Parameters
        ----------
        X_new : array or DataFrame of shape (m, p), or None
            Rows to predict at.
        y : array, Series or DataFrame of shape (n,) or (n, t)
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
        >>> from regattn.regression import spectrum
        >>> s = spectrum(np.array([[1.0], [2.0], [6.0]]))
        >>> slider = s.predictor(np.array([[3.0], [9.0]]), np.array([1.0, 3.0, 5.0]))
        >>> slider(ridge=0.0).round(3), slider(ridge=14.0).round(3)
        (array([3.   , 7.286]), array([3.   , 5.143]))
        """
        (codes, index, _), (y, level, columns) = self._orthonormal_codes(X_new), self._check_targets(y)
        # what each direction knows about the targets, shape (r,) or (r, t)
        return Predictor(self, codes, self._left.project(y - level), level, index, columns)

    def coefficients(self, y: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> LinearFit:
        """Return the slope coefficients and the intercept (zero without centring).

        Returns
        -------
        LinearFit
            ``coef`` of shape (p,) or (p, t) and ``intercept`` of shape () or (t,); a first axis of length k for k
            penalties.
        """
        y, level, columns = self._check_targets(y)
        filters = self.filter(ridge=ridge, rank=rank)
        content = self._left.project(y - level).T / self.singular_values  # (..., r)
        coef = (filters[..., None, :] * np.atleast_2d(content)) @ self.directions.T  # ([k,] t, p)
        intercept = level - coef @ (np.zeros(coef.shape[-1]) if self.centre is None else self.centre)
        if y.ndim == 1:
            return LinearFit(named(coef[..., 0, :], self.columns, ridge=ridge), intercept[..., 0])
        return LinearFit(named(coef.mT, self.columns, columns, ridge=ridge), named(intercept, columns, ridge=ridge))

    def effective_dof(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray | float:
        r"""Return the effective degrees of freedom, the trace of the hat matrix: :math:`\sum_k s_k^2/(s_k^2+\lambda)`.

        A centred fit adds one for its intercept. Implements :eq:`effective-dof`.

        Returns
        -------
        float or ndarray of shape (k,)
            Between 0 and the rank, plus one if centred.
        """
        return self.filter(ridge=ridge, rank=rank).sum(axis=-1) + (self.centre is not None)

    def leverage(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray | Series | DataFrame:
        r"""Return the leverages :math:`h_{ii} = \lVert F_i \rVert^2` (plus 1/n if centred): the weight on oneself.

        Returns
        -------
        ndarray of shape (n,) or (k, n)
            Numbers in [0, 1].
        """
        return named(self._leverage(ridge, rank), self.index, ridge=ridge)

    def _leverage(self, ridge: ArrayLike, rank: int | None) -> np.ndarray:
        leverage = product(np.atleast_2d(self.filter(ridge=ridge, rank=rank)), (self.scores**2).T)
        leverage += self._uniform
        return leverage.reshape(*np.shape(ridge), -1)

    def loo_residuals(
        self, y: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None
    ) -> np.ndarray | Series | DataFrame:
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
        y, _, _ = self._check_targets(y)
        if y.ndim != 1:
            raise ValueError(f"y must have shape (n,), got shape {y.shape}")
        y_hat, h = self.predictor(None, y)._values(ridge, rank), self._leverage(ridge, rank)
        check_leverage(h, index=self.index)
        return named((y - y_hat) / (1 - h), self.index, ridge=ridge)

    @property
    def _uniform(self) -> float:
        """The weight that an intercept gives every training row."""
        return 0.0 if self.centre is None else 1 / len(self._left)

    def _orthonormal_codes(self, X_new: ArrayLike) -> Table:
        if X_new is None:
            return Table(self.scores, self.index)
        X_new, index, _ = read_table(X_new, "X_new", columns=self.columns)
        index = None if self.columns is None else index  # of an array arrays come out
        check_same_width(X_new, self.directions.T, "X_new", "X")
        if self.centre is not None:
            X_new = X_new - self.centre
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is reported as the infinite code it gives
            codes = product(X_new, self.directions) / self.singular_values
        check_finite(codes, "codes of X_new")
        return Table(codes, index)

    def _check(self, ridge: ArrayLike, rank: int | None) -> tuple[np.ndarray, int]:
        ridge = check_ridge(ridge)
        if rank is None:
            return ridge, self.rank
        return ridge, check_count(rank, "rank", most=self.rank, bound="the rank of X")

    def _check_targets(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray, Index | None]:
        """Return y, the level (0, or the mean when centred) its fit starts from, and the names of several targets."""
        y, _, columns = read_targets(y, len(self._left), index=self.index)
        level = np.zeros(y.shape[1:]) if self.centre is None else y.mean(axis=0)
        return y, level, None if self.columns is None else columns


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
    index, columns : pandas.Index or None
        Labels of the rows to predict at, and of several targets.
    """

    spectrum: Spectrum
    codes: np.ndarray
    content: np.ndarray
    level: np.ndarray
    index: Index | None = None
    columns: Index | None = None

    def __call__(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray | Series | DataFrame:
        """Return the predictions, as :meth:`Spectrum.predict` does."""
        labels = (self.index,) if self.content.ndim == 1 else (self.index, self.columns)
        return named(self._values(ridge, rank), *labels, ridge=ridge)

    def at(self, X_new: ArrayLike) -> Predictor:
        """Return the predictor of other rows, from what is known about the same targets.

        Parameters
        ----------
        X_new : array or DataFrame of shape (m, p), or None
            Rows to predict at; None for the training rows.

        Returns
        -------
        Predictor
            Equal to ``spectrum.predictor(X_new, y)``.
        """
        codes, index, _ = self.spectrum._orthonormal_codes(X_new)
        return Predictor(self.spectrum, codes, self.content, self.level, index, self.columns)

    def _values(self, ridge: ArrayLike, rank: int | None) -> np.ndarray:
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


def _with_column(codes: np.ndarray, constant: float) -> np.ndarray:
    return np.concatenate((codes, np.full((*codes.shape[:-1], 1), constant)), axis=-1)
