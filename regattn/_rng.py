"""Randomness: one argument, `rng`, that is a seed or a generator of NumPy or torch."""

from __future__ import annotations

import sys
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np

from regattn._validation import check_count

if TYPE_CHECKING:
    import torch

Rng: TypeAlias = Union[int, np.random.Generator, "torch.Generator"]
MOST = 2**63
SKLEARNS = 2**32  # seeds that scikit-learn takes


def seed_from(rng: Any) -> int:
    """Return a whole number ≥ 0: the seed itself, or one drawn from the generator."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(MOST))
    torch = sys.modules.get("torch")  # whoever has a generator of torch has loaded it
    if torch is not None and isinstance(rng, torch.Generator):
        return int(torch.randint(MOST - 1, (), generator=rng))
    if isinstance(rng, bool) or not isinstance(rng, Integral):
        raise ValueError(f"rng must be a whole number or a generator of NumPy or torch, got {rng!r}")
    return check_count(rng, "rng", least=0, most=2**64 - 1, bound="64 bits")


def random_state_from(rng: Any) -> int:
    """Return a seed as scikit-learn takes it, below 2³²: that of :func:`seed_from`, if it is."""
    return seed_from(rng) % SKLEARNS


def numpy_generator(rng: Any) -> np.random.Generator:
    """Return a generator of NumPy: the one given, or a new one with a seed from :func:`seed_from`."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed_from(rng))


def torch_generator(rng: Any) -> torch.Generator:
    """Return a generator of torch: the one given, or a new one with a seed from :func:`seed_from`."""
    import torch  # only where tensors are drawn

    return rng if isinstance(rng, torch.Generator) else torch.Generator().manual_seed(seed_from(rng))
