"""The DescentExplorer: gradient descent on two parameters, run in the reader's browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import read_table, read_targets
from regattn._validation import check_count, check_real
from regattn.regression.descent import (
    gradient_descent,
    largest_stable_step,
    mean_squared_error,
    stochastic_gradient_descent,
)
from regattn.regression.least_squares import spectrum
from regattn.regression.trajectory import GROWTH_LIMIT, Trajectory
from regattn.widgets._kit import Choice, Count, Explorer, Seed, Slider, check_labels
from regattn.widgets._kit.page_rng import page_batches

__all__ = ["DescentExplorer"]

SIGNS = {"minus": -1, "plus": 1}


def _sizes(explorer: DescentExplorer) -> list[int]:
    """Return the sizes that a batch may have: the powers of two, and all rows."""
    return [2**k for k in range(64) if 2**k < len(explorer.y)] + [len(explorer.y)]


class DescentExplorer(Explorer, panels=["surface", "loss"]):
    r"""Show gradient descent on a least-squares loss of two parameters: its path on the surface and its loss.

    .. math:: \theta_{t+1} = \theta_t \mp \eta \nabla\mathcal{L}(\theta_t)

    The browser takes every step itself. With a batch smaller than the data it deals the rows out by
    :func:`page_batches`, a generator small enough to be the same in both languages. Implements :eq:`descent` and
    :eq:`stochastic-descent`; source: eq. (3) of [RK]_, in both signs.

    Parameters
    ----------
    X : array of shape (n, 2)
        Two inputs, standardised or at least in comparable units: the axes of the surface have equal units.
    y : array of shape (n,)
        Targets, less their mean if the model has no column of ones.
    learning_rate : float, optional
        The step size η > 0; by default half the largest stable one.
    batch_size : int, optional
        Rows in a batch; all n by default.
    start : pair of float, default (0, 0)
        The first point.
    steps : int, default 60
        Number of steps of the whole walk.
    step : int, optional
        Where the walk stands: the number of steps taken; by default all. Played, it walks.
    names : pair of str, optional
        The parameters.

    Raises
    ------
    ValueError
        If X has not two independent columns, shapes disagree, an entry is not finite, or a setting is out of range.

    Examples
    --------
    >>> explorer = DescentExplorer([[1.0, 1.0], [1.0, -1.0]], [3.0, 1.0], learning_rate=0.5)
    >>> np.round(explorer.result()["parameters"][1], 6).tolist()
    [2.0, 1.0]
    >>> explorer.learning_rate = 1.5
    >>> explorer.result()["diverged_at"]
    20
    """

    learning_rate = Slider(
        "Rate η",  # short: its readout is long
        1e-12,
        default=0.1,
        shown=lambda self: (self.limit / 100, 2 * self.limit),
        log=True,
        places=200,
        first=True,
    )
    batch_size = Count(
        "Batch size",
        least=1,
        most=lambda self: len(self.y),
        bound="the number of observations",
        stops=lambda self: _sizes(self),
    )
    start_1 = Slider(lambda self: f"Start, {self.names[0]}", shown=lambda self: self._around(0), default=0.0)
    start_2 = Slider(lambda self: f"Start, {self.names[1]}", shown=lambda self: self._around(1), default=0.0)
    sign = Choice(
        "Sign of the step",
        {"minus": "− (downhill)", "plus": "+ (uphill, as printed)"},
        help="Downhill, or uphill as in the printed equation.",
    )
    seed = Seed(
        "Deal other batches",
        used=lambda self: {"batch_size": _sizes(self)[:-1]},
        help="In which order rows are dealt, where a batch is not all of them.",
    )
    step = Count("Step", most=lambda self: self.steps, bound="the number of steps", of=True, play=12)

    def __init__(  # noqa: PLR0913
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        start: Sequence[float] = (0.0, 0.0),
        steps: int = 60,
        step: int | None = None,
        names: Sequence[str] | None = None,
        **kit: Any,
    ) -> None:
        self.X, index, _ = read_table(X, "X")
        if self.X.shape[1] != 2:
            raise ValueError(f"X must have 2 columns, got {self.X.shape[1]}")
        self.y = read_targets(y, len(self.X), index=index).values
        factors = spectrum(self.X, centre=False)
        if factors.rank < 2:
            raise ValueError(f"the columns of X must be independent, got rank {factors.rank}")
        self.steps = check_count(steps, "steps")
        start = [check_real(value, "start") for value in start]
        if len(start) != 2:
            raise ValueError(f"start must be 2 numbers, got {len(start)}")
        self.best, self.limit = factors.coefficients(self.y).coef, largest_stable_step(self.X)
        self.reach = 1.2 * max(np.abs(start - self.best).max(), np.abs(self.best).max())
        self.names = check_labels(names or ["first parameter", "second parameter"], 2, "names", rows="parameters")
        data = {
            "X": self.X,
            "y": self.y,
            "steps": self.steps,
            "names": self.names,
            "best": self.best,
            "least_loss": mean_squared_error(self.X, self.y, self.best),
            "curvatures": 2 * factors.singular_values**2 / len(self.y),
            "directions": factors.directions,
            "largest_stable_step": self.limit,
            "growth_limit": GROWTH_LIMIT,
            "reach": self.reach,
        }
        alt = f"Gradient descent for {len(self.y)} observations and two slopes: the loss surface, the path, the loss."
        traits = {
            "learning_rate": self.limit / 2 if learning_rate is None else learning_rate,
            "batch_size": len(self.y) if batch_size is None else batch_size,
            "start_1": start[0],
            "start_2": start[1],
            "step": self.steps if step is None else step,
        }
        super().__init__(**{"data": data, "alt": alt} | traits | kit)

    def _around(self, k: int) -> tuple[float, float]:
        return self.best[k] - self.reach, self.best[k] + self.reach

    def trajectory(self, *, step: int | None = None) -> Trajectory:
        """Return the descent now shown, walked by the package, up to ``step`` where that is given."""
        knobs = {
            "learning_rate": self.learning_rate,
            "start": [self.start_1, self.start_2],
            "sign": SIGNS[self.sign],
        }
        n, step = len(self.y), self.step if step is None else step
        if step == 0:  # a descent of the package takes at least one step
            first = gradient_descent(self.X, self.y, steps=1, **(knobs | {"learning_rate": 1e-12}))
            return replace(first, parameters=first.parameters[:1], losses=first.losses[:1])
        if self.batch_size == n:
            return gradient_descent(self.X, self.y, steps=step, **knobs)
        rows = page_batches(n, size=self.batch_size, steps=step, seed=self.seed)
        return stochastic_gradient_descent(self.X, self.y, rows, **knobs)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``parameters`` (a list of points) and ``losses`` (as long), ``diverged_at`` (a step or None),
            ``largest_stable_step`` and ``least_loss``.
        """
        path = self.trajectory()
        return {
            "parameters": path.parameters.tolist(),
            "losses": path.losses.tolist(),
            "diverged_at": path.diverged_at,
            "largest_stable_step": self.data["largest_stable_step"],
            "least_loss": self.data["least_loss"],
        }
