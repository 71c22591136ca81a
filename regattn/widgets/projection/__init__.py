"""The ProjectionExplorer: a table of counts, a sentence, and everything the co-occurrence projection makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from regattn.widgets._kit import Choice, Control, Count, Explorer, Slider, check_labels
from regattn.words._checks import check_counts
from regattn.words.cooccurrence import context_weights, predict_next, project, vocabulary_scores

__all__ = ["ProjectionExplorer"]

MOST_WORDS = 20  # of a table: a page has no room for more
VOCABULARY = 2000  # words to choose those of the table from
CHOSEN = 12  # words of the table at the start, where there are more to choose from
LONGEST = 12  # words of a sentence, here and in view.js


class _Sentence(Control):
    """A list of at most 12 words, each of them in the explorer's table; it may be empty."""

    kind = "words"

    def validate(self, obj: Any, value: Any) -> list[str]:
        """Return ``value`` as a list or raise a ValueError that names the unknown word."""
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ValueError(f"{self.name} must be a list of words, got {value!r}")
        for word in value:
            if word not in obj.words:
                raise ValueError(f"{self.name} has the word {word!r}, which is not in the table")
        if len(value) > LONGEST:
            raise ValueError(f"{self.name} has {len(value)} words; an explorer has room for {LONGEST}")
        return list(value)

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"options": explorer.words}


class _Shown(Control):
    """A list of words to stand in the table, at most 20."""

    kind = "shown"

    def validate(self, obj: Any, value: Any) -> list[str]:
        """Return ``value`` as a list or raise a ValueError that names the word or the number."""
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ValueError(f"{self.name} must be a list of words, got {value!r}")
        for k, word in enumerate(value):
            if word not in obj.words:
                raise ValueError(f"{self.name} has the word {word!r}, which is not in S")
            if word in value[:k]:
                raise ValueError(f"{self.name} has the word {word!r} twice")
        if len(value) > MOST_WORDS:
            raise ValueError(f"{self.name} has {len(value)} words; a table has room for {MOST_WORDS}")
        return list(value)

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"options": explorer.words}


class _Counts(Control):
    """A square, symmetric, non-negative table, one row and column for each word."""

    kind = "table"

    def default(self, obj: Any = None) -> list[list[float]]:
        """Return a table of zeros."""
        return [] if obj.many else np.zeros((len(obj.words), len(obj.words))).tolist()

    def validate(self, obj: Any, value: Any) -> list[list[float]]:
        """Return ``value`` as a list of rows or raise a ValueError that names what is wrong."""
        if obj.many:
            if isinstance(value, list) and not value:
                return value
            raise ValueError(f"{self.name} of more than {MOST_WORDS} words cannot be edited; give another S")
        table = np.asarray(check_counts(np.asarray(value, dtype=float)))
        if len(table) != len(obj.words):
            raise ValueError(f"{self.name} has {len(table)} rows but there are {len(obj.words)} words")
        return _symmetric(table, self.name).tolist()

    def _more(self, explorer: Any) -> dict[str, Any]:
        return {"size": 0 if explorer.many else len(explorer.words)}


