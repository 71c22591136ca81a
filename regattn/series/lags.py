"""Regressions on a series' own past: lags as columns, quarters as rows."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from regattn._tables import numbers
from regattn._text import check_names
from regattn.series._dates import as_table, check_dates, check_lags

__all__ = ["lag_matrix"]


def lag_matrix(
    series: pd.DataFrame | pd.Series, *, max_lag: int | None = None, lags: Iterable[int] | None = None
) -> pd.DataFrame:
    """Return each series now and at ``max_lag`` dates before, a column each; dates without a full past drop out.

    Or at chosen ``lags`` alone, as [1, 12].

    Parameters
    ----------
    series : DataFrame of shape (T, k), or a Series, indexed by date
        The series, oldest first, without gaps in the index; a number may be missing.
    max_lag : int, optional
        Number of lags, at least 0, as in :func:`autoregression`; 0 leaves the present alone.
    lags : iterable of int, optional
        In place of ``max_lag``: which lags, rising, at least 1 each.

    Returns
    -------
    DataFrame of shape (T - max_lag, k * (max_lag + 1))
        Columns named "inflation", "inflation, 1 back", … in the units of the series, all series at one lag together.

    Raises
    ------
    ValueError
        If ``series`` is neither or does not hold numbers, its dates are not in order or one is left out, ``max_lag``
        or a lag is not a whole number between 0 and T - 1, lags do not rise, both or neither are given, two columns
        would have one name, or a name holds half of a surrogate pair.

    Examples
    --------
    >>> lag_matrix(pd.DataFrame({"x": [1.0, 2.0, 4.0]}), max_lag=1)
         x  x, 1 back
    1  2.0        1.0
    2  4.0        2.0
    """
    series = as_table(series, "series")
    check_dates(series.index, "series")
    lags = check_lags(max_lag, lags, len(series), least=0)
    backs, labels = (0, *lags), check_names(series, "a column")
    names = [f"{name}, {back} back" if back else name for back in backs for name in labels]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f"columns must differ in name, got {twice!r} twice")
    series = pd.DataFrame(numbers(series, "series", missing=True), series.index, series.columns)
    shifted = (series[name].shift(back) for back in backs for name in series)
    columns = dict(zip(names, shifted, strict=True))
    return pd.DataFrame(columns).iloc[backs[-1] :].dropna()
