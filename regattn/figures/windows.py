"""How a series becomes rows: windows that slide along it, one below the other."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from regattn._validation import check_count
from regattn.figures._style import COLOURS, SMALL

__all__ = ["plot_windows"]


def plot_windows(series: pd.Series, max_lag: int, *, unit: str = "") -> np.ndarray:
    """Draw a series, and below it its windows: the past of each date, what came then, and the window that asks.

    Parameters
    ----------
    series : Series of length T, indexed by date
        Oldest first.
    max_lag : int
        How many values a window has, between 1 and T - 1.
    unit : str
        Of the series.

    Returns
    -------
    ndarray of 2 Axes
        The series as a line, and one row of cells for each date with a full past: ``max_lag`` values in the colour of
        keys and, after them, the value that came. The last row is the query, in its colour, with "?" for what comes.

    Raises
    ------
    ValueError
        If the series is too short for one window and what came after it.
    """
    values, count = series.to_numpy(dtype=float), len(series)
    max_lag = check_count(max_lag, "max_lag", least=1, most=count - 1, bound="the number of dates less one")
    rows = count - max_lag + 1
    after = series.index[-1] + 1 if isinstance(series.index, pd.PeriodIndex) else "next"
    names = [*map(str, series.index), str(after)]

    size = (plt.rcParams["figure.figsize"][0], 1.5 + 0.27 * rows)
    axes: np.ndarray = plt.subplots(2, 1, figsize=size, height_ratios=[1.2, 0.27 * rows], sharex=True)[1]
    line, table = axes
    line.plot(range(count), values, "o-", color=COLOURS["value"], linewidth=1.2)
    line.set_ylabel(unit)
    for row in range(rows):
        asks = row == rows - 1
        for place in range(row, row + max_lag):
            _cell(table, place, row, f"{values[place]:.1f}", "query" if asks else "key")
        _cell(table, row + max_lag, row, "?" if asks else f"{values[row + max_lag]:.1f}", "query" if asks else "value")
    table.set(xlim=(-0.6, count + 0.6), ylim=(rows - 0.4, -0.6))
    table.set_yticks(range(rows), names[max_lag:])
    table.set_xticks(range(0, count + 1, 2), names[::2])
    table.tick_params(length=0)
    line.tick_params(axis="x", length=0)
    table.grid(visible=False)
    table.spines[:].set_visible(False)
    return axes


def _cell(ax: Axes, place: int, row: int, text: str, role: str) -> None:
    """Write a number into its cell: what came is framed, a past is shaded."""
    colour, framed = COLOURS[role], role == "value" or text == "?"
    shade = {"facecolor": "none", "edgecolor": colour} if framed else {"facecolor": colour, "alpha": 0.18}
    ax.add_patch(Rectangle((place - 0.46, row - 0.42), 0.92, 0.84, linewidth=1.0, **shade))
    ax.text(place, row, text, ha="center", va="center", color=colour, fontsize=SMALL)
