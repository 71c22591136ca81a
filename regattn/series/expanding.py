"""Least squares in real time: at each date the fit to what was known before it, all dates in one sweep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.linalg.lapack import dgeqrf, dpotrf, dtrtrs

from regattn._tables import as_pandas, named, read_table, read_vector
from regattn._types import Label
from regattn._validation import check_count, check_real, check_sizes, column_sizes
from regattn.series._dates import check_dates, place_of

GROWTH = 4  # a block of dates is at most this share of what was known before it: its weights then stay moderate
LARGEST = 64  # dates in a block; larger ones cost more in products than they save in calls

__all__ = ["ExpandingFit", "expanding_least_squares"]


@dataclass(frozen=True)
class _Fits:
    """What each date is fitted to: rows up to ``horizon`` before it, the last ``window`` of them, with a penalty."""

    horizon: int
    window: int | None
    penalty: np.ndarray
    """Rows that are put before the design, with targets of zero, (p, q): the root of the penalty; or none, (0, q)."""

    def plain(self) -> bool:
        return self.horizon == 1 and self.window is None

    def rows(self, date: int) -> slice:
        end = date - self.horizon + 1
        return slice(0 if self.window is None else max(0, end - self.window), end)

    def forecasts(self, design: np.ndarray, y: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the forecasts of each row from ``start`` on, and the coefficients, (T - start, q)."""
        if self.window is not None:
            coef = np.stack([self._map(design, t) @ y[self.rows(t)] for t in range(start, len(design))])
            return (design[start:] * coef).sum(axis=1), coef
        lead, added = self.horizon - 1, len(self.penalty)
        whole, targets = np.vstack([self.penalty, design]), np.concatenate([np.zeros(added), y])
        found, coef = _swept(whole, targets[:, None], start - lead + added, coefficients=True)
        if not lead:
            return found[:, 0], coef
        coef = coef[:-lead]  # those of so many dates before
        return (design[start:] * coef).sum(axis=1), coef

    def weights(self, design: np.ndarray, start: int) -> np.ndarray:
        """Return what each date from ``start`` on gives every date, (T - start, T)."""
        rows, added = len(design), len(self.penalty)
        if self.plain():  # a forecast is linear in the targets, so the forecasts of unit targets are the weights
            whole, targets = np.vstack([self.penalty, design]), np.eye(rows + added)[:, added:]
            return _swept(whole, targets, start + added)[0]
        found = np.zeros((rows - start, rows))
        for t in range(start, rows):
            found[t - start, self.rows(t)] = design[t] @ self._map(design, t)
        return found

    def _map(self, design: np.ndarray, date: int) -> np.ndarray:
        """Return what makes coefficients of the targets a date may know, (q, rows), or raise if they are too few."""
        known = np.vstack([self.penalty, design[self.rows(date)]])
        if np.linalg.matrix_rank(known) < known.shape[1]:
            raise ValueError(
                f"the {len(known) - len(self.penalty)} rows that date {date} is fitted to do not determine "
                f"{known.shape[1]} coefficients; take a longer window or start later"
            )
        return np.linalg.pinv(known)[:, len(self.penalty) :]


@dataclass(frozen=True, eq=False)
class ExpandingFit:
    r"""Least squares fitted anew at each date t to the rows before it, as forecasts, coefficients and weights.

    .. math:: \hat y_t = \sum_{\tau < t} a_{t\tau}\, y_\tau, \qquad a_{t\tau} = x_t^\top \Omega_t\, x_\tau, \qquad
              \Omega_t = \Bigl(\sum_{s<t} x_s x_s^\top\Bigr)^{-1}

    Made by :func:`expanding_least_squares`. Where that was given Series and DataFrames, these are Series and
    DataFrames, indexed by date.

    Attributes
    ----------
    forecasts : array of shape (T - start,)
        One for each date from ``start`` on, in the units of the target.
    coef : array of shape (T - start, p)
        The slopes known before each of these dates.
    intercept : array of shape (T - start,)
        The constants; zero if there are none.
    """

    forecasts: Any
    coef: Any
    intercept: Any
    _design: np.ndarray
    _index: pd.Index | None
    _fits: _Fits

    def weights(self) -> Any:
        r"""Return the map of honest weights: what each date gives the dates before it, by its own Ω.

        Returns
        -------
        array of shape (T - start, T)
            Zero from the date itself on: a strictly lower triangle, of which the first ``start`` rows are not made.
            With an intercept its rows sum to one.

        Examples
        --------
        >>> fit = expanding_least_squares([[1.0], [2.0], [1.0]], [3.0, 5.0, 4.0], start=1, intercept=False)
        >>> fit.weights().round(3)
        array([[2. , 0. , 0. ],
               [0.2, 0.4, 0. ]])
        """
        start = len(self._design) - len(self.forecasts)
        weights = self._fits.weights(self._design, start)
        return named(weights, None if self._index is None else self.forecasts.index, self._index)


