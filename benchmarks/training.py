"""Training the language model: ours against torch's own encoder of the same size with a causal mask."""

import torch
from measure import THREADS, alternate, ratio_to, repeated, summary, write
from torch import nn

from regattn.language_model import Architecture, LanguageModel, next_token_loss

LAYERS, HEADS, WIDTH, TOKENS, BATCH, VOCABULARY = 4, 4, 128, 128, 32, 65
STEPS = 3


class TorchEncoder(nn.Module):
    """The same sizes in ``nn.TransformerEncoder``: learned positions, pre-norm, GELU, tied unembedding."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(TOKENS, WIDTH)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, LAYERS, norm=nn.LayerNorm(WIDTH), enable_nested_tensor=False)
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(TOKENS))

    def forward(self, tokens):
        length = tokens.shape[-1]
        x = self.words(tokens) + self.places.weight[:length]
        return self.blocks(x, mask=self.mask[:length, :length], is_causal=True) @ self.words.weight.T


def step_of(model, tokens):
    """Return one step of training on a fixed batch, with torch's fused AdamW."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def step():
        optimiser.zero_grad(set_to_none=True)
        next_token_loss(model, tokens).backward()
        optimiser.step()

    return step


def main():
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    tokens = torch.randint(VOCABULARY, (BATCH, TOKENS + 1))
    design = Architecture(
        vocabulary=VOCABULARY, layers=LAYERS, context=TOKENS, width=WIDTH, heads=HEADS, positions="learned"
    )
    models = {"regattn": LanguageModel(design, seed=0), "torch nn.TransformerEncoder": TorchEncoder()}
    runs = {name: repeated(step_of(model, tokens), STEPS) for name, model in models.items()}
    rows = summary(alternate(runs), ours="regattn", times=STEPS)
    for row in rows:
        row["tokens per second"] = BATCH * TOKENS / row["seconds"]
        row["parameters"] = sum(p.numel() for p in models[row["contender"]].parameters())
    case = {
        "case": f"{LAYERS} layers, {HEADS} heads, width {WIDTH}, {TOKENS} tokens, batch {BATCH}",
        "rows": rows,
        "goal": "≥ 1.15 times the tokens per second of nn.TransformerEncoder",
        "met": ratio_to(rows, "torch nn.TransformerEncoder") >= 1.15,
    }
    write("training", "One training step of the language model", [case], "torch")


if __name__ == "__main__":
    main()
