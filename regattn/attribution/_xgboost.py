"""XGBoost: boosting by squared errors, read off its leaves and held to the weight that its trees keep."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from regattn._types import Table
from regattn.attribution._boosting import SINGLE, Stage, added_up
from regattn.attribution._sklearn import counted, refuse, shares
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother

NEEDED = {  # settings under which a leaf is a mean, shrunk
    "alpha": "0",
    "max_delta_step": "0",
    "num_parallel_tree": "1",
    "monotone_constraints": "()",
    "process_type": "default",
    "boost_from_average": "1",
}


def register() -> None:
    """Teach the generic function the regressor, once there is one."""
    from xgboost import XGBRegressor

    if XGBRegressor not in smoother.registry:
        smoother.register(XGBRegressor, _smoother)


def _smoother(model: Any) -> Smoother:
    learner = json.loads(model.get_booster().save_config())["learner"]
    objective, kind = learner["objective"]["name"], learner["gradient_booster"]["name"]
    if objective != "reg:squarederror":
        refuse(model, f"objective={objective!r} puts other things than means into leaves; fit 'reg:squarederror'")
    if kind != "gbtree":
        refuse(model, f"booster={kind!r} does not add up trees that stay as they are; fit it with 'gbtree'")
    if model.base_score is not None:
        refuse(model, f"base_score={model.base_score:g} is no weighted sum of outcomes; fit it with base_score=None")
    settings = _settings(learner)
    for name, needed in NEEDED.items():
        if settings.get(name, needed) != needed:
            refuse(model, f"{name}={settings[name]} puts other things than means into leaves; fit it with {needed}")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        counts, start = counted(training), shares(training)
        leaves, asked = (_leaves(model, X) for X in (training.X, X_new))
        _check_cover(model, leaves, counts)
        rate, extra = float(settings["eta"]), float(settings["lambda"])
        stages = (Stage(*pair, counts, extra) for pair in zip(leaves.T, asked.T, strict=True))
        return added_up(np.tile(start, (len(leaves), 1)), np.tile(start, (len(asked), 1)), stages, rate)

    return Smoother(weights, model.predict, tolerance=SINGLE)


def _settings(learner: dict[str, Any]) -> dict[str, str]:
    """Return what the trees were grown with, under XGBoost's own names, whatever alias was given."""
    grower = learner["gradient_booster"]
    parts = (grower["tree_train_param"], grower["gbtree_train_param"], grower["gbtree_model_param"])
    return {name: value for part in (*parts, learner["learner_model_param"]) for name, value in part.items()}


def _leaves(model: Any, X: Table) -> np.ndarray:
    """Return the node in which each row ends in each tree, (m, trees)."""
    from xgboost import DMatrix

    rows = DMatrix(np.asarray(X), missing=model.missing)
    last = getattr(model, "best_iteration", model.get_booster().num_boosted_rounds() - 1)
    found = model.get_booster().predict(rows, pred_leaf=True, iteration_range=(0, last + 1), validate_features=False)
    return found.astype(int).reshape(X.shape[0], -1)


def _check_cover(model: Any, leaves: np.ndarray, counts: np.ndarray) -> None:
    """Raise unless the leaves hold the weight of the training rows, all of them."""
    table = model.get_booster().trees_to_dataframe()
    ends = table[table["Feature"] == "Leaf"]
    for b, each in enumerate(leaves.T):
        held = ends[ends["Tree"] == b].set_index("Node")["Cover"]
        found = np.bincount(each, counts, minlength=held.index.max() + 1)
        if not np.allclose(found[held.index], held, rtol=1e-4) or not np.isclose(found.sum(), held.sum(), rtol=1e-4):
            refuse(
                model,
                f"the leaves of tree {b} hold other rows than X_train; did it draw rows (subsample), whose record it "
                "does not keep, or was it fitted to others or with sample weights?",
            )
