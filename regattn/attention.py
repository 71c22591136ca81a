r"""The one mechanism of the book: compare queries with keys, turn scores into weights, average the values.

.. math:: \text{attend}(Q, K, V) = g(\tau\, Q K^\top)\, V

Every model in the book is this call. What differs is how queries, keys and values are encoded, which kernel *g*
turns scores into weights, and which mask says who may attend to whom. NumPy arrays and torch tensors go through the
same code (the array API); gradients pass through.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_torch_array

from regattn._resolve import resolve_kernel, resolve_mask
from regattn._types import Array, KernelLike, MaskLike
from regattn._validation import all_finite, as_floating, check_finite, check_real, check_same_width, largest, size
from regattn._weighing import inner_products
from regattn.kernels import Kernel

__all__ = ["attend", "attention_weights"]


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
        What asks: one row per query. NumPy array or torch tensor.
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
        The weights; exactly zero where the mask is False.

    Raises
    ------
    ValueError
        If widths differ, an entry is NaN or infinite, an input is empty, the kernel is unknown, the mask is not
        boolean or has the wrong shape, a query has nothing to attend to, a kernel's normaliser is zero, or scores or
        weights overflow.

    Examples
    --------
    >>> queries = np.array([[1.0, 0.0]])
    >>> keys = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    >>> attention_weights(queries, keys, scale=1.0).round(3)
    array([[0.665, 0.245, 0.09 ]])
    >>> attention_weights(queries, keys, kernel="identity")
    array([[ 1.,  0., -1.]])
    """
    queries, keys = _check_inputs(queries=queries, keys=keys)
    kernel = resolve_kernel(kernel)
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

    Always equal to ``attention_weights(...) @ values``. Two cases take a shorter road to the same numbers: softmax on
    torch tensors goes through ``torch.nn.functional.scaled_dot_product_attention``, whose memory is linear in the
    number of keys; and the identity kernel without a mask re-associates the product,
    :math:`Q(K^\top V)`, and never forms the n_queries × n_keys matrix.

    Implements eqs. (14) and (17) of [GC]_.

    Parameters
    ----------
    queries : array of shape (..., n_queries, d)
        What asks: one row per query. NumPy array or torch tensor.
    keys : array of shape (..., n_keys, d)
        What is compared with: one row per key.
    values : array of shape (..., n_keys, d_v) or (n_keys,)
        What is averaged: one row per key. One-dimensional values give a result without the last axis.
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

    >>> X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> y = np.array([1.0, 3.0, 4.0])
    >>> F, R = np.linalg.qr(X)
    >>> query = np.array([[1.0, 3.0]]) @ np.linalg.inv(R)
    >>> attend(query, F, y, kernel="identity").round(3)
    array([5.667])
    """
    queries, keys, values = _check_inputs(queries=queries, keys=keys, values=values)
    kernel = resolve_kernel(kernel)
    scale = _check_scale(scale, kernel, queries.shape[-1])
    one_dimensional = values.ndim == 1
    if one_dimensional:
        values = values[:, None]
    if kernel.name == "softmax" and not isinstance(queries, np.ndarray):
        outputs = _fused_softmax(queries, keys, values, scale, mask)
    else:
        outputs = _composed(queries, keys, values, kernel, scale, mask)
    return outputs[..., 0] if one_dimensional else outputs


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
    if "values" in named:
        n_keys, shape = keys.shape[-2], tuple(checked[2].shape)
        n_values = shape[-2] if len(shape) > 1 else math.prod(shape)
        if n_values != n_keys or not shape:
            raise ValueError(f"there are {n_keys} keys but {n_values} values, in shape {shape}")
    return checked


def _one_dtype(named: dict[str, Array]) -> list[Array]:
    """Return arrays of one library in the dtype that holds them all."""
    if len({is_torch_array(x) for x in named.values()}) > 1:
        kinds = ", ".join(f"{name} {'torch' if is_torch_array(x) else 'NumPy'}" for name, x in named.items())
        raise ValueError(f"all inputs must come from one library, got {kinds}")
    xp = array_namespace(*named.values())
    dtype = xp.result_type(*named.values())
    return [x if x.dtype == dtype else xp.astype(x, dtype) for x in named.values()]


def _check_scale(scale: float | None, kernel: Kernel, d: int) -> float:
    if scale is None:
        return 1 / math.sqrt(d) if kernel.name == "softmax" else 1.0
    return check_real(scale, "scale")


def _weights(queries: Array, keys: Array, kernel: Kernel, scale: float, mask: Any) -> Array:
    bounded = _score_bound(queries, keys, scale) <= float(array_namespace(queries).finfo(queries.dtype).max)
    allowed = resolve_mask(mask, queries, keys)
    with np.errstate(all="ignore"):  # an overflow is reported as the infinite score or weight it gives
        scores = kernel.scores(queries, keys, scale)
        return kernel.weights(scores, allowed, finite=bounded and kernel.scores is inner_products)


def _score_bound(queries: Array, keys: Array, scale: float) -> float:
    """Return twice what neither a score (Cauchy and Schwarz) nor a scaled query is above; raise if one is not finite.

    Twice, because sums are rounded.
    """
    return 2 * abs(scale) * size(queries, "queries") * max(1.0, size(keys, "keys"))


def _composed(queries: Array, keys: Array, values: Array, kernel: Kernel, scale: float, mask: Any) -> Array:
    """Attention as it is defined, or for the identity kernel the same products in the cheaper order."""
    if kernel.name == "identity" and mask is None:
        return _linear_attention(queries, keys, values, scale)
    check_finite(values, "values")
    with np.errstate(all="ignore"):
        outputs = _weights(queries, keys, kernel, scale, mask) @ values
    check_finite(outputs, "the averages")
    return outputs


def _linear_attention(queries: Array, keys: Array, values: Array, scale: float) -> Array:
    """Return the averages of the identity kernel, in time linear in the numbers of queries and keys."""
    with np.errstate(all="ignore"):
        outputs = queries @ (array_namespace(queries).matrix_transpose(keys) @ values * scale)
    if not all_finite(outputs):  # if they are finite all inputs are: nothing times NaN or infinity is
        for name, x in (("queries", queries), ("keys", keys), ("values", values), ("the averages", outputs)):
            check_finite(x, name)
    return outputs


def _fused_softmax(queries: Array, keys: Array, values: Array, scale: float, mask: Any) -> Array:
    """Softmax attention by torch's fused kernel."""
    torch = sys.modules["torch"]
    most = torch.finfo(queries.dtype).max
    if not _score_bound(queries, keys, scale) <= most:
        _check_scores_fit(queries, keys, scale, most)
    total = math.sqrt(keys.shape[-2]) * size(values, "values")
    square = queries.shape[-2] == keys.shape[-2]
    causal = isinstance(mask, str) and mask == "causal" and square  # torch's own flag aligns the other way otherwise
    allowed = None if causal else resolve_mask(mask, queries, keys)
    fused = torch.nn.functional.scaled_dot_product_attention
    if allowed is None and queries.ndim == 4 and keys.shape == values.shape and _alike(queries, keys):
        outputs = fused(queries, keys, values, is_causal=causal, scale=scale)
    else:
        d_v = values.shape[-1]
        batch, queries, keys, values, allowed = _four_axes(queries, keys, values, allowed)
        outputs = fused(queries, keys, values, attn_mask=allowed, is_causal=causal, scale=scale)
        outputs = outputs.reshape(*batch, *outputs.shape[-2:])[..., :d_v]
    if not total <= most:  # otherwise not even the sum of all values overflows
        check_finite(outputs, "the averages")
    return outputs


