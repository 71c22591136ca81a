r"""An encoder and a decoder that forecast a series, after the first transformer; in torch, and as a pass in NumPy.

The encoder reads C months of the past; the decoder has a row for each of h months ahead, which asks the encoder's rows.
No forecast is fed back: a row of the decoder starts as its place and its calendar month.

Letters: B windows in a batch, C months of the past, h months ahead, D model width, H heads, d = D / H, Q quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from regattn._rng import Rng, seed_from
from regattn._validation import check_count, check_real
from regattn.from_scratch import layer_norm, softmax
from regattn.transformer.block import Block, BlockDesign, FeedForward
from regattn.transformer.multihead import MultiHeadAttention

__all__ = ["ForecastPass", "Forecaster", "ForecasterDesign", "forecast_pass", "forecaster_to_torch"]

_DECILES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, kw_only=True)
class ForecasterDesign:
    """What a forecaster is made of.

    Parameters
    ----------
    context, horizon : int
        C, the dates it reads, and h, the dates it forecasts.
    levels : tuple of float, default the nine deciles
        The quantiles it says, rising, each between 0 and 1; an empty tuple stands for one number, the mean.
    width, n_heads, hidden : int, default 32, 4 and 64
        D, H and the width of the feed-forward layers.
    layers : int, default 1
        Layers of the encoder, 0 or more. The decoder has one.
    period : int, default 12
        Dates in a year; 1 where the calendar does not matter.

    Examples
    --------
    >>> ForecasterDesign(context=36, horizon=12).levels[4]
    0.5
    """

    context: int
    horizon: int
    levels: tuple[float, ...] = _DECILES
    width: int = 32
    n_heads: int = 4
    hidden: int = 64
    layers: int = 1
    period: int = 12

    def __post_init__(self) -> None:
        for name in ("context", "horizon", "hidden", "period"):
            check_count(getattr(self, name), name)
        check_count(self.layers, "layers", least=0)
        BlockDesign(width=self.width, n_heads=self.n_heads)
        levels = tuple(check_real(level, "levels", least=0.0, most=1.0, strictly=True) for level in self.levels)
        if list(levels) != sorted(set(levels)) or (levels and levels[-1] == 1):
            raise ValueError(f"levels must rise, between 0 and 1, got {self.levels}")
        object.__setattr__(self, "levels", levels)

    @property
    def outputs(self) -> int:
        """How many numbers are said of each date ahead."""
        return max(1, len(self.levels))


class _DecoderLayer(nn.Module):
    """Attention among the months ahead, attention to the past, feed-forward; each after a norm, and added."""

    def __init__(self, design: ForecasterDesign) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(design.width, design.n_heads)
        self.cross_attention = MultiHeadAttention(design.width, design.n_heads)
        self.feed_forward = FeedForward(design.width, design.hidden, activation="relu")
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(design.width) for _ in range(3))

    def forward(self, r: Tensor, memory: Tensor, keep: ArrayLike | Tensor | None) -> Tensor:
        r = r + self.self_attention(self.norm_1(r), mask="causal")
        r = r + self.cross_attention(self.norm_2(r), memory=memory, mask=keep)
        return r + self.feed_forward(self.norm_3(r))

    def cross_weights(self, r: Tensor, memory: Tensor, keep: ArrayLike | Tensor | None) -> Tensor:
        r = r + self.self_attention(self.norm_1(r), mask="causal")
        return self.cross_attention.weights(self.norm_2(r), memory=memory, mask=keep)


class Forecaster(nn.Module):
    r"""A transformer with an encoder and a decoder that says quantiles of the next h dates of a series.

    .. math:: M = N(\text{encoder}(x W_x + P + K)), \qquad r = P' + K', \qquad
              r \leftarrow r + A(N r), \quad r \leftarrow r + A(N r, M), \quad r \leftarrow r + F(N r)

    P and P' are learned places, K and K' what the calendar adds. The norms stand before what they normalise and once
    more at the end of both sides. It starts as a naive forecaster: the weights of the last map are zero.
    Source: figure 3 of [RK]_, with the mask and the cross-attention that the text leaves out.

    Parameters
    ----------
    design : ForecasterDesign
        Sizes.
    rng : int or Generator, default 0
        What the first weights are drawn with.

    Examples
    --------
    >>> model = Forecaster(ForecasterDesign(context=7, horizon=3, width=8, n_heads=2))
    >>> x, first = torch.zeros(5, 7), torch.zeros(5, dtype=torch.long)
    >>> model(x, first).shape, model.cross_weights(x, first).shape
    (torch.Size([5, 3, 9]), torch.Size([5, 2, 3, 7]))
    """

    def __init__(self, design: ForecasterDesign, *, rng: Rng = 0) -> None:
        super().__init__()
        self.design = design
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_from(rng))
            D = design.width
            self.value = nn.Linear(1, D)
            self.past_places = nn.Parameter(0.02 * torch.randn(design.context, D))
            self.ahead_places = nn.Parameter(0.02 * torch.randn(design.horizon, D))
            self.calendar = nn.Embedding(design.period, D)
            block = BlockDesign(width=D, n_heads=design.n_heads, hidden=design.hidden, activation="relu")
            self.encoder = nn.ModuleList([Block(block) for _ in range(design.layers)])
            self.encoder_norm = nn.LayerNorm(D)
            self.decoder = _DecoderLayer(design)
            self.decoder_norm = nn.LayerNorm(D)
            self.readout = nn.Linear(D, design.outputs)
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    def forward(self, x: Tensor, first: Tensor, *, keep: ArrayLike | Tensor | None = None) -> Tensor:
        """Return what is said of each date ahead, shape (B, h, Q).

        Parameters
        ----------
        x : Tensor of shape (B, C)
            The past, normalised, oldest first.
        first : Tensor of int, shape (B,)
            Where in the year the first date ahead falls, from 0.
        keep : bool array of shape (h, C), optional
            False where a date ahead may not listen to a date of the past; only the cross-attention obeys.
        """
        memory, r = self.encode(x, first)
        return self.readout(self.decoder_norm(self.decoder(r, memory, keep)))

    @torch.no_grad()
    def cross_weights(self, x: Tensor, first: Tensor, *, keep: ArrayLike | Tensor | None = None) -> Tensor:
        """Return the weights of the cross-attention, shape (B, H, h, C), which in each head sum to one over the past.

        Parameters are those of :meth:`forward`.
        """
        return self.decoder.cross_weights(*self.encode(x, first)[::-1], keep)

    def embed(self, x: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
        """Return the rows that the encoder starts from, (B, C, D), and those of the decoder, (B, h, D)."""
        C, h, period = self.design.context, self.design.horizon, self.design.period
        if x.ndim != 2 or x.shape[1] != C:
            raise ValueError(f"x must have shape (B, {C}), got {tuple(x.shape)}")
        if first.shape != x.shape[:1]:
            raise ValueError(f"first must have shape ({len(x)},), one for each window, got {tuple(first.shape)}")
        past = (first[:, None] + torch.arange(-C, 0, device=x.device)) % period
        ahead = (first[:, None] + torch.arange(h, device=x.device)) % period
        read = self.value(x[..., None]) + self.past_places + self.calendar(past)
        return read, self.ahead_places + self.calendar(ahead)

    def encode(self, x: Tensor, first: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the encoder makes of the past, (B, C, D), and the rows the decoder starts from, (B, h, D)."""
        memory, r = self.embed(x, first)
        for block in self.encoder:
            memory = block(memory)
        return self.encoder_norm(memory), r


