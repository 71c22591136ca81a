r"""Networks that regress in context: layers that act on two moments, softmax heads, their training, and rivals.

The tasks and the theory of one layer stand in ``in_context``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from torch import Tensor, nn

from regattn._rng import Rng, torch_generator
from regattn._tables import named, read_table
from regattn._validation import check_array, check_count, check_real
from regattn.regression._checks import check_covariance
from regattn.regression.in_context import Tasks

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "LinearLayers",
    "SoftmaxHeads",
    "newton_schulz",
    "train_in_context",
    "tuned_descent",
    "weights_on_context",
]

BATCH = 64  # tasks in a step of `train_in_context`
ASKS = 8  # new rows for each task there, where the risk has no closed form


class LinearLayers(nn.Module):
    r"""Layers of linear attention with residual connections, which read a data set and predict at a new row.

    .. math:: r \leftarrow r - X A X_c^\top r_c / n, \qquad X \leftarrow X - X \Gamma X_c^\top X_c / n

    Tokens are rows x with what is left of their outcome, r; the one that asks begins with r = 0. The index c marks the
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
    rng : int or Generator, default 0
        Seed of the start, normal with standard deviation .02.

    Examples
    --------
    >>> layers = LinearLayers(1, 2)
    >>> with torch.no_grad():
    ...     slopes = layers(torch.eye(2)[None].double(), torch.tensor([[1.0, 2.0]]).double())
    >>> torch.allclose(slopes[0], layers.A[0] @ torch.tensor([1.0, 2.0]).double())
    True
    """

    def __init__(self, depth: int, width: int, *, tied: bool = True, move_rows: bool = False, rng: Rng = 0) -> None:
        super().__init__()
        self.depth, width = check_count(depth, "depth"), check_count(width, "width")
        generator = torch_generator(rng)
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
    n_heads, width : int
        Heads, and columns p of a row.
    scaled : bool, default True
        Whether the factors v, which begin at 1, −1, 1, … are learned; otherwise they stay at 1/n_heads.
    rng : int or Generator, default 0
        Seed of the start, normal with standard deviation .3.

    Examples
    --------
    >>> SoftmaxHeads(2, 3)(torch.ones(1, 4, 3).double(), torch.ones(1, 4).double(), torch.ones(1, 5, 3).double()).shape
    torch.Size([1, 5])
    """

    def __init__(self, n_heads: int, width: int, *, scaled: bool = True, rng: Rng = 0) -> None:
        super().__init__()
        n_heads, width = check_count(n_heads, "n_heads"), check_count(width, "width")
        generator = torch_generator(rng)
        self.omega = nn.Parameter(0.3 * torch.randn(n_heads, width, width, generator=generator, dtype=torch.float64))
        signs = torch.tensor([1.0, -1.0], dtype=torch.float64).repeat(n_heads)[:n_heads]
        self.v = nn.Parameter(signs if scaled else torch.full_like(signs, 1 / n_heads), requires_grad=scaled)

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
    rng: Rng = 0,
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
    rng : int or Generator, default 0
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
    >>> from regattn.regression import make_tasks
    >>> tasks = make_tasks(np.random.default_rng(0), np.eye(2), tasks=500, n=9, noise=0.5)
    >>> losses = train_in_context(LinearLayers(1, 2), tasks, np.eye(2), steps=200)
    >>> bool(losses[-20:].mean() < losses[:20].mean() / 2)
    True
    """
    batch = check_count(BATCH, "the batch", most=len(tasks.y), bound="the tasks there are")
    rate, C = check_real(learning_rate, "learning_rate", least=0.0, strictly=True), _check_fits(C, tasks)
    generator = torch_generator(rng)
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


def weights_on_context(model: LinearLayers, X: ArrayLike, X_new: ArrayLike) -> np.ndarray | DataFrame:
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

    Raises
    ------
    ValueError
        If an entry is not finite, or the rows are not as wide as the layers.

    Examples
    --------
    >>> layers = LinearLayers(1, 1)
    >>> with torch.no_grad():
    ...     layers.A[:] = 1.0
    >>> weights_on_context(layers, [[1.0], [2.0]], [[3.0]])  # 3 · 1/2 · (1, 2)
    array([[1.5, 3. ]])
    """
    X, index, columns = read_table(X, "X")
    X_new, new, _ = read_table(X_new, "X_new", columns=columns)
    new = None if index is None else new
    width, n = model.A.shape[-1], len(X)
    for name, rows in (("X", X), ("X_new", X_new)):
        if rows.shape[1] != width:
            raise ValueError(f"{name} has {rows.shape[1]} columns but the layers take {width}")
    G = torch.from_numpy(X.T @ X / n).expand(n, -1, -1)
    with torch.no_grad():
        slopes = model(G, torch.from_numpy(X / n))  # a task for every outcome: z = X'e_i/n
    return named(X_new @ slopes.numpy().T, new, index)


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

    Raises
    ------
    ValueError
        If C is no covariance matrix of the width of the tasks, or ``depth`` is below 1.

    Examples
    --------
    >>> from regattn.regression import make_tasks
    >>> tasks = make_tasks(np.random.default_rng(0), np.eye(2), tasks=500, n=50, noise=0.1)
    >>> bool(0.9 < tuned_descent(tasks, np.eye(2), depth=1)[0] < 1.0)
    True
    """
    C = _check_fits(C, tasks)
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

    Raises
    ------
    ValueError
        If G is not square or not finite, ``start`` is not positive, ``rounds`` is below 1, or the rounds end beyond
        every float, as they may where ``start`` is too large or G is not positive definite.

    Examples
    --------
    >>> newton_schulz([[2.0]], rounds=4, start=0.3).round(6)
    array([[0.5]])
    """
    G = np.asarray(check_array(G, "G"), dtype=float)
    if G.ndim < 2 or G.shape[-1] != G.shape[-2]:
        raise ValueError(f"G must have shape (..., p, p), got {G.shape}")
    P = check_real(start, "start", least=0.0, strictly=True) * np.broadcast_to(np.eye(G.shape[-1]), G.shape)
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        for _ in range(check_count(rounds, "rounds")):
            P = P @ (2 * np.eye(G.shape[-1]) - G @ P)
    if not np.isfinite(P).all():
        raise ValueError(
            "the rounds ran away: G must be positive definite and start less than two over its largest eigenvalue, "
            f"got start {start:g}"
        )
    return P


def _check_fits(C: ArrayLike, tasks: Tasks) -> np.ndarray:
    C = check_covariance(C)
    if len(C) != tasks.X.shape[-1]:
        raise ValueError(f"C has {len(C)} columns but the rows of the tasks have {tasks.X.shape[-1]}")
    return C
