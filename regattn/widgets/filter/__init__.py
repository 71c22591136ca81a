"""The FilterExplorer: a level that is seen through noise, as attention to the past."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from regattn._types import Label
from regattn.series._dates import place_of
from regattn.series.filters import filter_weights, local_trend
from regattn.widgets._kit import Count, Explorer, Slider, check_labels

__all__ = ["FilterExplorer"]

FIRST = 6  # dates before the first that can ask: enough for three states
MODELS = {1: "level only", 2: "and slope", 3: "and acceleration"}


def _ratio(
    state: str, default: float, shown: tuple[float, float], *, layers: list[int] | None = None, **more: Any
) -> Slider:
    """Return the slider of a state's signal-to-noise ratio, in use with some numbers of layers."""
    places = 20 if layers else None
    kind = {"default": default, "shown": shown, "log": True, "places": places, "used": layers and {"layers": layers}}
    text = f"The variance of changes of the {state} over that of the noise."
    return Slider(f"{state.capitalize()} to noise", 0, 100, help=text, **kind, **more)


class FilterExplorer(Explorer, panels=["history", "weights"]):
    r"""Show what a filter makes of a series: the level seen at each date, and the weights of the past in one of them.

    .. math:: \mu_{t|t} = \sum_{s \le t} w_{ts}\, y_s

    The noise has variance one, and the variances of level, slope and acceleration are multiples of it: weights depend
    on nothing else. Implements :eq:`filter-weights`; source: eqs. (36)-(43) of [GC]_.

    Parameters
    ----------
    series : Series of length T ≥ 8, indexed by date
        Oldest first, without gaps.
    query : int or label of the index, default 0
        The date that asks: counted from the seventh, or its label.
    units : str
        Units of the series.

    Raises
    ------
    ValueError
        If ``series`` is not what :func:`regattn.series.local_trend` takes, or a control is out of its range.

    Examples
    --------
    >>> series = pd.Series([1.0, 3.0, 2.0, 4.0, 5.0, 4.0, 6.0, 8.0], index=range(2001, 2009))
    >>> found = FilterExplorer(series, query=2008, level=0.5).result()
    >>> [round(weight, 3) for weight in found["weights"][-3:]], round(found["prediction"], 3)
    ([0.125, 0.25, 0.5], 6.504)
    """

    layers = Count(
        "States",
        least=1,
        most=lambda self: 3,
        bound="three",
        notes=MODELS,
        help="One state is a level, two a level with a slope, three a level with a slope and an acceleration.",
        first=True,
    )
    query = Count(
        "Date that asks",
        most=lambda self: len(self.series) - FIRST - 1,
        bound="the last date",
        names="labels",
        find=lambda self, label: place_of(label, self.series.index[FIRST:]),
        wide=True,
        help="Counted from the seventh date, the first that three states can answer.",
    )
    level = _ratio("level", 0.1, (1e-4, 100), first=True)
    slope = _ratio("slope", 0.01, (1e-6, 10), layers=[2, 3])
    acceleration = _ratio("acceleration", 0.001, (1e-6, 10), layers=[3])

    def __init__(self, series: pd.Series, *, query: Label = 0, units: str = "", **kit: Any) -> None:
        local_trend(series, layers=3)  # refuses what cannot be shown
        if len(series) <= FIRST:
            raise ValueError(f"series has {len(series)} dates; an explorer needs {FIRST + 1}")
        self.series = series.astype(float)
        dates = check_labels(list(series.index), len(series), "dates of series", rows="rows")
        data = {"y": self.series.to_numpy(), "dates": dates, "labels": dates[FIRST:], "first": FIRST, "units": units}
        alt = (
            f"A filter on {len(dates)} dates from {dates[0]} to {dates[-1]}: what was observed, the level seen at each "
            "date, and the weights of the past in the level of the date that asks."
        )
        super().__init__(**{"data": data, "alt": alt, "query": query} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by statsmodels rather than by the browser.

        Returns
        -------
        dict
            The ``weights`` of the dates up to the one that asks, and the ``levels`` seen at all dates. Besides
            ``prediction`` (the level there), ``observed``, its ``own`` weight, the sum of the ``negative`` weights, and
            the ``moments``: the sum of all weights and their mean age in dates.
        """
        variances = [1.0, self.level, self.slope, self.acceleration][: self.layers + 1]
        at = self.query + FIRST
        weights = filter_weights(self.series, variances, date=self.series.index[at]).to_numpy()
        levels = local_trend(self.series, layers=self.layers).smooth(variances, cov_type="none").filtered_state[0]
        return {
            "weights": weights.tolist(),
            "levels": levels.tolist(),
            "prediction": float(levels[at]),
            "observed": float(self.series.iloc[at]),
            "own": float(weights[-1]),
            "negative": float(weights[weights < 0].sum()),
            "moments": [float(weights.sum()), float(weights @ np.arange(at, -1, -1))],
        }
