"""A test for any forecaster: move what lies ahead, and see whether what was said before it moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from regattn._rng import Rng, numpy_generator
from regattn._validation import check_count, check_real
from regattn.series._dates import check_series, place_of
from regattn.series.evaluation import expanding_window_forecasts
from regattn.series.time_attention import autoregression

__all__ = ["future_leak", "lagged_forecaster"]


def future_leak(
    forecaster: Callable[[pd.DataFrame], Any],
    table: pd.DataFrame,
    *,
    rng: Rng,
    horizon: int = 0,
    cuts: Sequence[Any] | None = None,
    size: float = 3.0,
) -> pd.Series:
    r"""Return how far each output of a forecaster moves when what it may not know is changed.

    The output for date t may use rows up to t - h. For each cut c all rows after c are shocked, in every column, by
    normal noise; outputs up to c + h must stay where they are.

    .. math:: \text{leak}_t = \max_{c \ge t - h} \bigl| f_t(\text{table, shocked after } c) - f_t(\text{table}) \bigr|

    That nothing moves proves nothing about cuts and shocks that were not tried.

    Parameters
    ----------
    forecaster : function of a DataFrame like ``table``
        It returns a Series or a DataFrame indexed by some of the dates, or an array with an entry or a row for every
        date.
    table : DataFrame of shape (T, k), indexed by date
        All that the forecaster sees: inputs, targets, or one series. Oldest first, without gaps.
    rng : int or Generator
        Draws the shocks.
    horizon : int, default 0
        h: 0 for a filter, whose output for t may use row t; 1 for a forecast of t made one date before.
    cuts : sequence of labels of the index, optional
        By default nine, at a tenth, two tenths, … of the dates.
    size : float, default 3
        Standard deviation of the shocks, in standard deviations of each column.

    Returns
    -------
    Series
        Indexed by the dates of the outputs, in their units (of the column that moves most). Zero where nothing moved;
        NaN for dates that no cut is late enough to test.

    Raises
    ------
    ValueError
        If dates do not rise in even steps, a cut is no date or the last one, the forecaster gives different answers to
        the same table, or an output is missing or belongs to no date.

    Examples
    --------
    >>> table = pd.DataFrame({"y": [1.0, 2.0, 4.0, 3.0]})
    >>> rng = np.random.default_rng(0)
    >>> def less_its_mean(table):
    ...     return table["y"] - table["y"].mean()
    >>> def change(table):
    ...     return table["y"].diff().dropna()
    >>> float(future_leak(change, table, rng=rng).max())
    0.0
    >>> bool(future_leak(less_its_mean, table, rng=rng).max() > 0.1)
    True
    """
    table = check_series(table, "table")
    dates, horizon = table.index, check_count(horizon, "horizon", least=0)
    size = check_real(size, "size", least=0.0, strictly=True)
    places = _places(cuts, dates)
    before, where = _outputs(forecaster, table)
    again, _ = _outputs(forecaster, table)
    if not np.array_equal(before, again):
        raise ValueError(
            f"the forecaster gives different answers to the same table, by up to {np.abs(again - before).max():g}; "
            "seed it"
        )
    rng, scale = numpy_generator(rng), table.std().to_numpy()
    scale = np.where(scale > 0, scale, 1.0)
    leak = np.full(len(where), np.nan)
    for cut in places:
        shocked = table.copy()
        shocked.iloc[cut + 1 :] += size * scale * rng.standard_normal((len(table) - cut - 1, table.shape[1]))
        after, there = _outputs(forecaster, shocked)
        if not np.array_equal(there, where):
            raise ValueError(f"the forecaster answers for other dates once what lies after {dates[cut]} is changed")
        early = where <= cut + horizon
        moved = np.abs(after - before).max(axis=1)
        leak[early] = np.fmax(leak[early], moved[early])
    return pd.Series(leak, index=dates[where], name="leak")


def lagged_forecaster(
    model: BaseEstimator | Callable[..., BaseEstimator],
    *,
    max_lag: int = 1,
    start: int | None = None,
    refit_every: int = 1,
) -> Callable[[pd.DataFrame], pd.Series]:
    """Return a function that predicts the first column of a table from lags of all, as :func:`future_leak` takes it.

    Parameters
    ----------
    model : scikit-learn regressor, or function of X and y that returns one
        Of the lags, a DataFrame of shape (T - max_lag, k × max_lag), and the values of the first column. A function is
        called once with *all* dates, as when a penalty is chosen, or inputs are scaled, before forecasts are made in
        order.
    max_lag : int, default 1
        Lags p of every column.
    start : int, optional
        The first row of X to forecast, from then on in order, each date from a fit to rows before it. By default the
        model is fitted once, to all dates, and the values are fitted ones.
    refit_every : int, default 1
        Dates between two fits, where forecasts are made in order.

    Returns
    -------
    function of a DataFrame
        It returns a Series indexed by date, in units of the first column.

    Raises
    ------
    ValueError
        By the function: if the table has a gap or too few dates, or ``start`` leaves nothing to fit or to forecast.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> table = pd.DataFrame({"y": [1.0, 2.0, 4.0, 3.0, 5.0, 4.0]})
    >>> for start in (None, 3):
    ...     forecaster = lagged_forecaster(LinearRegression(), start=start)
    ...     leak = future_leak(forecaster, table, rng=np.random.default_rng(0), horizon=1)
    ...     print(bool(leak.max() > 0.1))
    True
    False
    """

    def forecasts(table: pd.DataFrame) -> pd.Series:
        lagged = autoregression(table, max_lag=max_lag)
        X, y = lagged.past, lagged.present.iloc[:, 0]
        fitted = model if hasattr(model, "fit") else model(X, y.to_numpy())
        if start is None:
            return pd.Series(clone(fitted).fit(X, y).predict(X), y.index)
        return expanding_window_forecasts(fitted, X, y, start=start, refit_every=refit_every)

    return forecasts


def _places(cuts: Sequence[Any] | None, dates: pd.Index) -> list[int]:
    """Return where the cuts stand; none may be the last date, which has nothing ahead."""
    if len(dates) < 2:
        raise ValueError(f"table has {len(dates)} date, so that nothing lies ahead of any")
    if cuts is None:
        return sorted({max(0, min(len(dates) - 2, len(dates) * tenth // 10 - 1)) for tenth in range(1, 10)})
    if isinstance(cuts, str) or not len(cuts):
        raise ValueError(f"cuts must be a list of dates, got {cuts!r}")
    places = [place_of(cut, dates) for cut in cuts]
    if max(places) == len(dates) - 1:
        raise ValueError(f"nothing lies ahead of the last date, {dates[-1]}; cut earlier")
    return places


def _outputs(forecaster: Callable[[pd.DataFrame], Any], table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the outputs, (m, d), and the places of their dates, (m,)."""
    found = forecaster(table.copy())
    if isinstance(found, pd.Series | pd.DataFrame):
        places, values = table.index.get_indexer(found.index), found.to_numpy(dtype=float)
        if (places < 0).any():
            raise ValueError(f"the forecaster answers for {found.index[int(np.argmax(places < 0))]}, not in the table")
    else:
        values = np.asarray(found, dtype=float)
        if not values.ndim or len(values) != len(table):
            raise ValueError(
                f"the forecaster returns an array of shape {values.shape}, need a row for each of {len(table)} dates"
            )
        places = np.arange(len(table))
    if not values.size:
        raise ValueError(f"the forecaster returns nothing: a result of shape {values.shape}")
    values = values.reshape(len(values), -1)
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        raise ValueError(f"the forecaster's output for {table.index[places[int(np.argmax(bad))]]} is not finite")
    return values, places
