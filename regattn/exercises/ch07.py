"""Exercises of chapter 7, attention regression."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from regattn.exercises._exercise import Exercise, Mistake
from regattn.kernels import KERNELS
from regattn.regression.descent import numerical_gradient
from regattn.regression.least_squares import proximity_weights


def _scale_that_hears_only_itself() -> float:
    """Return the scale at which a row has half of its weight when a hundred others have an inner product of .8."""
    scores = np.r_[1.0, np.full(100, 0.8)][None]
    return brentq(lambda c: KERNELS["softmax"].weights(c * scores)[0, 0] - 0.5, 1.0, 100.0)


def _mass(ridge: float) -> float:
    x = np.linspace(-1, 1, 30)
    rows = np.column_stack([np.ones(30), x])
    return float(proximity_weights(rows, rows[:1], ridge=ridge, centre=False).sum())


def _negative_kernel() -> str:
    names = ("softmax", "gaussian", "relu", "identity")
    return next(name for name in names if not KERNELS[name].non_negative)


def _slope_in_a_score(prediction: float, outcome: float, other: float, weight: float) -> float:
    """Return the slope of a squared error in the score of one row, when softmax gives that row such a weight."""
    rest = (prediction - weight * other) / (1 - weight)  # the mean outcome of all others

    def squared_error(scores: np.ndarray) -> float:
        return float(KERNELS["softmax"].weights(scores[None])[0] @ [other, rest] - outcome) ** 2

    return float(numerical_gradient(squared_error, np.log([weight, 1 - weight]))[0])


EXERCISES = {
    "07.1": Exercise(
        _scale_that_hears_only_itself,
        "compare the exponential of its own score with a hundred times that of the best match, then take logarithms.",
        (
            Mistake(
                lambda: math.log(100), "this is how far the scores must be apart; c multiplies a smaller distance."
            ),
            Mistake(lambda: math.log(100) / 0.8, "softmax sees differences of scores: its own is one, not zero."),
            Mistake(100 / 0.2, "a hundred others together: the logarithm of their number, not their number."),
            Mistake(lambda: math.log(2) / 0.2, "this would do against a single other row."),
        ),
    ),
    "07.2": Exercise(
        lambda: _mass(10.0),
        "the constant column has squared length 30; which share of it does the penalty leave?",
        (
            Mistake(1.0, "so it would be if the penalty spared the column of ones."),
            Mistake(1 / 11, "the column of ones has thirty entries: its s² is their sum of squares."),
            Mistake(lambda: 30**0.5 / (30**0.5 + 10), "the share that is kept goes with s², not with s."),
        ),
        share=True,
    ),
    "07.3": Exercise(
        _negative_kernel,
        "which of them can give a weight below zero?",
        (
            Mistake("relu", "it cuts off what is below zero, so it averages."),
            Mistake("softmax", "its weights are positive and sum to one: an average stays inside its range."),
            Mistake("gaussian", "its weights are positive and are normalised: an average stays inside its range."),
        ),
        options={
            "identity": ("identity", "linear", "ols", "least squares"),
            "relu": ("relu",),
            "softmax": ("softmax",),
            "gaussian": ("gauss",),
        },
    ),
    "07.4": Exercise(
        lambda: float(1 - binom.pmf(0, 13, 0.05)),
        "first find how probable it is that none of them does.",
        (
            Mistake(0.05, "this is the chance for one model; thirteen try."),
            Mistake(
                13 * 0.05,
                "the sum counts twice what happens to two at once; it is a bound, and the one Bonferroni uses.",
            ),
            Mistake(lambda: float(binom.pmf(0, 13, 0.05)), "this is the chance that none of them does."),
            Mistake(
                lambda: float(binom.pmf(1, 13, 0.05)), "this is the chance of exactly one; more than one counts too."
            ),
        ),
        share=True,
    ),
    "07.5": Exercise(
        lambda: _slope_in_a_score(4.0, 6.0, 9.0, 0.2),
        "three factors and a two: how far the prediction misses, how much it listens, how far off the other lies.",
        (
            Mistake(
                lambda: 2 * (4 - 6) * 0.2 * (9 - 6),
                "the last factor compares the other outcome with the prediction, not with the outcome of this patient.",
            ),
            Mistake(lambda: 2 * (4 - 6) * (9 - 4), "the slope is smaller the less the row listens: times the weight."),
            Mistake(
                lambda: 2 * (4 - 6) * 0.2 * 9, "raising one score lowers the other weights: subtract what is heard."
            ),
            Mistake(0.2 * (9 - 4), "this is the slope of the prediction; what is that of its squared error?"),
        ),
    ),
}
