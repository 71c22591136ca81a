"""Figures of chapters 16, 17 and 20: the block, where parameters live, clocks, and the two sides of a forecaster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from regattn.figures._style import COLOURS, SMALL, looks, new_axes

if TYPE_CHECKING:
    from regattn.series import ForecasterDesign

__all__ = ["plot_blueprint", "plot_clocks", "plot_encoder_decoder", "plot_parts"]


def plot_parts(models: Mapping[str, Mapping[str, float]], *, unit: str = "share", ax: Axes | None = None) -> Axes:
    """Draw one stacked bar per model, each part labelled where it has room.

    Parameters
    ----------
    models : mapping of name to mapping of part to size
        Sizes ≥ 0; every model has the same parts.
    unit : str, default "share"
        Label of the axis.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one bar per model and part.
    """
    ax = new_axes(ax, height=1.1 + 0.55 * len(models))
    names = list(models)
    left = np.zeros(len(names))
    longest = max(sum(parts.values()) for parts in models.values())
    for part, (colour, _) in zip(next(iter(models.values())), looks(), strict=False):
        sizes = np.array([models[name][part] for name in names], dtype=float)
        ax.barh(names, sizes, left=left, color=colour, label=part, height=0.62)
        for y, (start, size) in enumerate(zip(left, sizes, strict=True)):
            if size > 0.09 * longest:
                ax.text(start + size / 2, y, f"{size:.3g}", ha="center", va="center", color="white", fontsize=SMALL)
        left += sizes
    ax.invert_yaxis()
    ax.set_xlabel(unit)
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=SMALL)
    return ax


def plot_blueprint(*, ax: Axes | None = None) -> Axes:
    """Draw a decoder-only language model and beside it one of its blocks, "pre", with shapes; both are read downward.

    Parameters
    ----------
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Without ticks; the texts say what each part is, T the tokens, D the width, V the vocabulary.
    """
    ax = new_axes(ax, height=5.4)
    ax.set(xlim=(0, 10), ylim=(10.4, 0), xticks=[], yticks=[])  # read downward, as a text is
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    model = ["tokens  (T)", "embedding, places", "block 1", "…", "block L", "norm", "unembedding", "softmax"]
    shapes = ["", "(T, D)", "(T, D)", "", "(T, D)", "(T, D)", "(T, V)", "(T, V)"]
    heights = np.linspace(0.5, 9.9, len(model))
    for before, after, shape in zip(heights, heights[1:], shapes, strict=False):
        _arrow(ax, (1.7, before + 0.3), (1.7, after - 0.3))
        ax.text(1.85, (before + after) / 2, shape, fontsize=SMALL, va="center")
    for name, y in zip(model, heights, strict=True):
        _box(ax, (1.7, y), name, 2.9, opened="block" in name, size=10)
    parts = {  # what is read off the stream, from above: each sum's branch
        1.9: "norm",
        2.8: "Q, K, V   H times (T, d)",
        3.7: "scores, mask, softmax   (T, T)",
        4.6: "average of V, side by side, $W_O$",
        7.0: "norm",
        7.9: "$W_1$, max(0, ·)   (T, 4D)",
        8.8: "$W_2$   (T, D)",
    }
    ax.add_patch(Rectangle((4.0, 0.55), 5.9, 9.35, fill=False, edgecolor=COLOURS["neutral"], linewidth=0.8))
    _arrow(ax, (4.9, 0.1), (4.9, 10.35))
    for y, name in parts.items():
        _box(ax, (7.55, y), name, 4.5, size=10)
    for start, first, last, sum_at in ((1.2, 1.9, 4.6, 5.5), (6.2, 7.0, 8.8, 9.55)):
        ax.plot([4.9, 7.55], [start, start], color=COLOURS["neutral"], linewidth=1)
        _arrow(ax, (7.55, start), (7.55, first - 0.3))
        for y in [y for y in parts if first <= y < last]:
            _arrow(ax, (7.55, y + 0.3), (7.55, y + 0.6))
        ax.plot([7.55, 7.55], [last + 0.3, sum_at], color=COLOURS["neutral"], linewidth=1)
        _arrow(ax, (7.55, sum_at), (5.1, sum_at))
        ax.text(4.9, sum_at, "+", ha="center", va="center", fontsize=11, bbox=_PLATE | {"boxstyle": "circle,pad=0.15"})
    ax.text(4.75, 3.4, "r  (T, D)", ha="right", va="center", fontsize=SMALL, rotation=90)
    return ax


def plot_clocks(places: Sequence[int], *, width: int = 16, base: float = 10_000.0, ax: Axes | None = None) -> Axes:
    """Draw a row of clocks for each place: the hand of clock i has turned by its speed times the place.

    Parameters
    ----------
    places : sequence of int
        A row each, the first on top.
    width : int, default 16
        D, even; two coordinates make a clock.
    base : float, default 10000
        b of the speeds, see :func:`regattn.transformer.frequencies`.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With a line for each hand, from the middle of its clock: its tip stands to the right by the sine of its angle
        and up by the cosine. Under the clocks stands how many places each takes to go round.

    Examples
    --------
    >>> ax = plot_clocks([0, 5], width=4)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['6.3', '628']
    """
    from regattn.transformer import frequencies, sinusoidal_positions  # torch comes with the room

    readings = sinusoidal_positions(places, width, base=base).reshape(len(places), -1, 2)
    ax = new_axes(ax, height=0.62 * len(places) + 0.7)
    for row, clocks in enumerate(readings):
        for i, (sine, cosine) in enumerate(clocks):
            face = Circle((i, row), 0.42, facecolor="white", edgecolor=COLOURS["neutral"], linewidth=0.8)
            ax.add_patch(face)
            ax.plot([i, i + 0.36 * sine], [row, row - 0.36 * cosine], color=COLOURS["query"], linewidth=1.8)
    around = 2 * np.pi / frequencies(width, base=base)
    ax.set_xticks(range(len(around)), [f"{n:.1f}" if n < 10 else f"{n:,.0f}" for n in around])
    ax.set_yticks(range(len(places)), [f"place {place}" for place in places])
    ax.set(xlim=(-0.6, len(around) - 0.4), ylim=(len(places) - 0.4, -0.6), aspect="equal")
    ax.set_xlabel("places until the hand is round")
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    return ax


def plot_encoder_decoder(design: ForecasterDesign, *, ax: Axes | None = None) -> Axes:
    """Draw a forecaster of one layer on each side after figure 3 of RK, with the shapes of one window on its arrows.

    Parameters
    ----------
    design : ForecasterDesign
        Whose context, horizon, width and outputs are written on the arrows.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Without ticks; the encoder on the left, the decoder on the right, the data rise.
    """
    ax = new_axes(ax, height=4.6)
    ax.set(xlim=(0, 10), ylim=(-0.1, 8.3), xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    past, ahead = f"({design.context}, {design.width})", f"({design.horizon}, {design.width})"
    sides = {  # where labels stand and on which side a row goes round a box
        2.4: (past, 0.15, 0.2, ["value, place, month", "self-attention", "feed-forward"]),
        7.6: (
            ahead,
            -0.15,
            9.8,
            ["place, month", "masked self-attention", "cross-attention", "feed-forward", "linear map"],
        ),
    }
    for x, (shape, beside, round_it, names) in sides.items():
        at = [0.4 + 1.65 * k for k in range(len(names))]
        for below, above in pairwise(at):
            _arrow(ax, (x, below + 0.3), (x, above - 0.3))
            into = "queries  " if above == at[2] and x > 5 else ""
            ha = "left" if beside > 0 else "right"
            ax.text(x + beside, above - 0.55, f"{into}{shape}", ha=ha, fontsize=10, va="center")
        for name, y in zip(names, at, strict=True):
            _box(ax, (x, y), name, 3.9, opened=name == "cross-attention", size=10)
        for y in at[1:3] if x < 5 else at[1:4]:
            _go_round(ax, x, y, round_it)
    ax.plot([2.4, 2.4, 5.0, 5.0], [4.0, 4.2, 4.2, 3.7], color=COLOURS["neutral"], linewidth=1, zorder=1)
    _arrow(ax, (5.0, 3.7), (5.65, 3.7))
    ax.text(4.25, 4.35, f"keys, values  {past}", ha="center", va="bottom", fontsize=10)
    _arrow(ax, (7.6, 7.3), (7.6, 7.95))
    ax.text(7.75, 7.65, f"({design.horizon}, {design.outputs})", fontsize=10, va="center")
    for x, name in ((2.4, "Encoder: what was read"), (7.6, "Decoder: what is to be said")):
        ax.text(x, -0.05, name, ha="center", va="top", fontsize=10)
    return ax


_PLATE = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": COLOURS["neutral"], "linewidth": 0.8}


def _box(
    ax: Axes, at: tuple[float, float], name: str, width: float, *, opened: bool = False, size: float = 8.5
) -> None:
    """Draw a box of one line; one that is opened beside has a stronger edge."""
    x, y = at
    line = {"edgecolor": COLOURS["query"] if opened else COLOURS["neutral"], "linewidth": 1.2 if opened else 0.8}
    ax.add_patch(Rectangle((x - width / 2, y - 0.3), width, 0.6, facecolor="white", zorder=2, **line))
    ax.text(x, y, name, ha="center", va="center", fontsize=size, zorder=3)


def _go_round(ax: Axes, x: float, y: float, side: float) -> None:
    """Draw a row that goes round a box and is added to what comes out of it."""
    line = {"color": COLOURS["neutral"], "linewidth": 1, "zorder": 1}
    ax.plot([x, side, side, x], [y - 0.85, y - 0.85, y + 0.5, y + 0.5], **line)
    plus = {"ha": "center", "va": "center", "fontsize": SMALL, "zorder": 3}
    ax.text(x, y + 0.5, "+", bbox=_PLATE | {"boxstyle": "circle,pad=0.08"}, **plus)


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": COLOURS["neutral"], "linewidth": 1}, zorder=1)