class ForecastPass(NamedTuple):
    """What one pass of a forecaster over one window returns."""

    outputs: np.ndarray
    """What is said of each date ahead, shape (h, Q), in the units of the normalised past."""
    cross: np.ndarray
    """The weights of the cross-attention, shape (H, h, C)."""


def forecast_pass(
    weights: Mapping[str, ArrayLike],
    x: ArrayLike,
    first: int,
    *,
    design: ForecasterDesign,
    keep: ArrayLike | None = None,
) -> ForecastPass:
    r"""Return one window's forecast and whom it listened to, in NumPy alone: the whole forecaster in a page of code.

    Parameters
    ----------
    weights : mapping of str to array
        The ``state_dict`` of a :class:`Forecaster`, names and shapes as there.
    x : array of shape (C,)
        The past, normalised, oldest first.
    first : int
        Where in the year the first date ahead falls, from 0.
    design : ForecasterDesign
        Of the forecaster.
    keep : bool array of shape (h, C), optional
        As in :meth:`Forecaster.forward`.

    Returns
    -------
    ForecastPass
        In double precision; equal to the module's in double precision up to rounding.

    Raises
    ------
    ValueError
        If ``x`` has another length than C, or ``keep`` another shape than (h, C) or a row without True.

    Examples
    --------
    >>> model = Forecaster(ForecasterDesign(context=7, horizon=3, width=8, n_heads=2)).double()
    >>> there = forecast_pass(model.state_dict(), np.arange(7.0), 2, design=model.design)
    >>> here = model.cross_weights(torch.arange(7.0).double()[None], torch.tensor([2]))[0]
    >>> bool(np.allclose(there.cross, here, atol=1e-12))
    True
    """
    w = {name: np.asarray(value, dtype=float) for name, value in weights.items()}
    x = np.asarray(x, dtype=float)
    C, h, period = design.context, design.horizon, design.period
    if x.shape != (C,):
        raise ValueError(f"x must have shape ({C},), got {x.shape}")
    keep = np.ones((h, C), dtype=bool) if keep is None else np.asarray(keep, dtype=bool)
    if keep.shape != (h, C) or not keep.any(axis=1).all():
        raise ValueError(f"keep must have shape ({h}, {C}) and a True in every row, got {keep.shape}")
    run = _Arithmetic(w, design.n_heads)
    memory = run.map("value", x[:, None]) + w["past_places"] + w["calendar.weight"][(first + np.arange(-C, 0)) % period]
    for layer in range(design.layers):
        at = f"encoder.{layer}"
        z = run.norm(f"{at}.norm_1", memory)
        memory = memory + run.attention(f"{at}.attention", z, z)[0]
        memory = memory + run.feed_forward(f"{at}.feed_forward", run.norm(f"{at}.norm_2", memory))
    memory = run.norm("encoder_norm", memory)
    r = w["ahead_places"] + w["calendar.weight"][(first + np.arange(h)) % period]
    z = run.norm("decoder.norm_1", r)
    r = r + run.attention("decoder.self_attention", z, z, np.tri(h, dtype=bool))[0]
    gathered, cross = run.attention("decoder.cross_attention", run.norm("decoder.norm_2", r), memory, keep)
    r = r + gathered
    r = r + run.feed_forward("decoder.feed_forward", run.norm("decoder.norm_3", r))
    return ForecastPass(run.map("readout", run.norm("decoder_norm", r)), cross)


