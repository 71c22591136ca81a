"""Exercises of chapter 1, linear regression by descent."""

import numpy as np

from regattn.data import load_diabetes, load_macro
from regattn.exercises._exercise import Exercise
from regattn.regression.descent import gradient_descent, largest_stable_step, mean_squared_error
from regattn.regression.least_squares import spectrum

TWO_POINTS = np.array([[1.0], [2.0]]), np.array([2.0, 2.0])


def _first_step_within_one_per_cent() -> int:
    macro = load_macro()
    X = np.column_stack([np.ones(202), macro["gdp_growth"].iloc[1:]])
    y = macro["unemployment"].diff().iloc[1:].to_numpy()
    least = mean_squared_error(X, y, spectrum(X).coefficients(y).coef)
    return int(np.argmax(gradient_descent(X, y, learning_rate=0.04, steps=1000).losses < 1.01 * least))


def _stable_step_of_standardised_diabetes() -> float:
    X = load_diabetes().X[["bmi", "bp", "s5"]]
    return largest_stable_step((X - X.mean()) / X.std(ddof=0))


EXERCISES = {
    "01.1": Exercise(
        lambda: float(gradient_descent(*TWO_POINTS, learning_rate=0.1, steps=1).parameters[-1, 0]),
        "at the start both residuals are −2; multiply each by its x, average, double, and step against the result.",
        wrong=-0.6,
    ),
    "01.2": Exercise(
        lambda: largest_stable_step(TWO_POINTS[0]),
        "with one parameter the only curvature is twice the mean of the squared inputs.",
        wrong=2.5,
    ),
    "01.3": Exercise(
        _first_step_within_one_per_cent,
        "compare path.losses with the least-squares loss times one and a bit; count the start as step number zero.",
        wrong=600,
        tolerance=1e-6,
    ),
    "01.4": Exercise(
        _stable_step_of_standardised_diabetes,
        "standardise with X.std(ddof=0), then largest_stable_step; an intercept would not change it.",
        wrong=1.0,
    ),
    "01.5": Exercise(
        lambda: "the difference",
        "which combination of the two slopes leaves every fitted value as it was?",
        wrong="the sum",
    ),
    "01.6": Exercise(
        lambda: float(1 / (1 + np.exp(-2.0))),
        "softmax only sees how far the logits are apart, and for two classes it is a sigmoid of that.",
        wrong=0.75,
    ),
}
