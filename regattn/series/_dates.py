"""Tables indexed by date: which can be lagged, and where a date stands in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from regattn._types import Label

__all__ = ["check_dates", "check_series", "check_whole", "following", "place_of"]

UNEVEN = 0.5  # steps between dates may differ by less than half of the usual step: months have 28 to 31 days


def place_of(date: Label, dates: pd.Index) -> int:
    """Return where ``date`` stands among ``dates``, or raise a ValueError that names it."""
    try:
        place = dates.get_loc(date)
    except (KeyError, ValueError, TypeError, pd.errors.InvalidIndexError) as error:
        raise ValueError(f"{date!r} is not one of the {len(dates)} dates {dates[0]} to {dates[-1]}") from error
    if not isinstance(place, int):  # a year among quarters
        raise ValueError(f"{date!r} names more than one of the dates {dates[0]} to {dates[-1]}")
    return place


def check_series(series: Any, name: str) -> pd.DataFrame:
    """Return a table of real numbers, one row per date, with every date there and every number known."""
    if not isinstance(series, pd.DataFrame):
        raise ValueError(f"{name} must be a DataFrame, one column each, got {type(series).__name__}")
    if not len(series) or not series.shape[1]:
        raise ValueError(f"{name} is empty: its shape is {series.shape}")
    check_dates(series.index, name)
    odd = next((column for column, kind in series.dtypes.items() if kind.kind not in "fiub"), None)
    if odd is not None:
        raise ValueError(f"{name} must hold real numbers, got dtype {series.dtypes[odd]} in column {odd!r}")
    check_whole(series, name)
    return series.astype(float)


def check_whole(table: pd.DataFrame, name: str) -> None:
    """Raise if a number is missing or infinite, naming its date and column."""
    bad = ~np.isfinite(table.to_numpy(dtype=float))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        value = table.iloc[row, column]
        raise ValueError(
            f"{name} must be finite, got {value} in column {table.columns[column]!r} at {table.index[row]}"
        )


def check_dates(dates: pd.Index, name: str) -> None:
    """Raise unless the dates follow each other in even steps, naming the first that does not."""
    if isinstance(dates, pd.MultiIndex) or (
        not isinstance(dates, pd.PeriodIndex | pd.DatetimeIndex) and dates.dtype.kind not in "fiu"
    ):
        raise ValueError(f"{name} must be indexed by periods, times or numbers, got an index of {dates.dtype}")
    if dates.hasnans:
        raise ValueError(f"{name} has a date that is missing, at place {int(np.argmax(dates.isna()))}")
    # in floats, so that a step between far dates cannot overflow
    places = np.asarray(dates.asi8 if hasattr(dates, "asi8") else dates, dtype=float)
    gaps = np.diff(places)
    if not len(gaps):
        return
    back = int(np.argmax(gaps <= 0))
    if gaps[back] <= 0:
        raise ValueError(f"the dates of {name} must rise, but {dates[back + 1]} follows {dates[back]}")
    step = np.median(gaps)
    uneven = np.abs(gaps - step) > UNEVEN * step
    if uneven.any():
        first = int(np.argmax(uneven))
        raise ValueError(
            f"the dates of {name} must be evenly spaced, but {dates[first + 1]} follows {dates[first]}: "
            f"a gap, one of {int(uneven.sum())}"
        )


def following(dates: pd.Index, steps: int) -> pd.Index:
    """Return an index for the dates that follow: periods, or how many steps ahead."""
    if isinstance(dates, pd.PeriodIndex):
        return pd.period_range(dates[-1] + 1, periods=steps, name=dates.name)
    return pd.RangeIndex(1, steps + 1, name="steps ahead")
