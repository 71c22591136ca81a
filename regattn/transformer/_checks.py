"""The choices that layers offer, and the checks they share: each raises a ValueError that names the offending value."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from regattn._validation import check_count
from regattn.kernels import Kernel, KernelLike

SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi")
ORDERS = ("pre", "post", "parallel", "single")
NORMS = ("layer", "rms", "none")
ACTIVATIONS = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "silu": functional.silu,
    "tanh": torch.tanh,
    "softmax": lambda x: functional.softmax(x, dim=-1),
    "identity": lambda x: x,
}


def check_choice(value: Any, name: str, choices: Any) -> None:
    """Raise unless ``value`` is one of ``choices``, naming them all."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def check_tokens(x: Any, name: str, weight: Tensor, axes: str = "B, T") -> None:
    """Raise unless ``x`` is a tensor that ``weight`` can be applied to: as wide as it, and of its dtype."""
    if not isinstance(x, Tensor):
        raise ValueError(f"{name} must be a tensor of shape ({axes}, {weight.shape[-1]}), got {type(x).__name__}")
    if x.ndim == 0 or x.shape[-1] != weight.shape[-1] or (x.ndim != 3 and axes == "B, T"):
        raise ValueError(f"{name} must have shape ({axes}, {weight.shape[-1]}), got {tuple(x.shape)}")
    if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
        raise ValueError(f"{name} must be {weight.dtype} as the weights are, got {x.dtype}; convert one of them")


def check_heads(width: int, n_heads: int, *, kernel: KernelLike, positions: str) -> Kernel:
    """Return the kernel, or raise if width, heads, kernel and position scheme do not fit together."""
    check_count(width, "width")
    check_count(n_heads, "n_heads")
    if width % n_heads:
        raise ValueError(f"width must be a multiple of n_heads, got width {width} and {n_heads} n_heads")
    check_choice(positions, "positions", SCHEMES)
    kernel = Kernel.of(kernel)
    if positions == "alibi" and not kernel.takes_inner_products:
        raise ValueError(f"positions='alibi' adds to inner products, which kernel {kernel.name!r} does not use")
    if positions == "rotary" and (width // n_heads) % 2:
        raise ValueError(f"positions='rotary' needs an even width per head, got {width // n_heads}")
    return kernel
