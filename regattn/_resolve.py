"""What the arguments `kernel` and `mask` may be, made into a Kernel and a boolean array, or refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import numpy as np
from array_api_compat import array_namespace, is_torch_array

from regattn._types import Array, KernelLike, MaskLike
from regattn._validation import is_abstract
from regattn._weighing import elementwise
from regattn.kernels import KERNELS, Kernel
from regattn.masks import causal_mask


def resolve_kernel(kernel: KernelLike) -> Kernel:
    """Return the kernel called ``kernel``, or ``kernel`` itself, or one made from a function of the scores."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        if kernel not in KERNELS:
            raise ValueError(f"unknown kernel {kernel!r}; choose one of {', '.join(KERNELS)}, or pass a function")
        return KERNELS[kernel]
    if not callable(kernel):
        raise ValueError(f"kernel must be a name, a Kernel or a function of the scores, got {kernel!r}")
    name = getattr(kernel, "__name__", "custom")
    return Kernel(name, r"g(s_i)", partial(elementwise, partial(_real_valued, kernel, name)), False, False)


def _real_valued(function: Callable[[Array], Array], name: str, scores: Array) -> Array:
    """Return what a reader's function makes of scores: an array of their library that holds real numbers, or raise."""
    weights = function(scores)
    if not hasattr(weights, "dtype") or is_torch_array(weights) != is_torch_array(scores):
        raise ValueError(f"kernel {name!r} must return an array like its scores, got {type(weights).__name__}")
    xp = array_namespace(scores)
    if xp.isdtype(weights.dtype, "real floating"):
        return weights
    if not xp.isdtype(weights.dtype, ("bool", "integral")):
        raise ValueError(f"kernel {name!r} must return real numbers, got dtype {weights.dtype}")
    return xp.astype(weights, scores.dtype)


def resolve_mask(mask: MaskLike, queries: Array, keys: Array) -> Array | None:
    """Return the mask as a boolean array of the queries' library, every row of which allows some key."""
    if mask is None:
        return None
    if isinstance(mask, str):
        if mask != "causal":
            raise ValueError(f'mask must be a boolean array or "causal", got {mask!r}')
        return _causal(queries, keys)
    if not is_torch_array(mask):
        hidden = is_abstract(queries)  # an array of NumPy has no place in a graph of torch
        mask = sys.modules["torch"].as_tensor(np.ascontiguousarray(mask)) if hidden else np.asarray(mask)
    if str(mask.dtype).removeprefix("torch.") != "bool":
        raise ValueError(f"mask must be boolean (True = may attend), got dtype {mask.dtype}")
    _check_rows(mask, (*np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2]), queries.shape[-2], keys.shape[-2]))
    if is_torch_array(queries):
        mask = mask if is_torch_array(mask) else sys.modules["torch"].from_numpy(np.ascontiguousarray(mask))
        return mask.to(queries.device)
    return mask.numpy() if is_torch_array(mask) else mask


def _causal(queries: Array, keys: Array) -> Array:
    """Return the causal mask as an array of the queries' library, made where they live."""
    m, n = queries.shape[-2], keys.shape[-2]
    if m > n or not is_torch_array(queries):
        return causal_mask(m, n)  # which says what is wrong with more queries than keys
    torch = sys.modules["torch"]
    return torch.ones((m, n), dtype=torch.bool, device=queries.device).tril(n - m)


def _check_rows(mask: Array, shape: tuple[int, ...]) -> None:
    """Raise unless the mask broadcasts to ``shape`` and every query may attend to some key."""
    try:
        fits = np.broadcast_shapes(tuple(mask.shape), shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"mask has shape {tuple(mask.shape)} but the weights have shape {shape}")
    xp = array_namespace(mask)
    rows = xp.any(mask, axis=-1) if mask.ndim else mask
    if not is_abstract(rows) and not bool(xp.all(rows)):
        row = tuple(int(axis[0]) for axis in xp.nonzero(~xp.broadcast_to(rows, shape[:-1])))
        raise ValueError(f"query {row[0] if len(row) == 1 else row} has nothing to attend to: its mask is all False")
