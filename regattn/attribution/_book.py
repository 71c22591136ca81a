"""The book's own models: an estimator that learns how to compare, autoregressions, factorised designs."""

from __future__ import annotations

from typing import Any

import numpy as np

from regattn._types import Table
from regattn.attribution._linear import leave_one_out
from regattn.attribution._sklearn import check_rows, dense, refuse, refuse_weights
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother
from regattn.regression.estimator import AttentionRegressor
from regattn.regression.spectral import Spectrum
from regattn.regression.streaming import Factor
from regattn.series.time_attention import Autoregression


@smoother.register(AttentionRegressor)
def _(model: Any) -> Smoother:
    if model.kernel != "identity" and model.validation_fraction:
        refuse(model, f"validation_fraction={model.validation_fraction:g} held rows out; fit it with 0")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        return np.asarray(model.attention_weights(X_new))

    def held_out(training: Training) -> np.ndarray:
        refuse_weights(model, training)
        found = np.asarray(model.attention_weights())
        return leave_one_out(found) if model.kernel == "identity" else found

    silent = model.kernel != "identity" and not model.exclude_self
    reason = "exclude_self=False let each row listen to itself; fit it with exclude_self=True"
    return Smoother(weights, model.predict, reason if silent else held_out, model._y)


@smoother.register(Autoregression)
def _(model: Any) -> Smoother:
    """Return the smoother of an autoregression: its rows are those of ``past``, its outcomes those of ``present``."""

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        check_rows(model, model.past, training)
        return np.asarray(model.spectrum.weights(dense(X_new)))

    def held_out(training: Training) -> np.ndarray:
        return leave_one_out(weights(training, training.X))

    present = model.present.to_numpy(dtype=float)
    return Smoother(weights, lambda X: model.spectrum.predict(dense(X), present), held_out, present)


@smoother.register(Spectrum)
def _(model: Any) -> Smoother:
    """Return the smoother of least squares on a factorised design, which keeps no outcomes."""

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        check_rows(model, _rebuilt(model), training)
        return np.asarray(model.weights(_named(model, X_new)))

    def predict(X_new: Table, y: np.ndarray) -> np.ndarray:
        return np.asarray(model.predict(_named(model, X_new), y))

    def held_out(training: Training) -> np.ndarray:
        return leave_one_out(weights(training, training.X))

    return Smoother(weights, predict, held_out, asks_outcomes=True)


@smoother.register(Factor)
def _(model: Any) -> Smoother:
    """Return the smoother of least squares on rows that were folded, chunk by chunk."""
    fit = model.coefficients()

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        X = dense(training.X)
        if len(X) != model.n or not np.allclose(X.mean(axis=0), model.means, rtol=1e-9, atol=1e-9 * np.abs(X).max()):
            refuse(model, f"it folded {model.n} rows, and X_train has {len(X)} or others")
        return np.asarray(model.weights(_named(model, X_new), _named(model, X)))

    def predict(X_new: Table) -> np.ndarray:
        return dense(X_new) @ np.asarray(fit.coef) + np.asarray(fit.intercept)

    def held_out(training: Training) -> np.ndarray:
        return leave_one_out(weights(training, training.X))

    return Smoother(weights, predict, held_out)


def _rebuilt(model: Spectrum) -> np.ndarray:
    """Return the rows that were factorised, from their factors."""
    found = model.scores * model.singular_values @ model.directions.T
    return found if model.centre is None else found + model.centre


def _named(model: Spectrum | Factor, X: Table) -> Table:
    """Return rows under the names that the model knows its columns by: those given were matched by place."""
    import pandas as pd

    return dense(X) if model.columns is None else pd.DataFrame(dense(X), columns=model.columns)
