"""Windows of many series, the common yardsticks of their forecasts, and forecasts that need no training across series.

Letters: N windows, C dates of the past, h dates ahead, Q quantiles.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from regattn._types import Label
from regattn._validation import check_array, check_count, check_matrix, check_real
from regattn.series._dates import check_series, place_of, seasons

__all__ = [
    "Windows",
    "drift_forecasts",
    "forecast_windows",
    "lag_visibility",
    "normalise",
    "quantile_losses",
    "seasonal_scale",
]


class Windows(NamedTuple):
    """Stretches of many series, each cut where a forecast is made; a row for each series and origin."""

    past: np.ndarray
    """The C dates before the origin, oldest first, shape (N, C)."""
    ahead: np.ndarray
    """The h dates from the origin on, shape (N, h)."""
    series: np.ndarray
    """Which column of the table, shape (N,)."""
    origin: np.ndarray
    """Which row of the table comes first in ``ahead``, shape (N,)."""
    season: np.ndarray
    """Where in the year that row falls, from 0, shape (N,)."""
    known: np.ndarray | None = None
    """Covariates of the C dates and of the h dates from the origin on, shape (N, C + h, c), if there are any."""

    def of(self, rows: ArrayLike) -> Windows:
        """Return some of the windows: a boolean or whole number for each."""
        return Windows(*(None if part is None else part[rows] for part in self))

    def mase(self, forecast: ArrayLike, unit: ArrayLike) -> pd.Series:
        r"""Return the mean absolute scaled error at each origin, over series and dates ahead.

        .. math:: \text{MASE}_o = \frac1{kh} \sum_{s=1}^{k} \sum_{j=1}^{h} \frac{|y_{s, o+j} - \hat y_{s, o+j}|}{u_s}

        Parameters
        ----------
        forecast : array of shape (N, h)
            One number for each window and date ahead, in the units of the series.
        unit : array of shape (k,)
            What a unit of error is for each series of the table: :func:`seasonal_scale`.

        Returns
        -------
        Series
            Indexed by origin.

        Raises
        ------
        ValueError
            If there is no window, ``forecast`` has another shape than ``ahead``, or ``unit`` is not positive or has
            none for some series.

        Examples
        --------
        >>> table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0, 6.0, 8.0, 8.0]})
        >>> windows = forecast_windows(table, [2, 3], context=1, horizon=1)
        >>> windows.mase(windows.past, unit=[1.0, 2.0]).tolist()
        [1.0, 0.5]
        """
        forecast, unit = np.asarray(forecast, dtype=float), np.asarray(unit, dtype=float)
        if forecast.shape != self.ahead.shape:
            raise ValueError(f"forecast must have shape {self.ahead.shape}, got {forecast.shape}")
        if not len(self.series):
            raise ValueError("an error at each origin needs windows, got none")
        if unit.ndim != 1 or len(unit) <= self.series.max():
            raise ValueError(f"unit must have a number for each of {self.series.max() + 1} series, got {unit.shape}")
        if not (unit > 0).all():
            raise ValueError(f"unit must be positive, got {unit[~(unit > 0)][0]}")
        errors = np.abs(forecast - self.ahead).mean(axis=1) / unit[self.series]
        return pd.Series(errors).groupby(self.origin).mean()


def forecast_windows(table: pd.DataFrame, origins: Iterable[Label], *, context: int, horizon: int) -> Windows:
    """Return the windows of every series at every origin, series by series within an origin.

    Parameters
    ----------
    table : DataFrame of shape (T, k)
        A column for each series, oldest first, dates without gaps; periods and times tell the place in the year.
    origins : iterable of int, or of labels of the index
        Where a forecast begins: rows of the table, or dates, as "2010-01".
    context, horizon : int
        C and h.

    Returns
    -------
    Windows
        With a row for each of k series and each origin. Their season counts from New Year in steps of the table: months
        0 to 11, quarters 0 to 3, weeks as ISO 8601 numbers them; 0 where the index is of numbers.

    Raises
    ------
    ValueError
        If an origin is no row and no date, or has fewer than C rows before it, or fewer than h from it on; if the table
        is no DataFrame, a number is missing, or dates do not rise in even steps.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0, 6.0, 7.0, 8.0]})
    >>> windows = forecast_windows(table, [2], context=2, horizon=1)
    >>> windows.past.tolist(), windows.ahead.ravel().tolist()
    ([[1.0, 2.0], [5.0, 6.0]], [3.0, 7.0])
    """
    table = check_series(table, "table")
    values, season = check_matrix(table, "table"), seasons(table.index, "table")
    origins = np.array([_row(origin, table.index) for origin in origins], dtype=int)
    context, horizon = check_count(context, "context"), check_count(horizon, "horizon")
    odd = origins[(origins < context) | (origins + horizon > len(values))]
    if len(odd):
        raise ValueError(f"an origin must have {context} rows before it and {horizon} from it on, got {odd[0]}")
    origin, series = (part.ravel() for part in np.meshgrid(origins, np.arange(values.shape[1]), indexing="ij"))
    past = values[origin[:, None] + np.arange(-context, 0), series[:, None]]
    ahead = values[origin[:, None] + np.arange(horizon), series[:, None]]
    return Windows(past, ahead, series, origin, season[origin])


def _row(origin: Label, dates: pd.Index) -> int:
    """Return the row at which a forecast begins."""
    if isinstance(origin, str | pd.Period | pd.Timestamp):
        return place_of(origin, dates)
    return check_count(origin, "an origin", least=0)


def normalise(past: ArrayLike, *, period: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Return windows in units of their own, with the level and the scale that were taken out.

    .. math:: x = (y - y_C) / s, \qquad s = \overline{|y_t - y_{t-m}|} + \overline{|y_t - y_{t-1}|} + 10^{-4}

    Parameters
    ----------
    past : array of shape (..., C)
        With C above m; oldest first.
    period : int, default 12
        m, the dates in a year.

    Returns
    -------
    x, level, scale : ndarrays of shapes (..., C), (..., 1) and (..., 1)
        The level is the last value. All three come from the past alone.

    Raises
    ------
    ValueError
        If C is m or less, or an entry is not finite.

    Examples
    --------
    >>> x, level, scale = normalise(np.arange(36.0))
    >>> x[-1], level.item(), round(scale.item(), 4)
    (np.float64(0.0), 35.0, 13.0001)
    """
    past, period = np.asarray(check_array(past, "past"), dtype=float), check_count(period, "period")
    check_count(past.shape[-1] if past.ndim else 0, "the length of past", least=period + 1)
    level = past[..., -1:]
    yearly = np.abs(past[..., period:] - past[..., :-period]).mean(axis=-1, keepdims=True)
    scale = yearly + np.abs(np.diff(past, axis=-1)).mean(axis=-1, keepdims=True) + 1e-4
    return (past - level) / scale, level, scale


