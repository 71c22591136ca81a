"""Trees and what averages them: in each tree a row hears those that share its leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn import ensemble, tree

from regattn._types import Table
from regattn.attribution._families import read
from regattn.attribution._sklearn import counted, dense, refuse, refuse_weights
from regattn.attribution._training import Matrix, Training
from regattn.attribution.smoother import Smoother, smoother

CHUNK = 64  # trees whose leaves are multiplied at once


def leaf_codes(leaves: np.ndarray, counts: np.ndarray, totals: np.ndarray) -> csr_array:
    """Return one entry for each row: its count, as a share of its leaf's total, in the column of its leaf."""
    found = np.divide(counts, totals[leaves], out=np.zeros(len(leaves)), where=totals[leaves] > 0)
    return csr_array((found, leaves, np.arange(len(leaves) + 1)), shape=(len(leaves), len(totals)))


class _Forest:
    """Trees with the leaves of the training rows, and how much each row counts in each tree."""

    def __init__(self, model: Any, trees: list[Any], training: Training, draws: list[np.ndarray] | None):
        self.model, self.trees = model, [each.tree_ for each in trees]
        self.rows = _single(training.X)
        self.leaves = [each.apply(self.rows) for each in self.trees]
        self.draws = draws
        found = [self._counts(b, training) for b in range(len(trees))]
        self.counts, self.totals = ([pair[part] for pair in found] for part in (0, 1))

    def _counts(self, b: int, training: Training) -> tuple[np.ndarray, np.ndarray]:
        """Return how much each row counts in one tree, and the totals of its nodes, that the tree's own leaves hold."""
        drawn = np.ones(training.n) if self.draws is None else self.draws[b]
        held, ends = self.trees[b].weighted_n_node_samples, self.trees[b].children_left < 0
        for counts in (drawn * counted(training), drawn):  # since 1.8 sample weights are chances of being drawn
            totals = np.bincount(self.leaves[b], counts, minlength=len(held))
            if np.allclose(totals[ends], held[ends]):
                return counts, totals
        raise ValueError(
            f"the leaves of {type(self.model).__name__} hold other rows than X_train: tree {b} was fitted to a total "
            f"weight of {held[0]:g}, X_train and sample_weight give {drawn @ counted(training):g}"
        )

    def matrix(self, X_new: Table | None, share: np.ndarray | None = None) -> csr_array:
        """Return the mean over trees of the weights within leaves, or with the ``share`` of each tree for each row."""
        rows = self.rows if X_new is None else _single(X_new)
        found = csr_array((len(rows), len(self.rows)))
        for first in range(0, len(self.trees), CHUNK):
            chunk = range(first, min(first + CHUNK, len(self.trees)))
            found = found + self._among(chunk, None if X_new is None else rows, share)
        return found

    def _among(self, chunk: range, rows: np.ndarray | None, share: np.ndarray | None) -> csr_array:
        from scipy.sparse import hstack

        queries, keys = [], []
        for b in chunk:
            totals = self.totals[b]
            keys.append(leaf_codes(self.leaves[b], self.counts[b], totals))
            asked = self.leaves[b] if rows is None else self.trees[b].apply(rows)
            part = np.full(len(asked), 1 / len(self.trees)) if share is None else share[:, b]
            queries.append(leaf_codes(asked, part, np.ones(len(totals))))
        found = hstack(queries, format="csr") @ hstack(keys, format="csr").T
        found.eliminate_zeros()
        return csr_array(found)

    def out_of_bag(self) -> csr_array:
        """Return the weights of the trees that did not draw a row, for each training row."""
        left_out = np.column_stack([drawn == 0 for drawn in self.draws])
        trees = left_out.sum(axis=1)
        if (trees == 0).any():
            raise ValueError(
                f"row {int(trees.argmin())} of X_train was drawn by every tree; fit more trees or give X_new"
            )
        return self.matrix(None, left_out / trees[:, None])


def _single(X: Table) -> np.ndarray:
    return np.ascontiguousarray(dense(X), dtype=np.float32)


