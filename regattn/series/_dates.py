"""Tables indexed by date: which can be lagged, what follows a date, where it stands, and where in the year.

Dates are periods, times or numbers. Periods and whole numbers follow each other in one step exactly, other numbers up
to rounding, times by the calendar.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from regattn._tables import matched, numbers
from regattn._types import Label
from regattn._validation import check_count
from regattn.series._calendar import commonest, length_of, season, time_step

__all__ = [
    "as_table",
    "check_dates",
    "check_lags",
    "check_period",
    "check_series",
    "complete",
    "following",
    "phases",
    "place_of",
    "seasons",
    "usual_period",
]

Step: TypeAlias = int | float | pd.offsets.BaseOffset | None
"""What leads from a date to the next: in units of the numbers or the periods, or an offset; None where one time is."""

PERIODS = {"years": 1, "half-years": 2, "quarters": 4, "months": 12, "weeks": 52, "business days": 5, "days": 7}
PERIODS["hours"] = 24
"""Dates in a year, or in a week of days and in a day of hours."""

OTHERS = {"hours": (12,), "weeks": (4,), "years": (4, 5, 7)}
"""Periods that are others' and yet are no mistake: half a day, a month of weeks, a cycle of so many years."""

DAYS, UP_TO_DAYS = 365.2425, 370

ROUNDED = 0.02  # numbers that are not whole, such as years to three decimals, may miss their step by this share of it


def place_of(date: Label, dates: pd.Index) -> int:
    """Return where ``date`` stands among ``dates``, or raise a ValueError that names it."""
    try:
        if isinstance(dates, pd.DatetimeIndex) and isinstance(date, str | pd.Period):
            period = pd.Period(date)  # "1990-05", in which one time may stand, or several
            where = dates.tz_localize(None).slice_indexer(period.start_time, period.end_time)
        else:
            where = dates.get_loc(date)
    except (KeyError, ValueError, TypeError, pd.errors.InvalidIndexError):
        where = slice(0)
    found = np.arange(len(dates))[where]  # a place, or the places of a year among months
    if not found.size:
        raise ValueError(f"{date!r} is not one of the {len(dates)} dates {dates[0]} to {dates[-1]}")
    if found.size > 1:
        raise ValueError(f"{date!r} names more than one of the dates {dates[0]} to {dates[-1]}")
    return int(found.item())


def check_series(series: Any, name: str, *, like: pd.DataFrame | None = None, missing: bool = False) -> pd.DataFrame:
    """Return a table of real numbers, one row per date, with every date there and every number known.

    A number may be ``missing``, as NaN, where that is said.

    Of a table ``like`` another it asks the same steps, and gives the columns in the other's order.
    """
    series = as_table(series, name)
    if not len(series) or not series.shape[1]:
        raise ValueError(f"{name} is empty: its shape is {series.shape}")
    if like is not None:
        order = matched(series.columns, like.columns, f"the columns of {name}", "those of the series")
        series = series if order is None else series.iloc[:, order]
    check_dates(series.index, name, like=None if like is None else like.index)
    return pd.DataFrame(numbers(series, name, missing=missing), index=series.index, columns=series.columns)


def as_table(series: Any, name: str) -> pd.DataFrame:
    """Return series as a table, one column each: a DataFrame as it is, a Series as its only column; or raise."""
    if isinstance(series, pd.Series):
        return series.to_frame()
    if not isinstance(series, pd.DataFrame):
        raise ValueError(
            f"{name} must be a DataFrame, one column each, or a Series, got {type(series).__name__}: "
            "its index of dates says what is next to what"
        )
    return series


def check_dates(dates: pd.Index, name: str, *, like: pd.Index | None = None) -> Step:
    """Return the step from each date to the next, or raise, naming the first that does not follow.

    Where the dates of another table are given, the step must be theirs.
    """
    values = _values(dates, name)
    back = values[1:] <= values[:-1]
    if back.any():
        first = int(np.argmax(back))
        raise ValueError(f"the dates of {name} must rise, but {dates[first + 1]} follows {dates[first]}")
    if like is not None and _kind(dates) != _kind(like):
        raise ValueError(f"{name} must be indexed by {_kind(like)} as the series, got {_kind(dates)}")
    step = None if like is None else check_dates(like, "the series")
    if isinstance(dates, pd.DatetimeIndex):
        step, broken = _time_step(dates, step)
    else:
        step, broken = _number_step(dates, values, step)
    if broken.any():
        first = int(np.argmax(broken))
        raise ValueError(
            f"the dates of {name} must be evenly spaced, but {dates[first + 1]} follows {dates[first]}: "
            f"a gap, one of {int(broken.sum())}"
        )
    return step


