"""Figures of chapter 2: small images with their names, regions of a yes and a no, and reliability diagrams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from regattn.figures._style import COLOURS, SIGNS, SMALL, looks
from regattn.regression.calibration import Reliability
from regattn.regression.classification import Network

__all__ = ["plot_images", "plot_regions", "plot_reliability"]

INK = LinearSegmentedColormap.from_list("ink", ["white", COLOURS["truth"]])
MARKS = ("o", "s", "^", "D")


def plot_images(images: np.ndarray, titles: Sequence[str], *, columns: int = 8) -> np.ndarray:
    """Draw small grey images in rows, each below its title; blue above zero and red below where some are negative.

    Parameters
    ----------
    images : ndarray of shape (n, height, width)
        What to draw; all with the same shades.
    titles : sequence of n str
        What stands above each.
    columns : int, default 8
        Images in a row.

    Returns
    -------
    ndarray of Axes, of shape (rows, columns)
        Those beyond the last image are empty.

    Raises
    ------
    ValueError
        If there are not as many titles as images.
    """
    if len(titles) != len(images):
        raise ValueError(f"{len(images)} images need as many titles, got {len(titles)}")
    rows = -(-len(images) // columns)
    width = plt.rcParams["figure.figsize"][0]
    axes = plt.subplots(rows, columns, figsize=(width, rows * (width / columns + 0.45)), squeeze=False)[1]
    most = float(np.abs(images).max()) or 1.0
    shades = {"cmap": SIGNS, "vmin": -most} if np.min(images) < 0 else {"cmap": INK, "vmin": 0.0}
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, image, title in zip(axes.flat, images, titles, strict=False):
        ax.imshow(image, vmax=most, interpolation="nearest", **shades)
        ax.set_title(title, fontsize=SMALL, loc="center")
    return axes


def plot_reliability(diagrams: Mapping[str, Reliability], *, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draw how often predictions came true, with the band in which those of a calibrated forecast fall.

    Parameters
    ----------
    diagrams : mapping of title to Reliability
        One panel each.
    axes : sequence of Axes, optional
        As many as there are diagrams.

    Returns
    -------
    sequence of Axes
        Each with the diagonal, one bar for each band and one marker for each bin.
    """
    if axes is None:
        width = plt.rcParams["figure.figsize"][0]
        axes = plt.subplots(1, len(diagrams), figsize=(width, width / max(2, len(diagrams)) + 0.3), squeeze=False)[1][0]
    for ax, (title, found) in zip(axes, diagrams.items(), strict=True):
        ax.plot([0, 1], [0, 1], color=COLOURS["neutral"], linewidth=1.0)
        ax.vlines(found.predicted, found.low, found.high, color=COLOURS["neutral"], linewidth=6, alpha=0.4)
        ax.plot(found.predicted, found.observed, "o", color=COLOURS["prediction"])
        ax.set(title=title, xlabel="predicted probability", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes[0].set_ylabel("share that came true")
    for ax in axes[1:]:
        ax.tick_params(labelleft=False)
    return axes


def plot_regions(
    networks: Mapping[str, Network],
    X: np.ndarray,
    classes: Sequence[str],
    *,
    names: Sequence[str] = ("first input", "second input"),
    axes: Sequence[Axes] | None = None,
) -> Sequence[Axes]:
    """Draw what networks of two inputs say everywhere, with the border where they are undecided, over the data.

    Parameters
    ----------
    networks : mapping of title to Network
        One panel each.
    X : ndarray of shape (n, 2)
        The data.
    classes : sequence of n str
        What each row is; each kind gets a marker of its own.
    names : sequence of two str
        The inputs.
    axes : sequence of Axes, optional
        As many as there are networks.

    Returns
    -------
    sequence of Axes
        Each with the shades of the probabilities, the border, and one scatter for each kind.
    """
    X, classes = np.asarray(X), np.asarray(classes)
    if axes is None:
        width = plt.rcParams["figure.figsize"][0]
        axes = plt.subplots(1, len(networks), figsize=(width, width / len(networks) + 0.9), squeeze=False)[1][0]
    low, high = X.min(axis=0) - 0.05 * np.ptp(X, axis=0), X.max(axis=0) + 0.05 * np.ptp(X, axis=0)
    grid = np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80))
    points = np.column_stack([part.ravel() for part in grid])
    for ax, (title, network) in zip(axes, networks.items(), strict=True):
        p = network.probabilities(points).reshape(grid[0].shape)
        extent = (low[0], high[0], low[1], high[1])
        ax.imshow(p, cmap=SIGNS, vmin=0, vmax=1, alpha=0.35, extent=extent, origin="lower", aspect="auto")
        if p.min() < 0.5 < p.max():
            ax.contour(*grid, p, levels=[0.5], colors=COLOURS["truth"], linewidths=1.3)
        for kind, mark, (colour, _) in zip(sorted(set(classes)), cycle(MARKS), looks(), strict=False):
            ax.scatter(*X[classes == kind].T, s=9, marker=mark, color=colour, alpha=0.75, linewidths=0, label=kind)
        ax.set(title=title, xlabel=names[0])
        ax.grid(visible=False)
    axes[0].set_ylabel(names[1])
    for ax in axes[1:]:
        ax.tick_params(labelleft=False)
    handles, labels = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(  # below the panels: nowhere inside them is there room
        handles, labels, loc="outside lower center", ncols=len(labels), markerscale=2, handletextpad=0.1
    )
    return axes
