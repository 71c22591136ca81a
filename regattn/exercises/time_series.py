"""Exercises on time series."""

import numpy as np
import pandas as pd

from regattn.data import load_macro
from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.series.time_attention import autoregression


def _last_on_the_one_before() -> float:
    series = pd.DataFrame({"y": [1.0, 2.0, 3.0]})
    return float(autoregression(series, max_lag=1, intercept=False).weights().loc[2, 1])


def _rank_of_map(*, intercept: bool = True, max_lag: int = 2) -> int:
    four = load_macro()[["inflation", "unemployment", "bill_rate", "consumption"]]
    return int(np.linalg.matrix_rank(autoregression(four, max_lag=max_lag, intercept=intercept).weights()))


def _row_of_1975(*, max_lag: int = 2, intercept: bool = True) -> pd.Series:
    """Weights of the forecast for 1975Q1 from the inflation known at the end of 1974."""
    known = load_macro().loc[:"1974Q4", ["inflation"]]
    return autoregression(known, max_lag=max_lag, intercept=intercept).weights_after(known)


def _sunspots() -> pd.DataFrame:
    from statsmodels.datasets import sunspots

    return sunspots.load_pandas().data.astype({"YEAR": int}).set_index("YEAR")


def _loudest_for_1957() -> str:
    return str(autoregression(_sunspots(), max_lag=9).weights_at(1957).drop(1957).idxmax())


EXERCISES = {
    1: Exercise(
        _last_on_the_one_before,
        "the pasts of the two dates are the first two numbers: multiply them, and divide by what?",
        (
            Mistake(4 / 5, "this is the weight of the last date on itself."),
            Mistake(1 / 5, "this is the weight of the earlier date on itself."),
            Mistake(6 / 13, "you multiplied the values; a weight is made of the pasts."),
            Mistake(2 / 14, "the sum of squares runs over the pasts only; the last number is nobody's past."),
            Mistake(1 / 2, "these weights are not uniform, and without an intercept nothing makes them sum to one."),
        ),
        share=True,
    ),
    2: Exercise(
        _rank_of_map,
        "a map has the rank of its inputs: count the columns of X, whatever the number of dates.",
        (
            Mistake(lambda: _rank_of_map(intercept=False), "the column of ones counts too."),
            Mistake(lambda: _rank_of_map(max_lag=1), "every series has a column for each lag."),
            Mistake(201, "this is how many rows and columns the map has; most of them depend on the others."),
            Mistake(203, "this is the number of quarters; the map has fewer rows, and a rank that is smaller still."),
        ),
        tolerance=EXACT,
    ),
    3: Exercise(
        lambda: float((_row_of_1975() < 0).mean()),
        "cut the series off as `known` is in the first cell, and look at the row of `ar2.weights_after(known)`.",
        (
            Mistake(lambda: float((_row_of_1975() < 0).sum()), "this is how many there are; divide by all of them."),
            Mistake(
                lambda: float((_row_of_1975() < 1 / len(_row_of_1975())).mean()),
                "this is the share below the uniform weight; count those below zero.",
            ),
            Mistake(lambda: float((_row_of_1975(max_lag=1) < 0).mean()), "this is for a single lag."),
            Mistake(lambda: float((_row_of_1975(intercept=False) < 0).mean()), "this is without an intercept."),
        ),
        share=True,
    ),
    4: Exercise(
        _loudest_for_1957,
        "take 1957 itself out of `row`, then look for the largest.",
        (
            Mistake("1957", "this is the year itself."),
            Mistake("1980", "this one is near and loud; is it the loudest?"),
            Mistake("1801", "this is only the way to write an answer; compute the weights."),
            Mistake("1958", "the year after is near in time; what counts is the shape of the nine years before."),
        ),
        options={str(year): (str(year),) for year in range(1700, 2009)},
    ),
    5: Exercise(
        lambda: 0.9 - (1 + 3 * 0.9) / 100,
        "take the first-order bias with an intercept and add it to the true ρ, with its sign.",
        (
            Mistake(0.9 - 2 * 0.9 / 100, "this is the bias without an intercept."),
            Mistake(0.9, "this is what the estimate tends to in a long series."),
            Mistake(0.9 + (1 + 3 * 0.9) / 100, "the estimate is too low, not too high."),
            Mistake(-(1 + 3 * 0.9) / 100, "this is the bias; what is the estimate?"),
        ),
    ),
    6: Exercise(
        lambda: float(4 * 1_000_000 + 4 * 4 + 4 * 1_000_000),
        "each of the two long products takes as many multiplications as X has entries.",
        (
            Mistake(4_000_016, "there are two long products: one into the coefficients, one out of them."),
            Mistake(4e12, "this is the map; with the brackets moved it is never made."),
            Mistake(1e12, "this is the number of weights; with the brackets moved they are never made."),
            Mistake(2_000_000, "each date has four lags."),
        ),
    ),
}
