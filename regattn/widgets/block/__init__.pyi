"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from regattn._types import Table
from regattn.widgets._kit import Explorer

class BlockExplorer(Explorer):
    sentence: int
    step: str
    order: Literal["pre", "post", "parallel"]
    width: int
    n_heads: int
    head: int
    out: Literal["nothing", "attention", "feed-forward"]
    nudges: dict[str, float]
    positions: Literal["none", "learned", "sinusoidal", "rotary"]
    layers: int
    def __init__(
        self,
        words: Sequence[str],
        *,
        steps: Sequence[str] | None = None,
        written: Mapping[str, Table] | None = None,
        others: Sequence[Sequence[str]] = (),
        trained: bool = False,
        sentence: int | None = None,
        step: str | None = None,
        order: Literal["pre", "post", "parallel"] | None = None,
        width: int | None = None,
        n_heads: int | None = None,
        head: int | None = None,
        out: Literal["nothing", "attention", "feed-forward"] | None = None,
        nudges: dict[str, float] | None = None,
        positions: Literal["none", "learned", "sinusoidal", "rotary"] | None = None,
        layers: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
