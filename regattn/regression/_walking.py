"""Walking downhill, step by step: the loop that every descent on a vector of parameters shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from regattn._validation import check_finite, check_real
from regattn.regression._batches import check_rows

GROWTH_LIMIT = 1e12
"""A loss this many times the larger of the first loss and the scale of the problem counts as divergence."""

LearningRate = float | Callable[[int], float]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Where a descent went: T steps, so T + 1 points. Every number kept is finite.

    Attributes
    ----------
    parameters : ndarray of shape (T + 1, p)
        The points, from the start on.
    losses : ndarray of shape (T + 1,)
        Mean squared error over all observations at each point, also when the steps used batches; in squared units
        of the target.
    learning_rates : ndarray of shape (T,)
        The step size η of each step.
    diverged_at : int or None
        The step that would have taken the loss beyond :data:`GROWTH_LIMIT`; the trajectory ends just before it. None
        if all steps were taken: the loss may still be growing.

    Examples
    --------
    >>> from regattn.regression import gradient_descent
    >>> path = gradient_descent(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]), learning_rate=0.25, steps=2)
    >>> path.parameters[:, 0], path.losses
    (array([0. , 1. , 1.5]), array([5.  , 2.  , 1.25]))
    >>> path.message
    'After 2 steps the loss is 1.25; at the start it was 5.'
    """

    parameters: np.ndarray
    losses: np.ndarray
    learning_rates: np.ndarray
    diverged_at: int | None

    @property
    def message(self) -> str:
        """What became of the descent, in a sentence or two."""
        if self.diverged_at is not None:
            return (
                f"Descent ran away: step {self.diverged_at} would have taken the loss\n"
                f"beyond {GROWTH_LIMIT:.0e} times its start. Take a smaller learning rate."
            )
        steps = len(self.losses) - 1
        return f"After {steps} steps the loss is {self.losses[-1]:.6g}; at the start it was {self.losses[0]:.6g}."


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
