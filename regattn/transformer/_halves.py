"""A language model rounded to half precision, as it travels in a page."""

from __future__ import annotations

import base64
import copy
from typing import Any

import numpy as np
import torch

from regattn.transformer.language_model import LanguageModel

WANTED = {"order": "pre", "norm": "layer", "activation": "gelu", "kernel": "softmax", "positions": "rotary"}
WANTED |= {"bias": True, "tied": True}


def check_design(model: Any) -> LanguageModel:
    """Return a model that transformer.js can read; raise a ValueError that names what is another."""
    if not isinstance(model, LanguageModel):
        raise ValueError(f"model must be a LanguageModel, got {type(model).__name__}")
    for name, wanted in WANTED.items():
        found = getattr(model.architecture, name)
        if found != wanted:
            raise ValueError(f"a page reads models with {name} {wanted!r}, got {found!r}")
    return model


def in_halves(model: LanguageModel) -> LanguageModel:
    """Return a copy whose weights are rounded to half precision, and which computes with them in double.

    Raises
    ------
    ValueError
        If a weight is too large for half precision, or not finite.
    """
    rounded = copy.deepcopy(model).cpu().half().double().eval()
    for name, parameter in rounded.named_parameters():
        if not torch.isfinite(parameter).all():
            raise ValueError(f"{name} has a number that half precision cannot hold")
    return rounded


def packed(model: LanguageModel) -> dict[str, Any]:
    """Return what transformer.js makes a model of: its sizes, and its weights as base64, 16 bits each."""
    parameters = dict(model.named_parameters())  # a tied matrix appears once
    numbers = np.concatenate([p.detach().cpu().numpy().astype("<f2").ravel() for p in parameters.values()])
    a = model.architecture
    return {
        "shapes": [[name, list(p.shape)] for name, p in parameters.items()],
        "layers": a.layers,
        "n_heads": a.n_heads,
        "width": a.width,
        "numbers": base64.b64encode(numbers.tobytes()).decode(),
    }
