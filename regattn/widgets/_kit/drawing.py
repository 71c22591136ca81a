"""What the plain pictures of several explorers are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from regattn import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_shares", "draw_signed", "draw_table", "mark_rows", "signs"]


def signs(weights: Any) -> np.ndarray:
    """Return the colour of the sign of each weight."""
    return np.where(np.asarray(weights) >= 0, figures.COLOURS["positive"], figures.COLOURS["negative"])


def draw_signed(ax: Axes, x: Any, y: Any, weights: Any) -> None:
    """Draw points, larger with more weight, in the colour of its sign."""
    sizes = np.abs(weights)
    ax.scatter(x, y, s=3 + 70 * sizes / (sizes.max() or 1), c=signs(weights), alpha=0.75, linewidths=0)


def draw_table(ax: Axes, values: Any, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Draw numbers as shades, with words on both sides; nothing where there are no numbers."""
    from matplotlib.colors import LinearSegmentedColormap  # only where there is something to draw

    ax.grid(False)
    if not values:
        ax.set(xticks=[], yticks=[])
        return
    shades = LinearSegmentedColormap.from_list("keys", ["white", figures.COLOURS["key"]])
    ax.imshow(values, cmap=shades, aspect="auto", vmin=0, vmax=2 * np.abs(values).max() or 1)
    for i, j in np.ndindex(np.shape(values)):
        number = values[i][j]
        if abs(number) >= 0.005 and len(columns) <= 14:
            ax.text(
                j,
                i,
                f"{number:.4g}" if number == round(number) else f"{number:.2f}",
                ha="center",
                va="center",
                fontsize=7,
            )
    ax.set_xticks(range(len(columns)), [word[:12] for word in columns], rotation=90, fontsize=8, parse_math=False)
    ax.set_yticks(range(len(rows)), [word[:12] for word in rows], fontsize=8, parse_math=False)


def draw_shares(ax: Axes, words: Sequence[str], shares: Any) -> None:
    """Draw shares of one as bars, the first word on top; nothing where there are none."""
    if shares is None:
        ax.set(xticks=[], yticks=[])
        return
    bars = ax.barh(range(len(words)), shares)
    ax.bar_label(bars, [f"{share:.3f}" for share in shares], fontsize=8, padding=3)
    ax.set_yticks(range(len(words)), [word[:14] for word in words], fontsize=8, parse_math=False)
    ax.invert_yaxis()
    ax.margins(x=0.15)


def mark_rows(ax: Axes, labels: Sequence[str], count: int = 6) -> None:
    """Write about so many of the labels along the horizontal axis."""
    step = max(1, len(labels) // count)
    ax.set_xticks(range(0, len(labels), step), [label[:10] for label in labels[::step]], parse_math=False)
