r"""Training attention on many small regressions, with numbers by chance that a page draws too.

Each task is a context :math:`(X, y)` with :math:`y = X\beta + \sigma\varepsilon`, :math:`\beta \sim N(0, I)`, and
queries with goals. Layers of linear attention act on :math:`G = X^\top X/n` and :math:`z = X^\top y/n` alone,

.. math:: w \leftarrow w + T A\, T^\top (z - G w), \qquad T \leftarrow T - T \Gamma\, T^\top G T,

with :math:`w = 0` and :math:`T = I` at first; the second rule is that of moving keys and is left out without them.
Heads of softmax attention answer :math:`\sum_h v_h \operatorname{softmax}(x_q^\top \Omega_h X^\top)\, y`. Gradients
are written out by hand. Training is descent on fresh tasks with momentum, on gradients of length 1 at most: Adam would
learn as fast, but where keys move it lets rounding grow until it is seen, and no two machines would agree. The
ContextExplorer takes the same steps in the browser.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from regattn.regression.trajectory import GROWTH_LIMIT

BATCH = 32  # tasks of a step
QUERIES = 8  # of each of them, where designs are random
TESTED, ASKED = 100, 4  # tasks and queries that the network is judged by
EVERY = 10  # steps between two risks that are kept
SCALES = {"same": 1.0, "quiet": 1 / 3, "loud": 2.0}  # of the noise when tested
CLIP = 1.0  # a longer gradient is shortened to this
MOMENTUM = 0.9  # what a step keeps of the direction of those before
RISE = 0.1  # part of the training over which the learning rate rises to what is set; then it falls to zero
STARTS = {"linear": 0.02, "plus": 0.02, "softmax": 0.3, "pair": 0.3}  # spread of the first numbers
HEADS = {"softmax": 1, "pair": 2}
START, DESIGN, TEST, TRAIN = range(4)  # streams of chance


class Settings(NamedTuple):
    """What a training is determined by; names and values are those of the ContextExplorer's controls."""

    design: str  # "fixed" or "random"
    dimension: int
    context: int
    noise: float
    target: str  # "noisy" or "clean"
    attention: str  # "linear", "plus" (keys move), "softmax" (one head) or "pair" (two)
    depth: int
    tied: bool
    learning_rate: float
    seed: int
    correlation: float  # of neighbouring columns: 0.5 makes cov(x_j, x_k) = 0.5 ** |j - k|
    steps: int  # of the whole training: the learning rate rises and falls over them
    kept: str = ""  # numbers of one linear layer's Ω, row by row, from which a training goes on
    begun: int = 0  # steps that were taken before: fresh tasks go on from there


class Tasks(NamedTuple):
    """Regressions of one size: inputs (B, n, p), outcomes (B, n), queries (B, m, p), goals (B, m)."""

    X: np.ndarray
    y: np.ndarray
    queries: np.ndarray
    goals: np.ndarray


class Training(NamedTuple):
    """Where a training stands: its numbers, risks every so many steps for each scale of noise, where it ran away."""

    theta: np.ndarray
    risks: np.ndarray
    risk: np.ndarray
    diverged_at: int | None