def check_means(model: Any) -> None:
    """Raise if the leaves of a tree or a forest do not hold the means of their rows."""
    if model.criterion == "absolute_error":
        refuse(model, "criterion='absolute_error' puts medians into leaves, not means; fit it with 'squared_error'")
    if getattr(model, "monotonic_cst", None) is not None:
        refuse(model, "monotonic_cst moves leaves away from the means of their rows; fit it without")
    if getattr(model, "class_weight", None) is not None:
        refuse(model, f"class_weight={model.class_weight!r} counts rows by their class; fit with sample_weight instead")


def of_tree(model: Any, **more: Any) -> Smoother:
    """Return the smoother of a single tree."""
    check_means(model)

    def weights(training: Training, X_new: Table) -> csr_array:
        return _Forest(model, [model], training, None).matrix(X_new)

    return Smoother(weights, held_out="a tree has seen all its rows; fit it in a forest with bootstrap=True", **more)


def of_forest(model: Any, **more: Any) -> Smoother:
    """Return the smoother of a forest."""
    check_means(model)

    def grown(training: Training) -> _Forest:
        return _Forest(model, model.estimators_, training, _draws(model, training.n) if model.bootstrap else None)

    out_of_bag: Any = lambda training: grown(training).out_of_bag()  # noqa: E731
    if not model.bootstrap:
        out_of_bag = "with bootstrap=False every tree has seen all rows; fit it with bootstrap=True"
    return Smoother(lambda training, X_new: grown(training).matrix(X_new), held_out=out_of_bag, **more)


def _draws(model: Any, n: int) -> list[np.ndarray]:
    """Return how often each tree drew each row; the model draws anew at every access, so it is asked once."""
    drawn = model.estimators_samples_
    most = max(int(rows.max(initial=0)) for rows in drawn)
    if most >= n:
        raise ValueError(f"{type(model).__name__} was fitted to more rows than the {n} of X_train: it drew row {most}")
    return [np.bincount(rows, minlength=n).astype(float) for rows in drawn]


def _classes(model: Any) -> dict[str, Any]:
    if isinstance(model.classes_, list):
        refuse(model, "each of several targets has classes of its own; fit one target at a time")
    return {"predict": model.predict_proba, "classes": model.classes_}


@smoother.register(tree.DecisionTreeRegressor)
def _(model: Any) -> Smoother:
    return of_tree(model, predict=model.predict)


@smoother.register(tree.DecisionTreeClassifier)
def _(model: Any) -> Smoother:
    return of_tree(model, **_classes(model))


@smoother.register(ensemble.RandomForestRegressor)
@smoother.register(ensemble.ExtraTreesRegressor)
def _(model: Any) -> Smoother:
    return of_forest(model, predict=model.predict)


@smoother.register(ensemble.RandomForestClassifier)
@smoother.register(ensemble.ExtraTreesClassifier)
def _(model: Any) -> Smoother:
    return of_forest(model, **_classes(model))


@smoother.register(ensemble.BaggingRegressor)
def _(model: Any) -> Smoother:
    def parts(training: Training, X_new: Table) -> Iterator[tuple[np.ndarray, Matrix]]:
        """Yield, for each member, the rows that it drew and its weights on them."""
        refuse_weights(model, training)
        old, new = dense(training.X), dense(X_new)
        for member, rows, columns in zip(
            model.estimators_, model.estimators_samples_, model.estimators_features_, strict=True
        ):
            among = Training(old[rows][:, columns], None if training.y is None else training.y[rows])
            yield rows, read(member).weights(among, new[:, columns])

    def weights(training: Training, X_new: Table) -> Matrix:
        return sum(spread(rows, found, training.n) for rows, found in parts(training, X_new)) / len(model.estimators_)

    def held_out(training: Training) -> Matrix:
        total, times = 0.0, np.zeros(training.n)
        for rows, found in parts(training, training.X):
            left_out = np.bincount(rows, minlength=training.n) == 0
            total = total + spread(rows, found, training.n) * left_out[:, None]
            times += left_out
        if (times == 0).any():
            raise ValueError(f"row {int(times.argmin())} of X_train was drawn by every member; fit more or give X_new")
        return total / times[:, None]

    return Smoother(weights, model.predict, held_out)


def spread(rows: np.ndarray, found: Matrix, n: int) -> Matrix:
    """Return weights on drawn rows as weights on all n rows."""
    return found @ csr_array((np.ones(len(rows)), rows, np.arange(len(rows) + 1)), shape=(len(rows), n))
