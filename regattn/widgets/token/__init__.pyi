"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any

from tokenizers import Tokenizer

from regattn.widgets._kit import Explorer

class TokenExplorer(Explorer):
    text: str
    tokenizer: str
    word: int
    def __init__(
        self,
        tokenizers: Mapping[str, Tokenizer],
        texts: Sequence[str],
        *,
        text: str | None = None,
        tokenizer: str | None = None,
        word: int | None = None,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
