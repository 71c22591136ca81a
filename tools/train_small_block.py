"""Train the block of eight numbers that the BlockExplorer of chapter 16 shows, once with one, two and four heads.

    OMP_NUM_THREADS=1 python -m tools.train_small_block            # a minute of one idle core

Sentences are "the dogs are" and "the dogs near the gate are", with four nouns; the verb follows the first of them. The
block has the order *pre*, no places, no intercepts and no gains, and one table both embeds words and scores them. A
hundredth of the loss asks the stream already after attention, so that it can be read there. Weights are kept to two
decimals. For two heads, of seeds 0 to 3 one is kept whose first head looks at the subject.
"""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import torch
from torch import Tensor

from regattn._files import write_whole

HOME = Path(__file__).resolve().parent.parent / "regattn" / "widgets" / "block" / "trained.json"
WORDS = ["the", "dog", "dogs", "gate", "gates", "near", "is", "are"]
NOUNS = {"dog": "is", "dogs": "are", "gate": "is", "gates": "are"}
WIDTH, STEPS, HALF_WAY, DECAY, RATE = 8, 1500, 0.01, 0.02, 0.01
SEEDS = {1: 0, 2: 2, 4: 0}


def sentences() -> dict[str, float]:
    """Return every sentence with its probability: half of them are short."""
    short = {f"the {noun} {verb}": 1 / 8 for noun, verb in NOUNS.items()}
    return short | {f"the {a} near the {b} {NOUNS[a]}": 1 / 32 for a, b in product(NOUNS, NOUNS)}


def batches() -> list[tuple[Tensor, Tensor]]:
    """Return the sentences of each length as rows of tokens, with their probabilities."""
    made = {}
    for sentence, share in sentences().items():
        tokens = [WORDS.index(word) for word in sentence.split()]
        made.setdefault(len(tokens), []).append((tokens, share))
    return [tuple(torch.tensor(part) for part in zip(*rows, strict=True)) for rows in made.values()]


def normed(x: Tensor) -> Tensor:
    """Return rows of mean 0 and variance 1."""
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def streams(weights: dict[str, Tensor], tokens: Tensor, heads: int) -> tuple[Tensor, Tensor]:
    """Return the stream after attention and after the block."""
    r = weights["words"][tokens]
    x = normed(r)
    q, k, v = ((x @ weights[name]).unflatten(-1, (heads, -1)).transpose(-2, -3) for name in "QKV")
    mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    u = r + mixed.transpose(-2, -3).flatten(-2) @ weights["O"]
    return u, u + torch.relu(normed(u) @ weights["1"]) @ weights["2"]


def loss(weights: dict[str, Tensor], heads: int) -> tuple[Tensor, Tensor]:
    """Return the nats per sentence, asked after attention and after the block."""
    totals = [torch.tensor(0.0), torch.tensor(0.0)]
    for tokens, shares in batches():
        for k, stream in enumerate(streams(weights, tokens[:, :-1], heads)):
            surprise = -(normed(stream) @ weights["words"].T).log_softmax(-1)
            totals[k] = totals[k] + (shares[:, None] * surprise.gather(-1, tokens[:, 1:, None])[..., 0]).sum()
    return totals[0], totals[1]


def trained(heads: int, seed: int, steps: int = STEPS) -> dict[str, Tensor]:
    """Return the weights after training."""
    rng = torch.Generator().manual_seed(seed)
    shapes = {"words": (len(WORDS), WIDTH), **dict.fromkeys("QKVO", (WIDTH, WIDTH))}
    shapes |= {"1": (WIDTH, 4 * WIDTH), "2": (4 * WIDTH, WIDTH)}
    scales = {name: 1.0 if name == "words" else 0.7 / math.sqrt(rows) for name, (rows, _) in shapes.items()}
    weights = {
        name: (torch.randn(*shape, generator=rng) * scales[name]).requires_grad_() for name, shape in shapes.items()
    }
    optimiser = torch.optim.AdamW(weights.values(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        half_way, whole = loss(weights, heads)
        optimiser.zero_grad()
        (whole + HALF_WAY * half_way).backward()
        optimiser.step()
        schedule.step()
    return {name: found.detach() for name, found in weights.items()}


def main() -> None:
    """Train, round, save, and say what the rounded weights cost."""
    kept = {}
    for heads, seed in SEEDS.items():
        weights = {name: (100 * found).round() / 100 for name, found in trained(heads, seed).items()}
        print(heads, *(round(part.item(), 3) for part in loss(weights, heads)))
        kept[heads] = {name: [[round(x, 2) for x in row] for row in found.tolist()] for name, found in weights.items()}
    write_whole(HOME, json.dumps({"words": WORDS, "heads": kept}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
