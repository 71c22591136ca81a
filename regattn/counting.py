r"""Counting which words stand near which: exactly, fast, and in as little memory as a chunk of text needs.

Every pair of places becomes one integer; sorting the integers puts equal pairs side by side, and adding up the runs
gives the table. Nothing is a Python loop over pairs.

Weights 1/distance stay exact: they are counted as whole numbers of 1/lcm(1, …, window) and divided once, at the end. So
the table does not depend on how the corpus was cut into chunks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from regattn._validation import check_count, check_real
from regattn.vocabulary import Vocabulary

__all__ = ["count_cooccurrences", "ppmi"]

PAIRS_PER_CHUNK = 2**24  # 128 MB of 64-bit keys
WIDEST = 100_000  # documents are set apart by a window of gaps: a wider one would fill the memory with them
LARGEST_UNIT = 2**28  # units of harmonic weights beyond this would crowd a 64-bit count


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
    totals = [sparse.csr_array((V, V), dtype=np.int64) for _ in groups]
    for tokens, starts in _chunks(_numbered(documents, vocabulary), window, V):
        for g, (distances, unit) in enumerate(groups):
            counts = _count_chunk(tokens, starts, V, distances, unit, directed)
            totals[g] = totals[g] + counts if totals[g].nnz else counts
    if not directed:
        totals = [_add_transpose(total) for total in totals]
    if weighting == "uniform":
        return totals[0]
    parts = [_divided(total, unit) for total, (_, unit) in zip(totals, groups, strict=True)]
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


def _distance_groups(window: int, weighting: str) -> list[tuple[range, int]]:
    """Return the distances in groups, each with the unit in which its weights are whole numbers."""
    if weighting == "uniform":
        return [(range(1, window + 1), 0)]  # 0: no weights at all
    groups, first, unit = [], 1, 1
    for d in range(1, window + 1):
        if math.lcm(unit, d) > LARGEST_UNIT:
            groups.append((range(first, d), unit))
            first, unit = d, 1
        unit = math.lcm(unit, d)
    return [*groups, (range(first, window + 1), unit)]


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


def _chunks(documents: Iterator[np.ndarray], window: int, V: int) -> Iterator[tuple[np.ndarray, int]]:
    """Yield stretches of text and how many of their places begin a pair; the rest is what the last ones look ahead to.

    Documents are set apart by ``window`` gaps, so that no pair crosses; a gap is the extra word V, cut off later.
    """
    size = max(PAIRS_PER_CHUNK // window, 1)
    gap = np.full(window, V, dtype=np.int64)
    waiting: list[np.ndarray] = []
    held = 0
    for document in documents:
        waiting += [document, gap]
        held += len(document) + window
        if held >= size + window:
            text, begin = np.concatenate(waiting), 0
            while len(text) - begin >= size + window:
                yield _gaps_last(text[begin : begin + size + window], V), size
                begin += size
            waiting, held = [text[begin:].copy()], len(text) - begin
    if held > window:
        yield _gaps_last(np.concatenate(waiting), V), held - window


def _gaps_last(tokens: np.ndarray, V: int) -> np.ndarray:
    return np.where(tokens < 0, V, tokens)


def _count_chunk(
    tokens: np.ndarray, starts: int, V: int, distances: range, unit: int, directed: bool
) -> sparse.csr_array:
    """Return the counts of the pairs that begin at the first ``starts`` places, as whole numbers of 1/unit.

    An undirected pair is kept once, with the larger number as its row: a triangle, half the table.
    """
    bits = (len(distances) - 1).bit_length() if unit else 0
    row_starts = _row_starts(np.arange(V + 2, dtype=np.uint64), V, directed)
    key = np.uint32 if int(row_starts[-1]) << bits < 2**32 else np.uint64
    keys = _sorted_keys(
        tokens.astype(key), _row_starts(tokens, V, directed).astype(key), starts, distances, bits, directed
    )
    pairs = keys >> key(bits) if bits else keys
    begins = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
    if unit:
        weights = unit // np.array(distances)
        totals = np.add.reduceat(weights[keys & key(2**bits - 1)], begins)
    else:
        totals = np.diff(begins, append=len(keys))
    pairs, row_starts = pairs[begins], row_starts.astype(key)
    indptr = np.searchsorted(pairs, row_starts)
    columns = (pairs - np.repeat(row_starts[:-1], np.diff(indptr))).astype(np.int32)
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
