"""What an estimator of the book reads: rows of an array or a table, and targets in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from regattn._tables import as_pandas, matched, named, numbers

if TYPE_CHECKING:
    from pandas import Index


def validated(estimator: BaseEstimator, X: Any, *y: Any, **how: Any) -> Any:
    """Return what scikit-learn's check returns; a whole number beyond every float is refused like an infinite one.

    A table is read first, so that an entry that is not a number is named, and targets are matched with its rows.
    """
    table = as_pandas(X)
    if table is not None and table.ndim == 2 and table.size:
        X = named(numbers(table, "X"), table.index, table.columns)
        y = tuple(in_order(targets, table.index) for targets in y)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn adds up infinities before it refuses them
            return validate_data(estimator, X, *y, **how)
    except OverflowError as error:
        raise ValueError(f"X and y must hold numbers that a float can hold: {error}") from error


def in_order(y: Any, index: Index) -> Any:
    """Return targets in the order of the rows that ``index`` labels."""
    table = as_pandas(y)
    if table is None or len(table) != len(index):  # which scikit-learn refuses
        return y
    order = matched(table.index, index, "the rows of y", "those of X")
    return table if order is None else table.iloc[order]


def index_of(X: Any) -> Index | None:
    """Return the labels of the rows of X, None if they have none."""
    return getattr(as_pandas(X), "index", None)
