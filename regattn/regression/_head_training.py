r"""Learning Ω: the training of attention heads, on one thread and in double precision.

By L-BFGS, whose every step sees all rows, or by Adam, whose steps see a batch of queries and all keys.

.. math:: \min_{\Omega}\; \frac{\lVert y - g(X\Omega X^\top)\, y\rVert^2}{\lVert y - \bar y\rVert^2}
          + \lambda \lVert\Omega\rVert_F^2

with the diagonal of the weights masked when a row must not attend to itself, and a weighted line instead of the
average where one is asked for: then each error is that of a line fitted without its row. This module needs torch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from scipy.optimize import minimize
from torch import Tensor
from tqdm.auto import tqdm

from regattn.regression._heads import Head, guarded_kernel
from regattn.regression._local import Keys, head_average
from regattn.regression.descent import batches

ENTRIES = 2**20  # weights held at once: a batch of queries is as large as this allows
START = 0.1  # standard deviation of the scores before training
RIDGE, SMALLEST = 0.01, 1e-8  # of a line: before training, and the least it can become
RATE = 0.03  # of Adam's first step; the last is of rate zero
EVERY = slice(None)  # all training rows at once
LOOK = 10  # batches between two looks at the rows held out


class HeadShape(NamedTuple):
    """What a head looks like before its numbers are known."""

    kernel: str
    n_features: int
    encoder: tuple[int, ...]
    rank: int | None
    constant: bool
    local: str = "constant"
    ridge: float | None = None


class Problem(NamedTuple):
    """Data and penalty of a training run; inputs standardised, targets in units of their standard deviation."""

    X: np.ndarray  # (n, p)
    y: np.ndarray  # (n, t)
    X_valid: np.ndarray  # (v, p), v = 0 without early stopping
    y_valid: np.ndarray  # (v, t)
    penalty: float
    exclude_self: bool


class Stopping(NamedTuple):
    """When training ends."""

    max_iter: int
    tol: float
    patience: int
    verbose: bool
    batch_size: int | None = None


@dataclass
class Trained:
    """Heads with their shares of the prediction, and how training went."""

    heads: list[Head]
    shares: np.ndarray
    loss_curve: list[float] = field(default_factory=list)
    validation_curve: list[float] = field(default_factory=list)
    converged: bool = True


def train(problem: Problem, shape: HeadShape, n_heads: int, stopping: Stopping, rng: np.random.Generator) -> Trained:
    """Return heads trained together, with free shares if there are several."""
    starts = [_start(shape, rng, len(problem.X)) for _ in range(n_heads)]
    shares = [np.full(n_heads, 1 / n_heads)] if n_heads > 1 else []
    layout = _Layout([array for start in starts for array in start] + shares)
    with _one_thread():
        loss = _Loss(problem, shape, n_heads, layout)
        if stopping.batch_size is None:
            result = _minimise(loss, layout.initial, stopping)
        else:
            result = _descend(loss, layout.initial, stopping, rng)
    heads, shares = loss.unpack(layout.split(torch.from_numpy(result.theta)))
    arrays = [_as_numpy(head) for head in heads]
    return Trained(arrays, shares.numpy(), result.loss_curve, result.validation_curve, result.converged)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Run torch on one thread for a while, so that sums do not depend on how many the machine has."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _start(shape: HeadShape, rng: np.random.Generator, n: int) -> list[np.ndarray]:
    """Return the random arrays a head starts from: layers, maps, level."""
    sizes = (shape.n_features, *shape.encoder)
    arrays = []
    for d_in, d_out in pairwise(sizes):
        arrays += [rng.normal(size=(d_in, d_out)) / math.sqrt(d_in), np.zeros(d_out)]
    D = sizes[-1] + (shape.constant and shape.kernel != "gaussian")
    rank = D if shape.rank is None else shape.rank
    if shape.kernel == "gaussian":
        metric = np.eye(D) if shape.rank is None else rng.normal(size=(D, rank)) / math.sqrt(rank)
        arrays.append(metric / math.sqrt(D) + START * rng.normal(size=(D, rank)) / D)
    elif shape.rank is None:
        arrays.append(START * rng.normal(size=(D, D)) / D)
    else:
        spread = math.sqrt(START / D) / rank**0.25  # so that the scores of unit-variance rows have spread START
        arrays += [spread * rng.normal(size=(D, rank)) for _ in range(2)]
    if shape.kernel == "exponential":
        arrays.append(np.array(-math.log(n)))
    if shape.local == "linear" and shape.ridge is None:
        arrays.append(np.array(math.log(RIDGE)))
    return arrays


class _Layout:
    """Many arrays as one vector, and back."""

    def __init__(self, arrays: list[np.ndarray]):
        self.shapes = [array.shape for array in arrays]
        self.initial = np.concatenate([array.ravel() for array in arrays])

    def split(self, theta: Tensor) -> list[Tensor]:
        """Return views of ``theta`` with the shapes of the arrays."""
        parts = theta.split([math.prod(shape) for shape in self.shapes])
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]


class _Loss:
    """The training loss and its gradient as functions of one vector, and the validation loss."""

    def __init__(self, problem: Problem, shape: HeadShape, n_heads: int, layout: _Layout):
        self.problem, self.shape, self.n_heads, self.layout = problem, shape, n_heads, layout
        self.kernel = guarded_kernel(shape.kernel)
        self.X, self.y = torch.from_numpy(problem.X), torch.from_numpy(problem.y)
        self.mean = self.y.mean(dim=0)
        self.batch = max(1, ENTRIES // len(self.X))

    def unpack(self, arrays: list[Tensor]) -> tuple[list[Head], Tensor]:
        """Return the heads and their shares."""
        shape, arrays = self.shape, list(arrays)
        shares = arrays.pop() if self.n_heads > 1 else torch.ones(1, dtype=torch.float64)
        each = len(arrays) // self.n_heads
        return [_head(shape, arrays[h * each : (h + 1) * each]) for h in range(self.n_heads)], shares

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the loss and its gradient."""
        leaf = torch.from_numpy(theta.copy()).requires_grad_()
        total = 0.0
        n = len(self.X)
        for rows in [EVERY] if n <= self.batch else torch.arange(n).split(self.batch):
            part = self.part(leaf, rows)
            part = part if rows is EVERY else part * len(rows) / n
            part.backward()
            total += float(part.detach())
        return total, leaf.grad.numpy()

    def part(self, theta: Tensor, rows: Tensor | slice) -> Tensor:
        """Return the loss on some training rows."""
        heads, shares = self.unpack(self.layout.split(theta))
        error = ((self.y[rows] - self._predict(heads, shares, rows)) ** 2).mean()
        return error + self.problem.penalty * self._size(heads, shares) if self.problem.penalty > 0 else error

    def _predict(self, heads: list[Head], shares: Tensor, rows: Tensor | slice) -> Tensor:
        return self._answers(heads, shares, self.X[rows], self._others(rows) if self.problem.exclude_self else None)

    @cached_property
    def _all_others(self) -> Tensor:
        return ~torch.eye(len(self.X), dtype=torch.bool)

    def _others(self, rows: Tensor | slice) -> Tensor:
        """Return which training rows each of ``rows`` may see: all but itself."""
        if rows is EVERY:
            return self._all_others
        mask = torch.ones(len(rows), len(self.X), dtype=torch.bool)
        mask[torch.arange(len(rows)), rows] = False
        return mask

    def _answers(self, heads: list[Head], shares: Tensor, X: Tensor, mask: Tensor | None) -> Tensor:
        fitted = (1 - shares.sum()) * self.mean
        for head, share in zip(heads, shares, strict=True):
            keys = Keys(head.keys(head.features(self.X)), self.X)
            fitted = fitted + share * head_average(head, X, keys, self.y, self.kernel, mask=mask)
        return fitted

    def _size(self, heads: list[Head], shares: Tensor) -> Tensor:
        """Return the sum of squares of Ω, of the encoder's weights and, with several heads, of their shares."""
        size = (shares**2).sum() if self.n_heads > 1 else torch.zeros((), dtype=torch.float64)
        for head in heads:
            W = head.query_map
            other = head.key_map
            size = size + ((W**2).sum() if other is None else ((W.mT @ W) * (other.mT @ other)).sum())
            size = size + sum((weights**2).sum() for weights, _ in head.layers)
        return size

    @torch.no_grad()
    def validation(self, theta: np.ndarray) -> float:
        """Return the mean squared error on the rows held out, which attend to the training rows."""
        heads, shares = self.unpack(self.layout.split(torch.from_numpy(theta)))
        X, y = torch.from_numpy(self.problem.X_valid), torch.from_numpy(self.problem.y_valid)
        fitted = torch.cat([self._answers(heads, shares, rows, None) for rows in X.split(self.batch)])
        return float(((y - fitted) ** 2).mean())


