"""Generating text: the same model with keys and values of earlier tokens kept, and reading everything again."""

import torch
from measure import ROUNDS, THREADS, alternate, goal, ratio_to, summary, write

from regattn.transformer import Architecture, LanguageModel, generate

LAYERS, HEADS, WIDTH, VOCABULARY = 4, 4, 128, 65
OURS, PEER = "regattn, with the cache", "regattn, without"


def contenders(new, width):
    """Return both ways to continue one token by ``new`` others, after checking that they write the same text.

    At temperature 1 nearly every token of an untrained model can be drawn: a difference in the logits would show.
    """
    design = Architecture(
        vocabulary=VOCABULARY, layers=LAYERS, context=new + 1, width=width, n_heads=HEADS, positions="learned"
    )
    model, prompt = LanguageModel(design, rng=0).eval(), torch.tensor([[3]])

    def ours():
        return generate(model, prompt, new)

    def without():
        return generate(model, prompt, new, cached=False)

    torch.testing.assert_close(ours(), without(), rtol=0, atol=0)
    return {OURS: ours, PEER: without}


def measure(*, lengths=(127, 255), width=WIDTH, rounds=2 * ROUNDS):
    cases, gains = [], []
    for new in lengths:
        rows = summary(alternate(contenders(new, width), rounds=rounds), ours=OURS)
        for row in rows:
            row["tokens per second"] = new / row["seconds"]
        gains.append(ratio_to(rows, PEER))
        if len(gains) == 1:
            goals = [goal("≥ 2.8 times as fast as without the cache", gains[0], least=2.8)]
        else:
            goals = [goal(f"≥ 1 times the gain at {lengths[0]} tokens", gains[-1] / gains[0], least=1.0)]
        case = f"1 token continued by {new}, {LAYERS} layers, {HEADS} heads, width {width}"
        cases.append({"case": case, "rows": rows, "goals": goals})
    return cases


def main():
    torch.set_num_threads(THREADS)
    write("generation", "Generating text, one sequence", measure(), "torch")


if __name__ == "__main__":
    main()
