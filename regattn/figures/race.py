"""Figures of chapter 7: a comparison of models with its uncertainty."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from regattn.figures.dots import plot_dots

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
    rows = race.drop(index=baseline).sort_values("difference")
    sizes = 2 * rows["standard_error"]
    ends = zip(rows["difference"] - sizes, rows["difference"] + sizes, strict=True)
    attention = [name for name in rows.index if name.startswith("attention")]
    ax = plot_dots(
        rows["difference"], intervals=dict(zip(rows.index, ends, strict=True)), line=0, strong=attention, ax=ax
    )
    ax.set_xlabel(f"loss minus that of {baseline}, ± 2 standard errors")
    return ax
