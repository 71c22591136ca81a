"""What normalises the residual stream."""

from __future__ import annotations

from torch import nn


def make_norm(kind: str, width: int, *, bias: bool) -> nn.Module:
    """Return a fresh norm of a kind ("layer", "rms"); "none" is the identity."""
    if kind == "layer":
        return nn.LayerNorm(width, bias=bias)
    return nn.RMSNorm(width, eps=1e-6) if kind == "rms" else nn.Identity()
