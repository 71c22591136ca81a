"""Chance: one argument, `rng`, that is a seed or a generator of NumPy or torch."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import torch

from regattn._validation import check_count

Chance: TypeAlias = int | np.random.Generator | torch.Generator
MOST = 2**63


def seed_from(rng: Any) -> int:
    """Return a whole number ≥ 0: the seed itself, or one drawn from the generator."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(MOST))
    if isinstance(rng, torch.Generator):
        return int(torch.randint(MOST - 1, (), generator=rng))
    return check_count(rng, "rng", least=0, most=2**64 - 1, bound="64 bits")


def torch_generator(rng: Any) -> torch.Generator:
    """Return a generator of torch: the one given, or a new one with a seed from :func:`seed_from`."""
    return rng if isinstance(rng, torch.Generator) else torch.Generator().manual_seed(seed_from(rng))
