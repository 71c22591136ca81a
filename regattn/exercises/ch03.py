"""Exercises of chapter 3, least squares as proximity."""

import numpy as np

from regattn.data import load_macro
from regattn.exercises.exercise import Exercise
from regattn.least_squares import proximity_weights, scale_and_alignment, spectrum


def _line(x: list[float], at: float, y: list[float] | None = None) -> np.ndarray | float:
    """Weights (or, with y, the prediction) of a straight line with intercept through the points x."""
    weights = proximity_weights(np.column_stack([np.ones(len(x)), x]), np.array([[1.0, at]]))[0]
    return weights if y is None else float(weights @ y)


def _rows(last: str, columns: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Predictors of quarters up to ``last``, and the predictors of the last quarter itself."""
    X = load_macro().loc[:last, columns].to_numpy()
    return X[:-1], X[-1:]


def _least_alignment() -> float:
    X, X_new = _rows("2008Q2", ["inflation", "unemployment", "bill_rate"])
    s = spectrum(X, centre=True)
    return float(scale_and_alignment(s.codes(X_new), s.codes()).alignment.min())


def _share_negative() -> float:
    X, X_new = _rows("2008Q2", ["inflation", "unemployment", "bill_rate"])
    return float((spectrum(X, centre=True).weights(X_new) < 0).mean())


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
        _share_negative,
        "count the weights below zero in one row of spectrum(X, centre=True).weights(X_new), divide by its length.",
        wrong=0.0,
    ),
    "03.4": Exercise(
        _least_alignment,
        "scale_and_alignment takes codes: s.codes(X_new) and s.codes(), with s centred.",
        wrong=-1.0,
    ),
    "03.5": Exercise(
        lambda: "the weights",
        "a rotation turns every code by the same angle; what do inner products care about?",
        wrong="the codes",
    ),
}
