"""One row of attention from left to right: scores, the kernel, weights, the average."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from regattn.figures._style import COLOURS
from regattn.kernels import Kernel, KernelLike

__all__ = ["plot_steps"]

AREA = 420  # points² of a weight of one
LEAST = 14  # points² of a weight of zero


def plot_steps(
    scores: pd.Series,
    values: Sequence[float],
    *,
    kernel: KernelLike = "softmax",
    names: tuple[str, str, str] = ("score", "weight", "value"),
) -> np.ndarray:
    """Draw what one query does, step by step: its scores, the kernel, the weights, the average of the values.

    Parameters
    ----------
    scores : Series of length n
        The query's score with each key, already scaled, indexed by the keys' names.
    values : sequence of n numbers
        What each key has to say.
    kernel : str or Kernel, default "softmax"
        Turns the scores into weights; one that gives a key its weight by its score.
    names : (str, str, str)
        What scores, weights and values are called here, with their units.

    Returns
    -------
    ndarray of 4 Axes
        Scores as stems, the kernel as a curve with a dot for each key, weights as bars, values as dots whose area
        grows with the size of the weight, with a line at their average.

    Raises
    ------
    ValueError
        If there are not as many values as scores, or the kernel is not one that the package knows.
    """
    if len(values) != len(scores):
        raise ValueError(f"{len(scores)} scores need as many values, got {len(values)}")
    chosen, row = Kernel.of(kernel), scores.to_numpy(dtype=float)
    weights = chosen.weights(row[None])[0]
    places, signs = np.arange(len(row)), [COLOURS["positive" if w >= 0 else "negative"] for w in weights]

    size = (plt.rcParams["figure.figsize"][0], 0.3 * len(row) + 1.15)
    axes: np.ndarray = plt.subplots(1, 4, figsize=size, width_ratios=[1, 1.1, 1, 1.1])[1]
    first, second, third, last = axes
    first.hlines(places, 0, row, color=COLOURS["key"], linewidth=2.0)
    first.plot(row, places, "o", color=COLOURS["key"])
    grid = np.linspace(*_span(row), 200)
    second.plot(grid, _curve(chosen, row, grid), color=COLOURS["neutral"], linewidth=1.2)
    second.scatter(row, weights, s=26, c=signs, zorder=3)
    third.barh(places, weights, height=0.6, color=signs)
    last.scatter(values, places, s=LEAST + AREA * np.abs(weights), c=signs, linewidths=0)
    average = float(weights @ np.asarray(values, dtype=float))
    last.axvline(average, color=COLOURS["prediction"], linewidth=1.6)
    _name(last, average)

    for ax, title, name in zip(axes, ("scores", "kernel", "weights", "average"), (names[0], *names), strict=True):
        ax.set(title=f"{title} →" if ax is not last else title, xlabel=name)
        ax.xaxis.set_major_locator(MaxNLocator(2))
        ax.margins(x=0.2 if ax is last else 0.14)
    for ax in (first, third, last):
        ax.set_ylim(len(row) - 0.4, -0.6)
        ax.set_yticks(places, scores.index if ax is first else [""] * len(row))
        ax.tick_params(axis="y", length=0)
    for ax in (first, third):
        ax.axvline(0, color=COLOURS["neutral"], linewidth=0.8)
    third.xaxis.set_major_formatter(lambda x, _: f"{x:g}".replace("-", "−"))  # 0, not 0.00: the panels are narrow
    second.yaxis.set_major_locator(MaxNLocator(2))
    second.set_ylabel(names[1], labelpad=0)
    reach = 0.12 * (np.ptp(weights) or 1.0)
    second.set_ylim(weights.min() - reach, weights.max() + reach)
    return axes


def _name(ax: Axes, average: float) -> None:
    """Write the average beside its line, on the side where there is room."""
    low, high = ax.get_xlim()
    left = average > (low + high) / 2
    ax.annotate(
        f"{average:.2f}",
        (average, 0),
        xycoords=("data", "axes fraction"),
        xytext=(-4 if left else 4, 4),
        textcoords="offset points",
        ha="right" if left else "left",
        color=COLOURS["prediction"],
    )


def _span(row: np.ndarray) -> tuple[float, float]:
    """Return where the curve of the kernel begins and ends: a little beyond the scores."""
    beyond = 0.08 * (np.ptp(row) or 1.0)
    return row.min() - beyond, row.max() + beyond


def _curve(kernel: Kernel, row: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Return the weight that the row's kernel, with the row's normaliser, would give each score of a grid.

    Beside the row a further key with score t gets r = g(t) / (Σ + g(t)); the row's own normaliser gives it r / (1 - r).
    """
    with_one_more = kernel.weights(np.column_stack([np.tile(row, (len(grid), 1)), grid]))[:, -1]
    return with_one_more / (1 - with_one_more) if kernel.rows_sum_to_one else with_one_more
