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

from regattn._validation import check_count, check_real
from regattn.vocabulary import Vocabulary

__all__ = ["count_cooccurrences", "ppmi"]

PAIRS_PER_CHUNK = 2**24  # 128 MB of 64-bit keys
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
    totals = _totals(_chunks(_numbered(documents, vocabulary), window, V), groups, V, directed)
    if not directed:
        totals = [[_add_transpose(total) for total in parts] for parts in totals]
    if weighting == "uniform":
        return totals[0][0]
    units = [unit for _, _, units in groups for unit in units]
    parts = [_divided(total, unit) for total, unit in zip(chain.from_iterable(totals), units, strict=True)]
    return sum(parts[1:], start=parts[0])


def ppmi(counts: Any, *, context_power: float = 1.0, shift: float = 0.0) -> Any:
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


def check_counts(counts: Any, *, negative: bool = False) -> Any:
    """Return a square table as a NumPy array or CSR array; raise if it is not square, finite and (usually) ≥ 0."""
    S = counts.tocsr() if sparse.issparse(counts) else np.asarray(counts)
    entries = S.data if sparse.issparse(S) else S
    if entries.dtype.kind not in "fiub":
        raise ValueError(f"counts must hold real numbers, got dtype {entries.dtype}")
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.shape[0] == 0:
        raise ValueError(f"counts must be a square table, got shape {S.shape}")
    if not np.isfinite(entries).all():
        raise ValueError(f"counts must be finite, got {float(entries[~np.isfinite(entries)][0])}")
    if not negative and (entries < 0).any():
        raise ValueError(f"counts must be ≥ 0, got {entries[entries < 0][0]:g}")
    return S


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
                found = _count_chunk(tokens, starts, V, within, weights, directed)
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


def _chunks(documents: Iterator[np.ndarray], window: int, V: int) -> Iterator[tuple[np.ndarray, int, int]]:
    """Yield stretches of text, how many of their places begin a pair, and how far from it its other place may be.

    What comes after the places that begin pairs is what the last of them look ahead to. A document has no distances
    beyond its length, so those of one length, up to a factor of two, wait together: the shorter never pay for a window
    that only the longer can fill.
    """
    queues: dict[int, _Queue] = {}
    for document in documents:
        if len(document) > 1:
            reach = min(window, (1 << (len(document) - 1).bit_length()) - 1)
            queue = queues.setdefault(reach, _Queue(reach, V))
            yield from queue.add(document)
    for queue in queues.values():
        yield from queue.rest()


class _Queue:
    """Documents set apart by ``reach`` gaps, so that no pair crosses; a gap is the extra word V, cut off later."""

    def __init__(self, reach: int, V: int) -> None:
        self.reach, self.V = reach, V
        self.size = max(PAIRS_PER_CHUNK // reach, 1)
        self.gap = np.full(reach, V, dtype=np.int64)
        self.waiting: list[np.ndarray] = []
        self.held = 0

    def add(self, document: np.ndarray) -> Iterator[tuple[np.ndarray, int, int]]:
        """Yield what is now long enough."""
        self.waiting += [document, self.gap]
        self.held += len(document) + self.reach
        if self.held >= self.size + self.reach:
            text, begin = np.concatenate(self.waiting), 0
            while len(text) - begin >= self.size + self.reach:
                yield _gaps_last(text[begin : begin + self.size + self.reach], self.V), self.size, self.reach
                begin += self.size
            self.waiting, self.held = [text[begin:].copy()], len(text) - begin

    def rest(self) -> Iterator[tuple[np.ndarray, int, int]]:
        """Yield what is left."""
        if self.held > self.reach:
            yield _gaps_last(np.concatenate(self.waiting), self.V), self.held - self.reach, self.reach


def _gaps_last(tokens: np.ndarray, V: int) -> np.ndarray:
    return np.where(tokens < 0, V, tokens)


def _count_chunk(
    tokens: np.ndarray, starts: int, V: int, distances: range, weights: list[np.ndarray | None], directed: bool
) -> list[sparse.csr_array]:
    """Return, for each part of the weights, the counts of the pairs that begin at the first ``starts`` places.

    An undirected pair is kept once, with the larger number as its row: a triangle, half the table.
    """
    bits = 0 if weights[0] is None else (len(distances) - 1).bit_length()
    row_starts = _row_starts(np.arange(V + 2, dtype=np.uint64), V, directed)
    key = np.uint32 if int(row_starts[-1]) << bits < 2**32 else np.uint64
    keys = _sorted_keys(
        tokens.astype(key), _row_starts(tokens, V, directed).astype(key), starts, distances, bits, directed
    )
    pairs = keys >> key(bits) if bits else keys
    begins = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
    totals = [
        np.diff(begins, append=len(keys)) if part is None else np.add.reduceat(part[keys & key(2**bits - 1)], begins)
        for part in weights
    ]
    pairs, row_starts = pairs[begins], row_starts.astype(key)
    indptr = np.searchsorted(pairs, row_starts)
    columns = (pairs - np.repeat(row_starts[:-1], np.diff(indptr))).astype(np.int32)
    return [_table(total, columns, indptr, V) for total in totals]


def _table(totals: np.ndarray, columns: np.ndarray, indptr: np.ndarray, V: int) -> sparse.csr_array:
    counts = sparse.csr_array((totals, columns, indptr), shape=(V + 1, V + 1))
    counts.has_canonical_format = True
    return counts[:V, :V]


def _row_starts(words: np.ndarray, V: int, directed: bool) -> np.ndarray:
    """Return the key at which a word's row of the table (with V + 1 columns), or of its lower triangle, begins."""
    words = words.astype(np.uint64)
    return words * np.uint64(V + 1) if directed else words * (words + np.uint64(1)) // np.uint64(2)


def _sorted_keys(
    words: np.ndarray, rows: np.ndarray, starts: int, distances: range, bits: int, directed: bool
) -> np.ndarray:
    """Return one integer for every pair, row start + column, followed by ``bits`` bits that say which distance."""
    key = words.dtype.type
    keys = np.empty((len(distances), starts), dtype=key)
    for k, d in enumerate(distances):
        here, there = slice(0, starts), slice(d, d + starts)
        if directed:
            np.add(rows[here], words[there], out=keys[k])
        else:  # the larger word has the larger row start
            np.maximum(rows[here], rows[there], out=keys[k])
            keys[k] += np.minimum(words[here], words[there])
        if bits:
            keys[k] <<= key(bits)
            keys[k] |= key(k)
    keys = keys.reshape(-1)
    keys.sort()
    return keys


def _add_transpose(triangle: sparse.csr_array) -> sparse.csr_array:
    return triangle + triangle.T.tocsr()


def _divided(counts: sparse.csr_array, unit: int) -> sparse.csr_array:
    return sparse.csr_array((counts.data / unit, counts.indices, counts.indptr), shape=counts.shape)
