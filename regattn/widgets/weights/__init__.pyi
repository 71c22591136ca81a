"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

from regattn._types import Label, Table
from regattn.attribution.report import ForecastReport
from regattn.widgets._kit import Explorer

class WeightsExplorer(Explorer):
    query: int
    model: str
    beside: str
    across: str
    up: str
    def __init__(
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
        model: str | None = None,
        beside: str | None = None,
        across: str | None = None,
        up: str | None = None,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
