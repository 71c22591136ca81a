"""Vectors of words: the strongest directions of a table, whom they bring near, and how many of those are of a kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.linalg import svds

from regattn._tables import as_pandas, matched, named, numbers
from regattn._types import Table
from regattn._validation import check_array, check_count
from regattn.words._checks import check_counts
from regattn.words.vocabulary import Vocabulary

__all__ = ["most_similar", "nearest_words", "share_of_kind", "word_vectors"]


def word_vectors(table: Table, *, rank: int) -> np.ndarray | pd.DataFrame:
    r"""Return a vector of length one for each word: its row of the strongest directions of a table.

    .. math:: P_L = U_L\, \mathrm{diag}(s)\, V_L^\top, \qquad
              v_i = \frac{x_i}{\lVert x_i\rVert}, \quad X = U_L\, \mathrm{diag}(\sqrt{s})

    The directions are those of the truncated table :eq:`truncated-table`, strongest first; the largest entry of each
    is positive.

    Parameters
    ----------
    table : array, DataFrame or SciPy sparse, shape (V, V)
        A table of words by context words, say :func:`ppmi`.
    rank : int
        How many directions L, below V; far below, as 50 of a thousand words, or neighbours are those of noise.

    Returns
    -------
    ndarray or DataFrame of shape (V, rank)
        A DataFrame, words as its index, where ``table`` is one. Rows of length one, so that inner products are cosines.
        A word whose row of the table is zero keeps zeros, up to rounding of the decomposition.

    Raises
    ------
    ValueError
        If ``table`` is not square, not finite or zero throughout, or ``rank`` is not from 1 to V − 1.

    Examples
    --------
    >>> vectors = word_vectors(np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]]), rank=2)
    >>> float((vectors[0] @ vectors[2]).round(6))  # the same company
    1.0
    """
    P = sparse.csr_array(check_counts(table, negative=True), dtype=np.float64)
    rank = check_count(rank, "rank", most=P.shape[0] - 1, bound="the number of words less one")
    largest = np.abs(P.data).max(initial=0.0)
    if largest == 0:
        raise ValueError("table must have an entry other than 0")
    U, s, _ = svds(P / largest, rank, rng=0)
    X = U[:, ::-1] * np.sqrt(s[::-1])
    X = X * np.where(X[np.abs(X).argmax(axis=0), np.arange(rank)] < 0, -1.0, 1.0)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return named(X / np.where(lengths > 1e-12, lengths, 1.0), getattr(as_pandas(table), "index", None), None)


def nearest_words(vectors: np.ndarray | pd.DataFrame, vocabulary: Vocabulary, word: str, *, n: int = 10) -> list[str]:
    """Return the words whose vectors have the largest inner products with that of a word, nearest first.

    Parameters
    ----------
    vectors : array or DataFrame of shape (V, L)
        A row for each word, found by its label where it has one; inner products are cosines when rows have length one,
        as those of :func:`word_vectors`.
    vocabulary : Vocabulary
        The V words.
    word : str
        The word that asks; it is not among the answers.
    n : int, default 10
        How many to return, below V.

    Returns
    -------
    list of n str
        Of words equally near, the one with the lower number comes first.

    Raises
    ------
    ValueError
        If ``word`` is not in the vocabulary, the number of rows is not that of its words, or ``n`` is out of range.

    Examples
    --------
    >>> words = Vocabulary(["one", "two", "fire"])
    >>> nearest_words(np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]]), words, "one", n=1)
    ['two']
    """
    if (table := as_pandas(vectors)) is not None:
        order = matched(table.index, pd.Index(vocabulary.words), "the rows of vectors", "the words of the vocabulary")
        vectors = table if order is None else table.iloc[order]
    rows = _rows(vectors)
    if len(rows) != len(vocabulary):
        raise ValueError(f"vectors has {len(rows)} rows, but the vocabulary {len(vocabulary)} words")
    if word not in vocabulary:
        raise ValueError(f"word must be in the vocabulary, got {word!r}")
    asks = vocabulary.words.index(word)
    return [vocabulary.words[k] for k in _nearest(rows, np.array([asks]), n)[0]]


def most_similar(vectors: Table, word: str, *, n: int = 10) -> pd.Series:
    r"""Return the cosines of the words nearest to a word, under their names, nearest first.

    .. math:: \cos(v_i, v_j) = \frac{v_i^\top v_j}{\lVert v_i\rVert\, \lVert v_j\rVert}

    Parameters
    ----------
    vectors : DataFrame of shape (V, L)
        A row for each word, with the words as its index: those of :func:`word_vectors` of a DataFrame, or any others.
    word : str
        The word that asks; it is not among the answers.
    n : int, default 10
        How many to return, below V.

    Returns
    -------
    Series of n floats
        From −1 to 1. Of words equally near, the one that stands first comes first; a vector of zeros is near to none.

    Raises
    ------
    ValueError
        If ``vectors`` has no words as its index, one twice, or not the one that asks, or ``n`` is out of range.

    Examples
    --------
    >>> vectors = pd.DataFrame([[1.0, 0.0], [4.0, 3.0], [0.0, 1.0]], index=["one", "two", "fire"])
    >>> most_similar(vectors, "one", n=2)
    two     0.8
    fire    0.0
    dtype: float64
    """
    table = as_pandas(vectors)
    if table is None or isinstance(table.index, pd.RangeIndex):
        raise ValueError("vectors must be a DataFrame with the words as its index")
    if table.index.has_duplicates:
        raise ValueError(f"the words of vectors must differ, got {table.index[table.index.duplicated()][0]!r} twice")
    if word not in table.index:
        raise ValueError(f"word must be one of the {len(table)} words of vectors, got {word!r}")
    rows = _rows(numbers(table, "vectors"))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows / np.where(lengths > 0, lengths, 1.0)
    asks = np.array([table.index.get_loc(word)])
    nearest = _nearest(rows, asks, n)[0]
    return pd.Series(rows[nearest] @ rows[asks[0]], index=table.index[nearest])


def share_of_kind(vectors: np.ndarray, kinds: Sequence[Any], *, n: int = 10) -> float:
    """Return the share of words of the same kind among the nearest words, averaged over kinds.

    Parameters
    ----------
    vectors : array of shape (V, L)
        A row for each word, as those of :func:`word_vectors`.
    kinds : sequence of sequences of int
        The word numbers of each kind: all days, all months, …
    n : int, default 10
        How many nearest words of each word to look at. A kind of m words can reach (m − 1)/n.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        If there is no kind, a kind has fewer than two words or a number that is no row, or ``n`` is out of range.

    Examples
    --------
    >>> vectors = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]])
    >>> share_of_kind(vectors, [[0, 1], [2, 3]], n=1)
    0.5
    """
    rows, shares = _rows(vectors), []
    for kind in kinds:
        ids = np.asarray(kind)
        if ids.ndim != 1 or ids.dtype.kind not in "iu" or len(set(ids.tolist())) < 2:
            raise ValueError(f"a kind needs at least two different word numbers, got {kind!r}")
        if ids.min() < 0 or ids.max() >= len(rows):
            worst = ids[(ids < 0) | (ids >= len(rows))][0]
            raise ValueError(f"a kind has word number {worst}, but vectors has {len(rows)} rows")
        shares.append(np.isin(_nearest(rows, ids, n), ids).mean())
    if not shares:
        raise ValueError("kinds must hold at least one kind, got none")
    return float(np.mean(shares))


def _rows(vectors: np.ndarray) -> np.ndarray:
    rows = np.asarray(check_array(np.asarray(vectors), "vectors"), dtype=float)
    if rows.ndim != 2:
        raise ValueError(f"vectors must have shape (V, L), got {rows.shape}")
    return rows


def _nearest(rows: np.ndarray, asking: np.ndarray, n: int) -> np.ndarray:
    """Return for each word that asks the numbers of the n others with the largest inner products."""
    n = check_count(n, "n", most=len(rows) - 1, bound="the number of words less one")
    products = rows[asking] @ rows.T
    products[np.arange(len(asking)), asking] = -np.inf
    return np.argsort(-products, axis=1, kind="stable")[:, :n]
