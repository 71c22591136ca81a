"""Words and their numbers: how text becomes rows and columns of a table of counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import regex

from regattn._text import check_text
from regattn._validation import check_count
from regattn.words._checks import check_document, nearest_word

__all__ = ["Vocabulary", "split_words"]

_UNKNOWN_WORD = "<unk>"
"""The entry that stands for every word outside a vocabulary with ``unknown="replace"``."""

_POLICIES = ("error", "skip", "gap", "replace")
_ORDERS = ("count", "first", "alphabet")
_ASCII_WORD = re.compile(r"\w+(?:'\w+)*", re.ASCII)  # where it will do, in two thirds of the time
_WORD = regex.compile(r"[\p{L}\p{N}_][\w\p{N}]*(?:['’׳״][\w\p{N}]+)*")  # \w has marks and joiners, and begins no word


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case: runs of letters and digits, apostrophes inside a word kept.

    Marks belong to the letter they stand on, and joiners to their word, by the properties of Unicode: accents, vowel
    signs, vowel points, tones. Words that a script writes without spaces between them, such as Thai, stay together.

    Parameters
    ----------
    text : str
        Any text. Where one word is spelled with and without composed letters, ``unicodedata.normalize`` makes it one.

    Returns
    -------
    list of str
        Words in order of appearance; punctuation and hyphens only separate.

    Raises
    ------
    ValueError
        If ``text`` is not a string.

    Examples
    --------
    >>> split_words("The river's high; it's a one-off.")
    ['the', "river's", 'high', "it's", 'a', 'one', 'off']
    >>> split_words("हिन्दी भाषा")
    ['हिन्दी', 'भाषा']
    """
    if not isinstance(text, str):
        raise ValueError(f"text must be a string, got {text!r}")
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text.lower())


