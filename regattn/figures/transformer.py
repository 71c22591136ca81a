"""Figures of chapter 17: where parameters live, how the stream grows, what heads look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from regattn.figures.style import COLOURS, SEQUENCE, new_axes

__all__ = ["plot_curves", "plot_head_maps", "plot_parts"]

SHADES = LinearSegmentedColormap.from_list("weights", ["#FFFFFF", COLOURS["key"]])


def plot_parts(models: Mapping[str, Mapping[str, float]], *, unit: str = "share", ax: Axes | None = None) -> Axes:
    """Draw one stacked bar per model, each part labelled where it has room.

    Parameters
    ----------
    models : mapping of name to mapping of part to size
        Sizes ≥ 0; every model has the same parts.
    unit : str, default "share"
        Label of the axis.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one bar per model and part.
    """
    ax = new_axes(ax, height=1.1 + 0.55 * len(models))
    names = list(models)
    left = np.zeros(len(names))
    longest = max(sum(parts.values()) for parts in models.values())
    for part, colour in zip(next(iter(models.values())), SEQUENCE, strict=False):
        sizes = np.array([models[name][part] for name in names], dtype=float)
        ax.barh(names, sizes, left=left, color=colour, label=part, height=0.62)
        for y, (start, size) in enumerate(zip(left, sizes, strict=True)):
            if size > 0.09 * longest:
                ax.text(start + size / 2, y, f"{size:.3g}", ha="center", va="center", color="white", fontsize=9)
        left += sizes
    ax.invert_yaxis()
    ax.set_xlabel(unit)
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=9)
    return ax


def plot_curves(
    curves: Mapping[str, Sequence[float]],
    *,
    x: Sequence[float] | None = None,
    log: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw lines with their names at the right end.

    Parameters
    ----------
    curves : mapping of name to sequence of n numbers
        What to draw.
    x : sequence of n numbers, optional
        Where the numbers stand; 0, 1, 2, … by default.
    log : bool, default False
        Whether the vertical axis is logarithmic.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one line per curve, and its name.
    """
    ax = new_axes(ax)
    for (name, values), colour in zip(curves.items(), SEQUENCE, strict=False):
        at = np.arange(len(values)) if x is None else np.asarray(x)
        ax.plot(at, values, color=colour, label=name)
        ax.annotate(
            name, (at[-1], values[-1]), xytext=(5, 0), textcoords="offset points", color=colour, va="center", fontsize=9
        )
    if log:
        ax.set_yscale("log")
    return ax


def plot_head_maps(
    weights: np.ndarray,
    words: Sequence[str],
    *,
    titles: Sequence[str] | None = None,
    axes: Sequence[Axes] | None = None,
) -> Sequence[Axes]:
    """Draw the attention weights of some heads, one square each: rows look, columns are looked at.

    Parameters
    ----------
    weights : ndarray of shape (H, T, T)
        Non-negative; white is 0, the darkest blue is 1.
    words : sequence of T strings
        Labels of rows and columns.
    titles : sequence of H strings, optional
        "head 1", "head 2", … by default.
    axes : sequence of Axes, optional
        As many as heads.

    Returns
    -------
    sequence of Axes
        Each with one image.
    """
    if axes is None:
        width = plt.rcParams["figure.figsize"][0]
        figure, grid = plt.subplots(
            1, len(weights), figsize=(width, width / len(weights) + 0.7), squeeze=False, sharey=True
        )
        axes = grid[0]
        figure.supxlabel("looked at", fontsize=9)
    titles = [f"head {h + 1}" for h in range(len(weights))] if titles is None else titles
    for ax, head, title in zip(axes, weights, titles, strict=True):
        ax.imshow(head, cmap=SHADES, vmin=0, vmax=1)
        ax.set_title(title, fontsize=10)
        ax.set_xticks(range(len(words)), words, rotation=90, fontsize=8)
        ax.set_yticks(range(len(words)), words, fontsize=8)
        ax.tick_params(length=0)
        ax.grid(visible=False)
    axes[0].set_ylabel("looks")
    return axes
