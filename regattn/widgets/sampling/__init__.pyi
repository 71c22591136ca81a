"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from regattn.widgets._kit import Explorer

class SamplingExplorer(Explorer):
    context: str
    follows: str
    temperature: float
    top_k: int
    top_p: float
    seed: int
    def __init__(
        self,
        logits: ArrayLike,
        *,
        contexts: Sequence[str],
        words: Sequence[str],
        context: str | None = None,
        follows: str | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
