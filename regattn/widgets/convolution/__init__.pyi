"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn.widgets._kit import Explorer

class ConvolutionExplorer(Explorer):
    image: int
    stride: int
    padding: int
    bias: float
    kernel_11: float
    kernel_12: float
    kernel_13: float
    kernel_21: float
    kernel_22: float
    kernel_23: float
    kernel_31: float
    kernel_32: float
    kernel_33: float
    turned: bool
    place: int
    def __init__(
        self,
        images: ArrayLike,
        *,
        titles: Sequence[str] | None = None,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        image: int | None = None,
        stride: int | None = None,
        padding: int | None = None,
        bias: float | None = None,
        kernel_11: float | None = None,
        kernel_12: float | None = None,
        kernel_13: float | None = None,
        kernel_21: float | None = None,
        kernel_22: float | None = None,
        kernel_23: float | None = None,
        kernel_31: float | None = None,
        kernel_32: float | None = None,
        kernel_33: float | None = None,
        turned: bool | None = None,
        place: int | None = None,
        hide: Sequence[str] = (),
        alt: str | None = None,
    ) -> None: ...
    def kernel(self) -> np.ndarray: ...
    def result(self) -> dict[str, Any]: ...
