"""Exercises on the co-occurrence projection."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from regattn.data import load_seven_words
from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.kernels import KERNELS
from regattn.words.cooccurrence import context_weights, predict_next, vocabulary_scores

RIVERSIDE = ["river", "bank", "flooded"]


def _score(sentence: list[str], word: str) -> float:
    """Score of a word in the first word's row of E."""
    S = load_seven_words()
    return float(vocabulary_scores(S, sentence)[word].iloc[0])


def _first_count_that_overtakes() -> int:
    S = load_seven_words()
    for count in range(100):
        S.loc["river", "loan"] = S.loc["loan", "river"] = count
        if vocabulary_scores(S, RIVERSIDE).mean().idxmax() == "loan":
            return count
    raise ValueError("no count below 100 lets loan overtake")


def _unit_of_one_half(sentence: list[str]) -> float:
    """Return the unit in which *shore* has probability one half after a sentence."""
    S = load_seven_words()
    shore = S.columns.get_loc("shore")
    return brentq(lambda unit: predict_next(S / unit, sentence).iloc[shore] - 0.5, 1.0, 20.0)


def _share_of_nine(scores: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return what a softmax of scores made from the counts 9 and 1 gives the first."""
    return float(KERNELS["softmax"].weights(scores(np.array([[9.0, 1.0]])))[0, 0])


EXERCISES = {
    1: Exercise(
        lambda: _score(["money", "loan"], "rely"),
        "whom does money listen to, and how loudly? Then look up what that word has met.",
        (
            Mistake(7 * 3, "this uses the row of *money* itself; the sum runs over the words it listens to."),
            Mistake(7, "this is how loudly it listens; multiply by what it hears."),
            Mistake(2, "this is what it hears; multiply by how loudly."),
            Mistake(9, "multiply the two counts; do not add them."),
        ),
    ),
    2: Exercise(
        lambda: float(context_weights(load_seven_words() + 2 * np.eye(7), ["bank", "loan"]).loc["bank", "bank"]),
        "write down the row of bank, both of its cells, and divide by their sum.",
        (
            Mistake(0.0, "that was so with an empty diagonal; now it is not."),
            Mistake(2 / 6, "divide by the sum of the row, its own cell included."),
            Mistake(
                lambda: float(np.exp(2) / (np.exp(2) + np.exp(6))), "the weights are shares of the counts, no softmax."
            ),
        ),
        share=True,
    ),
    3: Exercise(
        _first_count_that_overtakes,
        "the edited cell lies outside the sentence's block, so river's vote stays: multiply it by the count.",
        (
            Mistake(14, "*loan* does not begin at nothing: *bank* has voted for it already."),
            Mistake(6, "this is the count of *shore*; the other votes of the sentence count too."),
        ),
        tolerance=EXACT,
    ),
    4: Exercise(
        lambda: _unit_of_one_half(RIVERSIDE),
        "`predict_next(S / unit, sentence)` falls with the unit: try a few, then halve the interval.",
        (
            Mistake(
                lambda: 3 * _unit_of_one_half(RIVERSIDE), "a prediction averages over the three words; this adds them."
            ),
            Mistake(lambda: _unit_of_one_half(["river", "flooded"]), "this is after *river flooded*, without *bank*."),
            Mistake(1, "in units of one count *shore* has nearly all of the probability."),
        ),
        tolerance=0.02,
    ),
    5: Exercise(
        lambda: _share_of_nine(lambda counts: np.log(counts) / 2),
        "what is e to the power of half a logarithm?",
        (
            Mistake(9 / 10, "so it would be if the logarithms were not divided by two."),
            Mistake(
                lambda: _share_of_nine(lambda counts: counts / 2),
                "this divides the counts; take their logarithms first.",
            ),
            Mistake(lambda: _share_of_nine(lambda counts: 2 * np.log(counts)), "this multiplies by two."),
            Mistake(0.5, "both would be equal only if the scores were divided by something very large."),
        ),
        share=True,
    ),
}
