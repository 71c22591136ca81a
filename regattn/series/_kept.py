"""A forecaster in a file: read, and refused before a number of its size is allocated if it is none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from regattn._tensors import check_fit, read_tensors

__all__ = ["read_model"]


def read_model(path: Path, kinds: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the model of one of these kinds in a file, and its card; raise if it holds none of them."""
    tensors, note = read_tensors(path)
    if not isinstance(note, dict) or not {"design", "card"} <= note.keys():
        raise ValueError(f"checkpoint {path.name} holds no forecaster: its note has {note!r:.200}")
    named = note.get("kind", "Forecaster")
    try:
        if named not in kinds:
            raise ValueError(f"it holds a {named!r}, not {' or '.join(kinds)}")
        kind = kinds[named]
        design = kind._designed(**note["design"])
        check_fit(tensors, partial(kind, design), layers=design.layers if kind._stacked else 0)
    except (KeyError, TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise ValueError(f"checkpoint {path.name} was not loaded: {error}") from error
    model = kind(design).to(next(iter(tensors.values())).dtype)
    model.load_state_dict(tensors)
    model.in_own_units = bool(note.get("in_own_units", False))
    model.widening = _widening(note.get("widening"), path, shape=(model.design.horizon, model.design.outputs))
    return model.eval(), note["card"]


def _widening(found: Any, path: Path, *, shape: tuple[int, int]) -> np.ndarray | None:
    """Return what a file says that bands are moved by, or raise if that is no such table."""
    if found is None:
        return None
    try:
        by = np.array(found, dtype=float)
    except (TypeError, ValueError):
        by = np.array(np.nan)
    if by.shape != shape or not np.isfinite(by).all():
        raise ValueError(f"checkpoint {path.name} was not loaded: its widening must be finite, of shape {shape}")
    return by
