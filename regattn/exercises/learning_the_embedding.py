"""Exercises on learning the embedding."""

import numpy as np
import pandas as pd

from regattn.data import load_macro
from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.regression.embedding import embedding_limit
from regattn.regression.identification import identified_directions

GROWTH = ("consumption", "investment")
NAMES = ["inflation", "unemployment", "bill_rate", "gdp_growth", *(f"{name}_growth" for name in GROWTH)]


def _at_the_end(z: tuple[float, float]) -> np.ndarray:
    """Ω after descent from zero, for orthonormal columns and a target that shows z."""
    return embedding_limit(np.eye(2), np.array(z))


def _beside(first: float, z: tuple[float, float]) -> float:
    """Second entry of the first row of an Ω that fits as least squares does, for orthonormal columns."""
    return (z[0] - first * z[0]) / z[1]


def _free(columns: int, rank: int) -> int:
    """Numbers of Ω that targets of this rank leave free."""
    X = np.eye(columns)
    return columns * (columns - identified_directions(X, X[:, :rank]).rank)


def _standard(table: pd.DataFrame) -> np.ndarray:
    return ((table - table.mean()) / (table.std(ddof=0) * np.sqrt(len(table)))).to_numpy()


def _effective_ranks() -> dict[str, float]:
    """Effective rank of the four horizons of each series."""
    macro = load_macro()
    macro = macro.assign(**{f"{name}_growth": 400 * np.log(macro[name]).diff() for name in GROWTH})
    series = macro[NAMES].dropna()
    ahead = pd.DataFrame({(name, h): series[name].shift(-h) for name in NAMES for h in (1, 2, 3, 4)}).dropna()
    A = _standard(series.loc[ahead.index])
    return {name: identified_directions(A, _standard(ahead[name])).effective_rank for name in NAMES}


def _kept(s: float, threshold: float) -> float:
    return max(0.0, 1 - threshold / s**2)


EXERCISES = {
    1: Exercise(
        lambda: float(_at_the_end((3.0, 4.0))[0, 1]),
        "here β̂ = z. Write down the column β̂ times the row of z, and divide by the squared length of z.",
        (
            Mistake(0.0, "that is the inverse, the identity; descent on one target does not get there."),
            Mistake(12.0, "the column times the row is right; what is it divided by?"),
            Mistake(12 / 5, "divide by the squared length of z, not by its length."),
            Mistake(lambda: float(_at_the_end((3.0, 4.0))[1, 1]), "this is the entry below it, on the diagonal."),
            Mistake(lambda: float(_at_the_end((3.0, 4.0))[0, 0]), "this is the first entry of the row."),
        ),
    ),
    2: Exercise(
        lambda: _free(6, 4),
        "how many directions do the targets show? On each of them a whole column of Ω is settled, of six numbers.",
        (
            Mistake(_free(6, 5), "one of the targets says nothing new."),
            Mistake(6 * 4, "these are the numbers that are fixed; what is left?"),
            Mistake(2, "so many directions are left; how many numbers has Ω on each?"),
            Mistake(36 - 2 * 6 * 4 + 4**2, "this counts a matrix of low rank; here Ω is free, only the loss is blind."),
        ),
        tolerance=EXACT,
    ),
    3: Exercise(
        lambda: 2 * 64 * 8 - 8**2,
        "count the numbers stored in both factors, then take off those that only choose between equal products.",
        (
            Mistake(
                2 * 64 * 8, "these are the numbers stored; an invertible matrix between the factors changes none of Ω."
            ),
            Mistake(64 * 8, "there are two factors."),
            Mistake(64 * 64, "so many directions has a full Ω; this one has low rank."),
            Mistake(2 * 64 * 8 - 8, "the matrix between the factors has as many numbers as rows times columns."),
            Mistake(64 * 8 - 8 * 7 // 2, "this counts a symmetric Ω, with one factor; here there are two."),
        ),
        tolerance=EXACT,
    ),
    4: Exercise(
        lambda: max(ranks := _effective_ranks(), key=ranks.get),
        "call `identified_directions` with `A` and the four columns of one series in `ahead`, once for each.",
        (
            Mistake(
                "inflation", "it persists, so its four horizons resemble each other; is there one that forgets faster?"
            ),
            Mistake("unemployment", "it moves slowly, so its four horizons are nearly one lesson."),
            Mistake("bill_rate", "it moves slowly, so its four horizons are nearly one lesson."),
            Mistake("gdp_growth", "near the top; is there one that is more different from horizon to horizon?"),
            Mistake("consumption_growth", "near the top; is there one that is more different from horizon to horizon?"),
        ),
        options={
            "inflation": ("inflation",),
            "unemployment": ("unemployment",),
            "bill_rate": ("bill",),
            "gdp_growth": ("gdp", "output"),
            "consumption_growth": ("consumption",),
            "investment_growth": ("investment",),
        },
    ),
    5: Exercise(
        lambda: _kept(1.0, 4 * 0.2 / 2),
        "put M, μ and the second singular value into the formula for f.",
        (
            Mistake(_kept(2.0, 0.4), "this is the first direction."),
            Mistake(1 / (1 + 0.2), "this is what ridge would keep; decay on factors subtracts."),
            Mistake(_kept(1.0, 0.2), "the loss is averaged over the targets: where is their number?"),
            Mistake(_kept(1.0, 0.8), "half of that is subtracted."),
            Mistake(0.0, "its square is above the threshold, so it survives."),
        ),
        share=True,
    ),
    6: Exercise(
        lambda: _beside(5.0, (3.0, 4.0)),
        "equal fit is one equation for each row of Ω: the row times z is the coefficient, and here β̂ = z.",
        (
            Mistake(0.0, "beside it the inverse has a zero; but there the row begins with a one."),
            Mistake(lambda: float(_at_the_end((3.0, 4.0))[0, 1]), "that is where descent from zero ends."),
            Mistake(-15 / 4, "the row times z is the first coefficient, not zero."),
            Mistake((4 - 15) / 4, "the first row answers with the first coefficient."),
        ),
    ),
}
