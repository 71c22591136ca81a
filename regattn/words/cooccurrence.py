r"""The co-occurrence projection: attention whose scores are counted, not learned.

A table S says how often words stand near each other. A sentence picks rows and columns with its selector Z, one one-hot
row per word, and

.. math:: M = Z S Z^\top, \qquad E = M\,(Z S), \qquad p = \mathrm{softmax}(\bar e)

are scores, an attention-weighted mix of the words' own rows, and a guess at the next word.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse

from regattn._tables import as_pandas, matched, named, numbers, read_table, written
from regattn._types import Table
from regattn._validation import check_count, check_real
from regattn.attention import attend, attention_weights
from regattn.words._checks import check_counts, nearest_word
from regattn.words.vocabulary import Vocabulary

__all__ = [
    "NORMALISERS",
    "context_weights",
    "normalise_rows",
    "predict_next",
    "project",
    "selector",
    "vocabulary_scores",
]

NORMALISERS = ("counts", "softmax", "log softmax")
"""How scores become weights: as they are, softmax of the counts, or softmax of their logarithms (= row shares)."""


def selector(tokens: Sequence[Any], vocabulary: Vocabulary | int) -> np.ndarray:
    r"""Return the selector Z of a sentence: one one-hot row per token.

    :math:`Z^\top Z` is a projector only when no word repeats; :math:`Z S Z^\top` picks rows and columns either way.
    Implements :eq:`selector`; source: Sec. 2.2 of [MH]_, where it is called Q.

    Parameters
    ----------
    tokens : sequence of str or of int
        Words of ``vocabulary``, or their numbers. A word may occur several times.
    vocabulary : Vocabulary or int
        The words, or just how many there are (then tokens are numbers).

    Returns
    -------
    ndarray of shape (R, V)
        Zeros and ones, one 1 in each row.

    Raises
    ------
    ValueError
        If there is no token, a word is unknown, or a number is out of range.

    Examples
    --------
    >>> selector(["bank", "river", "bank"], Vocabulary(["river", "bank", "loan"]))
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    if isinstance(vocabulary, Vocabulary):
        return np.eye(len(vocabulary))[_numbers(tokens, vocabulary.words)]
    return np.eye(check_count(vocabulary, "vocabulary"))[_numbers(tokens, range(vocabulary))]


def project(S: Table, tokens: Sequence[Any]) -> np.ndarray | pd.DataFrame:
    r"""Return the scores of the words of a sentence for each other.

    .. math:: M = Z S Z^\top, \qquad M_{rs} = S_{w_r w_s}

    This is ``attention_weights(Z S, Z, kernel="identity")``: the queries are the words' rows of S, the keys their
    one-hot codes. Every score is a cell of S, read off; no other word of the sentence has a say in it.
    Implements :eq:`projected-counts`; source: Secs. 2.2 and 2.3 of [MH]_.

    Parameters
    ----------
    S : DataFrame, array or SciPy sparse, shape (V, V)
        Counts, or any finite scores (PPMI, say). It need not be symmetric: row = the word that looks, column = the
        word looked at.
    tokens : sequence of str or of int
        Words (when S is a DataFrame with the words as its columns), or row numbers.

    Returns
    -------
    ndarray or DataFrame of shape (R, R)
        In the units of S; under the words of the sentence where S is a DataFrame.

    Raises
    ------
    ValueError
        If S is not square or not finite, the words that label its rows and columns differ, there is no token, or a
        word or number is not in S.

    Examples
    --------
    >>> S = pd.DataFrame([[0, 4, 0], [4, 0, 6], [0, 6, 0]], ["river", "bank", "loan"], ["river", "bank", "loan"])
    >>> project(S, ["bank", "loan"])
          bank  loan
    bank   0.0   6.0
    loan   6.0   0.0
    """
    codes = _encode(S, tokens)
    return named(attention_weights(codes.queries, codes.keys, kernel="identity"), codes.sentence, codes.sentence)


def normalise_rows(M: ArrayLike) -> np.ndarray | pd.DataFrame:
    r"""Return each row divided by its sum: counts become shares.

    .. math:: \mathrm{Norm}(M)_{rs} = \frac{M_{rs}}{\sum_t M_{rt}} = \mathrm{softmax}(\log M)_{rs}

    Implements :eq:`row-shares`; source: Sec. 2.4 of [MH]_. The right-hand side, with log 0 = −∞ as a mask, is what
    :func:`context_weights` computes through attention.

    Parameters
    ----------
    M : array or DataFrame of shape (R, C)
        Non-negative scores.

    Returns
    -------
    ndarray or DataFrame of shape (R, C)
        Rows sum to one; labels as those of ``M``.

    Raises
    ------
    ValueError
        If an entry is negative or not finite, or a row sums to zero (a word that meets no word of its sentence).

    Examples
    --------
    >>> normalise_rows([[0, 4, 5], [4, 0, 3], [5, 3, 0]]).round(3)
    array([[0.   , 0.444, 0.556],
           [0.571, 0.   , 0.429],
           [0.625, 0.375, 0.   ]])
    """
    M, index, columns = read_table(M, "M")
    if (M < 0).any():
        raise ValueError(f"M must be ≥ 0 to give shares, got {M.min():g}")
    totals = M.sum(axis=1, keepdims=True)
    if not totals.all():
        row = int(np.argmin(totals))
        row = row if index is None else written(index[row])
        raise ValueError(f"row {row} of M sums to 0, so it has no shares")
    return named(M / totals, index, columns)


