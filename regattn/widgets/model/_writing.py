"""Words drawn one after the other, each by a number in [0, 1) that falls on a strip of them, the likeliest first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from regattn.widgets._kit.page_rng import drawn_place, mulberry32

WRITTEN = 16  # words at most, here and in numbers.js
HOLDS = 32  # tokens of the beginning and of what is written, the start among them; here and in numbers.js


class Written(NamedTuple):
    """A text and how each of its new words was drawn."""

    tokens: list[int]
    luck: list[float]
    shares: list[float]
    possible: list[int]


def write(model: Any, begun: list[int], *, count: int, seed: int, cuts: dict[str, Any]) -> Written:
    """Return the text after ``count`` more words, or as many as it holds."""
    import torch

    from regattn.transformer.generation import next_token_distribution

    uniform, found = mulberry32(seed), Written(list(begun), [], [], [])
    while len(found.luck) < count and len(found.tokens) < HOLDS:
        logits = model.trace(torch.tensor([found.tokens])).logits[0, -1]
        p = next_token_distribution(logits, **cuts).numpy()
        order = np.argsort(-logits.numpy(), kind="stable")
        luck = next(uniform)
        token = int(order[drawn_place(p[order], luck)])
        found.tokens.append(token)
        found.luck.append(luck)
        found.shares.append(float(p[token]))
        found.possible.append(int((p > 0).sum()))
    return found
