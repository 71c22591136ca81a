"""Figures of chapter 18: the next word beside its truth, words with their numbers, and what every head is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, cycle

import numpy as np
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, SEQUENCE, new_axes

__all__ = ["plot_probabilities", "plot_words"]


def plot_probabilities(words: Sequence[str], series: Mapping[str, Sequence[float]], *, ax: Axes | None = None) -> Axes:
    """Draw the probability of some words as bars, one group of bars for each word.

    Parameters
    ----------
    words : sequence of n strings
        In the order to show, top down.
    series : mapping of name to sequence of n numbers
        Such as "grammar" and "model"; the first is drawn in the colour of the truth.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one container of bars for each series.
    """
    ax = new_axes(ax, height=0.9 + 0.36 * len(words))
    at, height = np.arange(len(words)), 0.8 / len(series)
    colours = chain((COLOURS["neutral"], COLOURS["prediction"], COLOURS["key"]), cycle(SEQUENCE[1:]))
    for i, ((name, p), colour) in enumerate(zip(series.items(), colours, strict=False)):
        ax.barh(at + (i - (len(series) - 1) / 2) * height, p, height=0.9 * height, color=colour, label=name)
    ax.set_yticks(at, words)
    ax.invert_yaxis()
    ax.set_xlabel("probability")
    ax.grid(visible=True, axis="x")
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower right")
    return ax


def plot_words(words: Sequence[str], values: Sequence[float], *, unit: str, ax: Axes | None = None) -> Axes:
    """Draw one bar per word of a sentence, in reading order.

    Parameters
    ----------
    words : sequence of n strings
        May repeat.
    values : sequence of n numbers
        What each word gets.
    unit : str
        Label of the vertical axis.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With n bars.
    """
    ax = new_axes(ax, height=2.8)
    ax.bar(range(len(words)), values, color=COLOURS["key"], width=0.7)
    ax.set_xticks(range(len(words)), words, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_ylabel(unit)
    return ax
