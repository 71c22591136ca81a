"""LightGBM and XGBoost: what their leaves say is what they predict; what leaves no means is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from regattn import observation_weights
from tests.attribution.models import DATA, SINGLE, data

WHY = "no extra of the package brings it"


@pytest.fixture(params=["lightgbm", "xgboost"])
def make(request):
    """Return a function that makes a regressor of one of the libraries."""
    library = pytest.importorskip(request.param, reason=WHY)
    if request.param == "lightgbm":
        return lambda **more: library.LGBMRegressor(
            **{"n_estimators": 20, "verbose": -1, "min_child_samples": 5} | more
        )
    return lambda **more: library.XGBRegressor(**{"n_estimators": 20, "max_depth": 4} | more)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", DATA)
def test_weights_times_outcomes_are_what_the_model_predicts(make, name, seed):
    X, y, new = data(name)
    counts = np.random.default_rng(seed).uniform(0.2, 3.0, len(X))
    for more, told in (
        ({}, {}),
        ({"reg_lambda": 3.0, "colsample_bytree": 0.5}, {"sample_weight": counts}),
    ):
        model = make(random_state=seed, **more).fit(X, y, **told)
        found = observation_weights(model, X, new, y_train=y, **told)
        miss = np.abs(found @ y - model.predict(new)) / (np.abs(found) @ np.abs(y))
        assert miss.max() < SINGLE
        np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-8)
        for wrong in ({"sample_weight": counts[::-1]}, {} if told else {"sample_weight": counts}):
            with pytest.raises(ValueError, match="hold other rows than X_train"):
                observation_weights(model, X, new, **wrong)


def test_tables_and_missing_numbers_are_taken(make):
    X, y, new = data("waves")
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    table = pd.DataFrame(X, columns=[f"x{k}" for k in range(6)])
    model = make().fit(table, y)
    asked = pd.DataFrame(new, columns=table.columns)[table.columns[::-1]]
    found = observation_weights(model, table, asked, y_train=pd.Series(y))
    np.testing.assert_allclose(found @ y, model.predict(asked[table.columns]), rtol=1e-5)


@pytest.mark.parametrize(
    ("library", "settings", "message"),
    [
        ("lightgbm", {"subsample": 0.5, "subsample_freq": 1}, "tree 0 hold other rows than X_train; did it draw rows"),
        ("lightgbm", {"lambda_l1": 1.0}, "lambda_l1=1 puts other things than means into leaves"),
        ("lightgbm", {"boosting_type": "dart"}, "boosting=dart"),
        ("lightgbm", {"objective": "mae"}, "objective=regression_l1"),
        ("lightgbm", {"linear_tree": True}, "linear_tree=1"),
        ("lightgbm", {"monotone_constraints": [1, 0, 0, 0, 0, 0]}, "monotone_constraints=1,0,0,0,0,0"),
        ("xgboost", {"subsample": 0.5}, "tree 0 hold other rows than X_train; did it draw rows"),
        ("xgboost", {"alpha": 2.0}, "alpha=2 puts other things than means into leaves"),
        ("xgboost", {"booster": "gblinear"}, "booster='gblinear' does not add up trees"),
        ("xgboost", {"objective": "reg:absoluteerror"}, "objective='reg:absoluteerror'"),
        ("xgboost", {"base_score": 3.0}, "base_score=3 is no weighted sum of outcomes"),
        ("xgboost", {"num_parallel_tree": 3}, "num_parallel_tree=3"),
        ("xgboost", {"monotone_constraints": (1, 0, 0, 0, 0, 0)}, "monotone_constraints="),
    ],
)
def test_leaves_that_are_no_means_are_refused(library, settings, message):
    found = pytest.importorskip(library, reason=WHY)
    model = found.LGBMRegressor(verbose=-1) if library == "lightgbm" else found.XGBRegressor(n_estimators=10)
    X, y, new = data("waves")
    with pytest.raises(ValueError, match=message):
        observation_weights(model.set_params(**settings).fit(X, y), X, new)


def test_a_model_that_stopped_early_listens_with_its_best_trees(make):
    X, y, new = data("waves")
    stopping = {"n_estimators": 200}
    if "LGBM" in type(make()).__name__:
        import lightgbm

        fit = {"callbacks": [lightgbm.early_stopping(2, verbose=False)]}
    else:
        stopping |= {"early_stopping_rounds": 2}
        fit = {"verbose": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LightGBM 4.7 calls the rows to stop by eval_X and eval_y
        model = make(**stopping).fit(X[:80], y[:80], eval_set=[(X[80:], y[80:])], **fit)
    found = observation_weights(model, X[:80], new, y_train=y[:80])
    np.testing.assert_allclose(found @ y[:80], model.predict(new), rtol=1e-5)
