"""Figures of chapters 3 and 4: weights, spectra and paths over the penalty."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from regattn._tables import numbers
from regattn._validation import check_count
from regattn.figures._style import COLOURS, bar_width, dates, new_axes
from regattn.regression.spectral import Spectrum

__all__ = [
    "plot_directions",
    "plot_forecast",
    "plot_weights",
]


LEAST = 0.4  # points around a bar, so that one of a day among years is seen


def _signs(weights: np.ndarray) -> list[str]:
    return [COLOURS["positive"] if w >= 0 else COLOURS["negative"] for w in weights]


def plot_forecast(targets: pd.Series, weights: pd.Series, forecast: pd.Series, *, ax: Axes | None = None) -> Axes:
    """Draw a history whose points grow with the weight a forecast gives them, and the forecast at its end.

    Parameters
    ----------
    targets : Series of length n, indexed by date
        The training targets, in their units.
    weights : Series of length n
        The forecast's weight on each of them; blue above zero, orange below.
    forecast : Series of length 1
        The forecast at its date.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With one line, one scatter of the targets and one marker for the forecast.
    """
    ax = new_axes(ax)
    at = dates(targets.index)
    ax.plot(at, targets, color=COLOURS["neutral"], linewidth=0.9, zorder=1)
    size = 260 * np.abs(weights) / (np.abs(weights).max() or 1.0)
    ax.scatter(at, targets, s=size, c=_signs(weights), alpha=0.75, linewidths=0, zorder=2)
    ax.plot(dates(forecast.index), forecast, "D", color=COLOURS["prediction"], markersize=8, label="forecast", zorder=3)
    ax.plot([], [], "o", color=COLOURS["positive"], label="weight above zero")
    ax.plot([], [], "o", color=COLOURS["negative"], label="below zero")
    ax.legend(loc="upper right", ncols=1, handletextpad=0.2)
    return ax


def plot_weights(
    weights: pd.Series, *, top: int | None = None, uniform: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw one row of attention weights as bars, with the uniform weight 1/n as a line.

    Parameters
    ----------
    weights : Series of length n
        One row of weights. Those of dates, periods and numbers stand where these are, as wide as the index is fine;
        those of names lie below each other, in the order given.
    top : int, optional
        Draw only so many, the largest in size; of names the largest on top.
    uniform : float, optional
        A level to mark, such as 1/n.
    ax : Axes, optional
        Where to draw.

    Returns
    -------
    Axes
        With a bar for each weight that is shown.

    Raises
    ------
    ValueError
        If a weight is not a finite number, or ``top`` is not a whole number of at least 1.
    """
    weights = pd.Series(weights)
    weights = pd.Series(numbers(weights, "weights"), weights.index)
    label, width = "weight", bar_width(weights.index)
    if top is not None and check_count(top, "top") < len(weights):
        label = f"weight, the {top} largest of {len(weights)}"
        order = np.argsort(-np.abs(weights.to_numpy(dtype=float)), kind="stable")[:top]
        weights = weights.iloc[order if width is None else np.sort(order)]
    if width is None:
        ax = _lying(weights, new_axes(ax, height=0.24 * len(weights) + 0.9))
        line, name = ax.axvline, ax.set_xlabel
    else:
        ax = new_axes(ax, height=2.8)
        colours = _signs(weights)
        ax.bar(dates(weights.index), weights, width=width, color=colours, edgecolor=colours, linewidth=LEAST)
        line, name = ax.axhline, ax.set_ylabel
    line(0, color=COLOURS["neutral"], linewidth=0.8)
    if uniform is not None:
        line(uniform, color=COLOURS["query"], linewidth=1.2, linestyle="--", label="uniform attention, 1/n")
        ax.legend(loc="upper left" if width is not None else "lower right")
    name(label)
    return ax


def _lying(weights: pd.Series, ax: Axes) -> Axes:
    """Draw a bar for each name, below each other."""
    names = [" ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in weights.index]
    ax.barh(range(len(names)), weights, height=0.7, color=_signs(weights))
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.grid(visible=True, axis="x")
    return ax


def plot_directions(spectrum: Spectrum, X_new: np.ndarray, y: np.ndarray, *, ridge: float) -> np.ndarray:
    """Draw what a ridge penalty does to each direction: the share it keeps, and what the direction adds to a forecast.

    Parameters
    ----------
    spectrum : Spectrum of rank r
        The factorisation of the training rows.
    X_new : ndarray of shape (1, p)
        The row to predict at.
    y : ndarray of shape (n,)
        Training targets.
    ridge : float
        The penalty λ ≥ 0, in squared units of the predictors.

    Returns
    -------
    ndarray of 2 Axes
        Above, r dots at the shares; below, r outlined bars for least squares and r filled ones for the penalty.
    """
    place, kept = np.arange(1, spectrum.rank + 1), spectrum.filter(ridge=ridge)
    added = spectrum.codes(X_new)[0] * (spectrum.scores.T @ y)
    size = (plt.rcParams["figure.figsize"][0], 4.4)
    axes: np.ndarray = plt.subplots(2, 1, figsize=size, sharex=True, height_ratios=[1, 1.4])[1]
    above, below = axes
    above.vlines(place, 0, kept, color=COLOURS["neutral"], linewidth=1.0)
    above.plot(place, kept, "o", color=COLOURS["query"])
    above.axhline(0.5, color=COLOURS["neutral"], linewidth=0.8, linestyle=":")
    above.set(ylabel="share kept", ylim=(0, 1.08), title=f"λ = {ridge:g}")
    below.bar(place, added, facecolor="none", edgecolor=COLOURS["truth"], linewidth=1.0, label="least squares")
    below.bar(place, kept * added, color=COLOURS["query"], label="what the penalty leaves")
    below.axhline(0, color=COLOURS["neutral"], linewidth=0.8)
    below.set(xlabel="direction k, strongest first", ylabel="added to the forecast")
    below.xaxis.set_major_locator(MaxNLocator(integer=True))
    below.legend()
    return axes