class ProjectionExplorer(Explorer, panels=["next", "table", "scores", "weights", "mixed"]):
    r"""Show the co-occurrence projection of a sentence: M, its weights, E and the word beside, while S is edited.

    .. math:: M = Z S Z^\top, \quad E = g(M)\, Z S, \quad p = \mathrm{softmax}(\bar e)

    Choose the words or type the sentence, edit any cell of the table, choose how scores become weights, and change
    the unit in which everything was counted. Where the source says "next word", the explorer says "beside": a
    symmetric table knows no order. Of a larger vocabulary the reader chooses the words of the table; a word of the
    sentence joins them. Its counts are not edited. Implements :eq:`projected-counts`, :eq:`vocabulary-scores` and
    :eq:`next-word`; source: Secs. 2 and 3 of [MH]_.

    Parameters
    ----------
    S : DataFrame of shape (V, V)
        Symmetric counts ≥ 0, with the same words on rows and columns; at most 2,000 words.
    sentence : sequence of str
        Words of the table; may be empty, and words may repeat.

    Raises
    ------
    ValueError
        If S is not a symmetric table with words, has more than 2,000 of them, a word of the sentence or of the table is
        not in it, or ``normaliser`` or ``unit`` is out of range.

    Examples
    --------
    >>> from regattn.data import load_seven_words
    >>> explorer = ProjectionExplorer(load_seven_words(), sentence=["bank", "loan"])
    >>> explorer.result()["scores"]
    [[0.0, 6.0], [6.0, 0.0]]
    >>> explorer.result()["next_word"]
    'money'
    """

    sentence = _Sentence("Sentence: type it, or choose words", default=[], first=True)
    shown = _Shown(
        "Words of the table: type which",
        default=lambda self: [] if self.many else self.words,
        help="The words of the table, where S has more than 20; at the start the sentence and whom it meets most.",
    )
    normaliser = Choice(
        "Weights are",
        {
            "counts": "the counts",
            "log softmax": "shares: softmax of logs",
            "softmax": "softmax of counts",
        },
        help="How scores become weights, as in :func:`regattn.words.cooccurrence.context_weights`.",
        first=True,
    )
    unit = Slider(
        "Unit of counting",
        0.1,
        100,
        default=1.0,
        log=True,
        places=150,
        digits=2,
        notes={1: "as counted", None: "S is divided by it"},
        help="S is divided by it.",
    )
    row = Count(
        "Edit how often this word …",
        most=lambda self: len(self.words) - 1,
        bound="the last word",
        names="words",
        menu=True,
        help="The cell that the slider of counts edits, together with its mirror image.",
    )
    column = Count(
        "… meets this one", most=lambda self: len(self.words) - 1, bound="the last word", names="words", menu=True
    )
    counts = _Counts("Their count", help="The table as edited, before division by the unit.")

    def __init__(self, S: pd.DataFrame, *, sentence: Sequence[str], hide: Sequence[str] = (), **kit: Any) -> None:
        if not isinstance(S, pd.DataFrame):
            raise ValueError(f"S must be a DataFrame with words on rows and columns, got {type(S).__name__}")
        self.words = check_labels(S.columns, S.shape[1], "the words of S", rows="columns of S")
        if len(self.words) > VOCABULARY:
            raise ValueError(f"S has {len(self.words)} words; an explorer has room for {VOCABULARY}")
        project(S, list(S.columns)[:1])  # words on both sides, each once, numbers finite
        self.many = len(self.words) > MOST_WORDS
        self.counted = _symmetric(np.asarray(check_counts(S.to_numpy(dtype=float))), "S")
        sentence = list(sentence) if not isinstance(sentence, str) else sentence
        many = len(self.words)
        alt = (
            f"A table of how often {f'some of {many}' if self.many else many} words meet, the scores and weights "
            "that a sentence of them picks from it, the scores over the whole vocabulary, and the probability of every "
            "word beside them."
        )
        row, column = _first_pair(self.words, sentence)
        data: dict[str, Any] = {"words": self.words}
        traits: dict[str, Any] = {"sentence": sentence, "row": row, "column": column}
        if self.many:
            data["pairs"] = _pairs(self.counted)
            traits["shown"] = self._strongest(sentence)
        else:
            traits["counts"] = self.counted
        unused = ("row", "column", "counts") if self.many else ("shown",)
        super().__init__(**{"data": data, "alt": alt} | traits | kit | {"hide": [*_listed(hide), *unused]})

    def _strongest(self, sentence: Any) -> list[str]:
        """Return the words of a sentence, and those that meet them most: what a table shows first."""
        own = [] if isinstance(sentence, str) else [word for word in dict.fromkeys(sentence) if word in self.words]
        rows = self.counted[[self.words.index(word) for word in own]] if own else self.counted
        ranked = np.argsort(-rows.sum(axis=0), kind="stable")
        others = [self.words[k] for k in ranked if self.words[k] not in own]
        return [*own, *others][: max(CHOSEN, len(own))]

    def _table(self) -> pd.DataFrame:
        """Return the table shown, as it was counted or edited."""
        if not self.many:
            return pd.DataFrame(self.counts, self.words, self.words)
        words = _table_words(self.shown, self.sentence)
        places = [self.words.index(word) for word in words]
        return pd.DataFrame(self.counted[np.ix_(places, places)], words, words)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            The ``words`` of the table and their ``counts`` (S in the chosen unit), ``scores`` (M), ``weights``,
            ``vocabulary_scores`` (E), ``probabilities`` and ``next_word``, the (first) most probable one. What a
            sentence does not have is None: all but ``words`` and ``counts`` when it is empty, all but these and
            ``scores`` when a word of it meets no other and shares are asked for.
        """
        with np.errstate(over="ignore"):  # a count that overflows is refused
            table = self._table()
            words = list(table.columns)
            S = pd.DataFrame(check_counts(table.to_numpy() / self.unit), words, words) if words else table
        names = ("scores", "weights", "vocabulary_scores", "probabilities", "next_word")
        found = {"words": words, "counts": S.to_numpy().tolist(), **dict.fromkeys(names)}
        if not self.sentence:
            return found
        M = project(S, self.sentence).to_numpy()
        found["scores"] = M.tolist()
        if self.normaliser == "log softmax" and not (M > 0).any(axis=1).all():
            return found
        how = {"normaliser": self.normaliser}
        p = predict_next(S, self.sentence, **how)
        return found | {
            "weights": context_weights(S, self.sentence, **how).to_numpy().tolist(),
            "vocabulary_scores": vocabulary_scores(S, self.sentence, **how).to_numpy().tolist(),
            "probabilities": p.tolist(),
            "next_word": words[int(np.argmax(p >= p.max() * (1 - 1e-9)))],  # rounding breaks no tie
        }


def _first_pair(words: list[str], sentence: Sequence[str]) -> tuple[int, int]:
    """Return the cell to edit first: that of the sentence's first two words."""
    places = [words.index(word) for word in sentence if word in words] if not isinstance(sentence, str) else []
    first = places[0] if places else 0
    second = next((place for place in places if place != first), (first + 1) % len(words))
    return first, second


