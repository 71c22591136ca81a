"""Aligned text: pairs of sentences whose words are known to belong together, and tables that find them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from regattn._rng import Rng, numpy_generator
from regattn._validation import check_count
from regattn.words._checks import check_document

__all__ = ["AlignedPair", "make_aligned_text", "score_alignment", "share_right", "translation_table"]


class AlignedPair(NamedTuple):
    """A sentence, its translation, and for each word of the translation the place of the word it translates."""

    source: list[str]
    target: list[str]
    places: list[int]


NOUNS = {"dog": "Hund", "man": "Mann", "wolf": "Wolf", "cook": "Koch", "doctor": "Arzt", "thief": "Dieb"}
NOUNS |= {"king": "König", "son": "Sohn", "fish": "Fisch", "bird": "Vogel", "brother": "Bruder", "judge": "Richter"}
VERBS = {"bit": "biss", "saw": "sah", "heard": "hörte", "called": "rief", "chased": "jagte", "found": "fand"}
VERBS |= {"loved": "liebte", "greeted": "grüßte"}
ADJECTIVES = {"old": "alt", "young": "jung", "small": "klein", "sad": "traurig", "clever": "klug", "wild": "wild"}
ADVERBS = {"often": "oft", "never": "nie", "today": "heute", "once": "einst", "soon": "bald"}
ARTICLES = {("the", 0): ("der", "e"), ("the", 1): ("den", "en"), ("a", 0): ("ein", "er"), ("a", 1): ("einen", "en")}


def make_aligned_text(n: int, *, rng: Rng = 0) -> list[AlignedPair]:
    """Return English clauses and their German translations, drawn at random, with the alignment by construction.

    *that the dog often bit a young man* is *dass der Hund einen jungen Mann oft biss*: the verb moves to the end, and
    articles and adjectives say in German who bites. No other word has two translations, or two sources.

    Parameters
    ----------
    n : int
        Number of pairs, at least 1.
    rng : int or Generator, default 0
        Draws the words.

    Returns
    -------
    list of AlignedPair
        Each with the source's words, the target's words, and the place in the source of every target word.

    Raises
    ------
    ValueError
        If ``n`` is below 1.

    Examples
    --------
    >>> source, target, places = make_aligned_text(1, rng=4)[0]
    >>> print(" ".join(source), "·", " ".join(target))
    that a small bird once greeted a king · dass ein kleiner Vogel einen König einst grüßte
    >>> places
    [0, 1, 2, 3, 6, 7, 4, 5]
    """
    n, rng = check_count(n, "n"), numpy_generator(rng)
    return [_draw_pair(rng) for _ in range(n)]


def _draw_pair(rng: np.random.Generator) -> AlignedPair:
    source, groups, late = ["that"], [("dass", 0)], []
    adverb, verb = (str(rng.choice(list(words))) for words in (ADVERBS, VERBS))
    for role, noun in enumerate(rng.choice(list(NOUNS), size=2, replace=False).tolist()):
        article = str(rng.choice(["the", "a"]))
        german, ending = ARTICLES[article, role]
        phrase = [(german, article)]
        if rng.random() < 0.5:
            adjective = str(rng.choice(list(ADJECTIVES)))
            phrase.append((ADJECTIVES[adjective] + ending, adjective))
        for word, english in [*phrase, (NOUNS[noun], noun)]:
            groups.append((word, len(source)))
            source.append(english)
        if role == 0:  # English goes on with the verb, German keeps it for the end
            if rng.random() < 0.5:
                late.append((ADVERBS[adverb], len(source)))
                source.append(adverb)
            late.append((VERBS[verb], len(source)))
            source.append(verb)
    target, places = zip(*groups, *late, strict=True)
    return AlignedPair(source, list(target), list(places))


def translation_table(pairs: Iterable[Sequence[Sequence[str]]], *, rounds: int = 1) -> pd.DataFrame:
    r"""Return how likely each target word is as the translation of each source word, by attention and counting.

    .. math:: \omega_{ji} = \mathrm{softmax}_i\bigl(\log t(f_j \mid e_i)\bigr), \qquad
              t(f \mid e) \propto \sum_{\text{pairs}} \sum_{j, i} \omega_{ji}\,[f_j = f,\ e_i = e]

    Each round lets every target word :math:`f_j` attend to the words :math:`e_i` of its own source sentence and counts
    the weights. The first round knows nothing, so it counts who stands in a pair with whom; more rounds are the EM
    algorithm for IBM's Model 1. Implements :eq:`translation-rounds`; source: Brown et al. (1993), without their empty
    word.

    Parameters
    ----------
    pairs : iterable of pairs of sequences of str
        A source and a target sentence each; what follows them in a pair, such as an alignment, is not read.
    rounds : int, default 1
        Rounds of attending and counting, at least 1.

    Returns
    -------
    DataFrame of shape (target words, source words)
        t(f | e), columns sum to one; words in alphabetical order.

    Raises
    ------
    ValueError
        If there is no pair, a sentence is empty or one string, or ``rounds`` is below 1.

    Examples
    --------
    >>> pairs = [(["the", "dog"], ["der", "Hund"]), (["the", "man"], ["der", "Mann"])]
    >>> translation_table(pairs, rounds=9).round(2)
           dog   man   the
    Hund  0.89  0.00  0.01
    Mann  0.00  0.89  0.01
    der   0.11  0.11  0.97
    """
    rounds = check_count(rounds, "rounds")
    sides = [[list(check_document(side)) for side in pair[:2]] for pair in pairs]
    if not sides:
        raise ValueError("there is no pair to count")
    for number, (source, target) in enumerate(sides):
        if not source or not target:
            raise ValueError(f"a sentence of pair {number} is empty")
    sources, targets = (sorted({word for pair in sides for word in pair[side]}) for side in (0, 1))
    at_source, at_target = ({word: k for k, word in enumerate(words)} for words in (sources, targets))
    cells = [np.ix_([at_target[f] for f in target], [at_source[e] for e in source]) for source, target in sides]
    t = np.ones((len(targets), len(sources)))
    for _ in range(rounds):
        counts = np.zeros_like(t)
        for cell in cells:
            weights = t[cell]
            np.add.at(counts, cell, weights / weights.sum(axis=1, keepdims=True))  # a word may stand there twice
        t = counts / counts.sum(axis=0)
    return pd.DataFrame(t, targets, sources)


def score_alignment(table: pd.DataFrame, pairs: Iterable[AlignedPair]) -> pd.DataFrame:
    """Return, for each word of the translations, how well a table finds the word of the source it translates.

    The word of the source with the largest entry is the table's guess; a tie is shared.

    Parameters
    ----------
    table : DataFrame of shape (target words, source words)
        Any association of the two vocabularies, such as that of :func:`translation_table`.
    pairs : iterable of AlignedPair
        Sentences, translations and the true places; those with a word that the table lacks are left out.

    Returns
    -------
    DataFrame of shape (target words in all pairs, 4)
        "right": 1 if the guess is the true partner, 1/k if k words tie and it is among them, else 0; "copies", how
        often the partner's word stands in the source; "place" and "partner", the places of the two.

    Raises
    ------
    ValueError
        If the table has words for all the words of no pair.

    Examples
    --------
    >>> table = pd.DataFrame([[2, 1], [2, 3]], ["der", "Hund"], ["the", "dog"])
    >>> score_alignment(table, [AlignedPair(["the", "dog"], ["der", "Hund"], [0, 1])])["right"].tolist()
    [1.0, 1.0]
    """
    rows = []
    for source, target, places in pairs:
        if not (set(source) <= set(table.columns) and set(target) <= set(table.index)):
            continue
        scores = table.loc[target, source].to_numpy(dtype=float)
        right = share_right(scores, places)
        copies = [source.count(source[place]) for place in places]
        rows += zip(right, copies, range(len(places)), places, strict=True)
    if not rows:
        raise ValueError("there is no pair whose words the table has")
    return pd.DataFrame(rows, columns=["right", "copies", "place", "partner"])


def share_right(scores: ArrayLike, truth: ArrayLike) -> np.ndarray:
    """Return, for each row of scores, whether its largest one is the right one; a tie is shared.

    Parameters
    ----------
    scores : array of shape (n, K)
        One row for each question, one column for each answer.
    truth : array of n integers
        The column of the right answer to each question.

    Returns
    -------
    ndarray of shape (n,)
        1 where the right answer alone has the largest score, 1/k where it is one of k, else 0. Scores that differ by
        a share of 1e-9 or less are the same.

    Raises
    ------
    ValueError
        If ``scores`` is no table or has a NaN, or ``truth`` is not one column of it for each row.

    Examples
    --------
    >>> share_right([[0.2, 0.8], [0.5, 0.5]], [1, 1])
    array([1. , 0.5])
    """
    scores, truth = np.asarray(scores, dtype=float), np.asarray(truth)
    if scores.ndim != 2 or not scores.shape[1]:
        raise ValueError(f"scores must be a table with a column for each answer, got shape {scores.shape}")
    if np.isnan(scores).any():
        raise ValueError(f"scores must not be NaN, found in row {int(np.isnan(scores).any(axis=1).argmax())}")
    if truth.shape != (len(scores),):
        raise ValueError(f"truth must have one entry for each of the {len(scores)} rows, got shape {truth.shape}")
    whole = truth.size == 0 or np.issubdtype(truth.dtype, np.integer)
    if not whole or ((truth < 0) | (truth >= scores.shape[1])).any():
        raise ValueError(f"truth must hold columns from 0 to {scores.shape[1] - 1}, got {truth.tolist()}")
    best = np.isclose(scores, scores.max(axis=1, keepdims=True), rtol=1e-9, atol=0)
    return best[np.arange(len(scores)), truth.astype(int)] / best.sum(axis=1)
