r"""Counting which words stand near which: exactly, fast, and in as little memory as a chunk of text needs.

Every pair of places becomes one integer; sorting the integers puts equal pairs side by side, and adding up the runs
gives the table. Nothing is a Python loop over pairs.

Weights 1/distance are counted as whole numbers too, and divided once, at the end: the table does not depend on how the
corpus was cut into chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from regattn._tables import as_pandas, named
from regattn._types import Table
from regattn._validation import check_real
from regattn.words._checks import check_counts
from regattn.words.totals import PartialCounts
from regattn.words.vocabulary import Vocabulary

__all__ = ["count_cooccurrences", "ppmi"]


def count_cooccurrences(
    documents: Iterable[Sequence[str] | np.ndarray],
    vocabulary: Vocabulary,
    *,
    window: int,
    weighting: str = "uniform",
    directed: bool = False,
    as_frame: bool = False,
) -> sparse.csr_array | pd.DataFrame:
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
    as_frame : bool, default False
        Return all V² cells under their words, a table that :func:`project` and the others take by its words.

    Returns
    -------
    scipy.sparse.csr_array or DataFrame of shape (V, V)
        int64 counts (uniform) or float64 (harmonic), rows sorted, no explicit zeros. Counts of two halves of a corpus
        add up to the counts of the whole: exactly when uniform, to float rounding when harmonic. :class:`PartialCounts`
        of the halves add up exactly.

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
    >>> count_cooccurrences([["river", "flooded", "bank"]], words, window=1, as_frame=True)
             river  bank  flooded
    river        0     0        1
    bank         0     0        1
    flooded      1     1        0
    """
    counts = PartialCounts.of(documents, vocabulary, window=window, weighting=weighting, directed=directed).table()
    if not as_frame:
        return counts
    words = pd.Index(vocabulary.words)
    return named(counts.toarray(), words, words)


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
    ndarray, DataFrame or scipy.sparse.csr_array of shape (V, V)
        As ``counts`` is. Zero rows (words without neighbours) stay zero.

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
    if sparse.issparse(table):
        return result
    labels = as_pandas(counts)
    return named(result.toarray(), *((None, None) if labels is None else (labels.index, labels.columns)))
