"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from regattn.transformer.language_model import LanguageModel
from regattn.widgets._kit import Explorer

class InductionExplorer(Explorer):
    text: str
    back: Literal["1", "0", "off"]
    match: bool
    causal: bool
    sharpness: float
    def __init__(
        self,
        model: LanguageModel | None = None,
        *,
        text: str | None = None,
        back: Literal["1", "0", "off"] | None = None,
        match: bool | None = None,
        causal: bool | None = None,
        sharpness: float | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
