"""Numbers by chance that are the same in Python and in a reader's browser."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["drawn_place", "mulberry32", "page_batches"]


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


def page_batches(n: int, *, size: int, steps: int, seed: int = 1) -> Iterator[np.ndarray]:
    """Yield batches as batches.js deals them in the browser: epochs shuffled by a 32-bit generator (mulberry32).

    For pictures, where two languages must draw the same numbers; for everything else use
    :func:`regattn.regression.descent.batches`.

    Parameters
    ----------
    n, size, steps : int
        Number of observations, rows in a batch, and number of batches.
    seed : int, default 1
        State of the generator.

    Yields
    ------
    ndarray of int
        The rows of one batch.

    Examples
    --------
    >>> [rows.tolist() for rows in page_batches(5, size=2, steps=3)]
    [[4, 2], [1, 0], [3]]
    """
    uniform = mulberry32(seed)
    order: list[int] = []
    for _ in range(steps):
        if not order:
            order = list(range(n))
            for i in range(n - 1, 0, -1):
                j = int(next(uniform) * (i + 1))
                order[i], order[j] = order[j], order[i]
        yield np.array(order[:size])
        order = order[size:]