def following(dates: pd.Index, steps: int, *, like: pd.Index) -> pd.Index:
    """Return the dates that follow the last of ``dates``, in the steps of ``like``."""
    step = check_dates(like, "the series")
    if isinstance(dates, pd.DatetimeIndex):
        return pd.date_range(dates[-1], periods=steps + 1, freq=step, name=dates.name)[1:]
    ahead = step * np.arange(1, steps + 1)
    if isinstance(dates, pd.PeriodIndex):
        return pd.PeriodIndex.from_ordinals(dates.asi8[-1] + ahead, freq=dates.freq, name=dates.name)
    return pd.Index(dates[-1] + ahead, name=dates.name)


def seasons(dates: pd.Index, name: str) -> np.ndarray:
    """Return where in the year each of some even dates stands, from 0, in steps from date to date.

    Months, quarters and half-years are the calendar's, weeks those of ISO 8601; business days, days and hours are
    counted from New Year. Numbers have no calendar: they all stand at 0.
    """
    step = check_dates(dates, name)
    if isinstance(dates, pd.DatetimeIndex) and step is not None:
        return season(dates.tz_localize(None), step, step.n)
    if isinstance(dates, pd.PeriodIndex) and len(dates) > 1:
        middle = pd.Timedelta(days=3 * isinstance(dates.freq, pd.offsets.Week))  # of a week, which tells its number
        return season(dates.to_timestamp() + middle, dates.freq, step)
    return np.zeros(len(dates), dtype=int)


def _values(dates: pd.Index, name: str) -> np.ndarray:
    """Return dates as numbers of the same order, or raise if they are of another kind or one is missing."""
    kind = getattr(dates.dtype, "kind", "O")
    dated = isinstance(dates, pd.PeriodIndex | pd.DatetimeIndex)
    if isinstance(dates, pd.MultiIndex) or not (dated or kind in "fiu"):
        hint = "" if kind in "bcm" else "; make dates of it by pandas.PeriodIndex or pandas.to_datetime"
        raise ValueError(f"{name} must be indexed by periods, times or numbers, got an index of {dates.dtype}{hint}")
    if dates.hasnans:
        raise ValueError(f"{name} has a date that is missing, at place {int(np.argmax(dates.isna()))}")
    return dates.asi8 if dated else np.asarray(dates, dtype={"i": np.int64, "u": np.uint64}.get(kind, float))


def _kind(dates: pd.Index) -> str:
    if isinstance(dates, pd.PeriodIndex):
        return str(dates.dtype)
    return "times" if isinstance(dates, pd.DatetimeIndex) else "numbers"


def _time_step(dates: pd.DatetimeIndex, step: Step) -> tuple[Step, np.ndarray]:
    if step is None or type(step) is pd.DateOffset:  # times that stand anywhere in their months
        return time_step(dates)
    return step, (pd.date_range(dates[0], periods=len(dates), freq=step) != dates)[1:]


def _number_step(dates: pd.Index, values: np.ndarray, step: Step) -> tuple[Step, np.ndarray]:
    """Return the step between periods or numbers, and which do not follow by it, (T - 1,)."""
    if values.dtype.kind != "f":
        gaps = np.diff(values.astype(np.uint64))  # which cannot overflow, as numbers with a sign would
        if step is None and isinstance(dates, pd.PeriodIndex) and len(gaps) < 2:
            step = dates.freq.n  # two periods cannot tell another step from a gap
        step = step or (commonest(gaps) if len(gaps) else 1)
        return step, gaps != step
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(values)
        step = step or (float(np.median(gaps)) if len(gaps) else 1.0)
        rounded = 0.0 if (values == np.round(values)).all() else ROUNDED
        return step, ~(np.abs(gaps - step) <= rounded * step)


