"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

from regattn.widgets._kit import Explorer

class NeighbourExplorer(Explorer):
    query: int
    method: str
    window: str
    shift: str
    rank: int
    def __init__(
        self,
        spaces: Mapping[tuple[str, int, int], Any],
        *,
        words: Sequence[str],
        query: int | str = 0,
        groups: Sequence[str] | None = None,
        method: str | None = None,
        window: str | None = None,
        shift: str | None = None,
        rank: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
