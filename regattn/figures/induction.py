"""The picture of an induction head: what two layers write into the slots of each token, and where the last looks."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from regattn.figures._style import COLOURS, SMALL, new_axes

__all__ = ["plot_induction"]

SLOTS = ("place", "the word before", "its word")  # from below
LEAST = 0.01  # a weight that is drawn


def plot_induction(words: Sequence[str], weights: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw three slots for each token of a text, the step back of layer 1 and the weights of layer 2 at the last token.

    Parameters
    ----------
    words : sequence of n str
        The text so far, its start mark included.
    weights : array of shape (n,)
        How much the last token attends to each place in layer 2.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        A column for each token; an arrow from each word to the next token's slot, and one from each place that the last
        token attends to by more than a hundredth, as thick as the weight.

    Raises
    ------
    ValueError
        If there are fewer than two words, or not as many weights.

    Examples
    --------
    >>> ax = plot_induction(["<start>", "wug", "dax", "wug"], [0, 0, 1, 0])
    >>> [text.get_text() for text in ax.texts[-3:]]
    ['wug', 'dax', '3']
    """
    weights = np.asarray(weights, dtype=float)
    if len(words) < 2 or weights.shape != (len(words),):
        raise ValueError(f"{len(words)} words need as many weights and must be two at least, got {weights.shape}")
    ax, last = new_axes(ax, height=2.7), len(words) - 1
    for t in range(1, len(words)):
        _arrow(ax, (t - 1 + 0.12, 1.78), (t - 0.12, 1.24), COLOURS["neutral"], 1.0)
    for s in np.flatnonzero(weights > LEAST):
        _arrow(ax, (s, 2.24), (last, 2.24), COLOURS["value"], 1.0 + 3.0 * weights[s], bend=-0.32)
    for t, word in enumerate(words):
        looked_at = weights[t] > LEAST
        _slot(ax, (t, 2), word, "query" if t == last else "value" if looked_at else "")
        _slot(ax, (t, 1), words[max(t - 1, 0)], "key" if looked_at else "")
        _slot(ax, (t, 0), str(t), "")
    ax.set(xlim=(-0.6, last + 0.6), ylim=(-0.4, 3.5), xticks=[])
    ax.set_yticks(range(3), SLOTS)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


def _slot(ax: Axes, at: tuple[float, float], text: str, role: str) -> None:
    """Write into a slot, on the colour of its role if it has one."""
    colour = COLOURS[role] if role else COLOURS["neutral"]
    box = plt.Rectangle((at[0] - 0.46, at[1] - 0.2), 0.92, 0.4, facecolor=colour if role else "none", edgecolor=colour)
    ax.add_patch(box)
    ink = "white" if role else COLOURS["truth"]
    ax.text(*at, text, ha="center", va="center", fontsize=SMALL, color=ink)


def _arrow(ax: Axes, start: tuple, end: tuple, colour: str, width: float, *, bend: float = 0.0) -> None:
    look = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "connectionstyle": f"arc3,rad={bend}"}
    ax.annotate("", end, start, arrowprops=look)
