"""What the columns of a file are for, as it was said or, where nothing was said, as they look."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from regattn._delimited import Sheet, is_date

if TYPE_CHECKING:
    import argparse

__all__ = ["Roles", "UsageError", "roles", "some"]

KINDS = 12  # different texts that are kinds
ROWS = {"id", "index", "row", "nr", "no", "#", "unnamed: 0"}  # names of columns that number the rows
MOSTLY = 0.5  # share of the cells that makes a column one of numbers, the others being slips
DATED = 0.8  # share of the cells that makes a column one of dates


class UsageError(ValueError):
    """What was asked cannot be done."""


class Roles(NamedTuple):
    """Names of columns: dates that name the rows, predictors, and which of these hold kinds."""

    date: str | None
    predictors: list[str]
    kinds: list[str]


def roles(sheet: Sheet, given: argparse.Namespace) -> Roles:
    """Return what each column is for, and note what was guessed; raise if a column that was named is not there."""
    named = [name.strip() for name in given.categories.split(",") if name.strip()]
    chosen = None if given.predictors is None else [name.strip() for name in given.predictors.split(",")]
    asked = None if given.date in (None, "none") else given.date
    if given.target is None:
        names = list(sheet.cells.columns)
        last = next((name for name in reversed(names) if sheet.parsed(name)[1] is None), names[-1])
        raise UsageError(
            f"--target is missing, the column to be predicted; {sheet.file} has {some(list(map(repr, names)), 20)}. "
            f"As in:\n  regattn report {_quoted(sheet.file)} --target {_quoted(last)}"
        )
    for name in [given.target, *([asked] if asked else []), *(chosen or []), *named]:
        _check_known(sheet, name)
    taken = {given.target, *(chosen or []), *named}
    date = asked or (None if given.date == "none" else _date(sheet, taken))
    if date is not None and date != asked:
        sheet.notes.append(f"{date} holds dates, which name the rows.")
    if chosen is not None:
        plain = [name for name in chosen if name not in named and not _is_dated(sheet, name)]
        texts = [name for name in plain if _is_text(sheet, name) and _few(sheet, name)]
        return Roles(date, [name for name in chosen if name != given.target], [*named, *texts])
    return Roles(date, *_predictors(sheet, {given.target, date}, named))


def _predictors(sheet: Sheet, taken: set[str | None], named: list[str]) -> tuple[list[str], list[str]]:
    """Return all columns that can be predicted from, and those of them that hold kinds; note what is left out."""
    rest = [name for name in sheet.cells.columns if name not in taken]
    empty = [name for name in rest if sheet.texts(name).isna().all()]
    texts = [name for name in rest if name not in empty and name not in named and _is_text(sheet, name)]
    many = [name for name in texts if not _few(sheet, name)]
    if empty:
        sheet.notes.append(f"Empty, and so left out: {some(empty)}.")
    if many:
        sheet.notes.append(f"Left out, as more than {KINDS} different texts: {some(many)}; --categories takes them in.")
    counts = [name for name in rest if name.lower() in ROWS and _counts(sheet, name)]
    if counts:
        sheet.notes.append(f"Left out, as it numbers the rows: {some(counts)}.")
    left = [name for name in rest if name not in [*empty, *many, *counts]]
    return left, [*named, *(name for name in texts if name in left)]


def _date(sheet: Sheet, taken: set[str]) -> str | None:
    """Return the first column whose cells are dates and no numbers, or None."""
    return next((name for name in sheet.cells.columns if name not in taken and _is_dated(sheet, name)), None)


def _is_dated(sheet: Sheet, name: str) -> bool:
    """Return whether a column's cells are dates, and no numbers."""
    look = sheet.texts(name).dropna().iloc[:200]
    return len(look) > 0 and _is_text(sheet, name) and sum(map(is_date, look)) >= DATED * len(look)


def _is_text(sheet: Sheet, name: str) -> bool:
    """Return whether fewer than half of a column's cells are numbers."""
    values, strange = sheet.parsed(name)
    filled = int(sheet.texts(name).notna().sum())
    return strange is not None and int(np.isfinite(values).sum()) < MOSTLY * filled


def _counts(sheet: Sheet, name: str) -> bool:
    """Return whether a column does nothing but number the rows."""
    values = sheet.parsed(name)[0]
    return bool((values == values[0] + np.arange(len(values))).all())


def _few(sheet: Sheet, name: str) -> bool:
    return sheet.texts(name).nunique() <= KINDS


def _check_known(sheet: Sheet, name: str) -> None:
    known = list(sheet.cells.columns)
    if name in known:
        return
    near = [each for each in known if name.lower() in each.lower()] or get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"{sheet.file} has no column {name!r}; {_known(sheet)}{hint}")


def _known(sheet: Sheet) -> str:
    return f"it has {some([repr(name) for name in sheet.cells.columns], 20)}"


def _quoted(word: str) -> str:
    return word if word.replace("_", "a").replace(".", "a").replace("/", "a").isalnum() else f'"{word}"'


def some(names: list[str], most: int = 8) -> str:
    """Return names in a row, the first few where there are many, long ones cut."""
    shown = [name if len(name) <= 40 else f"{name[:39]}…" for name in map(str, names[:most])]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown) + more
