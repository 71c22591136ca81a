"""Exercises of chapter 11, the co-occurrence projection."""

import numpy as np
from scipy.optimize import brentq

from regattn.data import load_seven_words
from regattn.exercises._exercise import Exercise
from regattn.words.cooccurrence import context_weights, predict_next, vocabulary_scores

RIVERSIDE = ["river", "bank", "flooded"]


def _score(sentence: list[str], word: str) -> float:
    """Score of a word in the first word's row of E."""
    S = load_seven_words()
    return float(vocabulary_scores(S, sentence)[0, S.columns.get_loc(word)])


def _first_count_that_overtakes() -> int:
    S = load_seven_words()
    for count in range(100):
        S.loc["river", "loan"] = S.loc["loan", "river"] = count
        if S.columns[vocabulary_scores(S, RIVERSIDE).mean(axis=0).argmax()] == "loan":
            return count
    raise ValueError("no count below 100 lets loan overtake")


def _unit_of_one_half() -> float:
    S = load_seven_words()
    shore = S.columns.get_loc("shore")
    return brentq(lambda unit: predict_next(S / unit, RIVERSIDE)[shore] - 0.5, 1.0, 20.0)


EXERCISES = {
    "11.1": Exercise(
        lambda: _score(["money", "loan"], "rely"),
        "whom does money listen to, and how loudly? Then look up what that word has met.",
        wrong=21.0,
    ),
    "11.2": Exercise(
        lambda: float(context_weights(load_seven_words() + 2 * np.eye(7), ["bank", "loan"])[0, 0]),
        "write down the row of bank, both of its cells, and divide by their sum.",
        wrong=0.0,
    ),
    "11.3": Exercise(
        _first_count_that_overtakes,
        "the edited cell lies outside the sentence's block, so river's vote stays: multiply it by the count.",
        wrong=18,
        tolerance=0.0,
    ),
    "11.4": Exercise(
        _unit_of_one_half,
        "predict_next(S / unit, sentence) falls with the unit: try a few, then halve the interval.",
        wrong=2.0,
        tolerance=0.02,
    ),
    "11.5": Exercise(
        lambda: "logarithms of counts",
        "a softmax begins by raising e to its scores. What undoes that?",
        wrong="counts",
    ),
}
