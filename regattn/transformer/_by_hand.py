r"""A language model trained by hand, in NumPy: forward, backward, Adam. What a page's own training is held to.

The model is a :class:`regattn.transformer.LanguageModel` with RMS norms before each part, ReLU, rotary positions, a
tied unembedding and no offsets. Letters: B texts, T tokens, D width, H heads, d = D / H, V tokens in the vocabulary.
Matrices stand as (in, out), so that a map is x W.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from regattn.transformer._rotation import rotate_pairs, rotation_angles

__all__ = ["Adam", "Sizes", "Weights", "first_weights", "heads_weights", "logits", "loss_and_gradient"]

Weights = dict[str, np.ndarray]
EPSILON = 1e-6  # of the norms
BETAS, TINY = (0.9, 0.95), 1e-8  # of Adam


class Sizes(NamedTuple):
    """V, D, H, the hidden units, and the number of blocks."""

    vocabulary: int
    width: int
    n_heads: int
    hidden: int
    layers: int

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every array of weights, in their order."""
        D, F = self.width, self.hidden
        found: dict[str, tuple[int, ...]] = {"embedding": (self.vocabulary, D)}
        for k in range(self.layers):
            found |= {f"gain_1.{k}": (D,), f"projection.{k}": (D, 3 * D), f"output.{k}": (D, D)}
            found |= {f"gain_2.{k}": (D,), f"keys.{k}": (D, F), f"values.{k}": (F, D)}
        return found | {"gain": (D,)}


class _Norm(NamedTuple):
    """x over its root mean square, and one over that root."""

    unit: np.ndarray
    scale: np.ndarray


class _Kept(NamedTuple):
    """What a block keeps for the way back."""

    norm_1: _Norm
    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    weights: np.ndarray
    gathered: np.ndarray
    norm_2: _Norm
    hidden: np.ndarray


def first_weights(sizes: Sizes, draws: Iterator[float]) -> Weights:
    """Return the weights before the first step: uniform, with the spread that ``LanguageModel`` gives its normal ones.

    Parameters
    ----------
    sizes : Sizes
        Of the model.
    draws : iterator of float
        Numbers in [0, 1).
    """
    weights = {}
    for name, shape in sizes.shapes().items():
        if len(shape) == 1:
            weights[name] = np.ones(shape)
            continue
        spread = (shape[1] if name == "embedding" else shape[0]) ** -0.5
        if name.startswith(("output", "values")):
            spread /= np.sqrt(2 * sizes.layers)
        uniform = np.array([next(draws) for _ in range(shape[0] * shape[1])]).reshape(shape)
        weights[name] = (2 * uniform - 1) * (np.sqrt(3) * spread)
    return weights


def logits(sizes: Sizes, weights: Weights, tokens: np.ndarray) -> np.ndarray:
    """Return the scores of the vocabulary after each token of some texts, shape (B, T, V)."""
    last, _ = _forward(sizes, weights, tokens)
    return (last.unit * weights["gain"]) @ weights["embedding"].T


def heads_weights(sizes: Sizes, weights: Weights, tokens: np.ndarray) -> list[np.ndarray]:
    """Return the attention weights of each block on some texts, shape (B, H, T, T)."""
    return [kept.weights for kept in _forward(sizes, weights, tokens)[1]]


def loss_and_gradient(sizes: Sizes, weights: Weights, tokens: np.ndarray) -> tuple[float, Weights]:
    r"""Return the mean of −log q of the last T tokens of each text, (B, T + 1), and its gradient by backpropagation.

    Examples
    --------
    A step against the gradient lowers the loss:

    >>> sizes = Sizes(vocabulary=5, width=4, n_heads=2, hidden=8, layers=1)
    >>> weights = first_weights(sizes, iter(np.random.default_rng(0).random(1000)))
    >>> tokens = np.array([[0, 1, 2, 3]])
    >>> before, gradient = loss_and_gradient(sizes, weights, tokens)
    >>> stepped = {name: weights[name] - 0.1 * gradient[name] for name in weights}
    >>> loss_and_gradient(sizes, stepped, tokens)[0] < before
    True
    """
    read, next_ones = tokens[:, :-1], tokens[:, 1:, None]
    last, kept = _forward(sizes, weights, read)
    normed, E = last.unit * weights["gain"], weights["embedding"]
    scores = normed @ E.T
    scores -= scores.max(axis=-1, keepdims=True)
    log_q = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    loss = -np.take_along_axis(log_q, next_ones, -1).mean()
    slope = np.exp(log_q)  # with respect to the scores: q less one where the next token stands
    np.put_along_axis(slope, next_ones, np.take_along_axis(slope, next_ones, -1) - 1, -1)
    slope /= read.size
    gradient = {"embedding": _outer(slope, normed)}
    dr, gradient["gain"] = _norm_back(slope @ E, last, weights["gain"])
    for k in reversed(range(sizes.layers)):
        dr, found = _block_back(sizes, {n: weights[f"{n}.{k}"] for n in _PARTS}, kept[k], dr)
        gradient |= {f"{name}.{k}": value for name, value in found.items()}
    np.add.at(gradient["embedding"], read, np.sqrt(sizes.width) * dr)
    return float(loss), {name: gradient[name] for name in weights}


