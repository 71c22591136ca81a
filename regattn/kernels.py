r"""Kernels: the functions that turn scores into attention weights.

Each kernel is a small object with its formula and two promises: whether its weights are non-negative, and whether the
weights of a query sum to one. All of them can be pickled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from array_api_compat import array_namespace

from regattn._types import Array
from regattn._validation import check_count, check_finite, check_real
from regattn._weighing import elementwise, inner_products, negative_half_distances, row_normalised, softmax, top

__all__ = ["KERNELS", "Kernel", "elu", "nearest"]


@dataclass(frozen=True)
class Kernel:
    """A rule that turns the scores of each query into weights on the keys.

    Parameters
    ----------
    name : str
        What the kernel is called in :data:`KERNELS` and in messages.
    formula : str
        Its weights as LaTeX, with s for the scores.
    weigh : callable
        Takes scores and a mask (or None) and returns weights of the scores' shape.
    non_negative : bool
        Whether weights are ≥ 0 for every input.
    rows_sum_to_one : bool
        Whether the weights of each query sum to one.
    scores : callable, default inner products
        Takes queries, keys and a scale, returns the scores.

    Examples
    --------
    >>> KERNELS["softmax"].rows_sum_to_one, KERNELS["identity"].non_negative
    (True, False)
    """

    name: str
    formula: str
    weigh: Callable[[Array, Array | None], Array]
    non_negative: bool
    rows_sum_to_one: bool
    scores: Callable[[Array, Array, float], Array] = inner_products

    def weights(self, scores: Array, mask: Array | None = None, *, finite: bool = False) -> Array:
        """Return the weights for scores of shape (..., n_queries, n_keys); zero where the mask is False.

        ``finite`` says that the scores are known to be, so that nobody looks again.
        """
        weights = self.weigh(scores, mask)
        if tuple(weights.shape) != tuple(np.broadcast_shapes(scores.shape, () if mask is None else mask.shape)):
            raise ValueError(
                f"kernel {self.name!r} returned shape {tuple(weights.shape)} for scores of shape {tuple(scores.shape)}"
            )
        if weights is not scores and not finite:
            check_finite(scores, "scores")  # weights of infinite scores may be finite, and wrong
        if weights is not scores or not finite:
            check_finite(weights, f"weights of kernel {self.name!r}")
        return weights


def elu(nu: float = 1.0) -> Kernel:
    r"""Return the row-normalised ELU kernel, :math:`g(s) = s` for s > 0 and :math:`\nu(e^s - 1)` otherwise.

    It lets a little negative attention through. For ν ≤ 1 and scores whose rows do not sum to less than zero the
    normaliser is safe; beyond that it may vanish or turn negative, and with it the sign of every weight.

    Parameters
    ----------
    nu : float, default 1
        The floor of g is −ν; must be ≥ 0.

    Returns
    -------
    Kernel
        The kernel, to be passed as ``kernel=elu(0.5)``.

    Raises
    ------
    ValueError
        If ``nu`` is negative or not finite.

    Examples
    --------
    >>> weights = elu(0.5).weights(np.array([[2.0, -1.0]]))
    >>> weights.round(3), weights.sum().round(6)
    (array([[ 1.188, -0.188]]), np.float64(1.0))
    """
    nu = check_real(nu, "nu", least=0.0)

    formula = r"\frac{\mathrm{ELU}_\nu(s_i)}{\sum_l \mathrm{ELU}_\nu(s_l)}"
    return Kernel("elu", formula, partial(row_normalised, partial(_elu, nu=nu)), nu == 0.0, True)


def nearest(k: int = 1) -> Kernel:
    r"""Return the kernel of k-nearest neighbours: weight 1/k on the k keys closest to the query, 0 on the rest.

    Ties go to the key that comes first. The scale plays no part, unless it is negative.

    Parameters
    ----------
    k : int, default 1
        Number of neighbours, at least 1 and at most the number of keys a query may attend to.

    Returns
    -------
    Kernel
        The kernel, to be passed as ``kernel=nearest(5)``.

    Raises
    ------
    ValueError
        If ``k`` is not a whole number ≥ 1; when used, if ``k`` exceeds the keys there are.

    Examples
    --------
    >>> from regattn import attention_weights
    >>> attention_weights(np.array([[0.9]]), np.array([[0.0], [1.0], [3.0]]), kernel=nearest(2))
    array([[0.5, 0.5, 0. ]])
    """
    k = check_count(k, "k")

    formula = r"\tfrac1k\,[\,i \text{ among the } k \text{ nearest}\,]"
    return Kernel("nearest", formula, partial(top, k=k), True, True, negative_half_distances)


def _identity(scores: Array) -> Array:
    return scores


def _exp(scores: Array) -> Array:
    return array_namespace(scores).exp(scores)


def _relu(scores: Array) -> Array:
    return array_namespace(scores).clip(scores, min=0.0)


def _elu(scores: Array, *, nu: float) -> Array:
    xp = array_namespace(scores)
    return xp.where(scores > 0, scores, nu * xp.expm1(xp.clip(scores, max=0.0)))


KERNELS: dict[str, Kernel] = {
    kernel.name: kernel
    for kernel in (
        Kernel("identity", r"s_i", partial(elementwise, _identity), False, False),
        Kernel("softmax", r"\frac{e^{s_i}}{\sum_l e^{s_l}}", softmax, True, True),
        Kernel("exponential", r"e^{s_i}", partial(elementwise, _exp), True, False),
        Kernel("relu", r"\frac{\max(0, s_i)}{\sum_l \max(0, s_l)}", partial(row_normalised, _relu), True, True),
        elu(1.0),
        Kernel(
            "gaussian",
            r"\frac{e^{-\lVert q-k_i\rVert^2/2}}{\sum_l e^{-\lVert q-k_l\rVert^2/2}}",
            softmax,
            True,
            True,
            negative_half_distances,
        ),
        nearest(1),
    )
}
"""The kernels by name: identity, softmax, exponential, relu, elu (ν = 1), gaussian, nearest (k = 1)."""
