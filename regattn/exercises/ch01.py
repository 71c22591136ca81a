"""Exercises of chapter 1, linear regression by descent."""

from collections.abc import Sequence

import numpy as np

from regattn.data import load_diabetes, load_macro
from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.regression.descent import gradient_descent, largest_stable_step, mean_squared_error
from regattn.regression.least_squares import spectrum

TWO_POINTS = np.array([[1.0], [2.0]]), np.array([2.0, 2.0])
DIABETES = ("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6")


def _first_step_within(times: float = 1.01) -> int:
    """Return the first step of the chapter's walk whose loss is below so many times the least possible."""
    macro = load_macro()
    X = np.column_stack([np.ones(202), macro["gdp_growth"].iloc[1:]])
    y = macro["unemployment"].diff().iloc[1:].to_numpy()
    least = mean_squared_error(X, y, spectrum(X, centre=False).coefficients(y).coef)
    return int(np.argmax(gradient_descent(X, y, learning_rate=0.04, steps=1000).losses < times * least))


def _stable_step_of_standardised_diabetes(columns: Sequence[str] = DIABETES) -> float:
    X = load_diabetes().X[list(columns)]
    return largest_stable_step((X - X.mean()) / X.std(ddof=0))


def _slopes_of_a_column_listed_twice() -> np.ndarray:
    """Return where descent from (3, −1) ends when one column, which alone would get a slope of 5, is listed twice."""
    x = np.array([1.0, 2.0])
    walk = gradient_descent(np.column_stack([x, x]), 5 * x, learning_rate=0.1, steps=200, start=[3.0, -1.0])
    return walk.parameters[-1]


EXERCISES = {
    "01.1": Exercise(
        lambda: float(gradient_descent(*TWO_POINTS, learning_rate=0.1, steps=1).parameters[-1, 0]),
        "at the start both residuals are −2; multiply each by its x, average, double, and step against the result.",
        (
            Mistake(-0.6, "this step goes along the gradient; descent goes against it, so the sign is wrong."),
            Mistake(0.3, "the derivative of a square brings down a two."),
            Mistake(1.2, "the loss is a mean over the observations, not a sum."),
            Mistake(6.0, "this is the whole gradient; which part of it does one step take?"),
        ),
    ),
    "01.2": Exercise(
        lambda: largest_stable_step(TWO_POINTS[0]),
        "with one parameter the only curvature is twice the mean of the squared inputs.",
        (
            Mistake(0.2, "this step lands on the minimum at once; one may go further before the walk runs away."),
            Mistake(5.0, "this is the curvature; the steeper the valley, the shorter the step must be."),
            Mistake(0.8, "the curvature is twice the mean of the squares: the square of the loss brings down a two."),
        ),
    ),
    "01.3": Exercise(
        _first_step_within,
        "compare `walk.losses` with the least-squares loss times one and a bit; count the start as step number zero.",
        (
            Mistake(lambda: _first_step_within(1.1), "this is the first step within ten per cent, not one."),
            Mistake(lambda: _first_step_within(1.001), "this is the first step within a tenth of a per cent."),
            Mistake(600, "the last step is within one per cent, but it is not the first."),
        ),
        tolerance=EXACT,
    ),
    "01.4": Exercise(
        lambda: _stable_step_of_standardised_diabetes(["bmi", "bp", "s5"]),
        "standardise with `std(ddof=0)`, then `descent.largest_stable_step`; an intercept would not change it.",
        (
            Mistake(1.0, "this would be the limit for columns without correlation; these three have some."),
            Mistake(lambda: _stable_step_of_standardised_diabetes(), "this is the limit for all ten columns."),
            Mistake(
                lambda: _stable_step_of_standardised_diabetes(["bmi", "bp", "s5"]) / 2,
                "this is one over the curvature; the limit is twice as far.",
            ),
        ),
    ),
    "01.5": Exercise(
        _slopes_of_a_column_listed_twice,
        "both slopes have the same gradient at every step; so what about them can change, and what cannot?",
        (
            Mistake([2.5, 2.5], "this is where a start at zero ends; a start with unequal slopes never gets there."),
            Mistake([5.0, 0.0], "the fit is right, but no step can bring the second slope there from its start."),
            Mistake([5.0, 1.0], "these slopes are as far apart as at the start, but the fitted line is too steep."),
            Mistake([5.0, 5.0], "then the fitted values would be those of a slope of ten."),
        ),
    ),
    "01.6": Exercise(
        lambda: float(1 / (1 + np.exp(-2.0))),
        "softmax only sees how far the logits are apart, and for two classes it is a sigmoid of that.",
        (
            Mistake(3 / 4, "softmax shares out the exponentials of the logits, not the logits."),
            Mistake(
                lambda: float(1 / (1 + np.exp(-3.0))), "this is the sigmoid of the first logit; the second counts."
            ),
            Mistake(lambda: float(1 / (1 + np.exp(-4.0))), "this is the sigmoid of the sum of the logits."),
        ),
        share=True,
    ),
}
