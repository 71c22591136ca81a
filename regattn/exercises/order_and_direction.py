"""Exercises on order and direction."""

import numpy as np

from regattn.data import load_seven_words
from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.words.direction import query_key_maps


def _best_square_error() -> float:
    """Return the relative error of the best WWᵀ of two words that only met each other: its negative eigenvalues."""
    values = np.linalg.eigvalsh([[0.0, 3.0], [3.0, 0.0]])
    return float(np.sqrt((values[values < 0] ** 2).sum() / (values**2).sum()))


def _share_of_a_match(*, places: int = 8, matches: int = 2, sharpness: float = 2.0) -> float:
    weight = np.exp(sharpness)
    return float(weight / (matches * weight + places - matches))


def _lost(*, columns: int = 2, pairs: bool = True, direction: bool = True, power: int = 1) -> float:
    """Return the relative error that maps of this width leave in the upper half of the table, or in its direction."""
    S = np.triu(load_seven_words().to_numpy().astype(float))
    S = S - S.T if direction else S
    W_Q, W_K = query_key_maps(S, rank=2 * columns if pairs else columns)
    return float((np.linalg.norm(W_Q @ W_K.T - S) / np.linalg.norm(S)) ** power)


def _first(score: float) -> float:
    """Return the weight that a softmax gives the first of two words, by how much its score is larger."""
    return float(1 / (1 + np.exp(-score)))


def _gain(joint: float = 3.0) -> float:
    return _first(joint) - (_first(4.0) + _first(-1.0)) / 2


EXERCISES = {
    1: Exercise(
        _best_square_error,
        "which eigenvalues does the table have, and which of them can WWᵀ have? Squares of the lost, over all squares.",
        (
            Mistake(1.0, "this is the error of W = 0, and one can do better: one eigenvalue is positive."),
            Mistake(0.5, "this is the share of the squares; take its root."),
            Mistake(0.0, "WWᵀ has no negative eigenvalue, and the table has one."),
            Mistake(3.0, "divide by the size of the table."),
        ),
    ),
    2: Exercise(
        _share_of_a_match,
        "eight places get a weight: two of them e², the others e⁰. How many say *cat*?",
        (
            Mistake(0.5, "so it is when the layer is very sharp; here the other places get something too."),
            Mistake(_share_of_a_match(places=7), "it may look at all eight places, its own and <start> too."),
            Mistake(2 * _share_of_a_match(), "of the two matches only one says *cat*."),
            Mistake(_share_of_a_match(matches=1), "two places stand after a *the*."),
            Mistake(1 / 8, "so it would be if a match scored nothing."),
        ),
        share=True,
    ),
    3: Exercise(
        _lost,
        "the singular values of U − Uᵀ come in pairs, and one column does for a pair. What is left?",
        (
            Mistake(_lost(pairs=False), "this spends both columns on one pair; one column does for a pair."),
            Mistake(_lost(pairs=False, direction=False), "this is what is lost of U; what is lost of U − Uᵀ?"),
            Mistake(_lost(power=2), "this is the share of the squares; take its root."),
        ),
        share=True,
    ),
    4: Exercise(
        _gain,
        "softmax of (4, 1) against the mean of the softmaxes of (4, 0) and of (0, 1).",
        (
            Mistake(_gain(1.5), "this takes the mean of the scores; take their sum."),
            Mistake(_first(3.0), "this is the new weight; take off the old one."),
            Mistake(_first(3.0) - _first(4.0) - _first(-1.0), "the two heads are averaged, not added."),
            Mistake((_first(4.0) + _first(-1.0)) / 2, "this is the old weight."),
        ),
    ),
    5: Exercise(
        lambda: 50,
        "without mask and places, what can the two sums differ by?",
        (
            Mistake(0.5, "give the number of the 100, not a share."),
            Mistake(31, "what decided these 31 cases? Compare the two sums cell by cell."),
            Mistake(69, "the others are no losses either. Compare the two sums cell by cell."),
            Mistake(100, "they are all ties, and a tie counts one half."),
            Mistake(0, "no sum is larger, but a tie counts one half."),
            Mistake(15.5, "a tie counts one half whether it is among the 31 or not."),
        ),
        tolerance=EXACT,
        counted="of 100",
    ),
}
