r"""Learning to regress from many tasks: what attention trained across data sets puts in the place of an inverse.

A task is a data set of its own: n rows, slopes β that nobody tells, outcomes with noise. A stack of linear attention
layers reads it and predicts at a new row. All of them act on two moments of the context alone,

.. math:: G = X^\top X / n, \qquad z = X^\top y / n .
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regattn._rng import Rng, numpy_generator
from regattn._tables import read_table
from regattn._validation import check_array, check_count, check_real
from regattn.regression._checks import check_covariance
from regattn.regression.least_squares import spectrum

__all__ = [
    "Tasks",
    "best_embedding",
    "design_descent",
    "design_flow",
    "make_tasks",
    "population_embedding",
    "relative_distance",
]

TARGETS = ("own", "clean")
DESIGN_BATCH, KEPT_EVERY = 32, 10  # tasks in a step of `design_descent`, and its steps between two Ω that are kept


class Tasks(NamedTuple):
    """Data sets to be read, T of them."""

    X: np.ndarray
    """Rows of every context, shape (T, n, p)."""
    y: np.ndarray
    """Outcomes, shape (T, n)."""
    slopes: np.ndarray
    """The truth β of every task, shape (T, p)."""
    intercepts: np.ndarray
    """What is added to every outcome of a task, shape (T,)."""

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return G = X'X/n and z = X'y/n, shapes (T, p, p) and (T, p)."""
        n = self.X.shape[1]
        return self.X.mT @ self.X / n, np.einsum("tnp,tn->tp", self.X, self.y) / n

    def ridge_slopes(self, ridge: float = 0.0) -> np.ndarray:
        """Return the slopes of every task's own ridge regression, shape (T, p); least squares by default."""
        G, z = self.moments()
        penalty = check_real(ridge, "ridge", least=0.0) / self.X.shape[1]
        return np.linalg.solve(G + penalty * np.eye(G.shape[-1]), z[..., None])[..., 0]

    def risk(self, slopes: ArrayLike, C: ArrayLike) -> float:
        """Return the mean squared error of predictions at new rows of covariance C, before their own noise."""
        missed = np.asarray(slopes, dtype=float) - self.slopes
        return float(np.einsum("tp,pq,tq->t", missed, np.asarray(C, dtype=float), missed).mean())


def make_tasks(rng: Rng, C: ArrayLike, *, tasks: int, n: int, noise: float, intercept: float = 0.0) -> Tasks:
    r"""Return data sets whose rows are Gaussian, :math:`y = a + X\beta + e` with slopes drawn afresh for each.

    Parameters
    ----------
    rng : int or Generator
        Draws everything.
    C : array of shape (p, p)
        Covariance of the rows; their mean is zero.
    tasks, n : int
        Number T of data sets, and of rows in each.
    noise : float
        Standard deviation σ ≥ 0 of e, relative to that of a slope, which is one.
    intercept : float, default 0
        Standard deviation of a.

    Returns
    -------
    Tasks

    Raises
    ------
    ValueError
        If a size is not a count, a deviation is negative or C is no covariance matrix of full rank.

    Examples
    --------
    >>> make_tasks(np.random.default_rng(0), np.eye(2), tasks=3, n=5, noise=1.0).moments()[0].shape
    (3, 2, 2)
    """
    C = check_covariance(C)
    tasks, n = check_count(tasks, "tasks"), check_count(n, "n")
    noise, spread = check_real(noise, "noise", least=0.0), check_real(intercept, "intercept", least=0.0)
    rng = numpy_generator(rng)
    X = rng.normal(size=(tasks, n, len(C))) @ np.linalg.cholesky(C).T
    slopes, a = rng.normal(size=(tasks, len(C))), spread * rng.normal(size=tasks)
    y = a[:, None] + np.einsum("tnp,tp->tn", X, slopes) + noise * rng.normal(size=(tasks, n))
    return Tasks(X, y, slopes, a)


def population_embedding(C: ArrayLike, *, n: int, noise: float) -> np.ndarray:
    r"""Return the one Ω that is best for all data sets together.

    .. math:: \Omega^* = \bigl[(n + 1)\, C + (\operatorname{tr} C + \sigma^2)\, I\bigr]^{-1}

    For Gaussian rows of mean zero and slopes with mean zero and variance one. Implements :eq:`population-optimum`.

    Parameters
    ----------
    C : array of shape (p, p)
        Covariance of the rows.
    n : int
        Rows of a context.
    noise : float
        σ ≥ 0, relative to the standard deviation of a slope.

    Returns
    -------
    ndarray of shape (p, p)
        In units of 1/X².

    Raises
    ------
    ValueError
        As :func:`make_tasks`.

    Examples
    --------
    >>> population_embedding([[1.0]], n=2, noise=2.0)
    array([[0.125]])
    """
    C, n = check_covariance(C), check_count(n, "n")
    return np.linalg.inv((n + 1) * C + (np.trace(C) + check_real(noise, "noise", least=0.0) ** 2) * np.eye(len(C)))


def best_embedding(tasks: Tasks) -> np.ndarray:
    r"""Return the Ω that predicts best over the given data sets, at new rows of any covariance.

    .. math:: \Omega = \overline{\beta z^\top}\; \bigl(\overline{z z^\top}\bigr)^{-1}, \qquad z = X^\top y

    It is a regression of what should be answered on what is shown.

    Parameters
    ----------
    tasks : Tasks
        At least p of them.

    Returns
    -------
    ndarray of shape (p, p)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> best_embedding(make_tasks(rng, [[1.0]], tasks=50_000, n=2, noise=2.0)).round(1)  # (3 + 1 + 4)⁻¹
    array([[0.1]])
    """
    z = tasks.moments()[1] * tasks.X.shape[1]
    return np.linalg.lstsq(z, tasks.slopes, rcond=None)[0].T


