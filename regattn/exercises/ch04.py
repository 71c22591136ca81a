"""Exercises of chapter 4, shrinkage and rank."""

import numpy as np
from scipy.optimize import brentq

from regattn.data import load_macro
from regattn.exercises._exercise import Exercise
from regattn.regression.least_squares import Spectrum, spectrum
from regattn.series.lags import lag_matrix


def _spectrum_of_1984() -> Spectrum:
    """Spectrum of the chapter: 32 predictors known at the end of 1984, in units of their own past."""
    macro = load_macro()
    state = lag_matrix(macro[["inflation", "unemployment", "bill_rate", "gdp_growth"]], max_lag=8).loc[:"1984Q3"]
    return spectrum(((state - state.mean()) / state.std()).to_numpy(), centre=True)


def _ridge_for_six_directions() -> float:
    s = _spectrum_of_1984()
    return brentq(lambda ridge: s.effective_dof(ridge=ridge) - s.effective_dof(rank=6), 1.0, 1e4)


def _direction_keeping_a_quarter() -> float:
    s = spectrum(np.array([[np.sqrt(12.0)]]))
    return brentq(lambda ridge: s.filter(ridge=ridge)[0] - 0.25, 0.0, 1e3)


def _dof_of_two_directions() -> float:
    X = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) / np.sqrt(2)
    return float(spectrum(X, centre=True).effective_dof(ridge=1.0))


EXERCISES = {
    "04.1": Exercise(
        _direction_keeping_a_quarter,
        "set s²/(s² + λ) to one quarter and solve: λ is a multiple of s².",
        wrong=48.0,
    ),
    "04.2": Exercise(
        _dof_of_two_directions,
        "add the share each direction keeps, and do not forget the intercept, which no penalty touches.",
        wrong=1.4,
    ),
    "04.3": Exercise(
        lambda: 2.1 / (1 - 0.3),
        "divide by the attention that the row does not pay to itself.",
        wrong=2.1,
    ),
    "04.4": Exercise(
        _ridge_for_six_directions,
        "s.effective_dof(rank=6) is the target; search a fine grid for the λ at which "
        "s.effective_dof(ridge=λ) meets it.",
        wrong=31.6,
        tolerance=0.02,
    ),
    "04.5": Exercise(
        lambda: False,
        "the map's only direction was made from one target's coefficients; what does it know about another's?",
        wrong=True,
    ),
}
