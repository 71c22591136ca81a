"""Figures of chapter 17: where parameters live, how the stream grows, what heads look at."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from regattn.figures._style import SEQUENCE, new_axes

__all__ = ["plot_parts"]


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