def _head(shape: HeadShape, arrays: list[Tensor]) -> Head:
    arrays = list(arrays)
    layers = tuple((arrays.pop(0), arrays.pop(0)) for _ in shape.encoder)
    query_map = arrays.pop(0)
    if shape.kernel == "gaussian":
        key_map, level, constant = query_map, None, False  # one map for both: the metric Ω = W W'
    else:
        key_map = None if shape.rank is None else arrays.pop(0)
        level, constant = None, shape.constant
    if shape.kernel == "exponential":
        level = arrays.pop(0) if shape.constant else None
    elif shape.kernel in ("relu", "elu") and shape.constant:
        level = torch.ones((), dtype=torch.float64)
    ridge = None
    if shape.local == "linear":
        given = shape.ridge is not None
        ridge = torch.tensor(shape.ridge, dtype=torch.float64) if given else SMALLEST + arrays.pop(0).exp()
    return Head(layers, query_map, key_map, level, constant, ridge)


def _as_numpy(head: Head) -> Head:
    def plain(x: Tensor | None) -> np.ndarray | None:
        return None if x is None else x.detach().numpy().copy()

    layers = tuple((plain(weights), plain(bias)) for weights, bias in head.layers)
    maps = (plain(head.query_map), plain(head.key_map), plain(head.level))
    return Head(layers, *maps, head.constant, plain(head.ridge))


