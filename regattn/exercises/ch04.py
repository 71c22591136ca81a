"""Exercises of chapter 4, shrinkage and rank."""

import numpy as np
from scipy.optimize import brentq

from regattn.attention import attend
from regattn.data import load_macro
from regattn.exercises._exercise import Exercise, Mistake
from regattn.regression.least_squares import spectrum
from regattn.regression.spectral import Spectrum
from regattn.series.lags import lag_matrix


def _spectrum_of_1984() -> Spectrum:
    """Spectrum of the chapter: 32 predictors known at the end of 1984, in units of their own past."""
    macro = load_macro()
    state = lag_matrix(macro[["inflation", "unemployment", "bill_rate", "gdp_growth"]], max_lag=7).loc[:"1984Q3"]
    return spectrum(((state - state.mean()) / state.std()).to_numpy(), centre=True)


def _ridge_with(dof: float) -> float:
    """Return the penalty with so many effective degrees of freedom, the intercept included."""
    s = _spectrum_of_1984()
    return brentq(lambda ridge: s.effective_dof(ridge=ridge) - dof, 1.0, 1e4)


def _penalty_keeping(share: float) -> float:
    """Return the penalty that keeps such a share of a direction with s² = 12."""
    s = spectrum(np.array([[np.sqrt(12.0)]]), centre=False)
    return brentq(lambda ridge: s.filter(ridge=ridge)[0] - share, 0.0, 1e3)


def _dof_of_two_directions(ridge: float) -> float:
    X = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) / np.sqrt(2)
    return float(spectrum(X, centre=True).effective_dof(ridge=ridge))


def _borrowed_r2() -> float:
    """Return the best R² that multiples of the first target's fit reach for a second target, made to measure."""
    directions = np.linalg.qr(np.vander(np.linspace(-1, 1, 11), 4, increasing=True))[0][:, 1:]
    X = directions[:, :2]
    second = directions @ np.sqrt([0.5 * 0.2**2, 0.5 * (1 - 0.2**2), 0.5])  # R² is .5, the fits correlate with .2
    first = X.T @ directions[:, 0]  # the coefficients of the first target, which lies in the first direction
    borrowed = attend(X @ np.outer(first, first), X, second, kernel="identity")
    return float(np.corrcoef(borrowed, second)[0, 1] ** 2)


EXERCISES = {
    "04.1": Exercise(
        lambda: _penalty_keeping(1 / 4),
        "set s²/(s² + λ) to one quarter and solve: λ is a multiple of s².",
        (
            Mistake(48.0, "this is s² and λ together; take s² away."),
            Mistake(lambda: _penalty_keeping(3 / 4), "this keeps three quarters."),
            Mistake(lambda: _penalty_keeping(1 / 2), "this keeps half."),
            Mistake(3.0, "this is the multiple; of what?"),
        ),
    ),
    "04.2": Exercise(
        lambda: _dof_of_two_directions(1.0),
        "add the share each direction keeps, and do not forget the intercept, which no penalty touches.",
        (
            Mistake(lambda: _dof_of_two_directions(1.0) - 1, "the intercept is missing, and no penalty touches it."),
            Mistake(
                lambda: _dof_of_two_directions(0.0), "these are the parameters; the penalty keeps only a part of each."
            ),
            Mistake(1 + 3 / 4 + 1 / 2, "the share that is kept goes with s², not with s."),
        ),
    ),
    "04.3": Exercise(
        lambda: 2.1 / (1 - 0.3),
        "divide by the attention that the row does not pay to itself.",
        (
            Mistake(2.1, "this is the residual of a fit that has seen the row; unseen, the error is larger."),
            Mistake(2.1 / 0.3, "divide by what is left over from the leverage, not by the leverage."),
            Mistake(2.1 * 0.7, "an unseen row has a larger error than a seen one: divide where you multiplied."),
            Mistake(2.1 / 0.7**0.5, "this standardises a residual; leaving the row out has no root."),
        ),
    ),
    "04.4": Exercise(
        lambda: _ridge_with(7.0),
        "`s.effective_dof(rank=6)` is the target; search a fine grid for the λ at which "
        "`s.effective_dof(ridge=λ)` meets it.",
        (
            Mistake(
                lambda: _ridge_with(6.0), "the intercept is one of them in both counts; here it is missing in one."
            ),
            Mistake(
                lambda: float(_spectrum_of_1984().singular_values[5] ** 2),
                "this is s² of the sixth direction; it halves that one and leaves a part of all that follow.",
            ),
        ),
        tolerance=0.02,
    ),
    "04.5": Exercise(
        _borrowed_r2,
        "the map of rank one returns a multiple of the first fit, whatever the target; how much of the second target "
        "lies in that direction?",
        (
            Mistake(0.5, "this is what a map with all directions reaches; the borrowed one has a single direction."),
            Mistake(0.1, "the correlation of the fits has to be squared: R² is a share of squares."),
            Mistake(0.04, "this is the share of the second *fit*; the target has a part that no fit reaches."),
            Mistake(0.2, "this is a correlation, between the fits; R² is a share of the target's squares."),
        ),
        share=True,
    ),
}
