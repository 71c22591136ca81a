"""Values with intervals, a row each: what a table of numbers says at a glance."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, new_axes

__all__ = ["plot_dots"]

LONGEST_LINE = 24  # characters of a name: more would leave no room for the dots on a phone


def plot_dots(
    values: Mapping[str, float],
    *,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    draws: Mapping[str, Sequence[float]] | None = None,
    line: float | None = None,
    strong: Collection[str] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw a dot for each value, one row each and the first on top, with its interval and its single draws.

    Parameters
    ----------
    values : mapping of name to number
        What to draw, also a Series. A row without a finite number stays empty.
    intervals : mapping of name to (low, high), optional
        The ends of a bar through the dot, such as two standard errors on either side; not for every row, perhaps.
    draws : mapping of name to sequence of numbers, optional
        Small dots beside it: a seed, a split or a firm each.
    line : float, optional
        Where an upright line stands: zero, or the value of a rival.
    strong : collection of names, optional
        Rows in the colour of predictions: what the figure is about.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With a row for each value; the caller names the horizontal axis.

    Raises
    ------
    ValueError
        If there is nothing to draw, an interval, a draw or a strong name belongs to no row, or the low end of an
        interval is above the high one.

    Examples
    --------
    >>> ax = plot_dots({"ridge": 1.2, "forest": 1.5}, intervals={"forest": (1.3, 1.7)}, line=1.0)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['ridge', 'forest']
    """
    values = dict(values)  # a Series goes by its names
    names = list(values)
    intervals, draws = dict(intervals or {}), dict(draws or {})
    _check_rows(names, {"intervals": intervals, "draws": draws, "strong": strong})
    for name, (low, high) in intervals.items():
        if low > high:
            raise ValueError(f"the interval of {name!r} must run from low to high, got ({low}, {high})")
    ax = new_axes(ax, height=0.34 * len(names) + 0.9)
    if line is not None:
        ax.axvline(line, color=COLOURS["neutral"], linewidth=1.0)
    for place, name in enumerate(names):
        colour = COLOURS["prediction" if name in strong else "key"]
        if name in intervals:
            ax.plot(intervals[name], [place, place], color=colour)
        if name in draws:
            ax.scatter(
                draws[name], np.full(len(draws[name]), place + 0.24), s=9, color=colour, alpha=0.55, linewidths=0
            )
        ax.scatter([values[name]], [place], s=30, color=colour, zorder=3)
    ax.set_yticks(range(len(names)), [textwrap.fill(str(name), LONGEST_LINE) for name in names])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(visible=True, axis="x")
    ax.grid(visible=False, axis="y")
    return ax


def _check_rows(names: Sequence[str], given: Mapping[str, Collection[str]]) -> None:
    """Raise unless there are rows and everything that is given belongs to one of them."""
    if not names:
        raise ValueError("values must hold at least one number, got none")
    for what, keys in given.items():
        for key in keys:
            if key not in names:
                raise ValueError(f"{what} names {key!r}, which is not one of the values: {', '.join(map(str, names))}")
