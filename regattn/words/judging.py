"""Judging word vectors by what they were not shown: pairs of words that meet only in other documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from regattn._rng import Rng, numpy_generator
from regattn._types import Table
from regattn._validation import check_count
from regattn.words._checks import check_counts

__all__ = ["HeldOutPairs", "held_out_pairs"]


class HeldOutPairs(NamedTuple):
    """Pairs that meet in other documents, and as many that meet nowhere."""

    met: np.ndarray
    """Word numbers, shape (n, 2)."""
    never: np.ndarray
    """The same first words with other second ones, about as frequent, shape (n, 2)."""


def held_out_pairs(
    train: Table, test: Table, frequency: np.ndarray, *, least: int = 2, near: int = 25, rng: Rng = 0
) -> HeldOutPairs:
    """Return pairs of words that never meet in one half of a corpus and do in the other, with matched negatives.

    Each pair (i, j) comes with a pair (i, j'), where j' is drawn among the words whose rank in frequency is within
    ``near`` of that of j, and which meets i in neither half. So the frequencies given cannot tell one from the other.
    Give those of both halves: a word that is common in the second meets more there, whatever the first half knows.

    Parameters
    ----------
    train, test : array, DataFrame or SciPy sparse, shape (V, V)
        Symmetric counts of the two halves, over one vocabulary.
    frequency : array of shape (V,) or (V, H)
        How often each word occurs, in one column for each half (or other part); ranks are matched in every column.
    least : int, default 2
        How often a pair must meet in the second half.
    near : int, default 25
        How far apart the ranks of j and j' may be; words equally frequent share their mean rank.
    rng : int or Generator, default 0
        Draws j'.

    Returns
    -------
    HeldOutPairs
        Pairs for which there is no j' are left out.

    Raises
    ------
    ValueError
        If the tables differ in size, ``frequency`` has another length, or a setting is below 1.

    Examples
    --------
    >>> train = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    >>> test = np.array([[0, 0, 2, 0], [0, 0, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
    >>> held_out_pairs(train, test, np.array([4, 3, 2, 1]))
    HeldOutPairs(met=array([[0, 2]]), never=array([[0, 3]]))
    """
    seen, later = (sparse.csr_array(check_counts(table)).toarray() for table in (train, test))
    V, rng = len(seen), numpy_generator(rng)
    frequency = np.asarray(frequency)
    if later.shape != seen.shape or frequency.ndim not in (1, 2) or len(frequency) != V or not frequency.size:
        raise ValueError(f"train is {seen.shape}, test {later.shape}, and frequency has shape {frequency.shape}")
    least, near = check_count(least, "least"), check_count(near, "near")
    i, j = np.nonzero(np.triu((later >= least) & (seen == 0), 1))
    places = rankdata(frequency.reshape(V, -1), axis=0)
    apart = ~np.eye(V, dtype=bool) & (seen == 0) & (later == 0)
    met, never = [], []
    for a, b in zip(i, j, strict=True):
        fits = apart[a] & (np.abs(places - places[b]).max(axis=1) <= near)
        fits[b] = False
        if fits.any():
            met.append((a, b))
            never.append((a, rng.choice(np.flatnonzero(fits))))
    return HeldOutPairs(np.array(met, dtype=int).reshape(-1, 2), np.array(never, dtype=int).reshape(-1, 2))
