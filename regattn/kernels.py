r"""Kernels: the functions that turn scores into attention weights.

Each kernel is a small object with its formula, what it promises of its weights and, where there is one, its own short
road to the averages. Nothing in the package asks what a kernel is called. All of them can be pickled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from array_api_compat import array_namespace, is_torch_array

from regattn._shortcuts import identity_average, softmax_average
from regattn._types import Array, MaskLike
from regattn._validation import check_count, check_finite, check_real, is_abstract, overflow_allowed

__all__ = ["KERNELS", "Kernel", "elu", "nearest"]

FEW = 2**14  # differences that cost no more than inner products
HELD = 2**20  # differences held at once where there are more


def _inner_products(queries: Array, keys: Array, scale: float) -> Array:
    r"""Return the scores :math:`\tau \langle q_j, k_i \rangle`, shape (..., n_queries, n_keys)."""
    return (queries if scale == 1.0 else queries * scale) @ keys.mT


def _negative_half_distances(queries: Array, keys: Array, scale: float) -> Array:
    r"""Return the scores :math:`-\tfrac{\tau}{2}\lVert q_j - k_i \rVert^2`, shape (..., n_queries, n_keys)."""
    scores = _squared_distances(queries, keys)
    scores *= -0.5 * scale
    return scores


def _squared_distances(queries: Array, keys: Array) -> Array:
    r"""Return :math:`\lVert q_j - k_i \rVert^2`: by differences if few, else by inner products where none cancels."""
    xp = array_namespace(queries, keys)
    if math.prod(queries.shape) * math.prod(keys.shape[:-1]) <= FEW:
        difference = queries[..., :, None, :] - keys[..., None, :, :]
        return xp.sum(difference * difference, axis=-1)
    origin = xp.mean(keys, axis=-2, keepdims=True)  # distances ignore a shift; a shift to the middle loses fewer digits
    q, k = queries - origin, keys - origin
    of_q, of_k = xp.sum(q * q, axis=-1)[..., :, None], xp.sum(k * k, axis=-1)[..., None, :]
    squared = (-2 * q) @ k.mT
    squared += of_k
    squared += of_q
    squared = xp.clip(squared, min=0.0)
    if not is_abstract(squared):
        lost = xp.finfo(squared.dtype).eps ** (1 / 3)  # above this share of the sum two thirds of the digits are left
        _recompute(squared, queries, keys, squared < lost * (of_q + xp.max(of_k, axis=-1, keepdims=True)))
    return squared


def _recompute(squared: Array, queries: Array, keys: Array, which: Array) -> None:
    """Put sums of squared differences into ``squared``, in place, where ``which`` is True."""
    xp, d = array_namespace(squared), queries.shape[-1]
    places = xp.nonzero(which)
    queries = xp.broadcast_to(queries, (*which.shape[:-1], d))
    keys = xp.broadcast_to(keys, (*which.shape[:-2], which.shape[-1], d))
    step = max(1, HELD // d)
    for start in range(0, places[0].shape[0], step):
        at = tuple(axis[start : start + step] for axis in places)
        difference = queries[at[:-1]] - keys[(*at[:-2], at[-1])]
        squared[at] = xp.sum(difference * difference, axis=-1)


@dataclass(frozen=True)
class Kernel:
    r"""A rule that turns the scores of each query into weights on the keys.

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
    scaled_by_width : bool, default False
        Whether the default scale is :math:`1/\sqrt d`, for queries and keys of width d, and not 1.
    average : callable, optional
        A short road: takes queries, keys, values of shape (..., n_keys, d_v), a scale and a mask, and returns what the
        weights times the values are without forming the weights, or None where it cannot. Without it
        :func:`regattn.attend` forms them. It belongs to ``weigh`` and ``scores``: replace one, and replace it.

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
    scores: Callable[[Array, Array, float], Array] = _inner_products
    scaled_by_width: bool = False
    average: Callable[[Array, Array, Array, float, MaskLike], Array | None] | None = None

    @classmethod
    def of(cls, kernel: KernelLike) -> Kernel:
        """Return the kernel of that name, or ``kernel`` itself, or the one that a function of the scores makes.

        Examples
        --------
        >>> Kernel.of(np.tanh).weights(np.array([[0.0, 1.0]])).round(3)
        array([[0.   , 0.762]])
        """
        if isinstance(kernel, Kernel):
            return kernel
        if isinstance(kernel, str):
            if kernel not in KERNELS:
                raise ValueError(f"unknown kernel {kernel!r}; choose one of {', '.join(KERNELS)}, or pass a function")
            return KERNELS[kernel]
        if not callable(kernel):
            raise ValueError(f"kernel must be a name, a Kernel or a function of the scores, got {kernel!r}")
        name = getattr(kernel, "__name__", "custom")
        return cls(name, r"g(s_i)", partial(_elementwise, partial(_real_valued, kernel, name)), False, False)

    @property
    def takes_inner_products(self) -> bool:
        """Whether scores are inner products of queries and keys."""
        return self.scores is _inner_products

    def default_scale(self, width: int) -> float:
        """Return the scale for queries and keys of that width when none is given."""
        return 1 / math.sqrt(width) if self.scaled_by_width else 1.0

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
    return Kernel("elu", formula, partial(_row_normalised, partial(_elu, nu=nu)), nu == 0.0, True)


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
    return Kernel("nearest", formula, partial(_top, k=k), True, True, _negative_half_distances)


