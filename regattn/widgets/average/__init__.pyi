"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn.widgets._kit import Explorer

class AverageExplorer(Explorer):
    query: float
    kernel: str
    sharpness: float
    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        query: float | None = None,
        labels: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        line: bool = False,
        kernel: str | None = None,
        sharpness: float | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def codes(self, x: np.ndarray) -> np.ndarray: ...
    def result(self) -> dict[str, Any]: ...
