"""Stacking: a linear model of other models' predictions hands its coefficients on to their weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import linear_model
from sklearn.base import clone
from sklearn.ensemble import StackingRegressor
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from regattn._types import Table
from regattn.attribution._families import read
from regattn.attribution._sklearn import refuse, refuse_weights
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother

LINEAR = (
    *(linear_model.LinearRegression, linear_model.Ridge, linear_model.RidgeCV, linear_model.BayesianRidge),
    *(linear_model.ElasticNet, linear_model.ElasticNetCV, linear_model.LassoCV),
)


@smoother.register(StackingRegressor)
def _(model: Any) -> Smoother:
    last = model.final_estimator_
    if not isinstance(last, LINEAR):
        refuse(model, f"its final estimator, {type(last).__name__}, is not linear; fit it with Ridge, for instance")
    if model.passthrough:
        refuse(model, "passthrough=True lets it read the predictors besides its members; fit it with passthrough=False")
    members = [read(each) for each in model.estimators_]
    coefficients = np.ravel(last.coef_)

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        given = [_filled(each.weights(training, X_new)) for each in members]
        found = np.tensordot(coefficients, given, axes=1)
        if not last.fit_intercept:
            return found
        return found + 1 / training.n - coefficients @ _cross_fitted(model, members, training)

    reason = "its coefficients would be others without a row"
    return Smoother(weights, model.predict, reason, tolerance=max(each.tolerance for each in members))


def _cross_fitted(model: Any, members: list[Smoother], training: Training) -> np.ndarray:
    """Return the weights of the mean prediction of each member, (members, n), as the final estimator saw them."""
    if model.cv == "prefit":
        return np.array([_filled(each.weights(training, training.X)).mean(axis=0) for each in members])
    if training.y is None:
        refuse(model, "its intercept is made of predictions across folds, which need the outcomes; give y_train")
    plain = [each for _, each in model.estimators if each != "drop"]
    found = np.zeros((len(plain), training.n))
    for fitted, left_out in check_cv(model.cv, training.y).split(training.X, training.y):
        fold = Training(_safe_indexing(training.X, fitted), training.y[fitted])
        rows = _safe_indexing(training.X, left_out)
        for k, each in enumerate(plain):
            weights = read(clone(each).fit(fold.X, fold.y)).weights(fold, rows)
            found[k, fitted] += _filled(weights).sum(axis=0) / training.n
    return found


def _filled(weights: Any) -> np.ndarray:
    return weights.toarray() if hasattr(weights, "toarray") else np.asarray(weights)
