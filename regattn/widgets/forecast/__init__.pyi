"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from regattn._types import Label
from regattn.series.forecaster import Forecaster
from regattn.series.forecasting import PooledLinear
from regattn.widgets._kit import Explorer

class ForecastExplorer(Explorer):
    series: str
    query: int
    horizon: int
    head: int
    deleted: Literal["nothing", "lags", "span"]
    lag: int
    start: int
    length: int
    def __init__(
        self,
        model: Forecaster,
        logs: pd.DataFrame,
        *,
        first: Label = "2010-01",
        query: Label = 0,
        units: str = "thousands",
        rival: PooledLinear | None = None,
        series: str | None = None,
        horizon: int | None = None,
        head: int | None = None,
        deleted: Literal["nothing", "lags", "span"] | None = None,
        lag: int | None = None,
        start: int | None = None,
        length: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
