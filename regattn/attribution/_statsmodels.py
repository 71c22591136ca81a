"""Results of statsmodels: least squares of three kinds, and mixed models at the variances found."""

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
    _refuse_formula(results)

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        check_rows(model, model.exog, training)
        return dense(X_new) @ (np.linalg.pinv(model.wexog, rcond=1e-15) @ model.whiten(np.eye(training.n)))

    def held_out(training: Training) -> np.ndarray:
        return leave_one_out(weights(training, training.X))

    correlated = type(model) is linear_model.GLS and np.ndim(model.sigma) == 2
    reason = "correlated errors let the others say something of the error of the row left out, too"
    return Smoother(weights, results.predict, reason if correlated else held_out, np.asarray(model.endog))


def _refuse_formula(results: Any) -> None:
    formula = getattr(results.model, "formula", None)
    if formula is not None:
        refuse(results, f"it comes from the formula {formula!r}; fit the model to the columns of a design matrix")


@smoother.register(mixed_linear_model.MixedLMResults)
@smoother.register(mixed_linear_model.MixedLMResultsWrapper)
def _(results: Any) -> Smoother:
    model = results.model
    _refuse_formula(results)
    if model.k_vc:
        refuse(results, "it has variance components (vc_formula); fit it with exog_re")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(results, training)
        check_rows(results, model.exog, training)
        same = np.equal.outer(np.asarray(model.groups), np.asarray(model.groups))
        covariance = same * (model.exog_re @ np.asarray(results.cov_re) @ model.exog_re.T)
        covariance[np.diag_indices(training.n)] += results.scale
        weighed = np.linalg.solve(covariance, model.exog)
        return dense(X_new) @ np.linalg.solve(weighed.T @ model.exog, weighed.T)

    reason = "the rows of its group say something of the row left out, too"
    return Smoother(weights, results.predict, reason, np.asarray(model.endog))
