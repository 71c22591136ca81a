"""Tables in text files as people have them: pandas reads the cells, and this says what they mean and where they stand.

A trouble is named with file, line and column. Lines are those of the file, also where a quoted cell holds several.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from regattn._months import in_english

if TYPE_CHECKING:
    from pandas import DataFrame, DatetimeIndex, Series

__all__ = ["DataError", "Sheet", "counted", "is_date", "read_delimited"]

MOST_COLUMNS = 20_000  # which take some minutes
LARGEST = 1e150  # of numbers, whose squares and their sums are still numbers
DELIMITERS = "\t;|,"  # the first of those that cut every line alike: a comma may be part of a number
NOTHING = {"", "-", "–", "—", ".", "..", "?", "na", "n/a", "#n/a", "nan", "null", "none"}
SPACES = " \u00a0\u202f'’"  # signs between thousands, besides the one that is no decimal sign
DATES = {
    "year-month-day": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"],
    "year and month": ["%Y-%m", "%Y/%m", "%YM%m", "%b %Y", "%b-%Y", "%b-%y", "%b %y", "%B %Y", "%m/%Y"],
    "year": ["%Y"],
    "day.month.year": ["%d.%m.%Y", "%d.%m.%y", "%d %b %Y", "%d %B %Y"],
    "day/month/year": ["%d/%m/%Y", "%d-%m-%Y"],
    "month/day/year": ["%m/%d/%Y", "%m-%d-%Y"],
}
DATED = "it looks like a date; name it in --date"
QUARTER = r"(\d{4})[- :]?[Qq]?([1-4])"
QUARTER_FIRST = r"[Qq]([1-4])[- /]?(\d{4})"


class DataError(ValueError):
    """What is wrong with a file, and where."""


@dataclass
class Sheet:
    """The cells of a file as texts under their names, the line each row stands in, and what had to be guessed."""

    file: str
    cells: DataFrame
    lines: list[int]
    decimal: str
    notes: list[str] = field(default_factory=list)

    def error(self, row: int, column: str, what: str) -> DataError:
        """Return the error that names a place."""
        return DataError(f"{self.file}, line {self.lines[row]}, column {column}: {what}")

    def numbers(self, column: str) -> np.ndarray:
        """Return a column as numbers, NaN where nothing stands, or raise for the first cell that is none."""
        values, strange = self.parsed(column)
        if strange is not None:
            cell = self.cells[column].iloc[strange]
            if not np.isnan(values[strange]):
                raise self.error(strange, column, f"{cell!r} is too large to be squared; change its units")
            other = "." if self.decimal == "," else ","
            hint = f"; the decimal sign was taken to be {self.decimal!r}, see --decimal" if other in cell else ""
            hint = f"; {DATED}" if is_date(cell.strip()) else hint
            raise self.error(strange, column, f"{cell!r} is not a number{hint}")
        return values

    def parsed(self, column: str) -> tuple[np.ndarray, int | None]:
        """Return a column as numbers, and the row of the first cell that is no number."""
        cells = self.cells[column].str.strip()
        missing = cells.str.lower().isin(NOTHING).to_numpy(dtype=bool)
        apart = re.escape(SPACES + ("." if self.decimal == "," else ","))
        whole, sign = rf"(?:\d+|\d{{1,3}}(?:[{apart}]\d{{3}})+)", re.escape(self.decimal)
        number = rf"[-+−]?(?:{whole}(?:{sign}\d*)?|{sign}\d+)(?:[eE][-+]?\d+)?"
        good = cells.str.fullmatch(number, flags=re.ASCII).to_numpy(dtype=bool)
        plain = cells.str.replace(f"[{apart}]", "", regex=True).str.replace(self.decimal, ".").str.replace("−", "-")
        values = np.array([float(cell) if read else np.nan for cell, read in zip(plain, good, strict=True)])
        strange = ~good & ~missing | good & ~(np.abs(values) < LARGEST)
        return values, int(strange.argmax()) if strange.any() else None

    def texts(self, column: str) -> Series:
        """Return a column as names of categories, None where nothing stands."""
        cells = self.cells[column].str.strip()
        return cells.where(~cells.str.lower().isin(NOTHING), None)

    def dates(self, column: str, form: str | None = None) -> DatetimeIndex:
        """Return a column as dates, or raise for the first cell that does not fit what most others are."""
        import pandas as pd

        cells = self.cells[column].str.strip().map(in_english)
        cells = cells.str.replace(rf"^{QUARTER_FIRST}$", r"\2Q\1", regex=True)
        quarters = cells.str.fullmatch(QUARTER)
        if form is None and quarters.all():
            parts = cells.str.extract(f"^{QUARTER}$").astype(int)
            return pd.DatetimeIndex(pd.to_datetime({"year": parts[0], "month": 3 * parts[1] - 2, "day": 1}))
        forms = {"--date-format": [form]} if form else DATES
        read = {each: pd.to_datetime(cells, format=each, errors="coerce") for kind in forms.values() for each in kind}
        best = max(read, key=lambda each: int(read[each].notna().sum()))
        if (missing := read[best].isna()).any():
            place = int(missing.argmax())
            cell, good = (self.cells[column].iloc[k] for k in (place, int((~missing).argmax())))
            like = f", as {good!r} is in line {self.lines[int((~missing).argmax())]}" if (~missing).any() else ""
            raise self.error(place, column, f"{cell!r} is not a date{like}; see --date-format")
        fits = {kind: each for kind, some in forms.items() for each in some if read[each].notna().all()}
        if {"day/month/year", "month/day/year"} <= set(fits):
            one, other = (fits[kind] for kind in ("day/month/year", "month/day/year"))
            if not read[one].equals(read[other]):
                raise self.error(0, column, f"{cells.iloc[0]!r} may be {one} or {other}; say which by --date-format")
        return pd.DatetimeIndex(read[best])


def read_delimited(
    path: str,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    dates: str | None = None,
    missing: Collection[str] = (),
) -> Sheet:
    """Return the cells of a file; what is not said is found out. The column of ``dates`` tells of no decimal sign.

    Cells that say one of ``missing`` count as empty.

    Raises
    ------
    DataError
        If the file is no such table; the message names file, line and column.
    OSError
        If it cannot be read.
    """
    notes: list[str] = []
    text = _decoded(Path(path).read_bytes(), path, notes)
    delimiter = delimiter or _delimiter(text)
    records, lines = _cells(text, delimiter, path)
    if records.shape[1] > MOST_COLUMNS:
        raise DataError(f"{path} has {records.shape[1]:,} columns, and up to {MOST_COLUMNS:,} are read; leave some out")
    names = _names(records, lines, path, header, notes)
    first = 0 if names is None else 1
    if names is None:
        names = [str(k + 1) for k in range(records.shape[1])]
    kept = [k for k, name in enumerate(names) if name or (records.iloc[first:, k].str.strip() != "").any()]
    table = records.iloc[first:, kept].set_axis([names[k] or f"column {k + 1}" for k in kept], axis=1)
    _check_names(list(table.columns), kept, path, lines[0])
    if not len(table):
        raise DataError(f"{path}: there is no row below the names in line {lines[0]}")
    if missing:
        table = table.apply(lambda cells: cells.mask(cells.str.strip().isin(missing), ""))
    sheet = Sheet(path, table.reset_index(drop=True), lines[first:], decimal or ".", notes)
    if decimal is None:
        sheet.decimal = _decimal(sheet, delimiter, dates)
    return sheet


def counted(n: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def is_date(cell: str) -> bool:
    """Return whether a cell that is no number has one of the forms of dates."""
    cell = in_english(cell.strip())
    for form in [each for some in DATES.values() for each in some]:
        try:
            datetime.strptime(cell, form)
        except ValueError:
            continue
        return True
    return re.fullmatch(f"{QUARTER}|{QUARTER_FIRST}", cell) is not None


def _decoded(content: bytes, path: str, notes: list[str]) -> str:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
        notes.append("The file is not in UTF-8; it was read as Windows-1252.")
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise DataError(f"{path}, line {line}: a null character; this is no text file")
    if not text.strip():
        raise DataError(f"{path} is empty")
    return text


def _delimiter(text: str) -> str:
    """Return the sign that cuts the first lines into equally many cells, or that cuts most of them alike."""
    start = text[:100_000]
    found = {}
    for sign in DELIMITERS:
        rows = [
            row for row, _ in zip(csv.reader(io.StringIO(start, newline=""), delimiter=sign), range(50), strict=False)
        ]
        counts = Counter(len(row) for row in rows if any(cell.strip() for cell in row))
        size, times = counts.most_common(1)[0] if counts else (1, 0)
        found[sign] = (size > 1) * times / max(1, counts.total())
    best = max(found.values())
    return next(sign for sign in DELIMITERS if found[sign] == best) if best else ","


def _cells(text: str, delimiter: str, path: str) -> tuple[DataFrame, list[int]]:
    """Return all cells as texts, and the line in which each row begins; rows without a cell are left out."""
    import pandas as pd

    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    begins, sizes, last = [], [], 0
    try:
        for row in reader:
            begins.append(last + 1)
            sizes.append(len(row))
            last = reader.line_num
        wide = next((size for size in sizes if size), 0)
        odd = [i for i, size in enumerate(sizes) if size not in (0, wide)]
        if odd:
            at, size = begins[odd[0]], sizes[odd[0]]
            raise DataError(f"{path}, line {at}: {counted(size, 'cell')}, but the first line has {wide}")
        as_text = {"dtype": str, "na_filter": False, "skip_blank_lines": False, "index_col": False}
        records = pd.read_csv(io.StringIO(text, newline=""), sep=delimiter, names=range(wide), **as_text)
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from None
    except pd.errors.EmptyDataError:
        raise DataError(f"{path} is empty") from None
    except pd.errors.ParserError as error:
        row = re.search(r"inside string starting at row (\d+)", str(error))
        place = f", line {begins[min(int(row[1]), len(begins) - 1)]}" if row else ""
        what = "a quotation mark is opened and not closed" if row else str(error)
        raise DataError(f"{path}{place}: {what}") from None
    if len(records) != len(begins):
        raise DataError(f"{path}: a quotation mark stands inside a cell; lines cannot be told apart")
    records = records.fillna("").astype(object)
    filled = (records.map(str.strip) != "").any(axis=1).to_numpy()
    if not filled.any():
        raise DataError(f"{path} is empty")
    return records[filled].reset_index(drop=True), [line for line, kept in zip(begins, filled, strict=True) if kept]


def _names(records: DataFrame, lines: list[int], path: str, header: bool | None, notes: list[str]) -> list[str] | None:
    """Return the names in the first row, or None if it has none."""
    first = [cell.strip() for cell in records.iloc[0]]
    if header is None:
        sheet = Sheet(path, records.iloc[:1], lines[:1], ".")
        comma = Sheet(path, records.iloc[:1], lines[:1], ",")
        header = any(sheet.parsed(k)[1] is not None and comma.parsed(k)[1] is not None for k in records)
        if not header:
            notes.append(f"Line {lines[0]} holds numbers, so columns are called 1 to {len(first)}.")
    return first if header else None


def _check_names(names: list[str], places: list[int], path: str, line: int) -> None:
    first: dict[str, int] = {}
    for name, place in zip(names, places, strict=True):
        if (before := first.setdefault(name, place)) != place:
            called = f"it is called {name!r}, as column {before + 1} is"
            raise DataError(f"{path}, line {line}, column {place + 1}: {called}")


def _decimal(sheet: Sheet, delimiter: str, dates: str | None) -> str:
    """Return the decimal sign that the numbers tell; where none does, a comma is one unless it cuts cells."""
    told: dict[str, tuple[int, str, str]] = {}
    unclear = False
    for column in sheet.cells.columns.drop(dates, errors="ignore"):
        cells = sheet.cells[column].str.strip()
        unclear = unclear or bool(cells.str.fullmatch(r"[-+−]?[1-9]\d{0,2},\d{3}").any())
        for sign, other in (",.", ".,"):
            hits = cells.str.fullmatch(_sure(re.escape(sign), re.escape(other))).to_numpy(dtype=bool)
            if hits.any() and sign not in told:
                told[sign] = (int(hits.argmax()), column, cells.iloc[int(hits.argmax())])
    if len(told) == 2:
        (row, column, cell), (_, elsewhere, point) = told[","], told["."]
        what = f"{cell!r} has a decimal comma, {point!r} in column {elsewhere} a decimal point; see --decimal"
        raise sheet.error(row, column, what)
    if told:
        return next(iter(told))
    return "," if unclear and delimiter != "," else "."


def _sure(sign: str, other: str) -> str:
    """Return the form of a number whose decimal sign can be no other: 1,5 or 1.234,567 or 1.234.567."""
    alone = rf"\d*{sign}(?:\d{{1,2}}|\d{{4,}})|0{sign}\d+|\d{{4,}}{sign}\d+"
    grouped = rf"\d{{1,3}}(?:{other}\d{{3}})+{sign}\d*|\d{{1,3}}(?:{other}\d{{3}}){{2,}}"
    return rf"[-+−]?(?:{alone}|{grouped})"
