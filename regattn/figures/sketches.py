"""Drawings of chapters 21 and 22: an image sent as its nearest code, and a regression read by a layer of attention."""

from __future__ import annotations

from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, new_axes
from regattn.figures.transformer import _arrow, _box

__all__ = ["plot_quantiser", "plot_reading"]

WORDS = 10  # points


def _canvas(ax: Axes | None, height: float, top: float) -> Axes:
    """Return axes of ten by ``top`` without ticks or edges."""
    ax = new_axes(ax, height=height)
    ax.set(xlim=(0, 10), ylim=(0, top), xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return ax


def _write(ax: Axes, at: tuple[float, float], words: str, *, colour: str = "truth") -> None:
    ax.text(*at, words, ha="center", va="center", fontsize=WORDS, color=COLOURS[colour])


def plot_quantiser(*, ax: Axes | None = None) -> Axes:
    """Draw an image's way through encoder, nearest code and decoder, and the slope's way back, which skips the choice.

    Parameters
    ----------
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Without ticks; what is computed goes to the right, slopes come back below.
    """
    ax = _canvas(ax, 2.8, 5.0)
    stops = [1.15, 3.65, 6.35, 8.85]
    for x, name in zip(stops, ("encoder", "nearest code", "decoder", "image again"), strict=True):
        _box(ax, (x, 3.2), name, 1.9, opened=name == "nearest code", size=WORDS)
    for first, second, letter in zip(stops, stops[1:], ("z", "e", ""), strict=False):
        _arrow(ax, (first + 0.95, 3.2), (second - 0.95, 3.2))
        _write(ax, ((first + second) / 2, 3.5), letter)
    _arrow(ax, (stops[0], 4.35), (stops[0], 3.5))
    _write(ax, (stops[0], 4.6), "image")
    for k, x in enumerate((2.9, 3.4, 3.9, 4.4)):
        ax.plot(x, 4.25, "o", color=COLOURS["query" if k == 1 else "neutral"], markersize=8 if k == 1 else 5)
    _write(ax, (3.65, 4.7), "codebook")
    _arrow(ax, (3.4, 4.1), (3.5, 3.5))
    back = {"arrowstyle": "->", "color": COLOURS["negative"], "linewidth": 1.6}
    ax.annotate("", (7.3, 2.5), (8.8, 2.5), arrowprops=back)
    ax.annotate("", (1.2, 2.5), (6.3, 2.5), arrowprops=back | {"connectionstyle": "arc3,rad=-0.35"})
    ax.plot([stops[1]], [2.55], marker="x", color=COLOURS["negative"], markersize=9, mew=2)
    _write(ax, (3.75, 0.95), "the copied slope: as if e were z", colour="negative")
    _write(ax, (8.1, 2.05), "slope", colour="negative")
    _write(ax, (3.65, 2.0), "a choice has none", colour="negative")
    return ax


def plot_reading(*, ax: Axes | None = None) -> Axes:
    """Draw a task, its rows and outcomes as tokens, the layer that reads them, its answer, and what it is told.

    Parameters
    ----------
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        Without ticks; what is computed goes to the right, what is learned comes back below.
    """
    ax = _canvas(ax, 3.2, 5.6)
    _box(ax, (1.2, 3.1), "a task: β, noise", 2.2, size=WORDS)
    tokens = {4.6: "(x₁, y₁)", 3.7: "(x₂, y₂)", 2.8: "…", 1.9: "(xₙ, yₙ)"}
    for y, words in tokens.items():
        if words == "…":
            _write(ax, (4.1, y), words)
        else:
            _box(ax, (4.1, y), words, 1.6, size=WORDS)
            _arrow(ax, (4.9, y), (5.75, 3.25))
    _write(ax, (4.1, 5.3), "tokens")
    _arrow(ax, (2.3, 3.1), (3.2, 3.1))
    _box(ax, (7.0, 3.1), "attention: Ω", 2.4, opened=True, size=WORDS)
    _box(ax, (7.0, 4.75), "each x asks", 1.8, size=WORDS)
    _arrow(ax, (7.0, 4.45), (7.0, 3.4))
    _arrow(ax, (8.2, 3.1), (9.0, 3.1))
    _write(ax, (9.4, 3.1), "ŷ")
    _write(ax, (9.25, 1.55), "target t")
    back = {"arrowstyle": "->", "color": COLOURS["negative"], "linewidth": 1.6}
    ax.plot([9.4, 9.4], [2.8, 1.85], color=COLOURS["negative"], linewidth=1.6)  # t − ŷ
    ax.annotate("", (7.0, 2.75), (9.4, 2.3), arrowprops=back | {"connectionstyle": "angle,angleA=180,angleB=90"})
    _write(ax, (7.9, 2.05), "t − ŷ", colour="negative")
    _write(ax, (6.9, 1.1), "the error moves Ω; then another task", colour="negative")
    _write(ax, (7.0, 0.6), "ŷ = xᵀ Ω Σ xᵢ yᵢ")
    return ax
