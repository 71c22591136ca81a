"""State-space models of statsmodels: their filter is linear in the series once its variances are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from statsmodels.tsa.statespace import mlemodel

from regattn._types import Table
from regattn.attribution._sklearn import check_rows, dense, refuse, refuse_weights
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother

FARTHEST = 10_000  # dates ahead
AFFINE = 1e-7  # what rounding leaves of a prediction from zeros, in units of the series


@smoother.register(mlemodel.MLEResults)
@smoother.register(mlemodel.MLEResultsWrapper)
def _(results: Any) -> Smoother:
    """Return the smoother of a filter: a training row is predicted from the dates before it, a later one from all."""
    model = results.model
    if model.k_endog > 1:
        refuse(results, f"it has {model.k_endog} series; fit one at a time")
    if getattr(model, "simple_differencing", False):
        refuse(results, "simple_differencing=True changed the outcomes; fit it with simple_differencing=False")
    n, exog = len(model.endog), getattr(model, "exog", None)
    outcomes = np.nan_to_num(np.asarray(model.endog, dtype=float)[:, 0])  # a date that is missing has weight zero

    def weights(training: Training, X_new: Table) -> np.ndarray:
        _check_training(results, training)
        if exog is not None:
            return _responses(results, dense(X_new))[n:, :n]
        places = _places(X_new, n)
        return _responses(results, max(places.max() + 1 - n, 0))[places, :n]

    def predict(X_new: Table) -> np.ndarray:
        if exog is not None:
            return np.asarray(results.forecast(len(X_new), exog=dense(X_new)))
        places = _places(X_new, n)
        return np.asarray(results.predict(0, int(places.max())))[places]

    def held_out(training: Training) -> np.ndarray:
        _check_training(results, training)
        return _responses(results, 0)[:n, :n]

    return Smoother(weights, predict, held_out, outcomes)


def _places(X: Table, n: int) -> np.ndarray:
    """Return the places of dates, 0 for the first, from the one column of a model that has no predictors."""
    values = dense(X)
    if values.shape[1] != 1:
        raise ValueError(
            f"a model of a series alone asks for one column, the place of each date (0, 1, …, {n - 1} are those it was "
            f"fitted to, {n} is the next), got {values.shape[1]} columns"
        )
    places = values[:, 0]
    strange = (places != np.floor(places)) | (places < 0) | (places > n + FARTHEST)
    if strange.any():
        raise ValueError(
            f"row {int(strange.argmax())}: the place of a date must be a whole number from 0 to {n + FARTHEST}, "
            f"got {places[strange.argmax()]:g}"
        )
    return places.astype(int)


def _check_training(results: Any, training: Training) -> None:
    refuse_weights(results, training)
    exog = getattr(results.model, "exog", None)
    check_rows(results, np.arange(len(results.model.endog))[:, None] if exog is None else exog, training)


def _responses(results: Any, ahead: int | np.ndarray) -> np.ndarray:
    """Return the weights, (N, N), of all outcomes in the prediction of each date from those before it.

    With state a, gain K and Z a the prediction, a' = T a + K (y - Z a): what one outcome adds to the states goes on by
    itself. While the first states are unknown (diffuse) a gain is none, and ones at single dates are filtered instead.

    Parameters
    ----------
    results : statsmodels MLEResults
        At whose parameters the filter runs.
    ahead : int or ndarray of shape (h, k)
        Dates after the last one, or their predictors.
    """
    more, exog = (int(ahead), None) if np.ndim(ahead) == 0 else (len(ahead), np.asarray(ahead))
    if getattr(results.model, "exog", None) is not None:
        exog = results.model.exog if exog is None else np.vstack([results.model.exog, exog])
    endog = np.r_[np.asarray(results.model.endog, dtype=float)[:, 0], np.full(more, np.nan)]
    found = _filtered(results, endog, exog)
    known = int(found.nobs_diffuse)
    _check_linear(results, _filtered(results, np.where(np.isnan(endog), np.nan, 0.0), exog))
    states, weights = np.zeros((found.k_states, len(endog))), np.zeros((len(endog), len(endog)))
    for s in np.flatnonzero(~np.isnan(endog[:known])):
        one = np.where(np.isnan(endog), np.nan, 0.0)
        one[s] = 1.0
        alone = _filtered(results, one, exog)
        weights[:known, s], states[:, s] = alone.forecasts[0, :known], alone.predicted_state[:, known]
    for t in range(known, len(endog)):
        gain = found.kalman_gain[:, 0, t]
        weights[t] = _at(found.design, t)[0] @ states
        states = _at(found.transition, t) @ states - np.outer(gain, weights[t])
        states[:, t] += gain
    return weights


def _at(matrices: np.ndarray, t: int) -> np.ndarray:
    return matrices[:, :, t if matrices.shape[2] > 1 else 0]


def _filtered(results: Any, endog: np.ndarray, exog: np.ndarray | None) -> Any:
    """Return what the filter makes of other outcomes, at the parameters found."""
    try:
        model = results.model.clone(
            endog[:, None] if exog is None else endog, **({} if exog is None else {"exog": exog})
        )
    except NotImplementedError:
        return refuse(results, f"{type(results.model).__name__} has no method clone, which would give it more dates")
    model.update(results.params)
    model.ssm.initialization = results.model.ssm.initialization
    with np.errstate(divide="ignore", invalid="ignore"):  # zeros have no likelihood
        return model.ssm.filter()


def _check_linear(results: Any, zeros: Any) -> None:
    """Raise if the model predicts something from zeros: what its likelihood found is no weighted sum of outcomes."""
    level = np.abs(zeros.forecasts).max()
    if level > AFFINE * max(1.0, np.nanstd(results.model.endog)):
        refuse(
            results,
            f"from outcomes of zero it would still predict {level:g}: a constant, a trend or coefficients found by "
            "maximum likelihood are no weighted sums of outcomes; give such columns as exog, a column of ones among "
            "them, and fit with mle_regression=False",
        )
