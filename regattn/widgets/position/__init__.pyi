"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from regattn.widgets._kit import Explorer

class PositionExplorer(Explorer):
    scheme: Literal["sinusoidal", "alibi", "rotary"]
    dimension: int
    base: float
    exponent: float
    draw: int
    head: int
    place: int
    lag: int
    length: int
    def __init__(
        self,
        *,
        scheme: Literal["sinusoidal", "alibi", "rotary"] | None = None,
        dimension: int | None = None,
        base: float | None = None,
        exponent: float | None = None,
        draw: int | None = None,
        head: int | None = None,
        place: int | None = None,
        lag: int | None = None,
        length: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
