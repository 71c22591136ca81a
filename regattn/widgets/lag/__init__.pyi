"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from regattn._types import Label
from regattn.widgets._kit import Explorer

class LagExplorer(Explorer):
    variables: str
    max_lag: int
    intercept: bool
    query: int
    def __init__(
        self,
        series: pd.DataFrame,
        *,
        longest: int = 8,
        query: Label = 0,
        units: str = "",
        stretch: tuple[Label, Label] | None = None,
        variables: str | None = None,
        max_lag: int | None = None,
        intercept: bool | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
