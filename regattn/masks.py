"""Masks: who may attend to whom. True means may attend."""

from __future__ import annotations

import sys

import numpy as np
from array_api_compat import array_namespace, is_torch_array

from regattn._types import Array, MaskLike
from regattn._validation import check_count, is_abstract

__all__ = ["causal_mask", "others_mask"]


def causal_mask(n_queries: int, n_keys: int | None = None) -> np.ndarray:
    """Return the mask under which nobody attends to what comes later.

    With fewer queries than keys the queries are the *last* ones of the sequence, as when a cache holds the past.

    Parameters
    ----------
    n_queries : int
        Number of queries, at least 1.
    n_keys : int, optional
        Number of keys, at least ``n_queries``; by default the same number.

    Returns
    -------
    ndarray of bool, shape (n_queries, n_keys)
        True where query j may attend to key i.

    Raises
    ------
    ValueError
        If a number is below 1 or there are more queries than keys.

    Examples
    --------
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    >>> causal_mask(1, 3).astype(int)
    array([[1, 1, 1]])
    """
    n_queries = check_count(n_queries, "n_queries")
    n_keys = n_queries if n_keys is None else check_count(n_keys, "n_keys")
    if n_queries > n_keys:
        raise ValueError(
            f"a causal mask needs at least as many keys as queries, got {n_keys} keys, {n_queries} queries"
        )
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


def others_mask(n: int) -> np.ndarray:
    """Return the mask under which nobody attends to itself: leave-one-out attention.

    Parameters
    ----------
    n : int
        Number of observations, at least 2 (alone, one has nobody to attend to).

    Returns
    -------
    ndarray of bool, shape (n, n)
        True off the diagonal.

    Raises
    ------
    ValueError
        If ``n`` is below 2.

    Examples
    --------
    >>> others_mask(3).astype(int)
    array([[0, 1, 1],
           [1, 0, 1],
           [1, 1, 0]])
    """
    return ~np.eye(check_count(n, "n", least=2), dtype=bool)


def _resolve_mask(mask: MaskLike, queries: Array, keys: Array) -> Array | None:
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
        mask = (
            mask if is_torch_array(mask) else sys.modules["torch"].from_numpy(np.require(mask, requirements=["C", "W"]))
        )
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
