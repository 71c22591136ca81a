"""What normalises the residual stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

if TYPE_CHECKING:
    from regattn.transformer.block import BlockDesign


def make_norm(design: BlockDesign) -> nn.Module:
    """Return a fresh norm of the kind the design names; "none" is the identity."""
    if design.norm == "layer":
        return nn.LayerNorm(design.width, bias=design.bias)
    return nn.RMSNorm(design.width, eps=1e-6) if design.norm == "rms" else nn.Identity()
