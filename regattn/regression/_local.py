r"""What one attention head answers: an average of the outcomes, or a line through them, fitted at each query.

.. math:: (a_j, b_j) = \arg\min_{a,\, b} \sum_i \omega_{ji}\, \bigl(y_i - a - b^\top (x_i - x_j)\bigr)^2
          + \rho\, \lVert b\rVert^2, \qquad \hat y_j = a_j

Weights sum to one. With :math:`\bar x, \bar y` and C the means and the covariance of the rows under them,

.. math:: \hat y_j = \bar y + (x_j - \bar x)^\top (C + \rho I)^{-1} \sum_i \omega_{ji}\, (x_i - \bar x)\, y_i ,

so that row *i* has the weight :math:`\omega_{ji} \bigl(1 + (x_j - \bar x)^\top (C + \rho I)^{-1} (x_i - \bar x)\bigr)`.
"""

from __future__ import annotations

from typing import NamedTuple

from array_api_compat import array_namespace, is_torch_array

from regattn._types import Array, MaskLike
from regattn.attention import attend, attention_weights
from regattn.kernels import KERNELS, Kernel
from regattn.regression._heads import Head

LINEAR = ("softmax", "relu", "gaussian")
"""Kernels under whose weights a line can be fitted: none is negative, and they sum to one."""


class Keys(NamedTuple):
    """What a head is shown of the training rows."""

    codes: Array  # (n, r)
    rows: Array  # (n, p), standardised


def head_average(head: Head, X: Array, keys: Keys, values: Array, kernel: Kernel, *, mask: MaskLike = None) -> Array:
    """Return what a head answers at standardised rows, shape (m, t)."""
    queries, codes, kernel = _quick(head.queries(head.features(X)), keys.codes, kernel)
    if head.ridge is None:
        return attend(queries, codes, values, kernel=kernel, scale=1.0, mask=mask)
    weights = attention_weights(queries, codes, kernel=kernel, scale=1.0, mask=mask)
    return line_average(weights, X, keys.rows, values, head.ridge)


def head_weights(head: Head, X: Array, keys: Keys, kernel: Kernel, *, mask: MaskLike = None) -> Array:
    """Return the weight of each training row in what a head answers, shape (m, n)."""
    queries = head.queries(head.features(X))
    weights = attention_weights(queries, keys.codes, kernel=kernel, scale=1.0, mask=mask)
    return weights if head.ridge is None else line_weights(weights, X, keys.rows, head.ridge)


def _quick(queries: Array, codes: Array, kernel: Kernel) -> tuple[Array, Array, Kernel]:
    """Return, for tensors, what softmax makes the same Gaussian weights of, by a shorter road.

    Of -|q - k|²/2 = q'k - |k|²/2 - |q|²/2 the last part is the same for all keys.
    """
    if kernel.name != "gaussian" or not is_torch_array(queries):
        return queries, codes, kernel
    xp = array_namespace(codes)
    level = -0.5 * xp.sum(codes * codes, axis=1, keepdims=True)
    ones = xp.ones((queries.shape[0], 1), dtype=queries.dtype, device=queries.device)
    return xp.concat([queries, ones], axis=1), xp.concat([codes, level], axis=1), KERNELS["softmax"]


def line_average(weights: Array, X: Array, rows: Array, values: Array, ridge: Array) -> Array:
    """Return the height at each row of ``X`` of the line fitted under its weights, shape (m, t)."""
    xp = array_namespace(weights)
    centre, mean = weights @ rows, weights @ values
    products = xp.reshape(rows[:, :, None] * values[:, None, :], (rows.shape[0], -1))
    joint = xp.reshape(weights @ products, (*centre.shape, values.shape[1])) - centre[:, :, None] * mean[:, None, :]
    slopes = xp.linalg.solve(_moments(weights, rows, centre, ridge), joint)
    return mean + ((X - centre)[:, None, :] @ slopes)[:, 0, :]


def line_weights(weights: Array, X: Array, rows: Array, ridge: Array) -> Array:
    """Return the weight of each outcome in :func:`line_average`, shape (m, n)."""
    xp = array_namespace(weights)
    centre = weights @ rows
    reach = xp.linalg.solve(_moments(weights, rows, centre, ridge), (X - centre)[:, :, None])[:, :, 0]
    return weights * (1.0 + reach @ rows.mT - xp.sum(reach * centre, axis=1, keepdims=True))


def _moments(weights: Array, rows: Array, centre: Array, ridge: Array) -> Array:
    """Return C + ρI for each query, shape (m, p, p)."""
    xp, p = array_namespace(weights), rows.shape[1]
    products = xp.reshape(rows[:, :, None] * rows[:, None, :], (rows.shape[0], p * p))
    device = {"device": rows.device} if is_torch_array(rows) else {}
    squares = xp.reshape(weights @ products, (weights.shape[0], p, p)) - centre[:, :, None] * centre[:, None, :]
    return squares + ridge * xp.eye(p, dtype=rows.dtype, **device)
