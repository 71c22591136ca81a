"""Figures of chapter 5: curves that attention draws through data, and one query's weights under several kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from regattn.figures._style import COLOURS, looks, new_axes

__all__ = ["plot_fits", "plot_query_weights"]


def plot_fits(
    x: np.ndarray,
    y: np.ndarray,
    fits: Mapping[str, np.ndarray],
    *,
    query: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw observations and one curve for each fit, in order of x.

    Parameters
    ----------
    x, y : ndarrays of shape (n,)
        The observations.
    fits : mapping of name to ndarray of shape (n,)
        Fitted values at the observations.
    query : float, optional
        A value of x to mark.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one scatter and one line for each fit (before them, the mark if there is one).
    """
    ax = new_axes(ax)
    ax.scatter(x, y, s=12, color=COLOURS["neutral"], alpha=0.6, linewidths=0)
    order = np.argsort(x)
    if query is not None:
        ax.axvline(query, color=COLOURS["query"], linewidth=1.0)
    for (name, fit), (colour, dash) in zip(fits.items(), looks(without=COLOURS["query"]), strict=False):
        ax.plot(np.asarray(x)[order], np.asarray(fit)[order], color=colour, linestyle=dash, label=name)
    ax.legend()
    return ax


def plot_query_weights(
    x: np.ndarray, weights: Mapping[str, np.ndarray], *, query: float, axes: Sequence[Axes] | None = None
) -> Sequence[Axes]:
    """Draw the weights of one query against x, one panel below the other for each kernel.

    Parameters
    ----------
    x : ndarray of shape (n,)
        The observations.
    weights : mapping of name to ndarray of shape (n,)
        One row of weights for each kernel.
    query : float
        Where the query stands.
    axes : sequence of Axes, optional
        As many as there are kernels.

    Returns
    -------
    sequence of Axes
        Each with one scatter of n points, blue above zero and orange below.
    """
    if axes is None:
        size = (plt.rcParams["figure.figsize"][0], 1.35 * len(weights) + 0.4)
        axes = np.atleast_1d(plt.subplots(len(weights), 1, figsize=size, sharex=True)[1])
    for ax, (name, row) in zip(axes, weights.items(), strict=True):
        colours = np.where(np.asarray(row) >= 0, COLOURS["positive"], COLOURS["negative"])
        ax.axhline(1 / len(row), color=COLOURS["neutral"], linewidth=0.8, linestyle="--")
        ax.axvline(query, color=COLOURS["query"], linewidth=1.0)
        ax.scatter(x, row, s=12, c=colours, linewidths=0)
        ax.set_title(name)
        ax.set_ylabel("weight")
    return axes
