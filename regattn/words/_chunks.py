r"""The engine of counting: stretches of text small enough for the memory, and the pairs of words in each.

Every pair of places becomes one integer; sorting the integers puts equal pairs side by side, and adding up the runs
gives the table. Nothing is a Python loop over pairs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

PAIRS_PER_CHUNK = 2**24  # 128 MB of 64-bit keys
MOST = 2**62  # the largest sum: doubled, on the diagonal, it still is a 64-bit number


def chunks(documents: Iterator[np.ndarray], window: int, V: int) -> Iterator[tuple[np.ndarray, int, int]]:
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


def count_chunk(
    tokens: np.ndarray, starts: int, V: int, distances: range, weights: list[np.ndarray | None], directed: bool
) -> list[sparse.csr_array]:
    """Return, for each part of the weights, the counts of the pairs that begin at the first ``starts`` places.

    An undirected pair is kept once, with the larger number as its row: a triangle, half the table.
    """
    fold = 1 if weights[0] is None else len(distances)  # by how much keys are spread, to hold a distance as well
    row_starts = _row_starts(np.arange(V + 2, dtype=np.uint64), V, directed)
    key = np.uint32 if int(row_starts[-1]) * fold < 2**32 else np.uint64
    keys = _sorted_keys(
        tokens.astype(key), _row_starts(tokens, V, directed).astype(key), starts, distances, fold, directed
    )
    pairs = keys // key(fold) if fold > 1 else keys
    begins = np.flatnonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))
    totals = [
        np.diff(begins, append=len(keys)) if part is None else np.add.reduceat(part[keys - pairs * key(fold)], begins)
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
    words: np.ndarray, rows: np.ndarray, starts: int, distances: range, fold: int, directed: bool
) -> np.ndarray:
    """Return one integer for every pair, row start + column, times ``fold`` plus which distance; sorted."""
    key = words.dtype.type
    keys = np.empty((len(distances), starts), dtype=key)
    for k, d in enumerate(distances):
        here, there = slice(0, starts), slice(d, d + starts)
        if directed:
            np.add(rows[here], words[there], out=keys[k])
        else:  # the larger word has the larger row start
            np.maximum(rows[here], rows[there], out=keys[k])
            keys[k] += np.minimum(words[here], words[there])
        if fold > 1:
            keys[k] *= key(fold)
            keys[k] += key(k)
    keys = keys.reshape(-1)
    keys.sort()
    return keys


def add(a: sparse.csr_array, b: sparse.csr_array) -> sparse.csr_array:
    """Return the sum of two tables of whole numbers; raise rather than let a count run over."""
    if not a.nnz or not b.nnz:
        return a if a.nnz else b
    if int(a.data.max()) + int(b.data.max()) > MOST:
        raise ValueError(f"counts of {a.data.max()} and {b.data.max()} units may add up to more than 2⁶²")
    return a + b


def add_transpose(triangle: sparse.csr_array) -> sparse.csr_array:
    return triangle + triangle.T.tocsr()
