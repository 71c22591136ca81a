"""The one way in and out for tables: numbers by column, labels remembered, matched and put back.

Arrays go in and come out as they are. pandas is used where one of its tables, or another library's by way of the
interchange protocol, came in.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from regattn._validation import all_finite, check_matrix, check_targets, check_vector

if TYPE_CHECKING:
    from pandas import DataFrame, Index, Series

__all__ = [
    "Table",
    "as_pandas",
    "is_table",
    "matched",
    "named",
    "numbers",
    "read_table",
    "read_targets",
    "read_vector",
    "written",
]

NUMBERS = (Real, Decimal, np.bool_)
LABELLED = ("pandas", "polars", "pyarrow")
SHOWN = 12  # labels of a list that a message names
PLAIN = 1e15  # below it a number is written with all digits before its point


class Table(NamedTuple):
    """Numbers in float64, and the labels of their rows and columns: None where what came in had none."""

    values: np.ndarray
    index: Index | None = None
    columns: Index | None = None


def read_table(X: Any, name: str, *, columns: Index | None = None, of: str = "X") -> Table:
    """Return a finite table of shape (n, p), its columns matched by name with those of ``of``, or raise."""
    table = as_pandas(X)
    if table is None:
        return Table(check_matrix(_entries(X, name), name))
    if table.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, columns), got a Series of shape {table.shape}")
    order = matched(table.columns, columns, f"the columns of {name}", f"those of {of}")
    table = table if order is None else table.iloc[:, order]
    return Table(check_matrix(numbers(table, name), name), table.index, table.columns)


def read_vector(x: Any, name: str, *, index: Index | None = None, of: str = "X", shape: str = "(n,)") -> Table:
    """Return a finite vector of shape (n,), its entries matched by label with the rows of ``of``, or raise."""
    return _read_rows(x, name, index, of, lambda values: check_vector(values, name, shape))


def read_targets(
    y: Any, n: int, name: str = "y", *, index: Index | None = None, columns: Index | None = None, of: str = "X"
) -> Table:
    """Return finite targets, (n,) or (n, t), matched by label with the rows of ``of``, or raise.

    Where ``columns`` are given, those of the targets are matched with them.
    """
    return _read_rows(y, name, index, of, lambda values: check_targets(values, n, name), columns)


def named(values: np.ndarray, *labels: Index | None, ridge: Any = None) -> np.ndarray | Series | DataFrame:
    """Return values as a Series or DataFrame under the labels of their axes; as they are where no axis has any.

    Where ``ridge`` has several penalties, they are the first axis of the values and a level of the rows' labels.
    """
    if all(axis is None for axis in labels):
        return values
    import pandas as pd

    sizes = values.shape[values.ndim - len(labels) :]
    axes = [pd.RangeIndex(size) if axis is None else axis for axis, size in zip(labels, sizes, strict=True)]
    if np.ndim(ridge):
        axes.insert(0, pd.Index(np.asarray(ridge, dtype=float), name="ridge"))
    if len(axes) == 3:
        rows = pd.MultiIndex.from_product(axes[:2])
        return pd.DataFrame(values.reshape(-1, values.shape[-1]), index=rows, columns=axes[2])
    return pd.Series(values, index=axes[0]) if len(axes) == 1 else pd.DataFrame(values, index=axes[0], columns=axes[1])


def as_pandas(x: Any) -> DataFrame | Series | None:
    """Return ``x`` if it is of pandas, a DataFrame if it offers the interchange protocol, None if it is neither."""
    if type(x) is np.ndarray:
        return None
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(x, pandas.DataFrame | pandas.Series):
        return x
    if not hasattr(x, "__dataframe__"):
        return None
    import pandas as pd

    return pd.api.interchange.from_dataframe(x)


def is_table(*tables: Any) -> bool:
    """Return whether one of some arrays has labels, as tables of pandas have, or holds objects."""
    return any(map(_is_table, tables))


def matched(found: Index | None, wanted: Index | None, ours: str, theirs: str) -> np.ndarray | None:
    """Return the order that makes the labels found those wanted, None if they stand as they should, or raise.

    Labels that only count from 0, as pandas gives where nobody named anything, say nothing against names: places do.
    ``ours`` and ``theirs`` say in a message whose labels they are.
    """
    if found is None or wanted is None or found.equals(wanted):
        return None
    if len(found) == len(wanted) and found.is_unique and wanted.is_unique:
        order = found.get_indexer(wanted)
        if (order >= 0).all():
            return order
        if _counts(found) != _counts(wanted) and not (_whole(found) and _whole(wanted)):
            return None
    raise ValueError(f"{ours} are not {theirs}: {_difference(found, wanted)}; {_listed(found)} and {_listed(wanted)}")


def numbers(table: DataFrame | Series, name: str, *, missing: bool = False) -> np.ndarray:
    """Return what a table of pandas holds as finite float64, column by column, or raise naming column, row and value.

    Whole numbers, booleans, nullable columns and objects that are numbers are numbers; text, dates and categories are
    not. NaN stands for a number that is ``missing``, where one may be.
    """
    if table.ndim == 1:
        values = _column(table, name, "")
    elif all(isinstance(kind, np.dtype) and kind.kind in "fiub" for kind in table.dtypes):
        values = table.to_numpy(dtype=np.float64)
    else:
        columns = [_column(table.iloc[:, k], name, f"column {label}") for k, label in enumerate(table.columns)]
        values = np.column_stack(columns) if columns else np.empty(table.shape)
    if not all_finite(values) and (bad := np.isinf(values) if missing else ~np.isfinite(values)).any():
        row, *column = np.argwhere(bad)[0]
        where = [f"column {table.columns[k]}" for k in column]
        raise ValueError(f"{_place(name, *where, _row(table, row))}: {values[row, *column]:g} is not finite")
    return values


def _is_table(x: Any) -> bool:
    return x.dtype.hasobject if type(x) is np.ndarray else type(x).__module__.startswith(LABELLED)


def _read_rows(
    x: Any,
    name: str,
    index: Index | None,
    of: str,
    checked: Callable[[np.ndarray], np.ndarray],
    columns: Index | None = None,
) -> Table:
    table = as_pandas(x)
    if table is None:
        return Table(checked(_entries(x, name)))
    order = matched(table.index, index, f"the rows of {name}", f"those of {of}")
    table = table if order is None else table.iloc[order]
    if table.ndim == 1:
        return Table(checked(numbers(table, name)), table.index)
    order = matched(table.columns, columns, f"the columns of {name}", "those before")
    table = table if order is None else table.iloc[:, order]
    return Table(checked(numbers(table, name)), table.index, table.columns)


def _column(column: Series, name: str, where: str) -> np.ndarray:
    """Return a column in float64, with NaN where a number is missing, or raise."""
    kind = getattr(column.dtype, "kind", "O")
    if kind in "fiub":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if str(column.dtype) == "category":
        raise ValueError(f"{_place(name, where)}: categories are not numbers; encode them, as pandas.get_dummies does")
    if kind in "mMc" or str(column.dtype).startswith(("period", "interval")):
        raise ValueError(f"{_place(name, where)}: {column.dtype} is not a real number")
    return _floats(list(column), lambda i: _place(name, where, _row(column, i)))


def _entries(x: Any, name: str) -> Any:
    """Return ``x``, or the numbers that an array of objects holds; raise for what is sparse or holds no numbers."""
    if type(x) is np.ndarray and x.dtype.kind in "fiub":
        return x
    if hasattr(x, "tocsr"):
        raise ValueError(f"{name} is sparse, of shape {x.shape}; give {name}.toarray(): what fits it fills every entry")
    if hasattr(x, "layout"):  # a tensor
        return x
    try:
        values = x if isinstance(x, np.ndarray) else np.asarray(x)
    except ValueError as error:
        raise ValueError(f"{name} must be an array or a table of numbers: {error}") from error
    if values.dtype.kind not in "OUS":
        return values
    if not values.ndim or not (isinstance(x, list | tuple) or hasattr(x, "__array__")):
        raise ValueError(f"{name} must be an array or a table of numbers, got {type(x).__name__}")
    places = list(np.ndindex(values.shape))
    return _floats(values.ravel().tolist(), lambda i: f"{name}, index {places[i]}").reshape(values.shape)


def _floats(entries: list[Any], place: Callable[[int], str]) -> np.ndarray:
    """Return objects as floats, NaN where a number is missing, or raise; ``place`` says where an entry stands.

    Of a column of text that entry is to blame which could not be read as a number.
    """
    strange = [i for i, entry in enumerate(entries) if not (_missing(entry) or isinstance(entry, NUMBERS))]
    if strange:
        i = next((i for i in strange if not _reads(entries[i])), strange[0])
        raise ValueError(f"{place(i)}: {entries[i]!r} is not a number{_hint(entries[i])}")
    try:
        return np.array([math.nan if _missing(entry) else float(entry) for entry in entries])
    except OverflowError:
        i = max(range(len(entries)), key=lambda i: 0 if _missing(entries[i]) else abs(entries[i]))
        raise ValueError(f"{place(i)}: a whole number beyond every float") from None
    except ValueError as error:  # a Decimal that signals
        i = next(i for i, entry in enumerate(entries) if isinstance(entry, Decimal) and entry.is_snan())
        raise ValueError(f"{place(i)}: {error}") from None


def _missing(entry: Any) -> bool:
    return entry is None or type(entry).__name__ in ("NAType", "NaTType")


def _reads(entry: Any) -> bool:
    """Return whether an entry is text that says a number."""
    try:
        return isinstance(entry, str) and math.isfinite(float(entry))
    except ValueError:
        return False


def _hint(entry: Any) -> str:
    """Return what may be wrong with an entry that is not a number."""
    if _reads(entry):
        return "; the column is text, which pandas.to_numeric reads"
    return "; decimal comma?" if isinstance(entry, str) and re.fullmatch(r"\s*[-+]?[\d.]*,\d+\s*", entry) else ""


def _place(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _row(table: DataFrame | Series, i: int) -> str:
    return f"row {written(table.index[i])}"


def in_digits(value: float, digits: int = 4) -> str:
    """Return a number of so many significant digits, with all of those before its decimal point.

    Examples
    --------
    >>> in_digits(148034.948), in_digits(0.123456), in_digits(1e20)
    ('148035', '0.1235', '1e+20')
    """
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < PLAIN else text


def written(label: Any) -> str:
    """Return a label as a message writes it: a day without its midnight."""
    return str(label).removesuffix(" 00:00:00")


def _whole(labels: Index) -> bool:
    return getattr(labels.dtype, "kind", "O") in "iu"


def _counts(labels: Index) -> bool:
    """Return whether labels are 0, 1, 2, …: what stands there when nobody named anything."""
    return _whole(labels) and bool((np.asarray(labels) == np.arange(len(labels))).all())


def _difference(found: Index, wanted: Index) -> str:
    """Return what the first difference of two lists of labels is."""
    for labels in (found, wanted):
        if not labels.is_unique:
            return f"{written(labels[labels.duplicated()][0])} stands there twice"
    missing, extra = wanted.difference(found, sort=False), found.difference(wanted, sort=False)
    parts = [f"{written(missing[0])} is missing"] if len(missing) else []
    return ", ".join(parts + ([f"{written(extra[0])} is not among them"] if len(extra) else []))


def _listed(labels: Index) -> str:
    shown = [written(label) for label in labels[:SHOWN]]
    return f"[{', '.join(shown + ([f'… {len(labels)} in all'] if len(labels) > SHOWN else []))}]"
