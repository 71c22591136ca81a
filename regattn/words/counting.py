r"""Counting which words stand near which: exactly, fast, and in as little memory as a chunk of text needs.

Every pair of places becomes one integer; sorting the integers puts equal pairs side by side, and adding up the runs
gives the table. Nothing is a Python loop over pairs.

Weights 1/distance are counted as whole numbers too, and divided once, at the end: exactly, in units of
1/lcm(1, …, window), up to a distance of 22, and rounded to 2⁻⁵⁸ beyond. So the table does not depend on how the corpus
was cut into chunks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from regattn._types import Table
from regattn._validation import check_count, check_real
from regattn.words._checks import check_counts
from regattn.words._chunks import add_transpose, chunks, count_chunk
from regattn.words.vocabulary import Vocabulary

__all__ = ["count_cooccurrences", "ppmi"]

WIDEST = 100_000  # a chunk holds what its last place looks ahead to: a wider window would fill the memory with it
EXACT = 22  # lcm(1, …, 22) is below 2²⁸; the next one would crowd a 64-bit count
HALF = 29  # bits in each half of a weight beyond


def count_cooccurrences(
    documents: Iterable[Sequence[str] | np.ndarray],
    vocabulary: Vocabulary,
    *,
    window: int,
    weighting: str = "uniform",
    directed: bool = False,
) -> sparse.csr_array:
    r"""Return how often, over a corpus, each word stands near each other word.

    .. math:: S_{ij} = \sum_{0 < |s - t| \le h} w_{|s - t|}\, [x_s = i]\, [x_t = j]

    with h the window, w = 1 (uniform) or w_d = 1/d (harmonic), and s, t in the same document. A word next to another
    copy of itself counts from both sides, so such a pair adds 2 w_d to the diagonal. Implements
    :eq:`cooccurrence-counts`; source: the operator S of Sec. 2.1 of [MH]_; the harmonic weights are GloVe's.

    Parameters
    ----------
    documents : iterable of documents
        Each a sequence of words, or a one-dimensional integer array of word numbers in which −1 marks a place that is
        not counted. A generator is read once and never held as a whole. Windows never cross documents.
    vocabulary : Vocabulary
        The words that get a row and a column; its policy decides about the others.
    window : int
        The largest distance h ≥ 1 at which two words are near.
    weighting : {"uniform", "harmonic"}, default "uniform"
        Count every pair as 1, or as one over its distance.
    directed : bool, default False
        Count only the words that come *after*: rows are the earlier word, columns the later one. The undirected table
        is this one plus its transpose.

    Returns
    -------
    scipy.sparse.csr_array of shape (V, V)
        int64 counts (uniform) or float64 (harmonic), rows sorted, no explicit zeros. Counts of two halves of a corpus
        add up to the counts of the whole: exactly when uniform, to float rounding when harmonic.

    Raises
    ------
    ValueError
        If ``window`` is not from 1 to 100,000, ``vocabulary`` is not a :class:`Vocabulary`, the weighting is unknown,
        ``documents`` is a string, a document is not a sequence of words, a word is unknown under ``unknown="error"``,
        or a word number is out of range.

    Examples
    --------
    >>> words = Vocabulary(["river", "bank", "flooded"])
    >>> count_cooccurrences([["river", "flooded", "bank"]], words, window=2, weighting="harmonic").toarray()
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 1. ],
           [1. , 1. , 0. ]])
    """
    window = check_count(window, "window", most=WIDEST)
    if not isinstance(vocabulary, Vocabulary):
        raise ValueError(f"vocabulary must be a Vocabulary, got {type(vocabulary).__name__}")
    if weighting not in ("uniform", "harmonic"):
        raise ValueError(f'weighting must be "uniform" or "harmonic", got {weighting!r}')
    if isinstance(documents, str | bytes):
        raise ValueError(f"documents must be an iterable of documents, got the string {documents[:40]!r}")
    V = len(vocabulary)
    groups = _distance_groups(window, weighting)
    totals = _totals(chunks(_numbered(documents, vocabulary), window, V), groups, V, directed)
    if not directed:
        totals = [[add_transpose(total) for total in parts] for parts in totals]
    if weighting == "uniform":
        return totals[0][0]
    units = [unit for _, _, units in groups for unit in units]
    parts = [_divided(total, unit) for total, unit in zip(chain.from_iterable(totals), units, strict=True)]
    return sum(parts[1:], start=parts[0])


def ppmi(counts: Table, *, context_power: float = 1.0, shift: float = 0.0) -> Any:
    r"""Return the positive pointwise mutual information of a table of counts.

    .. math:: \max\Bigl(0,\; \log \frac{S_{ij}\,/\,\sum S}{p_i\, p_j} - \text{shift}\Bigr),
              \qquad p_i = \frac{S_{i\cdot}}{\sum S}, \quad p_j \propto (S_{\cdot j})^{\alpha}

    How much more often two words meet than they would by chance; in nats. Cells with no count stay 0. Implements
    :eq:`ppmi` (α = 1, no shift).

    Parameters
    ----------
    counts : array, DataFrame or SciPy sparse, shape (V, V)
        Non-negative counts S.
    context_power : float, default 1
        The exponent α on the column totals; 0.75 tempers the bias toward rare contexts.
    shift : float, default 0
        Taken off before clipping; log k corresponds to k negative samples in word2vec.

    Returns
    -------
    ndarray or scipy.sparse.csr_array of shape (V, V)
        Sparse if ``counts`` is. Zero rows (words without neighbours) stay zero.

    Raises
    ------
    ValueError
        If ``counts`` is not square, has a negative or non-finite entry, or is zero throughout, or if totals overflow or
        vanish, raised to ``context_power`` or not.

    Examples
    --------
    >>> ppmi(np.array([[0, 3], [3, 2]])).round(3)
    array([[0.  , 0.47],
           [0.47, 0.  ]])
    """
    table = check_counts(counts)
    alpha, shift = check_real(context_power, "context_power"), check_real(shift, "shift")
    S = sparse.coo_array(table, dtype=np.float64)
    with np.errstate(over="ignore", under="ignore"):  # totals that overflow or vanish are reported
        row_totals, column_totals = S.sum(axis=1), S.sum(axis=0)
        total = row_totals.sum()
        columns = np.power(column_totals, alpha, where=column_totals > 0, out=np.zeros_like(column_totals))
        norm = columns.sum()
    if total == 0:
        raise ValueError("counts must have a positive entry, got a total of 0")
    if not np.isfinite(total) or not np.isfinite(norm) or (columns[column_totals > 0] == 0).any():
        raise ValueError(f"totals must stay finite and positive to the power {alpha:g}, got {column_totals.max():g}")
    rows, cols = S.coords
    kept = S.data > 0
    rows, cols, data = rows[kept], cols[kept], S.data[kept]
    information = np.log(data) - np.log(row_totals[rows]) - (np.log(columns[cols]) - np.log(norm)) - shift
    kept = information > 0
    result = sparse.csr_array((information[kept], (rows[kept], cols[kept])), shape=S.shape)
    return result if sparse.issparse(table) else result.toarray()


def _distance_groups(window: int, weighting: str) -> list[tuple[range, list[np.ndarray | None], list[int]]]:
    """Return the distances in groups; each with its weights as whole numbers, in one part or two, and their units."""
    if weighting == "uniform":
        return [(range(1, window + 1), [None], [1])]  # None: no weights at all
    near = range(1, min(window, EXACT) + 1)
    unit = math.lcm(*near)
    groups = [(near, [unit // np.array(near)], [unit])]
    if window > EXACT:
        far = range(EXACT + 1, window + 1)
        weights = (2 ** (2 * HALF) + np.array(far) // 2) // np.array(far)  # rounded
        groups.append((far, [weights >> HALF, weights & (2**HALF - 1)], [2**HALF, 2 ** (2 * HALF)]))
    return groups


def _totals(chunks: Iterator[tuple], groups: list[tuple], V: int, directed: bool) -> list[list[sparse.csr_array]]:
    """Return the counts of all chunks, a table for each part of each group."""
    totals = [[sparse.csr_array((V, V), dtype=np.int64) for _ in weights] for _, weights, _ in groups]
    for tokens, starts, reach in chunks:
        for g, (distances, weights, _) in enumerate(groups):
            if distances[0] <= reach:
                within = distances[: reach - distances[0] + 1]
                found = count_chunk(tokens, starts, V, within, weights, directed)
                totals[g] = [a + b if a.nnz else b for a, b in zip(totals[g], found, strict=True)]
    return totals


def _numbered(documents: Iterable[Any], vocabulary: Vocabulary) -> Iterator[np.ndarray]:
    """Yield each document as word numbers."""
    V = len(vocabulary)
    for position, document in enumerate(documents):
        if isinstance(document, np.ndarray) and document.dtype.kind in "iu":
            if document.ndim != 1:
                raise ValueError(f"document {position} must be one-dimensional, got shape {document.shape}")
            if document.size and (document.min() < -1 or document.max() >= V):
                worst = document[(document < -1) | (document >= V)][0]
                raise ValueError(f"document {position} has word number {worst}, outside −1 to {V - 1}")
            yield document
        else:
            yield vocabulary.indices(document)


def _divided(counts: sparse.csr_array, unit: int) -> sparse.csr_array:
    return sparse.csr_array((counts.data / unit, counts.indices, counts.indptr), shape=counts.shape)
