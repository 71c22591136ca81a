"""Neighbours: the k nearest rows, or those within a radius, count alike or by their distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn import neighbors

from regattn._types import Table
from regattn.attribution._sklearn import check_rows, refuse, refuse_weights
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother


def _shares(model: Any, distances: np.ndarray) -> np.ndarray:
    """Return the weights of the neighbours of one row; those at distance zero take all."""
    if callable(model.weights):
        found = np.asarray(model.weights(distances[None])[0], dtype=float)
    elif model.weights == "distance":
        near = distances == 0
        found = near.astype(float) if near.any() else 1 / distances
    else:
        found = np.ones(len(distances))
    return found / found.sum()


def _matrix(model: Any, found: tuple[np.ndarray, np.ndarray], n: int) -> csr_array:
    """Return the weights on n rows from distances and places of neighbours, a list of them for each new row."""
    distances, places = found
    sizes = np.array([len(each) for each in places])
    if (sizes == 0).any():
        raise ValueError(
            f"row {int(sizes.argmin())} of the new rows has no neighbour within radius {model.radius:g}; fit with "
            "a larger radius"
        )
    entries = np.concatenate([_shares(model, each) for each in distances])
    return csr_array((entries, np.concatenate(list(places)), np.r_[0, sizes.cumsum()]), shape=(len(sizes), n))


def _smoother(model: Any, search: Any, **more: Any) -> Smoother:
    def found(training: Training, X_new: Table | None) -> csr_array:
        refuse_weights(model, training)
        check_rows(model, model._fit_X, training)
        return _matrix(model, search(X_new), training.n)

    return Smoother(found, held_out=lambda training: found(training, None), **more)


@smoother.register(neighbors.KNeighborsRegressor)
def _(model: Any) -> Smoother:
    return _smoother(model, model.kneighbors, predict=model.predict, outcomes=model._y)


@smoother.register(neighbors.RadiusNeighborsRegressor)
def _(model: Any) -> Smoother:
    return _smoother(model, model.radius_neighbors, predict=model.predict, outcomes=model._y)


@smoother.register(neighbors.KNeighborsClassifier)
@smoother.register(neighbors.RadiusNeighborsClassifier)
def _(model: Any) -> Smoother:
    if isinstance(model.classes_, list):
        refuse(model, "each of several targets has classes of its own; fit one target at a time")
    search = model.kneighbors if isinstance(model, neighbors.KNeighborsClassifier) else model.radius_neighbors
    outcomes = model.classes_[np.ravel(model._y)]
    return _smoother(model, search, predict=model.predict_proba, outcomes=outcomes, classes=model.classes_)
