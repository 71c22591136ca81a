"""Figures of chapters 18 and 19: the next word beside its truth, words with numbers, and what heads hand on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, cycle

import numpy as np
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, SEQUENCE, SMALL, new_axes

__all__ = ["plot_exchange", "plot_probabilities", "plot_routes", "plot_words"]

LETTERS = 10  # points of the words of a drawing
_PLATE = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": COLOURS["query"], "linewidth": 1.2}


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


def plot_exchange(
    words: Sequence[str], donor: Sequence[str], *, head: str, next_words: tuple[str, str], ax: Axes | None = None
) -> Axes:
    """Draw how one head is handed over: two sentences, the head at the end of each, and one arrow between them.

    Parameters
    ----------
    words, donor : sequence of n strings
        The sentence that is read, below, and the one in which the head has gathered what goes over, above. Words in
        which they differ are set in colour.
    head : str
        What the head is called.
    next_words : (str, str)
        What may come next in the sentence by itself, and in the donor: it is written behind both.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Without ticks, with a text for each word.

    Raises
    ------
    ValueError
        If the sentences are not of the same length.
    """
    if len(words) != len(donor):
        raise ValueError(f"words and donor must be as long as each other, got {len(words)} and {len(donor)} words")
    ax = _bare(new_axes(ax, height=2.1), (0, 10), (0, 4))
    places = _places([max(pair, key=len) for pair in zip(words, donor, strict=True)], 0.1, 6.2)
    for row, y in ((donor, 3.1), (words, 0.9)):
        for place, word, other in zip(places, row, donor if row is words else words, strict=True):
            look = {"color": COLOURS["key"], "weight": "bold"} if word != other else {}
            ax.text(place, y, word, ha="center", va="center", fontsize=LETTERS, **look)
        ax.text(7.35, y, f"head {head}", ha="center", va="center", fontsize=LETTERS, bbox=_PLATE)
    own, new = next_words
    ax.text(8.4, 3.1, f"→ {new}", va="center", fontsize=LETTERS)
    ax.text(8.4, 0.9, f"→ {new},", va="center", fontsize=LETTERS, color=COLOURS["prediction"])
    ax.text(8.4, 0.25, f"not {own}", va="center", fontsize=LETTERS, color=COLOURS["neutral"])
    arrow = {"arrowstyle": "-|>", "color": COLOURS["prediction"], "linewidth": 2.2}
    ax.annotate("", (7.35, 1.3), (7.35, 2.7), arrowprops=arrow)
    ax.text(7.15, 2.0, "what it gathered", ha="right", va="center", fontsize=LETTERS, color=COLOURS["prediction"])
    return ax


def plot_routes(
    words: Sequence[str],
    above: Mapping[tuple[int, int], str],
    below: Mapping[tuple[int, int], str],
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a sentence with arrows from word to word: one way to read it above, another one below.

    Parameters
    ----------
    words : sequence of n strings
        The sentence.
    above, below : mapping of (from, to) to str
        An arrow for each pair of places, counted from 0, with what is written on it.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Without ticks, with a text for each word and each arrow.
    """
    ax = _bare(new_axes(ax, height=2.7), (0, 10), (-3.2, 3.2))
    places = _places(words, 0.2, 9.8)
    for place, word in zip(places, words, strict=True):
        ax.text(place, 0, word, ha="center", va="center", fontsize=LETTERS + 1)
    for side, arrows in ((1, above), (-1, below)):
        colour = COLOURS["neutral" if side > 0 else "prediction"]
        ends = _ends(list(arrows), places)
        for level, ((first, last), name) in enumerate(zip(ends, arrows.values(), strict=True)):
            top = side * (1.35 + 1.1 * level)
            ax.plot([first, first, last], [0.4 * side, top, top], color=colour, linewidth=1.4)
            arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", (last, 0.4 * side), (last, top), arrowprops=arrow)
            ax.text((first + last) / 2, top + 0.42 * side, name, ha="center", va="center", fontsize=SMALL, color=colour)
    return ax


def _ends(arrows: Sequence[tuple[int, int]], places: np.ndarray) -> list[tuple[float, float]]:
    """Return where arrows begin and end: at one word beside each other, the later and higher ones further out."""
    taken: Counter[tuple[int, bool]] = Counter()
    ends = []
    for pair in arrows:
        at = []
        for here, there in (pair, pair[::-1]):
            aside = 0.12 - 0.24 * taken[here, there > here]
            taken[here, there > here] += 1
            at.append(float(places[here] + (aside if there > here else -aside)))
        ends.append((at[0], at[1]))
    return ends


def _bare(ax: Axes, across: tuple[float, float], up: tuple[float, float]) -> Axes:
    """Return axes for a drawing: without ticks, grid and frame."""
    ax.set(xlim=across, ylim=up, xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return ax


def _places(words: Sequence[str], left: float, right: float) -> np.ndarray:
    """Return where the middles of words stand that fill a line, each with room for its letters."""
    room = np.array([len(word) + 1.6 for word in words])
    return left + (right - left) * (np.cumsum(room) - room / 2) / room.sum()
