r"""GloVe as the book's own tool: weighted ridge regressions on log counts, word by word, in turn; or by descent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from regattn._rng import Rng, numpy_generator
from regattn._types import Table
from regattn._validation import check_count, check_real
from regattn.words._checks import check_counts

__all__ = ["Glove", "glove_vectors"]


class Glove(NamedTuple):
    """What :func:`glove_vectors` found."""

    vectors: np.ndarray
    """a_i, one row for each word, shape (V, rank)."""
    contexts: np.ndarray
    """b_j, one row for each context word, shape (V, rank)."""
    levels: np.ndarray
    """α_i, shape (V,)."""
    context_levels: np.ndarray
    """β_j, shape (V,)."""
    losses: np.ndarray
    """The loss before the first sweep and after each, shape (sweeps + 1,); shorter where descent stopped early."""


def glove_vectors(  # noqa: PLR0913
    counts: Table,
    *,
    rank: int,
    sweeps: int = 20,
    ridge: float = 1e-3,
    cap: float = 10.0,
    power: float = 0.75,
    method: str = "regressions",
    rng: Rng = 0,
) -> Glove:
    r"""Return the vectors of GloVe, found by regressions in turn or by descent.

    .. math:: \sum_{S_{ij} > 0} f_{ij} \bigl(a_i^\top b_j + \alpha_i + \beta_j - \log S_{ij}\bigr)^2
              + \lambda \sum_i \lVert a_i\rVert^2 + \lambda \sum_j \lVert b_j\rVert^2,
              \qquad f_{ij} = \min\bigl(1, (S_{ij} / c)^{\gamma}\bigr)

    With the contexts held fixed this is a ridge regression for each word: log counts on the contexts' vectors, with an
    intercept and weights. A sweep does all words, then all contexts, and never raises the loss. Descent moves all
    numbers together along the slope of the same loss (L-BFGS). Implements :eq:`glove-loss`; GloVe itself has λ = 0 and
    descends by small steps, a cell at a time.

    Parameters
    ----------
    counts : array, DataFrame or SciPy sparse, shape (V, V)
        Non-negative counts S.
    rank : int
        Length of a vector.
    sweeps : int, default 20
        How often all words and all contexts are fitted; for descent, the most steps it takes.
    ridge : float, default 1e-3
        λ > 0, on the vectors and not on the levels.
    cap : float, default 10
        c > 0, the count from which a cell has full weight. GloVe's paper has 100, for far larger corpora.
    power : float, default 0.75
        γ ≥ 0, how fast the weight of a cell grows up to there.
    method : {"regressions", "descent"}, default "regressions"
        How the loss is lowered.
    rng : int or Generator, default 0
        For the small numbers at the start, the same for both methods.

    Returns
    -------
    Glove
        A word that meets nobody has a vector and a level of zero.

    Raises
    ------
    ValueError
        If ``counts`` is not square, not finite, negative or zero throughout, a setting is out of range, or the method
        is unknown.

    Examples
    --------
    >>> found = glove_vectors(np.array([[0, 8, 2], [8, 0, 2], [2, 2, 0]]), rank=1, sweeps=5)
    >>> bool(found.losses[-1] < found.losses[0])
    True
    """
    S = sparse.csr_array(check_counts(counts), dtype=np.float64)
    S.eliminate_zeros()
    if not S.nnz:
        raise ValueError("counts must have a positive entry, got a total of 0")
    rank, sweeps = check_count(rank, "rank"), check_count(sweeps, "sweeps", least=0)
    ridge = check_real(ridge, "ridge", least=0.0, strictly=True)
    cap, power = check_real(cap, "cap", least=0.0, strictly=True), check_real(power, "power", least=0.0)
    if method not in ("regressions", "descent"):
        raise ValueError(f'method must be "regressions" or "descent", got {method!r}')
    sides = [_cells(table, cap, power) for table in (S, S.T.tocsr())]
    vectors = 0.1 * numpy_generator(rng).normal(size=(2, len(sides[0]), rank))
    for side, cells in enumerate(sides):
        vectors[side, [not len(where) for where, _, _ in cells]] = 0.0
    if method == "descent":
        return _by_descent(S, _weights(S.data, cap, power), vectors, ridge, sweeps)
    return _by_regressions(sides, vectors, ridge, sweeps)


def _by_regressions(sides: list, vectors: np.ndarray, ridge: float, sweeps: int) -> Glove:
    """Return what regressions in turn find from these vectors and levels of zero."""
    levels = np.zeros(vectors.shape[:2])
    losses = [_loss(sides[0], vectors, levels, ridge)]
    penalty = np.diag(np.append(np.full(vectors.shape[2], ridge), 0.0))
    for _ in range(sweeps):
        for side, other in ((0, 1), (1, 0)):
            for i, (where, weight, log_count) in enumerate(sides[side]):
                if len(where):
                    X = np.column_stack([vectors[other, where], np.ones(len(where))])
                    weighted = X.T * weight
                    fit = np.linalg.solve(weighted @ X + penalty, weighted @ (log_count - levels[other, where]))
                    vectors[side, i], levels[side, i] = fit[:-1], fit[-1]
        losses.append(_loss(sides[0], vectors, levels, ridge))
    return Glove(*vectors, *levels, np.array(losses))


def _cells(S: sparse.csr_array, cap: float, power: float) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return for each row where it is not zero, the weights and the logarithms of its counts."""
    parts = [(S.indices[a:b], S.data[a:b]) for a, b in zip(S.indptr[:-1], S.indptr[1:], strict=True)]
    return [(where, _weights(counts, cap, power), np.log(counts)) for where, counts in parts]


