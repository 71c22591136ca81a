"""Linear maps of batches of tokens, by the quicker of the matrix products that torch carries."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

ONEDNN = torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability().startswith("AVX512")
WORTH_IT = 1 << 24  # multiplications below which the way there costs more than it saves


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    r"""Return :math:`x W^\top + b`, equal to torch's ``linear`` up to rounding.

    A linear map of every token of a batch is a convolution with a kernel of one by one. Torch leaves convolutions to
    oneDNN, which uses vectors of 512 bits on every processor that has them, as MKL behind ``linear`` does not. Where
    there are none, ``linear`` is the quicker.
    """
    batch = ONEDNN and x.numel() * weight.shape[0] >= WORTH_IT and x.ndim == 3 and x.shape[0] > 1
    if not batch or not (x.is_cpu and x.dtype is weight.dtype is torch.float32):
        return functional.linear(x, weight, bias)
    pixels = x.unsqueeze(2).permute(0, 3, 1, 2)  # (B, T, D) -> (B, D, T, 1), in memory as before
    return functional.conv2d(pixels, weight[:, :, None, None], bias).permute(0, 2, 3, 1).squeeze(2)


class Linear(nn.Linear):
    """``nn.Linear`` by :func:`linear`."""

    def forward(self, x: Tensor) -> Tensor:
        """Return what the map makes of x."""
        return linear(x, self.weight, self.bias)
