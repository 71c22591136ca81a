"""How many lags: scores of autoregressions of every order, by a criterion or by forecasts made in order."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regattn._types import Label
from regattn._validation import check_count
from regattn.series._dates import check_series, place_of
from regattn.series.expanding import expanding_least_squares
from regattn.series.lags import lag_matrix

__all__ = ["lag_scores"]


def lag_scores(
    series: pd.DataFrame | pd.Series,
    *,
    most: int,
    by: str = "aic",
    start: Label | None = None,
    horizon: int = 1,
) -> pd.Series:
    r"""Return a score of the autoregression of each order up to ``most``, smaller being better.

    .. math:: \text{AIC} = n \log\det\hat\Sigma + 2k(kp + 1)

    All orders are fitted to the same dates, those with ``most`` dates before them, so that scores can be compared. For
    one series the differences of AIC are those of statsmodels' ``ar_select_order``, for several those of ``VAR``.

    Parameters
    ----------
    series : DataFrame of shape (T, k), or a Series, indexed by date
        As in :func:`autoregression`.
    most : int
        The highest order p.
    by : {"aic", "windows"}, default "aic"
        By Akaike's criterion, or by the mean squared error of forecasts from ``start`` on, each from a fit to what was
        known before, in units of each series' variance.
    start : int or date, optional
        The first date to forecast by expanding windows; by default two thirds of the way.
    horizon : int, default 1
        Steps ahead of these forecasts, each of the regression of the value then on what was known now.

    Returns
    -------
    Series
        Indexed by the orders 1 to ``most``; ``idxmin()`` is the order chosen.

    Raises
    ------
    ValueError
        If there are too few dates for the highest order, ``by`` is neither, or ``start`` leaves too few before it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> series = pd.Series(rng.normal(size=200).cumsum())
    >>> int(lag_scores(series, most=4).idxmin())
    1
    """
    table = check_series(series, "series")
    T, k = table.shape
    most = check_count(most, "most")
    if (rows := T - most) <= k * most + 1:
        raise ValueError(f"most {most} leaves {max(rows, 0)} of {T} dates for {k * most + 1} coefficients")
    if by not in ("aic", "windows"):
        raise ValueError(f"by must be aic or windows, got {by!r}")
    horizon = check_count(horizon, "horizon")
    lagged = lag_matrix(table.set_axis(range(k), axis=1), max_lag=most + horizon - 1)
    Y, orders = lagged.iloc[:, :k], range(1, most + 1)
    pasts = {p: lagged.iloc[:, k * horizon : k * (horizon + p)] for p in orders}
    if by == "aic":
        if start is not None or horizon != 1:
            raise ValueError(f"start and horizon are for by='windows', got {start!r} and {horizon}")
        found = [_aic(past.to_numpy(), Y.to_numpy()) for past in pasts.values()]
    else:
        place = len(lagged) * 2 // 3 if start is None else _place(start, lagged.index, T - len(lagged))
        found = [_missed(past, Y, place, horizon) for past in pasts.values()]
    return pd.Series(found, index=pd.Index(orders, name="lags"), name=by)


def _aic(past: np.ndarray, Y: np.ndarray) -> float:
    design = np.column_stack([np.ones(len(Y)), past])
    errors = Y - design @ np.linalg.lstsq(design, Y, rcond=None)[0]
    return float(len(Y) * np.linalg.slogdet(errors.T @ errors / len(Y))[1] + 2 * design.shape[1] * Y.shape[1])


def _place(start: Label, dates: pd.Index, dropped: int) -> int:
    """Return the row of a date, or of a place in the whole series, among those with a full past."""
    if isinstance(start, str | pd.Period | pd.Timestamp):
        return place_of(start, dates)
    return check_count(start, "start", least=dropped) - dropped


def _missed(past: pd.DataFrame, Y: pd.DataFrame, start: int, horizon: int) -> float:
    """Return the mean squared error of forecasts made in order, in units of each series' variance."""
    X, found = past.to_numpy(), []
    for column in Y:
        y = Y[column].to_numpy()
        forecasts = expanding_least_squares(X, y, start=start, horizon=horizon).forecasts
        found.append(np.mean((y[start:] - forecasts) ** 2) / y.var())
    return float(np.mean(found))
