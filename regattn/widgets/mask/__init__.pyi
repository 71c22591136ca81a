"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd

from regattn._types import Label
from regattn.widgets._kit import Explorer

class MaskExplorer(Explorer):
    mask: Literal["none", "others", "causal", "own"]
    kernel: Literal["identity", "softmax"]
    query: int
    shock: int
    def __init__(
        self,
        series: pd.DataFrame,
        *,
        max_lag: int = 1,
        known: int = 12,
        query: Label = 0,
        units: str = "",
        mask: Literal["none", "others", "causal", "own"] | None = None,
        kernel: Literal["identity", "softmax"] | None = None,
        shock: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
