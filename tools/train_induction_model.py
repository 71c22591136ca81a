"""Train the small model that the InductionExplorer shows beside the two layers built by hand, on text that repeats.

    OMP_NUM_THREADS=1 python -m tools.train_induction_model            # twenty minutes of one idle core
    OMP_NUM_THREADS=1 python -m tools.train_induction_model --steps 50 --longer 60 --seeds 1 --output trial.safetensors

It trains the same recipe from sixteen seeds and keeps the first; what all of them came to, also with more steps, is on
the card, inside the file and beside it as JSON. tests/transformer/test_shipped_induction.py measures the first again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from regattn._files import write_whole
from regattn.transformer import Architecture, LanguageModel, TrainingPlan, save_model, train
from regattn.transformer._experiments import copying, texts_to_copy

HELD_OUT_SEED = 2028
BATCH, CONTEXT, VOCABULARY = 64, 25, 25
PERIODS = (2, 12)
ARCHITECTURE = Architecture(
    vocabulary=VOCABULARY, layers=2, context=CONTEXT, width=32, n_heads=1, hidden=32, positions="rotary"
)
HOME = Path(__file__).resolve().parent.parent / "regattn" / "transformer" / "shipped" / "induction.safetensors"


def main() -> None:
    """Parse the arguments, train, measure, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--longer", type=int, default=4000, help="steps of a second training from each seed")
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--output", type=Path, default=HOME)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    held_out = drawn(np.random.default_rng(HELD_OUT_SEED), 100)
    models = [trained(seed, arguments.steps) for seed in range(arguments.seeds)]
    found = [copying(model, *held_out) for model in models]
    longer = [copying(trained(seed, arguments.longer), *held_out) for seed in range(arguments.seeds)]
    card = {
        "data": "a start mark, then words drawn without repetition that come again until the text is full",
        "seed": 0,
        "steps": arguments.steps,
        "batch": BATCH,
        "periods": PERIODS,
        "licence": "MIT",
        "script": "tools/train_induction_model.py",
        "metrics": {"held_out_seed": HELD_OUT_SEED, "held_out_texts": 100} | found[0],
        "seeds": found,
        "longer": {"steps": arguments.longer} | {name: [run[name] for run in longer] for name in longer[0]},
    }
    save_model(models[0], arguments.output, card=card)
    write_whole(arguments.output.with_suffix(".json"), json.dumps(card, indent=1) + "\n")
    print(json.dumps(found, indent=1))


def drawn(rng: np.random.Generator, texts: int) -> tuple[Tensor, Tensor]:
    """Return texts of one token more than the context, and the words that each began with."""
    return texts_to_copy(rng, texts=texts, length=CONTEXT + 1, vocabulary=VOCABULARY, periods=PERIODS)


def trained(seed: int, steps: int) -> LanguageModel:
    """Return the model of a seed."""
    model = LanguageModel(ARCHITECTURE, rng=seed)
    plan = TrainingPlan(steps=steps, peak=5e-3, warmup=min(50, steps), final=0.05, evaluate_every=steps)
    train(model, lambda step: drawn(np.random.default_rng([seed, step]), BATCH)[0], plan)
    return model


if __name__ == "__main__":
    main()
