"""Training the language model: ours against torch's own encoder and a block written by hand, with the same weights."""

import math

import torch
from measure import ROUNDS, THREADS, alternate, goal, ratio_to, repeated, summary, write
from torch import nn
from torch.nn import functional

from regattn.transformer import Architecture, LanguageModel, next_token_loss

LAYERS, HEADS, VOCABULARY = 4, 4, 65
OURS, ENCODER, BY_HAND = "regattn", "torch nn.TransformerEncoder", "by hand: fused projection and SDPA"
STEPS = 3

PARTS = {  # of a block, in ours, in torch's encoder and by hand
    "attention.projection.": ("self_attn.in_proj_", "projection."),
    "attention.output.": ("self_attn.out_proj.", "output."),
    "feed_forward.keys.": ("linear1.", "up."),
    "feed_forward.values.": ("linear2.", "down."),
    "norm_1.": ("norm1.", "norm_1."),
    "norm_2.": ("norm2.", "norm_2."),
}


class Reader(nn.Module):
    """What every peer shares with ours: learned positions, one matrix for both ends, a norm before the last."""

    def __init__(self, width, tokens):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(VOCABULARY, width), nn.Embedding(tokens, width)
        self.final_norm = nn.LayerNorm(width)

    def forward(self, tokens):
        length, width = tokens.shape[1], self.embedding.embedding_dim
        r = self.embedding(tokens) * math.sqrt(width) + self.positions.weight[:length]
        return functional.linear(self.final_norm(self.through(r)), self.embedding.weight)


class Encoder(Reader):
    def __init__(self, width, tokens):
        super().__init__(width, tokens)
        layer = nn.TransformerEncoderLayer(
            width, HEADS, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        mask = nn.Transformer.generate_square_subsequent_mask(tokens)
        self.register_buffer("mask", mask, persistent=False)

    def through(self, r):
        return self.encoder(r, mask=self.mask, is_causal=True)


class Block(nn.Module):
    """The block that people write by hand."""

    def __init__(self, width):
        super().__init__()
        self.projection, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, r):
        B, T, D = r.shape
        queries, keys, values = self.projection(self.norm_1(r)).split(D, dim=2)
        queries = queries.view(B, T, HEADS, D // HEADS).transpose(1, 2)
        keys = keys.view(B, T, HEADS, D // HEADS).transpose(1, 2)
        values = values.view(B, T, HEADS, D // HEADS).transpose(1, 2)
        heads = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        r = r + self.output(heads.transpose(1, 2).contiguous().view(B, T, D))
        return r + self.down(functional.gelu(self.up(self.norm_2(r))))


class ByHand(Reader):
    def __init__(self, width, tokens):
        super().__init__(width, tokens)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(LAYERS)))

    def through(self, r):
        return self.blocks(r)


def plain_loss(model, tokens):
    return functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())


def name_in(peer, ours):
    """Return what a peer calls a parameter of ours."""
    if not ours.startswith("blocks."):
        return ours
    _, layer, rest = ours.split(".", 2)
    part = next(part for part in PARTS if rest.startswith(part))
    encoder, by_hand = PARTS[part]
    if isinstance(peer, Encoder):
        return f"encoder.layers.{layer}.{encoder}{rest.removeprefix(part)}"
    return f"blocks.{layer}.{by_hand}{rest.removeprefix(part)}"


def same_weights(peer, ours):
    """Give a peer the weights of ours; strict, so that neither has a number that the other lacks."""
    weights = {name_in(peer, name): weight for name, weight in ours.state_dict().items() if "unembedding" not in name}
    peer.load_state_dict(weights)
    return peer


def check(peer, ours, tokens):
    """Raise unless loss and gradients agree; float32 sums of a few thousand terms differ in the sixth digit."""
    loss, theirs = next_token_loss(ours, tokens), plain_loss(peer, tokens)
    torch.testing.assert_close(theirs, loss, rtol=1e-5, atol=1e-5)
    found, gradients = dict(peer.named_parameters()), torch.autograd.grad(loss, list(ours.parameters()))
    theirs.backward()
    for (name, _), gradient in zip(ours.named_parameters(), gradients, strict=True):
        torch.testing.assert_close(found[name_in(peer, name)].grad, gradient, rtol=1e-3, atol=1e-5)


def step_of(model, loss, tokens):
    """Return one step of training on a fixed batch, with torch's fused AdamW."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def step():
        optimiser.zero_grad(set_to_none=True)
        loss(model, tokens).backward()
        optimiser.step()

    return step


def contenders(width, tokens, batch):
    """Return the models; all compute the same function with the same weights."""
    design = Architecture(
        vocabulary=VOCABULARY, layers=LAYERS, context=tokens, width=width, n_heads=HEADS, positions="learned"
    )
    ours = LanguageModel(design, rng=0)
    models = {OURS: ours, ENCODER: Encoder(width, tokens), BY_HAND: ByHand(width, tokens)}
    for peer in (models[ENCODER], models[BY_HAND]):
        check(same_weights(peer, ours), ours, batch)
    return models


def measure(*, width=128, tokens=128, batch=32, steps=STEPS, rounds=ROUNDS):
    text = torch.randint(VOCABULARY, (batch, tokens + 1), generator=torch.Generator().manual_seed(0))
    models = contenders(width, tokens, text)
    runs = {
        name: repeated(step_of(model, next_token_loss if name == OURS else plain_loss, text), steps)
        for name, model in models.items()
    }
    rows = summary(alternate(runs, rounds=rounds), ours=OURS, times=steps)
    for row in rows:
        row["tokens per second"] = batch * tokens / row["seconds"]
        row["parameters"] = sum(p.numel() for p in models[row["contender"]].parameters())
    goals = [
        goal("≥ 1.15 times the tokens per second of nn.TransformerEncoder", ratio_to(rows, ENCODER), least=1.15),
        goal("≥ 1 times the tokens per second of the block by hand", ratio_to(rows, BY_HAND), least=1.0),
    ]
    case = f"{LAYERS} layers, {HEADS} heads, width {width}, {tokens} tokens, batch {batch}, vocabulary {VOCABULARY}"
    return [{"case": case, "rows": rows, "goals": goals}]


def main():
    torch.set_num_threads(THREADS)
    write("training", "One training step of the language model, fused AdamW", measure(), "torch")


if __name__ == "__main__":
    main()