def expanding_least_squares(  # noqa: PLR0913 - as expanding_window_forecasts, and the fit itself
    X: ArrayLike,
    y: ArrayLike,
    *,
    start: Label,
    intercept: bool = True,
    horizon: int = 1,
    ridge: float = 0.0,
    window: int | None = None,
) -> ExpandingFit:
    r"""Return the least-squares forecast of each date from ``start`` on, made from the rows before it alone.

    The same as fitting anew at each date, at about the cost of a few fits. The dates come in blocks. With the triangle
    R of all rows before a block, the codes :math:`C = X R^{-1}` of its rows and what was known of the coefficients,
    :math:`z`, the Cholesky factor G of :math:`I + CC^\top` turns the errors of one forecast for the whole block into
    those of forecasts that learn from date to date:

    .. math:: e = y - Cz, \qquad y - \hat y = \operatorname{diag}(G)\, G^{-1} e .

    X'X is never formed. Implements :eq:`causal-omega-fit`.

    Parameters
    ----------
    X : array or DataFrame of shape (T, p)
        Row t holds what was known before date t: oldest first.
    y : array or Series of shape (T,)
        Targets of the same rows, found by date where both have dates.
    start : int, or a label of the index
        The first row to forecast: its place, or its label, which an int is where the labels are integers. At least as
        many rows as coefficients must lie before it.
    intercept : bool, default True
        Whether there is a constant.
    horizon : int, default 1
        Steps ahead h: row t of X holds what was known at date t - h, and its forecast is made from the rows up to it.
    ridge : float, default 0
        Penalty λ on the squares of the slopes, in squared units of ``X``; the constant has none.
    window : int, optional
        Rows that a fit sees, the last that are known; by default all of them. Each window is then a fit of its own.

    Returns
    -------
    ExpandingFit

    Raises
    ------
    ValueError
        If the rows of X and y do not agree, one is an array and the other is not, dates do not rise in even steps, a
        number is missing, ``start`` is no such date or leaves too few rows before it, or the rows before it do not
        determine the coefficients.

    Examples
    --------
    >>> fit = expanding_least_squares([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 9.0], start=2)
    >>> fit.forecasts.round(6).tolist(), fit.coef.round(6).ravel().tolist()
    ([5.0, 7.0], [2.0, 2.0])
    """
    if (as_pandas(X) is None) != (as_pandas(y) is None):
        raise ValueError(
            f"X and y must both be arrays, or a DataFrame and a Series, got {type(X).__name__} and {type(y).__name__}"
        )
    name = getattr(y, "name", None)
    X, index, columns = read_table(X, "X")
    y = read_vector(y, "y", index=index, shape="(T,)").values
    if len(y) != len(X):
        raise ValueError(f"y has {len(y)} entries but X has {len(X)} rows")
    if index is not None:
        check_dates(index, "X")
    if not isinstance(intercept, bool):
        raise ValueError(f"intercept must be True or False, got {intercept!r}")
    check_sizes(column_sizes(X), "X")
    design = np.column_stack([np.ones(len(X)), X]) if intercept else X
    ridge = check_real(ridge, "ridge", least=0.0)
    penalty = np.sqrt(ridge) * np.eye(X.shape[1], design.shape[1], int(intercept)) if ridge else design[:0]
    window = None if window is None else check_count(window, "window")
    fits = _Fits(check_count(horizon, "horizon"), window, penalty)
    start = _check_start(start, design, index, fits)
    forecasts, coef = fits.forecasts(design, y, start)
    constant, slopes = coef[:, 0] if intercept else np.zeros(len(coef)), coef[:, intercept:]
    if index is not None:
        dates = index[start:]
        forecasts = pd.Series(forecasts, index=dates, name=name)
        constant = pd.Series(constant, index=dates, name="intercept")
        slopes = pd.DataFrame(slopes, index=dates, columns=columns)
    return ExpandingFit(forecasts, slopes, constant, design, index, fits)


