"""Figures of chapter 12: neighbours of a word, in the table and in sentences, and shares by theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from regattn.figures._style import COLOURS, looks, new_axes

__all__ = ["plot_contexts", "plot_neighbours", "plot_themes"]


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

    Examples
    --------
    >>> ax = plot_neighbours(pd.Series([2.0, 1.0], ["loan", "shore"]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['loan', 'shore']
    """
    ax = new_axes(ax, height=0.24 * len(closeness) + 0.7)
    ax.barh(range(len(closeness)), closeness, color=COLOURS["key"], height=0.7)
    ax.set_yticks(range(len(closeness)), closeness.index)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
    ax.grid(visible=True, axis="x")
    ax.tick_params(axis="y", length=0)
    return ax


def plot_contexts(closeness: pd.DataFrame, *, groups: Mapping[str, Sequence[str]] | None = None) -> np.ndarray:
    """Draw the neighbours of a word once for each context, side by side, every neighbour in one row throughout.

    Parameters
    ----------
    closeness : DataFrame of shape (k, contexts), indexed by word
        How close each neighbour is, one context each; the columns' names are the titles.
    groups : mapping of str to sequence of str, optional
        Neighbours that share a colour, by the name it has in the key; all others are grey.

    Returns
    -------
    ndarray of Axes
        One for each context, each with k bars, on one scale.

    Examples
    --------
    >>> axes = plot_contexts(pd.DataFrame({"table": [2.0, 1.0], "sentence": [0.0, 3.0]}, ["loan", "shore"]))
    >>> [ax.get_title(loc="left") for ax in axes]
    ['table', 'sentence']
    """
    size = (plt.rcParams["figure.figsize"][0], 0.24 * len(closeness) + 1.1)
    axes: np.ndarray = plt.subplots(1, closeness.shape[1], figsize=size, squeeze=False)[1][0]
    for ax, (title, column) in zip(axes, closeness.items(), strict=True):
        plot_neighbours(column, ax=ax)
        ax.set_title(title, fontsize=10, loc="left")
        ax.set_xlim(0, 1.05 * float(closeness.to_numpy().max()))
        if ax is not axes[0]:
            ax.set_yticklabels([])
    if groups is not None:
        colours = [colour for (colour, _), _ in zip(looks(), groups, strict=False)]
        for ax in axes:
            for word, bar in zip(closeness.index, ax.patches, strict=True):
                named = (colour for colour, members in zip(colours, groups.values(), strict=True) if word in members)
                bar.set_color(next(named, COLOURS["neutral"]))
        key = [Patch(color=colour, label=name) for colour, name in zip(colours, groups, strict=True)]
        emptiest = axes[int(closeness.sum().to_numpy().argmin())]
        emptiest.legend(handles=key, loc="lower right", handlelength=1.0, borderaxespad=0.2)
    return axes


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
    for (theme, share), (colour, _) in zip(shares.items(), looks(), strict=False):
        ax.barh(range(len(shares)), share, left=left, color=colour, height=0.62, label=theme)
        for row, (start, part) in enumerate(zip(left, share, strict=True)):
            if part > 0.08:
                ax.text(start + part / 2, row, f"{part:.0%}", ha="center", va="center", color="white", fontsize=10)
        left = left + share.to_numpy()
    ax.set_yticks(range(len(shares)), shares.index)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="y", length=0)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=shares.shape[1])
    return ax