def seasonal_scale(table: ArrayLike, *, period: int = 12) -> np.ndarray:
    """Return what the seasonal naive forecast misses each series by, in the mean: the unit of the MASE.

    Parameters
    ----------
    table : array or DataFrame of shape (T, k)
        A column for each series, oldest first.
    period : int, default 12
        Dates in a year, fewer than T.

    Returns
    -------
    ndarray of shape (k,)
        In the units of the series.

    Raises
    ------
    ValueError
        If the table is not finite, or ``period`` is below 1 or leaves no date.

    Examples
    --------
    >>> seasonal_scale(pd.DataFrame({"a": [1.0, 2.0, 5.0, 6.0]}), period=2).tolist()
    [4.0]
    """
    values = check_matrix(table, "table")
    period = check_count(period, "period", most=len(values) - 1, bound="the dates there are, less one")
    return np.abs(values[period:] - values[:-period]).mean(axis=0)


def quantile_losses(quantiles: ArrayLike, outcome: ArrayLike, *, levels: Iterable[float]) -> np.ndarray:
    r"""Return twice the pinball loss of each quantile: at level 1/2 the absolute error.

    .. math:: \ell_\tau(q, y) = 2 \max\bigl(\tau (y - q),\ (\tau - 1)(y - q)\bigr)

    Its mean over all levels is the continuous ranked probability score, of which the mean over the deciles is an
    approximation. Implements :eq:`pinball-loss`.

    Parameters
    ----------
    quantiles : array of shape (..., Q)
        One for each level.
    outcome : array of shape (...)
        What came.
    levels : iterable of float
        Q numbers between 0 and 1.

    Returns
    -------
    ndarray of shape (..., Q)
        In the units of the outcome.

    Raises
    ------
    ValueError
        If the last axis of quantiles has not one for each level, the axes before it do not broadcast against the
        outcome's, an entry is not finite, or a level does not lie between 0 and 1.

    Examples
    --------
    >>> quantile_losses([[0.0, 1.0]], [3.0], levels=[0.5, 0.75]).tolist()
    [[3.0, 3.0]]
    """
    quantiles, outcome = (
        np.asarray(check_array(x, name), dtype=float) for x, name in ((quantiles, "quantiles"), (outcome, "outcome"))
    )
    tau = np.array([check_real(level, "a level", least=0.0, most=1.0) for level in levels])
    if odd := [level for level in tau.tolist() if level in (0.0, 1.0)]:
        raise ValueError(f"a level must lie between 0 and 1, got {odd[0]:g}")
    if quantiles.shape[-1:] != (len(tau),):
        raise ValueError(f"quantiles must have {len(tau)} in the last axis, one for each level, got {quantiles.shape}")
    try:
        np.broadcast_shapes(quantiles.shape[:-1], outcome.shape)
    except ValueError:
        raise ValueError(f"quantiles have shape {quantiles.shape} but outcomes {outcome.shape}") from None
    error = outcome[..., None] - quantiles
    return 2 * np.maximum(tau * error, (tau - 1) * error)


