"""What kernels are made of: scores from queries and keys, and weights from scores under a mask."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np
from array_api_compat import array_namespace, is_torch_array

from regattn._types import Array
from regattn._validation import is_abstract


def inner_products(queries: Array, keys: Array, scale: float) -> Array:
    r"""Return the scores :math:`\tau \langle q_j, k_i \rangle`, shape (..., n_queries, n_keys)."""
    xp = array_namespace(queries, keys)
    return (queries if scale == 1.0 else queries * scale) @ xp.matrix_transpose(keys)


def negative_half_distances(queries: Array, keys: Array, scale: float) -> Array:
    r"""Return the scores :math:`-\tfrac{\tau}{2}\lVert q_j - k_i \rVert^2`, shape (..., n_queries, n_keys)."""
    xp = array_namespace(queries, keys)
    origin = xp.mean(keys, axis=-2, keepdims=True)  # distances ignore a shift; a shift to the middle loses fewer digits
    q, k = queries - origin, keys - origin
    squared = xp.sum(q * q, axis=-1)[..., :, None] + xp.sum(k * k, axis=-1)[..., None, :]
    return (-0.5 * scale) * xp.clip(squared - 2 * (q @ xp.matrix_transpose(k)), min=0.0)


def overflow_allowed(x: Array) -> AbstractContextManager:
    """Return a context in which NumPy says nothing of an overflow; torch never does."""
    return nullcontext() if is_torch_array(x) else np.errstate(all="ignore")


def elementwise(similarity: Callable[[Array], Array], scores: Array, mask: Array | None) -> Array:
    """Return the weights g(s), unnormalised."""
    with overflow_allowed(scores):  # it is reported as the infinite weight it gives
        return masked(similarity(scores), mask, 0.0)


def row_normalised(similarity: Callable[[Array], Array], scores: Array, mask: Array | None) -> Array:
    """Return the weights g(s_i) / Σ g(s_l); a normaliser of zero has no answer and says so."""
    xp = array_namespace(scores)
    weights = masked(similarity(scores), mask, 0.0)
    totals = xp.sum(weights, axis=-1, keepdims=True)
    zero = totals[..., 0] == 0
    if not is_abstract(zero) and bool(xp.any(zero)):
        row = tuple(int(axis[0]) for axis in xp.nonzero(zero))
        raise ValueError(f"query {row[0] if len(row) == 1 else row} has weights that sum to 0.0, nothing to divide by")
    return weights / totals


def softmax(scores: Array, mask: Array | None) -> Array:
    """Return the weights exp(s_i) / Σ exp(s_l), after subtracting the row maximum, so that nothing overflows."""
    xp = array_namespace(scores)
    scores = masked(scores, mask, -np.inf)
    exponentials = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return exponentials / xp.sum(exponentials, axis=-1, keepdims=True)


def top(scores: Array, mask: Array | None, *, k: int) -> Array:
    """Return weight 1/k on the k largest scores, the first of equal ones, and 0 on the rest."""
    xp = array_namespace(scores)
    available = scores.shape[-1]
    if mask is not None and not is_abstract(mask):
        available = int(xp.min(xp.count_nonzero(mask, axis=-1)))
    if k > available:
        raise ValueError(f"k must be ≤ {available} (the keys a query may attend to), got {k}")
    order = xp.argsort(masked(scores, mask, -np.inf), axis=-1, descending=True, stable=True)
    ranks = xp.argsort(order, axis=-1, stable=True)
    return xp.astype(ranks < k, scores.dtype) / k


def masked(x: Array, mask: Array | None, fill: float) -> Array:
    """Return ``x`` with ``fill`` where the mask is False."""
    if mask is None:
        return x
    xp = array_namespace(x)
    value = xp.asarray(fill, dtype=x.dtype, device=x.device) if is_torch_array(x) else x.dtype.type(fill)
    return xp.where(mask, x, value)
