"""Train small language models on the news stories of the Lee corpus, and count n-grams on the same text.

    python -m tools.train_news_models              # some eight minutes of one processor
    python -m tools.train_news_models --runs 1     # the first run only

Chapter 18 draws the result, regattn/recorded_runs/news.json: the first run, then what less text does to it.
Run again after an interruption, the script goes on with the runs that are missing.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from regattn.data import load_lee_corpus
from regattn.transformer import Architecture, LanguageModel, TrainingPlan, next_token_loss, text_batches, train
from regattn.words import count_ngrams, train_tokenizer
from tools.recorded_runs import FOLDER, minutes_of, read_runs, write_runs

HELD_OUT, VOCABULARY, BATCH, CONTEXT = 30, 1000, 16, 64
RECURRING = 20  # tokens in a row that the training stories have too
RUNS = [(stories, 2500, seed) for seed in (1, 2, 3) for stories in (270, 135, 68)]  # stories, steps, seed


def main() -> None:
    """Parse the arguments; do the runs that are missing, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=len(RUNS))
    parser.add_argument("--output", type=Path, default=FOLDER / "news.json")
    arguments = parser.parse_args()
    torch.set_num_threads(1)

    stories = load_lee_corpus()
    training = stories[:-HELD_OUT]
    tokenizer = train_tokenizer(training, vocabulary=VOCABULARY)

    def tokens(some: list[str]) -> list[int]:
        return [i for story in some for i in tokenizer.encode(story).ids]

    ids = tokens(stories[-HELD_OUT:])
    windows = torch.tensor(ids[: len(ids) // (CONTEXT + 1) * (CONTEXT + 1)]).view(-1, CONTEXT + 1)
    fresh = ~recurring(windows, tokens(training))
    about = {"windows": len(windows), "fresh_windows": int(fresh.sum())}
    made = read_runs(arguments.output)["runs"]
    done = {(run["stories"], run["step"][-1], run["seed"]) for run in made}
    for number, steps, seed in RUNS[: arguments.runs]:
        if (number, steps, seed) in done:
            continue
        text = tokens(training[:number])
        counted = {str(order): count(text, order, windows, fresh) for order in (1, 2, 3, 4)} if seed == 1 else {}
        run, start = {"stories": number, "seed": seed, "tokens": len(text), "ngrams": counted}, time.process_time()
        found = learn(text, steps, seed, windows, fresh)
        made.append(run | {"seconds": round(time.process_time() - start, 1)} | found)
        by_whom = {"script": __file__, "libraries": ("gensim", "numpy", "tokenizers", "torch")}
        write_runs(arguments.output, made, minutes=minutes_of(made), **by_whom, **about)


def recurring(windows: torch.Tensor, text: list[int]) -> torch.Tensor:
    """Return which windows hold a run of tokens that the text holds too."""
    seen = {tuple(text[i : i + RECURRING]) for i in range(len(text) - RECURRING + 1)}
    starts = range(windows.shape[1] - RECURRING + 1)
    return torch.tensor([any(tuple(w[i : i + RECURRING]) in seen for i in starts) for w in windows.tolist()])


def count(text: list[int], order: int, windows: torch.Tensor, fresh: torch.Tensor) -> dict[str, float]:
    """Return the surprisal of an n-gram model, in nats per token, on all windows and on the fresh ones."""
    model = count_ngrams(text, order=order, vocabulary=VOCABULARY)
    nats = np.array([model.surprisals(window).mean() for window in windows.tolist()])
    return {"all": round(float(nats.mean()), 4), "fresh": round(float(nats[fresh.numpy()].mean()), 4)}


def learn(text: list[int], steps: int, seed: int, windows: torch.Tensor, fresh: torch.Tensor) -> dict[str, list]:
    """Return the held-out loss of a model of two blocks along its training."""
    architecture = Architecture(
        vocabulary=VOCABULARY, layers=2, context=CONTEXT, width=64, n_heads=4, positions="rotary"
    )
    model = LanguageModel(architecture, rng=seed)
    history = train(
        model,
        text_batches(text, batch_size=BATCH, context=CONTEXT, rng=seed),
        TrainingPlan(steps=steps, peak=4e-3, warmup=40, evaluate_every=100),
        evaluate=lambda model: {
            "all": next_token_loss(model, windows).item(),
            "fresh": next_token_loss(model, windows[fresh]).item(),
        },
    )
    return {"step": history.index.tolist()} | {
        name: [round(nats, 4) for nats in history[name]] for name in ("loss", "all", "fresh")
    }


if __name__ == "__main__":
    main()
