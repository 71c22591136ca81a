"""What a text costs by a language model, read in stretches that overlap, and by models that only count."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from regattn.transformer.language_model import LanguageModel
from regattn.words.ngrams import count_ngrams

BATCH = 32  # stretches that are read at once
ORDERS = {"tokens": (1, 2, 3), "bytes": (3, 5)}
LINE_BREAK = 10  # the byte that stands before a text


def surprisals(model: LanguageModel, tokens: Tensor) -> Tensor:
    """Return −log P of every token after the first, in nats, shape (T,).

    Each stretch is as long as the context and begins half-way through the one before it, whose predictions stay: but
    for those at the beginning, every token is predicted from at least half a context.
    """
    context = model.architecture.context
    step, count = max(1, context // 2), len(tokens) - 1
    windows = [tokens[at : at + context + 1] for at in range(0, max(1, count - context + step), step)]
    costs = [row for at in range(0, len(windows), BATCH) for row in _read(model, windows[at : at + BATCH])]
    return torch.cat([costs[0], *(row[context - step :] for row in costs[1:])])


def counting_scores(learned: list[int], scored: list[int], V: int, *, train: str, test: str) -> dict[str, float]:
    """Return what a text costs by n-gram models of its tokens and of its bytes, in bits per byte.

    ``learned`` and ``scored`` are the tokens of ``train`` and ``test``, each after the start.
    """
    single = [[LINE_BREAK, *part.encode()] for part in (train, test)]
    found = {}
    for name, (before, after), size in (("tokens", (learned, scored), V), ("bytes", single, 256)):
        for order in ORDERS[name]:
            costs = count_ngrams(before, order=order, vocabulary=size).surprisals(after)
            found[f"{order}-grams of {name}"] = float(costs.sum()) / math.log(2) / len(test.encode())
    return found


def _read(model: LanguageModel, windows: list[Tensor]) -> list[Tensor]:
    """Return −log P of every token of some stretches after the first of each."""
    together = nn.utils.rnn.pad_sequence(windows, batch_first=True)  # at the end, where no other token looks
    with torch.no_grad():
        logs = torch.log_softmax(model(together[:, :-1]), dim=-1)
    costs = -logs.gather(-1, together[:, 1:, None])[..., 0]
    return [row[: len(window) - 1] for row, window in zip(costs, windows, strict=True)]
