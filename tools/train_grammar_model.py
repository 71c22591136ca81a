"""Train the language model that comes with the package, on text written by the grammar.

    python -m tools.train_grammar_model            # five minutes on one idle core
    python -m tools.train_grammar_model --steps 50 --output trial.safetensors

Run again after an interruption, it goes on from where it was. It writes the weights and, inside the same file and
beside it as JSON, a card: data, seed, steps and the metrics that tests/grammar/test_shipped_model.py recomputes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from regattn._files import write_whole
from regattn.grammar import Grammar, excess_nats
from regattn.transformer import Architecture, LanguageModel, TrainingPlan, save_model, train

SEED = 17
HELD_OUT_SEED = 2027
BATCH, CONTEXT = 48, 64
HOME = Path(__file__).resolve().parent.parent / "regattn" / "transformer" / "shipped" / "grammar.safetensors"


def main() -> None:
    """Parse the arguments, train, measure, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1600)
    parser.add_argument("--threads", type=int, default=1, help="one thread makes a run repeatable to the bit")
    parser.add_argument("--output", type=Path, default=HOME)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)

    grammar = Grammar()
    architecture = Architecture(
        vocabulary=len(grammar.vocabulary), layers=3, context=CONTEXT, width=96, n_heads=4, positions="rotary"
    )
    model = LanguageModel(architecture, rng=SEED)
    held_out = grammar.sample_tokens(np.random.default_rng(HELD_OUT_SEED), texts=100, length=CONTEXT)

    def batches(step: int) -> torch.Tensor:
        rng = np.random.default_rng([SEED, step])
        return torch.from_numpy(grammar.sample_tokens(rng, texts=BATCH, length=CONTEXT + 1))

    plan = TrainingPlan(
        steps=arguments.steps,
        peak=2e-3,
        warmup=min(200, arguments.steps),
        final=0.01,
        evaluate_every=250,
        save_every=250,
        progress=True,
    )
    history = train(
        model,
        batches,
        plan,
        evaluate=lambda model: {"excess": float(excess_nats(model, grammar, held_out[:20]).mean())},
        checkpoint=arguments.output.with_suffix(".run"),
    )
    card = {
        "data": "texts of the grammar at depth 1, a fresh batch at every step",
        "seed": SEED,
        "steps": plan.steps,
        "batch": BATCH,
        "context": CONTEXT,
        "tokens": plan.steps * BATCH * CONTEXT,
        "licence": "MIT",
        "script": "tools/train_grammar_model.py",
        "metrics": {
            "held_out_seed": HELD_OUT_SEED,
            "held_out_texts": 100,
            "entropy_per_word": grammar.entropy().per_word,
            "excess_nats": float(excess_nats(model, grammar, held_out).mean()),
        },
        "history": {"step": [int(s) for s in history.index], "excess": [round(x, 5) for x in history["excess"]]},
    }
    save_model(model, arguments.output, card=card)
    write_whole(arguments.output.with_suffix(".json"), json.dumps(card, indent=1) + "\n")
    arguments.output.with_suffix(".run").unlink()
    print(json.dumps(card["metrics"], indent=1))


if __name__ == "__main__":
    main()
