"""Times in the calendar: the step that leads from one to the next, and where in the year each of them stands."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

__all__ = ["commonest", "season", "time_step"]

CLOCKS = 0.15  # times that no calendar explains may miss their step by this share of it
MONTH = 30.436875  # days


def time_step(times: pd.DatetimeIndex) -> tuple[pd.offsets.BaseOffset | None, np.ndarray]:
    """Return the offset from each rising time to the next, and which of the times do not follow by it, (T - 1,).

    That is the offset which the times have or show exactly, such as business days; else months, weeks, days or business
    days that follow each other, wherever in them the times stand; else a length of time, up to a seventh of it.
    """
    offset = times.freq if times.freq is not None else _shown(times)
    if offset is not None or len(times) < 2:
        return offset, np.zeros(len(times) - 1, dtype=bool)
    return min(_supposed(times), key=lambda found: found[1].sum())


def season(times: pd.DatetimeIndex, offset: pd.offsets.BaseOffset, steps: int) -> np.ndarray:
    """Return where in the year each time stands, from 0, counted in ``steps`` of the kind that ``offset`` is of."""
    if isinstance(offset, pd.offsets.Week):
        return (times.isocalendar().week.to_numpy(dtype=int) - 1) // steps
    new_year = times.to_period("Y").to_timestamp()
    if isinstance(offset, pd.offsets.BusinessDay):
        return np.busday_count(*(np.asarray(day, dtype="datetime64[D]") for day in (new_year, times))) // steps
    try:
        length = length_of(offset) * (steps / offset.n)
    except ValueError:  # months differ in length
        months = round((times[-1] - times[0]) / pd.Timedelta(days=MONTH) / (len(times) - 1))
        return (times.month.to_numpy(dtype=int) - 1) // max(1, months)
    return np.asarray((times - new_year) // length, dtype=int)


def length_of(offset: pd.offsets.BaseOffset) -> pd.Timedelta:
    """Return how long a step is, or raise a ValueError where steps differ in length; pandas 3.0 does so for days."""
    return pd.Timedelta(days=offset.n) if isinstance(offset, pd.offsets.Day) else pd.Timedelta(offset)


def commonest(gaps: np.ndarray) -> int:
    """Return the gap that occurs most often, the least of several."""
    found, counts = np.unique(gaps, return_counts=True)
    return int(found[counts.argmax()])


def _shown(times: pd.DatetimeIndex) -> pd.offsets.BaseOffset | None:
    """Return an offset that makes every time from the first, or None."""
    if len(times) < 3:  # any two may be a month apart, or so many days
        months = [pd.DateOffset(months=gap) for gap in np.diff(_places(times, "M")) if gap]
        return next((offset for offset in months if times[0] + offset == times[1]), None)
    with warnings.catch_warnings():  # of what pandas will return in its next version
        warnings.simplefilter("ignore")
        offset = pd.infer_freq(times)
    if offset is None:
        return None
    made = pd.date_range(times[0], periods=len(times), freq=to_offset(offset))
    return to_offset(offset) if (made == times).all() else None  # pandas skips months of third Fridays


def _supposed(times: pd.DatetimeIndex) -> Iterator[tuple[pd.offsets.BaseOffset, np.ndarray]]:
    """Yield offsets that the times may be meant to follow, and which of the times do not."""
    months = np.diff(_places(times, "M"))
    step = commonest(months)
    if months.all() and (12 % step == 0 or step % 12 == 0):
        yield pd.DateOffset(months=step, day=int(times.day.max())), months != step
    for freq, offset in (("W", pd.offsets.Week()), ("D", pd.offsets.Day())):
        gaps = np.diff(_places(times, freq))
        if gaps.all():
            yield offset, gaps != 1
    if times.day_of_week.max() < 5:
        gaps = np.diff(np.busday_count("1600-01-03", np.asarray(times.tz_localize(None), dtype="datetime64[D]")))
        yield pd.offsets.BusinessDay(), gaps != 1
    gaps = np.diff(times.asi8).astype(float)
    length = float(np.median(gaps))
    yield to_offset(pd.Timedelta(int(length), unit=times.unit)), np.abs(gaps - length) > CLOCKS * length


def _places(times: pd.DatetimeIndex, freq: str) -> np.ndarray:
    return times.tz_localize(None).to_period(freq).asi8
