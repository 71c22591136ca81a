"""A prediction taken apart by predictors, where a model adds up what each of them does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from regattn._tables import as_pandas
from regattn._types import Table
from regattn.attribution._families import read
from regattn.attribution._rows import check_fitted, read_rows

if TYPE_CHECKING:
    from pandas import DataFrame, Index

START = "at the means"
MOST = 2000  # predictors that are moved one by one: each asks for predictions of a whole table
TRIED = 100  # training rows at which a model is held to a sum, besides the new ones


def by_predictor(
    model: Any, X_train: Table | None, X_new: Table | None, predicted: np.ndarray, labels: Index
) -> DataFrame | str:
    """Return what each predictor adds to each prediction, (m, 1 + p); or a text that says why nothing is added up.

    A predictor is moved alone, from its mean (text: from what is most frequent) to where it stands in the new row. The
    moves are parts of the prediction if they add up to it, at the new rows and at some training rows.

    Raises
    ------
    ValueError
        If there are no rows, or the model predicts other numbers than those reported on.
    """
    import pandas as pd

    if X_train is None or X_new is None:
        raise ValueError("model needs X_train and X_new: predictors are moved from their means to the new rows")
    check_fitted(model)
    asked = read(model)
    if asked.classes is not None or asked.asks_outcomes:
        return f"{type(model).__name__} predicts no single number of a row"
    rows = read_rows(model, X_train, "X_train", None)
    new = read_rows(model, X_new, "X_new", rows.columns)
    old, asks = _frame(rows.X), _frame(new.X)
    together = pd.concat([asks[old.columns], old.iloc[:: max(1, len(old) // TRIED)]], ignore_index=True)
    said = _predict(asked, together, rows.X)
    if said.ndim != 1:
        return f"{type(model).__name__} predicts several numbers of a row"
    _check_same(said[: len(asks)], predicted, type(model).__name__)
    if rows.X.shape[1] > MOST:
        return f"more than {MOST} predictors are not moved one by one, got {rows.X.shape[1]}"
    start = pd.DataFrame({name: [_middle(old[name])] * len(together) for name in old}, columns=old.columns)
    level = _predict(asked, start, rows.X)
    moves = np.column_stack([_predict(asked, start.assign(**{name: together[name]}), rows.X) - level for name in old])
    sizes = np.abs(moves).sum(axis=1) + np.abs(said)
    if (np.abs(level + moves.sum(axis=1) - said) > max(1e-9, asked.tolerance) * sizes).any():
        return f"{type(model).__name__} is no sum of what its predictors do one by one: they act together"
    names = list(old.columns if rows.columns is None else rows.columns)
    return pd.DataFrame(np.column_stack([level, moves])[: len(asks)], labels, [START, *names])


def columns_of_numbers(X: Table | None) -> Table | None:
    """Return a table without the columns that are no numbers, such as text; anything else as it is."""
    table = as_pandas(X)
    return X if table is None or table.ndim != 2 else table.select_dtypes(["number", "bool"])


def _frame(X: Any) -> DataFrame:
    """Return rows as a table whose columns are called by text, so that one can be put in place of another."""
    import pandas as pd

    table = X if isinstance(X, pd.DataFrame) else pd.DataFrame(X.toarray() if hasattr(X, "toarray") else np.asarray(X))
    return (
        table.rename(columns=str)
        if table.columns.map(str).is_unique
        else table.set_axis(map(str, range(table.shape[1])), axis=1)
    )


def _predict(asked: Any, table: DataFrame, like: Any) -> np.ndarray:
    """Return predictions of a table in the form that the model takes."""
    return np.asarray(
        asked.predict(table.set_axis(like.columns, axis=1) if hasattr(like, "columns") else table.to_numpy())
    )


def _middle(column: Any) -> Any:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return column.mean() if is_numeric_dtype(column) and not is_bool_dtype(column) else column.mode().iloc[0]


def _check_same(said: np.ndarray, predicted: np.ndarray, name: str) -> None:
    off = np.abs(said - predicted) > 1e-5 * np.maximum(np.abs(said), np.abs(predicted)).max()
    if off.any():
        j = int(off.argmax())
        raise ValueError(
            f"the weights are not those of the {name} given: in row {j} they add up to {predicted[j]:g} but it "
            f"predicts {said[j]:g}"
        )
