"""Walking downhill, step by step: the loop that every descent on a vector of parameters shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from regattn._validation import check_finite, check_real
from regattn.regression._batches import check_rows
from regattn.regression.trajectory import GROWTH_LIMIT, Trajectory

LearningRate = float | Callable[[int], float]


def walk(  # noqa: PLR0913
    step: Callable[[np.ndarray, Any, float], tuple[np.ndarray, float]],
    point: np.ndarray,
    loss: float,
    batches: Iterable[Any],
    *,
    n: int,
    learning_rate: LearningRate,
    scale: float,
) -> Trajectory:
    """Return the trajectory of ``step(point, rows, eta) -> (point, loss)``, one step for each batch of the n rows.

    A loss beyond :data:`GROWTH_LIMIT` times the larger of the first loss and ``scale``, or a number that is not finite,
    ends it just before. Raise ValueError if the first loss is not finite, a learning rate is not positive, a batch
    names a row that is not there, or there is no batch.
    """
    check_finite(np.asarray(loss), "the loss at the start")
    with np.errstate(over="ignore"):
        limit = min(GROWTH_LIMIT * max(loss, scale), np.finfo(float).max)
    points, losses, rates, diverged_at = [point], [loss], [], None
    for t, rows in enumerate(batches):
        given = learning_rate(t) if callable(learning_rate) else learning_rate
        eta = check_real(given, "learning_rate", least=0.0, strictly=True)
        rows = check_rows(rows, n, t)
        with np.errstate(over="ignore", invalid="ignore"):  # an overflow is reported as divergence
            point, loss = step(point, rows, eta)
        if not (loss <= limit and np.isfinite(point).all()):
            diverged_at = t + 1
            break
        points.append(point)
        losses.append(loss)
        rates.append(eta)
    if diverged_at is None and not rates:
        raise ValueError("there must be at least one batch, got 0")
    return Trajectory(np.array(points), np.array(losses), np.array(rates), diverged_at)
