"""The models whose weights are held to what they predict, and the data they are fitted to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sklearn import datasets, ensemble, linear_model, neighbors, tree
from sklearn.compose import TransformedTargetRegressor
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from regattn import AttentionRegressor

EXACT, SINGLE = 1e-8, 1e-6
COVARIANCE = kernels.RBF(2.0) + kernels.WhiteKernel(0.5)
RIDGE = linear_model.Ridge(3.0)

REGRESSORS: dict[str, Callable[[int], Any]] = {
    "least squares": lambda seed: linear_model.LinearRegression(),
    "through the origin": lambda seed: linear_model.LinearRegression(fit_intercept=False),
    "ridge": lambda seed: linear_model.Ridge(3.0),
    "ridge, penalty found": lambda seed: linear_model.RidgeCV(alphas=np.logspace(-3, 3, 20)),
    "Bayesian ridge": lambda seed: linear_model.BayesianRidge(),
    "lasso": lambda seed: linear_model.Lasso(0.1, tol=1e-14, max_iter=100_000),
    "elastic net": lambda seed: linear_model.ElasticNet(0.1, tol=1e-14, max_iter=100_000),
    "partial least squares": lambda seed: PLSRegression(2),
    "principal components": lambda seed: make_pipeline(StandardScaler(), PCA(2), linear_model.LinearRegression()),
    "Nyström": lambda seed: make_pipeline(StandardScaler(), Nystroem(n_components=20, random_state=seed), RIDGE),
    "neighbours": lambda seed: neighbors.KNeighborsRegressor(7),
    "neighbours by distance": lambda seed: neighbors.KNeighborsRegressor(7, weights="distance"),
    "neighbours within": lambda seed: neighbors.RadiusNeighborsRegressor(10.0),
    "tree": lambda seed: tree.DecisionTreeRegressor(max_depth=4, random_state=seed),
    "forest": lambda seed: ensemble.RandomForestRegressor(30, random_state=seed),
    "forest, smaller draws": lambda seed: ensemble.RandomForestRegressor(70, max_samples=0.6, random_state=seed),
    "extra trees": lambda seed: ensemble.ExtraTreesRegressor(30, random_state=seed),
    "bagged trees": lambda seed: ensemble.BaggingRegressor(n_estimators=30, random_state=seed),
    "bagged ridges": lambda seed: ensemble.BaggingRegressor(RIDGE, 30, max_features=0.7, random_state=seed),
    "bagged neighbours": lambda seed: ensemble.BaggingRegressor(
        neighbors.KNeighborsRegressor(3), 30, random_state=seed
    ),
    "boosting": lambda seed: ensemble.GradientBoostingRegressor(n_estimators=40, random_state=seed),
    "boosting from nothing": lambda seed: ensemble.GradientBoostingRegressor(n_estimators=20, init="zero"),
    "boosting by halves": lambda seed: ensemble.GradientBoostingRegressor(
        n_estimators=40, subsample=0.5, max_features=2, random_state=seed
    ),
    "boosting from a ridge": lambda seed: ensemble.GradientBoostingRegressor(n_estimators=20, init=RIDGE),
    "histogram boosting": lambda seed: ensemble.HistGradientBoostingRegressor(
        max_iter=40, l2_regularization=2.0, early_stopping=False, random_state=seed
    ),
    "kernel ridge": lambda seed: KernelRidge(alpha=1.0, kernel="rbf", gamma=0.05),
    "Gaussian process": lambda seed: GaussianProcessRegressor(COVARIANCE, optimizer=None),
    "Gaussian process, centred": lambda seed: GaussianProcessRegressor(COVARIANCE, optimizer=None, normalize_y=True),
    "votes": lambda seed: ensemble.VotingRegressor(
        [("ridge", RIDGE), ("forest", ensemble.RandomForestRegressor(20, random_state=seed))], weights=[1, 3]
    ),
    "stacking": lambda seed: ensemble.StackingRegressor(
        [("ridge", RIDGE), ("tree", tree.DecisionTreeRegressor(max_depth=3, random_state=seed))], cv=3
    ),
    "stacking through the origin": lambda seed: ensemble.StackingRegressor(
        [("ridge", RIDGE), ("neighbours", neighbors.KNeighborsRegressor(4))],
        final_estimator=linear_model.LinearRegression(fit_intercept=False),
        cv=3,
    ),
    "outcomes in other units": lambda seed: TransformedTargetRegressor(
        KernelRidge(kernel="rbf", gamma=0.05), transformer=StandardScaler()
    ),
    "search": lambda seed: GridSearchCV(
        make_pipeline(StandardScaler(), linear_model.Ridge()), {"ridge__alpha": [1, 9]}
    ),
    "attention regression": lambda seed: AttentionRegressor(kernel="identity", penalty=2.0),
}
CLASSIFIERS: dict[str, Callable[[int], Any]] = {
    "tree": lambda seed: tree.DecisionTreeClassifier(max_depth=3, random_state=seed),
    "forest": lambda seed: ensemble.RandomForestClassifier(30, random_state=seed),
    "extra trees": lambda seed: ensemble.ExtraTreesClassifier(30, max_depth=4, random_state=seed),
    "neighbours": lambda seed: neighbors.KNeighborsClassifier(5, weights="distance"),
    "neighbours within": lambda seed: neighbors.RadiusNeighborsClassifier(10.0),
    "pipeline": lambda seed: make_pipeline(StandardScaler(), neighbors.KNeighborsClassifier(3)),
}
SUM_TO_ONE = set(REGRESSORS) - {
    "through the origin",
    "stacking through the origin",
    "boosting from nothing",
    "kernel ridge",
    "Gaussian process",
}
LOOSE = {"boosting from a ridge", "histogram boosting"}  # which add up, or are fitted, in float32


@cache
def data(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return training rows, outcomes and new rows."""
    rng = np.random.default_rng(5)
    if name == "diabetes":
        X, y = datasets.load_diabetes(return_X_y=True)
        rows = rng.permutation(len(X))[:170]
        X, y = 20 * X[rows], y[rows]
    elif name == "waves":
        X, y = datasets.make_friedman1(150, n_features=6, noise=0.5, random_state=3)
        X = 3 * X
    else:  # few values: ties among neighbours and splits, repeated rows
        X = rng.integers(0, 4, (140, 4)).astype(float)
        y = X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=140)
    return X[:-40], y[:-40], X[-40:]


DATA = ("diabetes", "waves", "few values")
