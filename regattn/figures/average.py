"""Past cases beside each other, larger the more a prediction listens to them."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np

from regattn.figures._style import COLOURS

__all__ = ["plot_averages"]

AREA = 1100  # points² of a weight of one


def plot_averages(
    x: np.ndarray, y: np.ndarray, weights: Mapping[str, np.ndarray], query: float, *, names: tuple[str, str]
) -> np.ndarray:
    """Draw the same cases once for each set of weights, with the prediction that the weights make.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
        Input and outcome of the past cases.
    weights : mapping of title to ndarray of shape (n,)
        Weights that one prediction gives the cases; the area of a point is in proportion to their size.
    query : float
        The input of the case to predict.
    names : pair of str
        What ``x`` and ``y`` measure.

    Returns
    -------
    ndarray of Axes
        One for each set of weights, each with one scatter and one marker at the prediction.
    """
    width = plt.rcParams["figure.figsize"][0]
    axes: np.ndarray = plt.subplots(1, len(weights), figsize=(width, 3.0), sharex=True, sharey=True, squeeze=False)[1][
        0
    ]
    for ax, (title, row) in zip(axes, weights.items(), strict=True):
        colours = [COLOURS["positive"] if weight >= 0 else COLOURS["negative"] for weight in row]
        ax.scatter(x, y, s=6 + AREA * np.abs(row), c=colours, alpha=0.7, linewidths=0)
        ax.axvline(query, color=COLOURS["query"], linewidth=1.0)
        ax.plot(query, row @ y, "D", color=COLOURS["prediction"], markersize=8)
        ax.set(title=title, xlabel=names[0])
        ax.margins(0.16)
    axes[0].set_ylabel(names[1])
    return axes
