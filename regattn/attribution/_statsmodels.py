"""Results of statsmodels: least squares, ordinary, weighted and generalised."""

from __future__ import annotations

from typing import Any

import numpy as np
from statsmodels.regression import linear_model

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
    if hasattr(model, "formula"):
        refuse(results, f"it comes from the formula {model.formula!r}; fit the model to the columns of a design matrix")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        check_rows(model, model.exog, training)
        return dense(X_new) @ (np.linalg.pinv(model.wexog, rcond=1e-15) @ model.whiten(np.eye(training.n)))

    def held_out(training: Training) -> np.ndarray:
        return leave_one_out(weights(training, training.X))

    correlated = type(model) is linear_model.GLS and np.ndim(model.sigma) == 2
    reason = "correlated errors let the others say something of the error of the row left out, too"
    return Smoother(weights, results.predict, reason if correlated else held_out, np.asarray(model.endog))
