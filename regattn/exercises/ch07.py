"""Exercises of chapter 7, attention regression."""

import numpy as np

from regattn.attention import attend
from regattn.data import load_diabetes
from regattn.exercises._exercise import Exercise
from regattn.kernels import KERNELS
from regattn.masks import others_mask
from regattn.regression.least_squares import proximity_weights


def _training_error() -> float:
    """Return the error of rows that attend only to themselves, to the nearest whole number."""
    angles = np.arange(7.0)
    rows = np.column_stack([np.cos(angles), np.sin(angles)])
    return float(np.round(np.abs(attend(rows, rows, angles, scale=1e6) - angles).max()))


def _shrunk_mass() -> float:
    x = np.linspace(-1, 1, 30)
    rows = np.column_stack([np.ones(30), x])
    return float(proximity_weights(rows, rows[:1], ridge=10.0).sum())


def _negative_kernel() -> str:
    names = ("softmax", "gaussian", "relu", "identity")
    return next(name for name in names if not KERNELS[name].non_negative)


def _one_number() -> float:
    return float(KERNELS["softmax"].weights(np.array([[3.7]]))[0, 0])


def _best_c() -> float:
    X, y = (part.to_numpy() for part in load_diabetes())
    train = np.random.default_rng(0).permutation(len(y))[:300]
    rows = (X[train] - X[train].mean(axis=0)) / X[train].std(axis=0)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    grid = np.arange(2.0, 21.0, 2.0)
    mask = others_mask(300)
    errors = [np.mean((y[train] - attend(rows, rows, y[train], scale=c, mask=mask)) ** 2) for c in grid]
    return float(grid[np.argmin(errors)])


EXERCISES = {
    "07.1": Exercise(_training_error, "who is the best match of a row among rows of one length?", wrong=1.0),
    "07.2": Exercise(
        _shrunk_mass, "the constant column has squared length 30; which share of it does the penalty leave?", wrong=1.0
    ),
    "07.3": Exercise(_negative_kernel, "which of them can give a weight below zero?", wrong="relu"),
    "07.4": Exercise(_one_number, "divide e to the power of anything by the sum over a single term.", wrong=0.5),
    "07.5": Exercise(
        _best_c, "`attend(U, U, y_train, scale=c, mask=others)` for each c, then the mean square.", wrong=20.0
    ),
}
