"""What must hold for any text: tried on drawn examples by hypothesis, and on what atheris finds by watching the code.

Run as a program with the name of a property and a number of runs, it hands that property to atheris.
"""

import re
import sys
from collections import Counter

if __name__ == "__main__":  # before the package is imported, so that every branch of it is watched
    import atheris

    atheris.instrument_imports(include=["regattn"]).__enter__()

import numpy as np
import pytest

from regattn.exercises import Exercise
from regattn.exercises._reading import TABLES
from regattn.grammar import Grammar
from regattn.words import Vocabulary, count_cooccurrences, count_ngrams, split_words, train_tokenizer
from regattn.words.vocabulary import _UNKNOWN_WORD as UNKNOWN_WORD

GRAMMAR = Grammar()
SPOKEN = GRAMMAR.vocabulary
POLICIES = ("error", "skip", "gap", "replace")
ANSWERS = (1 / 3, [1.0, 2.0], "bank")
NUMERALS = (*TABLES["numerals"], *TABLES["constants"])


def can_be_written(text: str) -> bool:
    """Return whether a text holds no half of a surrogate pair."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def words(text: str, number: int) -> None:
    """Splitting loses no word; every pair of words is counted, on both sides."""
    found = split_words(text)
    assert all(split_words(word) == [word] for word in found)
    if found:
        vocabulary = Vocabulary.from_documents([found])
        assert dict(Counter(found)) == dict(zip(vocabulary.words, np.bincount(vocabulary.indices(found)), strict=True))
        window = number % 9 + 1
        pairs = sum(min(window, len(found) - 1 - place) for place in range(len(found)))
        assert count_cooccurrences([found], vocabulary, window=window).sum() == 2 * pairs


def vocabulary(text: str, number: int) -> None:
    """Any words are a vocabulary, unless one occurs twice or cannot be written; unknown words follow the policy."""
    listed, policy = text.split("/"), POLICIES[number % 4]
    fits = len(set(listed)) == len(listed) and can_be_written(text) and (policy != "replace" or UNKNOWN_WORD in listed)
    try:
        made = Vocabulary(listed, policy)
    except ValueError:
        assert not fits
        return
    assert fits
    assert made.indices(listed).tolist() == list(range(len(listed)))
    unknown = "".join(listed) + "?"
    if policy == "error":
        with pytest.raises(ValueError, match=re.escape(repr(unknown))):
            made.indices([unknown])
    else:
        expected = {"skip": [], "gap": [-1], "replace": [listed.index(UNKNOWN_WORD) if UNKNOWN_WORD in listed else 0]}
        assert made.indices([unknown]).tolist() == expected[policy]


def tokens(text: str, number: int) -> None:
    """A tokeniser learned from any text writes it back; its counts give every token a probability."""
    size = 256 + number % 40
    try:
        tokenizer = train_tokenizer([text, "the river bank"], vocabulary=size)
    except ValueError:
        assert not can_be_written(text)
        return
    assert can_be_written(text)
    ids = tokenizer.encode(text).ids
    assert tokenizer.decode(ids) == text
    assert all(0 <= token < tokenizer.get_vocab_size() <= size for token in ids)
    if ids:
        p = count_ngrams(ids, order=1 + number % min(3, len(ids)), vocabulary=size).probabilities(ids)
        assert (p > 0).all()
        assert abs(p.sum() - 1) < 1e-12


def grammar(text: str, number: int) -> None:
    """Any words are refused by name or read: as they stand, and as the words with those numbers."""
    try:
        numbers = GRAMMAR.encode(text.split())
    except ValueError:
        assert not set(text.split()) <= set(SPOKEN)
    else:
        assert GRAMMAR.decode(numbers) == text.split()
    context = ["the", *(SPOKEN[ord(character) % len(SPOKEN)] for character in text[:6])][number % 2 :]
    try:
        p = GRAMMAR.next_word(context).values()
    except ValueError:
        with pytest.raises(ValueError, match="cannot follow"):
            GRAMMAR.next_word(context)
        return
    assert abs(sum(p) - 1) < 1e-12
    assert min(p) >= 0


def answers(text: str, number: int) -> None:
    """An answer in words is right or wrong, never an error, and right only if it says what is asked for."""
    expected = ANSWERS[number % len(ANSWERS)]
    verdict = Exercise(lambda: expected, "look again", options={"bank": ("bank",), "loan": ("loan",)}).verdict(text)
    assert str(verdict)
    plain = text.lower()
    if isinstance(expected, str):
        assert not verdict or expected in plain
    else:
        assert not verdict or any(map(str.isnumeric, plain)) or any(name in plain for name in NUMERALS)


def planted(text: str, number: int) -> None:
    """A property that does not hold, to see that this is noticed."""
    assert "b" not in text or number % 2


PROPERTIES = {each.__name__: each for each in (words, vocabulary, tokens, grammar, answers)}

if __name__ == "__main__":
    chosen, runs = (PROPERTIES | {"planted": planted})[sys.argv[1]], sys.argv[2]

    def one(data: bytes) -> None:
        """Try one text, with a number before it."""
        provider = atheris.FuzzedDataProvider(data)
        number = provider.ConsumeIntInRange(0, 255)
        chosen(provider.ConsumeUnicode(200), number)

    limits = ["-timeout=20", "-rss_limit_mb=2000", "-max_len=400"]
    atheris.Setup([sys.argv[0], "-seed=20260101", f"-runs={runs}", *limits], one)
    atheris.Fuzz()