def context_weights(S: Table, tokens: Sequence[Any], *, normaliser: str = "log softmax") -> np.ndarray | pd.DataFrame:
    r"""Return the attention weights of the words of a sentence on each other, under one of three normalisers.

    - ``"counts"``: the scores M themselves (identity kernel).
    - ``"softmax"``: softmax of the counts, as a transformer would treat its scores.
    - ``"log softmax"``: softmax of the logarithms of the counts, with zero counts masked. This equals
      ``normalise_rows(project(S, tokens))``: row shares are softmax attention on log counts.

    Implements :eq:`log-count-attention`; source: Sec. 2.4 of [MH]_.

    Parameters
    ----------
    S : DataFrame, array or SciPy sparse, shape (V, V)
        Counts (see :func:`project`); must be ≥ 0 for ``"log softmax"``.
    tokens : sequence of str or of int
        The sentence.
    normaliser : {"counts", "softmax", "log softmax"}, default "log softmax"
        How scores become weights.

    Returns
    -------
    ndarray or DataFrame of shape (R, R)
        Weights; rows sum to one except for ``"counts"``. Labels as those of :func:`project`.

    Raises
    ------
    ValueError
        As :func:`project`; under ``"log softmax"`` also if a count is negative, or a word of the sentence meets no
        word of it, so that there is nothing to share out (a single word, unless its diagonal count is positive).

    Examples
    --------
    >>> S = pd.DataFrame([[0, 4, 0], [4, 0, 6], [0, 6, 0]], ["river", "bank", "loan"], ["river", "bank", "loan"])
    >>> context_weights(S, ["river", "bank", "loan"]).round(3)
           river  bank  loan
    river    0.0   1.0   0.0
    bank     0.4   0.0   0.6
    loan     0.0   1.0   0.0
    """
    codes = _encode(S, tokens)
    queries, how = _resolve_normaliser(normaliser, codes.queries, codes.keys, tokens)
    return named(attention_weights(queries, codes.keys, **how), codes.sentence, codes.sentence)


def vocabulary_scores(S: Table, tokens: Sequence[Any], *, normaliser: str = "counts") -> np.ndarray | pd.DataFrame:
    r"""Return, for each word of a sentence, the weighted sum of the sentence's rows of S.

    .. math:: E = g(Z S Z^\top)\,(Z S), \qquad E_{rj} = \sum_s g(M)_{rs}\, S_{w_s j}

    One call of attention: queries ZS, keys Z, values ZS. Implements :eq:`vocabulary-scores`; source: Sec. 3.1 of
    [MH]_.

    Parameters
    ----------
    S, tokens
        As in :func:`project`.
    normaliser : {"counts", "softmax", "log softmax"}, default "counts"
        The function g, see :func:`context_weights`; the paper's E has ``"counts"``.

    Returns
    -------
    ndarray or DataFrame of shape (R, V)
        In squared units of S for ``"counts"``, in units of S otherwise. Where S is a DataFrame, a row for each word of
        the sentence and a column for each of S.

    Raises
    ------
    ValueError
        As :func:`context_weights`, and if a sum overflows.

    Examples
    --------
    >>> S = pd.DataFrame([[0, 4, 0], [4, 0, 6], [0, 6, 0]], ["river", "bank", "loan"], ["river", "bank", "loan"])
    >>> vocabulary_scores(S, ["bank", "loan"])
          river  bank  loan
    bank    0.0  36.0   0.0
    loan   24.0   0.0  36.0
    """
    codes = _encode(S, tokens)
    queries, how = _resolve_normaliser(normaliser, codes.queries, codes.keys, tokens)
    return named(attend(queries, codes.keys, codes.values, **how), codes.sentence, codes.words)


