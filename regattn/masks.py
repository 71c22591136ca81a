"""Masks: who may attend to whom. True means may attend."""

from __future__ import annotations

import numpy as np

from regattn._validation import check_count

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
