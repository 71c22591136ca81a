r"""Learning to regress from many tasks: what attention trained across data sets puts in the place of an inverse.

A task is a data set of its own: n rows, slopes β that nobody tells, outcomes with noise. A stack of linear attention
layers reads it and predicts at a new row. All of them act on two moments of the context alone,

.. math:: G = X^\top X / n, \qquad z = X^\top y / n .
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from torch import Tensor, nn

from regattn._validation import check_count, check_matrix, check_real
from regattn.regression.least_squares import spectrum

__all__ = [
    "CircleTrials",
    "LinearLayers",
    "SoftmaxHeads",
    "Tasks",
    "best_embedding",
    "design_descent",
    "design_flow",
    "load_circle_trials",
    "make_tasks",
    "newton_schulz",
    "population_embedding",
    "train_in_context",
    "tuned_descent",
    "weights_on_context",
]

TARGETS = ("own", "clean")
DESIGN_BATCH, KEPT_EVERY = 32, 10  # tasks in a step of `design_descent`, and its steps between two Ω that are kept
BATCH = 64  # tasks in a step of `train_in_context`
ASKS = 8  # new rows for each task there, where the risk has no closed form


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


def make_tasks(
    rng: np.random.Generator, C: ArrayLike, *, tasks: int, n: int, noise: float, intercept: float = 0.0
) -> Tasks:
    r"""Return data sets whose rows are Gaussian, :math:`y = a + X\beta + e` with slopes drawn afresh for each.

    Parameters
    ----------
    rng : numpy.random.Generator
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
    C = _check_covariance(C)
    tasks, n = check_count(tasks, "tasks"), check_count(n, "n")
    noise, spread = check_real(noise, "noise", least=0.0), check_real(intercept, "intercept", least=0.0)
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
    C, n = _check_covariance(C), check_count(n, "n")
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

    .. math:: \omega_k(t) = \omega_k(\infty)\, \bigl[1 - (1 - 2\eta\,\lambda_k^2(\lambda_k + \sigma^2))^t\bigr]

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
        Numbers of steps t ≥ 0.
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
    X, noise = check_matrix(X, "X"), check_real(noise, "noise", least=0.0)
    eta = check_real(learning_rate, "learning_rate", least=0.0, strictly=True)
    end_ridge = 0.0 if _check_target(target) == "own" else noise**2
    s = spectrum(X)
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
    rng: np.random.Generator,
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
    rng : numpy.random.Generator
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
    X, noise = check_matrix(X, "X"), check_real(noise, "noise", least=0.0)
    eta = check_real(learning_rate, "learning_rate", least=0.0, strictly=True)
    own = _check_target(target) == "own"
    A = X.T @ X
    root, p = np.linalg.cholesky(A), len(A)
    omega, kept = np.zeros((p, p)), [np.zeros((p, p))]
    for step in range(1, check_count(steps, "steps") + 1):
        drawn = rng.normal(size=(2, p, DESIGN_BATCH))
        clean = A @ drawn[0]
        z = clean + noise * root @ drawn[1]
        omega = omega + 2 * eta / DESIGN_BATCH * ((z if own else clean) - A @ (omega @ z)) @ z.T
        if step % KEPT_EVERY == 0:
            kept.append(omega)
    return np.array(kept)


