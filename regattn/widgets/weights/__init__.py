"""The WeightsExplorer: whose outcomes a fitted model averages into a prediction, beside those of another model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regattn._tables import read_table
from regattn._text import check_text
from regattn._types import Label, Table
from regattn._validation import check_vector
from regattn.attribution.report import ForecastReport
from regattn.widgets._kit import Choice, Count, Explorer, check_labels, label_place

__all__ = ["WeightsExplorer"]

ROOM = 300_000  # weights of all models: some 6 MB of a page
BESIDE = ("beside", "second")
PLANE = ("across", "up", "plane")


class WeightsExplorer(Explorer, panels=["rows", "second", "sum", "plane"]):
    r"""Show whom a prediction listens to: the weight of every training row, and how their outcomes add up to it.

    .. math:: \hat y_j = \bar y \sum_i \omega_{ji} + \sum_i \omega_{ji} (y_i - \bar y)

    Parameters
    ----------
    reports : ForecastReport or mapping of str to ForecastReport
        Of one fitted model, or of several by name, on the same predictions and training rows.
    X, X_new : array or DataFrame of shapes (n, p) and (m, p), optional
        Predictors of the training rows and of the predictions: two of them span a plane. Both or none.
    query : int or label, default 0
        The prediction that is looked into.
    units : str
        Units of the outcome.
    asks : str, default "Prediction"
        What the list of predictions is called, as "Firm that asks".
    groups : sequence of length n, optional
        A name for each training row: rows side by side with one name have it once under them. A prediction whose label
        is a group's name listens to rows of its own.
    y_new : array of length m, optional
        What came, drawn behind the rows of the group that asks; only with ``groups``.
    logs : bool, default False
        Whether outcomes are natural logarithms of ``units``: the axis and the prediction are then shown in these.

    Raises
    ------
    ValueError
        If reports differ in rows or outcomes, hold more than 300,000 weights together, or sizes disagree, or if
        ``y_new`` comes without ``groups``.

    Examples
    --------
    >>> from regattn.attribution import forecast_report
    >>> explorer = WeightsExplorer(forecast_report([[0.75, 0.5, -0.25]], [2.0, 4.0, 6.0]))
    >>> found = explorer.result()
    >>> found["prediction"], found["contributions"]
    (2.0, [-1.5, 0.0, -0.5])
    """

    query = Count(
        lambda self: self.asks,
        most=lambda self: len(self.asked) - 1,
        bound="the last prediction",
        names="asked",
        find=lambda self, label: label_place(label, self.asked),
        first=True,
    )
    model = Choice("Model", lambda self: {name: name for name in self.reports}, bound="models", first=True)
    beside = Choice(
        "Beside it",
        lambda self: {name: name for name in [*list(self.reports)[1:], next(iter(self.reports))]},
        bound="models",
        help="Another model's weights for the same prediction.",
    )
    across = Choice("Across", lambda self: {name: name for name in self.predictors}, bound="predictors")
    up = Choice(
        "Upwards", lambda self: {name: name for name in self.predictors[1:] + self.predictors[:1]}, bound="predictors"
    )

    def __init__(  # noqa: PLR0913
        self,
        reports: ForecastReport | Mapping[str, ForecastReport],
        X: Table | None = None,
        X_new: Table | None = None,
        *,
        query: Label = 0,
        units: str = "",
        asks: str = "Prediction",
        groups: Sequence[Label] | None = None,
        y_new: Sequence[float] | None = None,
        logs: bool = False,
        hide: Sequence[str] = (),
        **kit: Any,
    ) -> None:
        named = {"model": reports} if isinstance(reports, ForecastReport) else dict(reports)
        self.reports = {str(name): _same(report, named, name) for name, report in named.items()}
        if not self.reports:
            raise ValueError("reports must hold at least one ForecastReport, got none")
        one = next(iter(self.reports.values()))
        m, n = one.weights.shape
        if len(self.reports) * m * n > ROOM:
            raise ValueError(
                f"{len(self.reports)} models × {m} predictions × {n} rows are {len(self.reports) * m * n:,} weights; "
                f"an explorer has room for {ROOM:,}: report on fewer predictions"
            )
        self.asks = check_text(asks, "asks")
        self.asked = check_labels(list(one.rows), m, "labels of the predictions", rows="predictions")
        data = {
            "outcomes": one.outcomes,
            "level": one.outcomes.mean(),
            "labels": check_labels(list(one.columns), n, "labels of the training rows", rows="rows"),
            "asked": self.asked,
            "weights": {name: report.weights for name, report in self.reports.items()},
            "units": units,
            "logs": logs,
        }
        data |= _of_groups(groups, y_new, n, m)
        self.predictors = [""]
        hidden = [] if len(self.reports) > 1 else ["model", *BESIDE]
        if (X is None) != (X_new is None):
            raise ValueError(f"X and X_new come together, got {'X_new' if X is None else 'X'} alone")
        if X is None:
            hidden += PLANE
        else:
            data |= self._plane(X, X_new, n, m)
        alt = (
            f"{n} training rows and the weight that each has in one of {m} predictions, by "
            f"{' and '.join(self.reports)}; and how their outcomes add up to the prediction."
        )
        if not isinstance(hide, str):  # which is refused below
            hide = [*hide, *(part for part in hidden if part not in hide)]
        super().__init__(**{"data": data, "alt": alt, "query": query, "hide": hide} | kit)

    def _plane(self, X: Table, X_new: Table, n: int, m: int) -> dict[str, Any]:
        values, _, columns = read_table(X, "X")
        new, _, _ = read_table(X_new, "X_new", columns=columns)
        if (len(values), len(new), new.shape[1]) != (n, m, values.shape[1]):
            raise ValueError(
                f"X must have {n} rows and X_new {m}, with the same columns; got shapes {values.shape} and {new.shape}"
            )
        count = values.shape[1]
        self.predictors = check_labels(columns, count, "columns of X", rows="columns", first=1)
        if columns is None:
            self.predictors = [f"column {j + 1}" for j in range(count)]
        twice = [name for j, name in enumerate(self.predictors) if name in self.predictors[:j]]
        if twice:
            raise ValueError(f"X has two columns called {twice[0]!r}")
        by_name = {name: values[:, j] for j, name in enumerate(self.predictors)}
        return {"predictors": by_name, "asks": {name: new[:, j] for j, name in enumerate(self.predictors)}}

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``weights`` and ``contributions`` (lists of length n), ``order`` of the rows from the loudest, ``running``
            (length n + 1) from the baseline to the ``prediction`` in that order, ``baseline``, ``up`` and ``down`` (the
            contributions above and below zero), ``short``, ``leverage``, ``effective``; ``common``, the part of its
            weight that the other model puts on the same rows with the same sign, and that model's ``second`` weights.
        """
        report, other = self.reports[self.model], self.reports[self.beside]
        row = report.to_frame().iloc[self.query]
        weights, contributions = report.weights[self.query], report.contributions()[self.query]
        order = np.argsort(-np.abs(contributions), kind="stable")
        second = other.weights[self.query]
        shares = [each / (np.abs(each).sum() or 1.0) for each in (weights, second)]
        return {
            "weights": weights.tolist(),
            "contributions": contributions.tolist(),
            "order": order.tolist(),
            "running": (row["baseline"] + np.cumsum(np.r_[0.0, contributions[order]])).tolist(),
            "prediction": float(row["prediction"]),
            "baseline": float(row["baseline"]),
            "up": float(row["for"]),
            "down": float(row["against"]),
            "short": float(row["short position"]),
            "leverage": float(row["leverage"]),
            "effective": float(row["effective rows"]),
            "second": second.tolist(),
            "common": float(1 - np.abs(shares[0] - shares[1]).sum() / 2),
        }


