"""Exercises of the chapter: Layers and filters."""

import numpy as np

from regattn.exercises._exercise import Exercise, Mistake


def _mean_age(weight: float, *, dates: int = 400) -> float:
    """Return the mean age of geometric weights, that of today first."""
    age = np.arange(dates)
    return weight * (1 - weight) ** age @ age


EXERCISES = {
    1: Exercise(
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
    2: Exercise(
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
    3: Exercise(
        lambda: float(3 * _mean_age(0.2)),
        "what is the mean age of its weights? So many years ago is where its level stands.",
        (
            Mistake(4.0, "this is its mean age; the series rises by three a year."),
            Mistake(15.0, "today has the age zero, not one."),
            Mistake(0.0, "its weights are positive, and yesterday was lower than today."),
            Mistake(2.4, "this is what yesterday alone would do; older values are lower still."),
        ),
    ),
    4: Exercise(
        lambda: -0.3,
        "write down two conditions, on the sum of the weights and on their mean age.",
        (
            Mistake(0.6, "this is yesterday's weight."),
            Mistake(0.15, "the sum is right, but this filter lags behind: what is its mean age?"),
            Mistake(0.0, "then nothing makes up for the age of yesterday: what is the mean age?"),
        ),
    ),
    5: Exercise(
        lambda: float(np.ptp(np.linalg.matrix_power([[0.75, 0.25], [0.25, 0.75]], 3) @ [0.0, 1.0])),
        "let one row be 0 and the other 1: where are they after one layer?",
        (
            Mistake(0.75**3, "each row also hears the other: the difference loses more than what is given away."),
            Mistake(0.5, "this is after one layer."),
            Mistake(0.25, "this is after two layers."),
            Mistake(0.25**3, "a quarter is what a row gives to the other; by how much does the difference shrink?"),
            Mistake(0.0, "a share of a share is never nothing."),
        ),
        share=True,
    ),
}
