"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pandas as pd
from numpy.typing import ArrayLike

from regattn.widgets._kit import Explorer

class DirectionExplorer(Explorer):
    order: list[str]
    held: int
    table: Literal["symmetric", "directed", "turned"]
    kernel: Literal["identity", "softmax"]
    rank: int
    zsz: bool
    zsp: bool
    psz: bool
    psp: bool
    masked: bool
    def __init__(
        self,
        counts: pd.DataFrame,
        positions: ArrayLike | None = None,
        sentence: Sequence[str] = ("dog", "bites", "man"),
        *,
        order: list[str] | None = None,
        held: int | None = None,
        table: Literal["symmetric", "directed", "turned"] | None = None,
        kernel: Literal["identity", "softmax"] | None = None,
        rank: int | None = None,
        zsz: bool | None = None,
        zsp: bool | None = None,
        psz: bool | None = None,
        psp: bool | None = None,
        masked: bool | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
