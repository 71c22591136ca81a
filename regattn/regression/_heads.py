r"""Attention heads for regression: encode, compare with a learned Ω, weigh. NumPy arrays and torch tensors alike.

A head scores a query row x against a key row z by a bilinear form in their codes,

.. math:: s(x, z) = \ell + \tilde h(x)^\top W_Q W_K^\top\, \tilde h(z), \qquad \tilde h = (1, h),

with h the identity or a small network, and hands the scores to a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from array_api_compat import array_namespace, is_torch_array

from regattn._types import Array
from regattn.kernels import KERNELS, Kernel

__all__ = ["LEARNED", "Head", "guarded_kernel"]

LEARNED = ("softmax", "relu", "elu", "exponential", "gaussian")
"""Kernels whose Ω has no closed form and is learned."""

CANCELLED = 0.01  # a normaliser below this share of the sum of absolute similarities counts as zero


@dataclass(frozen=True)
class Head:
    """The maps that turn a row into a query and into a key.

    Parameters
    ----------
    layers : tuple of pairs of arrays
        Weights (d_in, d_out) and biases (d_out,) of the tanh layers of the encoder; none for a linear head.
    query_map, key_map : array of shape (D, r) or None
        W_Q and W_K; None stands for the identity matrix. D counts the encoded features, and the constant if there is
        one.
    level : array of shape () or None
        A number ℓ added to every score, or None.
    constant : bool
        Whether a one is put before the encoded features.
    ridge : array of shape () or None
        The penalty ρ of a line that is fitted under the weights; None for their average.
    """

    layers: tuple[tuple[Array, Array], ...]
    query_map: Array | None
    key_map: Array | None
    level: Array | None
    constant: bool
    ridge: Array | None = None

    def features(self, X: Array) -> Array:
        """Return the rows that are compared, shape (n, D), for standardised inputs of shape (n, p)."""
        xp = array_namespace(X)
        for weights, bias in self.layers:
            X = xp.tanh(X @ weights + bias)
        return _with_column(1.0, X) if self.constant else X

    def queries(self, features: Array) -> Array:
        """Return the queries of some rows of :meth:`features`."""
        codes = features if self.query_map is None else features @ self.query_map
        return codes if self.level is None else _with_column(1.0, codes)

    def keys(self, features: Array) -> Array:
        """Return the keys of some rows of :meth:`features`."""
        codes = features if self.key_map is None else features @ self.key_map
        return codes if self.level is None else _with_column(self.level, codes)


def _with_column(value: Any, codes: Array) -> Array:
    xp = array_namespace(codes)
    device = {"device": codes.device} if is_torch_array(codes) else {}
    column = xp.ones((codes.shape[0], 1), dtype=codes.dtype, **device) * value
    return xp.concat([column, codes], axis=1)


def guarded_kernel(name: str) -> Kernel:
    """Return a learned kernel that has an answer for every query.

    ReLU and ELU weights are divided by their sum, which may be zero or, for ELU, cancel. A query whose sum is below a
    hundredth of the sum of absolute similarities falls back on uniform attention to the keys it may see. The other
    kernels are those of :data:`regattn.KERNELS`.

    Parameters
    ----------
    name : str
        One of :data:`LEARNED`.

    Returns
    -------
    Kernel
        The kernel, for :func:`regattn.attend`.

    Examples
    --------
    >>> import numpy as np
    >>> guarded_kernel("relu").weights(np.array([[1.0, 3.0], [-1.0, -2.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    kernel = KERNELS[name]
    if name not in ("relu", "elu"):
        return kernel

    def weigh(scores: Array, mask: Array | None) -> Array:
        xp = array_namespace(scores)
        g = xp.clip(scores, min=0.0)
        if name == "elu":
            g = g + xp.expm1(xp.clip(scores, max=0.0))
        allowed = xp.ones_like(scores) if mask is None else xp.astype(mask, scores.dtype) * xp.ones_like(scores)
        g = g * allowed
        totals = xp.sum(g, axis=-1, keepdims=True)
        sound = totals > CANCELLED * xp.sum(xp.abs(g), axis=-1, keepdims=True)
        uniform = allowed / xp.sum(allowed, axis=-1, keepdims=True)
        return xp.where(sound, g / xp.where(sound, totals, xp.ones_like(totals)), uniform)

    return Kernel(name, kernel.formula, weigh, kernel.non_negative, True)
