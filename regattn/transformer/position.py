r"""Position schemes: how a model that averages a set is told the order of the set.

Two act on the encodings (:func:`sinusoidal_positions` is added to them; a learned table takes its place), two on the
scores (:func:`rotate` turns queries and keys, :func:`alibi_columns` widens them). All four leave the one mechanism,
``attend``, as it is.
"""

from __future__ import annotations

import numpy as np
from array_api_compat import is_torch_array
from numpy.typing import ArrayLike

from regattn._types import Array
from regattn._validation import check_array, check_count, check_finite, check_vector, overflow_allowed
from regattn.transformer._rotation import frequencies, rotate_pairs, rotation_angles

__all__ = ["alibi_columns", "alibi_slopes", "frequencies", "rotate", "sinusoidal_positions"]


def sinusoidal_positions(positions: ArrayLike, width: int, *, base: float = 10_000.0) -> np.ndarray:
    r"""Return one vector per position: sine and cosine of each angle, side by side.

    .. math:: P_{p,2i} = \sin(p\, b^{-2i/D}), \qquad P_{p,2i+1} = \cos(p\, b^{-2i/D})

    Source: eqs. (6) and (7) of [RK]_, with the exponent of the cosine corrected to that of its sine; only then does a
    shift of position act as a rotation, and the product of two rows depend on their distance alone.

    Parameters
    ----------
    positions : array-like of shape (T,)
        Positions, usually 0, 1, 2, …
    width : int
        D, even.
    base : float, default 10000
        b, see :func:`frequencies`.

    Returns
    -------
    ndarray of shape (T, width)
        Rows of squared length D / 2.

    Raises
    ------
    ValueError
        If ``width`` is odd, ``base`` is not positive or a position is not finite.

    Examples
    --------
    >>> sinusoidal_positions([0, 1], 4).round(3)
    array([[0.   , 1.   , 0.   , 1.   ],
           [0.841, 0.54 , 0.01 , 1.   ]])
    """
    angles = rotation_angles(positions, width, base=base)
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(angles), -1)


def rotate(x: Array, positions: ArrayLike, *, base: float = 10_000.0) -> Array:
    r"""Return queries or keys turned by their position (rotary embedding).

    .. math:: \langle R_p q,\, R_t k \rangle = \langle q,\, R_{t-p} k \rangle

    so scores depend on the distance of two tokens and not on where they stand. Values are not turned.

    Parameters
    ----------
    x : array of shape (..., T, D)
        Queries or keys, D even. NumPy array or torch tensor.
    positions : array-like of shape (T,)
        Position of each row.
    base : float, default 10000
        b, see :func:`frequencies`.

    Returns
    -------
    array of shape (..., T, D)
        Rows of unchanged length.

    Raises
    ------
    ValueError
        If D is odd, there are not as many positions as rows, an entry is not finite, or a turned one overflows.

    Examples
    --------
    >>> rotate(np.array([[1.0, 0.0]]), [np.pi / 2]).round(3)
    array([[0., 1.]])
    """
    x = check_array(x, "x")
    if x.ndim < 2:
        raise ValueError(f"x must have shape (..., T, D), got {tuple(x.shape)}")
    angles = rotation_angles(positions, x.shape[-1], base=base)
    if len(angles) != x.shape[-2]:
        raise ValueError(f"x has shape {tuple(x.shape)} but there are {len(angles)} positions")
    tables = np.cos(angles), np.sin(angles)
    if is_torch_array(x):
        tables = tuple(x.new_tensor(table) for table in tables)
    with overflow_allowed(x):
        turned = rotate_pairs(x, *tables)
    check_finite(turned, "rotated x")
    return turned


def alibi_slopes(n_heads: int) -> np.ndarray:
    r"""Return the slope of each head, :math:`m_h = 2^{-8h/H}` for h = 1, …, H: from near-sighted to far-sighted.

    The formula holds here for every H. Where H is no power of two, Press et al. (2022) take the slopes of the nearest
    power of two below it and, for the heads that are left, every second slope of twice as many heads.

    Parameters
    ----------
    n_heads : int
        H ≥ 1.

    Returns
    -------
    ndarray of shape (n_heads,)
        Penalty on the score per position of distance.

    Raises
    ------
    ValueError
        If ``n_heads`` is not a whole number ≥ 1.

    Examples
    --------
    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    n_heads = check_count(n_heads, "n_heads")
    return 2.0 ** (-8.0 * np.arange(1, n_heads + 1) / n_heads)


def alibi_columns(
    slopes: ArrayLike, query_positions: ArrayLike, key_positions: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    r"""Return two columns for the queries and two for the keys whose inner product is the ALiBi penalty.

    .. math:: -m_h\,(p - t) = \langle (m_h,\, -m_h p),\ (t,\, 1) \rangle

    A bias on the scores needs no second mechanism: it is two more coordinates. (A scale τ multiplies scores, so divide
    the columns of the queries by τ.)

    Parameters
    ----------
    slopes : array-like of shape (H,)
        One slope per head, from :func:`alibi_slopes`.
    query_positions, key_positions : array-like of shape (m,) and (n,)
        Positions p of the queries and t of the keys.

    Returns
    -------
    queries : ndarray of shape (H, m, 2)
        Columns to append to the queries.
    keys : ndarray of shape (H, n, 2)
        Columns to append to the keys.

    Raises
    ------
    ValueError
        If an argument is not a finite vector, or a penalty overflows.

    Examples
    --------
    >>> q, k = alibi_columns([0.5], [2], [0, 1, 2])
    >>> q[0] @ k[0].T
    array([[-1. , -0.5,  0. ]])
    """
    m = check_vector(slopes, "slopes", "(H,)")[:, None]
    p, t = check_vector(query_positions, "query_positions", "(m,)"), check_vector(key_positions, "key_positions")
    with overflow_allowed(p):
        queries = np.stack(np.broadcast_arrays(m, -m * p), axis=-1)
    check_finite(queries, "columns of the queries")
    keys = np.stack(np.broadcast_arrays(t, np.ones_like(m)), axis=-1)
    return queries, keys
