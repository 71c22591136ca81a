"""Exercises of chapter 3, least squares as proximity."""

import numpy as np
import pandas as pd

from regattn.data import load_macro
from regattn.exercises._exercise import Exercise
from regattn.regression.least_squares import proximity_weights, spectrum


def _line(x: list[float], at: float, y: list[float] | None = None) -> np.ndarray | float:
    """Weights (or, with y, the prediction) of a straight line with intercept through the points x."""
    weights = proximity_weights(np.column_stack([np.ones(len(x)), x]), np.array([[1.0, at]]))[0]
    return weights if y is None else float(weights @ y)


def _weights(last: str) -> pd.Series:
    """Weights of the forecast made in quarter ``last`` from inflation, unemployment and the bill rate."""
    X = load_macro().loc[:last, ["inflation", "unemployment", "bill_rate"]]
    s = spectrum(X.iloc[:-1].to_numpy(), centre=True)
    return pd.Series(s.weights(X.iloc[-1:].to_numpy())[0], index=X.index[:-1].astype(str))


EXERCISES = {
    "03.1": Exercise(
        lambda: float(_line([0.0, 1.0, 5.0], 2.0)[2]),
        "average the three values of x first: the query sits exactly there, so what is left of the weight?",
        wrong=0.0,
    ),
    "03.2": Exercise(
        lambda: _line([0.0, 1.0, 5.0], 5.0),
        "each weight is 1/3 plus (query − mean)(x − mean) divided by the sum of squares about the mean.",
        wrong=[0.0, 0.0, 1.0],
    ),
    "03.3": Exercise(
        lambda: float((_weights("1980Q4") < 0).mean()),
        "count the weights below zero and divide by their number; 1980Q4 asks, so it is not one of them.",
        wrong=58 / 199,
    ),
    "03.4": Exercise(
        lambda: str(_weights("1980Q4").idxmax()),
        "fit on the quarters before 1980Q4 only, ask for the weights at 1980Q4, and look for the largest.",
        wrong="1980Q3",
    ),
    "03.5": Exercise(
        lambda: "the weights",
        "a rotation turns every code by the same angle; what do inner products care about?",
        wrong="the codes",
    ),
}