def normals(seed: int, stream: int, first: int, count: int) -> np.ndarray:
    """Return standard normal numbers ``first`` (which is even) and after of a stream: Box and Muller on mulberry32."""
    places = np.arange(first + 1, first + 1 + 2 * -(-count // 2), dtype=np.uint64)
    low = np.uint64(0xFFFFFFFF)
    begin = np.uint64(seed * 0x9E3779B1 + stream * 0x85EBCA6B)
    state = (begin + places * np.uint64(0x6D2B79F5)) & low
    t = ((state ^ (state >> np.uint64(15))) * (state | np.uint64(1))) & low
    t ^= (t + (t ^ (t >> np.uint64(7))) * (t | np.uint64(61))) & low
    uniform = (t ^ (t >> np.uint64(14))) / 2**32
    length, angle = np.sqrt(-2 * np.log(1 - uniform[0::2])), 2 * np.pi * uniform[1::2]
    return np.column_stack([length * np.cos(angle), length * np.sin(angle)]).ravel()[:count]


def covariance(settings: Settings) -> np.ndarray:
    """Return C of random designs, shape (p, p)."""
    places = np.arange(settings.dimension)
    return settings.correlation ** np.abs(np.subtract.outer(places, places))


def _mixed(settings: Settings, plain: np.ndarray) -> np.ndarray:
    """Give independent columns, the last axis, the covariance C."""
    rho, X = settings.correlation, plain.copy()
    for j in range(1, X.shape[-1]):
        X[..., j] = rho * X[..., j - 1] + np.sqrt(1 - rho**2) * plain[..., j]
    return X


def tasks(settings: Settings, stream: int, at: int, count: int, m: int, scale: float = 1.0) -> Tasks:
    """Return batch ``at`` of a stream. Rows of a fixed design are the queries too; when tested, goals are clean."""
    n, p, fixed = settings.context, settings.dimension, settings.design == "fixed"
    each = p + n if fixed else n * p + p + n + m * p + m
    drawn = normals(settings.seed, stream, at * (count * each + count * each % 2), count * each).reshape(count, each)
    beta, e = drawn[:, :p, None], drawn[:, p : p + n]
    if fixed:
        one = normals(settings.seed, DESIGN, 0, n * p).reshape(n, p)
        X = queries = np.broadcast_to(_mixed(settings, one), (count, n, p))
        noise = e
    else:
        X = _mixed(settings, drawn[:, p + n : p + n + n * p].reshape(count, n, p))
        rest = drawn[:, p + n + n * p :]
        queries, noise = _mixed(settings, rest[:, : m * p].reshape(count, m, p)), rest[:, m * p :]
    goals = (queries @ beta)[..., 0]
    if stream == TRAIN and settings.target == "noisy":
        goals = goals + settings.noise * noise
    return Tasks(X, (X @ beta)[..., 0] + scale * settings.noise * e, queries, goals)


def layers(settings: Settings, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the matrices A and Gamma of linear layers (Gamma None where keys stay), or Ω and v of softmax heads."""
    p = settings.dimension
    heads = HEADS.get(settings.attention)
    if heads:
        return theta[: heads * p * p].reshape(heads, p, p), theta[heads * p * p :]
    parts = theta.reshape(-1, p, p)
    if settings.attention == "linear":
        return parts, None
    return parts[: len(parts) // 2], parts[len(parts) // 2 :]


def goes_on(settings: Settings) -> bool:
    """Return whether a training begins with the numbers that were kept."""
    alone = settings.attention == "linear" and settings.depth == 1
    return alone and bool(settings.kept) and settings.kept.count(",") + 1 == settings.dimension**2


def start(settings: Settings) -> np.ndarray:
    """Return the first numbers: zero for one linear layer, small for others; two heads begin with opposite signs.

    One linear layer begins with the numbers that were ``kept``, if there are any.
    """
    p, heads = settings.dimension, HEADS.get(settings.attention)
    if goes_on(settings):
        return np.array([float(number) for number in settings.kept.split(",")])
    count = heads or (1 if settings.tied else settings.depth) * (1 + (settings.attention == "plus"))
    spread = 0.0 if settings.attention == "linear" and settings.depth == 1 else STARTS[settings.attention]
    drawn = spread * normals(settings.seed, START, 0, count * p * p)
    return np.concatenate([drawn, [1.0, -1.0][:heads]]) if heads else drawn


def weights(settings: Settings, theta: np.ndarray, X: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return the weight of every context row in every answer, shape (B, m, n): answers are these times y."""
    if settings.attention in HEADS:
        omegas, values = layers(settings, theta)
        return sum(v * _softmax(queries @ omega @ X.mT) for omega, v in zip(omegas, values, strict=True))
    return queries @ effective(settings, theta, X) @ X.mT / X.shape[-2]


def effective(settings: Settings, theta: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return P with w = Pz after the last layer, shape (B, p, p); for heads of softmax Σ v Ω, which does its work."""
    first, second = layers(settings, theta)
    if settings.attention in HEADS:
        return np.broadcast_to(np.einsum("h,hij->ij", second, first), (*X.shape[:-2], *first.shape[1:]))
    G, T = X.mT @ X / X.shape[-2], np.eye(X.shape[-1])
    P = np.zeros_like(G)
    for depth in range(settings.depth):
        k = 0 if settings.tied else depth
        P = P + T @ first[k] @ T.mT @ (np.eye(len(first[k])) - G @ P)
        if second is not None:
            T = T - T @ second[k] @ (T.mT @ G @ T)
    return P


def loss_and_slope(settings: Settings, theta: np.ndarray, given: Tasks) -> tuple[float, np.ndarray]:
    """Return the mean squared error over tasks and queries, and its gradient."""
    return (_of_heads if settings.attention in HEADS else _of_layers)(settings, theta, given)


def _of_layers(settings: Settings, theta: np.ndarray, given: Tasks) -> tuple[float, np.ndarray]:
    X, y, queries, goals = given
    A, Gamma = layers(settings, theta)
    n, p = X.shape[1:]
    G, z = X.mT @ X / n, X.mT @ y[..., None] / n
    T, w, way = np.broadcast_to(np.eye(p), G.shape), np.zeros_like(z), []
    for depth in range(settings.depth):
        k = 0 if settings.tied else depth
        rest = z - G @ w
        u = T.mT @ rest
        way.append((k, T, rest, u))
        w = w + T @ (A[k] @ u)
        if Gamma is not None:
            T = T - T @ Gamma[k] @ (T.mT @ G @ T)
    error = (queries @ w)[..., 0] - goals
    dw, dT = queries.mT @ error[..., None] * (2 / error.size), np.zeros_like(G)
    dA, dGamma = np.zeros_like(A), np.zeros_like(A)
    for k, T, rest, u in reversed(way):
        back = T.mT @ dw
        du = A[k].T @ back
        dA[k] += np.sum(back @ u.mT, axis=0)
        if Gamma is not None:
            S = T.mT @ G @ T
            dGamma[k] -= np.sum(T.mT @ dT @ S, axis=0)
            dS = -Gamma[k].T @ (T.mT @ dT)
            dT = dT - dT @ S @ Gamma[k].T + G @ T @ (dS + dS.mT) + dw @ (A[k] @ u).mT + rest @ du.mT
        dw = dw - G @ (T @ du)
    slope = dA if Gamma is None else np.concatenate([dA, dGamma])
    return float(np.mean(error**2)), slope.ravel()


def _of_heads(settings: Settings, theta: np.ndarray, given: Tasks) -> tuple[float, np.ndarray]:
    X, y, queries, goals = given
    omegas, values = layers(settings, theta)
    rows = [_softmax(queries @ omega @ X.mT) for omega in omegas]
    answers = [(a @ y[..., None])[..., 0] for a in rows]
    error = sum(v * o for v, o in zip(values, answers, strict=True)) - goals
    pull = error * (2 / error.size)
    slopes = []
    for a, o, v in zip(rows, answers, values, strict=True):
        scores = v * pull[..., None] * a * (y[:, None, :] - o[..., None])
        slopes.append(np.sum(queries.mT @ scores @ X, axis=0).ravel())
    return float(np.mean(error**2)), np.concatenate([*slopes, [np.sum(pull * o) for o in answers]])


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def risks(settings: Settings, theta: np.ndarray, tests: list[Tasks]) -> np.ndarray:
    """Return the mean squared distance to the noise-free answer on tasks not trained on, for each way of testing."""
    found, omega = [], None
    for k, test in enumerate(tests):
        if k == 0 or not np.array_equal(test.X, tests[k - 1].X):
            omega = weights(settings, theta, test.X, test.queries)
        found.append(np.mean(((omega @ test.y[..., None])[..., 0] - test.goals) ** 2))
    return np.array(found)


def tests(settings: Settings) -> list[Tasks]:
    """Return the tasks to judge by, the same for each way of testing but for the noise."""
    return [tasks(settings, TEST, 0, TESTED, ASKED, scale) for scale in SCALES.values()]


def stretched(given: Tasks, factor: float) -> Tasks:
    """Return the same tasks with every x times ``factor``, as if it were counted in other units."""
    return given._replace(X=factor * given.X, queries=factor * given.queries)


def left(settings: Settings, theta: np.ndarray, X: np.ndarray, y: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Return what is left of every outcome of a context, and last of the query's, before and after every layer."""
    rows, found = np.vstack([X, query]), [np.append(y, 0.0)]
    for depth in range(1, (1 if settings.attention in HEADS else settings.depth) + 1):
        found.append(found[0] - weights(settings._replace(depth=depth), theta, X, rows) @ y)
    return np.array(found)


def rivals(settings: Settings, given: Tasks, scale: float, unit: float = 1.0) -> dict[str, float]:
    """Return the risks of least squares, ridge (of training), Bayes (told noise and units) and the best layer."""
    X, y = given.X, given.y[..., None]
    best = theory(settings._replace(attention="linear", depth=1), X[0] / unit, "best") / settings.context
    ridges = {"ols": 0.0, "ridge": settings.noise**2, "bayes": (scale * settings.noise * unit) ** 2}
    omegas = {name: np.linalg.inv(X.mT @ X + ridge * np.eye(X.shape[-1])) for name, ridge in ridges.items()}
    answers = {name: given.queries @ omega @ X.mT @ y for name, omega in (omegas | {"layer": best}).items()}
    return {name: float(np.mean((answer[..., 0] - given.goals) ** 2)) for name, answer in answers.items()}


def theory(settings: Settings, X: np.ndarray, which: str) -> np.ndarray:
    r"""Return n times the inverse of X'X, that of ridge, or the Ω of least risk ("best"), in units of Ω.

    One layer alone cannot know the context where designs are random: for it nC takes the place of X'X. What is best for
    it is then :math:`((n + 1) C + (\operatorname{tr} C + \sigma^2) I)^{-1}`.
    """
    n, noise, eye = settings.context, settings.noise**2, np.eye(settings.dimension)
    alone = settings.design == "random" and (settings.depth == 1 or settings.attention in HEADS)
    moments = n * covariance(settings) if alone else X.T @ X
    if which == "best" and alone:
        return n * np.linalg.inv(moments * (1 + 1 / n) + (np.trace(moments) / n + noise) * eye)
    plain = which == "inverse" or (which == "best" and settings.design == "fixed" and settings.target == "noisy")
    return n * np.linalg.inv(moments + (0.0 if plain else noise) * eye)


@lru_cache(maxsize=64)
def train(settings: Settings, step: int) -> Training:
    """Return where training stands after ``step`` steps. It ends before one that takes a batch's loss beyond limits."""
    judges, theta, diverged_at = tests(settings), start(settings), None
    found = [risks(settings, theta, judges)]
    pace, limit = np.zeros_like(theta), None
    rise = 0.0 if goes_on(settings) else RISE * settings.steps
    for t in range(step):
        batch = tasks(settings, TRAIN, settings.begun + t, BATCH, QUERIES)
        loss, slope = loss_and_slope(settings, theta, batch)
        if limit is None:
            limit = GROWTH_LIMIT * max(loss, float(np.mean(batch.goals**2)))
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is reported as divergence
            pace = MOMENTUM * pace + (1 - MOMENTUM) * slope * min(1.0, CLIP / max(np.sqrt(np.sum(slope**2)), 1e-300))
            risen = min((t + 1) / rise, 1.0) if rise else 1.0
            rate = settings.learning_rate * min(risen, (1 - t / settings.steps) / (1 - RISE))
            moved = theta - rate * pace
            loss = loss_and_slope(settings, moved, batch)[0]
        if not (loss <= limit and np.isfinite(moved).all()):
            diverged_at = t + 1
            break
        theta = moved
        if (t + 1) % EVERY == 0:
            found.append(risks(settings, theta, judges))
    return Training(theta, np.array(found), risks(settings, theta, judges), diverged_at)