class _Result(NamedTuple):
    theta: np.ndarray
    loss_curve: list[float]
    validation_curve: list[float]
    converged: bool


def _minimise(loss: _Loss, theta: np.ndarray, stopping: Stopping) -> _Result:
    """Return where L-BFGS ends, or the best point on the validation rows if there are any."""
    watched = len(loss.problem.X_valid) > 0
    losses: list[float] = []
    valid: list[float] = []
    best = (math.inf, theta)
    with tqdm(total=stopping.max_iter, disable=not stopping.verbose, unit="step") as bar:

        def after_step(intermediate_result) -> None:
            nonlocal best
            losses.append(float(intermediate_result.fun))
            bar.update()
            bar.set_postfix(loss=f"{losses[-1]:.4f}")
            if not watched:
                return
            valid.append(loss.validation(intermediate_result.x))
            if valid[-1] < best[0]:
                best = (valid[-1], intermediate_result.x.copy())
            if len(valid) - 1 - int(np.argmin(valid)) >= stopping.patience:
                raise StopIteration

        result = minimize(
            loss,
            theta,
            jac=True,
            method="L-BFGS-B",
            callback=after_step,
            options={"maxiter": stopping.max_iter, "ftol": stopping.tol, "gtol": stopping.tol, "maxfun": 10**6},
        )
    if not losses:
        losses.append(float(result.fun))  # the start was already a stationary point
    end = best[1] if valid else result.x
    return _Result(end, losses, valid, result.nit < stopping.max_iter)


def _descend(loss: _Loss, theta: np.ndarray, stopping: Stopping, rng: np.random.Generator) -> _Result:
    """Return where Adam ends after its steps, each on a batch of queries, or its best point on the rows held out."""
    leaf = torch.from_numpy(theta.copy()).requires_grad_()
    optimiser = torch.optim.Adam([leaf], lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, stopping.max_iter)
    watched = len(loss.problem.X_valid) > 0
    losses: list[float] = []
    valid: list[float] = []
    best = theta
    dealt = batches(len(loss.X), batch_size=stopping.batch_size, steps=stopping.max_iter, rng=rng)
    for step, rows in enumerate(tqdm(dealt, total=stopping.max_iter, disable=not stopping.verbose, unit="step"), 1):
        optimiser.zero_grad()
        part = loss.part(leaf, torch.from_numpy(rows))
        part.backward()
        optimiser.step()
        schedule.step()
        losses.append(float(part.detach()))
        if watched and step % LOOK == 0:
            valid.append(loss.validation(leaf.detach().numpy()))
            if valid[-1] == min(valid):
                best = leaf.detach().numpy().copy()
            if len(valid) - 1 - int(np.argmin(valid)) >= stopping.patience:
                break
    return _Result(best if valid else leaf.detach().numpy().copy(), losses, valid, True)
