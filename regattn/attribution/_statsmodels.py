"""Results of statsmodels: least squares of three kinds, and mixed models at the variances found; formulas, too."""

from __future__ import annotations

from typing import Any

import numpy as np
from statsmodels.regression import linear_model, mixed_linear_model

from regattn._types import Table
from regattn.attribution._linear import leave_one_out
from regattn.attribution._sklearn import check_rows, dense, refuse, refuse_weights
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother

KINDS = (linear_model.OLS, linear_model.WLS, linear_model.GLS)


@smoother.register(linear_model.RegressionResults)
@smoother.register(linear_model.RegressionResultsWrapper)
def _(results: Any) -> Smoother:
    model = results.model
    if type(model) not in KINDS or hasattr(results, "regularized"):
        refuse(results, f"it comes from {type(model).__name__}; fit OLS, WLS or GLS by .fit()")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        check_rows(model, model.exog, training._replace(X=_design(results, training.X)))
        return _design(results, X_new) @ (np.linalg.pinv(model.wexog, rcond=1e-15) @ model.whiten(np.eye(training.n)))

    def held_out(training: Training) -> np.ndarray:
        return leave_one_out(weights(training, training.X))

    correlated = type(model) is linear_model.GLS and np.ndim(model.sigma) == 2
    reason = "correlated errors let the others say something of the error of the row left out, too"
    return Smoother(weights, results.predict, reason if correlated else held_out, np.asarray(model.endog))


def _design(results: Any, X: Table) -> np.ndarray:
    """Return rows as the model was given them: what its formula, if it has one, makes of a table."""
    if getattr(results.model, "formula", None) is None:
        return dense(X)
    found = np.asarray(results._transform_predict_exog(X)[0], dtype=float)
    lacking = len(X) - int(np.isfinite(found).all(axis=1).sum())  # rows that are dropped, or hold NaN
    if lacking:
        raise ValueError(f"{lacking} of {len(X)} rows lack what the formula needs; leave them out")
    return found


@smoother.register(mixed_linear_model.MixedLMResults)
@smoother.register(mixed_linear_model.MixedLMResultsWrapper)
def _(results: Any) -> Smoother:
    model = results.model

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(results, training)
        check_rows(results, model.exog, training._replace(X=_design(results, training.X)))
        weighed = np.linalg.solve(_covariance(results), model.exog)
        return _design(results, X_new) @ np.linalg.solve(weighed.T @ model.exog, weighed.T)

    reason = "the rows of its group say something of the row left out, too"
    return Smoother(weights, results.predict, reason, np.asarray(model.endog))


def _covariance(results: Any) -> np.ndarray:
    """Return the covariance of the outcomes, (n, n), at the variances found."""
    model = results.model
    found = results.scale * np.eye(len(model.endog))
    if model.k_re:
        groups = np.asarray(model.groups)
        found += np.equal.outer(groups, groups) * (model.exog_re @ np.asarray(results.cov_re) @ model.exog_re.T)
    for variance, parts in zip(results.vcomp, model.exog_vc.mats, strict=True):
        for group, part in zip(model.group_labels, parts, strict=True):
            rows = model.row_indices[group]
            found[np.ix_(rows, rows)] += variance * (part @ part.T)
    return found
