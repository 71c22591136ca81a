"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from regattn.widgets._kit import Explorer

class CodebookExplorer(Explorer):
    across: float
    upwards: float
    book: int
    assignment: Literal["hard", "soft", "none"]
    temperature: float
    rounds: int
    def __init__(
        self,
        latents: ArrayLike,
        images: ArrayLike,
        decoder: Sequence[Any],
        codebooks: Sequence[Any],
        labels: Sequence[str] | None = None,
        judge: Sequence[Any] | None = None,
        *,
        across: float | None = None,
        upwards: float | None = None,
        book: int | None = None,
        assignment: Literal["hard", "soft", "none"] | None = None,
        temperature: float | None = None,
        rounds: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