def drift_forecasts(windows: Windows, *, drift: bool = True, period: int = 12) -> np.ndarray:
    """Return the seasonal naive forecasts, shape (N, h): a year ago, plus what the last year added.

    Parameters
    ----------
    windows : Windows
        Whose past is read; more than a year of it.
    drift : bool, default True
        Whether the change over the last year is added.
    period : int, default 12
        Dates in a year.

    Raises
    ------
    ValueError
        If ``period`` is below 1 or the past is no longer than that.

    Examples
    --------
    >>> table = pd.DataFrame({"a": np.arange(60.0)})
    >>> windows = forecast_windows(table, [36], context=36, horizon=12)
    >>> [drift_forecasts(windows, drift=d)[0, :2].tolist() for d in (False, True)]
    [[24.0, 25.0], [36.0, 37.0]]
    """
    past, h = windows.past, windows.ahead.shape[1]
    period = check_count(period, "period", most=past.shape[1] - 1, bound="the dates of the past, less one")
    forecast = past[:, -period:][:, np.arange(h) % period]
    return forecast + (past[:, -1:] - past[:, -period - 1 : -period]) * (1 + np.arange(h) // period) * drift


def lag_visibility(lags: Iterable[int], *, context: int, horizon: int) -> np.ndarray:
    """Return which months each month ahead may hear when some lags are deleted, boolean of shape (h, C).

    A lag is counted from the month that is forecast: 12 is the same month of the year before.

    Parameters
    ----------
    lags : iterable of int
        Those to delete, at least 1; one beyond the past deletes nothing.
    context, horizon : int
        C and h.

    Returns
    -------
    ndarray of bool, shape (h, C)
        As ``keep`` of :meth:`Forecaster.forward`.

    Raises
    ------
    ValueError
        If a size or a lag is below 1.

    Examples
    --------
    >>> lag_visibility([2], context=3, horizon=2).astype(int).tolist()
    [[1, 0, 1], [1, 1, 0]]
    """
    context, horizon = check_count(context, "context"), check_count(horizon, "horizon")
    lags = [check_count(lag, "a lag") for lag in lags]
    distance = np.arange(horizon)[:, None] + context - np.arange(context)
    return ~np.isin(distance, lags)