class LinearLayers(nn.Module):
    r"""Layers of linear attention with residual connections, which read a data set and predict at a new row.

    .. math:: r \leftarrow r - X A X_n^\top r_n / n, \qquad X \leftarrow X - X \Gamma X_n^\top X_n / n

    Tokens are rows x with what is left of their outcome, r; the one that asks begins with r = 0. The index n marks the
    context, which all listen to. The second line, by which rows move too, is that of GD++. Implements
    :eq:`deep-layer`; source: von Oswald et al. (2023), with matrices in the place of scalars.

    Parameters
    ----------
    depth, width : int
        Layers, and columns p of a row.
    tied : bool, default True
        Whether all layers share their matrices.
    move_rows : bool, default False
        Whether rows move too (GD++).
    rng : int, default 0
        Seed of the start, normal with standard deviation .02.

    Examples
    --------
    >>> layers = LinearLayers(1, 2)
    >>> with torch.no_grad():
    ...     slopes = layers(torch.eye(2)[None].double(), torch.tensor([[1.0, 2.0]]).double())
    >>> torch.allclose(slopes[0], layers.A[0] @ torch.tensor([1.0, 2.0]).double())
    True
    """

    def __init__(self, depth: int, width: int, *, tied: bool = True, move_rows: bool = False, rng: int = 0) -> None:
        super().__init__()
        self.depth, width = check_count(depth, "depth"), check_count(width, "width")
        generator = torch.Generator().manual_seed(rng)
        shape = (1 if tied else depth, width, width)
        self.A = nn.Parameter(0.02 * torch.randn(shape, generator=generator, dtype=torch.float64))
        start = 0.02 * torch.randn(shape, generator=generator, dtype=torch.float64)
        self.moves = nn.Parameter(start) if move_rows else None

    def forward(self, G: Tensor, z: Tensor) -> Tensor:
        """Return the slopes by which the last layer predicts, shape (T, p), from the moments of T contexts.

        A row x is predicted as x'w. In every layer w ← w + T A T'(z − Gw), where T says how far rows have moved: XT.
        T'(z − Gw) and T'GT are the moments of what the layer sees, and are passed on in their place.
        """
        left, w, moved = z, torch.zeros_like(z), None  # T'(z − Gw), w, T
        for layer in range(self.depth):
            i = min(layer, len(self.A) - 1)
            heard = left @ self.A[i].mT
            w = w + (heard if moved is None else (moved @ heard[..., None])[..., 0])
            left = left - (G @ heard[..., None])[..., 0]
            if self.moves is not None and layer < self.depth - 1:
                move = torch.eye(z.shape[-1], dtype=z.dtype) - (G @ self.moves[i].mT).mT  # I − Γ G, for G is symmetric
                moved = move if moved is None else moved @ move
                left, G = (left[..., None, :] @ move)[..., 0, :], move.mT @ (G @ move)
        return w

    def read(self, X: Tensor, y: Tensor, X_new: Tensor) -> Tensor:
        """Return predictions token by token, shape (T, m), as attention makes them: slower, and the same."""
        n = X.shape[1]
        x, r = torch.cat([X, X_new], dim=1), torch.cat([y, torch.zeros_like(X_new[..., 0])], dim=1)
        for layer in range(self.depth):
            i = min(layer, len(self.A) - 1)
            keys = x[:, :n]
            r = r - torch.einsum("tmp,tnp,tn->tm", x @ self.A[i], keys, r[:, :n]) / n
            if self.moves is not None:
                x = x - x @ self.moves[i] @ (keys.mT @ keys) / n
        return -r[:, n:]


class SoftmaxHeads(nn.Module):
    r"""One layer of softmax attention over a context, with heads that share the outcomes as values.

    .. math:: \hat y(x) = \sum_h v_h \sum_i \operatorname{softmax}_i(x^\top \Omega_h\, x_i)\, y_i

    Implements :eq:`softmax-heads`.

    Parameters
    ----------
    heads, width : int
        Heads, and columns p of a row.
    scaled : bool, default True
        Whether the factors v, which begin at 1, −1, 1, … are learned; otherwise they stay at 1/heads.
    rng : int, default 0
        Seed of the start, normal with standard deviation .3.

    Examples
    --------
    >>> SoftmaxHeads(2, 3)(torch.ones(1, 4, 3).double(), torch.ones(1, 4).double(), torch.ones(1, 5, 3).double()).shape
    torch.Size([1, 5])
    """

    def __init__(self, heads: int, width: int, *, scaled: bool = True, rng: int = 0) -> None:
        super().__init__()
        heads, width = check_count(heads, "heads"), check_count(width, "width")
        generator = torch.Generator().manual_seed(rng)
        self.omega = nn.Parameter(0.3 * torch.randn(heads, width, width, generator=generator, dtype=torch.float64))
        signs = torch.tensor([1.0, -1.0], dtype=torch.float64).repeat(heads)[:heads]
        self.v = nn.Parameter(signs if scaled else torch.full_like(signs, 1 / heads), requires_grad=scaled)

    def weights(self, X: Tensor, X_new: Tensor) -> Tensor:
        """Return what all heads together put on each outcome, shape (T, m, n)."""
        scores = torch.einsum("tmp,hpq,tnq->thmn", X_new, self.omega, X)
        return torch.einsum("h,thmn->tmn", self.v, scores.softmax(-1))

    def forward(self, X: Tensor, y: Tensor, X_new: Tensor) -> Tensor:
        """Return predictions, shape (T, m)."""
        return (self.weights(X, X_new) @ y[..., None])[..., 0]


