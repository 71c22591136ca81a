"""Exercises of chapter 7, attention regression."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from regattn.attention import attend
from regattn.data import load_diabetes
from regattn.exercises._exercise import EXACT, Exercise, Mistake
from regattn.kernels import KERNELS
from regattn.masks import others_mask
from regattn.regression.least_squares import proximity_weights


def _scale_that_hears_only_itself() -> float:
    """Return the scale at which a row has half of its weight when a hundred others have an inner product of .8."""
    scores = np.r_[1.0, np.full(100, 0.8)][None]
    return brentq(lambda c: KERNELS["softmax"].weights(c * scores)[0, 0] - 0.5, 1.0, 100.0)


def _mass(ridge: float) -> float:
    x = np.linspace(-1, 1, 30)
    rows = np.column_stack([np.ones(30), x])
    return float(proximity_weights(rows, rows[:1], ridge=ridge).sum())


def _negative_kernel() -> str:
    names = ("softmax", "gaussian", "relu", "identity")
    return next(name for name in names if not KERNELS[name].non_negative)


def _best_c(grid: np.ndarray, masked: bool = True) -> float:
    """Return the scale with the smallest leave-one-out error, or training error, of the chapter's first figure."""
    X, y = (part.to_numpy() for part in load_diabetes())
    train = np.random.default_rng(0).permutation(len(y))[:300]
    rows = (X[train] - X[train].mean(axis=0)) / X[train].std(axis=0)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    mask = others_mask(300) if masked else None
    errors = [np.mean((y[train] - attend(rows, rows, y[train], scale=c, mask=mask)) ** 2) for c in grid]
    return float(grid[np.argmin(errors)])


EXERCISES = {
    "07.1": Exercise(
        _scale_that_hears_only_itself,
        "compare the exponential of its own score with a hundred times that of the best match, then take logarithms.",
        (
            Mistake(
                lambda: math.log(100), "this is how far the scores must be apart; c multiplies a smaller distance."
            ),
            Mistake(lambda: math.log(100) / 0.8, "softmax sees differences of scores: its own is one, not zero."),
            Mistake(100 / 0.2, "a hundred others together: the logarithm of their number, not their number."),
            Mistake(lambda: math.log(2) / 0.2, "this would do against a single other row."),
        ),
    ),
    "07.2": Exercise(
        lambda: _mass(10.0),
        "the constant column has squared length 30; which share of it does the penalty leave?",
        (
            Mistake(1.0, "so it would be if the penalty spared the column of ones."),
            Mistake(1 / 11, "the column of ones has thirty entries: its s² is their sum of squares."),
            Mistake(lambda: 30**0.5 / (30**0.5 + 10), "the share that is kept goes with s², not with s."),
        ),
        share=True,
    ),
    "07.3": Exercise(
        _negative_kernel,
        "which of them can give a weight below zero?",
        (
            Mistake("relu", "it cuts off what is below zero, so it averages."),
            Mistake("softmax", "its weights are positive and sum to one: an average stays inside its range."),
            Mistake("gaussian", "its weights are positive and are normalised: an average stays inside its range."),
        ),
        options={
            "identity": ("identity", "linear", "ols", "least squares"),
            "relu": ("relu",),
            "softmax": ("softmax",),
            "gaussian": ("gauss",),
        },
    ),
    "07.4": Exercise(
        lambda: float(1 - binom.pmf(0, 13, 0.05)),
        "first find how probable it is that none of them does.",
        (
            Mistake(0.05, "this is the chance for one model; thirteen try."),
            Mistake(
                13 * 0.05,
                "the sum counts twice what happens to two at once; it is a bound, and the one Bonferroni uses.",
            ),
            Mistake(lambda: float(binom.pmf(0, 13, 0.05)), "this is the chance that none of them does."),
            Mistake(
                lambda: float(binom.pmf(1, 13, 0.05)), "this is the chance of exactly one; more than one counts too."
            ),
        ),
        share=True,
    ),
    "07.5": Exercise(
        lambda: _best_c(np.arange(2.0, 21.0, 2.0)),
        "`attend(U, U, y_train, scale=c, mask=others)` for each c, then the mean square.",
        (
            Mistake(10, "this is the best of the coarse grid; try its neighbours."),
            Mistake(
                lambda: _best_c(np.arange(2.0, 21.0, 2.0), masked=False), "this is the training error's choice: mask."
            ),
            Mistake(2, "at this scale the weights are nearly uniform, which is not yet attention."),
        ),
        tolerance=EXACT,
    ),
}