@dataclass(frozen=True)
class Vocabulary:
    """The words that have a row and a column in a table of counts, and what happens to the others.

    Parameters
    ----------
    words : sequence of str
        The words, without repetition; the position of a word is its number.
    unknown : {"error", "skip", "gap", "replace"}, default "error"
        What becomes of a word that is not listed. ``"error"``: a ValueError names it. ``"skip"``: it is dropped, and
        its neighbours move closer together. ``"gap"``: it keeps its place but is never counted (number −1).
        ``"replace"``: it is counted as the word ``"<unk>"``, which must be among ``words``.

    Raises
    ------
    ValueError
        If there is no word, a word occurs twice, is not a string or cannot be written as UTF-8, or the policy is
        unknown.

    Examples
    --------
    >>> vocabulary = Vocabulary(["river", "bank", "loan"], unknown="gap")
    >>> vocabulary.indices(["loan", "shark", "bank"])
    array([ 2, -1,  1])
    >>> len(vocabulary), "shark" in vocabulary
    (3, False)
    """

    words: Sequence[str]
    unknown: str = "error"

    def __post_init__(self) -> None:
        if isinstance(self.words, str):
            raise ValueError(f"words must be a sequence of words, got the string {self.words!r}")
        object.__setattr__(self, "words", tuple(self.words))
        if not self.words:
            raise ValueError("a vocabulary needs at least one word, got none")
        if self.unknown not in _POLICIES:
            raise ValueError(f"unknown must be one of {', '.join(_POLICIES)}, got {self.unknown!r}")
        for position, word in enumerate(self.words):
            if not isinstance(word, str):
                raise ValueError(f"words must be strings, got {word!r} at position {position}")
            check_text(word, f"the word at position {position}")
            if self._numbers[word] != position:
                raise ValueError(f"words must differ, got {word!r} twice")
        if self.unknown == "replace" and _UNKNOWN_WORD not in self:
            raise ValueError(f'unknown="replace" needs the word {_UNKNOWN_WORD!r} among the words')

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[Sequence[str]],
        *,
        min_count: int = 1,
        max_size: int | None = None,
        order: str = "count",
        unknown: str | None = None,
    ) -> Vocabulary:
        """Return the vocabulary of a corpus.

        Parameters
        ----------
        documents : iterable of sequences of str
            One sequence of words per document; a generator is read once.
        min_count : int, default 1
            Words seen fewer times are left out.
        max_size : int, optional
            At most this many words, the most frequent ones; ties go to the word that sorts first.
        order : {"count", "first", "alphabet"}, default "count"
            Most frequent first (ties in alphabetical order), in order of first appearance, or alphabetical.
        unknown : {"error", "skip", "gap", "replace"}, optional
            See the class. By default ``"error"`` if every word passes and ``"gap"`` if one is left out, so that the
            same documents can be counted. ``"replace"`` appends ``"<unk>"`` to the words, beyond ``max_size``.

        Returns
        -------
        Vocabulary
            Words that pass, numbered in the order asked for.

        Raises
        ------
        ValueError
            If no word passes, an argument is out of range, or a document is not a sequence of words.

        Examples
        --------
        >>> Vocabulary.from_documents([["a", "rose", "is", "a", "rose"], ["is", "a"]], min_count=2).words
        ('a', 'is', 'rose')
        """
        counts: Counter[str] = Counter()
        for document in documents:
            counts.update(check_document(document))
        return cls.from_counts(counts, min_count=min_count, max_size=max_size, order=order, unknown=unknown)

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, int],
        *,
        min_count: int = 1,
        max_size: int | None = None,
        order: str = "count",
        unknown: str | None = None,
    ) -> Vocabulary:
        """Return the vocabulary of a corpus whose words have been counted; sums of counters of its parts will do.

        Parameters
        ----------
        counts : mapping of str to int
            How often each word occurs; in order of first appearance, where ``order="first"`` asks for it.
        min_count, max_size, order, unknown
            As in :meth:`from_documents`.

        Raises
        ------
        ValueError
            If no word passes, or an argument is out of range.

        Examples
        --------
        >>> here, there = Counter(["a", "rose", "is"]), Counter(["a", "rose"])
        >>> Vocabulary.from_counts(here + there, min_count=2).words
        ('a', 'rose')
        """
        min_count = check_count(min_count, "min_count")
        if order not in _ORDERS:
            raise ValueError(f"order must be one of {', '.join(_ORDERS)}, got {order!r}")
        _check_frequencies(counts)
        ranked = sorted((word for word, count in counts.items() if count >= min_count), key=lambda w: (-counts[w], w))
        if not ranked:
            raise ValueError(f"no word occurs at least {min_count} times")
        kept = ranked[: None if max_size is None else check_count(max_size, "max_size")]
        if order == "alphabet":
            kept.sort()
        elif order == "first":
            chosen = set(kept)
            kept = [word for word in counts if word in chosen]
        if unknown == "replace" and _UNKNOWN_WORD not in kept:
            kept.append(_UNKNOWN_WORD)
        if unknown is None:
            unknown = "error" if len(kept) == len(counts) else "gap"
        return cls(kept, unknown)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: position for position, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: Any) -> bool:
        return word in self._numbers

    def indices(self, tokens: Sequence[str]) -> np.ndarray:
        """Return the number of each word, following the policy for words that are not listed.

        Parameters
        ----------
        tokens : sequence of str
            The words of one document or sentence.

        Returns
        -------
        ndarray of int64, shape (number of tokens,)
            Numbers from 0 to len − 1; −1 for a gap; shorter than ``tokens`` when words were skipped.

        Raises
        ------
        ValueError
            If ``tokens`` is a string rather than a sequence of words, or a word is unknown under ``"error"``.

        Examples
        --------
        >>> Vocabulary(["river", "bank"]).indices(["bank", "river", "bank"])
        array([1, 0, 1])
        """
        tokens = check_document(tokens)
        fallback = self._numbers[_UNKNOWN_WORD] if self.unknown == "replace" else -1
        numbers = self._numbers
        found = np.array([numbers.get(word, fallback) for word in tokens], dtype=np.int64)
        if self.unknown in ("error", "skip") and (found < 0).any():
            if self.unknown == "error":
                position = int(np.argmax(found < 0))
                near = nearest_word(tokens[position], self._numbers)
                raise ValueError(f"unknown word {tokens[position]!r} at position {position}{near}")
            found = found[found >= 0]
        return found


def _check_frequencies(counts: Any) -> None:
    if not isinstance(counts, Mapping):
        raise ValueError(f"counts must be a mapping of words to how often they occur, got {type(counts).__name__}")
    for word, count in counts.items():
        if not isinstance(word, str) or not isinstance(count, Integral):
            raise ValueError(f"counts must map words to whole numbers, got {word!r}: {count!r}")
