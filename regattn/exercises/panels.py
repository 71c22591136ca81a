"""Exercises on panels and filters."""

import numpy as np

from regattn.exercises._exercise import Exercise, Mistake
from regattn.series.panels import panel_weights


def _on_its_own_rows(*, spread: float = 1.0) -> float:
    ones, firms = np.ones((4, 1)), ["a", "a", "b", "b"]
    return float(panel_weights(ones, firms, ones[:1], ["a"], spread=spread)[0, :2].sum())


def _first_order(rho: float, years: int, firms: int) -> float:
    return rho - (1 + rho) / years - 2 * rho / (years * firms)


EXERCISES = {
    1: Exercise(
        _on_its_own_rows,
        "how sure is the mean of a firm's two years, and how far do firms spread? The rest goes to the common mean.",
        (
            Mistake(lambda: _on_its_own_rows(spread=0.0), "this is the pooled answer."),
            Mistake(1.0, "this is the local answer: the other firm is not heard at all."),
            Mistake(2 / 3, "the rest goes to the common mean, and part of that is the firm itself."),
            Mistake(3 / 4, "the mean of two years has half of the variance of one."),
            Mistake(5 / 12, "this is one of its rows; it has two."),
        ),
        share=True,
    ),
    2: Exercise(
        lambda: _first_order(0.5, years=15, firms=500),
        "take the first-order bias, with its sign, for the years of one firm.",
        (
            Mistake(0.5, "this would be so with very many years."),
            Mistake(0.5 - 1.5 / (500 * 15), "more firms do not help: what counts is the years of each."),
            Mistake(_first_order(0.5, years=15, firms=11), "this is for eleven firms."),
            Mistake(0.5 + 0.1, "the estimate is too low, not too high."),
            Mistake(-0.1, "this is the bias; what is the estimate?"),
            Mistake(0.5 - (1 + 3 * 0.5) / 15, "this is the bias of a single series of chapter 8."),
        ),
    ),
    3: Exercise(
        lambda: 0.9**10,
        "each layer leaves the same share of what is missing; which?",
        (
            Mistake(1 - 0.9**10, "this is what has been reached; what is missing?"),
            Mistake(0.9, "this is after one layer."),
            Mistake(0.0, "shares multiply, they do not add up."),
            Mistake(0.1, "this is the share that one layer takes away."),
        ),
        share=True,
    ),
    4: Exercise(
        lambda: 1 - 0.75**4,
        "each date counts for the same share of the date after it: add up four terms.",
        (
            Mistake(1 - 0.75**3, "this is today and two dates; three before it are asked for."),
            Mistake(0.75**4, "this is what all earlier dates have."),
            Mistake(1.0, "weights fall from date to date; four times .25 would be a plain mean."),
            Mistake(0.25 * 0.75**3, "this is the weight of the last of the four alone."),
        ),
        share=True,
    ),
    5: Exercise(
        lambda: -0.3,
        "write down two conditions, on the sum of the weights and on their mean age.",
        (
            Mistake(0.6, "this is yesterday's weight."),
            Mistake(0.15, "the sum is right, but this filter lags behind: what is its mean age?"),
            Mistake(0.0, "then nothing makes up for the age of yesterday: what is the mean age?"),
        ),
    ),
}
