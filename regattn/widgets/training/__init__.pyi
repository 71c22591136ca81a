"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from regattn.grammar.sentences import Grammar
from regattn.widgets._kit import Explorer
from regattn.widgets.training._walk import Task, Walk

class TrainingExplorer(Explorer):
    own: str
    learning_rate: float
    step: int
    seed: int
    writes: Literal["drawn", "likeliest"]
    beginning: str
    head: int
    def __init__(
        self,
        source: Grammar | str | None = None,
        *,
        width: int = 32,
        n_heads: int = 4,
        layers: int = 1,
        steps: int = 1500,
        own: str | None = None,
        learning_rate: float | None = None,
        step: int | None = None,
        seed: int | None = None,
        writes: Literal["drawn", "likeliest"] | None = None,
        beginning: str | None = None,
        head: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def trained(self) -> tuple[Task, Walk]: ...
    def result(self) -> dict[str, Any]: ...