def _check_start(start: Any, design: np.ndarray, index: pd.Index | None, fits: _Fits) -> int:
    """Return the first row to forecast; what lies before it must determine every coefficient."""
    rows, columns = design.shape
    label = ""
    if index is not None and (isinstance(start, str | pd.Period | pd.Timestamp) or index.dtype.kind in "fiu"):
        start, label = place_of(start, index), f", {start}"
    start = check_count(start, "start", least=0, most=rows - 1, bound="the last row")
    known = design[fits.rows(start)]
    if len(known) + len(fits.penalty) < columns or not len(known):
        before = f"{len(known)} rows" if fits.plain() else f"{len(known)} rows, {fits.horizon} dates before it,"
        raise ValueError(
            f"start {start}{label} leaves {before} for {columns} coefficients; there must be at least as many rows"
        )
    count, known = len(known), np.vstack([fits.penalty, known])
    sizes = np.sqrt((known**2).sum(axis=0))
    bounds = np.linalg.svd(known / np.where(sizes > 0, sizes, 1.0), compute_uv=False)
    rank = int((bounds > np.finfo(float).eps * max(known.shape) * bounds[0]).sum())
    if rank < columns:
        raise ValueError(
            f"the {count} rows before start{label} have rank {rank}, which does not determine {columns} coefficients; "
            "start later"
        )
    return start


def _swept(
    design: np.ndarray, targets: np.ndarray, start: int, *, coefficients: bool = False
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the forecasts of each row from ``start`` on, (T - start, k), and their coefficients, (T - start, q)."""
    rows, q = design.shape
    forecasts = np.empty((rows - start, targets.shape[1]))
    coef = np.empty((rows - start, q)) if coefficients else None
    both = np.asfortranarray(np.column_stack([design, targets]))
    upper = np.triu(np.ones((q, both.shape[1]), order="F"))
    known = upper * dgeqrf(both[:start])[0][:q]  # of the triangle R, what later rows need to know of these
    for first, last in _blocks(start, rows):
        block, at = both[first:last], slice(first - start, last - start)
        R, z = known[:, :q], known[:, q:]
        C = dtrtrs(R, block[:, :q].T, trans=1)[0].T  # codes of the block, (b, q): what is known has the code I
        spread = C @ C.T.copy()  # a copy, since a product with its own transpose takes a slower road
        spread.flat[:: len(spread) + 1] += 1
        G = dpotrf(spread, lower=1)[0]
        errors = block[:, q:] - C @ z  # of the forecast that learns nothing within the block
        learnt = dtrtrs(G, np.column_stack([errors, C]), lower=1)[0]
        innovations, gains = learnt[:, : errors.shape[1]], learnt[:, errors.shape[1] :]
        forecasts[at] = block[:, q:] - G.diagonal()[:, None] * innovations
        if coefficients:
            moves = np.zeros((q, last - first))  # a row learns from those before it
            np.cumsum((gains * innovations)[:-1].T, axis=1, out=moves[:, 1:])
            coef[at] = dtrtrs(R, z + moves)[0].T
        if last < rows:
            known = upper * dgeqrf(np.concatenate([known, block]))[0][:q]
    return forecasts, coef


def _blocks(start: int, rows: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last row, the last not counted, of each block: small where little is known."""
    first = start
    while first < rows:
        last = min(rows, first + max(1, min(LARGEST, first // GROWTH)))
        yield first, last
        first = last
