"""Exercises on beyond the line."""

import math
from functools import cache

import numpy as np

from regattn.data import load_macro
from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.regression.classification import make_network, network_descent

LOGIT = 3.0  # of exercise 2


def _sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


@cache
def _forecasts() -> tuple[np.ndarray, np.ndarray]:
    """Return the chapter's probabilities of a rise of unemployment, and which quarters they were fitted to."""
    macro = load_macro()
    change = macro["unemployment"].diff()
    rows = np.column_stack([change, macro["gdp_growth"]])[1:-1]
    y = (change.shift(-1) > 0).iloc[1:-1].to_numpy().astype(int)
    past = macro.index[1:-1] <= "1989Q4"
    Z = (rows - rows[past].mean(axis=0)) / rows[past].std(axis=0)
    start = make_network((2,), draws=[0.5, 0.5])
    walk = network_descent(start, Z[past], y[past], learning_rate=1.0, steps=500)
    return start.at(walk.parameters[-1]).probabilities(Z), past


def _times_yes(threshold: float, *, recent: bool = True) -> int:
    p, past = _forecasts()
    return int((p[~past] >= threshold).sum() if recent else (p >= threshold).sum())


EXERCISES = {
    1: Exercise(
        lambda: _sigmoid(math.log(1 / 2) + math.log(2)),
        "go from the probability to the odds; what does a logit that rises do to them?",
        (
            Mistake(2 / 3, "the odds double, not the probability."),
            Mistake(1 / 3 + math.log(2), "a logit is added to a logit, not to a probability; and this is above one."),
            Mistake(1 / 5, "here the logit has fallen by that much instead of rising."),
        ),
        share=True,
    ),
    2: Exercise(
        lambda: _sigmoid(LOGIT),
        "almost everything cancels: what is left is the probability less the outcome.",
        (
            Mistake(_sigmoid(LOGIT) - 1, "this is the derivative for a case that is a yes."),
            Mistake(
                2 * _sigmoid(LOGIT) ** 2 * (1 - _sigmoid(LOGIT)),
                "this is the derivative of the squared error of the probability.",
            ),
            Mistake(_sigmoid(-LOGIT), "this is the probability of the no, which is what happened."),
            Mistake(math.log(1 + math.exp(LOGIT)), "this is the cross-entropy itself; its slope is asked for."),
            Mistake(_sigmoid(LOGIT) * (1 - _sigmoid(LOGIT)), "this is the slope of the sigmoid, not of the loss."),
        ),
    ),
    3: Exercise(
        lambda: _sigmoid(2.0),
        "put one logit at the top of the tanh and the other at its bottom.",
        (
            Mistake(_sigmoid(1.0), "this is the ceiling for a sigmoid, whose ends are only half as far apart."),
            Mistake(math.e**2 / (math.e**2 + 9), "this is the ceiling for all the digits; here are fewer classes."),
            Mistake(1.0, "the softmax of bounded logits never gets there."),
            Mistake(_sigmoid(4.0), "the logits lie between minus one and one: count how far apart they can be."),
        ),
        share=True,
    ),
    4: Exercise(
        lambda: _times_yes(1 / 4),
        "say yes when the expected cost of silence, the price of a miss times `p`, is above that of an alarm.",
        (
            Mistake(lambda: _times_yes(1 / 2), "with this threshold both mistakes would cost the same."),
            Mistake(
                lambda: _times_yes(1 / 3),
                "a miss at p costs three times p, an alarm one minus p; where are they equal?",
            ),
            Mistake(lambda: _times_yes(3 / 4), "turn the costs round: misses are the dear mistake."),
            Mistake(lambda: _times_yes(1 / 4, recent=False), "the threshold is right; leave out those in `past`."),
        ),
        tolerance=EXACT,
    ),
    5: Exercise(
        lambda: 8 * (3 * 5 * 5 + 1),
        "a kernel has a layer for every channel that comes in, and each kernel has one bias.",
        (
            Mistake(8 * 3 * 5 * 5, "the biases are missing: one for each kernel."),
            Mistake(8 * (5 * 5 + 1), "the sum runs over the channels as well."),
            Mistake(8 * 3 * (5 * 5 + 1), "a kernel has one bias, not one for every channel."),
            Mistake(8 * 3 * 5 * 5 + 1, "every kernel has a bias of its own."),
        ),
        tolerance=EXACT,
    ),
    6: Exercise(
        lambda: "the CNN",
        "which of the four would be a different rule if the cells of the image were numbered in another way?",
        (
            Mistake("the linear rule", "its sum of weighted cells is the same in any order."),
            Mistake("the neighbours", "distances between images do not change when all are shuffled alike."),
            Mistake("the MLP", "its first layer weighs every cell for itself, wherever it stands."),
        ),
        options={
            "the CNN": ("cnn", "convol"),
            "the linear rule": ("linear", "logistic"),
            "the neighbours": ("neighbour", "neighbor", "knn"),
            "the MLP": ("mlp", "perceptron"),
        },
    ),
}
