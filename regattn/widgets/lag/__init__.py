"""The LagExplorer: an autoregression as a map of dates on dates, and one row of it over the history."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from regattn._types import Label
from regattn._validation import check_count
from regattn.series._dates import as_table, place_of
from regattn.series.time_attention import Autoregression, autoregression
from regattn.widgets._kit import Choice, Count, Explorer, Tick, check_labels

__all__ = ["LagExplorer"]

WIDEST = 4  # series: every subset with the first is one entry of a menu


class LagExplorer(Explorer, panels=["history", "map", "contributions", "fit"]):
    r"""Show an autoregression as attention in time: which dates each date listens to, and what they add to its fit.

    .. math:: \hat Y = A\,Y, \qquad A = X (X^\top X)^{-1} X^\top

    The fit, the history and the contributions are those of the first series; the others only help to compare dates.
    Implements :eq:`lag-attention`; source: eq. (33) of [GC]_ and the vector form below it.

    Parameters
    ----------
    series : DataFrame of shape (T, k), indexed by date
        Oldest first, without gaps; at most 4 columns.
    longest : int, default 8
        The largest number of lags that a reader can choose.
    query : int or label of the index, default 0
        The date that asks: counted from the first one with ``longest`` dates before it, or its label.
    units : str
        Units of the first series.
    stretch : pair of labels of the index, optional
        First and last date of a stretch of which the weight is told besides.

    Raises
    ------
    ValueError
        If ``series`` is not what :func:`regattn.series.autoregression` takes, has too few dates for ``longest`` lags of
        all columns or too many columns, if ``stretch`` is no pair of dates in order, or if a control is out of range.

    Examples
    --------
    >>> explorer = LagExplorer(pd.DataFrame({"x": [1.0, 2.0, 4.0, 7.0, 11.0]}), longest=1, query=3)
    >>> found = explorer.result()
    >>> round(found["total"], 9), round(found["prediction"], 4)
    (1.0, 11.1667)
    """

    variables = Choice("Series", lambda self: {words: words for words in self.sets}, bound="choices", wide=True)
    max_lag = Count("Lags p", least=1, most=lambda self: self.longest, bound="the longest", first=True)
    intercept = Tick("intercept", default=True, help="Whether there is a constant; rows of the map then sum to one.")
    query = Count(
        "Date that asks",
        most=lambda self: len(self.series) - self.longest - 1,
        bound="the last date",
        names="labels",
        find=lambda self, label: place_of(label, self.series.index[self.longest :]),
        help="Counted from the first date with a full past for every number of lags.",
        first=True,
    )

    def __init__(
        self,
        series: pd.DataFrame,
        *,
        longest: int = 8,
        query: Label = 0,
        units: str = "",
        stretch: tuple[Label, Label] | None = None,
        **kit: Any,
    ) -> None:
        self.longest = check_count(longest, "longest")
        autoregression(series, max_lag=self.longest)  # refuses what cannot be shown
        self.series = series = as_table(series, "series").astype(float)
        if series.shape[1] > WIDEST:
            raise ValueError(f"series has {series.shape[1]} columns; an explorer has room for {WIDEST}")
        self.stretch = None if stretch is None else _ends(stretch, self.series.index)
        names = check_labels(list(series.columns), series.shape[1], "columns of series", rows="columns")
        dates = check_labels(list(series.index), len(series), "dates of series", rows="rows")
        rest = range(1, len(names))
        chosen = [[0, *others] for size in range(len(names)) for others in combinations(rest, size)]
        said = [f"“{name}”" if "," in name else name for name in names]  # so that "b, c" is one column or two
        self.sets = {", ".join(said[j] for j in columns): columns for columns in chosen}
        data = {
            "series": self.series.to_numpy(),
            "names": names,
            "sets": self.sets,
            "dates": dates,
            "labels": dates[self.longest :],
            "longest": self.longest,
            "stretch": self.stretch,
            "units": units,
        }
        alt = (
            f"An autoregression of {names[0]} on its past, {len(dates)} dates from {dates[0]} to {dates[-1]}: the "
            "weight that each date gives every date, one row of these weights over the history, what each date adds, "
            "and the fit."
        )
        super().__init__(**{"data": data, "alt": alt, "query": query} | kit)

    def _model(self) -> Autoregression:
        return autoregression(
            self.series.iloc[:, self.sets[self.variables]], max_lag=self.max_lag, intercept=self.intercept
        )

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            For the n = T - p dates: the ``map`` (n × n), the ``weights`` of the date that asks, what each date adds
            (``contributions``), and the ``fitted`` values. Besides ``prediction``, ``observed``, the ``total`` of the
            weights, of those on dates before which the first series had been ``rising``, the date's ``own`` weight, the
            ``rank`` of the map, and the root mean squared ``error``; with a ``stretch``, its weight.
        """
        model = self._model()
        values, weights = model.present.iloc[:, 0].to_numpy(), model.weights().to_numpy()
        fitted, at = model.average().iloc[:, 0].to_numpy(), self.query + self.longest - self.max_lag
        rising = self.series.iloc[:, 0].diff().shift(1).to_numpy()[self.max_lag :] > 0
        found = {
            "map": weights.tolist(),
            "weights": weights[at].tolist(),
            "contributions": (weights[at] * values).tolist(),
            "fitted": fitted.tolist(),
            "prediction": float(fitted[at]),
            "observed": float(values[at]),
            "total": float(weights[at].sum()),
            "rising": float(weights[at] @ rising),
            "own": float(weights[at, at]),
            "rank": model.spectrum.rank + self.intercept,
            "error": float(np.sqrt(np.mean((values - fitted) ** 2))),
        }
        if self.stretch is not None:
            first, last = (max(0, place - self.max_lag) for place in (self.stretch[0], self.stretch[1] + 1))
            found["stretch"] = float(weights[at, first:last].sum())
        return found


def _ends(stretch: Any, dates: pd.Index) -> list[int]:
    """Return where a stretch begins and ends, or raise a ValueError that names it."""
    if not isinstance(stretch, tuple | list) or len(stretch) != 2:
        raise ValueError(f"stretch must be a pair of dates, the first and the last, got {stretch!r}")
    first, last = (place_of(date, dates) for date in stretch)
    if first > last:
        raise ValueError(f"stretch must run from an earlier date to a later one, got {stretch!r}")
    return [first, last]
