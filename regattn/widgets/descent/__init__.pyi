"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from regattn.regression.trajectory import Trajectory
from regattn.widgets._kit import Explorer

class DescentExplorer(Explorer):
    learning_rate: float
    batch_size: int
    start_1: float
    start_2: float
    sign: Literal["minus", "plus"]
    seed: int
    step: int
    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        start: Sequence[float] = (0.0, 0.0),
        steps: int = 60,
        step: int | None = None,
        names: Sequence[str] | None = None,
        start_1: float | None = None,
        start_2: float | None = None,
        sign: Literal["minus", "plus"] | None = None,
        seed: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def trajectory(self, *, step: int | None = None) -> Trajectory: ...
    def result(self) -> dict[str, Any]: ...
