"""Whether probabilities mean what they say: their reliability diagram, with what chance allows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from regattn._tables import read_vector
from regattn._validation import check_count, check_real

__all__ = ["Reliability", "reliability"]


class Reliability(NamedTuple):
    """How often predictions came true, bin by bin: a reliability diagram in numbers.

    Attributes
    ----------
    predicted : ndarray of shape (bins,)
        Mean predicted probability in each bin.
    observed : ndarray of shape (bins,)
        Share of the bin's outcomes that were a yes.
    low, high : ndarray of shape (bins,)
        The binomial band: where the observed share of a calibrated forecast falls.
    counts : ndarray of shape (bins,)
        Predictions in each bin.

    Examples
    --------
    >>> reliability([0.2, 0.2, 0.8, 0.8], [0, 0, 1, 1], bins=2).observed
    array([0., 1.])
    """

    predicted: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray

    @property
    def error(self) -> float:
        """The expected calibration error: the gap between predicted and observed, averaged over the predictions."""
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.counts))


def reliability(probabilities: ArrayLike, outcomes: ArrayLike, *, bins: int = 10, level: float = 0.95) -> Reliability:
    """Return how often predictions of about the same probability came true, with binomial bands.

    The bins hold equal numbers of predictions, from the smallest to the largest. The band of a bin has ``level`` of the
    binomial distribution with the mean prediction of the bin; where the predictions inside a bin differ it is a little
    too wide.

    Parameters
    ----------
    probabilities : array of shape (n,)
        Predicted probabilities of a yes, from 0 to 1.
    outcomes : array of shape (n,)
        What happened, zeros and ones; or the true probability of a yes, where it is known.
    bins : int, default 10
        Number of bins, at most n.
    level : float, default 0.95
        Share of calibrated forecasts that fall into the band.

    Returns
    -------
    Reliability
        Predicted and observed shares, the band, and the counts.

    Raises
    ------
    ValueError
        If a probability or an outcome is outside [0, 1], lengths differ, or ``bins`` or ``level`` is out of range.

    Examples
    --------
    >>> found = reliability([0.1, 0.3, 0.6, 0.8], [0, 1, 0, 1], bins=2)
    >>> found.predicted.round(1), found.observed, found.counts
    (array([0.2, 0.7]), array([0.5, 0.5]), array([2, 2]))
    """
    p, index, _ = read_vector(probabilities, "probabilities")
    y = read_vector(outcomes, "outcomes", index=index, of="probabilities").values
    if len(y) != len(p):
        raise ValueError(f"outcomes has {len(y)} entries but there are {len(p)} probabilities")
    for name, values in (("probabilities", p), ("outcomes", y)):
        if values.min() < 0 or values.max() > 1:
            raise ValueError(f"{name} must be between 0 and 1, got {values[(values < 0) | (values > 1)][0]}")
    bins = check_count(bins, "bins", most=len(p), bound="the number of predictions")
    level = check_real(level, "level", least=0.0, most=1.0, strictly=True)
    parts = np.array_split(np.argsort(p, kind="stable"), bins)
    predicted, observed = (np.array([values[rows].mean() for rows in parts]) for values in (p, y))
    counts = np.array([len(rows) for rows in parts])
    low, high = binom.interval(level, counts, predicted.clip(0, 1))
    return Reliability(predicted, observed, np.maximum(low, 0) / counts, high / counts, counts)