def design_flow(X: ArrayLike, *, noise: float, target: str, steps: ArrayLike, learning_rate: float) -> np.ndarray:
    r"""Return the expected Ω of descent across tasks that share their rows, after so many steps from zero.

    .. math:: \omega_k(m) = \omega_k(\infty)\, \bigl[1 - (1 - 2\eta\,\lambda_k^2(\lambda_k + \sigma^2))^m\bigr]

    in the principal directions of X, with :math:`\lambda_k = s_k^2` and limit :math:`1/\lambda_k` for the own target,
    :math:`1/(\lambda_k + \sigma^2)` for the clean one. Implements :eq:`design-flow`.

    Parameters
    ----------
    X : array of shape (n, p)
        The rows that all tasks share, of full column rank.
    noise : float
        σ ≥ 0, relative to the standard deviation of a slope.
    target : {"own", "clean"}
        Whether the y that is fitted is the noisy one that is shown, or the same without noise.
    steps : int or array of ints
        Numbers of steps m ≥ 0.
    learning_rate : float
        η > 0, for the gradient of the squared error.

    Returns
    -------
    ndarray of shape (..., p, p)
        Ω after each number of steps, in units of 1/X².

    Raises
    ------
    ValueError
        If a setting is out of range.

    Examples
    --------
    >>> design_flow([[1.0], [1.0]], noise=1.0, target="clean", steps=[0, 1000], learning_rate=0.01).ravel().round(3)
    array([0.   , 0.333])
    """
    X, noise = read_table(X, "X").values, check_real(noise, "noise", least=0.0)
    eta = check_real(learning_rate, "learning_rate", least=0.0, strictly=True)
    end_ridge = 0.0 if _check_target(target) == "own" else noise**2
    s = spectrum(X, centre=False)
    curvature = s.singular_values**2
    along = 1 - (1 - 2 * eta * curvature**2 * (curvature + noise**2)) ** np.asarray(steps)[..., None]
    return (s.directions * (along / (curvature + end_ridge))[..., None, :]) @ s.directions.T


def design_descent(
    X: ArrayLike,
    *,
    noise: float,
    target: str,
    steps: int,
    learning_rate: float,
    rng: Rng,
) -> np.ndarray:
    r"""Return where descent on Ω goes when every step sees new tasks on the same rows.

    .. math:: \Omega \leftarrow \Omega + \frac{2\eta}{32} \sum_{b=1}^{32} X^\top (t_b - X \Omega z_b)\, z_b^\top,
              \qquad z_b = X^\top y_b

    with t the noisy y itself or the same without noise. Tasks are drawn by their moments: X'e is normal with
    covariance σ²X'X. Implements :eq:`design-descent`.

    Parameters
    ----------
    X, noise, target, learning_rate
        As in :func:`design_flow`.
    steps : int
        Number of steps.
    rng : int or Generator
        Draws the tasks, 32 for each step.

    Returns
    -------
    ndarray of shape (1 + steps // 10, p, p)
        Ω at the start and after every tenth step, in units of 1/X².

    Raises
    ------
    ValueError
        If a setting is out of range.

    Examples
    --------
    >>> walk = design_descent([[1.0], [1.0]], noise=1.0, target="own", steps=500, learning_rate=0.01,
    ...                       rng=np.random.default_rng(0))
    >>> walk[-1].round(3)  # the inverse of X'X = 2, to the last digit: the noise is gone with the error
    array([[0.5]])
    """
    X, noise = read_table(X, "X").values, check_real(noise, "noise", least=0.0)
    eta = check_real(learning_rate, "learning_rate", least=0.0, strictly=True)
    own = _check_target(target) == "own"
    A = X.T @ X
    root, p, rng = np.linalg.cholesky(A), len(A), numpy_generator(rng)
    omega, kept = np.zeros((p, p)), [np.zeros((p, p))]
    for step in range(1, check_count(steps, "steps") + 1):
        drawn = rng.normal(size=(2, p, DESIGN_BATCH))
        clean = A @ drawn[0]
        z = clean + noise * root @ drawn[1]
        omega = omega + 2 * eta / DESIGN_BATCH * ((z if own else clean) - A @ (omega @ z)) @ z.T
        if step % KEPT_EVERY == 0:
            kept.append(omega)
    return np.array(kept)


def _check_target(target: str) -> str:
    if target not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, got {target!r}")
    return target


def relative_distance(found: ArrayLike, right: ArrayLike) -> float:
    r"""Return how far one table of numbers is from another, as a share of the other's size.

    .. math:: \lVert A - B \rVert / \lVert B \rVert

    Parameters
    ----------
    found, right : arrays of one shape
        A and B.

    Raises
    ------
    ValueError
        If the shapes differ, or B is zero.

    Examples
    --------
    >>> relative_distance([3.0, 5.0], [3.0, 4.0])
    0.2
    """
    found, right = (
        np.asarray(check_array(part, name), dtype=float) for part, name in ((found, "found"), (right, "right"))
    )
    if found.shape != right.shape:
        raise ValueError(f"found has shape {found.shape} but right has {right.shape}")
    size = np.linalg.norm(right)
    if size == 0:
        raise ValueError("right must not be zero everywhere, got a size of 0")
    return float(np.linalg.norm(found - right) / size)
