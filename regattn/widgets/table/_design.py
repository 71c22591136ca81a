"""From a table and what is chosen to rows that a model can be fitted to: order, categories, lags, what is left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from regattn._tables import numbers
from regattn._text import check_text

ROWS, COLUMNS, LEVELS, LAGS, NEIGHBOURS = 5000, 20, 12, 12, 50
DATE_NAME = re.compile(r"(date|day|week|month|quarter|year|period|time)s?", re.IGNORECASE)
ROW_NAME = re.compile(r"id|index|row|nr|no|#|unnamed: 0|column 1", re.IGNORECASE)
TARGET_NAME = re.compile(r"y|target|outcome", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """One column of a table: its name, what it holds ("number", "text" or "date"), and values, None where missing."""

    name: str
    kind: str
    values: list[Any]

    @property
    def counts(self) -> bool:
        """Whether it does nothing but number the rows."""
        numbered = self.kind == "number" and ROW_NAME.fullmatch(self.name) is not None
        return (
            numbered
            and None not in self.values
            and self.values == [self.values[0] + i for i in range(len(self.values))]
        )

    @property
    def levels(self) -> list[str]:
        """What it holds, each once, in order."""
        return sorted({value for value in self.values if value is not None})

    @property
    def usable(self) -> bool:
        """Whether it can be a predictor: numbers, or few categories."""
        return self.kind == "number" or (self.kind == "text" and len(self.levels) <= LEVELS)


def read_columns(table: Any, name: str = "table") -> list[Column]:
    """Return the columns of a DataFrame, its index first where it is more than a count of the rows."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"{name} must be a DataFrame, got {type(table).__name__}")
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index()
    names = [check_text(str(label), f"a column of {name}") for label in table.columns]
    twice = next((label for k, label in enumerate(names) if label in names[:k]), None)
    if twice is not None:
        raise ValueError(f"{name} has two columns called {twice!r}")
    if not len(table) or not names:
        raise ValueError(f"{name} must have rows and columns, got shape {table.shape}")
    return [_column(label, table.iloc[:, k], name) for k, label in enumerate(names)]


def _column(label: str, column: pd.Series, name: str) -> Column:
    missing = column.isna().to_numpy()
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
    if pd.api.types.is_numeric_dtype(column) and kind != "c":
        values = numbers(column, f"{name}, column {label}", missing=True).tolist()
        return Column(label, "number", [None if gone else value for value, gone in zip(values, missing, strict=True)])
    if kind == "M" or isinstance(column.dtype, pd.PeriodDtype):
        texts = column.dt.strftime("%Y-%m-%d") if kind == "M" else column.astype(str)
        return Column(label, "date", [None if gone else value for value, gone in zip(texts, missing, strict=True)])
    texts = [
        None if gone else check_text(str(cell), f"{name}, column {label}")
        for cell, gone in zip(column, missing, strict=True)
    ]
    return Column(label, "text", texts)


def targets(columns: list[Column]) -> list[str]:
    """Return the columns that may be a target: numbers that vary."""
    return [column.name for column in columns if column.kind == "number" and len(column.levels) > 1]


def guess(columns: list[Column]) -> dict[str, Any]:
    """Return what stands at the start: the date by its kind or name, the last numbers as target, what is mostly there.

    The target stands among the predictors too, in case another one is chosen; of itself it is none.
    """
    dated = [c.name for c in columns if c.kind == "date"] + [c.name for c in columns if DATE_NAME.fullmatch(c.name)]
    date = dated[0] if dated else ""
    possible = [name for name in targets(columns) if name != date]
    if not possible:
        raise ValueError("table must have a column of numbers that vary to be the target")
    target = next((name for name in possible if TARGET_NAME.fullmatch(name)), possible[-1])
    predictors, room = [], COLUMNS
    for column in columns:
        many = 1 if column.kind == "number" else len(column.levels) - 1
        there = sum(value is not None for value in column.values)
        plain = column.usable and len(column.levels) > 1 and 2 * there > len(column.values)
        if column.name == date or not plain or many > room or column.counts:
            continue
        predictors.append(column.name)
        room -= many if column.name != target else 0
    return {"target": target, "predictors": predictors, "date": date, "lags": int(predictors == [target])}


@dataclass(frozen=True)
class Design:
    """What a fit needs; the last of ``names``' rows, ``next``, is the row after the last or the one to be typed."""

    names: list[str]
    labels: list[str]
    X: np.ndarray
    y: np.ndarray
    train: np.ndarray
    next: np.ndarray

    @property
    def whole(self) -> np.ndarray:
        """Which rows lack nothing."""
        return np.isfinite(self.X).all(axis=1)


def order_of(columns: list[Column], date: str) -> tuple[list[int], list[str], bool]:
    """Return the places of the last 5,000 rows by date, their labels, and whether a date repeats."""
    count = len(columns[0].values)
    times = next((column.values for column in columns if column.name == date), None)
    if times is None:
        order = list(range(count))[-ROWS:]
        return order, [f"row {i + 1}" for i in order], False
    order = sorted((i for i in range(count) if times[i] is not None), key=lambda i: times[i])[-ROWS:]
    repeats = len({times[i] for i in order}) < len(order)
    labels = [str(times[i]).removesuffix(".0") + (f", row {i + 1}" if repeats else "") for i in order]
    return order, labels, repeats


def _coded(column: Column, order: list[int]) -> dict[str, np.ndarray]:
    values = pd.Series([column.values[i] for i in order], dtype=object)
    if column.kind == "number":
        return {column.name: values.astype(float).to_numpy()}
    gone = values.isna()
    return {
        f"{column.name}: {level}": (values == level).astype(float).mask(gone).to_numpy() for level in column.levels[1:]
    }


def design(columns: list[Column], *, target: str, predictors: list[str], date: str, lags: int) -> Design:
    """Return the rows of a regression of the target on the predictors, or on the past of both where there are lags."""
    by_name = {column.name: column for column in columns}
    order, labels, repeats = order_of(columns, date)
    chosen = [c for c in columns if c.name in predictors and c.name not in (target, date)]
    y = _coded(by_name[target], order)[target]
    own = {name: values for column in chosen for name, values in _coded(column, order).items()}
    depth = 0 if repeats else min(lags, len(order) - 1)
    if depth:
        series = {target: y, **own}
        own = {
            f"{name}, {back} back": np.r_[np.full(back, np.nan), values][: len(y) + 1]
            for back in range(1, depth + 1)
            for name, values in series.items()
        }
    own = {name: values for name, values in own.items() if len(np.unique(values[np.isfinite(values)])) > 1}
    used = dict(list(own.items())[:COLUMNS])
    table = np.column_stack(list(used.values())) if used else np.empty((len(y) + bool(depth), 0))
    X = table[: len(y)]
    train = np.flatnonzero(np.isfinite(X).all(axis=1) & np.isfinite(y))
    middle = X[train].mean(axis=0) if len(train) else np.full(X.shape[1], np.nan)
    following = table[-1] if depth else middle
    return Design(list(used), labels, X, y, train, np.where(np.isfinite(following), following, middle))
