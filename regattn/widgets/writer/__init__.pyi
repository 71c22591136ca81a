"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

from regattn.widgets._kit import Explorer

class WriterExplorer(Explorer):
    order: int
    seed: int
    own: str
    def __init__(
        self,
        text: str,
        *,
        order: int | None = None,
        seed: int | None = None,
        own: str | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
