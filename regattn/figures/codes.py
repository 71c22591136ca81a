"""The figure of chapter 3 that shows what an encoder does: an ellipse of rows becomes a circle of codes."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS
from regattn.regression.spectral import Spectrum

__all__ = ["plot_codes"]

SPREAD = 2.0  # the ellipse holds the rows whose codes are at most this many standard deviations long


def plot_codes(
    spectrum: Spectrum, X: np.ndarray, X_new: np.ndarray, *, names: tuple[str, str], labels: Mapping[str, int]
) -> np.ndarray:
    """Draw the codes of rows of two predictors above the rows, a query's arrow in both, and named rows projected on it.

    Rows are drawn around their means. A row's dot has the colour and the size of its weight: 1/n, plus the length of
    the query's code times the row's projection on the arrow, which is dashed.

    Parameters
    ----------
    spectrum : Spectrum of rank 2
        The centred factorisation of ``X``.
    X : ndarray of shape (n, 2)
        Training rows.
    X_new : ndarray of shape (1, 2)
        The row that asks.
    names : (str, str)
        What the two predictors measure.
    labels : mapping of name to position
        Rows to name and to project.

    Returns
    -------
    ndarray of 2 Axes
        Codes above, rows below; each with a scatter of n points, a closed curve and an arrow.

    Raises
    ------
    ValueError
        If the factorisation is not of two directions, or not centred.
    """
    if spectrum.rank != 2 or spectrum.centre is None:
        raise ValueError(
            f"a plane needs a centred factorisation of rank 2, got rank {spectrum.rank}, centre {spectrum.centre}"
        )
    codes, query = spectrum.codes(), spectrum.codes(X_new)[0]
    weights = 1 / len(codes) + codes @ query
    turn = np.linspace(0, 2 * np.pi, 201)
    circle = SPREAD / np.sqrt(len(codes)) * np.column_stack([np.cos(turn), np.sin(turn)])
    back = np.linalg.inv(spectrum.embedding())  # from codes to rows
    feet = codes @ np.outer(query, query) / (query @ query)

    size = (plt.rcParams["figure.figsize"][0], 5.4)
    axes: np.ndarray = plt.subplots(2, 1, figsize=size, height_ratios=[1.5, 1])[1]
    _panel(axes[0], codes, circle, query, weights)
    _panel(axes[1], X - spectrum.centre, circle @ back, query @ back, weights)
    ends = feet[[(codes @ query).argmin(), (codes @ query).argmax()]]
    axes[0].plot(*ends.T, color=COLOURS["query"], linewidth=0.8, zorder=1)
    for name, i in labels.items():
        axes[0].plot(*np.column_stack([codes[i], feet[i]]), color=COLOURS["truth"], linewidth=1.2, linestyle="--")
        for ax, points, tip in zip(axes, (codes, X - spectrum.centre), (query, query @ back), strict=True):
            _name(ax, name, points[i], tip)
    axes[0].set(title="codes", xlabel="direction 1", ylabel="direction 2")
    axes[1].set(title="rows, around their means", xlabel=names[0], ylabel=names[1])
    for ax in axes:
        ax.set_aspect("equal", adjustable="datalim")
    return axes


def _name(ax: Axes, name: str, point: np.ndarray, tip: np.ndarray) -> None:
    """Write a name outside its dot; where the arrow is near, on the side that the arrow is not."""
    across = np.array([-tip[1], tip[0]]) @ point / np.linalg.norm(tip)
    beside = np.sign(across * tip[0]) * 9 if abs(across) < 0.35 * np.linalg.norm(point) else 0
    left = point[0] < 0
    place = {"xytext": (-7 if left else 7, beside), "textcoords": "offset points", "va": "center"}
    ax.annotate(name, point, fontsize=10, ha="right" if left else "left", **place)


def _panel(ax: Axes, points: np.ndarray, curve: np.ndarray, tip: np.ndarray, weights: np.ndarray) -> None:
    colours = np.where(weights >= 0, COLOURS["positive"], COLOURS["negative"])
    sizes = 4 + 90 * np.abs(weights) / np.abs(weights).max()
    ax.scatter(*points.T, s=sizes, c=colours, alpha=0.7, linewidths=0)
    ax.plot(*curve.T, color=COLOURS["neutral"], linewidth=1.4)
    ax.annotate(
        "", tip, xytext=(0, 0), arrowprops={"arrowstyle": "-|>", "color": COLOURS["query"], "lw": 2.0, "shrinkB": 0}
    )
    ax.plot(*tip, "D", color=COLOURS["query"], markersize=5)
    ax.grid(False)
    ax.margins(0.12)
