"""The TableExplorer: a table of one's own, and whose outcomes six models average into the forecast of any row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from regattn._text import check_text
from regattn.data import load_diabetes
from regattn.widgets._kit import Choice, Control, Count, Explorer, Slider, label_place
from regattn.widgets.table._design import COLUMNS, LAGS, NEIGHBOURS, design, guess, order_of, read_columns, targets
from regattn.widgets.table._fit import KNOBS, Fit

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["TableExplorer"]

CELLS = 500_000  # of a table: some 5 MB of a page
MODELS = {
    "least squares": "least squares",
    "ridge": "ridge",
    "components": "principal components",
    "neighbours": "nearest neighbours",
    "gaussian": "Gaussian attention",
    "softmax": "softmax attention",
}


def _knob(*models: str) -> dict[str, list[str]]:
    return {"model": list(models), "tuning": ["hand"]}


class _Columns(Control):
    """Some columns of the table, in any order."""

    kind = "columns"

    def validate(self, obj: Any, value: Any) -> list[str]:
        """Return ``value`` or raise a ValueError that names it."""
        known = [column.name for column in obj.columns if column.usable]
        wrong = value if isinstance(value, str) else next((name for name in value if name not in known), None)
        if wrong is not None:
            raise ValueError(f"{self.name} must be a list of some of {', '.join(known)}, got {wrong!r}")
        return list(value)

    def default(self, obj: Any = None) -> list[str]:
        """Return none; the explorer guesses."""
        return []

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"options": [column.name for column in explorer.columns if column.usable]}


class _Cells(Control):
    """What is typed into the cells of a row, by the name of the column of the design."""

    kind = "cells"

    def validate(self, obj: Any, value: Any) -> dict[str, float]:
        """Return ``value`` or raise a ValueError that names it."""
        wrong = next(
            (name for name, cell in value.items() if not isinstance(cell, int | float) or not np.isfinite(cell)), None
        )
        if wrong is not None:
            raise ValueError(f"{self.name} must hold finite numbers, got {value[wrong]!r} for {wrong!r}")
        return {check_text(name, f"a column of {self.name}"): cell for name, cell in value.items()}

    def default(self, obj: Any = None) -> dict[str, float]:
        """Return none."""
        return {}

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"columns": [column.name for column in explorer.columns]}


class TableExplorer(Explorer, panels=["rows", "sum", "kept", "take"]):
    r"""Let a reader bring a table, as a CSV file or pasted, and see whose outcomes a model averages into any forecast.

    .. math:: \hat y_j = \sum_i \omega_{ji}\, y_i

    Predictors are taken in standard deviations from their mean. The file is read in the page and never leaves it.

    Parameters
    ----------
    table : DataFrame of shape (n, p), optional
        Numbers, dates and texts with few values, which are categories; an index that is more than a count of the rows
        is a column too. By default the first of ``examples``, and without any the diabetes study.
    examples : mapping of str to DataFrame, optional
        Other tables, by name, for a reader who has none at hand.

    Raises
    ------
    ValueError
        If ``table`` is no DataFrame, has no rows, two columns of one name, more than 500,000 cells or no column of
        numbers that vary; or a control is out of range.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": [0.0, 1.0, 2.0], "y": [1.0, 3.0, 5.0]})
    >>> found = TableExplorer(table, model="least squares", query=2).result()
    >>> round(found["prediction"], 6), [round(weight, 3) for weight in found["weights"]]
    (5.0, [-0.167, 0.333, 0.833])
    """

    hands_script_on = True
    query = Count(
        "Forecast for",
        most=lambda self: len(self.columns[0].values),
        bound="one more than the last row, the row that is typed",
        find=lambda self, label: label_place(label, order_of(self.columns, self.date)[1]),
        help="Which row is forecast. Behind the last stands the next row, or the one you type.",
        first=True,
    )
    model = Choice("Model", MODELS, default="ridge", first=True)
    listens = Choice(
        "Averaged are",
        {"all": "all rows", "others": "all rows but itself", "past": "only the rows before it"},
        help="The model is fitted again to these rows for each forecast.",
        used=lambda self: {"query": list(range(len(self.columns[0].values)))},
    )
    typed = _Cells("A row of your own", wide=True, help="What is left empty is the next row's value, or the mean.")
    target = Choice("Target", lambda self: {name: name for name in targets(self.columns)}, bound="columns of numbers")
    date = Choice(
        "Date or name of a row",
        lambda self: {"": "none: in the order of the file"} | {column.name: column.name for column in self.columns},
        bound="columns",
        default="",
        help="It orders the rows and labels them.",
    )
    lags = Count(
        "Lags",
        most=lambda self: min(LAGS, len(self.columns[0].values) - 1),
        bound="12, and fewer than rows",
        help="With one or more, the target is forecast from the rows before: its own past and that of the predictors.",
    )
    tuning = Choice(
        "λ, rank, k or temperature",
        {"loo": "the best, by leave-one-out", "hand": "by hand"},
        help="The value with the smallest error at each row when it is forecast from all others.",
    )
    ridge = Slider(
        "Penalty λ", 0.0, shown=(1e-6, 1e6), log=True, default=1.0, used=_knob("ridge"), sets={"tuning": "hand"}
    )
    rank = Count(
        "Components",
        least=1,
        most=lambda self: COLUMNS,
        default=1,
        bound="20",
        used=_knob("components"),
        sets={"tuning": "hand"},
    )
    neighbours = Count(
        "Neighbours k",
        least=1,
        most=lambda self: NEIGHBOURS,
        default=5,
        bound="50",
        used=_knob("neighbours"),
        sets={"tuning": "hand"},
    )
    temperature = Slider(
        "Temperature", 1e-2, 100.0, log=True, default=1.0, used=_knob("gaussian", "softmax"), sets={"tuning": "hand"}
    )
    predictors = _Columns("Predictors", wide=True)

    def __init__(
        self,
        table: DataFrame | None = None,
        *,
        examples: Mapping[str, DataFrame] | None = None,
        hide: Sequence[str] = (),
        **kit: Any,
    ) -> None:
        examples = {check_text(name, "a name"): example for name, example in (examples or {}).items()}
        if table is None:
            study = None if examples else load_diabetes()
            table = next(iter(examples.values())) if study is None else study.X.assign(progression=study.y)
        self.columns = read_columns(table)
        cells = len(self.columns) * len(self.columns[0].values)
        if cells > CELLS:
            raise ValueError(
                f"table has {cells:,} cells; an explorer has room for {CELLS:,}: take fewer rows or columns"
            )
        start = guess(self.columns)
        others = {name: read_columns(example, f"examples[{name!r}]") for name, example in examples.items()}
        data = {
            "columns": [vars(column) for column in self.columns],
            "file": next((name for name, example in examples.items() if example is table), "table.csv"),
            "examples": [{"name": name, "columns": [vars(column) for column in each]} for name, each in others.items()],
        }
        alt = (
            f"A table of {len(self.columns[0].values)} rows, or one of your own; for any of its rows, the weight that "
            "a model gives to each row it learned from, how their outcomes add up, and what is kept of the predictors."
        )
        kit = {"data": data, "alt": alt, "hide": hide} | start | {k: v for k, v in kit.items() if v is not None}
        super().__init__(**kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``weights`` and ``contributions`` of the rows that can be learned from, ``order`` from the loudest,
            ``running`` from the ``baseline`` to the ``prediction`` (None and empty where the row lacks a number),
            ``effective`` rows, what was ``observed``; ``knob``, the λ, rank, k or temperature in use; ``dof``, ``kept``
            of each direction of the predictors, and the root mean squares ``error`` and ``loo`` of the fit of all rows;
            ``columns`` of the design.
        """
        rows = design(self.columns, target=self.target, predictors=self.predictors, date=self.date, lags=self.lags)
        whole = {"knob": self._own_knob(), "dof": None, "kept": [], "error": None, "loo": None}
        if len(rows.train):
            fit = Fit(rows.X[rows.train], rows.y[rows.train])
            knob = fit.best(self.model, whole["knob"])[0] if self.tuning == "loo" else whole["knob"]
            whole = {"knob": knob, **fit.summary(self.model, knob)}
        query = min(self.query, len(rows.X))
        asked = query < len(rows.X)
        row = (
            rows.X[query]
            if asked
            else np.array([self.typed.get(name, value) for name, value in zip(rows.names, rows.next, strict=True)])
        )
        heard = {"all": rows.train, "others": rows.train[rows.train != query], "past": rows.train[rows.train < query]}[
            self.listens
        ]
        able = len(heard) > 0 and (not asked or bool(rows.whole[query]))
        observed = float(rows.y[query]) if asked and np.isfinite(rows.y[query]) else None
        weights, level = np.zeros(len(rows.train)), rows.y[heard].mean() if len(heard) else 0.0
        if able:
            fit = Fit(rows.X[heard], rows.y[heard])
            places = np.flatnonzero(heard == query)
            place = int(places[0]) if asked and len(places) else None
            weights[np.isin(rows.train, heard)] = fit.weights(self.model, whole["knob"], row=row, place=place)
        return {
            **whole,
            "observed": observed,
            "columns": rows.names,
            **_averaged(weights, rows.y[rows.train], level, able),
        }

    def _own_knob(self) -> float | int | None:
        return getattr(self, KNOBS[self.model]) if self.model in KNOBS else None


def _averaged(weights: np.ndarray, y: np.ndarray, level: float, able: bool) -> dict[str, Any]:
    """Return how outcomes add up under weights, the loudest first."""
    contributions = weights * (y - level)
    most = np.abs(contributions).max(initial=0) or 1.0
    order = np.argsort(-np.round(1e9 * np.abs(contributions) / most), kind="stable")
    baseline = float(level * weights.sum())
    return {
        "weights": weights.tolist(),
        "contributions": contributions.tolist(),
        "order": order.tolist(),
        "running": (baseline + np.cumsum(np.r_[0.0, contributions[order]])).tolist() if able else [],
        "prediction": baseline + float(contributions.sum()) if able else None,
        "baseline": baseline if able else None,
        "effective": float(weights.sum() ** 2 / (weights**2).sum()) if able else None,
    }
