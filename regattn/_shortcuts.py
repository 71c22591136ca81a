"""Averages by shorter roads to the same numbers, and the bound by which one look at the inputs serves all scores."""

from __future__ import annotations

import math
import sys

import numpy as np
from array_api_compat import is_torch_array

from regattn._types import Array, MaskLike
from regattn._validation import all_finite, check_finite, is_abstract, is_mapped, largest, overflow_allowed, size
from regattn.masks import _resolve_mask


def score_bound(queries: Array, keys: Array, scale: float) -> float:
    """Return twice what neither a score (Cauchy and Schwarz) nor a scaled query is above; raise if one is not finite.

    Twice, because sums are rounded.
    """
    return 2 * abs(scale) * size(queries, "queries") * max(1.0, size(keys, "keys"))


def identity_average(queries: Array, keys: Array, values: Array, scale: float, mask: MaskLike) -> Array | None:
    """Return the averages of the identity kernel, Q(K'V), in time linear in queries and keys; None behind a mask."""
    if mask is not None:
        return None
    with overflow_allowed(queries):
        outputs = queries @ (keys.mT @ values * scale)
    if not all_finite(outputs):  # if they are finite all inputs are: nothing times NaN or infinity is
        for name, x in (("queries", queries), ("keys", keys), ("values", values), ("the averages", outputs)):
            check_finite(x, name)
    return outputs


def softmax_average(queries: Array, keys: Array, values: Array, scale: float, mask: MaskLike) -> Array | None:
    """Return the averages of softmax by torch's fused kernel, whose memory is linear in the keys.

    None where torch has no such kernel: for NumPy arrays and under ``torch.func``.
    """
    if not is_torch_array(queries) or is_mapped(queries):
        return None
    torch = sys.modules["torch"]
    most = torch.finfo(queries.dtype).max
    if not score_bound(queries, keys, scale) <= most:
        _check_scores_fit(queries, keys, scale, most)
    total = 0.0 if is_abstract(values) else math.sqrt(keys.shape[-2]) * size(values, "values")
    causal = False
    if isinstance(mask, str) and mask == "causal" and queries.shape[-2] == keys.shape[-2]:
        causal, mask = True, None  # torch's own flag, which would align the other way if there were fewer queries
    allowed = _resolve_mask(mask, queries, keys)
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
