r"""An encoder and a decoder that forecast a series, after the first transformer.

The encoder reads C months of the past; the decoder has a row for each of h months ahead, which asks the encoder's rows.
No forecast is fed back: a row of the decoder starts as its place and its calendar month.

Letters: B windows in a batch, C months of the past, h months ahead, D model width, H heads, Q quantiles, c covariates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from regattn._rng import Rng, seed_from
from regattn._validation import check_count, check_real
from regattn.series._learning import Reading, seasons_of
from regattn.series._own import MONTHS, SeriesModel
from regattn.series.windows import Windows
from regattn.transformer.block import Block, BlockDesign, FeedForward
from regattn.transformer.multihead import MultiHeadAttention

__all__ = ["Forecaster", "ForecasterDesign", "forecaster_to_torch"]

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
    period : int, optional
        Dates in a year, or in a week of days; 1 where the calendar does not matter. By default a model takes it from
        the dates of the table that it is fitted to: 12 of months, 4 of quarters, 52 of weeks, 7 of days, 5 of business
        days, 24 of hours, 1 of years. Windows without a table count as months.
    covariates : int, default 0
        c, the numbers that are known of every date beforehand, of dates ahead too.

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
    period: int | None = None
    covariates: int = 0

    def __post_init__(self) -> None:
        for name in ("context", "horizon", "hidden", *(("period",) if self.period is not None else ())):
            check_count(getattr(self, name), name)
        for name in ("layers", "covariates"):
            check_count(getattr(self, name), name, least=0)
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


class Forecaster(SeriesModel):
    r"""A transformer with an encoder and a decoder that says quantiles of the next h dates of a series.

    .. math:: M = N(\text{encoder}(x W_x + P + K)), \qquad r = P' + K', \qquad
              r \leftarrow r + A(N r), \quad r \leftarrow r + A(N r, M), \quad r \leftarrow r + F(N r)

    P and P' are learned places, K and K' what the calendar adds. The norms stand before what they normalise and once
    more at the end of both sides. It starts as a naive forecaster: the weights of the last map are zero.
    A date of the past that is missing is masked: nobody listens to it. What is known of dates ahead, with c covariates,
    makes h further rows of M.
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

    _designed, _stacked = ForecasterDesign, True

    def __init__(self, design: ForecasterDesign, *, rng: Rng = 0) -> None:
        super().__init__()
        self._seed = seed_from(rng)
        self._begin(design, usual=MONTHS)

    def _build(self, design: ForecasterDesign) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self._seed)
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
            if design.covariates:
                self.covariate = nn.Linear(design.covariates, D, bias=False)
        self._remember_units(design.covariates)
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    def forward(
        self,
        x: Tensor,
        first: Tensor,
        *,
        keep: ArrayLike | Tensor | None = None,
        seen: Tensor | None = None,
        known: Tensor | None = None,
    ) -> Tensor:
        """Return what is said of each date ahead, shape (B, h, Q).

        Parameters
        ----------
        x : Tensor of shape (B, C)
            The past, normalised, oldest first.
        first : Tensor of int, shape (B,)
            Where in the year the first date ahead falls, from 0.
        keep : bool array of shape (h, C), optional
            False where a date ahead may not listen to a date of the past; only the cross-attention obeys.
        seen : bool Tensor of shape (B, C), optional
            False where a date of the past is missing, which then nobody listens to.
        known : Tensor of shape (B, C + h, c)
            The covariates of the past and of the dates ahead, where the design has some.
        """
        memory, r = self.encode(x, first, seen=seen, known=known)
        return self.readout(self.decoder_norm(self.decoder(r, memory, self._audible(keep, seen))))

    @torch.no_grad()
    def cross_weights(
        self,
        x: Tensor,
        first: Tensor,
        *,
        keep: ArrayLike | Tensor | None = None,
        seen: Tensor | None = None,
        known: Tensor | None = None,
    ) -> Tensor:
        """Return the weights of the cross-attention, shape (B, H, h, C), which in each head sum to one over the past.

        With covariates the h dates ahead follow the past, as (B, H, h, C + h). Parameters are those of :meth:`forward`.
        """
        memory, r = self.encode(x, first, seen=seen, known=known)
        return self.decoder.cross_weights(r, memory, self._audible(keep, seen))

    def _listened(self, windows: Windows, reading: Reading, chosen: np.ndarray) -> tuple[np.ndarray, None]:
        """Return the attention to dates of the past, (N, h, C), and to those known ahead: the mean over heads."""
        x = torch.tensor(reading.x, dtype=self.value.weight.dtype)
        found = self.cross_weights(x, seasons_of(windows, self.design.period), **reading.extra)
        return found.double().mean(dim=1).numpy(), None

    def embed(self, x: Tensor, first: Tensor, *, known: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return the rows that the encoder starts from, (B, C, D), and those of the decoder, (B, h, D).

        With covariates the encoder has h rows more: what is known of the dates ahead.
        """
        C, h, period = self.design.context, self.design.horizon, self.design.period
        if x.ndim != 2 or x.shape[1] != C:
            raise ValueError(f"x must have shape (B, {C}), got {tuple(x.shape)}")
        if first.shape != x.shape[:1]:
            raise ValueError(f"first must have shape ({len(x)},), one for each window, got {tuple(first.shape)}")
        past = (first[:, None] + torch.arange(-C, 0, device=x.device)) % period
        ahead = (first[:, None] + torch.arange(h, device=x.device)) % period
        read = self.value(x[..., None]) + self.past_places + self.calendar(past)
        asked = self.ahead_places + self.calendar(ahead)
        if self.design.covariates:
            known = self.covariate(self._in_units(known, len(x)))
            read = torch.cat([read + known[:, :C], asked + known[:, C:]], dim=1)
        return read, asked

    def encode(
        self, x: Tensor, first: Tensor, *, seen: Tensor | None = None, known: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return what the encoder makes of the past, (B, C, D), and the rows the decoder starts from, (B, h, D).

        Parameters are those of :meth:`forward`; with covariates there are h rows more, as in :meth:`embed`.
        """
        memory, r = self.embed(x, first, known=known)
        mask = self._audible(None, seen)
        for block in self.encoder:
            memory = block(memory, mask=mask)
        return self.encoder_norm(memory), r

    def _audible(self, keep: ArrayLike | Tensor | None, seen: Tensor | None) -> ArrayLike | Tensor | None:
        """Return the mask of all heads, (h, C) or (B, 1, h or 1, C); what is known of dates ahead all may hear."""
        further = self.design.horizon if self.design.covariates else 0
        if keep is not None and further:
            keep = nn.functional.pad(torch.as_tensor(keep), (0, further), value=True)
        if seen is None:
            return keep
        heard = nn.functional.pad(seen, (0, further), value=True)[:, None, None]
        return heard if keep is None else heard & torch.as_tensor(keep, device=heard.device)


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
