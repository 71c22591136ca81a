"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from regattn._rng import Rng
from regattn.regression.embedding import EmbeddingPath
from regattn.widgets._kit import Explorer

class EmbeddingExplorer(Explorer):
    teacher: Literal["listed", "mixed", "noise"]
    count: int
    start: Literal["zero", "random", "factors"]
    learning_rate: float
    seed: int
    step: int
    def __init__(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        new: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        targets: Sequence[str] | None = None,
        new_name: str = "the new target",
        steps: int = 500,
        rng: Rng = 0,
        teacher: Literal["listed", "mixed", "noise"] | None = None,
        count: int | None = None,
        start: Literal["zero", "random", "factors"] | None = None,
        learning_rate: float | None = None,
        seed: int | None = None,
        step: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def path(self, step: int | None = None) -> EmbeddingPath: ...
    def result(self) -> dict[str, Any]: ...
