r"""Order and direction: queries and keys from a directed table, places added to words, and one text read by another.

A sentence's scores :math:`Z S Z^\top` are reordered with its words and are otherwise the same. Here are the steps that
change this, each with its numbers counted and none trained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import minimize
from scipy.sparse.linalg import svds

from regattn._rng import Rng, numpy_generator
from regattn._types import Table
from regattn._validation import check_count, check_matrix
from regattn.words._checks import check_counts
from regattn.words.cooccurrence import _encode

__all__ = [
    "one_map_errors",
    "order_defect",
    "position_terms",
    "query_key_maps",
    "sentence_scores",
    "share_ahead",
    "stretches",
    "term_defects",
]

MOST_PLACES = 7  # 7! orders are 5,040


def query_key_maps(S: Table, *, rank: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    r"""Return the query and the key map whose product is a table, or the best copy of it that their width allows.

    .. math:: S = U\,\mathrm{diag}(s)\,V^\top, \qquad W_Q = U_d\,\mathrm{diag}(s_d)^{1/2}, \quad
              W_K = V_d\,\mathrm{diag}(s_d)^{1/2}

    No pair of this width comes closer to the table (Eckart and Young). Implements :eq:`counted-maps`; ours, for Sec. 5
    of [MH]_.

    Parameters
    ----------
    S : DataFrame, array or SciPy sparse, shape (V, V)
        Any finite scores: directed counts, their logarithms, or a symmetric table.
    rank : int, optional
        Columns d of the two maps, from 1 to V; V by default.

    Returns
    -------
    tuple of ndarray of shape (V, d)
        W_Q and W_K: row i of the first and row j of the second have the inner product S_ij, as nearly as d allows.

    Raises
    ------
    ValueError
        If S is not square or not finite, or ``rank`` is not from 1 to V.

    Examples
    --------
    >>> W_Q, W_K = query_key_maps(np.array([[0.0, 3.0], [1.0, 0.0]]))
    >>> (W_Q @ W_K.T).round(6) + 0.0
    array([[0., 3.],
           [1., 0.]])
    """
    S = check_counts(S, negative=True)
    rank = S.shape[0] if rank is None else check_count(rank, "rank", most=S.shape[0], bound="the number of words")
    if 5 * rank < S.shape[0]:  # a few directions of a large table
        U, s, Vt = svds(S.astype(float), rank, rng=0)
        largest_first = np.argsort(-s)
        U, s, Vt = U[:, largest_first], s[largest_first], Vt[largest_first]
    else:
        U, s, Vt = np.linalg.svd(_dense(S))
    root = np.sqrt(s[:rank])
    return U[:, :rank] * root, Vt[:rank].T * root


def _dense(S: Any) -> np.ndarray:
    return np.asarray(S.toarray() if sparse.issparse(S) else S, dtype=np.float64)


def position_terms(S: Table, tokens: Sequence[Any], P: ArrayLike) -> dict[str, np.ndarray]:
    r"""Return the four terms of the scores of a sentence whose places are added to its words.

    .. math:: (Z + P)\,S\,(Z + P)^\top = Z S Z^\top + Z S P^\top + P S Z^\top + P S P^\top

    Implements :eq:`four-terms`; source: eqs. (2) to (4) of [MH]_, where Z is called Q.

    Parameters
    ----------
    S : DataFrame, array or SciPy sparse, shape (V, V)
        Scores, symmetric or not; rows are the words that look.
    tokens : sequence of str or of int
        The R words of the sentence, as in :func:`project`.
    P : array of shape (R, V)
        What each place adds to the one-hot row of its word.

    Returns
    -------
    dict of str to ndarray of shape (R, R)
        "word to word", "word to place", "place to word" and "place to place"; their sum is the whole.

    Raises
    ------
    ValueError
        If P has another shape or is not finite, or as :func:`project`.

    Examples
    --------
    >>> terms = position_terms([[0, 3], [1, 0]], [0, 1], [[0.0, 0.5], [0.5, 0.0]])
    >>> {name: term.tolist() for name, term in terms.items() if "place to" in name}
    {'place to word': [[0.5, 0.0], [0.0, 1.5]], 'place to place': [[0.0, 0.25], [0.75, 0.0]]}
    """
    rows = _encode(S, tokens).rows
    S = _dense(check_counts(S, negative=True))
    P = check_matrix(P, "P")
    if P.shape != (len(rows), len(S)):
        raise ValueError(f"P must have shape {(len(rows), len(S))}, a row for each word, got {P.shape}")
    Z = np.eye(len(S))[rows]
    pairs = {"word to word": (Z, Z), "word to place": (Z, P), "place to word": (P, Z), "place to place": (P, P)}
    return {name: left @ S @ right.T for name, (left, right) in pairs.items()}


def order_defect(scores: Callable[[list[Any]], ArrayLike], tokens: Sequence[Any]) -> float:
    r"""Return how far scores of a sentence are from being merely reordered when its words are.

    .. math:: \max_\Pi\; \bigl|\, M(\Pi w) - \Pi\, M(w)\, \Pi^\top \bigr|

    over all orders Π of the words: 0 for scores that are equivariant. Implements :eq:`equivariant-scores`.

    Parameters
    ----------
    scores : callable
        Takes the words in some order and returns an array of shape (R, R).
    tokens : sequence
        The R words, at most 7.

    Returns
    -------
    float
        The largest difference of any cell, in units of the scores.

    Raises
    ------
    ValueError
        If there are fewer than 2 or more than 7 words, or the scores of a sentence have another shape.

    Examples
    --------
    >>> from regattn.words import project
    >>> S = np.array([[0, 3, 2], [1, 0, 5], [4, 1, 0]])
    >>> order_defect(lambda words: project(S, words), [0, 1, 2])
    0.0
    >>> order_defect(lambda words: np.tril(project(S, words)), [0, 1, 2])  # only earlier words are looked at
    5.0
    """
    tokens = list(tokens)
    R = check_count(len(tokens), "the number of words", least=2, most=MOST_PLACES, bound="all orders are tried")
    M, worst = np.asarray(scores(tokens), dtype=float), 0.0
    if M.shape != (R, R):
        raise ValueError(f"scores of {R} words must have shape {(R, R)}, got {M.shape}")
    for order in permutations(range(R)):
        found = np.asarray(scores([tokens[place] for place in order]), dtype=float)
        worst = max(worst, float(np.abs(found - M[np.ix_(order, order)]).max()))
    return worst


def term_defects(S: Table, tokens: Sequence[Any], P: ArrayLike) -> dict[str, float]:
    r"""Return how much each of the four terms of words and places notices an order by itself.

    The :func:`order_defect` of each of :func:`position_terms`: the words change places, the codes of the places stay.

    Parameters
    ----------
    S : DataFrame, array or SciPy sparse, shape (V, V)
        Scores, symmetric or not; rows are the words that look.
    tokens : sequence of str or of int
        The R words of the sentence, at most 7.
    P : array of shape (R, V)
        What each place adds to the one-hot row of its word.

    Returns
    -------
    dict of str to float
        "word to word", "word to place", "place to word" and "place to place", each in units of the scores.

    Raises
    ------
    ValueError
        As :func:`position_terms` and :func:`order_defect`.

    Examples
    --------
    >>> term_defects([[0, 3], [1, 0]], [0, 1], [[0.0, 0.5], [0.5, 0.0]])
    {'word to word': 0.0, 'word to place': 1.5, 'place to word': 1.5, 'place to place': 0.5}
    """

    def one(words: list[Any], name: str) -> np.ndarray:
        return position_terms(S, words, P)[name]

    return {name: order_defect(partial(one, name=name), tokens) for name in position_terms(S, tokens, P)}


def sentence_scores(
    tokens: Sequence[Any], S: Table, *, places: ArrayLike | None = None, mask: ArrayLike | None = None
) -> np.ndarray:
    r"""Return the scores of a sentence's words for each other, with places added and a mask laid over, if given.

    The sum of :func:`position_terms`, or :math:`Z S Z^\top` without places; what the mask hides is 0.

    Parameters
    ----------
    tokens : sequence of str or of int
        The R words of the sentence, as in :func:`project`.
    S : DataFrame, array or SciPy sparse, shape (V, V)
        Scores, symmetric or not; rows are the words that look.
    places : array of shape (R, V), optional
        What each place adds to the one-hot row of its word.
    mask : array of shape (R, R), optional
        True, or 1, where a place may look.

    Returns
    -------
    ndarray of shape (R, R)
        The scores, in the order of the words.

    Raises
    ------
    ValueError
        If the mask has another shape, or as :func:`position_terms`.

    Examples
    --------
    >>> sentence_scores([1, 0], [[0, 3], [1, 0]], mask=np.tri(2)).tolist()
    [[0.0, 0.0], [3.0, 0.0]]
    """
    R, V = len(tokens), np.shape(S)[0]
    M = sum(position_terms(S, tokens, np.zeros((R, V)) if places is None else places).values())
    if mask is None:
        return M
    if np.shape(mask) != (R, R):
        raise ValueError(f"mask must have shape {(R, R)}, got {np.shape(mask)}")
    return M * np.asarray(mask)


def stretches(documents: Sequence[Sequence[int]], *, length: int) -> np.ndarray:
    """Return the stretches of so many words into which texts are cut, those in which no word comes twice.

    Parameters
    ----------
    documents : sequence of sequence of int
        Texts as numbers of words.
    length : int
        Words of a stretch; what is left at the end of a text is dropped.

    Returns
    -------
    ndarray of int of shape (stretches, length)
        In the order of the texts.

    Examples
    --------
    >>> stretches([[0, 1, 2, 3, 4], [5, 5, 6, 7]], length=2).tolist()
    [[0, 1], [2, 3], [6, 7]]
    """
    length = check_count(length, "length", least=1)
    cuts = [list(text[at : at + length]) for text in documents for at in range(0, len(text), length)]
    kept = [cut for cut in cuts if len(set(cut)) == length]  # not what is left at the end either
    return np.array(kept, dtype=int).reshape(len(kept), length)


def share_ahead(S: ArrayLike, texts: ArrayLike, rivals: ArrayLike, *, mask: ArrayLike) -> float:
    r"""Return the share of texts whose scores sum to more than those of a rival reading; a tie counts one half.

    The score of a text :math:`w` is :math:`\sum_{rs} \mathrm{mask}_{rs}\, S_{w_r w_s}`. It is ours: [MH]_ names none.

    Parameters
    ----------
    S : array of shape (V, V)
        Scores; rows are the words that look.
    texts, rivals : array of int, shape (n, R)
        Numbers of words: a text each row, and in the same row of ``rivals`` another reading of it.
    mask : array of shape (R, R)
        What is summed: True, or 1, where a place may look.

    Returns
    -------
    float
        From 0 to 1. Totals that differ by less than 1e-9 are equal.

    Raises
    ------
    ValueError
        If texts and rivals differ in shape, or the mask does not fit them.

    Examples
    --------
    >>> before = np.array([[0.0, 3.0], [1.0, 0.0]])
    >>> share_ahead(before.T, [[0, 1]], [[1, 0]], mask=np.tri(2))  # the row is the later word
    1.0
    >>> share_ahead(before.T, [[0, 1]], [[1, 0]], mask=np.ones((2, 2)))
    0.5
    """
    S, texts, rivals, mask = np.asarray(S, dtype=float), np.asarray(texts), np.asarray(rivals), np.asarray(mask)
    if texts.ndim != 2 or texts.shape != rivals.shape:
        raise ValueError(f"texts and rivals must have the same shape (n, R), got {texts.shape} and {rivals.shape}")
    if mask.shape != (texts.shape[1],) * 2:
        raise ValueError(f"mask must have shape {(texts.shape[1],) * 2}, got {mask.shape}")
    one, other = ((S[each[:, :, None], each[:, None, :]] * mask).sum(axis=(1, 2)) for each in (texts, rivals))
    gap = one - other
    return float(np.where(np.abs(gap) < 1e-9, 0.5, gap > 0).mean())


def one_map_errors(S: Table, *, width: int, rng: Rng = 0, starts: int = 5, free_diagonal: bool = False) -> np.ndarray:
    r"""Return how far the best :math:`W W^\top` that descent finds is from a table, from several random starts.

    Parameters
    ----------
    S : DataFrame, array or SciPy sparse, shape (V, V)
        Symmetric scores.
    width : int
        Columns of W, the one map that serves queries and keys.
    rng : seed or generator, default 0
        Draws the starts.
    starts : int, default 5
        How many.
    free_diagonal : bool, default False
        Whether the diagonal need not fit.

    Returns
    -------
    ndarray of shape (starts,)
        Relative errors, in the norm of the cells that have to fit over that of S.

    Raises
    ------
    ValueError
        If S is not square or not finite, or a count is not positive.

    Examples
    --------
    >>> one_map_errors([[0, 3], [3, 0]], width=2).max().round(3)
    np.float64(0.707)
    """
    table = _dense(check_counts(S, negative=True))
    V, width, starts = len(table), check_count(width, "width"), check_count(starts, "starts")
    cells = 1.0 - np.eye(V) if free_diagonal else np.ones((V, V))

    def misfit(flat: np.ndarray) -> tuple[float, np.ndarray]:
        W = flat.reshape(V, width)
        left = (W @ W.T - table) * cells
        return float((left**2).sum()), (4 * left @ W).ravel()  # and its gradient

    begun = numpy_generator(rng).normal(size=(starts, V * width))
    ends = [minimize(misfit, flat, method="L-BFGS-B", jac=True, tol=1e-12).fun for flat in begun]
    return np.sqrt(ends) / np.linalg.norm(table)
