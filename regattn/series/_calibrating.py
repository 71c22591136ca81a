"""Bands that hold what they promise: by how much quantiles are moved after a look at dates that were kept out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["moved", "widening"]


def widening(quantiles: np.ndarray, outcomes: np.ndarray, levels: ArrayLike) -> np.ndarray | None:
    r"""Return by how much each quantile of each date ahead is moved, (h, Q); None where outcomes are too few for it.

    .. math:: \delta_\tau = s_{(\lceil (n + 1) c \rceil)}, \qquad s = \max(q_\tau - y,\ y - q_{1 - \tau})

    c = 1 - 2τ is the share that the band from q_τ to q_(1 - τ) promises.

    The median stays. A level without its counterpart is moved by what its own side misses. Source: split-conformal
    quantile regression, of Romano, Patterson and Candès (2019), at each date ahead.

    Parameters
    ----------
    quantiles : ndarray of shape (N, h, Q)
        Rising, of windows that nothing was learned from.
    outcomes : ndarray of shape (N, h)
        In the same units; NaN where one is missing.
    levels : array of shape (Q,)
        Rising.
    """
    levels = np.asarray(levels, dtype=float)
    found = np.zeros(quantiles.shape[1:])
    for ahead in range(quantiles.shape[1]):
        there = np.isfinite(outcomes[:, ahead])
        q, y = quantiles[there, ahead], outcomes[there, ahead]
        for k in np.flatnonzero(~np.isclose(levels, 0.5)):
            other = int(np.abs(levels + levels[k] - 1).argmin())
            sign = 1 if levels[k] > 0.5 else -1
            scores, share = sign * (y - q[:, k]), max(levels[k], 1 - levels[k])
            if np.isclose(levels[k] + levels[other], 1):
                scores, share = np.maximum(scores, sign * (q[:, other] - y)), 2 * share - 1
            rank = int(np.ceil(round((len(y) + 1) * share, 9)))
            if rank > len(y):
                return None
            found[ahead, k] = sign * np.partition(scores, rank - 1)[rank - 1]
    return found


def moved(quantiles: np.ndarray, by: np.ndarray, point: int) -> np.ndarray:
    """Return quantiles, (N, h, Q), moved ``by`` (h, Q) and still rising, that of place ``point`` moved and no more."""
    found = quantiles + by
    found[..., point:] = np.maximum.accumulate(found[..., point:], axis=-1)
    found[..., point::-1] = np.minimum.accumulate(found[..., point::-1], axis=-1)
    return found
