"""Figures of chapter 11: tables of counts with their words, neighbours of a word, and shares by theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from regattn.figures.style import COLOURS, SEQUENCE, new_axes

__all__ = ["plot_neighbours", "plot_tables", "plot_themes"]

SHADES = LinearSegmentedColormap.from_list("counts", ["#FFFFFF", COLOURS["key"]])
CELL = 0.42  # inches


def plot_tables(
    tables: Mapping[str, pd.DataFrame], *, decimals: int = 2, axes: Sequence[Axes] | None = None
) -> Sequence[Axes]:
    """Draw small tables side by side, words on both sides, each number in its cell, darker for larger.

    Parameters
    ----------
    tables : mapping of title to DataFrame
        Non-negative numbers; rows look, columns are looked at. Each table has its own scale of shades.
    decimals : int, default 2
        Decimals to print in a table that is not whole numbers; zero cells are left blank.
    axes : sequence of Axes, optional
        As many as there are tables.

    Returns
    -------
    sequence of Axes
        One for each table, each with an image and a text for each cell that is not zero.
    """
    if axes is None:
        width = plt.rcParams["figure.figsize"][0]
        height = CELL * max(len(table) for table in tables.values()) + 1.1
        ratios = [table.shape[1] + 1.5 for table in tables.values()]
        axes = plt.subplots(1, len(tables), figsize=(width, height), squeeze=False, width_ratios=ratios)[1][0]
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        numbers = table.to_numpy(dtype=float)
        most = numbers.max() or 1.0
        places = 0 if np.all(numbers == np.round(numbers)) else decimals
        ax.imshow(numbers, cmap=SHADES, vmin=0, vmax=most, aspect="auto")
        for (i, j), number in np.ndenumerate(numbers):
            if number:
                colour = "white" if number > 0.55 * most else COLOURS["truth"]
                ax.text(j, i, f"{number:.{places}f}", ha="center", va="center", color=colour, fontsize=10)
        ax.set_title(title, pad=8)
        ax.set_xticks(range(table.shape[1]), table.columns, rotation=40, ha="right", rotation_mode="anchor")
        ax.set_yticks(range(table.shape[0]), table.index)
        ax.tick_params(length=0)
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
    return axes


def plot_neighbours(closeness: pd.Series, *, ax: Axes | None = None) -> Axes:
    """Draw the neighbours of a word as horizontal bars, the closest on top.

    Parameters
    ----------
    closeness : Series of length k, indexed by word
        How close each neighbour is, closest first.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With k bars.
    """
    ax = new_axes(ax, height=0.24 * len(closeness) + 0.7)
    ax.barh(closeness.index, closeness, color=COLOURS["key"], height=0.7)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.grid(visible=True, axis="x")
    ax.tick_params(axis="y", length=0)
    return ax


def plot_themes(shares: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw how each row divides over a few themes, as stacked horizontal bars.

    Parameters
    ----------
    shares : DataFrame of shape (rows, themes)
        Shares that sum to one in each row.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one bar for each row and theme.
    """
    ax = new_axes(ax, height=0.36 * len(shares) + 1.0)
    left = np.zeros(len(shares))
    for (theme, share), colour in zip(shares.items(), SEQUENCE, strict=False):
        ax.barh(shares.index, share, left=left, color=colour, height=0.62, label=theme)
        for row, (start, part) in enumerate(zip(left, share, strict=True)):
            if part > 0.08:
                ax.text(start + part / 2, row, f"{part:.0%}", ha="center", va="center", color="white", fontsize=10)
        left = left + share.to_numpy()
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=shares.shape[1])
    return ax
