"""Numbers by chance that are the same in Python and in a reader's browser."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["drawn_place", "mulberry32"]


def mulberry32(state: int) -> Iterator[float]:
    """Yield numbers in [0, 1) with 32-bit arithmetic, as the function of that name in maths.js does.

    For pictures, where two languages must draw the same numbers; not for statistics.

    Examples
    --------
    >>> uniform = mulberry32(1)
    >>> [round(next(uniform), 6) for _ in range(3)]
    [0.627074, 0.002736, 0.527447]
    """
    low = 0xFFFFFFFF
    while True:
        state = (state + 0x6D2B79F5) & low
        t = ((state ^ (state >> 15)) * (state | 1)) & low
        t ^= (t + ((t ^ (t >> 7)) * (t | 61))) & low
        yield (t ^ (t >> 14)) / 2**32


def drawn_place(p: np.ndarray, uniform: float) -> int:
    """Return the place that a number in [0, 1) draws from the probabilities ``p``, as ``drawOne`` in the page does.

    Examples
    --------
    >>> [drawn_place(np.array([0.5, 0.0, 0.5, 0.0]), uniform) for uniform in (0.2, 0.5, 0.999)]
    [0, 2, 2]
    """
    last = int(np.flatnonzero(p)[-1])  # rounding may leave the sum below one
    return min(int(np.searchsorted(np.cumsum(p), uniform, side="right")), last)
