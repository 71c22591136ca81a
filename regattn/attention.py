r"""The one mechanism of the book: compare queries with keys, turn scores into weights, average the values.

.. math:: \text{attend}(Q, K, V) = g(\tau\, Q K^\top)\, V

Every model in the book is this call. What differs is how queries, keys and values are encoded, which kernel *g*
turns scores into weights, and which mask says who may attend to whom. NumPy arrays and torch tensors go through the
same code (the array API); gradients pass through.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_torch_array

from regattn._shortcuts import score_bound
from regattn._sparse import is_sparse, sparse_average, sparse_weights
from regattn._tables import is_table, named, read_table, read_targets
from regattn._types import Array, MaskLike
from regattn._validation import as_floating, check_finite, check_real, check_same_width, overflow_allowed
from regattn.kernels import KERNELS, Kernel, KernelLike
from regattn.masks import _resolve_mask

__all__ = ["attend", "attention_weights"]

MOST_WEIGHTS = 2**27  # that attend holds at once, a gigabyte; of more it holds a part at a time, which is quick
PART = 2**22


def attention_weights(
    queries: Array,
    keys: Array,
    *,
    kernel: KernelLike = "softmax",
    scale: float | None = None,
    mask: MaskLike = None,
) -> Array:
    r"""Return the weight that each query gives each key.

    .. math:: \omega_{ji} = g(\tau \langle q_j, k_i \rangle)

    For ``kernel="softmax"`` these are the weights of eq. (14) of [GC]_; for ``kernel="identity"`` the inner products
    of eq. (8); for any other kernel those of eq. (16), with its index corrected.

    Parameters
    ----------
    queries : array of shape (..., n_queries, d)
        What asks: one row per query. NumPy array or torch tensor; a DataFrame, whose columns those of the keys are
        matched with; or, for the identity kernel without a mask, a sparse array of SciPy, if the keys are one too.
    keys : array of shape (..., n_keys, d)
        What is compared with: one row per key. Leading axes broadcast against those of ``queries``.
    kernel : str, Kernel or callable, default "softmax"
        A name in :data:`KERNELS`, a :class:`Kernel` such as ``nearest(5)`` or ``elu(0.5)``, or a function that takes
        the scores, shape (..., n_queries, n_keys), and returns weights of that shape.
    scale : float, optional
        The factor :math:`\tau` on the scores. By default :math:`1/\sqrt d` for softmax and 1 for every other kernel.
        Our τ is the reciprocal of the temperature, and of the :math:`\sqrt{d_k}` in the transformer papers.
    mask : boolean array broadcastable to (..., n_queries, n_keys), or "causal", optional
        True where a query may attend to a key. ``"causal"`` is :func:`causal_mask` of the right shape.

    Returns
    -------
    array of shape (..., n_queries, n_keys)
        The weights; exactly zero where the mask is False. Of a DataFrame they carry the labels of its rows.

    Raises
    ------
    ValueError
        If widths or leading axes differ, an entry is NaN or infinite, an input is empty, the kernel is unknown, the
        mask is not boolean or has the wrong shape, a query has nothing to attend to, a kernel's normaliser is zero, or
        scores or weights overflow. Under ``torch.func`` and ``torch.compile`` shapes are checked and numbers, which are
        not there yet, are not: a NaN, an overflow or a row of a mask that is all False then goes through, and small
        distances among many rows keep what digits the inner products leave.

    Examples
    --------
    >>> import numpy as np
    >>> queries = np.array([[1.0, 0.0]])
    >>> keys = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    >>> attention_weights(queries, keys, scale=1.0).round(3)
    array([[0.665, 0.245, 0.09 ]])
    >>> attention_weights(queries, keys, kernel="identity")
    array([[ 1.,  0., -1.]])
    """
    if is_table(queries, keys):
        return _of_tables(attention_weights, queries, keys, kernel=kernel, scale=scale, mask=mask)
    if is_sparse(queries) or is_sparse(keys):
        return sparse_weights(queries, keys, Kernel.of(kernel), scale, mask)
    queries, keys = _check_inputs(queries=queries, keys=keys)
    kernel = Kernel.of(kernel)
    scale = _check_scale(scale, kernel, queries.shape[-1])
    return _weights(queries, keys, kernel, scale, mask)


def attend(
    queries: Array,
    keys: Array,
    values: Array,
    *,
    kernel: KernelLike = "softmax",
    scale: float | None = None,
    mask: MaskLike = None,
) -> Array:
    r"""Return, for each query, the average of the values under its attention weights.

    .. math:: o_j = \sum_i \omega_{ji}\, v_i

    Always equal to ``attention_weights(...) @ values``. Two kernels bring a shorter road to the same numbers, their
    ``average``: softmax on torch tensors goes through ``torch.nn.functional.scaled_dot_product_attention``, whose
    memory is linear in the number of keys; and the identity kernel without a mask re-associates the product,
    :math:`Q(K^\top V)`, and never forms the n_queries × n_keys matrix.

    Gradients pass. On a processor torch's fused softmax has first derivatives only; for second ones pass the kernel
    without its short road, ``dataclasses.replace(KERNELS["softmax"], average=None)``.

    Implements eqs. (14) and (17) of [GC]_.

    Parameters
    ----------
    queries : array of shape (..., n_queries, d)
        What asks: one row per query. NumPy array, torch tensor or DataFrame.
    keys : array of shape (..., n_keys, d)
        What is compared with: one row per key.
    values : array of shape (..., n_keys, d_v) or (n_keys,)
        What is averaged: one row per key, found by label where both have labels. One-dimensional values give a result
        without the last axis.
    kernel, scale, mask
        As in :func:`attention_weights`.

    Returns
    -------
    array of shape (..., n_queries, d_v) or (..., n_queries)
        The averages, in the units of ``values``.

    Raises
    ------
    ValueError
        As :func:`attention_weights`, and if keys and values differ in number or the averages overflow.

    Examples
    --------
    Least squares is attention with the identity kernel on orthonormal codes:

    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> y = np.array([1.0, 3.0, 4.0])
    >>> F, R = np.linalg.qr(X)
    >>> query = np.array([[1.0, 3.0]]) @ np.linalg.inv(R)
    >>> attend(query, F, y, kernel="identity").round(3)
    array([5.667])
    """
    if is_table(queries, keys, values):
        return _of_tables(attend, queries, keys, values, kernel=kernel, scale=scale, mask=mask)
    if is_sparse(queries) or is_sparse(keys):
        return sparse_average(queries, keys, as_floating(values, "values"), Kernel.of(kernel), scale, mask)
    queries, keys, values = _check_inputs(queries=queries, keys=keys, values=values)
    kernel = Kernel.of(kernel)
    scale = _check_scale(scale, kernel, queries.shape[-1])
    columns = values[:, None] if values.ndim == 1 else values
    outputs = None if kernel.average is None else kernel.average(queries, keys, columns, scale, mask)
    if outputs is None:
        outputs = _averages(queries, keys, columns, kernel, scale, mask)
    return outputs[..., 0] if values.ndim == 1 else outputs


def _averages(queries: Array, keys: Array, columns: Array, kernel: Kernel, scale: float, mask: MaskLike) -> Array:
    """Return averages; of many rows of NumPy some queries at a time, since all weights at once need not fit."""
    plain = kernel in KERNELS.values() and mask is None and isinstance(queries, np.ndarray)
    if not plain or not queries.ndim == keys.ndim == columns.ndim == 2 or len(queries) * len(keys) <= MOST_WEIGHTS:
        return _average(_weights(queries, keys, kernel, scale, mask), columns)
    step = max(1, PART // len(keys))
    parts = (queries[first : first + step] for first in range(0, len(queries), step))
    return np.concatenate([_average(_weights(part, keys, kernel, scale, None), columns) for part in parts])


def _weights(queries: Array, keys: Array, kernel: Kernel, scale: float, mask: MaskLike) -> Array:
    """Return what the formula says: scores from queries and keys, weights from scores."""
    allowed = _resolve_mask(mask, queries, keys)
    finfo = sys.modules["torch"].finfo if is_torch_array(queries) else np.finfo
    most = float(finfo(queries.dtype).max)
    bounded = score_bound(queries, keys, scale) <= most  # which looks at queries and keys, whatever the kernel
    with overflow_allowed(queries):  # it is reported as the infinite score or weight it gives
        scores = kernel.scores(queries, keys, scale)
        return kernel.weights(scores, allowed, finite=bounded and kernel.takes_inner_products)


def _of_tables(function: Callable[..., Array], queries: Any, keys: Any, *values: Any, **how: Any) -> Any:
    """Return what a function makes of tables, columns and rows matched by name, under the names that they have."""
    q = read_table(queries, "queries")
    k = read_table(keys, "keys", columns=q.columns, of="queries")
    if not values:
        return named(function(q.values, k.values, **how), q.index, k.index)
    v = read_targets(values[0], len(k.values), "values", index=k.index, of="keys")
    found = function(q.values, k.values, v.values, **how)
    return named(found, q.index, *[v.columns] * (found.ndim - 1))


def _average(weights: Array, values: Array) -> Array:
    """Return the averages of the values; raise if one overflows."""
    check_finite(values, "values")
    with overflow_allowed(values):
        outputs = weights @ values
    check_finite(outputs, "the averages")
    return outputs


def _check_inputs(**named: Array) -> list[Array]:
    """Return queries, keys and, if given, values, in one dtype of one library; whether they are finite comes later."""
    checked = [as_floating(x, name) for name, x in named.items()]
    if len({x.dtype for x in checked}) > 1:  # a dtype of one library is not one of the other
        checked = _one_dtype(dict(zip(named, checked, strict=True)))
    queries, keys = checked[:2]
    for name, x in (("queries", queries), ("keys", keys)):
        if x.ndim < 2:
            raise ValueError(f"{name} must have shape (..., rows, d), got {tuple(x.shape)}")
    check_same_width(queries, keys, "queries", "keys")
    stacked = queries.ndim > 2 or keys.ndim > 2 or checked[-1].ndim > 2
    if stacked and not queries.shape[:-2] == keys.shape[:-2] == checked[-1].shape[:-2]:
        _check_broadcast({name: tuple(x.shape[:-2]) for name, x in zip(named, checked, strict=True)})
    if "values" in named:
        n_keys, shape = keys.shape[-2], tuple(checked[2].shape)
        n_values = shape[-2] if len(shape) > 1 else math.prod(shape)
        if n_values != n_keys or not shape:
            raise ValueError(f"there are {n_keys} keys but {n_values} values, in shape {shape}")
    return checked


def _check_broadcast(leading: dict[str, tuple[int, ...]]) -> None:
    """Raise unless the axes before rows and columns broadcast."""
    try:
        np.broadcast_shapes(*leading.values())
    except ValueError:
        found = ", ".join(f"{axes} of {name}" for name, axes in leading.items())
        raise ValueError(
            f"leading axes, such as batch and heads, must be equal, or 1 where they repeat; got {found}"
        ) from None


def _one_dtype(named: dict[str, Array]) -> list[Array]:
    """Return arrays of one library in the dtype that holds them all."""
    if len({is_torch_array(x) for x in named.values()}) > 1:
        kinds = ", ".join(f"{name} {'torch' if is_torch_array(x) else 'NumPy'}" for name, x in named.items())
        raise ValueError(f"all inputs must come from one library, got {kinds}")
    xp = array_namespace(*named.values())
    dtype = xp.result_type(*named.values())
    return [x if x.dtype == dtype else xp.astype(x, dtype) for x in named.values()]


def _check_scale(scale: float | None, kernel: Kernel, d: int) -> float:
    return kernel.default_scale(d) if scale is None else check_real(scale, "scale")
