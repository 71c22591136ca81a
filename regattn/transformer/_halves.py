"""A model rounded to half precision, as it travels in a page."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import numpy as np
import torch

from regattn.transformer.language_model import LanguageModel

Model = TypeVar("Model", bound=torch.nn.Module)
WANTED = {"order": "pre", "norm": "layer", "activation": "gelu", "kernel": "softmax", "positions": "rotary"}
WANTED |= {"bias": True, "tied": True}
DIGITS = bytes(code for code in range(35, 124) if chr(code) not in "&<>\\")  # 85 characters that a page need not escape


def check_design(model: Any) -> LanguageModel:
    """Return a model that transformer.js can read; raise a ValueError that names what is another."""
    if not isinstance(model, LanguageModel):
        raise ValueError(f"model must be a LanguageModel, got {type(model).__name__}")
    for name, wanted in WANTED.items():
        found = getattr(model.architecture, name)
        if found != wanted:
            raise ValueError(f"a page reads models with {name} {wanted!r}, got {found!r}")
    return model


def in_halves(model: Model) -> Model:
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
    """Return what transformer.js makes a model of: its sizes, and its weights, 16 bits each."""
    a = model.architecture
    return travelling(model) | {"layers": a.layers, "n_heads": a.n_heads, "width": a.width}


def travelling(model: torch.nn.Module) -> dict[str, Any]:
    """Return the names and shapes of all parameters, and their numbers, 16 bits each, as :func:`in_digits` has them."""
    parameters = dict(model.named_parameters())  # a tied matrix appears once
    numbers = np.concatenate([p.detach().cpu().numpy().ravel() for p in parameters.values()])
    return {
        "shapes": [[name, list(p.shape)] for name, p in parameters.items()],
        "numbers": in_digits(numbers),
    }


def in_digits(numbers: np.ndarray) -> str:
    """Return numbers in half precision as text: five digits to the base 85 for two of them.

    That is a quarter more than their bytes, where base64 takes a third more. An odd number of numbers is made even by
    a zero.

    Examples
    --------
    >>> in_digits(np.array([1.0, -2.0, 0.5]))
    '7=61y5{ov_'
    """
    even = np.append(numbers, np.zeros(len(numbers) % 2)).astype(">f2")
    pairs = even.view(">u4").astype(np.int64)
    places = pairs[:, None] // 85 ** np.arange(4, -1, -1) % 85
    return np.frombuffer(DIGITS, np.uint8)[places].tobytes().decode()
