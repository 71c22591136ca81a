"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from regattn.widgets._kit import Explorer

class SpectralExplorer(Explorer):
    ridge: float
    rank: int
    query: int
    root: Literal["spectral", "cholesky", "rotated"]
    angle: float
    guide: Literal["weight", "near"]
    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        X_new: ArrayLike | None = None,
        y_new: ArrayLike | None = None,
        *,
        rank: int | None = None,
        query: int | str = 0,
        labels: Sequence[Any] | None = None,
        labels_new: Sequence[Any] | None = None,
        named: Sequence[str] = (),
        row: str = "training observation",
        units: str = "",
        later: str = "",
        stretches: Mapping[str, tuple[str, str]] | None = None,
        panels: Sequence[str] = ("weights", "codes", "split", "sum", "path"),
        hide: Sequence[str] = (),
        ridge: float | None = None,
        root: Literal["spectral", "cholesky", "rotated"] | None = None,
        angle: float | None = None,
        guide: Literal["weight", "near"] | None = None,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