class Adam:
    r"""Gradient descent with a step size of its own for every weight.

    .. math:: m_t = b_1 m_{t-1} + (1 - b_1) g, \quad v_t = b_2 v_{t-1} + (1 - b_2) g^2, \quad
        \theta_t = \theta_{t-1} - \eta\, \frac{m_t / (1 - b_1^t)}{\sqrt{v_t / (1 - b_2^t)} + 10^{-8}}

    with b = (.9, .95).
    """

    def __init__(self, weights: Weights) -> None:
        self.first = {name: np.zeros_like(value) for name, value in weights.items()}
        self.second = {name: np.zeros_like(value) for name, value in weights.items()}
        self.step = 0

    def move(self, weights: Weights, gradient: Weights, rate: float) -> None:
        """Take one step, in place."""
        self.step += 1
        for name, g in gradient.items():
            m, v = self.first[name], self.second[name]
            m[:] = BETAS[0] * m + (1 - BETAS[0]) * g
            v[:] = BETAS[1] * v + (1 - BETAS[1]) * g * g
            size = np.sqrt(v / (1 - BETAS[1] ** self.step)) + TINY
            weights[name] -= rate / (1 - BETAS[0] ** self.step) * m / size


_PARTS = ("gain_1", "projection", "output", "gain_2", "keys", "values")


def _forward(sizes: Sizes, weights: Weights, tokens: np.ndarray) -> tuple[_Norm, list[_Kept]]:
    r, kept = weights["embedding"][tokens] * np.sqrt(sizes.width), []
    for k in range(sizes.layers):
        r, found = _block(sizes, {name: weights[f"{name}.{k}"] for name in _PARTS}, r)
        kept.append(found)
    return _norm(r), kept


def _block(sizes: Sizes, w: Weights, r: np.ndarray) -> tuple[np.ndarray, _Kept]:
    norm_1 = _norm(r)
    queries, keys, values = _split(sizes, norm_1.unit * w["gain_1"] @ w["projection"])  # each (B, H, T, d)
    turns = _turns(queries.shape[-1], r.shape[1])
    queries, keys = rotate_pairs(queries, *turns), rotate_pairs(keys, *turns)
    weights = queries @ keys.mT  # in place from here on: the largest array there is
    weights /= np.sqrt(queries.shape[-1])
    weights += _hidden(r.shape[1])
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    gathered = _together(weights @ values)
    u = r + gathered @ w["output"]
    norm_2 = _norm(u)
    hidden = np.maximum(norm_2.unit * w["gain_2"] @ w["keys"], 0)
    return u + hidden @ w["values"], _Kept(norm_1, queries, keys, values, weights, gathered, norm_2, hidden)


def _block_back(sizes: Sizes, w: Weights, kept: _Kept, dr: np.ndarray) -> tuple[np.ndarray, Weights]:
    """Return the slope of the loss by the stream before a block, and by the block's weights."""
    found = {"values": _outer(kept.hidden, dr)}
    dh = (dr @ w["values"].T) * (kept.hidden > 0)
    found["keys"] = _outer(kept.norm_2.unit * w["gain_2"], dh)
    back, found["gain_2"] = _norm_back(dh @ w["keys"].T, kept.norm_2, w["gain_2"])
    du = dr + back
    found["output"] = _outer(kept.gathered, du)
    (do,) = _split(sizes, du @ w["output"].T)
    ds = do @ kept.values.mT  # by the weights, then by the scores
    ds -= (ds * kept.weights).sum(axis=-1, keepdims=True)
    ds *= kept.weights
    ds /= np.sqrt(do.shape[-1])
    cosines, sines = _turns(do.shape[-1], dr.shape[1])
    slopes = (  # of queries and keys turned back
        rotate_pairs(ds @ kept.keys, cosines, -sines),
        rotate_pairs(ds.mT @ kept.queries, cosines, -sines),
        kept.weights.mT @ do,
    )
    projected = np.concatenate([_together(slope) for slope in slopes], axis=-1)
    found["projection"] = _outer(kept.norm_1.unit * w["gain_1"], projected)
    back, found["gain_1"] = _norm_back(projected @ w["projection"].T, kept.norm_1, w["gain_1"])
    return du + back, found


def _norm(x: np.ndarray) -> _Norm:
    scale = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)
    return _Norm(x * scale, scale)


def _norm_back(slope: np.ndarray, norm: _Norm, gain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scaled = slope * gain
    along = (scaled * norm.unit).mean(axis=-1, keepdims=True)
    return norm.scale * (scaled - norm.unit * along), (slope * norm.unit).sum(axis=(0, 1))


def _outer(x: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Return the slope by W of a loss whose slope by x W is given: the sum of outer products over all tokens."""
    return x.reshape(-1, x.shape[-1]).T @ slope.reshape(-1, slope.shape[-1])


def _split(sizes: Sizes, x: np.ndarray) -> np.ndarray:
    """Return (B, T, n D) as n arrays (B, H, T, d)."""
    d = sizes.width // sizes.n_heads
    return x.reshape(*x.shape[:2], -1, sizes.n_heads, d).transpose(2, 0, 3, 1, 4)


def _together(heads: np.ndarray) -> np.ndarray:
    """Return (B, H, T, d) as (B, T, D)."""
    return heads.transpose(0, 2, 1, 3).reshape(heads.shape[0], heads.shape[2], -1)


@lru_cache(maxsize=256)
def _hidden(length: int) -> np.ndarray:
    """Return what is added to the scores of T tokens: minus infinity where a token comes later, shape (T, T)."""
    return np.where(np.tri(length, dtype=bool), 0.0, -np.inf)


@lru_cache(maxsize=256)  # every length that a text has while it is written
def _turns(width: int, length: int) -> tuple[np.ndarray, np.ndarray]:
    angles = rotation_angles(np.arange(length), width)
    return np.cos(angles), np.sin(angles)
