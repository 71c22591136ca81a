"""The DirectionExplorer: the words of a sentence in any order, and which row shares notice it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from regattn._validation import check_matrix
from regattn.attention import attention_weights
from regattn.masks import causal_mask
from regattn.transformer.position import sinusoidal_positions
from regattn.widgets._kit import Choice, Control, Count, Explorer, Tick, check_labels
from regattn.words._checks import check_counts
from regattn.words.cooccurrence import project, selector

__all__ = ["DirectionExplorer"]

MOST_WORDS = 20  # a page has no room for more
LONGEST = 8  # words of a sentence
SIZE = 0.1  # of the positions, where none are given
BEYOND = 1e100  # scores that no table of counts needs
NOISE = 1e-13  # share of what a score could be at most; below, it is rounding
CANCELLED = 1e-6  # share of the sizes of a row's scores that their sum must exceed to be shared out
SAME = 1e-6  # shares that differ by less are the same


class _Order(Control):
    """The words of the sentence in some order, as a list."""

    kind = "order"

    def default(self, obj: Any = None) -> list[str]:
        """Return the order of the start."""
        return list(obj.sentence)

    def validate(self, obj: Any, value: Any) -> list[str]:
        """Return ``value`` as a list or raise a ValueError that names it."""
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        if not listed or sorted(map(str, value)) != sorted(obj.sentence):
            raise ValueError(f"{self.name} must hold the words {obj.sentence}, each as often as there, got {value!r}")
        return [str(word) for word in value]

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"options": explorer.sentence}

    def _words(self) -> str:
        return "list of str, the words of the sentence"


class _Held(Count):
    """The place of a word that is held, from 1; 0 is none."""

    kind = "held"


class _Read(NamedTuple):
    """What one order gives: scores and weights (R, R), by place, and probabilities (V,)."""

    scores: np.ndarray
    weights: np.ndarray
    chances: np.ndarray


class DirectionExplorer(Explorer, panels=["scores", "changed", "weights", "next"]):
    r"""Show what a change of order changes: scores with positions or a mask, symmetric or directed, at any rank.

    .. math:: M = \sum_{\text{terms on}} A\, S_{d_k} B^\top \;(A, B \in \{Z, P\}), \qquad
              S_{d_k} = W_Q W_K^\top, \qquad E = g(M)\, Z S, \qquad p = \mathrm{softmax}(\bar e)

    With all four terms :math:`M = (Z + P) S_{d_k} (Z + P)^\top`. S is the directed table C, or
    :math:`C + C^\top`, and :math:`S_{d_k}` its singular value decomposition cut to the first :math:`d_k` directions;
    the values ZS are not cut. *Turned*, the scores come from :math:`C^\top` and the values from C: the word that looks
    is then the later one, as under a mask, and p is still the next word. Under a causal mask a word looks at itself
    and at those before it only: the other scores and weights are 0.
    The row shares of the order shown are held against those of the sentence as it was given, word by word; equal words
    are matched as they stand. Source: Secs. 4 to 6 of [MH]_, where Z is called Q.

    Parameters
    ----------
    counts : DataFrame of shape (V, V)
        Directed counts C ≥ 0: how often the row's word comes before the column's. The same words on rows and columns;
        at most 20.
    positions : array-like of shape (R or more, V), optional
        P: one row for each place, added to the one-hot rows of words. By default a tenth of
        :func:`regattn.transformer.sinusoidal_positions` of the places 0, 1, … with V columns.
    sentence : sequence of 2 to 8 str, default ("dog", "bites", "man")
        Words of the table in their first order; may repeat.

    Raises
    ------
    ValueError
        If ``counts`` is no square table of counts with words or has too many, a word of ``sentence`` is not in it or
        there are too few or too many, ``positions`` does not fit or is not finite, scores could exceed 1e100, or a
        control is out of its range.

    Examples
    --------
    >>> words = ["dog", "bites", "man"]
    >>> counts = pd.DataFrame([[0, 6, 1], [1, 0, 5], [2, 1, 0]], words, words)
    >>> explorer = DirectionExplorer(counts, order=["man", "bites", "dog"], table="directed")
    >>> explorer.result()["differ"]
    0
    >>> explorer.psz = True
    >>> explorer.result()["differ"]  # the rows of the two words that moved
    6
    """

    order = _Order(
        "Order: drag, arrow keys, or tap two",
        help="The words as they stand now. Two that are tapped, one after the other, change places.",
        first=True,
    )
    held = _Held(
        "Word held", most=lambda self: len(self.sentence), bound="the last place", help="The place of a word, or 0."
    )
    table = Choice(
        "Table S",
        {
            "symmetric": "near: either order",
            "directed": "before: the row comes first",
            "turned": "after: the row comes later",
        },
        help="Which meetings of two words are counted. Under a mask the word that looks is the later one: after.",
        first=True,
    )
    kernel = Choice(
        "Kernel",
        {"identity": "shares of the row", "softmax": "softmax of the row"},
        help="How scores become weights g(M). Under identity a row whose scores sum to zero stays zero.",
    )
    rank = Count(
        "Rank d of W_Q W_Kᵀ in the scores",
        least=1,
        most=lambda self: len(self.words),
        default=lambda self: len(self.words),
        bound="V",
        of=True,
        wide=True,
        help="The directions of its singular value decomposition that S keeps in the scores; the values ZS are whole.",
    )
    zsz = Tick("ZSZᵀ: word looks at word", default=True, help="Whether M has the term of words and words.")
    zsp = Tick("ZSPᵀ: word looks at place", default=False, help="Whether M has the term of words and places.")
    psz = Tick("PSZᵀ: place looks at word", default=False, help="Whether M has the term of places and words.")
    psp = Tick("PSPᵀ: place looks at place", default=False, help="Whether M has the term of places and places.")
    masked = Tick(
        "Causal mask: no word looks ahead", default=False, help="Whether a word looks only at itself and back."
    )

    def __init__(
        self,
        counts: pd.DataFrame,
        positions: ArrayLike | None = None,
        sentence: Sequence[str] = ("dog", "bites", "man"),
        **kit: Any,
    ) -> None:
        if not isinstance(counts, pd.DataFrame):
            raise ValueError(f"counts must be a DataFrame with words on rows and columns, got {type(counts).__name__}")
        self.words = check_labels(counts.columns, counts.shape[1], "the words of counts", rows="columns")
        if len(self.words) > MOST_WORDS:
            raise ValueError(f"counts has {len(self.words)} words; an explorer has room for {MOST_WORDS}")
        rows = [str(label) for label in counts.index]
        C = np.asarray(check_counts(counts.to_numpy()), dtype=float)
        if isinstance(sentence, str) or not isinstance(sentence, Sequence) or not 2 <= len(sentence) <= LONGEST:
            raise ValueError(f"sentence must be a list of 2 to {LONGEST} words, got {sentence!r}")
        self.sentence = [str(word) for word in sentence]
        project(pd.DataFrame(C, rows, self.words), self.sentence)  # words on both sides, each once, and known
        self.positions = _check_positions(positions, len(self.sentence), len(self.words))
        with np.errstate(over="ignore"):
            self.tables = {"symmetric": C + C.T, "directed": C, "turned": C.T}
            size = float(C.sum() * 2 * (1 + np.abs(self.positions).sum(axis=1).max()) ** 2)
        if not size < BEYOND:
            raise ValueError(f"counts and positions are too large: scores could reach {size:g}, beyond {BEYOND:g}")
        self.factors = {name: np.linalg.svd(S) for name, S in self.tables.items()}
        longest = 1 + np.linalg.norm(self.positions, axis=1).max()
        self.noise = NOISE * float(self.factors["symmetric"][1][0] * longest**2)
        data = {"words": self.words, "sentence": self.sentence, "counts": C, "positions": self.positions}
        data |= {"noise": self.noise, "cancelled": CANCELLED, "same": SAME}
        data["factors"] = {name: {"left": U, "sizes": s, "right": Vt.T} for name, (U, s, Vt) in self.factors.items()}
        alt = (
            f"The sentence “{' '.join(self.sentence)}”, whose words can be put into another order: their scores for "
            "each other, with and without positions, the shares of each row, what the new order changes in them, and "
            "the probability of the next word."
        )
        super().__init__(**{"data": data, "alt": alt} | kit)

    def _read(self, words: Sequence[str]) -> _Read:
        S, L, R = self.tables[self.table], self.rank, len(words)
        U, s, Vt = self.factors[self.table]
        kept = S if len(self.words) == L else (U[:, :L] * s[:L]) @ Vt[:L]
        Z, P = selector([self.words.index(word) for word in words], len(self.words)), self.positions
        terms = [(self.zsz, Z, Z), (self.zsp, Z, P), (self.psz, P, Z), (self.psp, P, P)]
        M = sum((attention_weights(A @ kept, B, kernel="identity") for on, A, B in terms if on), np.zeros((R, R)))
        M[np.abs(M) <= self.noise] = 0.0
        mask = causal_mask(R) if self.masked else np.ones((R, R), dtype=bool)
        M = M * mask
        if self.kernel == "softmax":
            weights = attention_weights(M, np.eye(R), scale=1.0, mask=mask)
        else:
            sums = M.sum(axis=1, keepdims=True)
            shared = np.abs(sums) > CANCELLED * np.abs(M).sum(axis=1, keepdims=True)
            weights = np.divide(M, sums, where=shared, out=np.zeros_like(M))
        handed_over = self.tables["directed"] if self.table == "turned" else S
        mean = (weights @ (Z @ handed_over)).mean(axis=0)
        return _Read(M, weights, attention_weights([[1.0]], mean[:, None], scale=1.0)[0])

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            For the order shown, by place: ``scores`` (M) and ``weights``; the ``probabilities`` of all words and the
            (first) most probable one, ``next_word``. Against the order of the start: ``changed``, the difference of
            the weights with rows and columns by the words of ``sentence``; how many ``differ``; the ``largest``
            difference in size; ``shifted``, that of a probability. The ``total`` of the scores and the
            ``total_at_start`` and, as a share of its size, what of S is ``lost`` by the rank.
        """
        start, now = self._read(self.sentence), self._read(self.order)
        places = _places(self.sentence, self.order)
        changed = now.weights[np.ix_(places, places)] - start.weights
        changed[np.abs(changed) <= SAME * max(1.0, np.abs(now.weights).max())] = 0.0
        s, p = self.factors[self.table][1], now.chances
        s, shifted = s / (s[0] or 1.0), float(np.abs(p - start.chances).max())
        return {
            "scores": now.scores.tolist(),
            "weights": now.weights.tolist(),
            "probabilities": p.tolist(),
            "next_word": self.words[int(np.argmax(p >= p.max() * (1 - 1e-9)))],  # rounding breaks no tie
            "changed": changed.tolist(),
            "differ": int((changed != 0).sum()),
            "largest": float(np.abs(changed).max()),
            "shifted": shifted if shifted > SAME else 0.0,
            "total": self._total(now.scores),
            "total_at_start": self._total(start.scores),
            "lost": float(np.sqrt((s[self.rank :] ** 2).sum() / ((s**2).sum() or 1.0))),
        }

    def _total(self, scores: np.ndarray) -> float:
        total = float(scores.sum())
        return total if abs(total) > self.noise * scores.size else 0.0


def _check_positions(positions: Any, n_words: int, width: int) -> np.ndarray:
    """Return the rows of P that the sentence needs, (R, V), or a tenth of sines and cosines where none are given."""
    if positions is None:
        return SIZE * sinusoidal_positions(np.arange(n_words), width + width % 2)[:, :width]
    P = check_matrix(positions, "positions")
    if len(P) < n_words or P.shape[1] != width:
        raise ValueError(f"positions must have shape ({n_words} or more, {width}), got {P.shape}")
    return P[:n_words]


def _places(start: Sequence[str], order: Sequence[str]) -> np.ndarray:
    """Return where each word of the start stands in an order; equal words as they stand."""
    places = np.empty(len(start), dtype=int)
    places[sorted(range(len(start)), key=lambda k: start[k])] = sorted(range(len(order)), key=lambda k: order[k])
    return places
