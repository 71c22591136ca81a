"""Ridge by its dual: the weights of sparse rows from their inner products alone, which never fill the zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from regattn._sparse import is_sparse
from regattn._tables import named, read_table
from regattn._validation import check_finite, check_same_width


def dual_weights(X: Any, X_new: ArrayLike, *, centre: bool, ridge: float, rank: int | None) -> Any:
    r"""Return the weights of ridge, :math:`(x_{new} - \bar x) X_c^\top (X_c X_c^\top + \lambda I)^{-1}`, shape (m, n).

    Both inputs are sparse, or the first alone. The inner products of the n rows are the only dense matrix of that size.
    """
    if not is_sparse(X):
        raise ValueError("X_new is sparse and X is not; give X_new.toarray()")
    if not ridge or rank is not None:
        got = f"got ridge={ridge:g} and rank={rank}"
        raise ValueError(f"a sparse X goes with a ridge above 0 and no rank, {got}; give X.toarray()")
    X, n = _checked(X, "X"), X.shape[0]
    new, index = (_checked(X_new, "X_new"), None) if is_sparse(X_new) else read_table(X_new, "X_new")[:2]
    check_same_width(X, new, "X", "X_new")
    gram, products = (X @ X.T).toarray(), new @ X.T
    products = products.toarray() if is_sparse(products) else products
    if centre:
        mean = gram.mean(axis=0)
        products = products - products.mean(axis=1, keepdims=True) - mean + mean.mean()
        gram = gram - mean[:, None] - mean + mean.mean()
    weights = scipy.linalg.solve(gram + ridge * np.eye(n), products.T, assume_a="pos").T
    weights = weights + 1 / n if centre else weights
    check_finite(weights, "the weights")
    return named(weights, index, None)


def _checked(x: Any, name: str) -> csr_array:
    """Return a finite sparse array in float64, or raise naming the first entry that is no number."""
    x = csr_array(x, dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(x.data))
    if len(bad):
        row, column = (int(axis[bad[0]]) for axis in x.tocoo().coords)
        raise ValueError(f"{name} must be finite, got {x.data[bad[0]]} at index ({row}, {column})")
    if not min(x.shape):
        raise ValueError(f"{name} is empty: its shape is {x.shape}")
    return x
