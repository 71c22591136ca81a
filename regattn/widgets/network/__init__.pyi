"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from regattn.regression.classification import Network
from regattn.widgets._kit import Explorer

class NetworkExplorer(Explorer):
    units_1: int
    units_2: int
    activation: Literal["tanh", "relu", "leaky_relu", "gelu", "silu", "identity"]
    learning_rate: float
    weight_decay: float
    batch_size: int
    seed: int
    step: int
    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        X_held_out: ArrayLike | None = None,
        y_held_out: ArrayLike | None = None,
        *,
        steps: int = 1000,
        names: Sequence[str] | None = None,
        classes: Sequence[str] = ("no", "yes"),
        batch_size: int | None = None,
        units_1: int | None = None,
        units_2: int | None = None,
        activation: Literal["tanh", "relu", "leaky_relu", "gelu", "silu", "identity"] | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        seed: int | None = None,
        step: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def start(self) -> Network: ...
    def trained(self, *, step: int | None = None) -> tuple[Network, list[Network], int | None]: ...
    def result(self) -> dict[str, Any]: ...
