"""Figures of chapter 1: a line through its points, losses step by step, paths on the loss surface, and their clouds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, SMALL, looks, new_axes
from regattn.regression.trajectory import Trajectory

__all__ = ["plot_clouds", "plot_line", "plot_losses", "plot_paths"]


def plot_line(
    x: pd.Series, y: pd.Series, line: Sequence[float], *, named: Sequence[object] = (), ax: Axes | None = None
) -> Axes:
    """Draw observations as points, a straight line through them, and the names of a few.

    Parameters
    ----------
    x, y : Series of length n
        The input and the target, with the same index; a series name becomes the label of its axis.
    line : sequence of two float
        Intercept and slope.
    named : sequence of index entries, optional
        The observations to name.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one scatter of n points, one line, and a ring and a text for each name.
    """
    ax = new_axes(ax)
    ax.scatter(x, y, s=16, color=COLOURS["key"], alpha=0.6, linewidths=0)
    ends = np.array([x.min(), x.max()])
    ax.plot(ends, line[0] + line[1] * ends, color=COLOURS["prediction"])
    for name in named:
        ax.scatter(x[name], y[name], s=44, facecolors="none", edgecolors=COLOURS["prediction"], linewidths=1.2)
        ax.annotate(str(name), (x[name], y[name]), xytext=(6, 3), textcoords="offset points", fontsize=SMALL)
    ax.axhline(0, color=COLOURS["neutral"], linewidth=0.8)
    ax.set(xlabel=x.name, ylabel=y.name)
    return ax


def plot_losses(trajectories: Mapping[str, Trajectory], *, least: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw the loss at every step of some descents, on a logarithmic axis.

    Parameters
    ----------
    trajectories : mapping of name to Trajectory
        The descents; one that diverged ends in a cross.
    least : float, optional
        The smallest loss there is, drawn as a level.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one line for each trajectory, and one marker for each that diverged.
    """
    ax = new_axes(ax)
    for (name, path), (colour, dash) in zip(trajectories.items(), looks(), strict=False):
        ax.plot(np.arange(len(path.losses)), path.losses, color=colour, linestyle=dash, label=name)
        if path.diverged_at is not None:
            ax.plot(len(path.losses) - 1, path.losses[-1], "X", color=colour, markersize=8)
    if least is not None:
        ax.axhline(least, color=COLOURS["neutral"], linewidth=1.0)
        ax.text(
            0.99,
            0.93 * least,
            "least squares",
            ha="right",
            va="top",
            fontsize=SMALL,
            transform=ax.get_yaxis_transform(),
        )
    ax.set(yscale="log", xlabel="step", ylabel="loss")
    if least is not None:
        ax.set_ylim(bottom=0.5 * least)
    ax.legend()
    return ax


def plot_paths(
    loss: np.ndarray,
    grid: tuple[np.ndarray, np.ndarray],
    trajectories: Mapping[str, Trajectory],
    *,
    names: Sequence[str] = ("first parameter", "second parameter"),
    axes: Sequence[Axes] | None = None,
) -> Sequence[Axes]:
    """Draw paths over the contours of a loss of two parameters, one panel for each, with the same limits.

    Parameters
    ----------
    loss : ndarray of shape (k, l)
        The loss over the grid, one row for each value of the second parameter.
    grid : pair of ndarray of shape (l,) and (k,)
        Values of the first and of the second parameter; they are also the limits.
    trajectories : mapping of title to Trajectory
        Paths of two parameters.
    names : sequence of two str
        The parameters.
    axes : sequence of Axes, optional
        As many as there are trajectories.

    Returns
    -------
    sequence of Axes
        Each with one set of contours, one path, a circle at its start and a cross at the lowest point of the grid.
    """
    axes = _side_by_side(len(trajectories), axes)
    row, column = np.unravel_index(loss.argmin(), loss.shape)
    levels = loss.min() + (loss.max() - loss.min()) * np.geomspace(1e-3, 1, 10)
    for ax, (title, path) in zip(axes, trajectories.items(), strict=True):
        ax.contour(*grid, loss, levels=levels, colors=COLOURS["neutral"], linewidths=0.6, alpha=0.6)
        ax.plot(*path.parameters.T, ".-", color=COLOURS["key"], linewidth=1.2, markersize=4)
        ax.plot(*path.parameters[0], "o", color=COLOURS["query"], markersize=6)
        ax.plot(grid[0][column], grid[1][row], "P", color=COLOURS["truth"], markersize=7)
        ax.set(title=title, xlabel=names[0], xlim=grid[0][[0, -1]], ylim=grid[1][[0, -1]])
        ax.grid(visible=False)
    axes[0].set_ylabel(names[1])
    for ax in axes[1:]:
        ax.tick_params(labelleft=False)
    return axes


def plot_clouds(
    clouds: Mapping[str, np.ndarray],
    centre: Sequence[float],
    *,
    names: Sequence[str] = ("first parameter", "second parameter"),
    axes: Sequence[Axes] | None = None,
) -> Sequence[Axes]:
    """Draw where stochastic descents wander, one panel for each, with the same limits around the least-squares point.

    Parameters
    ----------
    clouds : mapping of title to ndarray of shape (steps, 2)
        Points visited.
    centre : sequence of two float
        The least-squares point.
    names : sequence of two str
        The parameters.
    axes : sequence of Axes, optional
        As many as there are clouds.

    Returns
    -------
    sequence of Axes
        Each with one scatter and a cross at the centre.
    """
    axes = _side_by_side(len(clouds), axes)
    reach = 1.05 * max(np.quantile(np.abs(points - centre), 0.999) for points in clouds.values())
    for ax, (title, points) in zip(axes, clouds.items(), strict=True):
        ax.scatter(*points.T, s=2, color=COLOURS["key"], alpha=0.25, linewidths=0, rasterized=True)
        ax.plot(*centre, "P", color=COLOURS["truth"], markersize=7)
        ax.set(
            title=title,
            xlabel=names[0],
            xlim=(centre[0] - reach, centre[0] + reach),
            ylim=(centre[1] - reach, centre[1] + reach),
        )
        ax.grid(visible=False)
    axes[0].set_ylabel(names[1])
    for ax in axes[1:]:
        ax.tick_params(labelleft=False)
    return axes


def _side_by_side(count: int, axes: Sequence[Axes] | None) -> Sequence[Axes]:
    if axes is not None:
        return axes
    width = plt.rcParams["figure.figsize"][0]
    return plt.subplots(1, count, figsize=(width, width / count + 0.75), squeeze=False)[1][0]
