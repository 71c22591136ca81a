"""The experiments of chapters 17 to 18: models that lack a part, text that repeats itself, losses, and measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from regattn._rng import Rng
from regattn._types import MaskLike
from regattn._validation import check_count
from regattn.transformer.block import Block, KeyValueCache, MultiHeadAttention
from regattn.transformer.language_model import Architecture, LanguageModel, Trace

__all__ = ["copying", "induction_scores", "lacking", "loss_by_place", "repeating_texts", "texts_to_copy", "trace_under"]

PARTS = ("nothing", "norm", "residual", "feed-forward", "attention", "position", "half the mask")


def lacking(part: str, architecture: Architecture, *, rng: Rng = 0) -> LanguageModel:
    """Return a language model without one part of its blocks; whatever is left starts from the same weights.

    Parameters
    ----------
    part : {"nothing", "norm", "residual", "feed-forward", "attention", "position", "half the mask"}
        What is left out. Without the residual a block passes on what its feed-forward layer made of what its attention
        found, and nothing else. With half the mask the weights after a token are dropped from the sum, and stay in the
        normaliser, as eqs. (12) and (13) of [BR]_ print it.
    architecture : Architecture
        Of the whole model, with order "pre".
    rng : int or Generator, default 0
        As in :class:`LanguageModel`.

    Returns
    -------
    LanguageModel
        Untrained.

    Raises
    ------
    ValueError
        If there is no such part, or the order is another.

    Examples
    --------
    >>> whole = Architecture(vocabulary=11, layers=2, context=7, width=6, n_heads=3)
    >>> lacking("attention", whole)(torch.tensor([[3, 1, 4]])).shape
    torch.Size([1, 3, 11])
    """
    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(PARTS)}, got {part!r}")
    if architecture.order != "pre":
        raise ValueError(f"the order of the architecture must be 'pre', got {architecture.order!r}")
    changed = {"norm": {"norm": "none"}, "position": {"positions": "none"}}.get(part, {})
    model = LanguageModel(replace(architecture, **changed), rng=rng)
    for number, block in enumerate(model.blocks):
        if part == "residual":
            model.blocks[number] = _with_weights(_NothingKept(architecture), block)
        elif part == "feed-forward":
            block.norm_2, block.feed_forward = nn.Identity(), _Nothing()
        elif part == "attention":
            model.blocks[number] = _with_weights(_Alone(architecture), block)
            model.blocks[number].attention = model.blocks[number].norm_1 = None
        elif part == "half the mask":
            a = architecture
            half = _HalfMasked(a.width, a.n_heads, kernel=a.kernel, positions=a.positions, bias=a.bias)
            block.attention = _with_weights(half, block.attention)
    return model


def _with_weights(module: nn.Module, other: nn.Module) -> nn.Module:
    module.load_state_dict(other.state_dict())
    return module


class _Nothing(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


class _Alone(Block):
    def forward(self, r: Tensor, **_: Any) -> Tensor:
        return r + self.feed_forward(self.norm_2(r))


class _NothingKept(Block):
    def forward(self, r: Tensor, *, mask: MaskLike = None, cache: KeyValueCache | None = None) -> Tensor:
        return self.feed_forward(self.norm_2(self.attention(self.norm_1(r), mask=mask, cache=cache)))


class _HalfMasked(MultiHeadAttention):
    def forward(self, x: Tensor, **_: Any) -> Tensor:
        queries, keys, values = self._queries_keys_values(x, None, None)
        weights = torch.softmax(self.scale * queries @ keys.mT, dim=-1).tril()
        return self.output((weights @ values).transpose(1, 2).flatten(2))


def repeating_texts(
    rng: np.random.Generator, *, texts: int, length: int, vocabulary: int, periods: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return texts that say a few words drawn by chance, then the same again until they are full.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws everything.
    texts, length : int
        B texts of T tokens.
    vocabulary : int
        V, the number of different words; all are equally probable.
    periods : (int, int)
        Least and largest number of words before the text begins again, equally probable between; a text uses no word
        twice before that.

    Returns
    -------
    tokens : ndarray of int, shape (B, T)
        The texts.
    period : ndarray of int, shape (B,)
        The words each began with. From token ``period + 1`` on, every one is certain given those before it.

    Raises
    ------
    ValueError
        If the periods are not in order or there are not enough words.

    Examples
    --------
    >>> tokens, period = repeating_texts(np.random.default_rng(4), texts=1, length=8, vocabulary=9, periods=(3, 4))
    >>> tokens, period
    (array([[0, 1, 2, 8, 0, 1, 2, 8]]), array([4]))
    """
    least, most = periods
    check_count(least, "the least period")
    check_count(most, "the largest period", least=least, most=vocabulary, bound="the number of words")
    period = rng.integers(least, most + 1, size=check_count(texts, "texts"))
    words = rng.permuted(np.tile(np.arange(vocabulary), (texts, 1)), axis=1)
    return np.take_along_axis(words, np.arange(check_count(length, "length")) % period[:, None], axis=1), period


