"""The TokenExplorer: any text, cut by several tokenisers in the page as the library cuts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from regattn._text import check_text
from regattn._validation import check_count
from regattn.from_scratch import best_cut
from regattn.widgets._kit import Choice, Control, Explorer, TypedText
from regattn.widgets._kit.controls import LONGEST_TEXT
from regattn.widgets._kit.tokenisers import light, packed_tokenizer
from regattn.widgets.token._numerals import in_numerals

__all__ = ["TokenExplorer"]


class _Place(Control):
    """A word of the text, counted from 1; what is beyond the end is the last that is more than a space."""

    kind = "place"

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        return check_count(value, self.name, least=1, most=LONGEST_TEXT, bound="the longest text")

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"min": 1, "max": LONGEST_TEXT}


class TokenExplorer(Explorer, panels=["pieces", "history"]):
    r"""Show how tokenisers cut a text that the reader types, what it costs in bits, and how a word was put together.

    A token costs :math:`-\log_2 \frac{c + 1/2}{N + \mathcal V/2}` bits, with c its count in ``texts`` and N that of
    all tokens: a language model without any context. The page cuts the text itself, with the same result as the
    library's.

    Parameters
    ----------
    tokenizers : mapping of str to Tokenizer
        Tokenisers made by :func:`regattn.words.train_tokenizer`, each with a name.
    texts : sequence of str
        Where tokens are counted.

    Raises
    ------
    ValueError
        If there is no tokeniser, or one of another make; ``texts`` is no list of texts; or a control is out of range.

    Examples
    --------
    >>> from regattn.words import train_tokenizer
    >>> texts = ["low lower lowest"] * 5
    >>> explorer = TokenExplorer({"bytes": train_tokenizer(texts, vocabulary=259)}, texts, text="slowly")
    >>> explorer.result()["tokens"]
    {'bytes': ['s', 'low', 'l', 'y']}
    """

    text = TypedText("Text: type any", default="unhappiness", wide=True, first=True)
    tokenizer = Choice(
        "Tokeniser",
        lambda self: {name: name for name in self.tokenizers},
        bound="tokenisers",
        help="Whose numbers.",
        first=True,
    )
    word = _Place("Word", default=LONGEST_TEXT, help="Words as this tokeniser sees them.")

    def __init__(self, tokenizers: Mapping[str, Tokenizer], texts: Sequence[str], **kit: Any) -> None:
        if not isinstance(tokenizers, Mapping) or not tokenizers:
            raise ValueError(f"tokenizers must be a mapping of names to tokenisers, got {tokenizers!r}")
        if isinstance(texts, str) or not isinstance(texts, Sequence):
            raise ValueError(f"texts must be a list of texts, got {texts!r}")
        texts = [check_text(text, f"text {k}") for k, text in enumerate(texts)]
        self.tokenizers = {check_text(name, "a name"): tokenizer for name, tokenizer in tokenizers.items()}
        self.packed = {
            name: packed_tokenizer(*pair) for name, pair in zip(tokenizers, self.tokenizers.items(), strict=True)
        }
        for name, packed in self.packed.items():
            ids = [i for encoded in tokenizers[name].encode_batch(texts) for i in encoded.ids]
            packed["counts"] = np.bincount(ids, minlength=len(packed["tokens"])).tolist()
        alt = (
            "A text that can be typed, cut into pieces by each tokeniser, with the number of tokens and of bits, and "
            "how one of its words was put together."
        )
        data = {"tokenizers": [in_numerals(light(each)) for each in self.packed.values()]}
        super().__init__(**{"data": data, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            For each tokeniser by name: its ``tokens``, as the library writes them, and their ``ids``; the ``bits``
            they cost, and ``bits_per_byte`` (0 for no text; the page draws a dash where characters are lost); how many
            characters of the text are ``lost``. Of the chosen tokeniser: the ``word`` shown and its ``history``, one
            line for each merge, or for the best cut of its first one, two, … characters.
        """
        found: dict[str, Any] = {"tokens": {}, "ids": {}, "bits": {}, "bits_per_byte": {}, "lost": {}}
        for name, tokenizer in self.tokenizers.items():
            packed, encoded = self.packed[name], tokenizer.encode(self.text)
            counts = np.array(packed["counts"]) + 0.5
            bits = float(-np.log2(counts[encoded.ids] / counts.sum()).sum()) + 0.0
            unknown = [stop - start for i, (start, stop) in zip(encoded.ids, encoded.offsets, strict=True) if i == 0]
            lossy = packed["kind"] != "bytes"
            numbers = (encoded.tokens, encoded.ids, bits, bits / max(1, len(self.text.encode())))
            for key, value in zip(found, (*numbers, lossy * (sum(unknown) + self.text.count("▁"))), strict=True):
                found[key][name] = value
        tokenizer, packed = self.tokenizers[self.tokenizer], self.packed[self.tokenizer]
        words = [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(self.text)] or [""]
        space = "Ġ" if packed["kind"] == "bytes" else "▁"
        shown = max((k for k, word in enumerate(words, 1) if word.strip(space)), default=len(words))
        word = words[min(self.word, shown) - 1]
        return {**found, "word": word, "history": _history(word, packed)}


def _history(word: str, packed: Mapping[str, Any]) -> list[str]:
    """Return a word as it stood after each merge, or the best cuts of its beginnings."""
    tokens, known = packed["tokens"], set(packed["tokens"])
    if packed["kind"] == "unigram":
        costs = {token: -score for token, score in zip(tokens, packed["scores"], strict=True)}
        costs |= {character: 10 + max(costs.values()) for character in word if character not in known}
        return [" ".join(best_cut(word[:end], costs)) for end in range(1, len(word) + 1)]
    ranks = {(tokens[a], tokens[b]): rank for rank, (a, b) in enumerate(packed["merges"])}
    parts = [character if character in known else tokens[0] for character in word]
    lines = [" ".join(parts)]
    while True:
        pairs = list(pairwise(parts))
        at = min(range(len(pairs)), key=lambda k: ranks.get(pairs[k], len(ranks)), default=-1)
        if at < 0 or pairs[at] not in ranks:
            return lines
        parts[at : at + 2] = ["".join(pairs[at])]
        lines.append(" ".join(parts))
