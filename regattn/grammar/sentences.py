r"""A small probabilistic grammar of English-like sentences whose conditional probabilities are known exactly.

Three kinds of sentence, drawn independently of each other:

- agreement: "the dogs that the farmer saw near the mill are old ." The verb takes the number of a noun that may stand
  several words back, with nouns of the other number in between;
- reference: "anna called tom because she missed tom ." The pronoun says which name it stands for, and the last word
  must be the other name;
- sense: "near the stream the bank was muddy ." The word *bank* means a shore or a lender, and the words that may follow
  it depend on which.

A text is a sequence of sentences. The grammar is a set of weighted rules; a state of knowledge about a text is a
distribution over what may still be to come (:meth:`Grammar.start`, :meth:`Grammar.advance`), from which the next-word
distribution and the entropy follow by enumeration.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import index
from typing import NamedTuple

import numpy as np

from regattn._rng import Rng, numpy_generator
from regattn._validation import check_count, check_real
from regattn.grammar._knowledge import Belief, frozen, known_at_start, remaining, successors
from regattn.grammar._lexicon import LEXICON, Lexicon
from regattn.grammar._rules import Rules, State, Symbol, Word

__all__ = ["Entropy", "Grammar", "Sentence", "Word"]


class Sentence(NamedTuple):
    """Words with their parse: the role of each, and the index of the earlier word it depends on (or None)."""

    words: tuple[str, ...]
    roles: tuple[str, ...]
    heads: tuple[int | None, ...]


class Entropy(NamedTuple):
    """Entropy of one sentence in nats, its mean length in words, and their ratio, the entropy per word."""

    per_sentence: float
    mean_length: float
    per_word: float


@dataclass(frozen=True)
class Grammar:
    """A grammar with its lexicon.

    Parameters
    ----------
    depth : int, default 1
        How many relative clauses may stand one inside another; 0 for none.
    clause : float, default 0.3
        Probability that a noun carries a relative clause, where the depth allows one.
    lexicon : Lexicon
        The words.

    Examples
    --------
    >>> grammar = Grammar()
    >>> p = grammar.next_word("the dogs near the mill".split())
    >>> p["sleeps"], p["sleep"] > 0
    (0.0, True)
    >>> " ".join(grammar.sample(np.random.default_rng(1)).words)
    'simon invited anna because he trusted anna .'
    """

    depth: int = 1
    clause: float = 0.3
    lexicon: Lexicon = LEXICON

    def __post_init__(self) -> None:
        check_count(self.depth, "depth", least=0)
        check_real(self.clause, "clause", least=0.0, most=1.0)
        if not isinstance(self.lexicon, Lexicon):
            raise ValueError(f"lexicon must be a Lexicon, got {type(self.lexicon).__name__}")

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """All words, in the order of their token numbers; token 0 is the full stop, which also starts a text."""
        return self.lexicon.vocabulary

    def encode(self, words: Sequence[str]) -> list[int]:
        """Return the token number of each word.

        Raises
        ------
        ValueError
            If a word is not in the vocabulary.
        """
        numbers = _numbers(self.lexicon)
        for word in words:
            if word not in numbers:
                raise ValueError(f"{word!r} is not among the {len(numbers)} words of the grammar")
        return [numbers[word] for word in words]

    def decode(self, tokens: Sequence[int]) -> list[str]:
        """Return the word of each token number.

        Raises
        ------
        ValueError
            If a number is not the number of a word.
        TypeError
            If it is not a whole number.
        """
        words = self.vocabulary
        numbers = [check_count(index(token), "token", least=0, most=len(words) - 1) for token in tokens]
        return [words[number] for number in numbers]

    def expand(self, symbol: Symbol) -> list[tuple[float, State]]:
        """Return the rules of a symbol: probabilities, and the words and symbols that may take its place."""
        return _expand(self, symbol)

    def sample(self, rng: Rng) -> Sentence:
        """Return one sentence with its parse; ``rng`` is a seed or a generator."""
        words, pending, rng = [], [("S",)], numpy_generator(rng)
        while pending:
            first = pending.pop(0)
            if isinstance(first, Word):
                words.append(first)
                continue
            replacements, bounds = _dice(self, first)
            pending = [*replacements[bisect_right(bounds, rng.random())], *pending]
        places = {word.role: i for i, word in reversed(list(enumerate(words)))}
        return Sentence(
            tuple(word.text for word in words),
            tuple(word.role for word in words),
            tuple(None if word.depends_on is None else places[word.depends_on] for word in words),
        )

    def sample_tokens(self, rng: Rng, *, texts: int, length: int) -> np.ndarray:
        """Return texts of exactly ``length`` tokens, shape (texts, length): a full stop, then sentences, cut off."""
        check_count(texts, "texts")
        check_count(length, "length")
        rng = numpy_generator(rng)
        table = np.zeros((texts, length), dtype=np.int64)
        for row in table:
            words = ["."]
            while len(words) < length:
                words.extend(self.sample(rng).words)
            row[:] = self.encode(words[:length])
        return table

    def start(self) -> Belief:
        """Return what is known at the beginning of a sentence: that a sentence is to come."""
        return {(("S",),): 1.0}

    def advance(self, belief: Belief, word: str) -> Belief:
        """Return what is known after one more word.

        Raises
        ------
        ValueError
            If the grammar gives the word probability zero here.
        """
        after = successors(self, frozen(belief)).get(word)
        if after is None:
            raise ValueError(f"{word!r} cannot come next")
        return dict(after[1])

    def next_word(self, context: Sequence[str]) -> dict[str, float]:
        """Return the exact probability of every word of the vocabulary after ``context``, whole sentences included.

        Raises
        ------
        ValueError
            If the grammar cannot have produced ``context``; the message names the word and its place.
        """
        belief, before = self.start(), []
        for i, word in enumerate(context):
            try:
                belief = self.advance(belief, word)
            except ValueError:
                raise ValueError(f"word {i}, {word!r}, cannot follow {' '.join(before)!r}") from None
            before.append(word)
        found = successors(self, frozen(belief))
        return {word: found[word][0] if word in found else 0.0 for word in self.vocabulary}

    def conditionals(self, tokens: np.ndarray) -> np.ndarray:
        """Return the exact next-word distributions along texts.

        Parameters
        ----------
        tokens : ndarray of int, shape (B, T)
            Each row starts with the full stop (token 0).

        Returns
        -------
        ndarray of shape (B, T, V)
            Row (b, t) is the distribution of the token after token t.

        Raises
        ------
        ValueError
            If ``tokens`` is not such a matrix, a number is not the number of a word, or the grammar cannot write a row.
        """
        tokens = np.asarray(tokens)
        if tokens.ndim != 2 or tokens.dtype.kind not in "iu" or (tokens[:, :1] != 0).any() or tokens.shape[1] == 0:
            raise ValueError(f"tokens must have shape (B, T) with a full stop first, got shape {tokens.shape}")
        p = np.zeros((*tokens.shape, len(self.vocabulary)))
        for b, row in enumerate(tokens.tolist()):
            known = known_at_start(self)
            for t, token in enumerate(row):
                if t:
                    known = known.after(self, token)
                p[b, t] = known.chances
        return p

    def entropy(self) -> Entropy:
        r"""Return the exact entropy of the text the grammar writes.

        .. math:: H = -\sum_s P(s) \log P(s), \qquad h = H / \mathbb{E}[\text{length}]

        Sentences are independent and end at their full stop, so h is the entropy rate of a text in nats per word: the
        floor of the cross-entropy of any model.

        Examples
        --------
        >>> round(Grammar().entropy().per_word, 3)
        1.349
        """
        nats, length = remaining(self, frozen(self.start()))
        return Entropy(nats, length, nats / length)


@lru_cache(maxsize=8)
def _numbers(lexicon: Lexicon) -> dict[str, int]:
    return {word: i for i, word in enumerate(lexicon.vocabulary)}


@lru_cache(maxsize=100_000)
def _expand(grammar: Grammar, symbol: Symbol) -> list[tuple[float, State]]:
    return list(getattr(Rules(grammar.depth, grammar.clause, grammar.lexicon), symbol[0])(*symbol[1:]))


@lru_cache(maxsize=100_000)
def _dice(grammar: Grammar, symbol: Symbol) -> tuple[list[State], list[float]]:
    """Return what may take a symbol's place, and where in [0, 1) each ends: the draws are those of ``rng.choice``."""
    shares, replacements = zip(*grammar.expand(symbol), strict=True)
    bounds = np.cumsum(shares)
    return list(replacements), (bounds / bounds[-1]).tolist()
