"""The book's own models: an estimator that learns how to compare, and autoregressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from regattn._types import Table
from regattn.attribution._linear import leave_one_out
from regattn.attribution._sklearn import check_rows, dense, refuse, refuse_weights
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother
from regattn.regression.estimator import AttentionRegressor
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
