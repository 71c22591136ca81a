r"""Gradient descent for least squares, with every step kept.

.. math:: \theta_{t+1} = \theta_t - \eta_t \nabla\mathcal{L}(\theta_t), \qquad
          \mathcal{L}(\theta) = \frac1n \lVert y - X\theta \rVert^2

On this loss descent is a linear recursion: along each eigenvector of the Hessian :math:`H = \frac2n X^\top X` the
distance to the minimum is multiplied by :math:`1 - \eta\lambda` at every step. That one factor explains when descent
converges, how fast, and what a wrong sign does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._rng import Rng, numpy_generator
from regattn._tables import named, read_table, read_targets, read_vector
from regattn._validation import check_count, check_finite, check_real, check_vector
from regattn.regression._batches import largest_batch_step
from regattn.regression._walking import LearningRate, walk
from regattn.regression.trajectory import Trajectory

if TYPE_CHECKING:
    from pandas import Index, Series

__all__ = [
    "batches",
    "curvatures",
    "gradient",
    "gradient_descent",
    "largest_stable_step",
    "mean_squared_error",
    "numerical_gradient",
    "stochastic_gradient_descent",
]


def mean_squared_error(X: ArrayLike, y: ArrayLike, parameters: ArrayLike) -> float:
    r"""Return the loss :math:`\mathcal{L}(\theta) = \frac1n \sum_i (y_i - x_i^\top\theta)^2`.

    Implements :eq:`squared-loss`; source: eq. (2) of [RK]_, with the index of the summand restored.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs, one row per observation, with a column of ones if the model has an intercept.
    y : array of shape (n,)
        Targets.
    parameters : array of shape (p,)
        The point θ.

    Returns
    -------
    float
        In squared units of ``y``.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite or the loss overflows.

    Examples
    --------
    >>> mean_squared_error([[1.0], [1.0]], [1.0, 3.0], [2.0])
    1.0
    """
    X, y, parameters, _ = _check_problem(X, y, parameters)
    with np.errstate(over="ignore", invalid="ignore"):
        loss = np.mean((X @ parameters - y) ** 2)
    check_finite(loss, "the loss")
    return float(loss)


def gradient(X: ArrayLike, y: ArrayLike, parameters: ArrayLike) -> np.ndarray | Series:
    r"""Return the gradient of the loss, :math:`\nabla\mathcal{L}(\theta) = \frac2n X^\top(X\theta - y)`.

    It points uphill. Implements :eq:`squared-loss-gradient`.

    Parameters
    ----------
    X, y, parameters
        As in :func:`mean_squared_error`. The rows may be a batch: averaged over all batches of one size, its gradient
        is the gradient over all rows.

    Returns
    -------
    ndarray of shape (p,)
        In squared units of ``y`` per unit of θ.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite or the gradient overflows.

    Examples
    --------
    >>> gradient([[1.0], [1.0]], [1.0, 3.0], [0.0])
    array([-4.])
    """
    X, y, parameters, columns = _check_problem(X, y, parameters)
    with np.errstate(over="ignore", invalid="ignore"):
        slope = _gradient(X, X @ parameters - y)
    check_finite(slope, "the gradient")
    return named(slope, columns)


def numerical_gradient(
    function: Callable[[np.ndarray], float], parameters: ArrayLike, *, width: float = 1e-5
) -> np.ndarray:
    r"""Return the gradient of a function by central differences, one parameter at a time.

    .. math:: \frac{\partial f}{\partial\theta_k} \approx \frac{f(\theta + h e_k) - f(\theta - h e_k)}{2h}

    Its error is of order h², and of order 1e-16 / h from rounding; for a quadratic only the second is there. Meant as a
    check on a gradient derived by hand, never for training: it costs 2p evaluations.

    Parameters
    ----------
    function : callable
        Takes an array of shape (p,), returns a number.
    parameters : array of shape (p,)
        Where the gradient is wanted.
    width : float, default 1e-5
        The difference h > 0, in units of the parameters.

    Returns
    -------
    ndarray of shape (p,)
        Units of the function per unit of θ.

    Raises
    ------
    ValueError
        If ``width`` is not positive, ``parameters`` is not a finite vector, or a difference is not a finite number.

    Examples
    --------
    >>> numerical_gradient(lambda t: t[0] ** 2 + 3 * t[1], [2.0, 5.0]).round(6)
    array([4., 3.])
    """
    width = check_real(width, "width", least=0.0, strictly=True)
    parameters = check_vector(parameters, "parameters", "(p,)")
    shifts = width * np.eye(len(parameters))
    slopes = np.array([(function(parameters + h) - function(parameters - h)) / (2 * width) for h in shifts])
    return check_vector(slopes, "the differences of the function", "(p,)")


def curvatures(X: ArrayLike) -> np.ndarray:
    r"""Return the eigenvalues of the Hessian :math:`H = \frac2n X^\top X`, largest first.

    Read off the singular values of X: :math:`\lambda_k = 2 s_k^2 / n`. Beyond the rank of X they are zero: along those
    directions the loss is flat and descent never moves. Implements :eq:`hessian`.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs.

    Returns
    -------
    ndarray of shape (p,)
        In squared units of ``X``.

    Raises
    ------
    ValueError
        If ``X`` is empty, not two-dimensional or not finite, or a curvature overflows.

    Examples
    --------
    >>> curvatures([[1.0, 1.0], [1.0, -1.0]])
    array([2., 2.])
    """
    X = read_table(X, "X").values
    with np.errstate(over="ignore"):
        found = 2 * np.linalg.svd(X, compute_uv=False) ** 2 / len(X)
    check_finite(found, "curvatures")
    return np.concatenate([found, np.zeros(X.shape[1] - len(found))])


def largest_stable_step(X: ArrayLike, *, batch_size: int | None = None) -> float:
    r"""Return :math:`2/\lambda_{\max}`: full-batch descent converges for every smaller step and for no larger one.

    Implements :eq:`stable-step`. For batches the border is lower, and of another kind: below it the mean squared
    distance from the minimum stays bounded, above it the mean grows without end, carried by rare and long excursions.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs; not all zero.
    batch_size : int, optional
        Rows in a batch, each drawn afresh from all n (:func:`batches` with ``replace=True``); by default every step
        sees all rows. The memory taken grows with the fourth power of p: it is meant for a few dozen columns.

    Returns
    -------
    float
        A step size η, in units of 1 over ``X`` squared.

    Raises
    ------
    ValueError
        If ``X`` is empty, not finite or all zero, or so small that its squares vanish; or ``batch_size`` is below 1.

    Examples
    --------
    >>> X = [[1.0, 1.0], [1.0, -1.0]]
    >>> round(largest_stable_step(X), 12), round(largest_stable_step(X, batch_size=1), 12)
    (1.0, 0.5)
    """
    steepest = curvatures(X)[0]
    if steepest < 1e-300:
        raise ValueError(f"every step is stable when X is all zero, got X of shape {np.shape(X)}")
    if batch_size is None:
        return float(2 / steepest)
    scale = math.sqrt(steepest)
    return float(
        largest_batch_step(read_table(X, "X").values / scale, check_count(batch_size, "batch_size")) / steepest
    )


def batches(n: int, *, batch_size: int, steps: int, rng: Rng, replace: bool = False) -> Iterator[np.ndarray]:
    """Yield ``steps`` batches: arrays of row numbers between 0 and n - 1.

    Parameters
    ----------
    n : int
        Number of observations.
    batch_size : int
        Rows in a batch, between 1 and ``n``.
    steps : int
        Number of batches.
    rng : int or Generator
        Seed or source of chance; the same seed, or state of a generator, gives the same batches.
    replace : bool, default False
        False: shuffle all rows, deal them out, shuffle again; the last batch of such an epoch is smaller when
        ``batch_size`` does not divide ``n``. True: draw every row of every batch afresh.

    Yields
    ------
    ndarray of int
        The rows of one batch.

    Raises
    ------
    ValueError
        If ``n``, ``batch_size`` or ``steps`` is below 1 or ``batch_size`` is above ``n``; at the call, before the first
        batch.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> [len(rows) for rows in batches(5, batch_size=2, steps=4, rng=rng)]
    [2, 2, 1, 2]
    """
    n = check_count(n, "n")
    batch_size = check_count(batch_size, "batch_size", most=n, bound="the number of observations")
    return _deal(n, batch_size, check_count(steps, "steps"), numpy_generator(rng), replace)


def gradient_descent(
    X: ArrayLike,
    y: ArrayLike,
    *,
    learning_rate: LearningRate,
    steps: int,
    start: ArrayLike | None = None,
    sign: int = -1,
) -> Trajectory:
    r"""Return the trajectory of full-batch gradient descent on the mean squared error.

    .. math:: \theta_{t+1} = \theta_t - \eta_t \nabla\mathcal{L}(\theta_t)

    Implements :eq:`descent`; source: eq. (3) of [RK]_ with its sign corrected, and BP's second equation with
    :math:`s^k = -\nabla\mathcal{L}`.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs, one row per observation, with a column of ones if the model has an intercept.
    y : array of shape (n,)
        Targets.
    learning_rate : float or callable
        The step size η > 0, or a function of the step number t = 0, 1, … that returns it.
    steps : int
        Number of steps, at least 1.
    start : array of shape (p,), optional
        The first point; zeros by default.
    sign : {-1, 1}, default -1
        -1 steps downhill. 1 is the sign that [RK]_ prints: uphill, so that the loss grows at every step.

    Returns
    -------
    Trajectory
        Points, losses and step sizes; ``diverged_at`` says if and where the loss ran away.

    Raises
    ------
    ValueError
        If shapes disagree, an entry is not finite, a step size is not positive and finite, or ``sign`` is neither.

    Examples
    --------
    >>> X, y = np.array([[1.0, 1.0], [1.0, -1.0]]), np.array([3.0, 1.0])
    >>> gradient_descent(X, y, learning_rate=0.25, steps=50).parameters[-1]
    array([2., 1.])
    >>> gradient_descent(X, y, learning_rate=1.5, steps=50).diverged_at
    20
    """
    everything = (slice(None) for _ in range(check_count(steps, "steps")))
    return _walk(X, y, everything, learning_rate, start, sign)


def stochastic_gradient_descent(
    X: ArrayLike,
    y: ArrayLike,
    batches: Iterable[Any],
    *,
    learning_rate: LearningRate,
    start: ArrayLike | None = None,
    sign: int = -1,
) -> Trajectory:
    r"""Return the trajectory of descent in which each step sees one batch B of the rows.

    .. math:: \theta_{t+1} = \theta_t - \eta_t\, \frac{2}{|B_t|} X_{B_t}^\top (X_{B_t}\theta_t - y_{B_t})

    With a constant step size it does not settle at the minimum but keeps moving around it, at a mean squared distance
    about proportional to η. Implements :eq:`stochastic-descent`.

    Parameters
    ----------
    X, y, learning_rate, start, sign
        As in :func:`gradient_descent`.
    batches : iterable of arrays of int
        The rows of each step, such as :func:`batches` yields; as many steps as there are batches.

    Returns
    -------
    Trajectory
        ``losses`` are over all rows, not over the batch of the step.

    Raises
    ------
    ValueError
        As :func:`gradient_descent`, and if a batch is empty or there is none.

    Examples
    --------
    >>> X, y = np.array([[1.0], [1.0]]), np.array([1.0, 3.0])
    >>> stochastic_gradient_descent(X, y, [[0], [1], [0]], learning_rate=0.5).parameters[:, 0]
    array([0., 1., 3., 1.])
    """
    return _walk(X, y, batches, learning_rate, start, sign)


def _walk(
    X: ArrayLike, y: ArrayLike, batches: Iterable[Any], learning_rate: LearningRate, start: ArrayLike, sign: int
) -> Trajectory:
    X, y, point, _ = _check_problem(X, y, start, "start")
    if isinstance(sign, bool) or np.ndim(sign) or sign not in (-1, 1):
        raise ValueError(f"sign must be -1 (downhill) or 1 (uphill), got {sign!r}")
    with np.errstate(over="ignore", invalid="ignore"):
        residuals = X @ point - y
        loss = np.mean(residuals**2)

    def step(point: np.ndarray, rows: Any, eta: float) -> tuple[np.ndarray, float]:
        nonlocal residuals
        point = point + sign * eta * _gradient(X[rows], residuals[rows])
        residuals = X @ point - y
        return point, np.mean(residuals**2)

    return walk(step, point, loss, batches, n=len(X), learning_rate=learning_rate, scale=np.mean(y**2))


def _gradient(X: np.ndarray, residuals: np.ndarray) -> np.ndarray:
    return 2 / len(X) * (X.T @ residuals)


def _deal(n: int, size: int, steps: int, rng: np.random.Generator, replace: bool) -> Iterator[np.ndarray]:
    per_epoch = math.ceil(n / size)
    for step in range(steps):
        if replace:
            yield rng.integers(n, size=size)
            continue
        place = step % per_epoch
        if place == 0:
            order = rng.permutation(n)
        yield order[place * size : (place + 1) * size]


def _check_problem(
    X: ArrayLike, y: ArrayLike, parameters: ArrayLike, name: str = "parameters"
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Index | None]:
    """Return X, y and the point, matched by label, and the names of the columns."""
    X, index, columns = read_table(X, "X")
    y = read_targets(y, len(X), index=index).values
    if y.ndim != 1:
        raise ValueError(f"y must have shape (n,), got shape {y.shape}")
    if parameters is None:
        return X, y, np.zeros(X.shape[1]), columns
    point = read_vector(parameters, name, index=columns, of="the columns of X", shape="(p,)").values
    if len(point) != X.shape[1]:
        raise ValueError(f"X has {X.shape[1]} columns but {name} has {len(point)} entries")
    return X, y, point, columns
