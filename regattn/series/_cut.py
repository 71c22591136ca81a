"""Series of one's own as windows: missing dates, unequal lengths, any period, and what is known of dates ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from regattn._tables import numbers
from regattn._text import check_names
from regattn.series._dates import as_table, complete, following, phases
from regattn.series.windows import Windows

__all__ = [
    "Covariates",
    "Panel",
    "before",
    "cut",
    "in_season",
    "normalise_seen",
    "own_units",
    "read_covariates",
    "read_panel",
    "sources",
]

Covariates = pd.DataFrame | Mapping[str, pd.DataFrame]
"""A column for each covariate of all series, or a table with a column for each series under each covariate's name."""


class Panel(NamedTuple):
    """Numbers by date and series, NaN where one is missing, and where in the period each date stands."""

    values: np.ndarray
    """Shape (T, k)."""
    dates: pd.Index
    """The T dates, and as many ahead as were asked for."""
    names: list[str]
    """Of the k series."""
    phase: np.ndarray
    """One for each of the dates, those ahead too, from 0."""
    first: np.ndarray
    """The row of the first number of each series, shape (k,)."""
    last: np.ndarray
    """The row of the last number of each series, shape (k,)."""
    known: np.ndarray | None = None
    """Covariates of all dates, those ahead too, shape (T + ahead, k, c)."""


def read_panel(table: pd.DataFrame | pd.Series, *, ahead: int, period: int = 1) -> Panel:
    """Return a table as a panel with so many dates ahead, or raise where a series has fewer than two numbers."""
    table = as_table(table, "Y")
    names = check_names(table, "a series")
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise ValueError(f"series must differ in name, got {twice!r} twice")
    if not len(table) or not names:
        raise ValueError(f"Y is empty: its shape is {table.shape}")
    table = complete(pd.DataFrame(_numbers(table), table.index, names), "Y")
    values, seen = table.to_numpy(), table.notna().to_numpy()
    few = seen.sum(axis=0) < 2
    if few.any():
        place = int(np.argmax(few))
        raise ValueError(f"series {names[place]!r} has {seen[:, place].sum()} numbers; a forecast needs two at least")
    dates = table.index.append(following(table.index, ahead, like=table.index)) if ahead else table.index
    first, last = seen.argmax(axis=0), len(seen) - 1 - seen[::-1].argmax(axis=0)
    return Panel(values, dates, names, phases(dates, period, "Y"), first, last)


def _numbers(table: pd.DataFrame) -> np.ndarray:
    """Return the numbers of a table, NaN where one is missing, or raise; say what to do with dates in a column."""
    try:
        return numbers(table, "Y", missing=True)
    except ValueError as error:
        if isinstance(table.index, pd.RangeIndex) and not pd.api.types.is_numeric_dtype(table.dtypes.iloc[0]):
            name = table.columns[0]
            raise ValueError(
                f"{error}; if {name!r} holds the dates, index the table by them: Y.set_index({name!r})"
            ) from error
        raise


def before(panel: Panel, row: int) -> Panel | None:
    """Return the first rows of a panel, of the series that have two numbers there; None where none has."""
    seen = np.isfinite(panel.values[:row])
    some = seen.sum(axis=0) >= 2
    if not some.any():
        return None
    seen = seen[:, some]
    return Panel(
        panel.values[:row, some],
        panel.dates[:row],
        [name for name, there in zip(panel.names, some, strict=True) if there],
        panel.phase[:row],
        seen.argmax(axis=0),
        row - 1 - seen[::-1].argmax(axis=0),
        None if panel.known is None else panel.known[:row, some],
    )


def in_season(panel: Panel, period: int) -> Panel:
    """Return a panel that tells where in a period each date stands."""
    return panel._replace(phase=phases(panel.dates, period, "Y"))


def read_covariates(panel: Panel, covariates: Covariates | None, count: int, *, beyond: bool) -> np.ndarray | None:
    """Return covariates by date, series and name, (dates, k, count), or raise; NaN only where nothing must be known.

    With ``beyond`` the dates ahead of each series must be there.
    """
    if isinstance(covariates, pd.DataFrame | pd.Series):
        covariates = {str(name): column for name, column in as_table(covariates, "covariates").items()}
    found = 0 if covariates is None else len(covariates)
    if found != count:
        raise ValueError(f"the model has {count} covariates, got {found}")
    if covariates is None:
        return None
    rows = len(panel.dates) if beyond else len(panel.values)
    return np.stack([_covariate(panel, name, part, rows) for name, part in sorted(covariates.items())], axis=-1)


