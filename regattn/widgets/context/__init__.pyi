"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from regattn.regression import _context_training as training
from regattn.widgets._kit import Explorer

class ContextExplorer(Explorer):
    design: Literal["random", "fixed"]
    target: Literal["noisy", "clean"]
    attention: Literal["softmax", "pair", "plus", "linear"]
    depth: int
    tied: bool
    dimension: int
    context: int
    noise: float
    learning_rate: float
    tested: Literal["same", "quiet", "loud"]
    factor: float
    beside: Literal["inverse", "ridge", "best"]
    task: int
    query: int
    seed: int
    kept: str
    begun: int
    step: int
    def __init__(
        self,
        *,
        steps: int = 600,
        correlation: float = 0.5,
        design: Literal["random", "fixed"] | None = None,
        target: Literal["noisy", "clean"] | None = None,
        attention: Literal["softmax", "pair", "plus", "linear"] | None = None,
        depth: int | None = None,
        tied: bool | None = None,
        dimension: int | None = None,
        context: int | None = None,
        noise: float | None = None,
        learning_rate: float | None = None,
        tested: Literal["same", "quiet", "loud"] | None = None,
        factor: float | None = None,
        beside: Literal["inverse", "ridge", "best"] | None = None,
        task: int | None = None,
        query: int | None = None,
        seed: int | None = None,
        kept: str | None = None,
        begun: int | None = None,
        step: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def settings(self) -> training.Settings: ...
    def result(self) -> dict[str, Any]: ...
