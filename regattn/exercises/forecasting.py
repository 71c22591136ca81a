"""Exercises on forecasting."""

import numpy as np

from regattn.data import load_employment
from regattn.exercises._exercise import Exercise, Mistake
from regattn.series import forecast_quantiles, forecast_windows, lag_visibility, load_forecaster, quantile_losses


def _loss(*, level: float = 0.9, forecast: float = 10.0, outcome: float = 12.0) -> float:
    return float(quantile_losses([forecast], outcome, levels=[level])[0])


def _share(*, lags: tuple[int, ...] = (3, 15, 27)) -> float:
    """Return the share of an even head on these lags, over twelve months ahead and 36 of the past."""
    return float(1 - lag_visibility(lags, context=36, horizon=12).mean())


def _too_small(*, units: int = 145, alike: float = 0.3) -> float:
    return float(np.sqrt(1 + (units - 1) * alike))


def _moved(*, lags: tuple[int, ...] = (12, 24, 36), month: int = 3, unit: float = 100.0, logs: bool = False) -> float:
    """Return how far the median for April 2012 moves when lags are deleted, in per cent."""
    model, _ = load_forecaster()
    table = np.log(load_employment()[["Construction"]])
    windows = forecast_windows(table, [table.index.get_loc("2012-01")], context=36, horizon=12)
    with_all = forecast_quantiles(model, windows)[0, month, 4]
    without = forecast_quantiles(model, windows, keep=lag_visibility(lags, context=36, horizon=12))[0, month, 4]
    moved = without - with_all
    return float(unit * (moved if logs else np.expm1(moved)))


EXERCISES = {
    1: Exercise(
        _loss,
        "the outcome lies above the quantile; which of the two slopes counts then, and by how much was it missed?",
        (
            Mistake(_loss(level=0.1), "this is what the first decile would pay."),
            Mistake(2.0, "this is the absolute error, which is the loss at level one half."),
            Mistake(_loss() / 2, "this is the loss without the factor two."),
        ),
    ),
    2: Exercise(
        lambda: 123.0,
        "start from the same month a year before, and add what December to December added.",
        (
            Mistake(117.0, "this is the seasonal naive forecast, without drift."),
            Mistake(126.0, "this adds the drift to the last value: then the season is lost."),
            Mistake(120.0, "this is the naive forecast: the last value."),
            Mistake(118.5, "the drift is that of a whole year, and March to March is a whole year."),
        ),
    ),
    3: Exercise(
        _share,
        "a lag of 3 months is in the past for the first three months ahead only; count the cells among 12 × 36.",
        (
            Mistake(3 / 36, "this is the share where all three lags are in the past for every month ahead."),
            Mistake(_share(lags=(15, 27)), "and the lag of 3? Some months ahead can hear it."),
        ),
        share=True,
    ),
    4: Exercise(
        _too_small,
        "the variance of a mean of n alike numbers is larger than that of independent ones by 1 + (n − 1)ρ.",
        (
            Mistake(_too_small() ** 2, "this is the ratio of the variances."),
            Mistake(np.sqrt(145), "this is for series that all move as one."),
            Mistake(_too_small(units=22), "the series share an origin, so it is their number that counts."),
        ),
    ),
    5: Exercise(
        _moved,
        "the origin is the row of 2012-01, the month asked is the fourth ahead, the median the fifth of nine.",
        (
            Mistake(
                _moved(unit=1, logs=True),
                "this is the change of the logarithm; in per cent it is a hundred times that, and a little more.",
            ),
            Mistake(
                _moved(logs=True),
                "this is the difference of the logarithms; as a share of what it was before it is a little more.",
            ),
            Mistake(_moved(month=4), "this is May: April is the fourth month, with index 3."),
            Mistake(_moved(lags=(12,)), "this deletes the lag 12 alone."),
        ),
    ),
}