def induction_scores(weights: Tensor, tokens: Tensor, *, chosen: Tensor | None = None) -> Tensor:
    r"""Return how much weight every head puts on what followed earlier copies of the present token.

    .. math:: \sum_{j < i,\, w_j = w_i} a_{i, j+1}, \quad \text{averaged over the } i \text{ that have such a } j

    Source: the heads of Olsson et al. (2022).

    Parameters
    ----------
    weights : Tensor of shape (L, B, H, T, T)
        From :meth:`LanguageModel.trace`.
    tokens : Tensor of int, shape (B, T)
        What was read.
    chosen : Tensor of bool, shape (B, T), optional
        Average over these places alone.

    Returns
    -------
    Tensor of shape (L, H)
        From 0 to 1.

    Raises
    ------
    ValueError
        If no token has occurred before.

    Examples
    --------
    >>> weights = torch.zeros(1, 1, 1, 4, 4)
    >>> weights[0, 0, 0, 3, 1] = 1.0  # the last 7 looks at the 5, which followed the first 7
    >>> induction_scores(weights, torch.tensor([[7, 5, 3, 7]]))
    tensor([[1.]])
    """
    again = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)  # (B, i, j)
    place = again.any(-1) if chosen is None else again.any(-1) & chosen
    if not place.any():
        raise ValueError("tokens must hold one that has occurred before, got none among those chosen")
    followers = again.roll(1, dims=-1).to(weights.dtype)  # j + 1; the last column is never set, so nothing wraps
    return torch.einsum("lbhij,bij->lhbi", weights, followers)[..., place].mean(-1)


def texts_to_copy(
    rng: np.random.Generator, *, texts: int, length: int, vocabulary: int, periods: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """Return repeating texts behind a start mark, token 0, and the words each began with; see :func:`repeating_texts`.

    Examples
    --------
    >>> texts_to_copy(np.random.default_rng(4), texts=1, length=8, vocabulary=9, periods=(3, 3))[0]
    tensor([[0, 1, 2, 8, 1, 2, 8, 1]])
    """
    check_count(length, "length", least=2)
    tokens, period = repeating_texts(rng, texts=texts, length=length - 1, vocabulary=vocabulary - 1, periods=periods)
    return torch.from_numpy(np.pad(tokens + 1, ((0, 0), (1, 0)))), torch.from_numpy(period)


@torch.no_grad()
def copying(model: LanguageModel, tokens: Tensor, period: Tensor) -> dict[str, float]:
    """Return how a model of two blocks with a head each copies texts of :func:`texts_to_copy`.

    Parameters
    ----------
    model : LanguageModel
        Of two blocks with one head each.
    tokens, period : Tensor
        The texts, shape (B, T + 1), and the words each began with, shape (B,).

    Returns
    -------
    dict
        The loss in nats on the words that are certain, ``repeated``; the mean weight on the token before in block 1,
        ``previous``; and the induction score of block 2 where the next word is certain, ``score``.

    Raises
    ------
    ValueError
        If the model has other blocks or heads.
    """
    a = model.architecture
    if (a.layers, a.n_heads) != (2, 1):
        raise ValueError(f"the model must have two blocks with a head each, got {a.layers} with {a.n_heads}")
    trace, seen = model.trace(tokens[:, :-1]), tokens[:, :-1]
    surprisal = -torch.log_softmax(trace.logits, -1).gather(-1, tokens[:, 1:, None])[..., 0]
    certain = torch.arange(seen.shape[1]) > period[:, None]
    return {
        "repeated": round(surprisal[certain].mean().item(), 4),
        "previous": round(trace.weights[0, :, 0].diagonal(-1, -2, -1).mean().item(), 4),
        "score": round(induction_scores(trace.weights, seen, chosen=certain)[1, 0].item(), 4),
    }


@torch.no_grad()
def trace_under(model: LanguageModel, tokens: Tensor, masks: Sequence[MaskLike | bool]) -> Trace:
    """Return what :meth:`LanguageModel.trace` returns when every block looks through a mask of its own.

    Parameters
    ----------
    model : LanguageModel
        With order "pre".
    tokens : Tensor of int, shape (B, T)
        What is read.
    masks : sequence of MaskLike or False
        One for each block, as in :func:`regattn.attend`; False takes its attention away, whose weights are then zero.

    Raises
    ------
    ValueError
        If there is not one for each block, or the order of the model is another.

    Examples
    --------
    >>> model = LanguageModel(Architecture(vocabulary=11, layers=2, context=7, width=6, n_heads=3))
    >>> trace_under(model, torch.tensor([[3, 1, 4]]), [np.eye(3, dtype=bool), False]).weights[:, 0, 0]
    tensor([[[1., 0., 0.],
             [0., 1., 0.],
             [0., 0., 1.]],
    <BLANKLINE>
            [[0., 0., 0.],
             [0., 0., 0.],
             [0., 0., 0.]]])
    """
    if len(masks) != len(model.blocks):
        raise ValueError(f"masks must be {len(model.blocks)}, one for each block, got {len(masks)}")
    if model.architecture.order != "pre":
        raise ValueError(f"the order of the model must be 'pre', got {model.architecture.order!r}")
    r = model.embed(tokens)
    streams, weights = [r], []
    for block, mask in zip(model.blocks, masks, strict=True):
        x = block.attention_input(r)
        looks = block.attention.weights(x, mask=None if mask is False else mask)
        weights.append(torch.zeros_like(looks) if mask is False else looks)
        r = r if mask is False else r + block.attention(x, mask=mask)
        r = r + block.feed_forward(block.norm_2(r))
        streams.append(r)
    return Trace(model.unembedding(model.final_norm(r)), torch.stack(streams), torch.stack(weights))


@torch.no_grad()
def loss_by_place(model: nn.Module, tokens: Tensor) -> np.ndarray:
    """Return the mean loss of the next token at every place of windows of shape (B, L + 1), in nats, shape (L,).

    Examples
    --------
    >>> uniform = lambda tokens: torch.zeros(*tokens.shape, 7)
    >>> loss_by_place(uniform, torch.tensor([[1, 2, 3]])).round(4)  # log 7
    array([1.9459, 1.9459], dtype=float32)
    """
    losses = [
        functional.cross_entropy(model(part[:, :-1]).mT, part[:, 1:], reduction="none") for part in tokens.split(64)
    ]
    return torch.cat(losses).mean(0).numpy()