def _covariate(panel: Panel, name: str, part: pd.DataFrame | pd.Series, rows: int) -> np.ndarray:
    """Return one covariate by date and series, (dates, k)."""
    where = part.index.get_indexer(panel.dates)
    needed = np.arange(len(panel.dates)) < rows
    if (absent := needed & (where < 0)).any():
        raise ValueError(
            f"covariate {name!r} has no row for {panel.dates[int(np.argmax(absent))]}, one of {absent.sum()} dates "
            "it lacks; it must be known of the dates ahead too"
        )
    table = part.to_frame() if isinstance(part, pd.Series) else part
    if isinstance(part, pd.DataFrame):
        lacking = [each for each in panel.names if each not in table.columns]
        if lacking:
            raise ValueError(f"covariate {name!r} has no column for series {lacking[0]!r}")
        table = table[panel.names]
    values = np.where(where[:, None] < 0, 0.0, numbers(table, f"covariate {name}")[where])
    return np.broadcast_to(values, (len(values), len(panel.names)))


def cut(panel: Panel, origin: np.ndarray, series: np.ndarray, *, context: int, horizon: int) -> Windows:
    """Return windows of a panel, which may reach over its ends: NaN where a number is missing or not there yet."""
    dates = len(panel.dates)
    padded = np.pad(panel.values, ((context, horizon), (0, 0)), constant_values=np.nan)
    rows = origin[:, None] + np.arange(context + horizon)
    values = padded[rows, series[:, None]]
    known = None
    if panel.known is not None:
        known = panel.known[np.clip(rows - context, 0, dates - 1), series[:, None]]
    season = panel.phase[np.minimum(origin, dates - 1)]
    return Windows(values[:, :context], values[:, context:], series, origin, season, known)


def sources(seen: np.ndarray, *, period: int) -> np.ndarray:
    """Return from which place each place of a window is read, (N, C): its own, or, where it is missing, another.

    That is the nearest in the same season; where no year has it, the nearest of all. Of two as near, the earlier.
    """
    C = seen.shape[1]
    found = np.where(seen, np.arange(C), -1)
    rows = np.flatnonzero(~seen.all(axis=1))
    years = [period * year for year in range(1, -(-C // period))] if period > 1 else []
    for step in [*years, *range(1, C)]:
        for move in (-step, step):
            place = np.arange(C) + move
            inside = (place >= 0) & (place < C)
            usable = np.zeros((len(rows), C), dtype=bool)
            usable[:, inside] = seen[rows][:, place[inside]]
            found[rows] = np.where((found[rows] < 0) & usable, place, found[rows])
        rows = rows[(found[rows] < 0).any(axis=1)]
        if not len(rows):
            break
    return found


def normalise_seen(past: np.ndarray, *, period: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what :func:`normalise` does of windows with numbers missing, and from where each was read, (N, C).

    The level is the last number there is; the unit is taken from what there is of both kinds of differences.
    """
    seen = np.isfinite(past)
    source = sources(seen, period=period)
    filled = np.take_along_axis(past, source, axis=1)
    last = past.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
    level = past[np.arange(len(past)), last][:, None]
    yearly, single = (_mean_change(past, step) for step in (period, 1))
    yearly, single = (np.where(np.isnan(a), b, a) for a, b in ((yearly, single), (single, yearly)))
    rest = np.abs(np.diff(filled, axis=1)).mean(axis=1)  # where no two neighbours are known
    scale = np.where(np.isnan(yearly), 2 * rest, yearly + single)[:, None] + 1e-4
    return (filled - level) / scale, level, scale, source


def own_units(panel: Panel, *, period: int) -> np.ndarray:
    """Return what a unit of error is for each series, (k,): the seasonal naive error, or what stands in for it."""
    columns = panel.values.T
    found = _mean_change(columns, period)
    for other in (_mean_change(columns, 1), np.nanstd(columns, axis=1)):
        found = np.where((found > 0) & np.isfinite(found), found, other)
    return np.where((found > 0) & np.isfinite(found), found, 1.0)


def _mean_change(rows: np.ndarray, step: int) -> np.ndarray:
    """Return the mean absolute change over so many places, (N,); NaN where no two are known."""
    changes = np.abs(rows[:, step:] - rows[:, :-step])
    counted = np.isfinite(changes)
    total = np.where(counted, changes, 0.0).sum(axis=1)
    return np.divide(total, counted.sum(axis=1), out=np.full(len(rows), np.nan), where=counted.any(axis=1))
