"""The NetworkExplorer: a small network for a yes or a no, trained in the reader's browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._validation import check_count, check_matrix, check_same_width
from regattn.regression.classification import (
    GAINS,
    Network,
    _check_classes,
    make_network,
    network_descent,
)
from regattn.regression.trajectory import GROWTH_LIMIT
from regattn.widgets._kit import Choice, Count, Explorer, Seed, Slider, check_labels
from regattn.widgets._kit.page_rng import mulberry32, page_batches

__all__ = ["NetworkExplorer"]

WORDS = {"tanh": "tanh", "relu": "ReLU", "leaky_relu": "LeakyReLU", "gelu": "GELU", "silu": "SiLU", "identity": "none"}
START = {"step": 0}  # what another setting does to the training
WIDEST = 8
EVERY = 10  # steps between two losses that are kept
SILENT = 1e-9  # an answer below this is none
COARSE = 9  # points along each axis at which the probabilities are reported


class NetworkExplorer(Explorer, panels=["border", "loss", "units"]):
    r"""Show a network of two inputs as it is trained: its border, what each hidden unit answers, and its loss.

    .. math:: \theta_{t+1} = \theta_t - \eta\, (\nabla\mathcal{L}(\theta_t) + \delta\, W_t)

    The browser takes every step itself, from the same start as :func:`regattn.regression.make_network` with numbers of
    a generator that is the same in both languages. Implements :eq:`network` and :eq:`network-descent`.

    Parameters
    ----------
    X : array of shape (n, 2)
        Two inputs of the training rows, standardised.
    y : array of shape (n,)
        Zeros and ones.
    X_held_out, y_held_out : arrays of shape (m, 2) and (m,), optional
        Rows to judge by.
    steps : int, default 1000
        Number of steps of the whole training.
    names : pair of str, optional
        The inputs.
    classes : pair of str, default ("no", "yes")
        What 0 and 1 stand for.
    batch_size : int, optional
        Rows in a batch, from 1 to n; all of them by default.

    Raises
    ------
    ValueError
        If X has not two columns, shapes disagree, an entry is not finite, ``y`` holds anything but zeros and ones, or
        a setting is out of range.

    Examples
    --------
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> explorer = NetworkExplorer(X, y, units_1=4, learning_rate=1.0, step=900)
    >>> explorer.result()["right"]
    1.0
    """

    units_1 = Count(
        "Units in layer 1",
        default=4,
        most=lambda self: WIDEST,
        bound="the widest layer",
        sets=START,
        first=True,
    )
    units_2 = Count(
        "Units in layer 2",
        most=lambda self: WIDEST,
        bound="the widest layer",
        sets=START,
        used={"units_1": list(range(1, WIDEST + 1))},
    )
    activation = Choice("Activation", WORDS, help="What bends the answers of the hidden units.", sets=START)
    learning_rate = Slider(
        "Learning rate η", 1e-6, 1e9, default=1.0, shown=(0.01, 10.0), log=True, sets=START, waits=True
    )
    weight_decay = Slider(
        "Weight decay δ",
        0.0,
        1e6,
        default=0.0,
        shown=(1e-4, 0.1),
        log=True,
        help="Shrinks the weights a little in every step.",
        sets=START,
        waits=True,
    )
    batch_size = Count(
        "Batch size",
        least=1,
        most=lambda self: len(self.y),
        bound="the number of training rows",
        stops=lambda self: [2**k for k in range(3, 64) if 2**k < len(self.y)] + [len(self.y)],
        sets=START,
        waits=True,
    )
    seed = Seed("Draw another start", help="Which weights it begins with, and the order of the batches.", sets=START)
    step = Count("Step", most=lambda self: self.steps, bound="the number of steps", of=True, play=120)

    def __init__(  # noqa: PLR0913
        self,
        X: ArrayLike,
        y: ArrayLike,
        X_held_out: ArrayLike | None = None,
        y_held_out: ArrayLike | None = None,
        *,
        steps: int = 1000,
        names: Sequence[str] | None = None,
        classes: Sequence[str] = ("no", "yes"),
        batch_size: int | None = None,
        **kit: Any,
    ) -> None:
        self.X = check_matrix(X, "X")
        if self.X.shape[1] != 2:
            raise ValueError(f"X must have 2 columns, got {self.X.shape[1]}")
        self.y = _check_classes(y, len(self.X))
        if (X_held_out is None) != (y_held_out is None):
            raise ValueError("give both X_held_out and y_held_out, or neither")
        self.X_held_out, self.y_held_out = np.empty((0, 2)), np.empty(0)
        if X_held_out is not None:
            self.X_held_out = check_matrix(X_held_out, "X_held_out")
            check_same_width(self.X, self.X_held_out, "X", "X_held_out")
            self.y_held_out = _check_classes(y_held_out, len(self.X_held_out), "y_held_out")
        self.steps = check_count(steps, "steps")
        self.names = check_labels(names or ["first input", "second input"], 2, "names", rows="inputs")
        self.classes = check_labels(classes, 2, "classes", rows="classes")
        room = 0.06 * (np.ptp(self.X, axis=0) + (np.ptp(self.X, axis=0) == 0))
        self.low, self.high = self.X.min(axis=0) - room, self.X.max(axis=0) + room
        data = {
            "X": self.X,
            "y": self.y,
            "X_held_out": self.X_held_out,
            "y_held_out": self.y_held_out,
            "steps": self.steps,
            "every": EVERY,
            "coarse_count": COARSE,
            "names": self.names,
            "classes": self.classes,
            "low": self.low,
            "high": self.high,
            "gains": GAINS,
            "growth_limit": GROWTH_LIMIT,
        }
        alt = (
            f"A small network trained step by step on {len(self.y)} rows of two inputs and two classes, "
            f"{self.classes[0]} and {self.classes[1]}: its border, its hidden units, its loss."
        )
        traits = {"batch_size": len(self.y) if batch_size is None else batch_size}
        super().__init__(**{"data": data, "alt": alt} | traits | kit)

    def start(self) -> Network:
        """Return the network before its first step."""
        units = [self.units_1, self.units_2]
        sizes = [2, *units[: units.index(0) if 0 in units else 2]]
        return make_network(sizes, activation=self.activation, draws=mulberry32(self.seed))

    def trained(self, *, step: int | None = None) -> tuple[Network, list[Network], int | None]:
        """Return the network after ``step`` steps, those on its way every ten, and the step at which it ran away."""
        step, start = self.step if step is None else step, self.start()
        if step == 0:  # a descent of the package takes at least one step
            return start, [start], None
        options = {"learning_rate": self.learning_rate, "weight_decay": self.weight_decay}
        n = len(self.y)
        if self.batch_size == n:
            path = network_descent(start, self.X, self.y, steps=step, **options)
        else:
            rows = page_batches(n, size=self.batch_size, steps=step, seed=self.seed)
            path = network_descent(start, self.X, self.y, batches=rows, **options)
        way = [start.at(point) for point in path.parameters[::EVERY]]
        return start.at(path.parameters[-1]), way, path.diverged_at

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``parameters``; ``probabilities`` on a grid over the picture, row by row; ``losses`` and ``held_out`` after
            every tenth step; ``loss`` now; ``right`` and ``right_held_out``, shares or None; ``silent``, the
            number of hidden units that answer nothing to any training row; ``diverged_at``, a step or None.
        """
        network, way, diverged_at = self.trained()
        grid = np.meshgrid(*(np.linspace(self.low[k], self.high[k], COARSE) for k in (0, 1)))
        held = len(self.y_held_out) > 0
        return {
            "parameters": network.parameters.tolist(),
            "probabilities": network.probabilities(np.column_stack([part.ravel() for part in grid])).tolist(),
            "losses": [each.loss(self.X, self.y) for each in way],
            "held_out": [each.loss(self.X_held_out, self.y_held_out) for each in way if held],
            "loss": network.loss(self.X, self.y),
            "right": _right(network, self.X, self.y),
            "right_held_out": _right(network, self.X_held_out, self.y_held_out) if held else None,
            "silent": sum(int((np.abs(h) < SILENT).all(axis=0).sum()) for h in network.hidden(self.X)),
            "diverged_at": diverged_at,
        }


def _right(network: Network, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((network.logits(X) > 0) == (y == 1)))
