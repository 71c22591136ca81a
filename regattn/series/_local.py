"""An autoregression of each series alone: what a model that learns from all of them is measured against."""

from __future__ import annotations

import numpy as np
import pandas as pd

from regattn.series.expanding import expanding_least_squares
from regattn.series.lags import lag_matrix
from regattn.series.windows import Windows

__all__ = ["local_forecasts"]


def local_forecasts(table: pd.DataFrame, windows: Windows, *, max_lag: int = 13, period: int = 12) -> np.ndarray:
    """Return forecasts of an autoregression of each series alone, fitted anew before every origin, shape (N, h).

    Of the changes over a year, or of the series itself, with a constant; each forecast is fed back for the next.

    Parameters
    ----------
    table : DataFrame
        The one the windows were cut from: a fit uses all rows before its origin.
    windows : Windows
        Where to forecast.
    max_lag : int, default 13
        Lags of the autoregression.
    period : int, default 12
        Over how many dates changes are taken; 0 for none.

    Examples
    --------
    >>> from regattn.series import forecast_windows
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"a": rng.normal(size=90).cumsum()})
    >>> windows = forecast_windows(table, [80], context=36, horizon=2)
    >>> local_forecasts(table, windows, max_lag=1).shape
    (1, 2)
    """
    found, h = np.empty(windows.ahead.shape), windows.ahead.shape[1]
    start = int(windows.origin.min())
    for place, column in enumerate(table):
        levels = table[[column]].reset_index(drop=True)
        rows = lag_matrix(levels.diff(period).iloc[period:] if period else levels, max_lag=max_lag)
        fit = expanding_least_squares(rows.iloc[:, 1:], rows.iloc[:, 0], start=start)
        for row in np.flatnonzero(windows.series == place):
            origin = windows.origin[row]
            known = list(rows.loc[origin - 1].to_numpy()[:max_lag][::-1])  # the last changes, oldest first
            coef, constant = fit.coef.loc[origin].to_numpy(), fit.intercept.loc[origin]
            path = list(levels[column].to_numpy()[:origin])
            for _ in range(h):
                known.append(constant + coef @ known[: -max_lag - 1 : -1])
                path.append(known[-1] + (path[-period] if period else 0))
            found[row] = path[-h:]
    return found
