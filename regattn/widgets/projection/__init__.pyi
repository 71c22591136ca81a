"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from regattn.widgets._kit import Explorer

class ProjectionExplorer(Explorer):
    sentence: list[str]
    shown: list[str]
    normaliser: Literal["counts", "log softmax", "softmax"]
    unit: float
    row: int
    column: int
    counts: list[list[float]]
    def __init__(
        self,
        S: pd.DataFrame,
        *,
        sentence: Sequence[str],
        hide: Sequence[str] = (),
        shown: list[str] | None = None,
        normaliser: Literal["counts", "log softmax", "softmax"] | None = None,
        unit: float | None = None,
        row: int | None = None,
        column: int | None = None,
        counts: list[list[float]] | None = None,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
