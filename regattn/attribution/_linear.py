"""Linear models: least squares, ridge and what is ridge once its penalty is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import linear_model
from sklearn.cross_decomposition import PLSRegression

from regattn._types import Table
from regattn.attribution._sklearn import counted, dense, refuse, refuse_weights, shares
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother


def ridge_matrix(
    training: Training, X_new: Table, penalty: float | np.ndarray, intercept: bool, *, rank: int | None = None
) -> np.ndarray:
    """Return the weights of ridge regression, (m, n), from one decomposition of the centred rows.

    A penalty on each column is the common one after a change of their units. Of the directions those count that are
    above rounding, or the leading ones up to the rank that a solver found.
    """
    X, Z, root = dense(training.X), dense(X_new), np.sqrt(counted(training))
    share = shares(training) if intercept else np.zeros(training.n)
    centre = np.average(X, axis=0, weights=share) if intercept else np.zeros(X.shape[1])
    units = 1.0
    if np.ndim(penalty):
        units, penalty = 1 / np.sqrt(penalty), 1.0
    left, sizes, right = np.linalg.svd(root[:, None] * (X - centre) * units, full_matrices=False)
    rounding = sizes.max(initial=0.0) * np.finfo(float).eps
    kept = sizes > rounding * max(X.shape) if rank is None else (np.arange(len(sizes)) < rank) & (sizes > rounding / 10)
    gains = np.divide(sizes, sizes**2 + penalty, out=np.zeros_like(sizes), where=kept)
    return ((Z - centre) * units @ right.T * gains) @ left.T * root + share


def leave_one_out(hat: np.ndarray) -> np.ndarray:
    """Return the weights of each row on the others once it is left out: H_ij / (1 - H_ii), and zero on itself."""
    own = np.diag(hat)
    alone = own > 1 - 1e-10
    if alone.any():
        raise ValueError(
            f"row {int(alone.argmax())} of X_train is fitted by itself alone (its leverage is 1), so nothing "
            "predicts it once it is left out; give X_new"
        )
    found = hat / (1 - own)[:, None]
    np.fill_diagonal(found, 0.0)
    return found


def _ridge(model: Any, penalty: float, rank: int | None = None) -> Smoother:
    if getattr(model, "positive", False):
        refuse(model, "positive=True keeps coefficients at zero by their sign; fit it with positive=False")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        return ridge_matrix(training, X_new, penalty, model.fit_intercept, rank=rank)

    return Smoother(weights, model.predict, lambda training: leave_one_out(weights(training, training.X)))


@smoother.register(linear_model.LinearRegression)
def _(model: Any) -> Smoother:
    return _ridge(model, 0.0, getattr(model, "rank_", None))  # its threshold is its own, and has changed


@smoother.register(linear_model.Ridge)
def _(model: Any) -> Smoother:
    return _ridge(model, _common(model, model.alpha))


@smoother.register(linear_model.RidgeCV)
def _(model: Any) -> Smoother:
    return _ridge(model, _common(model, model.alpha_))


@smoother.register(linear_model.BayesianRidge)
def _(model: Any) -> Smoother:
    return _ridge(model, model.lambda_ / model.alpha_)


def _common(model: Any, penalties: Any) -> float:
    penalties = np.unique(penalties)
    if len(penalties) > 1:
        refuse(
            model, f"its targets have other penalties, {penalties[0]:g} and {penalties[1]:g}; fit one target at a time"
        )
    return float(penalties[0])


@smoother.register(linear_model.ElasticNet)
@smoother.register(linear_model.ElasticNetCV)
@smoother.register(linear_model.LassoCV)
def _(model: Any) -> Smoother:
    if model.positive:
        refuse(model, "positive=True keeps coefficients at zero by their sign; fit it with positive=False")
    penalty = model.alpha_ if hasattr(model, "alpha_") else model.alpha
    ratio = getattr(model, "l1_ratio_", getattr(model, "l1_ratio", 1.0))

    def weights(training: Training, X_new: Table) -> np.ndarray:
        coefficients = np.asarray(model.coef_)
        if coefficients.ndim > 1:
            refuse(model, "each of several targets has an active set of its own; fit one target at a time")
        active = coefficients != 0
        among = training._replace(X=dense(training.X)[:, active])
        total = penalty * counted(training).sum()
        each = total * (ratio / np.abs(coefficients[active]) + 1 - ratio)
        return ridge_matrix(among, dense(X_new)[:, active], each, model.fit_intercept)

    # Coordinate descent stops at a duality gap of tol |y|², within which fits differ by √(2 tol) |y|.
    reason = "its active set would be another without a row"
    return Smoother(weights, model.predict, reason, tolerance=float(np.sqrt(2 * model.tol)))


@smoother.register(linear_model.MultiTaskElasticNet)
@smoother.register(linear_model.MultiTaskLasso)
def _(model: Any) -> Smoother:
    return refuse(model, "its penalty binds the coefficients of all targets")


@smoother.register(PLSRegression)
def _(model: Any) -> Smoother:
    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        old, new = (dense(X) - model._x_mean for X in (training.X, X_new))
        scores = old / model._x_std @ model.x_rotations_
        return new / model._x_std @ model.x_rotations_ / (scores**2).sum(axis=0) @ scores.T + 1 / training.n

    return Smoother(weights, model.predict, "its directions would be others without a row")
