"""Generating text, one token at a time: ours beside nanoGPT's loop, the same with a cache in torch, and a floor.

nanoGPT keeps nothing: for each token it reads the whole text again. Its model stands here in its own form, with our
weights. The floor does nothing but multiply one vector by every matrix of the model, once for each token: whoever
generates has to read the weights that often.
"""

import math

import numpy as np
import torch
from measure import ROUNDS, THREADS, alternate, goal, ratio_to, summary, write
from torch import nn
from torch.nn import functional

from regattn.transformer import Architecture, Decoder, LanguageModel, generate

LAYERS, HEADS, WIDTH, VOCABULARY = 4, 4, 128, 65
PROMPT, SEED = 3, 0
OURS, WITHOUT = "regattn", "regattn, without the cache"
NANOGPT, CACHED, FLOOR = "nanoGPT", "nanoGPT's model with a cache, torch", "reading the weights once a token"
WANTED = {127: 2.8, 255: 5.0}  # times as fast as nanoGPT


class NanoBlock(nn.Module):
    """A block as nanoGPT writes it; ``past`` holds the keys and values of what was read, if they are kept."""

    def __init__(self, width):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.c_back, self.gelu = nn.Linear(width, 4 * width), nn.Linear(4 * width, width), nn.GELU()

    def forward(self, x, past=None):
        B, T, C = x.shape
        parts = self.c_attn(self.ln_1(x)).split(C, dim=2)
        q, k, v = (part.view(B, T, HEADS, C // HEADS).transpose(1, 2) for part in parts)
        if past is not None:
            past[:] = [torch.cat([old, new], dim=2) for old, new in zip(past, (k, v), strict=True)] if past else [k, v]
            k, v = past
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=T > 1)
        x = x + self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        return x + self.c_back(self.gelu(self.c_fc(self.ln_2(x))))


class NanoGPT(nn.Module):
    """The model of nanoGPT with the weights of one of ours: order "pre", learned positions, GELU."""

    def __init__(self, model):
        super().__init__()
        a = model.architecture
        self.block_size = a.context
        self.wte = nn.Embedding.from_pretrained(model.embedding.weight.detach() * math.sqrt(a.width))
        self.wpe = nn.Embedding.from_pretrained(model.positions.weight.detach())
        self.h = nn.ModuleList(NanoBlock(a.width) for _ in model.blocks)
        self.ln_f, self.lm_head = model.final_norm, model.unembedding
        for nano, own in zip(self.h, model.blocks, strict=True):
            attention, forward = own.attention, own.feed_forward
            theirs = (nano.ln_1, nano.ln_2, nano.c_attn, nano.c_proj, nano.c_fc, nano.c_back)
            ours = (own.norm_1, own.norm_2, attention.projection, attention.output, forward.keys, forward.values)
            for part, copied in zip(theirs, ours, strict=True):
                part.load_state_dict(copied.state_dict())

    def forward(self, idx, pasts=None):
        start = pasts[0][0].shape[2] if pasts and pasts[0] else 0
        x = self.wte(idx) + self.wpe(torch.arange(start, start + idx.shape[1]))
        for number, block in enumerate(self.h):
            x = block(x, None if pasts is None else pasts[number])
        return self.lm_head(self.ln_f(x[:, [-1], :]))

    @torch.no_grad()
    def generate(self, idx, new, *, cached):
        chance = torch.Generator().manual_seed(SEED)
        pasts, unread = [[] for _ in self.h] if cached else None, idx
        for _ in range(new):
            logits = self(unread if cached else idx[:, -self.block_size :], pasts)[:, -1, :]
            unread = torch.multinomial(functional.softmax(logits, dim=-1), 1, generator=chance)
            idx = torch.cat((idx, unread), dim=1)
        return idx


def floor(model, new):
    """Return a call that multiplies a vector by every matrix of the model once for each new token."""
    decoder = Decoder(model, capacity=1)
    maps = [matrix for layer in decoder.layers for matrix, _ in layer[:4]] + [decoder.unembedding[0]]
    pairs = [(np.ones((1, len(W)), W.dtype), W, np.empty((1, W.shape[1]), W.dtype)) for W in maps]

    def run():
        for _ in range(new):
            for x, W, out in pairs:
                np.dot(x, W, out=out)

    return run


def contenders(new, width):
    """Return all ways to continue one token by ``new`` others, after checking that they write the same text.

    At temperature 1 nearly every token of an untrained model can be drawn: a difference in the logits would show.
    """
    design = Architecture(
        vocabulary=VOCABULARY, layers=LAYERS, context=new + 1, width=width, n_heads=HEADS, positions="learned"
    )
    model, prompt = LanguageModel(design, rng=0).eval(), torch.tensor([[PROMPT]])
    nano = NanoGPT(model).eval()
    torch.testing.assert_close(nano(prompt)[:, -1], model(prompt)[:, -1].detach(), rtol=0, atol=1e-5)
    runs = {
        OURS: lambda: generate(model, prompt, new, rng=SEED),
        WITHOUT: lambda: generate(model, prompt, new, rng=SEED, cached=False),
        NANOGPT: lambda: nano.generate(prompt, new, cached=False),
        CACHED: lambda: nano.generate(prompt, new, cached=True),
    }
    text = runs[OURS]()
    for run in runs.values():
        torch.testing.assert_close(run(), text, rtol=0, atol=0)
    return {**runs, FLOOR: floor(model, new)}


def measure(*, lengths=(127, 255), width=WIDTH, rounds=2 * ROUNDS):
    cases = []
    for new in lengths:
        rows = summary(alternate(contenders(new, width), rounds=rounds), ours=OURS, also=(WITHOUT,))
        for row in rows:
            row["tokens per second"] = new / row["seconds"]
        least = WANTED.get(new, 1.0)
        goals = [goal(f"≥ {least:g} times as fast as {NANOGPT}", ratio_to(rows, NANOGPT), least=least)]
        case = f"1 token continued by {new}, {LAYERS} layers, {HEADS} heads, width {width}"
        cases.append({"case": case, "rows": rows, "goals": goals})
    return cases


def main():
    torch.set_num_threads(THREADS)
    write("generation", "Generating text, one sequence", measure(), "torch")


if __name__ == "__main__":
    main()
