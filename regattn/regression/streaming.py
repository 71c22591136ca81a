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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import Table, as_pandas, matched, named, read_table, read_targets
from regattn.regression._checks import check_leverage
from regattn.regression._factorisation import fold_triangle, product, triangle_of
from regattn.regression.least_squares import spectrum
from regattn.regression.spectral import LinearFit, Spectrum

if TYPE_CHECKING:
    from pandas import DataFrame, Index, Series

__all__ = ["Factor"]


@dataclass(frozen=True, eq=False)
class Factor:
    r"""What a least-squares fit with an intercept needs to know of all rows, in (1 + p + t)² numbers.

    Made by :meth:`accumulate`; two of them are added with ``+``, in any order and from any process. As in
    :class:`Spectrum`, ``ridge`` is a number λ ≥ 0 or an array of k of them, and ``rank`` the number of leading
    directions kept. Weights, leverages and leave-one-out residuals are asked for chunk by chunk: nothing here has the
    length of the data.

    Attributes
    ----------
    triangle : ndarray of shape (1 + p + t, 1 + p + t)
        R, upper triangular: √n and √n times the means of what is left; then the R of the centred X beside Q'y; then
        what no line explains. Signs of rows are arbitrary.
    offset : ndarray of shape (p + t,)
        c and d, the numbers taken off the columns: their means but for rounding, which the first row of R holds.
    n : int
        Rows folded.
    width : int
        p, the number of columns of X.
    columns, targets : pandas.Index or None
        Names of the columns of X and of several targets, if the first chunk had any: those of later chunks and of new
        rows are matched with them or refused, and answers carry them.

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
    columns: Index | None = None
    targets: Index | None = None

    @classmethod
    def accumulate(cls, chunks: Iterable[tuple[ArrayLike, ArrayLike]]) -> Factor:
        """Return the factor of all rows of some chunks, each of which is held only while it is folded.

        Every chunk is folded about its own means and then added to what came before. So it does not matter how far the
        numbers lie from zero, nor whether they come sorted.

        Parameters
        ----------
        chunks : iterable of pairs (X, y)
            X of shape (m, p), without a column of ones; y of shape (m,) or (m, t): arrays or tables of pandas, whose
            columns are matched by name with those of the first chunk. m may differ from chunk to chunk, and may be 0 or
            less than p. A chunk that a memory map holds is read block by block.

        Returns
        -------
        Factor
            In the order of the chunks; another order gives the same numbers up to rounding.

        Raises
        ------
        ValueError
            If there is no chunk, or one is no pair, not finite or has other columns than the first; the message names
            the chunk, counted from 0, and for a number that is not finite its row, counted through all chunks.
        """
        total = None
        for i, chunk in enumerate(chunks):
            if not isinstance(chunk, tuple | list) or len(chunk) != 2:
                raise ValueError(f"chunk {i} must be a pair (X, y), got {_described(chunk)}")
            X, y = chunk
            try:
                part = cls._of(X, y, *((None, None) if total is None else (total.columns, total.targets)))
                total = part if total is None else total + part
            except ValueError as error:
                row = _first_row_not_finite(X, y)
                before = 0 if total is None else total.n
                place = f"chunk {i}" if row is None else f"chunk {i}, row {before + row} of all"
                raise ValueError(f"{place}: {error}") from error
        if total is None:
            raise ValueError("there is no chunk")
        return total

    @classmethod
    def _of(cls, X: ArrayLike, y: ArrayLike, columns: Index | None, targets: Index | None) -> Factor:
        if len(np.shape(X)) == 2 and len(np.shape(y)) in (1, 2) and np.shape(X)[0] == np.shape(y)[0] == 0:
            width, targets = np.shape(X)[1], np.prod(np.shape(y)[1:], dtype=int)
            size = 1 + width + targets
            return cls(np.zeros((size, size)), np.zeros(size - 1), 0, width, np.ndim(y) == 1)
        X, index, columns = read_table(X, "X", columns=columns, of="the first chunk")
        y, _, targets = read_targets(y, len(X), index=index, columns=targets)
        Y = y.reshape(len(y), -1)
        offset = np.concatenate((X.mean(axis=0), Y.mean(axis=0)))
        targets = None if columns is None else targets  # of arrays arrays come out
        return cls(triangle_of((X, Y), offset), offset, len(X), X.shape[1], y.ndim == 1, columns, targets)

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
        for what, ours, theirs in (("columns", self.columns, other.columns), ("targets", self.targets, other.targets)):
            if matched(theirs, ours, f"the {what} of one part", "those of the other") is not None:
                raise ValueError(f"both parts must have the same order of {what}, got {list(ours)} and {list(theirs)}")
        single = self._single and other._single
        names = other.columns if self.columns is None else self.columns
        targets = other.targets if self.targets is None else self.targets
        if not (self.n and other.n):
            kept = self if self.n else other
            return Factor(kept.triangle, kept.offset, kept.n, kept.width, single, names, targets)
        n = self.n + other.n
        offset = self._levels + (other._levels - self._levels) * (other.n / n)
        folded = fold_triangle(self._about(offset), other._about(offset))
        return Factor(folded, offset, n, self.width, single, names, targets)

    def _about(self, offset: np.ndarray) -> np.ndarray:
        """Return the triangle of the same rows when other numbers are taken off."""
        moved = np.array(self.triangle, order="F")
        moved[0, 1:] += moved[0, 0] * (self.offset - offset)  # the ones of R stand in its first row alone
        return moved

    @property
    def means(self) -> np.ndarray:
        """Column means of X, shape (p,)."""
        return self._levels[: self.width]

    @cached_property
    def spectrum(self) -> Spectrum:
        """The factorisation of the centred design: its singular values and directions are those of all rows.

        Its rows are p mixtures of them. A direction that is not above rounding, for n rows, counts as absent.

        Raises
        ------
        ValueError
            If there is no row, or every column is constant.
        """
        means = self.means  # raises if there is no row
        p, tolerance = self.width, np.finfo(float).eps * max(self.n, self.width)
        centred = self.triangle[1 : p + 1, 1 : p + 1].copy()
        constant = np.linalg.norm(centred, axis=0) <= 2 * tolerance * np.abs(means)  # rounding is all there was
        if constant.all():
            raise ValueError(f"X has rank 0: every column is constant, shape {(self.n, p)}")
        centred[:, constant] = 0.0
        return spectrum(centred, centre=False, tolerance=min(tolerance, 0.5))

    def coefficients(self, *, ridge: ArrayLike = 0.0, rank: int | None = None) -> LinearFit:
        """Return slopes and intercept, as :meth:`Spectrum.coefficients` of all rows does."""
        coef = self.spectrum.coefficients(self._content, ridge=ridge, rank=rank).coef  # ([k,] p, t)
        intercept = self._levels[self.width :] - self.means @ coef
        if self._single:
            return LinearFit(named(coef[..., 0], self.columns, ridge=ridge), intercept[..., 0])
        return LinearFit(
            named(coef, self.columns, self.targets, ridge=ridge), named(intercept, self.targets, ridge=ridge)
        )

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

    def weights(
        self, X_new: ArrayLike, X: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None
    ) -> np.ndarray | DataFrame:
        """Return the weight of each row of a chunk X, (m, p), in the prediction at each new row: shape ([k,] q, m)."""
        (asked, new, _), (keys, index, _) = self._codes(X_new, "X_new"), self._codes(X)
        queries = asked * self.spectrum.filter(ridge=ridge, rank=rank)[..., None, :]
        return named(queries @ keys.T + 1 / self.n, new, index, ridge=ridge)

    def leverage(
        self, X: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None
    ) -> np.ndarray | Series | DataFrame:
        """Return the leverages of the rows of a chunk X, which were among those folded: shape (m,) or (k, m).

        The chunk may have no row, as in :meth:`accumulate`.
        """
        codes, index, _ = self._codes(X)
        return named(self._leverage(codes, ridge, rank), index, ridge=ridge)

    def _leverage(self, codes: np.ndarray, ridge: ArrayLike, rank: int | None) -> np.ndarray:
        filters = self.spectrum.filter(ridge=ridge, rank=rank)
        leverage = product(np.atleast_2d(filters), (codes**2).T) + 1 / self.n
        return leverage.reshape(*filters.shape[:-1], -1)

    def loo_residuals(
        self, X: ArrayLike, y: ArrayLike, *, ridge: ArrayLike = 0.0, rank: int | None = None
    ) -> np.ndarray | Series | DataFrame:
        """Return, for rows that were folded, the errors of the fit to all others: shape (m,) or (k, m).

        As :meth:`Spectrum.loo_residuals`, for one target, whose chunks have shape (m,).

        Raises
        ------
        ValueError
            If the targets have a second axis, or some leverage is 1.
        """
        if not self._single:
            count = len(self.offset) - self.width
            raise ValueError(f"leave-one-out residuals need folded y of shape (m,), got shape (m, {count})")
        if np.ndim(y) != 1 or np.shape(y) != np.shape(X)[:1]:
            raise ValueError(f"y must have shape (m,) with the m rows of X, got {np.shape(y)} and {np.shape(X)}")
        centred, index, _ = self._centred(X)
        y = read_targets(y, len(y), index=index).values if len(y) else np.zeros(0)
        h = self._leverage(self._coded(centred), ridge, rank)
        if h.size:
            check_leverage(h, " of the chunk", index=index)
        coef = np.asarray(self.coefficients(ridge=ridge, rank=rank).coef)
        # from the means, where the fit passes: far from zero an intercept would cost digits
        fitted = product(np.atleast_2d(coef), centred.T).reshape(h.shape)
        return named((y - self.offset[-1] - self._rest[-1] - fitted) / (1 - h), index, ridge=ridge)

    @property
    def _levels(self) -> np.ndarray:
        """Means of the columns of X and y, shape (p + t,)."""
        return self.offset + self._rest

    @property
    def _rest(self) -> np.ndarray:
        """Means of what is left of the columns without their offset, shape (p + t,)."""
        if self.n == 0:
            raise ValueError("the factor has no rows")
        return self.triangle[0, 1:] / self.triangle[0, 0]

    @property
    def _content(self) -> np.ndarray:
        """The targets as the p mixtures of rows have them, shape (p, t)."""
        p = self.width
        return self.triangle[1 : p + 1, p + 1 :]

    def _centred(self, X: ArrayLike, name: str = "X") -> Table:
        if len(np.shape(X)) != 2 or np.shape(X)[0]:  # without rows there is nothing else to check
            X, index, _ = read_table(X, name, columns=self.columns, of="the folded rows")
        else:
            index = getattr(as_pandas(X), "index", None)
        if np.shape(X)[1] != self.width:
            raise ValueError(f"{name} has {np.shape(X)[1]} columns but the folded rows have {self.width}")
        X = np.asarray(X) - self.offset[: self.width]
        X -= self._rest[: self.width]  # the means as one sum would be rounded: far from zero that costs digits
        return Table(X, None if self.columns is None else index)

    def _codes(self, X: ArrayLike, name: str = "X") -> Table:
        centred, index, _ = self._centred(X, name)
        return Table(self._coded(centred), index)

    def _coded(self, centred: np.ndarray) -> np.ndarray:
        return self.spectrum.codes(centred) if len(centred) else np.zeros((0, self.spectrum.rank))


def _described(thing: Any) -> str:
    """Return in a few words what stands in the place of a chunk."""
    shape = getattr(thing, "shape", None)
    if shape is not None:
        return f"an array of shape {tuple(shape)}"
    return f"{len(thing)} parts" if isinstance(thing, tuple | list) else f"{thing!r:.60}"


def _first_row_not_finite(*parts: Any) -> int | None:
    """Return the first row in which a chunk has a number that is not finite, None if there is none."""
    rows = []
    for part in parts:
        try:
            values = np.asarray(part)
        except (ValueError, TypeError):  # no array at all: something else is wrong
            continue
        if values.dtype.kind == "f" and values.ndim:
            rows += np.nonzero(~np.isfinite(values))[0][:1].tolist()
    return min(rows, default=None)
