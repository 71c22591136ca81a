"""LightGBM: boosting by squared errors, read off its leaves and held to the counts that its trees keep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from regattn._types import Table
from regattn.attribution._boosting import SINGLE, Stage, added_up
from regattn.attribution._sklearn import counted, refuse, shares
from regattn.attribution._training import Training
from regattn.attribution.smoother import Smoother, smoother

NEEDED = {  # settings under which a leaf is a mean, shrunk; the names are LightGBM's own, whatever alias was given
    "boosting": "gbdt",
    "objective": "regression",
    "lambda_l1": "0",
    "max_delta_step": "0",
    "path_smooth": "0",
    "linear_tree": "0",
    "reg_sqrt": "0",
    "use_quantized_grad": "0",
    "monotone_constraints": "",
}
SETTING = re.compile(r"^\[(\w+): (.*)\]$", re.MULTILINE)


def register() -> None:
    """Teach the generic function the regressor, once there is one."""
    from lightgbm import LGBMRegressor

    if LGBMRegressor not in smoother.registry:
        smoother.register(LGBMRegressor, _smoother)


def _smoother(model: Any) -> Smoother:
    settings = dict(SETTING.findall(model.booster_.model_to_string()))
    for name, needed in NEEDED.items():
        if settings.get(name, needed) != needed:
            refuse(model, f"{name}={settings[name]} puts other things than means into leaves; fit it with {needed!r}")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        counts = counted(training)
        leaves, asked = (_leaves(model, X) for X in (training.X, X_new))
        rate, extra = float(settings["learning_rate"]), float(settings["lambda_l2"])
        _check_counts(model, leaves, counts, rate)
        start = shares(training) if settings["boost_from_average"] == "1" else np.zeros(training.n)
        stages = (Stage(*pair, counts, extra) for pair in zip(leaves.T, asked.T, strict=True))
        return added_up(np.tile(start, (len(leaves), 1)), np.tile(start, (len(asked), 1)), stages, rate)

    return Smoother(weights, model.predict, tolerance=SINGLE)


def _leaves(model: Any, X: Table) -> np.ndarray:
    """Return the leaf of each row in each tree, (m, trees)."""
    return model.predict(X, pred_leaf=True).reshape(X.shape[0], -1)


def _check_counts(model: Any, leaves: np.ndarray, counts: np.ndarray, rate: float) -> None:
    """Raise unless the leaves hold the training rows, all of them, and every tree learned at one rate."""
    trees = model.booster_.dump_model(num_iteration=leaves.shape[1])["tree_info"]
    for b, (tree, each) in enumerate(zip(trees, leaves.T, strict=True)):
        ends = list(_ends(tree["tree_structure"]))
        places, rows, weight = (np.array(part) for part in zip(*ends, strict=True))
        same = np.array_equal(np.bincount(each, minlength=len(ends))[places], rows)
        if not same or not np.allclose(np.bincount(each, counts, minlength=len(ends))[places], weight, rtol=1e-4):
            refuse(
                model,
                f"the leaves of tree {b} hold other rows than X_train; did it draw rows (bagging, goss), whose record "
                "it does not keep, or was it fitted to others or with sample weights?",
            )
        if b and not np.isclose(tree["shrinkage"], rate):
            refuse(model, f"tree {b} learned at rate {tree['shrinkage']:g}, not {rate:g}; fit it at one rate")


def _ends(node: dict[str, Any]) -> Iterator[tuple[int, int, float]]:
    """Yield the leaves of a tree, how many rows each holds and their weight."""
    if "leaf_count" in node:
        yield node["leaf_index"], node["leaf_count"], node["leaf_weight"]
    for side in ("left_child", "right_child"):
        if side in node:
            yield from _ends(node[side])
