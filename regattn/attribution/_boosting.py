"""Boosting by squared errors: each tree averages what those before it left over, so that the weights add up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.utils import check_random_state

from regattn._types import Table
from regattn.attribution._families import read
from regattn.attribution._sklearn import counted, dense, refuse, shares
from regattn.attribution._training import Training
from regattn.attribution._trees import leaf_codes
from regattn.attribution.smoother import ROUNDING, Smoother, smoother

SINGLE = 1e-6
"""Gradients that are added up in float32 have seven digits."""


class Stage(NamedTuple):
    """One tree: the leaves of training and new rows, how much each training row counts, and what a leaf divides by."""

    old: np.ndarray
    new: np.ndarray
    counts: np.ndarray
    extra: float = 0.0


def added_up(start: np.ndarray, start_new: np.ndarray, stages: Iterable[Stage], rate: float) -> np.ndarray:
    """Return the weights of all stages at the new rows; those at the training rows say what each stage leaves over."""
    hat, found = start, start_new
    for old, new, counts, extra in stages:
        width = max(old.max(), new.max()) + 1
        totals = np.bincount(old, counts, minlength=width) + extra
        within = leaf_codes(old, counts, totals).T  # (leaves, n)
        means = within.toarray() - within @ hat
        hat = hat + rate * means[old]
        found = found + rate * means[new]
    return found


@smoother.register(GradientBoostingRegressor)
def _(model: Any) -> Smoother:
    if model.loss != "squared_error":
        refuse(model, f"loss={model.loss!r} puts other things than means into leaves; fit it with 'squared_error'")
    if model.n_iter_no_change is not None:
        refuse(model, "n_iter_no_change holds rows out without a record of which; fit it with n_iter_no_change=None")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        old, new = (np.ascontiguousarray(dense(X), dtype=np.float32) for X in (training.X, X_new))
        trees = [each.tree_ for each in model.estimators_[:, 0]]
        leaves = [tree.apply(old) for tree in trees]
        masks = _redrawn(model, leaves, training.n) if model.subsample < 1 else [1.0] * len(trees)
        stages = (
            Stage(each, tree.apply(new), mask * counted(training))
            for tree, each, mask in zip(trees, leaves, masks, strict=True)
        )
        start = _initial(model)
        return added_up(start(training, training.X), start(training, X_new), stages, model.learning_rate)

    started = model.init is not None and not isinstance(model.init, str)  # by a model fitted to float32
    return Smoother(weights, model.predict, tolerance=SINGLE if started else ROUNDING)


def _initial(model: Any) -> Callable[[Training, Table], np.ndarray]:
    """Return the weights before the first tree: of the mean, of nothing, or of another model."""
    if model.init is None:
        return lambda training, X_new: np.tile(shares(training), (X_new.shape[0], 1))
    if isinstance(model.init, str):
        return lambda training, X_new: np.zeros((X_new.shape[0], training.n))
    inner = read(model.init_)

    def weights(training: Training, X_new: Table) -> np.ndarray:
        old, new = (dense(X).astype(np.float32) for X in (training.X, X_new))  # what the model hands on
        found = inner.weights(training._replace(X=old), new)
        return found.toarray() if hasattr(found, "toarray") else found

    return weights


def _redrawn(model: Any, leaves: list[np.ndarray], n: int) -> list[np.ndarray]:
    """Return which rows each stage drew, drawn again from ``random_state`` and held to the counts in the leaves."""
    from sklearn.ensemble._gradient_boosting import _random_sample_mask

    if not isinstance(model.random_state, int | np.integer):
        refuse(
            model,
            f"subsample={model.subsample:g} keeps no record of its draws, and random_state="
            f"{model.random_state!r} cannot draw them again; fit it with a whole number as random_state",
        )
    rng, drawn = check_random_state(int(model.random_state)), []
    for b, (tree, each) in enumerate(zip(model.estimators_[:, 0], leaves, strict=True)):
        mask = _random_sample_mask(n, max(1, int(model.subsample * n)), rng).astype(bool)
        rng.randint(0, 2**31 - 1)  # the seed of the tree
        ends = tree.tree_.children_left < 0
        if not np.array_equal(np.bincount(each[mask], minlength=len(ends))[ends], tree.tree_.n_node_samples[ends]):
            refuse(
                model,
                f"subsample={model.subsample:g} keeps no record of its draws, and those drawn again from random_state="
                f"{model.random_state} are not those of tree {b}; was it fitted to other rows than X_train?",
            )
        drawn.append(mask.astype(float))
    return drawn


@smoother.register(HistGradientBoostingRegressor)
def _(model: Any) -> Smoother:
    if model.loss != "squared_error":
        refuse(model, f"loss={model.loss!r} puts other things than means into leaves; fit it with 'squared_error'")
    if model.do_early_stopping_:
        refuse(model, "early stopping holds rows out without a record of which; fit it with early_stopping=False")
    if model.monotonic_cst is not None:
        refuse(model, "monotonic_cst moves leaves away from the means of their rows; fit it without")

    def weights(training: Training, X_new: Table) -> np.ndarray:
        old, new = (np.ascontiguousarray(model._preprocess_X(X, reset=False)) for X in (training.X, X_new))
        known = model._bin_mapper.make_known_categories_bitsets()
        counts, share = counted(training), shares(training)
        stages = (
            Stage(*(_leaves(predictor, rows, known) for rows in (old, new)), counts, model.l2_regularization)
            for (predictor,) in model._predictors
        )
        start, start_new = (np.tile(share, (len(rows), 1)) for rows in (old, new))
        return added_up(start, start_new, stages, model.learning_rate)

    return Smoother(weights, model.predict, tolerance=SINGLE)


def _leaves(predictor: Any, rows: np.ndarray, known: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the leaf of each row: what a tree predicts whose nodes have their own numbers as values."""
    nodes = predictor.nodes.copy()
    nodes["value"] = np.arange(len(nodes))
    numbered = TreePredictor(nodes, predictor.binned_left_cat_bitsets, predictor.raw_left_cat_bitsets)
    return numbered.predict(rows, *known, 1).astype(int)
