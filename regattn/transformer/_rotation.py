"""What turning pairs of coordinates is made of: the angles, and the turn itself."""

from __future__ import annotations

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import ArrayLike

from regattn._types import Array
from regattn._validation import check_count, check_finite, check_numpy, check_real, is_abstract, overflow_allowed


def frequencies(width: int, *, base: float = 10_000.0) -> np.ndarray:
    r"""Return the angular frequencies :math:`\theta_i = b^{-2i/D}`, in radians per position.

    Parameters
    ----------
    width : int
        D, the even number of coordinates; each pair of them shares one frequency.
    base : float, default 10000
        b > 0. The slowest pair turns about 1/b radians per position.

    Returns
    -------
    ndarray of shape (width / 2,)
        Falling from 1.

    Raises
    ------
    ValueError
        If ``width`` is odd or below 2, or ``base`` is not positive or so small that a frequency overflows.

    Examples
    --------
    >>> frequencies(4)
    array([1.  , 0.01])
    """
    width = check_count(width, "width", least=2)
    if width % 2:
        raise ValueError(f"width must be even (coordinates turn in pairs), got {width}")
    base = check_real(base, "base", least=0.0, strictly=True)
    with overflow_allowed(base):
        turns = base ** (-np.arange(0, width, 2) / width)
    if not is_abstract(turns):  # nor is there a number to be written
        check_finite(turns, f"frequencies with base {base:g}")
    return turns


def rotation_angles(positions: ArrayLike, width: int, *, base: float = 10_000.0) -> np.ndarray:
    r"""Return the angle :math:`p\,\theta_i` of every pair at every position, shape (T, width / 2), in radians.

    Examples
    --------
    >>> rotation_angles([0, 1, 2], 4)
    array([[0.  , 0.  ],
           [1.  , 0.01],
           [2.  , 0.02]])
    """
    positions = check_numpy(positions, "positions")
    if positions.ndim != 1:
        raise ValueError(f"positions must be one-dimensional, got shape {positions.shape}")
    turns = frequencies(width, base=base)
    with overflow_allowed(positions):
        angles = positions[:, None] * turns
    check_finite(angles, "angles")
    return angles


def rotate_pairs(x: Array, cosines: Array, sines: Array) -> Array:
    """Return ``x``, shape (..., T, D), with coordinates 2i and 2i + 1 turned by the angle whose cosine is given.

    Examples
    --------
    A quarter turn:

    >>> rotate_pairs(np.array([[3.0, 4.0]]), np.array([[0.0]]), np.array([[1.0]]))
    array([[-4.,  3.]])
    """
    xp = array_namespace(x)
    even, odd = x[..., 0::2], x[..., 1::2]
    return xp.reshape(xp.stack((even * cosines - odd * sines, even * sines + odd * cosines), axis=-1), tuple(x.shape))
