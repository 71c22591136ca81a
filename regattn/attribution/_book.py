"""The book's own models: an estimator that learns how to compare, and factorised design matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from regattn._types import Table
from regattn.attribution._linear import leave_one_out
from regattn.attribution._sklearn import refuse, refuse_weights
from regattn.attribution.smoother import Smoother, Training, smoother
from regattn.regression.estimator import AttentionRegressor


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
