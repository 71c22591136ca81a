"""What a descent leaves behind: where it went, and whether it ran away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["GROWTH_LIMIT", "Trajectory"]

GROWTH_LIMIT = 1e12
"""A loss this many times the larger of the first loss and the scale of the problem counts as divergence."""


def _ran_away(step: int) -> str:
    """Return what to say of a descent that a step would have taken beyond the limit."""
    return (
        f"Descent ran away: step {step} would have taken the loss\n"
        f"beyond {GROWTH_LIMIT:.0e} times its start. Take a smaller learning rate."
    )


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
            return _ran_away(self.diverged_at)
        steps = len(self.losses) - 1
        return f"After {steps} steps the loss is {self.losses[-1]:.6g}; at the start it was {self.losses[0]:.6g}."
