"""What a ModelExplorer reads: the words of a grammar, which knows the truth, or any text, cut by a tokeniser."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from regattn.grammar._states import states
from regattn.grammar.sentences import Grammar

LONGEST = 24  # words or tokens that are read, here and in numbers.js


class OfGrammar:
    """Sentences of a grammar, and the true distribution after each of their words."""

    def __init__(self, model: Any, grammar: Any) -> None:
        from regattn.grammar._divergence import check_vocabularies
        from regattn.transformer._halves import check_design  # torch: only where there is a model

        if not isinstance(grammar, Grammar):
            raise ValueError(f"grammar must be a Grammar, got {type(grammar).__name__}")
        check_vocabularies(check_design(model), grammar)
        self.grammar, self.model, self.words = grammar, model, list(grammar.vocabulary)
        self.data = {"states": states(grammar), "words": self.words}
        self.beside = " beside the true ones"

    def tokens(self, sentence: str) -> list[int]:
        """Return the numbers of the words that are read, a full stop before them."""
        words: list[str] = ["."]
        typed = [word for word in re.split("[ \t\r\n\xa0]+", re.sub("[.,]", r" \g<0> ", sentence.lower())) if word]
        for word in typed[:LONGEST]:
            if word not in self.words:
                break
            words.append(word)
        return self.grammar.encode(words)

    def truth(self, tokens: list[int]) -> list[np.ndarray | None]:
        """Return the true distribution after each word, None where the grammar could not have written the beginning."""
        truth: list[np.ndarray | None] = []
        begun: list[str] = []
        for word in (self.words[token] for token in tokens):
            begun = [] if word == "." else [*begun, word]
            try:
                truth.append(np.array(list(self.grammar.next_word(begun).values())))
            except ValueError:
                truth.append(None)
        return truth


class OfText:
    """Any text, as the tokens of a TextModel; nobody knows what truly comes next."""

    def __init__(self, model: Any) -> None:
        from regattn.transformer._halves import check_design
        from regattn.transformer.text_model import TextModel
        from regattn.widgets._kit.tokenisers import light, packed_tokenizer

        if not isinstance(model, TextModel):
            raise ValueError(f"model must be a TextModel where there is no grammar, got {type(model).__name__}")
        self.model, self.tokenizer, self.start = check_design(model.model), model.tokenizer, model.start
        packed = packed_tokenizer("of the model", model.tokenizer)
        self.words = packed["tokens"]
        self.data = {"tokenizer": light(packed), "start": self.start}
        self.beside = ""

    def tokens(self, sentence: str) -> list[int]:
        """Return the tokens that are read, the start before them."""
        return [self.start, *self.tokenizer.encode(sentence).ids[:LONGEST]]
