"""Kernel ridge regression and Gaussian processes: one solve with the kernel matrix of the training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_solve
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge

from regattn._types import Table
from regattn.attribution._linear import leave_one_out
from regattn.attribution._sklearn import check_rows, counted, dense, refuse, refuse_weights
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother


@smoother.register(KernelRidge)
def _(model: Any) -> Smoother:
    penalties = np.unique(model.alpha)
    if len(penalties) > 1:
        refuse(
            model, f"its targets have other penalties, {penalties[0]:g} and {penalties[1]:g}; fit one target at a time"
        )

    def weights(training: Training, X_new: Table) -> np.ndarray:
        if model.kernel != "precomputed":
            check_rows(model, model.X_fit_, training)
        root, among = np.sqrt(counted(training)), model._get_kernel(model.X_fit_)
        across = model._get_kernel(dense(X_new), model.X_fit_)
        inner = among * np.outer(root, root) + penalties[0] * np.eye(training.n)
        return np.linalg.solve(inner, (across * root).T).T * root

    def held_out(training: Training) -> np.ndarray:
        return leave_one_out(weights(training, training.X))

    return Smoother(weights, model.predict, held_out)


@smoother.register(GaussianProcessRegressor)
def _(model: Any) -> Smoother:
    if not hasattr(model, "L_"):
        raise ValueError(f"model must be fitted, got {model!r}")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        refuse_weights(model, training)
        check_rows(model, model.X_train_, training)
        found = cho_solve((model.L_, True), model.kernel_(dense(X_new), model.X_train_).T).T
        return found + (1 - found.sum(axis=1, keepdims=True)) / training.n if model.normalize_y else found

    def held_out(training: Training) -> np.ndarray:
        noise = model.L_ @ model.L_.T  # of which kernel_(X) is all but the alpha on the diagonal
        refuse_weights(model, training)
        inverse = cho_solve((model.L_, True), np.eye(len(noise)))
        found = -inverse / np.diag(inverse)[:, None]
        np.fill_diagonal(found, 0.0)
        return found

    outcomes = model.y_train_ * model._y_train_std + model._y_train_mean
    alone = "normalize_y=True takes the mean and the spread of all outcomes; fit it with normalize_y=False"
    return Smoother(weights, model.predict, alone if model.normalize_y else held_out, outcomes)