def _check_scores_fit(queries: Array, keys: Array, scale: float, most: float) -> None:
    """Raise if a score could overflow: the fused kernel would answer with NaN, or with zeros, and say nothing."""
    q, k = largest(queries, "queries"), largest(keys, "keys")
    if abs(scale) * q * k * queries.shape[-1] > most:
        raise ValueError(f"scores must be finite, got queries up to {q:g} and keys up to {k:g} with scale {scale:g}")


def _alike(queries: Array, keys: Array) -> bool:
    """Return whether two arrays agree in all axes but the one before the last."""
    return queries.shape[:-2] == keys.shape[:-2] and queries.shape[-1] == keys.shape[-1]


def _four_axes(
    queries: Array, keys: Array, values: Array, allowed: Array | None
) -> tuple[tuple[int, ...], Array, Array, Array, Array | None]:
    """Return the leading axes, and the inputs with four axes and one width, which the fused kernel wants."""
    functional = sys.modules["torch"].nn.functional
    batch = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2], values.shape[:-2])
    width = max(queries.shape[-1], values.shape[-1])

    def four_axes(x: Array) -> Array:
        x = x.expand(*batch, *x.shape[-2:])
        return x.reshape((1,) * (4 - x.ndim) + tuple(x.shape)) if x.ndim < 4 else x.flatten(0, -4)

    def widened(x: Array) -> Array:  # columns of zeros change neither scores nor the values asked for
        return four_axes(functional.pad(x, (0, width - x.shape[-1])) if x.shape[-1] < width else x)

    if allowed is not None and allowed.ndim > 2:
        allowed = four_axes(allowed.expand(*allowed.shape[:-2], queries.shape[-2], keys.shape[-2]))
    return batch, widened(queries), widened(keys), widened(values), allowed
