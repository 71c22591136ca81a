r"""A decoder-only language model: embed tokens, pass them through causal blocks, score the vocabulary.

Letters: B sequences in a batch, T tokens, L layers, D model width, H heads, V tokens in the vocabulary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from regattn._rng import Rng, seed_from
from regattn._validation import check_count, is_abstract
from regattn.transformer._linear import Linear
from regattn.transformer._norm import make_norm
from regattn.transformer.block import Block, BlockDesign
from regattn.transformer.multihead import KeyValueCache
from regattn.transformer.position import sinusoidal_positions

__all__ = ["Architecture", "LanguageModel", "Trace", "count_parameters", "next_token_loss"]


@dataclass(frozen=True, kw_only=True)
class Architecture(BlockDesign):
    """What a language model is made of: a :class:`BlockDesign`, how often it is repeated, and its two ends.

    Parameters
    ----------
    vocabulary : int
        V, the number of different tokens.
    layers : int
        L, the number of blocks.
    context : int
        The longest sequence it is trained on; a hard limit only for learned positions, whose table ends there.
    tied : bool, default True
        Whether one matrix both embeds tokens and scores them.

    Examples
    --------
    >>> Architecture(vocabulary=65, layers=4, context=128, width=128, n_heads=4, positions="rotary").hidden
    512
    """

    vocabulary: int
    layers: int
    context: int
    tied: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("vocabulary", "layers", "context"):
            check_count(getattr(self, name), name)


class Trace(NamedTuple):
    """What happened on the way to the logits.

    ``streams`` is the residual stream before the first block and after each, shape (L + 1, B, T, D); ``weights`` are
    the attention weights of every layer and head, shape (L, B, H, T, T); ``logits`` has shape (B, T, V).
    """

    logits: Tensor
    streams: Tensor
    weights: Tensor


class LanguageModel(nn.Module):
    r"""The distribution of the next token given those before it.

    .. math:: P(w_{n+1} = v \mid w_1, \dots, w_n) = \text{softmax}(U\, r_n^{(L)})_v

    Source: Section 12 of [BR]_ and the transformer of [BP]_. Tokens enter with unit variance per coordinate (the factor
    :math:`\sqrt D` of the first transformer), the maps that write to the stream start smaller the more blocks there
    are, and orders that do not end in a norm get one before the unembedding.

    Parameters
    ----------
    architecture : Architecture
        Sizes and choices.
    rng : int or Generator, default 0
        Seed or source of chance for the starting weights; torch's global generator is left as it was.

    Examples
    --------
    >>> model = LanguageModel(Architecture(vocabulary=11, layers=2, context=7, width=6, n_heads=3))
    >>> model(torch.tensor([[3, 1, 4]])).shape
    torch.Size([1, 3, 11])
    """

    def __init__(self, architecture: Architecture, *, rng: Rng = 0) -> None:
        super().__init__()
        a = self.architecture = architecture
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_from(rng))
            self.embedding = nn.Embedding(a.vocabulary, a.width)
            self.positions = nn.Embedding(a.context, a.width) if a.positions == "learned" else None
            self.blocks = nn.ModuleList(Block(a) for _ in range(a.layers))
            last = a.norm if a.order in ("pre", "parallel") else "none"
            self.final_norm = make_norm(last, a.width, bias=a.bias)
            self.unembedding = Linear(a.width, a.vocabulary, bias=False)
            self._initialise()
        if a.tied:
            self.unembedding.weight = self.embedding.weight

    def forward(self, tokens: Tensor, *, caches: list[KeyValueCache] | None = None, start: int = 0) -> Tensor:
        """Return logits of shape (B, T, V); row t scores the token after token t and has seen nothing later.

        With ``caches`` (one per layer, from :meth:`new_caches`) the tokens continue the sequence already read. Without,
        the first of them gets the code of place ``start``, which tells learned and sinusoidal positions where it is.

        Raises
        ------
        ValueError
            If ``tokens`` is not an int64 or int32 matrix of numbers below V, or outgrows a learned table of positions.
        """
        r = self.embed(tokens, start=caches[0].length if caches else start)
        for i, block in enumerate(self.blocks):
            r = block(r, mask="causal", cache=caches[i] if caches else None)
        return self.unembedding(self.final_norm(r))

    def embed(self, tokens: Tensor, *, start: int = 0) -> Tensor:
        """Return the residual stream before the first block, shape (B, T, D)."""
        a = self.architecture
        self._check_tokens(tokens)
        r = self.embedding(tokens) * math.sqrt(a.width)
        end = start + tokens.shape[1]
        if a.positions == "learned":
            if end > a.context:
                raise ValueError(f"the table of learned positions has {a.context} rows, got {end} tokens")
            r = r + self.positions.weight[start:end]
        elif a.positions == "sinusoidal":
            width = a.width + a.width % 2
            r = r + r.new_tensor(sinusoidal_positions(range(start, end), width)[:, : a.width] * math.sqrt(2))
        return r

    @torch.no_grad()
    def trace(self, tokens: Tensor) -> Trace:
        """Return logits, residual streams and attention weights of every layer, without gradients."""
        r = self.embed(tokens)
        streams, weights = [r], []
        for block in self.blocks:
            weights.append(block.attention.weights(block.attention_input(r), mask="causal"))
            r = block(r, mask="causal")
            streams.append(r)
        return Trace(self.unembedding(self.final_norm(r)), torch.stack(streams), torch.stack(weights))

    def new_caches(self, capacity: int) -> list[KeyValueCache]:
        """Return an empty cache for each layer, with room for ``capacity`` tokens."""
        return [KeyValueCache(capacity) for _ in self.blocks]

    def _check_tokens(self, tokens: Tensor) -> None:
        if not isinstance(tokens, Tensor):
            raise ValueError(f"tokens must be a tensor, got {type(tokens).__name__}")
        if tokens.ndim != 2 or tokens.dtype not in (torch.int64, torch.int32) or tokens.numel() == 0:
            raise ValueError(f"tokens must be whole numbers of shape (B, T), got {tokens.dtype} {tuple(tokens.shape)}")
        if tokens.is_meta or is_abstract(tokens):
            return
        least, most = (int(x) for x in tokens.aminmax())
        if least < 0 or most >= self.architecture.vocabulary:
            offending = least if least < 0 else most
            raise ValueError(f"tokens must be from 0 to {self.architecture.vocabulary - 1}, got {offending}")

    def _initialise(self) -> None:
        a = self.architecture
        nn.init.normal_(self.embedding.weight, std=a.width**-0.5)
        nn.init.normal_(self.unembedding.weight, std=a.width**-0.5)
        for name, module in self.blocks.named_modules():
            if isinstance(module, nn.Linear):
                writes = name.endswith((".output", ".values"))
                depth = math.sqrt(2 * a.layers) if writes else 1.0
                nn.init.normal_(module.weight, std=module.in_features**-0.5 / depth)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)


def next_token_loss(model: nn.Module, tokens: Tensor) -> Tensor:
    r"""Return the cross-entropy of the next token, in nats per token.

    .. math:: -\frac{1}{BT} \sum_{b,t} \log P(w_{b,t+1} \mid w_{b,1}, \dots, w_{b,t})

    Parameters
    ----------
    model : module
        Takes tokens of shape (B, T), returns logits of shape (B, T, V).
    tokens : Tensor of shape (B, T + 1)
        The first T are read, the last T are predicted.

    Returns
    -------
    Tensor
        A scalar ≥ 0.

    Raises
    ------
    ValueError
        If ``tokens`` is not a matrix with at least two columns.

    Examples
    --------
    A model that knows nothing pays log V per token:

    >>> uniform = lambda tokens: torch.zeros(*tokens.shape, 7)
    >>> round(next_token_loss(uniform, torch.tensor([[1, 2, 3]])).exp().item(), 4)
    7.0
    """
    if tokens.ndim != 2 or tokens.shape[1] < 2:
        raise ValueError(f"tokens must have shape (B, T + 1) with T ≥ 1, got {tuple(tokens.shape)}")
    logits = model(tokens[:, :-1])
    return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def count_parameters(model: LanguageModel) -> dict[str, int]:
    """Return the number of parameters by part; a tied matrix counts once, as embedding.

    Build the model under ``torch.device("meta")`` and the count of any size costs no memory.

    Parameters
    ----------
    model : LanguageModel
        Trained or not.

    Returns
    -------
    dict
        Keys "embedding", "positions", "attention", "feed_forward", "norms", "unembedding" and "total".

    Examples
    --------
    >>> model = LanguageModel(Architecture(vocabulary=11, layers=2, context=7, width=6, n_heads=3))
    >>> count_parameters(model)["attention"] == 2 * (4 * 6 * 6 + 4 * 6)
    True
    """
    places = {"embedding": "embedding", "positions": "positions", "unembedding": "unembedding"}
    counts = dict.fromkeys(("embedding", "positions", "attention", "feed_forward", "norms", "unembedding"), 0)
    for name, parameter in model.named_parameters():
        parts = name.split(".")
        part = places.get(parts[0]) or next((p for p in parts if p in ("attention", "feed_forward")), "norms")
        counts[part] += parameter.numel()
    return counts | {"total": sum(counts.values())}