def _weights(counts: np.ndarray, cap: float, power: float) -> np.ndarray:
    return np.minimum(1.0, (counts / cap) ** power)


def _loss(cells: list, vectors: np.ndarray, levels: np.ndarray, ridge: float) -> float:
    total = ridge * float((vectors**2).sum())
    for i, (where, weight, log_count) in enumerate(cells):
        gap = vectors[1, where] @ vectors[0, i] + levels[0, i] + levels[1, where] - log_count
        total += float(weight @ gap**2)
    return total


def _by_descent(S: sparse.csr_array, weights: np.ndarray, vectors: np.ndarray, ridge: float, steps: int) -> Glove:
    """Return what L-BFGS finds from these vectors and levels of zero: all numbers move together."""
    (V, rank), log_counts = vectors.shape[1:], np.log(S.data)
    rows = np.repeat(np.arange(V), np.diff(S.indptr))
    cut = 2 * V * rank

    def parts(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return flat[:cut].reshape(2, V, rank), flat[cut:].reshape(2, V)

    def loss_and_slope(flat: np.ndarray) -> tuple[float, np.ndarray]:
        (A, B), (alpha, beta) = parts(flat)
        gap = (A[rows] * B[S.indices]).sum(axis=1) + alpha[rows] + beta[S.indices] - log_counts
        G = sparse.csr_array((2 * weights * gap, S.indices, S.indptr), shape=S.shape)
        slopes = [G @ B + 2 * ridge * A, G.T @ A + 2 * ridge * B, G.sum(axis=1), G.sum(axis=0)]
        total = float(weights @ gap**2) + ridge * float((flat[:cut] ** 2).sum())
        return total, np.concatenate([slope.ravel() for slope in slopes])

    start = np.concatenate([vectors.ravel(), np.zeros(2 * V)])
    losses, end = [loss_and_slope(start)[0]], start
    if steps:
        keep = lambda intermediate_result: losses.append(float(intermediate_result.fun))  # noqa: E731
        options = {"maxiter": steps, "maxfun": 20 * steps, "ftol": 1e-12, "gtol": 1e-8}
        end = minimize(loss_and_slope, start, jac=True, method="L-BFGS-B", options=options, callback=keep).x
    vectors, levels = parts(end)
    return Glove(*vectors, *levels, np.array(losses))