def _elementwise(similarity: Callable[[Array], Array], scores: Array, mask: Array | None) -> Array:
    """Return the weights g(s), unnormalised."""
    with overflow_allowed(scores):  # it is reported as the infinite weight it gives
        return _masked(similarity(scores), mask, 0.0)


def _row_normalised(similarity: Callable[[Array], Array], scores: Array, mask: Array | None) -> Array:
    """Return the weights g(s_i) / Σ g(s_l); a normaliser of zero has no answer and says so."""
    xp = array_namespace(scores)
    weights = _masked(similarity(scores), mask, 0.0)
    totals = xp.sum(weights, axis=-1, keepdims=True)
    zero = totals[..., 0] == 0
    if not is_abstract(zero) and bool(xp.any(zero)):
        row = tuple(int(axis[0]) for axis in xp.nonzero(zero))
        raise ValueError(f"query {row[0] if len(row) == 1 else row} has weights that sum to 0.0, nothing to divide by")
    return weights / totals


def _softmax(scores: Array, mask: Array | None) -> Array:
    """Return the weights exp(s_i) / Σ exp(s_l), after subtracting the row maximum, so that nothing overflows."""
    xp = array_namespace(scores)
    scores = _masked(scores, mask, -np.inf)
    exponentials = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return exponentials / xp.sum(exponentials, axis=-1, keepdims=True)


def _top(scores: Array, mask: Array | None, *, k: int) -> Array:
    """Return weight 1/k on the k largest scores, the first of equal ones, and 0 on the rest."""
    xp = array_namespace(scores)
    available = scores.shape[-1]
    if mask is not None and not is_abstract(mask):
        available = int(xp.min(xp.count_nonzero(mask, axis=-1)))
    if k > available:
        raise ValueError(f"k must be ≤ {available} (the keys a query may attend to), got {k}")
    order = xp.argsort(_masked(scores, mask, -np.inf), axis=-1, descending=True, stable=True)
    ranks = xp.argsort(order, axis=-1, stable=True)
    return xp.astype(ranks < k, scores.dtype) / k


def _masked(x: Array, mask: Array | None, fill: float) -> Array:
    """Return ``x`` with ``fill`` where the mask is False."""
    if mask is None:
        return x
    xp = array_namespace(x)
    value = xp.asarray(fill, dtype=x.dtype, device=x.device) if is_torch_array(x) else x.dtype.type(fill)
    return xp.where(mask, x, value)


def _identity(scores: Array) -> Array:
    return scores


def _exp(scores: Array) -> Array:
    return array_namespace(scores).exp(scores)


def _relu(scores: Array) -> Array:
    return array_namespace(scores).clip(scores, min=0.0)


def _elu(scores: Array, *, nu: float) -> Array:
    xp = array_namespace(scores)
    return xp.where(scores > 0, scores, nu * xp.expm1(xp.clip(scores, max=0.0)))


def _real_valued(function: Callable[[Array], Array], name: str, scores: Array) -> Array:
    """Return what a reader's function makes of scores: an array of their library that holds real numbers, or raise."""
    weights = function(scores)
    if not hasattr(weights, "dtype") or is_torch_array(weights) != is_torch_array(scores):
        raise ValueError(f"kernel {name!r} must return an array like its scores, got {type(weights).__name__}")
    xp = array_namespace(scores)
    if xp.isdtype(weights.dtype, "real floating"):
        return weights
    if not xp.isdtype(weights.dtype, ("bool", "integral")):
        raise ValueError(f"kernel {name!r} must return real numbers, got dtype {weights.dtype}")
    return xp.astype(weights, scores.dtype)


KERNELS: dict[str, Kernel] = {
    kernel.name: kernel
    for kernel in (
        Kernel("identity", r"s_i", partial(_elementwise, _identity), False, False, average=identity_average),
        Kernel(
            "softmax",
            r"\frac{e^{s_i}}{\sum_l e^{s_l}}",
            _softmax,
            True,
            True,
            scaled_by_width=True,
            average=softmax_average,
        ),
        Kernel("exponential", r"e^{s_i}", partial(_elementwise, _exp), True, False),
        Kernel("relu", r"\frac{\max(0, s_i)}{\sum_l \max(0, s_l)}", partial(_row_normalised, _relu), True, True),
        elu(1.0),
        Kernel(
            "gaussian",
            r"\frac{e^{-\lVert q-k_i\rVert^2/2}}{\sum_l e^{-\lVert q-k_l\rVert^2/2}}",
            _softmax,
            True,
            True,
            _negative_half_distances,
        ),
        nearest(1),
    )
}
"""The kernels by name; elu and nearest stand here with ν = 1 and k = 1."""

KernelLike: TypeAlias = str | Kernel | Callable[[Array], Array]
"""The name of a kernel, a kernel, or a function of the scores."""
