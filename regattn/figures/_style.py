"""One look for every figure: colours by role, one size that stays readable on a phone, one file of defaults."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from regattn._colours import ROLES

__all__ = ["COLOURS", "SEQUENCE", "SIGNS", "new_axes", "use_style"]

COLOURS = MappingProxyType({role: light for role, (light, _) in ROLES.items()})
"""The colour of each role, the same in every figure and explorer."""

SEQUENCE = tuple(COLOURS[role] for role in ("key", "negative", "leave-one-out", "query", "test", "value"))
"""Colours for things without a role, in order; :func:`looks` goes on where they end."""

SIGNS = LinearSegmentedColormap.from_list("signs", [COLOURS["negative"], "white", COLOURS["positive"]])
"""Shades of numbers with signs, white at zero."""

SMALL = 9.7
"""Points of the smallest letters: nine pixels where a figure of 419 points fills a phone of 390 pixels."""

SHARE = 0.88  # of the way from one bar to the next

DASHES = ("-", "--", "-.", ":")


def looks(*, without: str = "") -> Iterator[tuple[str, str]]:
    """Yield a colour and a kind of line for each of any number of things; the first twenty pairs differ.

    Examples
    --------
    >>> from itertools import islice
    >>> list(islice(looks(), 2)) == [(COLOURS["key"], "-"), (COLOURS["negative"], "--")]
    True
    >>> len(set(islice(looks(without=COLOURS["query"]), 20)))
    20
    """
    colours = [colour for colour in SEQUENCE if colour != without]
    for turn in count():
        for place, colour in enumerate(colours):
            yield colour, DASHES[(place + turn) % len(DASHES)]


def dates(index: Any) -> Any:
    """Return where an index stands on an axis: periods at their beginning, everything else as it is."""
    return index.to_timestamp() if isinstance(index, pd.PeriodIndex) else index


def use_style() -> None:
    """Make every later figure follow the book's style, drawn as SVG in notebooks.

    Examples
    --------
    >>> use_style()
    >>> plt.rcParams["axes.spines.top"]
    False
    """
    plt.style.use(Path(__file__).with_name("book.mplstyle"))
    plt.rcParams["axes.prop_cycle"] = plt.cycler(color=SEQUENCE)
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:  # outside notebooks there is no inline backend, and no format to choose
        return
    set_matplotlib_formats("svg", metadata={"Date": None})


def new_axes(ax: Axes | None, *, height: float = 3.3) -> Axes:
    """Return ``ax``, or the axes of a new figure of the book's width and the given height in inches.

    Examples
    --------
    >>> ax = new_axes(None, height=2.0)
    >>> float(ax.figure.get_figheight())
    2.0
    >>> new_axes(ax) is ax
    True
    """
    if ax is not None:
        return ax
    return plt.subplots(figsize=(plt.rcParams["figure.figsize"][0], height))[1]


def bar_width(index: pd.Index) -> float | None:
    """Return how wide bars may be that stand at dates (in days) or numbers and do not touch; None for names."""
    if isinstance(index, pd.PeriodIndex):
        gaps = (index + 1).to_timestamp() - index.to_timestamp()
    elif isinstance(index, pd.DatetimeIndex) or (is_numeric_dtype(index) and not is_bool_dtype(index)):
        places = index.unique().sort_values()
        gaps = places[1:] - places[:-1]
    else:
        return None
    least = gaps.min() if len(gaps) else 1.0
    return SHARE * float(least / pd.Timedelta(days=1) if isinstance(least, pd.Timedelta) else least)
