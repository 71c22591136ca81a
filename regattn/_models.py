"""The models that the command line fits by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["MODELS", "Settings"]


class Settings(NamedTuple):
    """What a model may be told: a penalty (None: leave-one-out chooses), a number of parts, a seed."""

    penalty: float | None = None
    size: int | None = None
    seed: int = 0


def _scaled(model: Any) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), model)


def _ridge(given: Settings) -> Any:
    import numpy as np
    from sklearn.linear_model import Ridge, RidgeCV

    return _scaled(RidgeCV(np.logspace(-3, 5, 33)) if given.penalty is None else Ridge(given.penalty))


def _least_squares(given: Settings) -> Any:
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def _components(given: Settings) -> Any:
    from sklearn.decomposition import PCA
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline

    return _scaled(make_pipeline(PCA(given.size or 2), LinearRegression()))


def _neighbours(given: Settings) -> Any:
    from sklearn.neighbors import KNeighborsRegressor

    return _scaled(KNeighborsRegressor(given.size or 5))


def _forest(given: Settings) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(given.size or 300, min_samples_leaf=2, random_state=given.seed)


def _boosting(given: Settings) -> Any:
    from sklearn.ensemble import GradientBoostingRegressor

    return GradientBoostingRegressor(n_estimators=given.size or 100, random_state=given.seed)


def _attention(given: Settings) -> Any:
    from regattn.regression.estimator import AttentionRegressor

    return _scaled(AttentionRegressor(penalty=0.1 if given.penalty is None else given.penalty, random_state=given.seed))


MODELS: dict[str, tuple[Callable[[Settings], Any], str]] = {
    "least-squares": (_least_squares, "a line"),
    "ridge": (_ridge, "a line, shrunk; by leave-one-out unless --penalty is given"),
    "components": (_components, "a line in the leading --size (2) principal components"),
    "neighbours": (_neighbours, "the mean of the nearest --size (5) rows"),
    "forest": (_forest, "--size (300) trees"),
    "boosting": (_boosting, "--size (100) trees, each on what those before it left"),
    "attention": (_attention, "softmax attention that learns how to compare rows; needs torch"),
}