def train_in_context(
    model: LinearLayers | SoftmaxHeads,
    tasks: Tasks,
    C: ArrayLike,
    *,
    steps: int = 1000,
    learning_rate: float = 0.02,
    rng: int = 0,
) -> np.ndarray:
    """Train a model to predict at new rows of tasks it has not seen, and return the losses of all steps.

    Adam with one cycle of the learning rate, a bound of one on the length of the gradient. Linear layers are told the
    risk of their slopes, softmax heads the error at eight new rows for each task.

    Parameters
    ----------
    model : LinearLayers or SoftmaxHeads
        Changed in place.
    tasks : Tasks
        A pool, shuffled once and read in order, again from the start when it ends.
    C : array of shape (p, p)
        Covariance of the new rows.
    steps : int, default 1000
        Steps, each on 64 tasks.
    learning_rate : float, default 0.02
        Its peak.
    rng : int, default 0
        Seed of the order and of the new rows.

    Returns
    -------
    ndarray of shape (steps,)

    Raises
    ------
    ValueError
        If a setting is out of range or the pool is smaller than a batch.

    Examples
    --------
    >>> tasks = make_tasks(np.random.default_rng(0), np.eye(2), tasks=500, n=9, noise=0.5)
    >>> losses = train_in_context(LinearLayers(1, 2), tasks, np.eye(2), steps=200)
    >>> bool(losses[-20:].mean() < losses[:20].mean() / 2)
    True
    """
    batch = check_count(BATCH, "the batch", most=len(tasks.y), bound="the tasks there are")
    rate, C = check_real(learning_rate, "learning_rate", least=0.0, strictly=True), _check_covariance(C)
    generator = torch.Generator().manual_seed(rng)
    order = torch.randperm(len(tasks.y), generator=generator)
    linear = isinstance(model, LinearLayers)
    shown = [torch.from_numpy(part) for part in (tasks.moments() if linear else (tasks.X, tasks.y))]
    slopes, a = torch.from_numpy(tasks.slopes), torch.from_numpy(tasks.intercepts)
    covariance, root = torch.from_numpy(C), torch.from_numpy(np.linalg.cholesky(C))
    optimiser = torch.optim.Adam([part for part in model.parameters() if part.requires_grad], lr=rate)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=check_count(steps, "steps"), pct_start=0.1)
    losses = np.empty(steps)
    for step in range(steps):
        first = step * batch % (len(order) - batch + 1)
        pick = order[first : first + batch]
        given = [part[pick] for part in shown]
        if linear:
            missed = model(*given) - slopes[pick]
            loss = ((missed @ covariance) * missed).sum(-1).mean()
        else:
            asks = torch.randn(batch, ASKS, len(C), generator=generator, dtype=torch.float64) @ root.mT
            right = a[pick, None] + torch.einsum("tmp,tp->tm", asks, slopes[pick])
            loss = ((model(*given, asks) - right) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        cycle.step()
        losses[step] = loss.item()
    return losses


def weights_on_context(model: LinearLayers, X: ArrayLike, X_new: ArrayLike) -> np.ndarray:
    r"""Return the weight that trained layers put on each outcome of a context when they predict at new rows.

    Whatever its depth, the prediction is linear in the outcomes: :math:`\hat y_j = \sum_i \omega_{ji} y_i`. The weights
    are what comes out for outcomes that are zero but for one.

    Parameters
    ----------
    model : LinearLayers
        Trained or not.
    X : array of shape (n, p)
        Rows of the context.
    X_new : array of shape (m, p)
        Rows that ask.

    Returns
    -------
    ndarray of shape (m, n)
        May be negative.

    Examples
    --------
    >>> layers = LinearLayers(1, 1)
    >>> with torch.no_grad():
    ...     layers.A[:] = 1.0
    >>> weights_on_context(layers, [[1.0], [2.0]], [[3.0]])  # 3 · 1/2 · (1, 2)
    array([[1.5, 3. ]])
    """
    X, X_new = check_matrix(X, "X"), check_matrix(X_new, "X_new")
    n = len(X)
    G = torch.from_numpy(X.T @ X / n).expand(n, -1, -1)
    with torch.no_grad():
        slopes = model(G, torch.from_numpy(X / n))  # a task for every outcome: z = X'e_i/n
    return X_new @ slopes.numpy().T


def tuned_descent(tasks: Tasks, C: ArrayLike, *, depth: int) -> np.ndarray:
    r"""Return the step sizes, one for each of so many steps, with which gradient descent predicts best on the tasks.

    .. math:: w \leftarrow w + \eta_l\, (z - G w)

    Found by L-BFGS from equal steps; the risk is a polynomial in them.

    Parameters
    ----------
    tasks : Tasks
        What the steps are tuned on.
    C : array of shape (p, p)
        Covariance of the new rows.
    depth : int
        Number of steps.

    Returns
    -------
    ndarray of shape (depth,)

    Examples
    --------
    >>> tasks = make_tasks(np.random.default_rng(0), np.eye(2), tasks=500, n=50, noise=0.1)
    >>> bool(0.9 < tuned_descent(tasks, np.eye(2), depth=1)[0] < 1.0)
    True
    """
    C = _check_covariance(C)
    G, z = (torch.from_numpy(part) for part in tasks.moments())
    slopes, covariance = torch.from_numpy(tasks.slopes), torch.from_numpy(C)

    def risk(steps: np.ndarray) -> tuple[float, np.ndarray]:
        eta = torch.tensor(steps, requires_grad=True)
        w = torch.zeros_like(z)
        for size in eta:
            w = w + size * (z - torch.einsum("tpq,tq->tp", G, w))
        loss = (((w - slopes) @ covariance) * (w - slopes)).sum(-1).mean()
        loss.backward()
        return loss.item(), eta.grad.numpy()

    start = np.full(check_count(depth, "depth"), 1 / np.linalg.norm(C, 2)) * np.linspace(0.8, 1.2, depth)
    return minimize(risk, start, jac=True, method="L-BFGS-B").x


def newton_schulz(G: ArrayLike, *, rounds: int, start: float) -> np.ndarray:
    r"""Return an approximate inverse by Newton's iteration, which multiplies matrices and never divides.

    .. math:: P \leftarrow P\,(2I - G P), \qquad P_0 = \alpha I

    After k rounds it is what :math:`2^k` steps of gradient descent with step α make: :math:`P_k =
    \sum_{j < 2^k} \alpha (I - \alpha G)^j`. Implements :eq:`newton-schulz`.

    Parameters
    ----------
    G : array of shape (..., p, p)
        Symmetric, positive definite.
    rounds : int
        Number of rounds k.
    start : float
        α, less than two over the largest eigenvalue.

    Returns
    -------
    ndarray of shape (..., p, p)

    Examples
    --------
    >>> newton_schulz([[2.0]], rounds=4, start=0.3).round(6)
    array([[0.5]])
    """
    G = np.asarray(G, dtype=float)
    P = check_real(start, "start", least=0.0, strictly=True) * np.broadcast_to(np.eye(G.shape[-1]), G.shape)
    for _ in range(check_count(rounds, "rounds")):
        P = P @ (2 * np.eye(G.shape[-1]) - G @ P)
    return P


class CircleTrials(NamedTuple):
    """What ``tools/circle.py`` kept."""

    results: pd.DataFrame
    """One row for each training: ``part``, ``name``, ``seed`` and what was measured."""
    card: dict[str, Any]
    """The script, its minutes of processor time and the versions of its libraries."""


def load_circle_trials(part: str) -> CircleTrials:
    """Return the trials of chapter 20 that take longer than a page may.

    Parameters
    ----------
    part : str
        Which of them, such as "few": few rows and much noise.

    Returns
    -------
    CircleTrials

    Raises
    ------
    ValueError
        If there is no such part.

    Examples
    --------
    >>> load_circle_trials("few").results["seed"].nunique()
    10
    """
    card = json.loads(Path(__file__).with_name("circle.json").read_text(encoding="utf-8"))
    rows = pd.DataFrame(card.pop("parts"))
    if part not in set(rows["part"]):
        raise ValueError(f"part must be one of {', '.join(sorted(set(rows['part'])))}, got {part!r}")
    return CircleTrials(rows[rows["part"] == part].dropna(axis=1, how="all").reset_index(drop=True), card)


def _check_covariance(C: ArrayLike) -> np.ndarray:
    C = check_matrix(C, "C")
    if C.shape[0] != C.shape[1] or not np.allclose(C, C.T):
        raise ValueError(f"C must be square and symmetric, got shape {C.shape}")
    if (least := np.linalg.eigvalsh(C)[0]) <= 0:
        raise ValueError(f"C must be positive definite, got {least:g} for its least eigenvalue")
    return C


def _check_target(target: str) -> str:
    if target not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, got {target!r}")
    return target
