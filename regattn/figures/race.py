"""Figures of chapter 7: a comparison of models with its uncertainty."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, new_axes

__all__ = ["plot_race"]


def plot_race(race: pd.DataFrame, *, baseline: str, ax: Axes | None = None) -> Axes:
    """Draw each model's loss relative to a baseline, with two standard errors of the difference on either side.

    Parameters
    ----------
    race : DataFrame indexed by model
        With columns ``difference`` (loss minus the baseline's) and ``standard_error``; the baseline's row may hold
        missing values.
    baseline : str
        The model that the line at zero stands for.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one marker and one bar for each model but the baseline, best on top.
    """
    rows = race.drop(index=baseline).sort_values("difference", ascending=False)
    ax = new_axes(ax, height=0.32 * len(rows) + 0.9)
    places = np.arange(len(rows))
    attention = rows.index.str.startswith("attention")
    colours = np.where(attention, COLOURS["prediction"], COLOURS["key"])
    ax.axvline(0, color=COLOURS["neutral"], linewidth=1.0)
    ax.hlines(
        places,
        rows["difference"] - 2 * rows["standard_error"],
        rows["difference"] + 2 * rows["standard_error"],
        color=colours,
    )
    ax.scatter(rows["difference"], places, c=colours, marker="D", s=26, zorder=3)
    ax.set_yticks(places, rows.index)
    ax.grid(visible=True, axis="x")
    ax.grid(visible=False, axis="y")
    ax.set_xlabel(f"loss minus that of {baseline}, ± 2 standard errors")
    return ax
