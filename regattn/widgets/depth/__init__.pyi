"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from regattn.widgets._kit import Explorer

class DepthExplorer(Explorer):
    residual: bool
    layers: int
    time: int
    kernel: Literal["identity", "softmax"]
    mask: bool
    step: float
    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        units: ArrayLike,
        dates: ArrayLike,
        *,
        known: int = 4,
        since: int | None = None,
        deepest: int = 4096,
        target: str = "target",
        residual: bool | None = None,
        layers: int | None = None,
        time: int | None = None,
        kernel: Literal["identity", "softmax"] | None = None,
        mask: bool | None = None,
        step: float | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
