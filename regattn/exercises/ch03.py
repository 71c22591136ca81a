"""Exercises of chapter 3, least squares as proximity."""

import numpy as np
import pandas as pd

from regattn.data import load_macro
from regattn.exercises._exercise import Exercise, Mistake
from regattn.regression.least_squares import proximity_weights, spectrum


def _weights_of_line(at: float) -> np.ndarray:
    """Weights of a straight line with intercept through points at x = 0, 1, 5."""
    return proximity_weights(np.column_stack([np.ones(3), [0.0, 1.0, 5.0]]), np.array([[1.0, at]]), centre=False)[0]


def _weights(last: str) -> pd.Series:
    """Weights of the forecast made in quarter ``last`` from inflation, unemployment and the bill rate."""
    X = load_macro().loc[:last, ["inflation", "unemployment", "bill_rate"]]
    s = spectrum(X.iloc[:-1].to_numpy(), centre=True)
    return pd.Series(s.weights(X.iloc[-1:].to_numpy())[0], index=X.index[:-1].astype(str))


EXERCISES = {
    "03.1": Exercise(
        lambda: float(_weights_of_line(2.0)[2]),
        "average the three values of x first: the query sits exactly there, so what is left of the weight?",
        (
            Mistake(
                0.0, "the correction is zero, but what does the fit say of a query it knows nothing special about?"
            ),
            Mistake(5 / 6, "the weight does not go with the size of x, but with its distance from the mean."),
            Mistake(0.5, "three points share the weight, not two."),
        ),
        share=True,
    ),
    "03.2": Exercise(
        lambda: _weights_of_line(5.0),
        "each weight is 1/3 plus (query − mean)(x − mean) divided by the sum of squares about the mean.",
        (
            Mistake([0.0, 0.0, 1.0], "then the line would always pass through its last point, and it does not."),
            Mistake(lambda: _weights_of_line(5.0) - 1 / 3, "these sum to zero: the uniform part is missing."),
            Mistake(lambda: _weights_of_line(-1.0), "the correction has the wrong sign: the nearest point gets least."),
            Mistake(
                lambda: np.array([0.0, 5.0, 25.0]) / 26, "this is a line through the origin; measure from the mean."
            ),
        ),
        share=True,
    ),
    "03.3": Exercise(
        lambda: float((_weights("1980Q4") < 0).mean()),
        "count the weights below zero and divide by their number; 1980Q4 asks, so it is not one of them.",
        (
            Mistake(
                lambda: float((_weights("1980Q4") < 1 / len(_weights("1980Q4"))).mean()),
                "this is the share below the uniform weight; count those below zero.",
            ),
            Mistake(
                lambda: float((_weights("1980Q4") < 0).sum()), "this is how many there are; divide by all of them."
            ),
            Mistake(lambda: float(_weights("1980Q4").clip(upper=0).sum()), "this adds the weights up; count them."),
        ),
        share=True,
    ),
    "03.4": Exercise(
        lambda: str(_weights("1980Q4").idxmax()),
        "fit on the quarters before 1980Q4 only, ask for the weights at 1980Q4, and look for the largest.",
        (
            Mistake("1980Q3", "the quarter just before comes near, but one lies further out in the same direction."),
            Mistake("1980Q4", "this is the quarter that asks; it is not among those the regression was fitted to."),
            Mistake("1975Q2", "this is only the way to write an answer; compute the weights."),
            Mistake("1979Q4", "this one is high as well; is it the highest?"),
        ),
        options={name: (name.lower(),) for name in map(str, load_macro().index)},
    ),
    "03.5": Exercise(
        lambda: 4 * float((_weights_of_line(5.0) ** 2).sum()),
        "a sum of independent parts: what happens to the variance of an outcome when it is multiplied by its weight?",
        (
            Mistake(4 / 3, "this is the variance of the mean of three outcomes; the slope is estimated too."),
            Mistake(4.0, "the weights sum to one, but that is not the sum that counts for a variance."),
            Mistake(lambda: float((_weights_of_line(5.0) ** 2).sum()), "this is for a noise of variance one."),
            Mistake(
                lambda: 4 * float(np.abs(_weights_of_line(5.0)).sum()),
                "a variance goes with the squares of the weights, not with their sizes.",
            ),
        ),
    ),
}
