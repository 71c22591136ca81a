"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

from regattn.grammar.sentences import Grammar
from regattn.transformer.language_model import LanguageModel
from regattn.transformer.text_model import TextModel
from regattn.widgets._kit import Explorer

class ModelExplorer(Explorer):
    sentence: str
    place: int
    donor: str
    head: str
    temperature: float
    top_k: int
    top_p: float
    seed: int
    silenced: list[str]
    written: int
    def __init__(
        self,
        model: LanguageModel | TextModel,
        grammar: Grammar | None = None,
        *,
        borrow: bool = False,
        sentence: str | None = None,
        place: int | None = None,
        donor: str | None = None,
        head: str | None = None,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        seed: int | None = None,
        silenced: list[str] | None = None,
        written: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
