"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from regattn._types import Label
from regattn.widgets._kit import Explorer

class FilterExplorer(Explorer):
    layers: int
    query: int
    level: float
    slope: float
    acceleration: float
    def __init__(
        self,
        series: pd.Series,
        *,
        query: Label = 0,
        units: str = "",
        layers: int | None = None,
        level: float | None = None,
        slope: float | None = None,
        acceleration: float | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
