"""Named curves over one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, SMALL, dates, looks, new_axes

__all__ = ["plot_curves"]


def plot_curves(
    curves: Mapping[str, Sequence[float]],
    *,
    x: Sequence[float] | None = None,
    log: str = "",
    mark: float | None = None,
    names: str = "legend",
    ax: Axes | None = None,
) -> Axes:
    """Draw named curves over one axis; names that are roles (train, test, leave-one-out) take the role's colour.

    Parameters
    ----------
    curves : mapping of name to sequence of k numbers
        What to draw.
    x : sequence of k numbers, optional
        Where the numbers stand: penalties, ranks, steps, dates. 0, 1, 2, … by default.
    log : {"", "x", "y", "xy"}, default ""
        Which axes are logarithmic.
    mark : float, optional
        A place on the horizontal axis to mark.
    names : {"legend", "end"}, default "legend"
        Whether the names stand in a legend or at the right end of the curves.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one line for each curve.

    Raises
    ------
    ValueError
        If ``log`` or ``names`` is none of the words above.
    """
    if log not in ("", "x", "y", "xy"):
        raise ValueError(f'log must be "", "x", "y" or "xy", got {log!r}')
    if names not in ("legend", "end"):
        raise ValueError(f'names must be "legend" or "end", got {names!r}')
    ax = new_axes(ax)
    for (name, curve), (colour, dash) in zip(curves.items(), looks(), strict=False):
        at = np.arange(len(curve)) if x is None else np.asarray(dates(x))
        colour = COLOURS.get(name, colour)
        ax.plot(at, curve, color=colour, linestyle=dash, label=name)
        if names == "end":
            end = (at[-1], curve[-1])
            ax.annotate(name, end, xytext=(5, 0), textcoords="offset points", color=colour, va="center", fontsize=SMALL)
    ax.set(**{f"{axis}scale": "log" for axis in log})
    if mark is not None:
        ax.axvline(mark, color=COLOURS["query"], linewidth=1.0)
    if names == "legend":
        ax.legend()
    return ax
