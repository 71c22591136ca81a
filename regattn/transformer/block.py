r"""The transformer block: attention in several heads, a feed-forward layer, and the stream they are added to.

Letters: B sequences in a batch, T tokens, D model width, H heads, d = D / H.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from regattn._types import MaskLike
from regattn._validation import check_count, check_real
from regattn.kernels import KernelLike
from regattn.transformer._checks import ACTIVATIONS, NORMS, ORDERS, check_choice, check_heads, check_tokens
from regattn.transformer._linear import Linear
from regattn.transformer._norm import make_norm
from regattn.transformer.multihead import KeyValueCache, MultiHeadAttention

__all__ = ["Block", "BlockDesign", "FeedForward", "KeyValueCache", "MultiHeadAttention", "block_from_torch"]


@dataclass(frozen=True, kw_only=True)
class BlockDesign:
    """What a block is made of.

    Parameters
    ----------
    width : int
        D, the number of coordinates of the residual stream.
    n_heads : int
        H, a divisor of ``width``.
    hidden : int, optional
        Width of the feed-forward layer; 4 × ``width`` by default.
    order : {"pre", "post", "parallel", "single"}, default "pre"
        Where the norms stand; see :class:`Block`.
    norm : {"layer", "rms", "none"}, default "layer"
        What the norms are.
    activation : str, default "gelu"
        "relu", "gelu", "silu", "tanh" or "identity".
    kernel : str or Kernel, default "softmax"
        What turns scores into weights; any kernel of the book.
    positions : {"none", "sinusoidal", "learned", "rotary", "alibi"}, default "none"
        Only "rotary" and "alibi" change the block; the others are added to the tokens before it.
    bias : bool, default True
        Whether the linear maps have intercepts.
    base : float, default 10000
        b of rotary positions; a small one has no slow clocks.

    Examples
    --------
    >>> BlockDesign(width=12, n_heads=3).hidden
    48
    >>> BlockDesign(width=12, n_heads=5)
    Traceback (most recent call last):
    ValueError: width must be a multiple of n_heads, got width 12 and 5 n_heads
    """

    width: int
    n_heads: int
    hidden: int | None = None
    order: str = "pre"
    norm: str = "layer"
    activation: str = "gelu"
    kernel: KernelLike = "softmax"
    positions: str = "none"
    bias: bool = True
    base: float = 10_000.0

    def __post_init__(self) -> None:
        check_heads(self.width, self.n_heads, kernel=self.kernel, positions=self.positions)
        check_real(self.base, "base", least=0.0, strictly=True)
        hidden = 4 * self.width if self.hidden is None else check_count(self.hidden, "hidden")
        object.__setattr__(self, "hidden", hidden)
        check_choice(self.order, "order", ORDERS)
        check_choice(self.norm, "norm", NORMS)
        check_choice(self.activation, "activation", ACTIVATIONS)


class FeedForward(nn.Module):
    r"""Two linear maps with a nonlinearity between them, applied to every token alone.

    .. math:: \text{FFN}(x) = \phi(x W_1 + b_1)\, W_2 + b_2

    Read as memory: columns of W_1 are keys, rows of W_2 are values, φ turns scores into (unnormalised) weights.

    Parameters
    ----------
    width, hidden : int
        D and the number of key-value pairs.
    activation : str, default "gelu"
        "relu", "gelu", "silu", "tanh" or "identity".
    bias : bool, default True
        Whether b_1 and b_2 are there.

    Examples
    --------
    >>> import torch
    >>> FeedForward(4, 16)(torch.randn(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(self, width: int, hidden: int, *, activation: str = "gelu", bias: bool = True) -> None:
        super().__init__()
        check_choice(activation, "activation", ACTIVATIONS)
        check_count(width, "width")
        check_count(hidden, "hidden")
        self.activation = activation
        self.keys = Linear(width, hidden, bias=bias)
        self.values = Linear(hidden, width, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        """Return the new content of every token, in the shape of ``x``."""
        check_tokens(x, "x", self.keys.weight, "...")
        return self.values(ACTIVATIONS[self.activation](self.keys(x)))


class Block(nn.Module):
    r"""One block: attention between tokens, feed-forward within each, both added to the residual stream r.

    - "pre": :math:`u = r + A(N_1 r)`, then :math:`u + F(N_2 u)` (GPT-2 and after)
    - "post": :math:`u = N_1(r + A r)`, then :math:`N_2(u + F u)` (the first transformer)
    - "parallel": :math:`r + A(N_1 r) + F(N_1 r)` (one reading of [BP]_, which leaves the norms out)
    - "single": :math:`u = r + A r`, then :math:`N_1(u + F u)` (Section 12 of [BR]_)

    Parameters
    ----------
    design : BlockDesign
        Width, heads, order and the rest.

    Examples
    --------
    >>> import torch
    >>> Block(BlockDesign(width=6, n_heads=2))(torch.randn(3, 5, 6), mask="causal").shape
    torch.Size([3, 5, 6])
    """

    def __init__(self, design: BlockDesign) -> None:
        super().__init__()
        self.design = design
        self.attention = MultiHeadAttention(
            design.width,
            design.n_heads,
            kernel=design.kernel,
            positions=design.positions,
            bias=design.bias,
            base=design.base,
        )
        self.feed_forward = FeedForward(design.width, design.hidden, activation=design.activation, bias=design.bias)
        self.norm_1 = make_norm(design.norm, design.width, bias=design.bias)
        second = design.norm if design.order in ("pre", "post") else "none"
        self.norm_2 = make_norm(second, design.width, bias=design.bias)

    def forward(self, r: Tensor, *, mask: MaskLike = None, cache: KeyValueCache | None = None) -> Tensor:
        """Return the residual stream after this block, shape (B, T, D)."""
        check_tokens(r, "r", self.attention.projection.weight)
        x = self.attention_input(r)
        attended = self.attention(x, mask=mask, cache=cache)
        if self.design.order == "parallel":
            return r + attended + self.feed_forward(x)
        u = r + attended
        if self.design.order == "pre":
            return u + self.feed_forward(self.norm_2(u))
        if self.design.order == "post":
            u = self.norm_1(u)
            return self.norm_2(u + self.feed_forward(u))
        return self.norm_1(u + self.feed_forward(u))

    def attention_input(self, r: Tensor) -> Tensor:
        """Return what the heads read: the stream, normalised first when the order says so."""
        return self.norm_1(r) if self.design.order in ("pre", "parallel") else r


def block_from_torch(layer: nn.TransformerEncoderLayer) -> Block:
    """Return our block with the weights of a torch encoder layer; without dropout the two compute the same.

    Parameters
    ----------
    layer : torch.nn.TransformerEncoderLayer
        With ReLU or GELU, in either order of the norms.

    Returns
    -------
    Block
        In the dtype of ``layer``.

    Raises
    ------
    ValueError
        If the layer is of another kind, or its activation is not one of ours.

    Examples
    --------
    >>> import torch
    >>> layer = nn.TransformerEncoderLayer(6, 2, 11, dropout=0.0, batch_first=True).eval()
    >>> x = torch.randn(3, 5, 6)
    >>> torch.allclose(block_from_torch(layer)(x), layer(x), atol=1e-6)
    True
    """
    if not isinstance(layer, nn.TransformerEncoderLayer):
        raise ValueError(f"layer must be a torch.nn.TransformerEncoderLayer, got {type(layer).__name__}")
    activation = next((name for name, phi in ACTIVATIONS.items() if phi is layer.activation), None)
    if activation is None:
        raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {layer.activation!r}")
    design = BlockDesign(
        width=layer.self_attn.embed_dim,
        n_heads=layer.self_attn.num_heads,
        hidden=layer.linear1.out_features,
        order="pre" if layer.norm_first else "post",
        activation=activation,
        bias=layer.linear1.bias is not None,
    )
    ours = {
        "self_attn.in_proj_": "attention.projection.",
        "self_attn.out_proj.": "attention.output.",
        "linear1.": "feed_forward.keys.",
        "linear2.": "feed_forward.values.",
        "norm1.": "norm_1.",
        "norm2.": "norm_2.",
    }
    weights = {}
    for name, weight in layer.state_dict().items():
        theirs = next(prefix for prefix in ours if name.startswith(prefix))
        weights[ours[theirs] + name.removeprefix(theirs)] = weight
    block = Block(design).to(layer.linear1.weight.dtype)
    block.norm_1.eps, block.norm_2.eps = layer.norm1.eps, layer.norm2.eps
    block.load_state_dict(weights)
    return block
