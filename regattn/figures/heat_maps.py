"""Tables of numbers as shades: attention weights, counts, matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from regattn.figures._style import COLOURS, SIGNS, SMALL

__all__ = ["plot_heat_maps"]

SHADES = LinearSegmentedColormap.from_list("shades", ["white", COLOURS["key"]])
ROW = 0.42  # inches of a row with a label
NUMBER_ROW = 0.5  # inches of a row with numbers and no labels
DARK = 0.55  # share of the darkest shade from which on a number is written in white


def plot_heat_maps(
    maps: Mapping[str, np.ndarray | pd.DataFrame],
    *,
    limit: float | str | None = None,
    decimals: int | None = None,
    names: tuple[str, str] = ("", ""),
    axes: Sequence[Axes] | None = None,
) -> Sequence[Axes]:
    """Draw tables side by side, darker for larger; where a number is negative, blue above zero and red below.

    Parameters
    ----------
    maps : mapping of title to array or DataFrame of shape (m, n)
        What to draw: usually rows are queries and columns keys. A DataFrame's labels are written on both sides, every
        second or third where there is no room for all.
    limit : float or "shared", optional
        The size that gets the darkest shade: a number, the same for all maps; or "shared", the 99th percentile of all
        numbers together. By default each map has its own, its largest.
    decimals : int, optional
        Write each number in its cell with that many decimals, without any in a map of whole numbers; zeros are left
        blank. By default nothing is written.
    names : pair of str
        What the rows and the columns are.
    axes : sequence of Axes, optional
        As many as there are maps.

    Returns
    -------
    sequence of Axes
        One for each map, each with one image and, if asked for, a text for each number that is not zero.

    Raises
    ------
    ValueError
        If ``limit`` is a word other than "shared".
    """
    if isinstance(limit, str) and limit != "shared":
        raise ValueError(f'limit must be a number or "shared", got {limit!r}')
    tables = {title: np.asarray(table, dtype=float) for title, table in maps.items()}
    signed = any(table.min() < 0 for table in tables.values())
    if limit == "shared":
        limit = float(np.quantile(np.abs(np.concatenate([table.ravel() for table in tables.values()])), 0.99))
    axes = _axes(maps, decimals) if axes is None else axes
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        most = float(np.abs(table).max() if limit is None else limit) or 1.0
        shades = {"cmap": SIGNS, "vmin": -most} if signed else {"cmap": SHADES, "vmin": 0.0}
        ax.imshow(table, vmax=most, aspect="auto", interpolation="nearest", **shades)
        if decimals is not None:
            _write(ax, table, most, decimals)
        _label(ax, maps[title])
        ax.set_title(title, pad=8)
        ax.set_xlabel(names[1])
    axes[0].set_ylabel(names[0])
    return axes


def _axes(maps: Mapping[str, np.ndarray | pd.DataFrame], decimals: int | None) -> Sequence[Axes]:
    """Return axes for maps of these sizes in a figure of the book's width."""
    width = plt.rcParams["figure.figsize"][0]
    first = next(iter(maps.values()))
    labelled, rows = isinstance(first, pd.DataFrame), max(len(table) for table in maps.values())
    same = all(_labels(table) == _labels(first) for table in maps.values())
    if decimals is None:
        height = width / len(maps) + (0.7 if labelled else 0.0)
    else:
        height = (ROW if labelled else NUMBER_ROW) * rows + (1.1 if labelled else 0.8)
    ratios = [np.shape(table)[1] + (1.5 if labelled else 0.0) for table in maps.values()]
    size = {"figsize": (width, min(height, 4.5)), "width_ratios": ratios, "sharey": same and labelled}
    return plt.subplots(1, len(maps), squeeze=False, **size)[1][0]


def _labels(table: np.ndarray | pd.DataFrame) -> list[str]:
    return [str(label) for label in table.index] if isinstance(table, pd.DataFrame) else []


def _write(ax: Axes, table: np.ndarray, most: float, decimals: int) -> None:
    places = 0 if np.all(table == np.round(table)) else decimals
    for (i, j), number in np.ndenumerate(table):
        if number:
            colour = "white" if abs(number) > DARK * most else COLOURS["truth"]
            ax.text(j, i, f"{number:.{places}f}", ha="center", va="center", color=colour, fontsize=SMALL)


def _shown(count: int, inches: float, *, room: float = 1.15) -> range:
    """Return the places of labels that have room beside each other: all, or every second or third."""
    return range(0, count, int(np.ceil(count * room * SMALL / 72 / inches)))


def _label(ax: Axes, table: np.ndarray | pd.DataFrame) -> None:
    ax.set(xticks=[], yticks=[])
    if isinstance(table, pd.DataFrame):
        steep = max(len(str(label)) for label in table.columns) > 2
        turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if steep else {}
        box = ax.get_position()
        width, height = ax.figure.get_size_inches() * (box.width, box.height)
        across, down = _shown(table.shape[1], width, room=1.8 if steep else 1.15), _shown(table.shape[0], height)
        ax.set_xticks(across, table.columns[across], fontsize=SMALL, **turned)
        ax.set_yticks(down, table.index[down], fontsize=SMALL)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
