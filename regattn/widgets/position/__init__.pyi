"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from regattn.widgets._kit import Explorer

class PositionExplorer(Explorer):
    hands: Literal["trained", "base", "all", "slow", "fast"]
    place: int
    stretch: Literal["2", "4", "8"]
    def __init__(
        self,
        *,
        hands: Literal["trained", "base", "all", "slow", "fast"] | None = None,
        place: int | None = None,
        stretch: Literal["2", "4", "8"] | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
