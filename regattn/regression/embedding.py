r"""Learning the embedding: descent on Ω, when nothing but targets says whether Ω is right.

.. math:: \mathcal{L}(\Omega) = \frac1M \lVert Y - X\,\Omega\,X^\top Y \rVert_F^2

Every target y enters as a pair: what attention is shown, :math:`z = X^\top y`, and what it should answer,
:math:`\hat\beta`. The loss is least exactly where :math:`\Omega Z = \hat B`, so M targets fix Ω on the span of their z
and nowhere else. Descent from Ω₀ moves it on that span and leaves it as it was on the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from regattn._validation import check_count, check_finite, check_real
from regattn.regression._embedding_problem import (
    TOLERANCE,
    Reduced,
    check_problem,
    check_square,
    check_start,
    check_taught,
    moments,
)
from regattn.regression.least_squares import spectrum
from regattn.regression.trajectory import GROWTH_LIMIT, _ran_away

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "EmbeddingPath",
    "embedding_after",
    "embedding_descent",
    "embedding_gradient",
    "embedding_limit",
    "embedding_loss",
    "largest_embedding_step",
]


@dataclass(frozen=True, eq=False)
class EmbeddingPath:
    """Where a descent on Ω went: T steps, so T + 1 matrices. Every number kept is finite.

    Attributes
    ----------
    omegas : ndarray of shape (T + 1, p, p)
        Ω at the start and after each step, in units of 1/X².
    losses : ndarray of shape (T + 1,)
        The loss without weight decay, in squared units of the targets.
    least_loss : float
        The loss of least squares on the same targets, which is the least there is.
    factors : tuple of two ndarrays of shape (p, L), or None
        W_Q and W_K after the last step, if these were what descent moved.
    diverged_at : int or None
        The step that would have taken the loss beyond 10¹² times its start; the path ends just before it. None if all
        steps were taken: the loss may still be growing.

    Examples
    --------
    >>> path = embedding_descent([[1.0], [1.0]], [1.0, 3.0], learning_rate=1 / 128, steps=2)
    >>> path.omegas[:, 0, 0], path.losses
    (array([0.   , 0.25 , 0.375]), array([10. ,  4. ,  2.5]))
    >>> print(embedding_descent([[1.0], [1.0]], [1.0, 3.0], learning_rate=1.0, steps=99).message)
    Descent ran away: step 4 would have taken the loss
    beyond 1e+12 times its start. Take a smaller learning rate.
    """

    omegas: np.ndarray
    losses: np.ndarray
    least_loss: float
    factors: tuple[np.ndarray, np.ndarray] | None
    diverged_at: int | None

    @property
    def omega(self) -> np.ndarray:
        """Ω after the last step, shape (p, p)."""
        return self.omegas[-1]

    @property
    def message(self) -> str:
        """What became of the descent, in a sentence or two."""
        if self.diverged_at is not None:
            return _ran_away(self.diverged_at)
        steps, above = len(self.losses) - 1, max(self.losses[-1] - self.least_loss, 0.0)
        return f"After {steps} steps the loss is {self.losses[-1]:.6g}, {above:.1e} above that of least squares."


def embedding_loss(X: ArrayLike, Y: ArrayLike, omega: ArrayLike) -> float:
    r"""Return the loss :math:`\mathcal{L}(\Omega) = \frac1M \lVert Y - X\,\Omega\,X^\top Y \rVert_F^2`.

    Implements :eq:`embedding-loss`; source: eq. (20) of [GC]_, for M targets in place of one.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs, one row per observation.
    Y : array of shape (n,) or (n, M)
        One target or several.
    omega : array of shape (p, p)
        Ω, in units of 1/X².

    Returns
    -------
    float
        In squared units of ``Y``, summed over observations and averaged over targets.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite or the loss overflows.

    Examples
    --------
    >>> embedding_loss([[1.0], [1.0]], [1.0, 3.0], [[0.5]])  # Ω = 1/2 = 1/X'X: least squares
    2.0
    """
    X, Y, columns = check_problem(X, Y)
    omega = check_square(omega, X, "omega", columns)
    with np.errstate(over="ignore", invalid="ignore"):
        loss = float(np.sum((Y - X @ (omega @ (X.T @ Y))) ** 2) / Y.shape[1])
    check_finite(np.asarray(loss), "the loss")
    return loss


def embedding_gradient(X: ArrayLike, Y: ArrayLike, omega: ArrayLike) -> np.ndarray | DataFrame:
    r"""Return the gradient of the loss with respect to Ω.

    .. math:: \nabla\mathcal{L}(\Omega) = -\frac2M\, X^\top (Y - X\,\Omega\,Z)\, Z^\top, \qquad Z = X^\top Y

    For one target it is a matrix of rank one whose rows are all multiples of z. Implements :eq:`embedding-gradient`;
    source: the first-order conditions before eq. (21) of [GC]_.

    Parameters
    ----------
    X, Y, omega
        As in :func:`embedding_loss`.

    Returns
    -------
    ndarray of shape (p, p)
        In squared units of ``Y`` times squared units of ``X``.

    Raises
    ------
    ValueError
        As :func:`embedding_loss`.

    Examples
    --------
    >>> embedding_gradient([[1.0], [1.0]], [1.0, 3.0], [[0.0]])
    array([[-32.]])
    """
    X, Y, columns = problem = check_problem(X, Y)
    omega = check_square(omega, X, "omega", columns)
    with np.errstate(over="ignore", invalid="ignore"):
        Z = X.T @ Y
        slope = -2 / Y.shape[1] * X.T @ (Y - X @ (omega @ Z)) @ Z.T
    check_finite(slope, "the gradient")
    return problem.named(slope)


def largest_embedding_step(X: ArrayLike, Y: ArrayLike) -> float:
    r"""Return the learning rate beyond which descent on Ω diverges.

    .. math:: \eta_{\max} = \frac{M}{\lVert X\rVert_2^2\, \lVert X^\top Y\rVert_2^2}

    The Hessian of the loss is :math:`\frac2M\, ZZ^\top \otimes X^\top X`; the limit is two over its largest eigenvalue.
    Descent on W_Q and W_K has no such limit of its own: there curvature depends on where one stands.

    Parameters
    ----------
    X, Y
        As in :func:`embedding_loss`.

    Returns
    -------
    float
        A learning rate η.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite, or Y is orthogonal to every column of X.

    Examples
    --------
    >>> round(largest_embedding_step([[1.0], [1.0]], [1.0, 3.0]), 6)
    0.03125
    """
    X, Y, _ = check_problem(X, Y)
    Z = check_taught(X, Y)
    with np.errstate(over="ignore", under="ignore"):
        loudest = float((np.linalg.norm(X, 2) * np.linalg.norm(Z, 2)) ** 2)
    if not 0 < loudest < np.inf:
        raise ValueError(f"the curvature of the loss must be a number, got {loudest:g}; change the units of X or Y")
    return Y.shape[1] / loudest


def embedding_descent(
    X: ArrayLike,
    Y: ArrayLike,
    *,
    learning_rate: float,
    steps: int,
    start: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
    weight_decay: float = 0.0,
) -> EmbeddingPath:
    r"""Return the path of gradient descent on Ω, or on W_Q and W_K with :math:`\Omega = W_Q W_K^\top`.

    .. math:: \Omega \leftarrow \Omega - \eta\,(G + \mu\Omega),

              W_Q \leftarrow W_Q - \eta\,(G W_K + \mu W_Q), \quad W_K \leftarrow W_K - \eta\,(G^\top W_Q + \mu W_K)

    with :math:`G = \nabla\mathcal{L}(\Omega)`. Implements :eq:`embedding-descent` and :eq:`factor-descent`; source:
    eq. (20) of [GC]_, solved step by step.

    Parameters
    ----------
    X, Y
        As in :func:`embedding_loss`.
    learning_rate : float
        The step size η > 0; :func:`largest_embedding_step` says how large it may be for Ω.
    steps : int
        Number of steps, at least 1.
    start : array of shape (p, p) or pair of arrays of shape (p, L), optional
        Ω₀, zeros by default; or a tuple (W_Q, W_K): then these are what descent moves.
    weight_decay : float, default 0
        μ ≥ 0: the objective is the loss plus μ/2 times the sum of squares of what is moved.

    Returns
    -------
    EmbeddingPath
        Every Ω and every loss; ``diverged_at`` and ``message`` say if and where the loss ran away.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite, or a setting is out of range.

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [1.0, 2.0, 3.0]
    >>> embedding_descent(X, y, learning_rate=0.1, steps=99).omega.round(3)  # not the identity, which (X'X)⁻¹ is
    array([[0.2, 0.4],
           [0.4, 0.8]])
    """
    X, Y, columns = check_problem(X, Y)
    start, factors = check_start(start, X, columns)
    eta = check_real(learning_rate, "learning_rate", least=0.0, strictly=True)
    decay = check_real(weight_decay, "weight_decay", least=0.0)
    problem = Reduced.of(X, Y)
    omegas, losses, diverged_at = [start], [problem.loss(start)], None
    check_finite(np.asarray(losses[0]), "the loss at the start")
    limit = min(GROWTH_LIMIT * max(losses[0], float(np.sum(Y**2)) / Y.shape[1]), np.finfo(float).max)
    for step in range(1, check_count(steps, "steps") + 1):
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is reported as divergence
            slope = problem.gradient(omegas[-1])
            if factors is None:
                omega = omegas[-1] - eta * (slope + decay * omegas[-1])
            else:
                W_Q, W_K = factors
                moved = W_Q - eta * (slope @ W_K + decay * W_Q), W_K - eta * (slope.T @ W_Q + decay * W_K)
                omega = moved[0] @ moved[1].T
            loss = problem.loss(omega)
        if not (loss <= limit and np.isfinite(omega).all()):
            diverged_at = step
            break
        factors = None if factors is None else moved
        omegas.append(omega)
        losses.append(loss)
    return EmbeddingPath(np.array(omegas), np.array(losses), problem.least, factors, diverged_at)


def embedding_limit(X: ArrayLike, Y: ArrayLike, *, start: ArrayLike | None = None) -> np.ndarray | DataFrame:
    r"""Return the Ω where descent from Ω₀ ends, if its steps are small enough.

    .. math:: \Omega_\infty = \Omega_0 + (\hat B - \Omega_0 Z)\, Z^{+}

    Of all Ω of least loss it is the one nearest to Ω₀. Columns of :math:`\hat B` are the least-squares coefficients of
    the targets, :math:`Z = X^\top Y`. Implements :eq:`embedding-limit`; for one target it is
    :math:`\Omega_0 + (\hat\beta - \Omega_0 z)z^\top/z^\top z`.

    Parameters
    ----------
    X, Y
        As in :func:`embedding_loss`.
    start : array of shape (p, p), optional
        Ω₀; zeros by default.

    Returns
    -------
    ndarray of shape (p, p)
        In units of 1/X².

    Raises
    ------
    ValueError
        If shapes disagree or an entry is not finite.

    Examples
    --------
    >>> embedding_limit([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0]).round(3)
    array([[0.2, 0.4],
           [0.4, 0.8]])
    >>> embedding_limit([[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [2.0, 0.0]]).round(3) + 0.0  # two targets: the inverse
    array([[1., 0.],
           [0., 1.]])
    """
    X, Y, columns = problem = check_problem(X, Y)
    start = np.zeros((X.shape[1], X.shape[1])) if start is None else check_square(start, X, "start", columns)
    coef, Z = spectrum(X, centre=False).coefficients(Y).coef, moments(X, Y)
    with np.errstate(over="ignore", invalid="ignore"):
        end = start + (coef - start @ Z) @ np.linalg.pinv(Z, rcond=TOLERANCE)
    check_finite(end, "the limit")
    return problem.named(end)


def embedding_after(
    X: ArrayLike, Y: ArrayLike, *, steps: int, learning_rate: float | None = None
) -> np.ndarray | DataFrame:
    r"""Return the Ω that descent from zero has reached after so many steps, without taking them.

    .. math:: \Omega_t = \sum_{j,k} \bigl[1 - (1 - \tfrac{2\eta}{M} s_j^2 \sigma_k^2)^t\bigr]\,
              s_j^{-2}\, v_j^{} v_j^\top u_k^{} u_k^\top

    with :math:`X^\top X = \sum_j s_j^2 v_j^{} v_j^\top` and :math:`ZZ^\top = \sum_k \sigma_k^2 u_k^{} u_k^\top`: along
    each pair of directions the error shrinks by the same factor at every step. It is where
    :func:`embedding_descent` stands after T steps, up to rounding. Implements :eq:`embedding-descent`, solved.

    Parameters
    ----------
    X, Y
        As in :func:`embedding_loss`; the columns of X must be independent.
    steps : int
        Number of steps, at least 1; a million costs no more than one.
    learning_rate : float, optional
        The step size η > 0, at most :func:`largest_embedding_step`; 0.9 of that by default.

    Returns
    -------
    ndarray of shape (p, p)
        In units of 1/X².

    Raises
    ------
    ValueError
        As :func:`largest_embedding_step`, or if the columns of X are dependent or a number is out of range.

    Examples
    --------
    >>> embedding_after([[1.0], [1.0]], [1.0, 3.0], learning_rate=1 / 128, steps=2)
    array([[0.375]])
    """
    X, Y, _ = problem = check_problem(X, Y)
    largest, steps = largest_embedding_step(X, Y), check_count(steps, "steps")
    eta = 0.9 * largest
    if learning_rate is not None:
        eta = check_real(learning_rate, "learning_rate", least=0.0, most=largest, strictly=True)
    factors = spectrum(X, centre=False)
    if factors.rank < X.shape[1]:
        raise ValueError(f"the {X.shape[1]} columns of X must be independent, got rank {factors.rank}")
    U, strengths, _ = np.linalg.svd(moments(X, Y), full_matrices=False)
    bends = np.outer(factors.singular_values**2, strengths**2)
    learned = 1 - (1 - 2 * eta / Y.shape[1] * bends) ** steps
    V = factors.directions
    return problem.named(V @ (learned / factors.singular_values[:, None] ** 2 * (V.T @ U)) @ U.T)
