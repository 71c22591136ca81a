"""Rows as a model takes them: under the names that it was fitted to, of the width that it knows, numbers or text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from regattn._tables import as_pandas, matched, numbers, read_table
from regattn._types import Table

if TYPE_CHECKING:
    from pandas import Index

COMPOSED = ("steps", "regressor_", "best_estimator_", "named_estimators_")  # whose parts check their own columns


class Rows(NamedTuple):
    """Rows as a model takes them, and their labels."""

    X: Any
    index: Index | None = None
    columns: Index | None = None


def check_fitted(model: Any) -> None:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if isinstance(model, type):
        raise ValueError(f"model must be a fitted model, got the class {model.__name__}")
    if isinstance(model, BaseEstimator):
        try:
            check_is_fitted(model)
        except NotFittedError:
            raise ValueError(f"model must be fitted, got {model!r}") from None


def read_rows(model: Any, X: Table, name: str, columns: Index | None) -> Rows:
    """Return rows as the model takes them: under the names that it was fitted to, numbers where it has no parts."""
    import pandas as pd

    if has_formula(model):
        return _read_for_formula(model, X, name)
    known = getattr(model, "feature_names_in_", None)
    known = None if known is None else pd.Index(known)
    table, composed = as_pandas(X), any(hasattr(model, part) for part in COMPOSED)
    if table is None:
        values = (
            X
            if composed and (issparse(X) or getattr(getattr(X, "dtype", None), "kind", "") in ("O", "U"))
            else _values(model, X, name)
        )
        _check_width(model, values, name)
        return Rows(values if known is None else pd.DataFrame(values, columns=known))
    if table.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, columns), got a Series of shape {table.shape}")
    of = f"those {type(model).__name__} was fitted to" if known is not None else "those of X_train"
    order = matched(table.columns, columns if known is None else known, f"the columns of {name}", of)
    table = table if order is None else table.iloc[:, order]
    _check_width(model, table, name)
    if composed:
        by_place = known is None and all(isinstance(label, str) for label in table.columns)
        return Rows(table.to_numpy() if by_place else table, table.index, table.columns)
    values = numbers(table, name, missing=_allows_missing(model))
    X = values if known is None else pd.DataFrame(values, table.index, known)
    return Rows(X, table.index, table.columns)


def has_formula(model: Any) -> bool:
    """Return whether a model finds its columns itself, in a table, by the formula that it was fitted with."""
    return getattr(getattr(model, "model", None), "formula", None) is not None


def _read_for_formula(model: Any, X: Table, name: str) -> Rows:
    table = as_pandas(X)
    if table is None or table.ndim != 2:
        raise ValueError(
            f"{name} must be a table with the columns of the formula {model.model.formula!r}, got {type(X).__name__}"
        )
    if not len(table):
        raise ValueError(f"{name} is empty: its shape is {table.shape}")
    return Rows(table, table.index, table.columns)


def _values(model: Any, X: Table, name: str) -> np.ndarray:
    if _allows_missing(model) and isinstance(X, np.ndarray) and X.dtype.kind == "f" and np.isnan(X).any():
        read_table(np.nan_to_num(X, nan=0.0, posinf=np.inf, neginf=-np.inf), name)
        return X.astype(np.float64)
    return read_table(X, name).values


def _allows_missing(model: Any) -> bool:
    from sklearn.base import BaseEstimator
    from sklearn.utils import get_tags

    return isinstance(model, BaseEstimator) and get_tags(model).input_tags.allow_nan


def _check_width(model: Any, X: Any, name: str) -> None:
    if 0 in X.shape:
        raise ValueError(f"{name} is empty: its shape is {X.shape}")
    width = getattr(model, "n_features_in_", X.shape[1])
    if X.shape[1] != width:
        raise ValueError(f"{name} has {X.shape[1]} columns but {type(model).__name__} was fitted to {width}")
