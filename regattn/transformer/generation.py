"""Drawing text from a language model, one token at a time."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from regattn._rng import Rng, torch_generator
from regattn._validation import check_array, check_count, check_real
from regattn.transformer.inference import Decoder
from regattn.transformer.language_model import LanguageModel

__all__ = ["generate", "next_token_distribution"]


def next_token_distribution(
    logits: Tensor, *, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    r"""Return the probabilities a token is drawn from: sharpened, cut off and renormalised.

    .. math:: p_v \propto e^{z_v / T}

    Then only the ``top_k`` largest are kept, then the smallest set of the largest whose probabilities reach ``top_p``.
    Ties at either edge go to the token that comes first.

    Parameters
    ----------
    logits : Tensor of shape (..., V)
        Scores of the vocabulary.
    temperature : float, default 1
        T ≥ 0. Zero puts all mass on the largest logit.
    top_k : int, optional
        How many tokens may be drawn.
    top_p : float, default 1
        Mass that is kept, in (0, 1].

    Returns
    -------
    Tensor of shape (..., V)
        Rows sum to one.

    Raises
    ------
    ValueError
        If a setting is out of range, or ``logits`` is not a tensor of finite numbers with at least one axis.

    Examples
    --------
    >>> logits = torch.tensor([2.0, 1.0, 0.0])
    >>> next_token_distribution(logits, top_k=2)
    tensor([0.7311, 0.2689, 0.0000])
    >>> next_token_distribution(logits, temperature=0.0)
    tensor([1., 0., 0.])
    """
    if not isinstance(logits, Tensor) or logits.ndim == 0:
        raise ValueError(f"logits must be a tensor of shape (..., V), got {logits!r}")
    logits = check_array(logits, "logits")
    temperature = check_real(temperature, "temperature", least=0.0)
    top_p = check_real(top_p, "top_p", least=0.0, most=1.0, strictly=True)
    vocabulary = logits.shape[-1]
    kept = vocabulary if top_k is None else check_count(top_k, "top_k", most=vocabulary, bound="the vocabulary")
    if temperature == 0:
        first = torch.argmax((logits == logits.amax(-1, keepdim=True)).to(torch.uint8), dim=-1, keepdim=True)
        return torch.zeros_like(logits).scatter(-1, first, 1.0)
    temperature = max(temperature, torch.finfo(logits.dtype).tiny)  # smaller ones are zero among the logits
    shifted = logits - logits.amax(
        -1, keepdim=True
    )  # before the division, so that a tiny temperature overflows nothing
    p = torch.softmax((shifted / temperature).clamp(min=torch.finfo(logits.dtype).min), dim=-1)
    if kept == vocabulary and top_p == 1.0:
        return p
    order = torch.sort(logits, dim=-1, descending=True, stable=True).indices  # at a high temperature rounding ties p
    ordered = p.gather(-1, order)
    place = torch.arange(vocabulary, device=logits.device)
    ordered = torch.where(place < kept, ordered, 0.0)
    ordered = ordered / ordered.sum(-1, keepdim=True)
    reached_before = ordered.cumsum(-1) - ordered
    ordered = torch.where(
        (place == 0) | (reached_before < top_p), ordered, 0.0
    )  # the first is kept however small top_p is
    ordered = ordered / ordered.sum(-1, keepdim=True)
    return torch.zeros_like(p).scatter(-1, order, ordered)


def generate(  # noqa: PLR0913 - these are the controls every reader will look for by name
    model: LanguageModel,
    prompt: Tensor,
    n_new: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    rng: Rng = 0,
    cached: bool = True,
) -> Tensor:
    """Return the prompt continued by ``n_new`` tokens drawn from the model.

    Parameters
    ----------
    model : LanguageModel
        Gives the logits.
    prompt : Tensor of int, shape (B, T)
        What the text starts with, T ≥ 1.
    n_new : int
        Tokens to draw, at least 1.
    temperature, top_k, top_p
        As in :func:`next_token_distribution`; temperature 0 always takes the most probable token.
    rng : int or Generator, default 0
        Seed or source of chance; with a seed a call repeats.
    cached : bool, default True
        Whether keys and values of earlier tokens are kept; without, every step reads the whole text again.

    Returns
    -------
    Tensor of int, shape (B, T + n_new)
        The same text with and without the cache, up to rounding in a draw that falls on an edge.

    Raises
    ------
    ValueError
        If a setting is out of range, a token is not in the vocabulary, or learned positions run out.

    Examples
    --------
    >>> from regattn.transformer.language_model import Architecture
    >>> model = LanguageModel(Architecture(vocabulary=11, layers=2, context=16, width=6, n_heads=3))
    >>> generate(model, torch.tensor([[3, 1]]), 5).shape
    torch.Size([1, 7])
    """
    n_new = check_count(n_new, "n_new")
    if not isinstance(prompt, Tensor):
        raise ValueError(f"prompt must be a tensor of shape (B, T), got {type(prompt).__name__}")
    generator = torch_generator(rng)
    read = prompt.shape[-1] if prompt.ndim else 0
    tokens = prompt.new_empty((*prompt.shape[:-1], read + n_new))  # made out here, so that training may use it later
    next_logits = _reader(model, prompt, read + n_new - 1) if cached else None
    with torch.inference_mode():
        tokens[..., :read] = unread = prompt
        for end in range(read, read + n_new):
            logits = next_logits(unread) if cached else model(tokens[:, :end])[:, -1]
            p = next_token_distribution(logits, temperature=temperature, top_k=top_k, top_p=top_p)
            unread = torch.multinomial(p.to(generator.device), 1, generator=generator).to(tokens.device)
            tokens[:, end : end + 1] = unread
    return tokens


def _reader(model: LanguageModel, prompt: Tensor, capacity: int) -> Callable[[Tensor], Tensor]:
    """Return what takes the tokens not read yet, (B, T), to the logits of the next one, (B, V), and remembers them.

    One text on the processor is read in NumPy, which spends a third of the time on a token.
    """
    weights = model.embedding.weight
    numbers = prompt.dtype in (torch.int64, torch.int32) and weights.dtype in (torch.float32, torch.float64)
    if (
        numbers
        and weights.is_cpu
        and prompt.is_cpu
        and prompt.shape[:-1] == (1,)
        and not Decoder.refuses(model.architecture)
    ):
        decoder = Decoder(model, capacity)
        return lambda tokens: torch.from_numpy(decoder.read(tokens[0].numpy())[-1:])
    caches = model.new_caches(capacity)
    return lambda tokens: model(tokens, caches=caches)[:, -1]
