"""What bends the answers of a layer, in NumPy: one table for the networks of chapter 2 and for the language model."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import erf, expit

Function = Callable[[np.ndarray], np.ndarray]

LEAK = 0.01  # the slope of LeakyReLU below zero
NORMAL = math.sqrt(2 * math.pi)


class Activation(NamedTuple):
    """A function a(z), entry by entry, and its derivative; both keep the dtype of z."""

    value: Function
    slope: Function


def _normal_share(z: np.ndarray) -> np.ndarray:
    return (1 + erf(z / math.sqrt(2))) / 2


def _silu_slope(z: np.ndarray) -> np.ndarray:
    return expit(z) * (1 + z * (1 - expit(z)))


def _gelu_slope(z: np.ndarray) -> np.ndarray:
    return _normal_share(z) + z * np.exp(-(z**2) / 2) / NORMAL


ACTIVATIONS = {
    "tanh": Activation(np.tanh, lambda z: 1 - np.tanh(z) ** 2),
    "relu": Activation(lambda z: np.maximum(z, 0), lambda z: (z > 0).astype(z.dtype)),
    "leaky_relu": Activation(
        lambda z: np.where(z > 0, z, LEAK * z), lambda z: np.where(z > 0, 1, LEAK).astype(z.dtype)
    ),
    "gelu": Activation(lambda z: z * _normal_share(z), _gelu_slope),
    "silu": Activation(lambda z: z * expit(z), _silu_slope),
    "identity": Activation(lambda z: z, np.ones_like),
}