def predict_next(
    S: Table, tokens: Sequence[Any], *, normaliser: str = "counts", temperature: float = 1.0
) -> np.ndarray | pd.Series:
    r"""Return a probability for every word of the vocabulary to come next, or, with a symmetric table, to be near.

    .. math:: p = \mathrm{softmax}\Bigl(\frac1\tau\, \frac1R \sum_{r} E_r\Bigr)

    The last step too is attention: one query, the mean score, looks at the one-hot codes of the vocabulary. Implements
    :eq:`next-word`; source: Sec. 3.1 of [MH]_ at τ = 1. With ``"counts"`` the result depends on the unit of counting:
    dividing S by c is the same as a temperature of c².

    Parameters
    ----------
    S, tokens, normaliser
        As in :func:`vocabulary_scores`. A sentence whose words never meet has E = 0 under ``"counts"`` and every word
        is equally probable.
    temperature : float, default 1
        τ > 0: larger is flatter.

    Returns
    -------
    ndarray or Series of shape (V,)
        Probabilities; under their words where S is a DataFrame.

    Raises
    ------
    ValueError
        As :func:`context_weights`, and if ``temperature`` is not positive.

    Examples
    --------
    >>> S = pd.DataFrame([[0, 4, 0], [4, 0, 6], [0, 6, 0]], ["river", "bank", "loan"], ["river", "bank", "loan"])
    >>> predict_next(S, ["bank", "loan"], temperature=10).round(3)
    river    0.215
    bank     0.392
    loan     0.392
    dtype: float64
    """
    temperature = check_real(temperature, "temperature", least=0.0, strictly=True)
    with np.errstate(over="ignore"):  # an infinite mean is no key
        scores = vocabulary_scores(S, tokens, normaliser=normaliser)
        mean = np.asarray(scores).mean(axis=0)
    p = attention_weights([[1.0]], mean[:, None], scale=1 / temperature)[0]
    return named(p, getattr(scores, "columns", None))


class _Codes(NamedTuple):
    """Queries ZS and keys Z, kept to the columns a sentence touches, values ZS, rows of S, and words if S has some."""

    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    rows: np.ndarray
    sentence: pd.Index | None
    words: pd.Index | None


def _encode(S: Table, tokens: Sequence[Any]) -> _Codes:
    """Return what a sentence asks, compares and averages in a table, or raise as :func:`project` does."""
    table = as_pandas(S)
    words = None if table is None else _words(table)
    S = check_counts(S if table is None else numbers(table, "S"), negative=True)
    rows = _numbers(tokens, range(S.shape[0]) if words is None else list(words))
    values = S[rows]
    values = np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)
    used, codes = np.unique(rows, return_inverse=True)
    return _Codes(
        values[:, used], np.eye(len(used))[codes], values, rows, None if words is None else words[rows], words
    )


def _resolve_normaliser(
    normaliser: str, queries: np.ndarray, keys: np.ndarray, tokens: Sequence[Any]
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the queries and the keyword arguments with which attention gives the normaliser's weights."""
    if normaliser not in NORMALISERS:
        raise ValueError(f"normaliser must be one of {', '.join(NORMALISERS)}, got {normaliser!r}")
    if normaliser == "counts":
        return queries, {"kernel": "identity"}
    if normaliser == "softmax":
        return queries, {"kernel": "softmax", "scale": 1.0}
    if (queries < 0).any():
        raise ValueError(f"log softmax needs counts ≥ 0, got {queries.min():g}")
    meets = queries @ keys.T > 0
    alone = ~meets.any(axis=1)
    if alone.any():
        position = int(np.argmax(alone))
        raise ValueError(f"token {list(tokens)[position]!r} at position {position} meets no token of the sentence")
    logs = np.log(queries, where=queries > 0, out=np.zeros_like(queries))
    return logs, {"kernel": "softmax", "scale": 1.0, "mask": meets}


def _words(S: pd.DataFrame | pd.Series) -> pd.Index:
    if S.ndim != 2:
        raise ValueError(f"S must be a square table, got a Series of shape {S.shape}")
    if S.columns.has_duplicates:
        raise ValueError(f"the words of S must differ, got {list(S.columns)}")
    if matched(S.index, S.columns, "the words on the rows of S", "those on its columns") is not None:
        raise ValueError(f"S must have the same words on rows and columns, got {list(S.index)} and {list(S.columns)}")
    return S.columns


def _numbers(tokens: Sequence[Any], labels: Sequence[Any]) -> np.ndarray:
    """Return the position of each token among the labels (words, or a range of numbers)."""
    if isinstance(tokens, str):
        raise ValueError(f"tokens must be a sequence of words, got the string {tokens!r}; split it first")
    tokens = list(tokens)
    if not tokens:
        raise ValueError("the sentence is empty: there is no token to look for")
    if isinstance(labels, range):
        return np.array([_check_number(t, position, len(labels)) for position, t in enumerate(tokens)])
    places = {label: number for number, label in enumerate(labels)}
    for position, token in enumerate(tokens):
        if not isinstance(token, Hashable) or token not in places:
            raise ValueError(f"unknown word {token!r} at position {position}{nearest_word(token, labels)}")
    return np.array([places[token] for token in tokens])


def _check_number(token: Any, position: int, n: int) -> int:
    if isinstance(token, str):
        raise ValueError(f"token {token!r} is a word, but S has no words on its columns; pass row numbers")
    return check_count(token, f"the token at position {position}", least=0, most=n - 1, bound="the last row")