def _of_groups(groups: Sequence[Label] | None, y_new: Sequence[float] | None, n: int, m: int) -> dict[str, Any]:
    """Return the name of each training row's group and what came, or raise."""
    if groups is None:
        if y_new is not None:
            raise ValueError("y_new is drawn behind the rows of a group; got y_new without groups")
        return {}
    names = [str(name) for name in groups]
    if len(names) != n:
        raise ValueError(f"groups must name {n} training rows, got {len(names)} names")
    if y_new is None:
        return {"groups": names}
    came = check_vector(y_new, "y_new")
    if len(came) != m:
        raise ValueError(f"y_new must have {m} values, one for each prediction, got {len(came)}")
    return {"groups": names, "y_new": came}


def _same(report: Any, named: Mapping[Any, Any], name: Any) -> ForecastReport:
    """Return a report that is of the same predictions and rows as the first, or raise."""
    if not isinstance(report, ForecastReport):
        raise ValueError(f"reports must hold ForecastReports, got {type(report).__name__} for {name!r}")
    first_name, first = next(iter(named.items()))
    alike = report.weights.shape == first.weights.shape and np.array_equal(report.outcomes, first.outcomes)
    if not (alike and report.rows.equals(first.rows) and report.columns.equals(first.columns)):
        raise ValueError(f"the reports {first_name!r} and {name!r} are of other predictions, rows or outcomes")
    return report