class _Arithmetic(NamedTuple):
    """The parts of a pass, each applied to the weights under a name."""

    weights: Mapping[str, np.ndarray]
    n_heads: int

    def map(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name: str, x: np.ndarray) -> np.ndarray:
        return layer_norm(x) * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def feed_forward(self, name: str, x: np.ndarray) -> np.ndarray:
        return self.map(f"{name}.values", np.maximum(0, self.map(f"{name}.keys", x)))

    def attention(
        self, name: str, x: np.ndarray, memory: np.ndarray, mask: Any = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what each row of x gathers from the rows of memory, (m, D), and the weights, (H, m, n)."""
        W, b = self.weights[f"{name}.projection.weight"], self.weights[f"{name}.projection.bias"]
        rows = zip((x, memory, memory), np.split(W, 3), np.split(b, 3), strict=True)
        queries, keys, values = (
            (row @ part.T + offset).reshape(len(row), self.n_heads, -1).transpose(1, 0, 2) for row, part, offset in rows
        )  # each (H, tokens, d)
        scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
        weights = softmax(np.where(mask, scores, -np.inf))
        heads = (weights @ values).transpose(1, 0, 2).reshape(len(x), -1)
        return self.map(f"{name}.output", heads), weights


def forecaster_to_torch(model: Forecaster) -> nn.Transformer:
    """Return torch's own ``nn.Transformer`` with the forecaster's weights: all but what comes in and what is read out.

    Parameters
    ----------
    model : Forecaster
        With at least one layer in its encoder.

    Returns
    -------
    torch.nn.Transformer
        Takes the two sides (B, C, D) and (B, h, D), and returns what the readout reads.

    Examples
    --------
    >>> model = Forecaster(ForecasterDesign(context=7, horizon=3, width=8, n_heads=2))
    >>> forecaster_to_torch(model)(torch.zeros(5, 7, 8), torch.zeros(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """
    design = model.design
    check_count(design.layers, "layers")
    sizes = {"d_model": design.width, "nhead": design.n_heads, "dim_feedforward": design.hidden, "dropout": 0.0}
    kind = {"activation": "relu", "batch_first": True, "norm_first": True}
    layer = nn.TransformerEncoderLayer(**sizes, **kind)
    encoder = nn.TransformerEncoder(layer, design.layers, nn.LayerNorm(design.width), enable_nested_tensor=False)
    whole = nn.Transformer(**sizes, **kind, num_decoder_layers=1, custom_encoder=encoder)
    theirs = {
        "decoder.self_attention.": "decoder.layers.0.self_attn.",
        "decoder.cross_attention.": "decoder.layers.0.multihead_attn.",
        "decoder.feed_forward.keys": "decoder.layers.0.linear1",
        "decoder.feed_forward.values": "decoder.layers.0.linear2",
        "decoder.norm_": "decoder.layers.0.norm",
        "encoder.": "encoder.layers.",
        "encoder_norm": "encoder.norm",
        "decoder_norm": "decoder.norm",
        "attention.": "self_attn.",
        "feed_forward.keys": "linear1",
        "feed_forward.values": "linear2",
        "norm_": "norm",
        "projection.": "in_proj_",
        "output.": "out_proj.",
    }
    weights = {}
    for name, value in model.state_dict().items():
        if not name.startswith(("encoder", "decoder")):
            continue
        for ours, their in theirs.items():
            name = name.replace(ours, their)
        weights[name] = value
    whole.to(model.readout.weight.dtype).load_state_dict(weights)
    return whole.eval()
