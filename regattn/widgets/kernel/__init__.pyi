"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from regattn.widgets._kit import Explorer

class KernelExplorer(Explorer):
    kernel: Literal["identity", "nearest", "relu", "elu", "gaussian", "softmax"]
    temperature: float
    query: int
    neighbours: int
    include_self: bool
    normalise_keys: bool
    amplify: bool
    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        codes: Callable[[np.ndarray], np.ndarray] = ...,
        neighbours: int = 10,
        labels: Sequence[Any] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        cooling: bool = False,
        kernel: Literal["identity", "nearest", "relu", "elu", "gaussian", "softmax"] | None = None,
        temperature: float | None = None,
        query: int | None = None,
        include_self: bool | None = None,
        normalise_keys: bool | None = None,
        amplify: bool | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