def _table_words(shown: Sequence[str], sentence: Sequence[str]) -> list[str]:
    """Return the words of a table: those to be shown, and those of the sentence, for which others make room."""
    missing = [word for word in dict.fromkeys(sentence) if word not in shown]
    spare = max(0, len(shown) + len(missing) - MOST_WORDS)
    dropped = [word for word in reversed(shown) if word not in sentence][:spare]
    return [*(word for word in shown if word not in dropped), *missing]


def _symmetric(table: np.ndarray, name: str) -> np.ndarray:
    """Return a table that is symmetric, as rounding may not have left it, or raise, naming the cells that differ."""
    odd = np.argwhere(~np.isclose(table, table.T, rtol=1e-9, atol=1e-12 * table.max()))
    if len(odd):
        i, j = odd[0]
        raise ValueError(f"{name} must be symmetric, got {table[i, j]:g} and {table[j, i]:g} at ({i}, {j})")
    upper = np.triu(table)
    return upper + np.triu(table, 1).T


def _pairs(table: np.ndarray) -> list[list[float]]:
    """Return the rows, the columns and the counts of the pairs of words that have met, each pair once."""
    rows, columns = np.nonzero(np.triu(table))
    return [rows.tolist(), columns.tolist(), table[rows, columns].tolist()]


def _listed(hide: Any) -> list[str]:
    return [hide] if isinstance(hide, str) else list(hide)
