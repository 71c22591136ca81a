"""Models made of models: what one step after the other, a search, a change of units or an average does to weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import VotingRegressor
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from regattn._types import Table
from regattn.attribution._families import read
from regattn.attribution._sklearn import refuse
from regattn.attribution._training import Matrix, Training
from regattn.attribution.smoother import Smoother, smoother

POINTS = np.linspace(-3.0, 3.0, 25)[:, None]  # where a change of units is held to a straight line


def _following(inner: Smoother, outer: Any, before: Any) -> Smoother:
    """Return the smoother of a model that hands its rows, changed by ``before``, to another."""

    def changed(training: Training) -> Training:
        return training._replace(X=before(training.X))

    held_out = inner.held_out
    return Smoother(
        lambda training, X_new: inner.weights(changed(training), before(X_new)),
        outer.predict if inner.classes is None else outer.predict_proba,
        held_out if isinstance(held_out, str) else lambda training: held_out(changed(training)),
        inner.outcomes,
        inner.classes,
        inner.tolerance,
    )


@smoother.register(Pipeline)
def _(model: Any) -> Smoother:
    if model[-1] is None or isinstance(model[-1], str):
        refuse(model, f"its last step, {model[-1]!r}, predicts nothing")
    return _following(read(model[-1]), model, model[:-1].transform if len(model) > 1 else lambda X: X)


@smoother.register(GridSearchCV)
@smoother.register(RandomizedSearchCV)
def _(model: Any) -> Smoother:
    if not hasattr(model, "best_estimator_"):
        refuse(model, "refit=False leaves no fitted model; give the one that you fit")
    return _following(read(model.best_estimator_), model, lambda X: X)


@smoother.register(VotingRegressor)
def _(model: Any) -> Smoother:
    members = [read(each) for each in model.estimators_]
    votes = model._weights_not_none
    votes = np.full(len(members), 1 / len(members)) if votes is None else np.asarray(votes) / np.sum(votes)

    def weights(training: Training, X_new: Table) -> Matrix:
        return sum(vote * each.weights(training, X_new) for vote, each in zip(votes, members, strict=True))

    silent = [each.held_out for each in members if isinstance(each.held_out, str)]

    def held_out(training: Training) -> Matrix:
        return sum(vote * each.held_out(training) for vote, each in zip(votes, members, strict=True))

    tolerance = max(each.tolerance for each in members)
    return Smoother(weights, model.predict, silent[0] if silent else held_out, tolerance=tolerance)


@smoother.register(TransformedTargetRegressor)
def _(model: Any) -> Smoother:
    inner, level = read(model.regressor_), _level(model)
    standard = type(model.transformer_) is StandardScaler

    def shifted(found: Matrix) -> Matrix:
        """Return weights on outcomes from weights on changed ones: what they lack of one is the level's."""
        rest = 1 - np.asarray(found.sum(axis=1)).reshape(-1, 1)
        if not np.any(level) or np.abs(rest).max() < 1e-12:
            return found
        if standard:
            return found + rest / found.shape[1]
        return refuse(
            model,
            f"{type(model.transformer_).__name__} shifts the outcomes by {float(np.ravel(level)[0]):g} and the weights "
            f"of {type(model.regressor_).__name__} do not sum to one; fit it with an intercept",
        )

    def left_out(training: Training) -> Matrix:
        found = inner.held_out(training)
        if np.any(level) and not np.allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-9):
            refuse(model, f"{type(model.transformer_).__name__} was fitted to all outcomes; give X_new")
        return found

    return Smoother(
        lambda training, X_new: shifted(inner.weights(training, X_new)),
        model.predict,
        inner.held_out if isinstance(inner.held_out, str) else left_out,
        tolerance=inner.tolerance,
    )


def _level(model: Any) -> np.ndarray:
    """Return what a transformer of outcomes makes of zero on its way back; raise unless that way is a straight line."""
    width = getattr(model.transformer_, "n_features_in_", 1)
    back = np.asarray(model.transformer_.inverse_transform(np.tile(POINTS, (1, width))), dtype=float)
    middle, slope = back[12], (back[-1] - back[0]) / 6
    straight = middle + POINTS * slope
    if not np.allclose(back, straight, rtol=1e-9, atol=1e-9 * np.abs(back).max()):
        refuse(
            model,
            f"{type(model.transformer_).__name__} bends the outcomes, so that no weighted sum of them is what it "
            "predicts; ask the regressor_ for the weights on the transformed outcomes",
        )
    return middle
