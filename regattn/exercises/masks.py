"""Exercises on masks."""

import numpy as np
import pandas as pd

from regattn.data import load_macro
from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.masks import causal_mask
from regattn.series.evaluation import expanding_window_forecasts
from regattn.series.leaks import future_leak
from regattn.series.time_attention import autoregression


def _masked_by_hand() -> float:
    weights, values = np.array([0.5, -0.3]), np.array([2.0, 4.0])
    return float(weights @ values / weights.sum())


def _masked_fit() -> pd.Series:
    """Return the inflation that an AR(2) fits behind the causal mask."""
    model = autoregression(load_macro()[["inflation"]], max_lag=2)
    y = model.present["inflation"]
    weights = np.where(causal_mask(len(y)), model.weights(), 0.0)
    return pd.Series(weights @ y / weights.sum(axis=1), y.index)


def _weight_of_1974(*, max_lag: int = 3, first: str = "1966Q1", last: str = "1977Q4", rows: bool = True) -> float:
    """N times the weight of 1974Q1 for 1978Q1, in a sample whose first explained quarter is ``first``."""
    series = load_macro()[["inflation"]]
    sample = series.loc[pd.Period(first, freq="Q") - max_lag : last]
    model = autoregression(sample, max_lag=max_lag)
    weights = model.weights_after(sample) if last == "1977Q4" else model.weights_at("1978Q1")
    return float(weights["1974Q1"]) * (len(weights) if rows else 1)


def _honest_components() -> int:
    """Return how many components pass the leak test when the inputs are scaled on the whole sample."""
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline

    def forecasts(series: pd.DataFrame, components: int) -> pd.Series:
        model = autoregression(series, max_lag=4)
        X, y = (model.past / model.past.std()).to_numpy(), model.present["inflation"]
        regression = make_pipeline(PCA(components), LinearRegression())
        made = expanding_window_forecasts(regression, X, y.to_numpy(), start=40, refit_every=20)
        return pd.Series(made, y.index[40:])

    def leak(components: int) -> float:
        settings = {"rng": np.random.default_rng(0), "horizon": 1, "cuts": ["1985Q4"]}
        return future_leak(lambda series: forecasts(series, components), load_macro()[["inflation"]], **settings).max()

    (passing,) = [components for components in range(1, 5) if leak(components) < 1e-6]
    return passing


EXERCISES = {
    1: Exercise(
        _masked_by_hand,
        "keep the weights of the first two dates, then divide by their sum.",
        (
            Mistake(0.5 * 2 - 0.3 * 4, "the weights that are kept do not sum to one yet; divide."),
            Mistake(0.5 * 2 - 0.3 * 4 + 0.8 * 100, "the third date lies ahead; a masked fit does not look at it."),
            Mistake((0.5 * 2 + 0.3 * 4) / 0.8, "the second weight is below zero, in the sum as well."),
            Mistake(2.0, "the mask lets the date look at itself as well."),
            Mistake(4.0, "the mask lets the date look at what came before it as well."),
        ),
    ),
    2: Exercise(
        lambda: str(_masked_fit().idxmax()),
        "divide the rows of the masked map by their sums, as for one lag, and look for the largest fit.",
        (
            Mistake("2008Q4", "there the fit is furthest above what was observed; the highest fit is asked for."),
            Mistake("1986Q3", "there it is lowest."),
            Mistake("1974Q4", "this is the quarter for one lag."),
            Mistake("1980Q2", "this is without a mask."),
            Mistake("1979Q4", "there inflation itself was highest."),
            Mistake("1986Q2", "this is only the way to write an answer."),
        ),
        options={name: (name.lower(),) for name in map(str, load_macro().index)},
    ),
    3: Exercise(
        lambda: (7 - 1) // 2,
        "which is the latest quarter that enters the smoothed value of t?",
        (
            Mistake(0, "the expanding window is honest, but its inputs are not."),
            Mistake(7, "the average has seven quarters; how many of them lie after t?"),
            Mistake(6, "the average is centred: half of the other six lie before t."),
            Mistake(4, "the middle one of the seven is t itself."),
            Mistake(2, "at the end of quarter t that quarter is known; count those after it."),
        ),
        tolerance=EXACT,
        counted="quarter",
    ),
    4: Exercise(
        _weight_of_1974,
        "cut the series from 1965Q2 to 1977Q4, so that 1966Q1 is the first quarter with three lags, and take the row "
        "of the quarter that follows.",
        (
            Mistake(lambda: _weight_of_1974(rows=False), "times the number of rows."),
            Mistake(lambda: _weight_of_1974(last="2009Q3"), "this is with the whole sample."),
            Mistake(lambda: _weight_of_1974(first="1966Q4"), "the three quarters before 1966Q1 belong to its past."),
            Mistake(lambda: _weight_of_1974(max_lag=2), "this is for two lags."),
        ),
    ),
    5: Exercise(
        _honest_components,
        "which fit does not depend on the units of its inputs?",
        (
            Mistake(1, "the first component depends on how the lags are scaled against each other."),
            Mistake(2, "which two components are kept depends on the scaling."),
            Mistake(3, "one direction is still left out, and which one depends on the scaling."),
            Mistake(0, "for one L the regression is plain least squares."),
        ),
        tolerance=EXACT,
    ),
}
