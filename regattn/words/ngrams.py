"""Tables of n-grams: how likely a token is after the few before it, and what that costs in bits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from regattn._rng import Rng, numpy_generator
from regattn._validation import check_count, check_real

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["NGram", "count_ngrams", "ngram_bits", "unseen_share", "write_like"]


@dataclass(frozen=True, eq=False)
class NGram:
    r"""A language model of counts: interpolated Kneser–Ney.

    .. math:: P_k(w \mid h) = \frac{\max(c(h w) - \delta, 0)}{c(h)} + \frac{\delta\, N(h)}{c(h)}\, P_{k-1}(w \mid h')

    with c the counts, N(h) the number of different tokens seen after the context h, and h' the context without its
    first token. Below the highest order c counts in how many different contexts a token was seen, not how often, unless
    the context begins with a start token: nothing stands before it. At the bottom stands the uniform distribution. Made
    by :func:`count_ngrams`. Implements :eq:`kneser-ney`.

    Attributes
    ----------
    order : int
        Tokens per n-gram; the context is one shorter.
    vocabulary : int
        V.
    discount : float
        δ, taken off every count and handed to the shorter context.
    counts : tuple of dict
        For every context length from 0 on: context -> token -> c.
    """

    order: int
    vocabulary: int
    discount: float
    counts: tuple[dict[tuple[int, ...], dict[int, int]], ...]

    def probabilities(self, context: Sequence[int]) -> np.ndarray:
        """Return the distribution of the next token, shape (V,); only the last ``order - 1`` tokens matter.

        Raises
        ------
        TypeError
            If a token of the context is not a whole number.

        Examples
        --------
        >>> model = count_ngrams([0, 1, 0, 1, 0, 2], order=2, vocabulary=3, discount=0.5)
        >>> model.probabilities([0]).round(3)
        array([0.111, 0.611, 0.278])
        """
        context = tuple(index(token) for token in context)
        p = np.full(self.vocabulary, 1 / self.vocabulary)
        for length in range(min(self.order - 1, len(context)) + 1):
            seen = self.counts[length].get(context[len(context) - length :])
            if seen is None:
                break  # a context never seen says nothing, and no longer one was seen either
            total = sum(seen.values())
            p *= self.discount * len(seen) / total
            tokens = list(seen)
            p[tokens] += np.maximum(np.array([seen[token] for token in tokens]) - self.discount, 0.0) / total
        return p

    def surprisals(self, tokens: Sequence[int]) -> np.ndarray:
        """Return −log P of every token after the first, in nats, each given those before it.

        Raises
        ------
        ValueError
            If a token is out of range, or the discount is so small that a probability vanishes.
        """
        tokens = _check_tokens(tokens, self.vocabulary)
        p = np.array([self._probability(tokens, i) for i in range(1, len(tokens))])
        if not p.all():
            raise ValueError(f"a discount of {self.discount} leaves nothing for token {tokens[int(np.argmin(p)) + 1]}")
        return -np.log(p)

    @cached_property
    def _seen(self) -> list[dict[tuple[int, ...], tuple[dict[int, int], int, float]]]:
        """What was seen after each context, its total, and the share that is handed to the shorter one."""
        return [
            {
                context: (seen, total := sum(seen.values()), self.discount * len(seen) / total)
                for context, seen in each.items()
            }
            for each in self.counts
        ]

    def _probability(self, tokens: list[int], i: int) -> float:
        """Return the probability of token i after those before it: one entry of :meth:`probabilities`."""
        p, token = 1 / self.vocabulary, tokens[i]
        for length in range(min(self.order - 1, i) + 1):
            known = self._seen[length].get(tuple(tokens[i - length : i]))
            if known is None:
                break
            seen, total, handed_down = known
            p *= handed_down
            if token in seen:
                p += max(seen[token] - self.discount, 0.0) / total
        return p


def count_ngrams(
    tokens: Sequence[int], *, order: int, vocabulary: int, discount: float = 0.75, start: int | None = None
) -> NGram:
    """Return the n-gram model of a text, or of several that begin with a start token.

    Parameters
    ----------
    tokens : sequence of int
        The text, as token numbers below ``vocabulary``.
    order : int
        1 for single tokens, 2 for pairs, 3 for triples, …
    vocabulary : int
        V.
    discount : float, default 0.75
        δ in (0, 1].
    start : int, optional
        The token that each of several texts begins with. No run of tokens then goes from one text into the next, a run
        that begins with it is counted as often as it occurs, at every order, and it is itself never counted as the
        next token.

    Returns
    -------
    NGram
        Its probabilities are positive for every token and sum to one.

    Raises
    ------
    ValueError
        If the text is shorter than ``order``, it does not begin with ``start``, a token is out of range, or a setting
        is.

    Examples
    --------
    >>> count_ngrams([0, 1, 1, 2], order=1, vocabulary=4, discount=0.4).probabilities([]).round(3)
    array([0.225, 0.475, 0.225, 0.075])

    Three texts, of which two begin with token 0; the start token is 3:

    >>> model = count_ngrams([3, 0, 1, 3, 0, 2, 3, 1], order=3, vocabulary=4, discount=0.4, start=3)
    >>> model.probabilities([3]).round(3)
    array([0.593, 0.327, 0.06 , 0.02 ])
    """
    order = check_count(order, "order")
    vocabulary = check_count(vocabulary, "vocabulary")
    discount = check_real(discount, "discount", least=0.0, most=1.0, strictly=True)
    tokens = _check_tokens(tokens, vocabulary)
    if len(tokens) < order:
        raise ValueError(f"the text has {len(tokens)} tokens, too few for order {order}")
    begins: Sequence[int] = [0]
    if start is not None:
        start = check_count(start, "start", least=0, most=vocabulary - 1)
        if tokens[:1] != [start]:
            raise ValueError(f"a text begins with its start token {start}, got {tokens[:1]}")
        begins = [at for at, token in enumerate(tokens) if token == start]
    texts = [tokens[a:b] for a, b in pairwise([*begins, len(tokens)])]
    highest: Counter[tuple[int, ...]] = Counter()
    for text in texts:
        highest.update(zip(*(text[i:] for i in range(order)), strict=False))
    highest.pop((start,), None)  # given, never the next token
    counts = []
    for length in range(order, 0, -1):
        by_context: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
        for gram, count in highest.items():
            by_context[gram[:-1]][gram[-1]] = count
        counts.append(dict(by_context))
        highest = Counter(gram[1:] for gram in highest)  # in how many contexts, not how often
        if start is not None and length > 2:  # but before a start stands nothing that could be counted
            highest.update(tuple(text[: length - 1]) for text in texts if len(text) >= length - 1)
    return NGram(order, vocabulary, discount, tuple(reversed(counts)))


def ngram_bits(tokenizer: Tokenizer, train: Sequence[str], test: Sequence[str], *, order: int) -> pd.DataFrame:
    """Return what each held-out text costs in bits, by the n-gram model of other texts.

    The model is that of :func:`count_ngrams` with a start token before every text. Divided by the bytes, bits can be
    compared across tokenisers (:eq:`bits-per-byte`), if the tokeniser gives the texts back.

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
        Cuts all texts.
    train, test : sequences of str
        What is counted, and what is predicted.
    order : int
        Tokens per n-gram.

    Returns
    -------
    DataFrame
        One row for each text of ``test``: its ``bits``, ``tokens`` and ``bytes``.

    Raises
    ------
    ValueError
        If ``train`` or ``test`` is one string instead of several, ``test`` has none, or ``train`` has fewer than
        ``order`` tokens.

    Examples
    --------
    >>> from regattn.words import train_tokenizer
    >>> tokenizer = train_tokenizer(["low lower lowest"] * 5, vocabulary=259)
    >>> ngram_bits(tokenizer, ["low lower"] * 3, ["lower", "slow"], order=2).round(1)
       bits  tokens  bytes
    0   6.7       3      5
    1  14.4       2      4
    """
    start = tokenizer.get_vocab_size()

    def coded(texts: Sequence[str], name: str) -> list[list[int]]:
        if isinstance(texts, str):
            raise ValueError(f"{name} must be several texts, got one of {len(texts)} characters")
        return [[start, *each.ids] for each in tokenizer.encode_batch(list(texts))]

    text = [token for each in coded(train, "train") for token in each]
    model = count_ngrams(text, order=order, vocabulary=start + 1, start=start)
    ids = coded(test, "test")
    if not ids:
        raise ValueError("test has no text to score")
    return pd.DataFrame(
        {
            "bits": [model.surprisals(each).sum() / np.log(2) for each in ids],
            "tokens": [len(each) - 1 for each in ids],
            "bytes": [len(each.encode()) for each in test],
        }
    )


def unseen_share(train: Sequence[Sequence], test: Sequence[Sequence], *, order: int) -> float:
    """Return the share of runs of ``order`` tokens in held-out texts that other texts do not contain.

    Parameters
    ----------
    train, test : sequences of texts
        Each text a sequence of tokens: words, or numbers. No run goes from one text into the next.
    order : int
        Tokens in a run.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        If no text of ``test`` is as long as ``order``.

    Examples
    --------
    >>> unseen_share([["a", "b", "c"], ["c", "a"]], [["b", "c", "a"]], order=2)
    0.0
    >>> unseen_share([["a", "b", "c"], ["c", "a"]], [["b", "c", "a"]], order=3)
    1.0
    """
    order = check_count(order, "order")

    def runs(texts: Sequence[Sequence]) -> list[tuple]:
        return [run for text in texts for run in zip(*(text[i:] for i in range(order)), strict=False)]

    seen, asked = set(runs(train)), runs(test)
    if not asked:
        raise ValueError(f"no text of test has the {order} tokens of a run")
    return sum(run not in seen for run in asked) / len(asked)


def write_like(text: Sequence[str], *, order: int, length: int, rng: Rng) -> list[str]:
    """Return words written one at a time, each copied from a place of a text where the same few words stand before.

    It draws from the shares of an n-gram model without smoothing: of all places where the last ``order - 1`` words
    stand, one is chosen at random, and the word after it is copied. Where there is none, fewer words have to agree.

    Parameters
    ----------
    text : sequence of str
        What is copied from, word by word.
    order : int
        1 copies from anywhere, 2 looks at one word before, 3 at two, …
    length : int
        Words to write.
    rng : int or Generator
        Whence the choices.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If the text is empty, or a count is below 1.

    Examples
    --------
    >>> write_like("to be or not to be".split(), order=3, length=4, rng=1)
    ['or', 'not', 'to', 'be']
    """
    words, rng = tuple(text), numpy_generator(rng)
    order, length = check_count(order, "order"), check_count(length, "length")
    if isinstance(text, str) or not words:
        raise ValueError(f"text must be a list of at least one word, got {text!r}")
    after = defaultdict(list)  # where each word is followed by another
    for place, word in enumerate(words[:-1], start=1):
        after[word].append(place)
    written: list[str] = []
    while len(written) < length:
        places: Sequence[int] = range(len(words))
        for size in range(min(order - 1, len(written)), 0, -1):
            before = tuple(written[-size:])
            if agree := [k for k in after[before[-1]] if k >= size and words[k - size : k] == before]:
                places = agree
                break
        written.append(words[places[int(rng.integers(len(places)))]])
    return written


def _check_tokens(tokens: Sequence[int], vocabulary: int) -> list[int]:
    tokens = np.asarray(tokens)
    if tokens.ndim != 1 or tokens.dtype.kind not in "iu":
        raise ValueError(f"tokens must be one list of whole numbers, got {tokens.dtype} of shape {tokens.shape}")
    if len(tokens) and not (tokens.min() >= 0 and tokens.max() < vocabulary):
        offending = tokens.min() if tokens.min() < 0 else tokens.max()
        raise ValueError(f"tokens must be from 0 to {vocabulary - 1}, got {offending}")
    return tokens.tolist()
