"""The race of chapter 7: its models with the grids they are tuned on, their errors, and a table that compares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import BaseCrossValidator, GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from regattn._extras import needed_by
from regattn._rng import Rng, random_state_from
from regattn.recorded_runs import load_runs
from regattn.regression.estimator import AttentionRegressor
from regattn.series.evaluation import Comparison

__all__ = ["Race", "load_race", "race_models", "race_table"]

PENALTIES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)  # the last is the mean
DRAWN = ("forest", "network", "attention")  # the first words of the models that depend on a seed


def race_models(*, folds: int | BaseCrossValidator, n_features: int, rng: Rng = 0) -> dict[str, BaseEstimator]:
    """Return the models of the race by name, those with settings as searches over a grid.

    A grid ends where no other model follows: at a penalty that leaves the mean, or least squares; at a leaf of one row;
    at neighbours who are everybody.

    Parameters
    ----------
    folds : cross-validator
        How a model tunes itself on its training rows, scaling included.
    n_features : int
        Number of inputs p, up to which principal components are counted.
    rng : int or Generator, default 0
        The seed of whatever a model draws, or a generator that one is drawn from.

    Returns
    -------
    dict of name to estimator
        Unfitted.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> models = race_models(folds=KFold(3), n_features=10)
    >>> list(models)[:4], len(models)
    (['mean', 'OLS', 'ridge', 'PCR'], 14)
    """
    seed = random_state_from(rng)
    attention = {"max_iter": 5000, "tol": 1e-3, "random_state": seed}
    network = MLPRegressor(hidden_layer_sizes=(8,), solver="lbfgs", max_iter=5000, random_state=seed)
    forest = RandomForestRegressor(50, max_features=1 / 3, random_state=seed)
    smooth = {"regressor__gamma": np.geomspace(1e-5, 10, 7), "regressor__alpha": np.geomspace(1e-5, 1e3, 9)}
    entries = {
        "mean": (DummyRegressor(), {}),
        "OLS": (LinearRegression(), {}),
        "ridge": (Ridge(), {"alpha": np.geomspace(1e-3, 1e5, 9)}),
        "PCR": (make_pipeline(PCA(), LinearRegression()), {"pca__n_components": range(1, n_features + 1)}),
        "nearest neighbours": (_Neighbours(), {"n_neighbors": [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377]}),
        "forest": (forest, {"min_samples_leaf": [1, 2, 5, 10, 20, 40, 80]}),
        "kernel ridge": (_standardised(KernelRidge(kernel="rbf")), smooth),
        "network": (_standardised(network), {"regressor__alpha": np.geomspace(0.1, 1e4, 6)}),
    }
    for kernel in ("softmax", "gaussian", "relu", "elu", "exponential"):
        entries[f"attention, {kernel}"] = (AttentionRegressor(kernel=kernel, **attention), {"penalty": PENALTIES})
    entries["attention, encoder"] = (AttentionRegressor(encoder=(8,), **attention), {"penalty": PENALTIES})
    return {name: _tuned(model, grid, folds) for name, (model, grid) in entries.items()}


class _Neighbours(KNeighborsRegressor):
    """Nearest neighbours that are everybody, where fewer rows than neighbours are known."""

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return what the parent returns, for as many neighbours as there are."""
        wanted = self.n_neighbors if n_neighbors is None else n_neighbors
        return super().kneighbors(X, min(wanted, self.n_samples_fit_), return_distance)


def _standardised(model: BaseEstimator) -> BaseEstimator:
    """Return a model that sees its target in standard units: its penalty is not in the target's."""
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def _tuned(model: BaseEstimator, grid: Mapping[str, Any], folds: Any) -> BaseEstimator:
    whole = make_pipeline(StandardScaler(), model)
    if not grid:
        return whole
    step = whole.steps[-1][0]
    choices = {f"{step}__{name}": list(values) for name, values in grid.items()}
    return GridSearchCV(whole, choices, cv=folds, scoring="neg_mean_squared_error")


class Race(NamedTuple):
    """What ``tools/race.py`` kept of one data set."""

    errors: dict[str, np.ndarray]
    """Outcome minus prediction on the test rows, by model, shape (seeds, rows); splits one after the other."""
    sizes: list[int]
    """Test rows of each split."""
    picks: dict[str, dict[str, int]]
    """How often a model chose a setting, by model."""
    card: dict[str, Any]
    """The script, its seeds, its minutes of processor time and the versions of its libraries."""

    def losses(self, *, by_split: bool) -> pd.DataFrame:
        """Return squared errors, the mean over seeds, by model: a row for each test row, or the mean of each split."""
        squares = pd.DataFrame({name: (errors**2).mean(axis=0) for name, errors in self.errors.items()})
        return squares.groupby(np.repeat(np.arange(len(self.sizes)), self.sizes)).mean() if by_split else squares


def load_race(name: str) -> Race:
    """Return the errors of every contender on one of the two data sets of chapter 7.

    Parameters
    ----------
    name : {"diabetes", "inflation"}
        Which race.

    Returns
    -------
    Race
        With the errors of :func:`race_models`, in the units of the target.

    Raises
    ------
    ValueError
        If there is no such race.

    Examples
    --------
    >>> race = load_race("inflation")
    >>> race.errors["OLS"].shape, race.errors["network"].shape
    ((1, 100), (3, 100))
    """
    runs, card = load_runs("race")
    if name not in card["sizes"]:
        raise ValueError(f"name must be one of {', '.join(card['sizes'])}, got {name!r}")
    runs = runs[runs["part"] == name]
    errors = {model: np.array(list(each.values())) for model, each in zip(runs["model"], runs["errors"], strict=True)}
    return Race(errors, card.pop("sizes")[name], dict(zip(runs["model"], runs["picks"], strict=True)), card)


def race_table(
    losses: pd.DataFrame, compare: Callable[[np.ndarray, np.ndarray], Comparison], *, baseline: str = "OLS"
) -> pd.DataFrame:
    """Return each model's error and its comparison with a baseline, best first, p-values corrected for their number.

    The correction is Holm's: the chance that any of the p-values falls below a level by luck is at most that level.

    Parameters
    ----------
    losses : DataFrame of shape (n, k)
        Squared errors, a column for each model, rows in the order of the data.
    compare : callable
        Takes two columns of losses and returns what :func:`diebold_mariano` returns.
    baseline : str, default "OLS"
        The model all others are compared with; its own row has a difference of 0 and p-values of 1.

    Returns
    -------
    DataFrame of k rows
        ``rmse``; ``difference`` of the mean losses and its ``standard_error``; ``p_value``, and ``holm``, the same
        after the correction.

    Examples
    --------
    >>> from functools import partial
    >>> from regattn.series import diebold_mariano
    >>> losses = pd.DataFrame({"OLS": [4.0, 9.0, 4.0, 1.0], "mean": [1.0, 4.0, 4.0, 1.0]})
    >>> race_table(losses, partial(diebold_mariano, squared=True))["difference"].to_dict()
    {'mean': -2.0, 'OLS': 0.0}
    """
    with needed_by("regattn.series.race_table"):
        from statsmodels.stats.multitest import multipletests

    rivals = losses.columns.drop(baseline)
    rows = {name: compare(losses[name].to_numpy(), losses[baseline].to_numpy()) for name in rivals}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=Comparison._fields).drop(columns="statistic")
    table["holm"] = multipletests(table["p_value"], method="holm")[1]
    table.loc[baseline] = {"difference": 0.0, "standard_error": 0.0, "p_value": 1.0, "holm": 1.0}
    table.insert(0, "rmse", np.sqrt(losses.mean()))
    return table.sort_values("rmse")
