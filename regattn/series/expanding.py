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
from regattn._validation import check_count, check_sizes, column_sizes
from regattn.series._dates import check_dates, place_of

GROWTH = 4  # a block of dates is at most this share of what was known before it: its weights then stay moderate
LARGEST = 64  # dates in a block; larger ones cost more in products than they save in calls

__all__ = ["ExpandingFit", "expanding_least_squares"]


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
        rows = len(self._design)
        # a forecast is linear in the targets, so the forecasts of unit targets are the weights
        weights, _ = _swept(self._design, np.eye(rows), rows - len(self.forecasts))
        return named(weights, None if self._index is None else self.forecasts.index, self._index)


def expanding_least_squares(X: ArrayLike, y: ArrayLike, *, start: Label, intercept: bool = True) -> ExpandingFit:
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
    start = _check_start(start, design, index)
    found, coef = _swept(design, y[:, None], start, coefficients=True)
    forecasts, constant, slopes = found[:, 0], coef[:, 0] if intercept else np.zeros(len(coef)), coef[:, intercept:]
    if index is not None:
        dates = index[start:]
        forecasts = pd.Series(forecasts, index=dates, name=name)
        constant = pd.Series(constant, index=dates, name="intercept")
        slopes = pd.DataFrame(slopes, index=dates, columns=columns)
    return ExpandingFit(forecasts, slopes, constant, design, index)


def _check_start(start: Any, design: np.ndarray, index: pd.Index | None) -> int:
    """Return the first row to forecast; what lies before it must determine every coefficient."""
    rows, columns = design.shape
    label = ""
    if index is not None and (isinstance(start, str | pd.Period | pd.Timestamp) or index.dtype.kind in "fiu"):
        start, label = place_of(start, index), f", {start}"
    start = check_count(start, "start", least=0, most=rows - 1, bound="the last row")
    if start < columns:
        raise ValueError(
            f"start {start}{label} leaves {start} rows for {columns} coefficients; there must be at least as many rows"
        )
    known = design[:start]
    sizes = np.sqrt((known**2).sum(axis=0))
    bounds = np.linalg.svd(known / np.where(sizes > 0, sizes, 1.0), compute_uv=False)
    rank = int((bounds > np.finfo(float).eps * max(known.shape) * bounds[0]).sum())
    if rank < columns:
        raise ValueError(
            f"the {start} rows before start{label} have rank {rank}, which does not determine {columns} coefficients; "
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
