"""Who listens to whom: rows of several groups in a line, and an arc from each that is heard to the one that asks."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, SMALL

__all__ = ["plot_arcs"]

WIDEST = 7.0  # points of an arc with the largest weight of all panels
PANEL = 1.15  # inches of one panel


def plot_arcs(
    weights: Mapping[str, Sequence[float]], groups: Sequence[Hashable], *, asks: Hashable, largest: float | None = None
) -> Sequence[Axes]:
    """Draw, one panel below the other, an arc from each row to a new row of one group; wider is more weight.

    Parameters
    ----------
    weights : mapping of title to sequence of n numbers
        The weight of each row for the row that asks.
    groups : sequence of n labels
        Whose row it is; rows of a group stand side by side, in the order given.
    asks : label
        The group whose new row asks; it stands behind that group's rows, as an open circle.
    largest : float, optional
        The size of weight that has the widest arc; by default the largest in all panels.

    Returns
    -------
    sequence of Axes
        One for each title, with a line for each weight that is not zero, in the order of rows.

    Raises
    ------
    ValueError
        If no row belongs to ``asks``, or the numbers of weights and of groups differ.

    Examples
    --------
    >>> axes = plot_arcs({"pooled": [0.5, 0.5], "local": [1.0, 0.0]}, ["a", "b"], asks="a")
    >>> [len(ax.lines) for ax in axes]
    [2, 1]
    """
    names = list(dict.fromkeys(groups))
    if asks not in names:
        raise ValueError(f"asks must be one of {', '.join(map(str, names))}, got {asks!r}")
    for title, row in weights.items():
        if len(row) != len(groups):
            raise ValueError(f"{title!r} has {len(row)} weights for {len(groups)} rows")
    at, query, middles = _places(groups, names, asks)
    most = max(float(np.abs(row).max()) for row in weights.values()) if largest is None else largest
    size = (plt.rcParams["figure.figsize"][0], PANEL * len(weights) + 0.3)
    axes = plt.subplots(len(weights), 1, squeeze=False, sharex=True, figsize=size)[1][:, 0]
    for ax, (title, row) in zip(axes, weights.items(), strict=True):
        for place, weight in zip(at, row, strict=True):
            if weight:
                turn = np.linspace(0, np.pi, 40)
                across = (place + query) / 2 + (place - query) / 2 * np.cos(turn)
                role = "positive" if weight > 0 else "negative"
                width = WIDEST * abs(weight) / most
                height = np.sqrt(abs(place - query)) * np.sin(turn)
                ax.plot(across, height, color=COLOURS[role], linewidth=width, alpha=0.75, solid_capstyle="butt")
        ax.scatter(at, np.zeros(len(at)), s=34, color=COLOURS["key"], zorder=3)
        ax.scatter([query], [0], s=52, facecolor="white", edgecolor=COLOURS["query"], linewidth=2, zorder=4)
        ax.set_title(title, loc="left", pad=2, fontsize=SMALL + 1)
        ax.set(yticks=[], xticks=[], ylim=(-0.5, np.sqrt(np.ptp([*at, query])) + 0.3))
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
    axes[-1].set_xticks(middles, names)
    for ax in axes:
        ax.tick_params(length=0)
    return axes


def _places(
    groups: Sequence[Hashable], names: Sequence[Hashable], asks: Hashable
) -> tuple[np.ndarray, float, list[float]]:
    """Return where each row stands, where the one that asks does, and the middle of each group."""
    at, query, middles, free = np.empty(len(groups)), 0.0, [], 0.0
    for name in names:
        rows = [k for k, group in enumerate(groups) if group == name]
        count = len(rows) + (name == asks)
        at[rows] = free + np.arange(len(rows))
        if name == asks:
            query = free + len(rows)
        middles.append(free + (count - 1) / 2)
        free += count + 1
    return at, query, middles
