r"""The language model a second time, in NumPy: one text, read token by token, on one processor.

Letters: T tokens, D model width, H heads, d = D / H, V tokens in the vocabulary. A norm's gain g and offset b are
folded into the map that follows it, (g n + b) W + c = n (g W) + (b W + c): what is left of it is the blackboard's.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike

from regattn._activations import ACTIVATIONS
from regattn._validation import check_count
from regattn.from_scratch import layer_norm, softmax
from regattn.kernels import KERNELS, Kernel
from regattn.transformer._rotation import rotate_pairs, rotation_angles
from regattn.transformer.block import Block
from regattn.transformer.language_model import Architecture, LanguageModel
from regattn.transformer.position import sinusoidal_positions

__all__ = ["Decoder"]

Map = tuple[np.ndarray, np.ndarray]  # W (in, out) and b (out,)
PHI = {name: activation.value for name, activation in ACTIVATIONS.items()} | {"softmax": softmax}
NORMS = {
    "layer": layer_norm,
    "rms": lambda x: x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6),
    "none": lambda x: x,
}


class _Layer(NamedTuple):
    """The maps of one block, and the keys and values of what has been read, each (H, capacity, d)."""

    queries_keys_values: Map
    output: Map
    hidden: Map
    back: Map
    keys: np.ndarray
    values: np.ndarray


class Decoder:
    r"""A language model that reads one text, a few tokens at a time, and keeps the keys and values of all it has read.

    .. math:: r \leftarrow r + \left[\text{attend}(q^h, K^h, V^h)\right]_h W_O, \qquad
              r \leftarrow r + \phi(N(r) W_1 + b_1) W_2 + b_2

    Source: Sections 6 to 8 and 12 of [BR]_, with the norms before what they normalise.

    Parameters
    ----------
    model : LanguageModel
        With the order "pre", the softmax kernel and any positions but "alibi". Its weights are copied; those of half
        precision are read in single precision.
    capacity : int
        The number of tokens there is room for.

    Raises
    ------
    ValueError
        If the model is of another design.

    Examples
    --------
    >>> model = LanguageModel(Architecture(vocabulary=11, layers=2, context=7, width=6, n_heads=3))
    >>> decoder = Decoder(model, capacity=7)
    >>> decoder.read([3, 1]).shape, decoder.read([4]).shape, decoder.length
    ((2, 11), (1, 11), 3)
    """

    def __init__(self, model: LanguageModel, capacity: int) -> None:
        a = self.architecture = model.architecture
        self.capacity = check_count(capacity, "capacity")
        reason = self.refuses(a)
        if reason:
            raise ValueError(f"a Decoder reads models with order 'pre' and softmax weights, got {reason}")
        self.length = 0
        self.embedding = _array(model.embedding.weight) * math.sqrt(a.width)
        self.positions = _positions(model, self.capacity).astype(self.embedding.dtype)
        self.layers = [_layer(block, self.capacity) for block in model.blocks]
        self.unembedding = _folded(model.final_norm, model.unembedding)
        angles = np.empty(0)
        if a.positions == "rotary":
            angles = rotation_angles(range(self.capacity), a.width // a.n_heads, base=a.base)
        self.turns = np.cos(angles).astype(self.embedding.dtype), np.sin(angles).astype(self.embedding.dtype)

    @staticmethod
    def refuses(architecture: Architecture) -> str:
        """Return what keeps a Decoder from reading a model of this design; nothing where it can."""
        if architecture.order != "pre":
            return f"order {architecture.order!r}"
        if Kernel.of(architecture.kernel) != KERNELS["softmax"]:
            return f"kernel {architecture.kernel!r}"
        return "positions 'alibi'" if architecture.positions == "alibi" else ""

    def read(self, tokens: ArrayLike) -> np.ndarray:
        """Return the logits after each of some more tokens, shape (T, V); none has seen what comes after it.

        Raises
        ------
        ValueError
            If ``tokens`` are not whole numbers below V, or more than there is room for.
        """
        tokens = self._checked(tokens)
        seen = slice(self.length, self.length + len(tokens))
        norm, phi = NORMS[self.architecture.norm], PHI[self.architecture.activation]
        r = self.embedding[tokens] + self.positions[seen]
        for layer in self.layers:
            r = r + self._gathered(norm(r), layer, seen)
            hidden = phi(_apply(layer.hidden, norm(r)))
            r = r + _apply(layer.back, hidden)
        self.length = seen.stop
        return _apply(self.unembedding, norm(r))

    def _gathered(self, x: np.ndarray, layer: _Layer, seen: slice) -> np.ndarray:
        """Return what the heads bring to each token of x, (T, D), from all that has been read."""
        heads = _apply(layer.queries_keys_values, x).reshape(len(x), 3, self.architecture.n_heads, -1)
        queries, keys, values = heads.transpose(1, 2, 0, 3)  # each (H, T, d)
        if self.architecture.positions == "rotary":
            turns = [table[seen] for table in self.turns]
            queries, keys = rotate_pairs(queries, *turns), rotate_pairs(keys, *turns)
        layer.keys[:, seen], layer.values[:, seen] = keys, values
        scores = queries @ layer.keys[:, : seen.stop].mT / math.sqrt(queries.shape[-1])
        if len(x) > 1:
            scores += np.triu(np.full((len(x), seen.stop), -np.inf, dtype=x.dtype), k=seen.start + 1)
        gathered = softmax(scores) @ layer.values[:, : seen.stop]
        return _apply(layer.output, gathered.transpose(1, 0, 2).reshape(len(x), -1))

    def _checked(self, tokens: ArrayLike) -> np.ndarray:
        tokens = np.asarray(tokens)
        if tokens.ndim != 1 or tokens.size == 0 or tokens.dtype.kind not in "iu":
            raise ValueError(f"tokens must be whole numbers of shape (T,), got {tokens.dtype} {tokens.shape}")
        if tokens.min() < 0 or tokens.max() >= len(self.embedding):
            offending = tokens.min() if tokens.min() < 0 else tokens.max()
            raise ValueError(f"tokens must be from 0 to {len(self.embedding) - 1}, got {offending}")
        if self.length + len(tokens) > self.capacity:
            raise ValueError(f"there is room for {self.capacity} tokens, got {self.length + len(tokens)}")
        return tokens


def _apply(linear: Map, x: np.ndarray) -> np.ndarray:
    weight, bias = linear
    return x @ weight + bias


def _array(tensor: torch.Tensor) -> np.ndarray:
    """Return the numbers of a tensor, in single precision where they have less: NumPy has no bfloat16."""
    return (tensor.float() if tensor.element_size() < 4 else tensor).detach().cpu().numpy()


def _folded(norm: torch.nn.Module, linear: torch.nn.Linear) -> Map:
    """Return W and b of a linear map with the gain and the offset of the norm before it."""
    weight = _array(linear.weight).T
    bias = np.zeros(weight.shape[1], weight.dtype) if linear.bias is None else _array(linear.bias)
    if getattr(norm, "bias", None) is not None:
        bias = bias + _array(norm.bias) @ weight
    if getattr(norm, "weight", None) is not None:
        weight = _array(norm.weight)[:, None] * weight
    return np.ascontiguousarray(weight), bias.copy()


def _layer(block: Block, capacity: int) -> _Layer:
    attention, feed_forward, nothing = block.attention, block.feed_forward, torch.nn.Identity()
    maps = (
        _folded(block.norm_1, attention.projection),
        _folded(nothing, attention.output),
        _folded(block.norm_2, feed_forward.keys),
        _folded(nothing, feed_forward.values),
    )
    shape = (attention.n_heads, capacity, attention.width // attention.n_heads)
    return _Layer(*maps, *(np.empty(shape, maps[0][0].dtype) for _ in range(2)))


def _positions(model: LanguageModel, capacity: int) -> np.ndarray:
    """Return what is added to the tokens at each position, shape (capacity, D)."""
    a = model.architecture
    if a.positions == "learned":
        if capacity > a.context:
            raise ValueError(f"the table of learned positions has {a.context} rows, got {capacity} tokens")
        return _array(model.positions.weight)[:capacity]
    if a.positions == "sinusoidal":
        return sinusoidal_positions(range(capacity), a.width + a.width % 2)[:, : a.width] * math.sqrt(2)
    return np.zeros((capacity, a.width))