def complete(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table with a row for every date, those left out holding no number; raise where dates make no step."""
    dates = table.index
    values = _values(dates, name)
    if len(dates) < 3 or not (values[1:] > values[:-1]).all():
        check_dates(dates, name)
        return table
    if isinstance(dates, pd.DatetimeIndex):
        step, broken = _time_step(dates, None)
        whole = pd.date_range(dates[0], dates[-1], freq=step, name=dates.name) if broken.any() else dates
    elif isinstance(dates, pd.PeriodIndex):
        step, broken = _number_step(dates, values, None)
        whole = pd.PeriodIndex.from_ordinals(np.arange(values[0], values[-1] + 1, step), freq=dates.freq)
        whole.name = dates.name
    else:
        whole = dates
    if len(whole) == len(dates) or not dates.isin(whole).all():
        check_dates(dates, name)
        return table
    return table.reindex(whole)


def phases(dates: pd.Index, period: int, name: str) -> np.ndarray:
    """Return where in a period each date stands, from 0: the calendar's place where it has so many, else by counting.

    Of weeks, a year of 52 counts the 53rd as its last.
    """
    if period == 1:
        return np.zeros(len(dates), dtype=int)
    step, place = check_dates(dates, name), seasons(dates, name)
    if isinstance(dates, pd.PeriodIndex | pd.DatetimeIndex) and place.max() <= period and _in_a_year(dates) == period:
        return np.minimum(place, period - 1)
    if isinstance(dates, pd.DatetimeIndex):
        offset = step
        if isinstance(offset, pd.offsets.BusinessDay):
            days = np.asarray(dates.tz_localize(None), dtype="datetime64[D]")
            return np.busday_count(np.datetime64("1969-12-29"), days) % period  # from a Monday on
        try:
            length = length_of(offset)
        except (TypeError, ValueError):  # months differ in length
            return np.asarray(dates.tz_localize(None).to_period("M").asi8 // _months(dates) % period, dtype=int)
        return np.asarray((dates.tz_localize(None) - pd.Timestamp("1969-12-29")) // length, dtype=int) % period
    values = dates.asi8 if isinstance(dates, pd.PeriodIndex) else np.asarray(dates, dtype=float)
    return np.round(values / (step or 1)).astype(int) % period


def usual_period(dates: pd.Index, name: str) -> int:
    """Return the period that the steps of an index tell, or raise where they tell none."""
    kind = _step_kind(dates)
    if kind is None:
        told = f"is indexed by numbers ({dates[0]}, {dates[1]}, …)"
        if isinstance(dates, pd.PeriodIndex | pd.DatetimeIndex):
            told = f"has steps of no usual length ({dates[0]}, {dates[1]}, …)"
        raise ValueError(
            f"{name} {told}, which tells no period: give one, as ForecasterDesign(…, period=12), 1 where there is "
            "none, or make dates of the index by pandas.PeriodIndex"
        )
    return PERIODS[kind]


def check_period(period: int, dates: pd.Index, name: str) -> None:
    """Raise where a period is the usual one of another kind of dates than those of an index."""
    kind = _step_kind(dates)
    if kind is None or period in (1, PERIODS[kind], *OTHERS.get(kind, ())):
        return
    strange = next((other for other, usual in PERIODS.items() if usual == period and usual > 2), None)
    if strange is not None:
        raise ValueError(
            f"period {period} is that of {strange}, but the dates of {name} are {kind} ({dates[0]}, {dates[1]}, …), "
            f"whose period is {PERIODS[kind]}: leave period out, and it is taken from the dates"
        )


def _step_kind(dates: pd.Index) -> str | None:
    """Return what the dates of an index are, one of ``PERIODS``; None of numbers, and where the steps have no name."""
    if not isinstance(dates, pd.PeriodIndex | pd.DatetimeIndex) or len(dates) < 2:
        return None
    year = _in_a_year(dates)
    if year > UP_TO_DAYS:
        return "hours" if round(year / DAYS) == PERIODS["hours"] else None
    if year > 250:
        if dates.day_of_week.max() > 4:
            return "days"
        return "business days" if len(dates) > 5 else None  # so few may be either
    return {1: "years", 2: "half-years", 4: "quarters", 12: "months", 52: "weeks"}.get(year)


def _months(dates: pd.DatetimeIndex) -> int:
    return max(1, int(np.median(np.diff(dates.tz_localize(None).to_period("M").asi8)))) if len(dates) > 1 else 1


def _in_a_year(dates: pd.PeriodIndex | pd.DatetimeIndex) -> int:
    """Return how many such dates a year has, rounded: 12 months, 52 weeks, 365 days."""
    times = dates.to_timestamp() if isinstance(dates, pd.PeriodIndex) else dates
    if len(times) < 2:
        return 0
    years = (times[-1] - times[0]) / pd.Timedelta(days=365.2425) / (len(times) - 1)
    return round(1 / years)


def check_lags(max_lag: Any, lags: Any, length: int, *, least: int) -> tuple[int, ...]:
    """Return the lags that are asked for by their number or one by one, rising, or raise."""
    if (max_lag is None) == (lags is None):
        raise ValueError(f"one of max_lag and lags must be given, got max_lag={max_lag!r} and lags={lags!r}")
    bound = {"most": length - 1, "bound": "the number of dates less one"}
    if lags is None:
        return tuple(range(1, check_count(max_lag, "max_lag", least=least, **bound) + 1))
    if isinstance(lags, str) or not isinstance(lags, Iterable):
        raise ValueError(f"lags must be a list of whole numbers, got {lags!r}")
    lags = tuple(check_count(lag, "a lag", **bound) for lag in lags)
    if not lags or list(lags) != sorted(set(lags)):
        raise ValueError(f"lags must rise, and there must be one, got {list(lags)}")
    return lags
