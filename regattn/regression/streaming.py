r"""Least squares of more rows than memory holds: one triangle that grows no larger with the rows.

Rows are folded, chunk by chunk, into the triangular factor R of

.. math:: [\mathbf 1,\ X - c,\ y - d] = Q R ,

whose first row holds the means, whose next p rows the centred design and its products with the targets, and whose last
corner what no line explains. Q is never formed. Two triangles become one in the same way, so that parts of the rows may
be folded elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from regattn._validation import check_matrix, check_targets
from regattn.regression.least_squares import LinearFit, Spectrum, spectrum

__all__ = ["Factor"]


@dataclass(frozen=True, eq=False)
class Factor:
    r"""What a least-squares fit with an intercept needs to know of all rows, in (1 + p + t)² numbers.

    Made by :meth:`accumulate`; two of them are added with ``+``. As in :class:`Spectrum`, ``ridge`` is a number λ ≥ 0
    or an array of k of them, and ``rank`` the number of leading directions kept. Weights, leverages and leave-one-out
    residuals are asked for chunk by chunk: nothing here has the length of the data.

    Attributes
    ----------
    triangle : ndarray of shape (1 + p + t, 1 + p + t)
        R, upper triangular.
    offset : ndarray of shape (p + t,)
        c and d, the numbers taken off the columns before they were folded.
    n : int
        Rows folded.
    width : int
        p, the number of columns of X.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [6.0]]), np.array([1.0, 3.0, 5.0])
    >>> here, there = Factor.accumulate([(X[:2], y[:2])]), Factor.accumulate([(X[2:], y[2:])])
    >>> fit = (here + there).coefficients()
    >>> fit.coef.round(3), round(float(fit.intercept), 3)
    (array([0.714]), 0.857)
    """

    triangle: np.ndarray
    offset: np.ndarray
    n: int
    width: int
    _single: bool = True  # whether y came as one column without an axis

    @classmethod
    def accumulate(cls, chunks: Iterable[tuple[ArrayLike, ArrayLike]]) -> Factor:
        """Return the factor of all rows of some chunks, each of which is held only while it is folded.

        Parameters
        ----------
        chunks : iterable of pairs (X, y)
            X of shape (m, p), without a column of ones; y of shape (m,) or (m, t). m may differ from chunk to chunk.

        Returns
        -------
        Factor
            In the order of the chunks; another order gives the same numbers up to rounding.

        Raises
        ------
        ValueError
            If there is no chunk, or one is not finite, has no rows, or has other columns than the first; the message
            names the chunk, counted from 0.
        """
        total = None
        for i, (X, y) in enumerate(chunks):
            try:
                part = cls._of(X, y, None if total is None else total.offset)
                total = part if total is None else total + part
            except ValueError as error:
                raise ValueError(f"chunk {i}: {error}") from error
        if total is None:
            raise ValueError("there is no chunk")
        return total

    @classmethod
    def _of(cls, X: ArrayLike, y: ArrayLike, offset: np.ndarray | None) -> Factor:
        X = check_matrix(X, "X")
        y = check_targets(y, len(X))
        rows = np.column_stack((X, y))
        offset = rows.mean(axis=0) if offset is None or len(offset) != rows.shape[1] else offset
        augmented = np.column_stack((np.ones(len(rows)), rows - offset))
        return cls(_triangle(augmented), offset, len(rows), X.shape[1], y.ndim == 1)

    def __add__(self, other: Factor) -> Factor:
        """Return the factor of the rows of both."""
        if not isinstance(other, Factor):
            return NotImplemented
        for what, ours, theirs in (
            ("columns of X", self.width, other.width),
            ("targets", len(self.offset) - self.width, len(other.offset) - other.width),
        ):
            if ours != theirs:
                raise ValueError(f"both parts must have the same number of {what}, got {ours} and {theirs}")
        moved = other.triangle.copy()
        moved[0, 1:] += moved[0, 0] * (other.offset - self.offset)  # the ones of R stand in its first row alone
        stacked = _triangle(np.concatenate((self.triangle, moved)))
        return Factor(stacked, self.offset, self.n + other.n, self.width, self._single and other._single)

    @property
    def means(self) -> np.ndarray:
        """Column means of X, shape (p,)."""
        return self._levels[: self.width]

    @cached_property
    def spectrum(self) -> Spectrum:
        """The factorisation of the centred design: its singular values and directions are those of all rows.

        Its rows are p mixtures of them. A direction that is not above rounding, for n rows, counts as absent.
        """
        p = self.width
        return spectrum(self.triangle[1 : p + 1, 1 : p + 1], tolerance=np.finfo(float).eps * max(self.n, p))

    def coefficients(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> LinearFit:
        """Return slopes and intercept, as :meth:`Spectrum.coefficients` of all rows does."""
        coef = self.spectrum.coefficients(self._content, ridge=ridge, rank=rank).coef  # ([k,] p, t)
        intercept = self._levels[self.width :] - self.means @ coef
        return LinearFit(coef[..., 0], intercept[..., 0]) if self._single else LinearFit(coef, intercept)

    def residual_sum_of_squares(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        """Return the sum of squared residuals over all rows, shape (), (k,), (t,) or (k, t), in units of y²."""
        p = self.width
        fitted = self.spectrum.predict(None, self._content, ridge=ridge, rank=rank)
        unexplained = (self.triangle[p + 1 :, p + 1 :] ** 2).sum(axis=0)  # by any line
        total = ((self._content - fitted) ** 2).sum(axis=-2) + unexplained
        return total[..., 0] if self._single else total

    def effective_dof(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray | float:
        """Return the effective degrees of freedom, the intercept's one included; see :meth:`Spectrum.effective_dof`."""
        return self.spectrum.effective_dof(ridge=ridge, rank=rank) + 1

    def weights(self, X_new: ArrayLike, X: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        """Return the weight of each row of a chunk X, (m, p), in the prediction at each new row: shape ([k,] q, m)."""
        queries = self._codes(X_new) * self.spectrum.filter(ridge=ridge, rank=rank)[..., None, :]
        return queries @ self._codes(X).T + 1 / self.n

    def leverage(self, X: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> np.ndarray:
        """Return the leverages of the rows of a chunk X, which were among those folded: shape (m,) or (k, m)."""
        filters = self.spectrum.filter(ridge=ridge, rank=rank)
        return filters @ (self._codes(X) ** 2).T + 1 / self.n

    def loo_residuals(
        self, X: ArrayLike, y: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None
    ) -> np.ndarray:
        """Return, for rows that were folded, the errors of the fit to all others: shape (m,) or (k, m).

        As :meth:`Spectrum.loo_residuals`, for one target.

        Raises
        ------
        ValueError
            If there are several targets, or some leverage is 1.
        """
        X, y = check_matrix(X, "X"), check_targets(y, len(X))
        if not self._single or y.ndim != 1:
            raise ValueError(f"leave-one-out residuals are those of one target, got {len(self.offset) - self.width}")
        fit, h = self.coefficients(ridge=ridge, rank=rank), self.leverage(X, ridge=ridge, rank=rank)
        if h.max() > 1 - 1e-10:
            row = int(np.nonzero(h > 1 - 1e-10)[-1][0])
            raise ValueError(f"row {row} of the chunk has leverage 1: without it the fit is not determined")
        return (y - fit.coef @ X.T - fit.intercept[..., None]) / (1 - h)

    @property
    def _levels(self) -> np.ndarray:
        """Means of the columns of X and y, shape (p + t,)."""
        return self.offset + self.triangle[0, 1:] / self.triangle[0, 0]

    @property
    def _content(self) -> np.ndarray:
        """The targets as the p mixtures of rows have them, shape (p, t)."""
        p = self.width
        return self.triangle[1 : p + 1, p + 1 :]

    def _codes(self, X: ArrayLike) -> np.ndarray:
        return self.spectrum.codes(check_matrix(X, "X") - self.means)


def _triangle(rows: np.ndarray) -> np.ndarray:
    """Return R of QR, square: rows of zeros stand below where there are fewer rows than columns."""
    R = np.linalg.qr(rows, mode="r")
    return np.pad(R, ((0, R.shape[1] - R.shape[0]), (0, 0)))
