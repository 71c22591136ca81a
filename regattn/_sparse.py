"""Attention between sparse codes, such as those of a forest: inner products that never fill the zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from regattn._types import MaskLike
from regattn._validation import check_finite, check_real, check_same_width
from regattn.kernels import KERNELS, Kernel


def is_sparse(x: Any) -> bool:
    """Return whether ``x`` is a sparse array or matrix of SciPy."""
    return type(x).__module__.startswith("scipy.sparse")


def sparse_weights(queries: Any, keys: Any, kernel: Kernel, scale: float | None, mask: MaskLike) -> np.ndarray:
    """Return the weights of the identity kernel between sparse codes, (m, n); as between dense ones."""
    scale = _check(queries, keys, kernel, scale, mask)
    weights = (queries @ keys.T).toarray() * scale
    check_finite(weights, "the weights")
    return weights


def sparse_average(
    queries: Any, keys: Any, values: Any, kernel: Kernel, scale: float | None, mask: MaskLike
) -> np.ndarray:
    """Return the averages of the identity kernel, Q(K'V), between sparse codes."""
    scale = _check(queries, keys, kernel, scale, mask)
    if values.ndim not in (1, 2) or len(values) != keys.shape[0]:
        raise ValueError(f"there are {keys.shape[0]} keys but {len(values)} values, in shape {values.shape}")
    check_finite(values, "values")
    outputs = queries @ (keys.T @ values * scale)
    check_finite(outputs, "the averages")
    return outputs


def _check(queries: Any, keys: Any, kernel: Kernel, scale: float | None, mask: MaskLike) -> float:
    if not (is_sparse(queries) and is_sparse(keys)):
        raise ValueError("queries and keys must both be sparse or both be dense; give .toarray() of the sparse one")
    if kernel != KERNELS["identity"] or mask is not None:
        raise ValueError(
            f"sparse codes go with the identity kernel and no mask, got {kernel.name!r}; give .toarray() of them"
        )
    check_same_width(queries, keys, "queries", "keys")
    return 1.0 if scale is None else check_real(scale, "scale")
