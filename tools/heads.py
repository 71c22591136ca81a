"""Train the small models of chapters 16, 18 and 19 whose parts and heads are compared, and keep what they measure.

    OMP_NUM_THREADS=1 python -m tools.heads                      # 25 minutes on one idle core
    OMP_NUM_THREADS=1 python -m tools.heads --experiments induction --seeds 1 --output trial.json

Six of them, with the same recipe for everybody in one: "parts" leaves out one part of a block at a time, "longer" does
so with four times the steps, "heads" cuts the same width into more and more heads, "roles" asks what the heads of
several trainings look at and what they are worth, "deeper" trains on sentences with more clauses, "induction" on text
that repeats itself. Results are written after every training, and one that the file already holds is not run again:
the work can be interrupted.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from regattn.data import load_lee_corpus
from regattn.grammar import (
    Grammar,
    ablate_head,
    ablation_costs,
    as_tokens,
    excess_nats,
    find_links,
    head_scores,
    verb_mass,
)
from regattn.transformer import Architecture, LanguageModel, TrainingPlan, count_parameters, text_batches, train
from regattn.transformer._experiments import induction_scores, lacking, repeating_texts
from regattn.transformer.language_model import next_token_loss
from regattn.words import train_tokenizer
from tools.recorded_runs import FOLDER, minutes_of, read_runs, write_runs

SEEDS = 3
GRAMMAR = Grammar()
BATCH, LENGTH = 32, 32
SMALL = Architecture(vocabulary=105, layers=2, context=LENGTH, width=32, n_heads=4, positions="rotary")
LACKING = ("nothing", "norm", "residual", "feed-forward", "attention", "position", "half the mask")
RATE, FASTER, DEEP = 1e-2, (3e-2, 1e-1), 6  # rates at which the norm is tried too; blocks of a deeper model
HEADS = (1, 4, 8)
PERIODS, WORDS, REPEATING = (4, 12), 24, 48  # least and largest period, vocabulary, length of a text


def main() -> None:
    """Parse the arguments and run what is missing, one seed after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiments", nargs="*", default=list(EXPERIMENTS), choices=list(EXPERIMENTS))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--steps", type=int, help="fewer steps, to see that everything runs")
    parser.add_argument("--output", type=Path, default=FOLDER / "heads.json")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    made = read_runs(arguments.output)["runs"]
    for seed in range(arguments.seeds):
        for experiment in arguments.experiments:
            measure, settings = EXPERIMENTS[experiment]
            for setting in settings:
                run = {"part": experiment, **setting, "seed": seed}
                if any(run.items() <= done.items() for done in made):
                    continue
                start = time.process_time()
                given = setting if arguments.steps is None else setting | {"steps": arguments.steps}
                found = measure(seed=seed, **given)
                made.append(run | {"seconds": round(time.process_time() - start, 1)} | found)
                by_whom = {"script": __file__, "libraries": ("numpy", "torch")}
                write_runs(arguments.output, made, minutes=minutes_of(made), **by_whom)
                print(run, made[-1]["seconds"], found.get("loss"), flush=True)


@lru_cache(maxsize=1)
def written() -> np.ndarray:
    """Return texts of the grammar to learn from; a batch is some of them."""
    return GRAMMAR.sample_tokens(np.random.default_rng(1), texts=12_000, length=LENGTH + 1)


@lru_cache(maxsize=1)
def held_out() -> tuple[Tensor, list[list[str]], float]:
    """Return other texts, the role of each word, and what their words cost one who knows the grammar."""
    rng, rows, roles = np.random.default_rng(2), [], []
    for _ in range(100):
        words, parts = ["."], ["stop"]
        while len(words) < LENGTH + 1:
            sentence = GRAMMAR.sample(rng)
            words.extend(sentence.words)
            parts.extend(sentence.roles)
        rows.append(GRAMMAR.encode(words[: LENGTH + 1]))
        roles.append(parts[1 : LENGTH + 1])
    tokens = torch.tensor(rows)
    p = GRAMMAR.conditionals(tokens.numpy())[:, :-1]
    came = np.take_along_axis(p, tokens.numpy()[:, 1:, None], axis=2)
    return tokens, roles, float(-np.log(came).mean())


def learn_grammar(model: LanguageModel, seed: int, *, steps: int, rate: float) -> None:
    """Train a model on the grammar; the batches depend on the seed and the step."""
    texts = torch.from_numpy(written())

    def batches(step: int) -> Tensor:
        return texts[np.random.default_rng([seed, step]).integers(len(texts), size=BATCH)]

    train(model, batches, TrainingPlan(steps=steps, peak=rate, warmup=min(30, steps), evaluate_every=steps))


@torch.no_grad()
def judge(model: LanguageModel) -> dict:
    """Return loss and excess on the held-out texts, in nats per word, and the excess before words of some roles."""
    tokens, roles, floor = held_out()
    excess = excess_nats(model, GRAMMAR, tokens[:, :-1].numpy())
    before = {
        role: round(float(excess[np.array([[part == role for part in row] for row in roles])].mean()), 4)
        for role in ("verb", "repeated name", "state")
    }
    loss = next_token_loss(model, tokens).item()
    return {
        "loss": round(loss, 4),
        "floor": round(floor, 4),
        "excess": round(float(excess.mean()), 4),
        "before": before,
    }


@torch.no_grad()
def read_from_the_left(model: LanguageModel) -> float:
    """Return the loss of a model that is shown the words before each prediction and none after it."""
    tokens = held_out()[0]
    rows = [torch.log_softmax(model(tokens[:, :t])[:, -1], -1) for t in range(1, tokens.shape[1])]
    return -torch.stack(rows, 1).gather(-1, tokens[:, 1:, None]).mean().item()


def parts(*, seed: int, lacks: str, layers: int, rate: float, steps: int = 300) -> dict:
    """Train a model of the grammar without one part of its blocks."""
    model = lacking(lacks, replace(SMALL, layers=layers), rng=seed)
    try:
        learn_grammar(model, seed, steps=steps, rate=rate)
    except ValueError:  # the loss was not finite
        return {"parameters": count_parameters(model)["total"], "loss": None}
    found = {"parameters": count_parameters(model)["total"], **judge(model)}
    if lacks == "half the mask":
        found["loss from the left"] = round(read_from_the_left(model), 4)
    return found


@lru_cache(maxsize=1)
def news() -> tuple[list[int], Tensor]:
    """Return the Lee corpus in pieces: the text to learn from, and windows of its last 30 stories."""
    stories = load_lee_corpus()
    tokenizer = train_tokenizer(stories[:-30], vocabulary=500)
    text, rest = ([i for story in some for i in tokenizer.encode(story).ids] for some in (stories[:-30], stories[-30:]))
    width = LENGTH + 1
    return text, torch.tensor(rest[: len(rest) // width * width]).view(-1, width)


def heads(*, seed: int, text: str, n_heads: int, rate: float, steps: int = 400) -> dict:
    """Train a model whose width is cut into a number of heads; whatever the number, it starts from the same weights."""
    architecture = replace(SMALL, n_heads=n_heads, positions="learned")
    if text == "grammar":
        model = LanguageModel(architecture, rng=seed)
        learn_grammar(model, seed, steps=steps, rate=rate)
        return {"parameters": count_parameters(model)["total"], **judge(model)}
    ids, windows = news()
    model = LanguageModel(replace(architecture, vocabulary=500), rng=seed)
    batches = text_batches(ids, batch_size=BATCH, context=LENGTH, rng=seed)
    train(model, batches, TrainingPlan(steps=steps, peak=rate, warmup=min(30, steps), evaluate_every=steps))
    with torch.no_grad():
        loss = next_token_loss(model, windows).item()
    return {"parameters": count_parameters(model)["total"], "loss": round(loss, 4)}


ASKED = {  # role, and whether the position before the word is asked or the word itself
    "the other name": ("repeated name", True),
    "the verb's subject": ("verb", True),
    "the pronoun's name": ("pronoun", False),
    "the cue of bank": ("bank (shore)", False),
}


def roles(*, seed: int, rate: float, steps: int = 900) -> dict:
    """Train a model of three layers on the grammar; return what its heads look at and what silencing them costs."""
    model = LanguageModel(replace(SMALL, layers=3, width=48), rng=seed)
    learn_grammar(model, seed, steps=steps, rate=rate)
    rng = np.random.default_rng(5)  # the same sentences for every model
    sentences = [GRAMMAR.sample(rng) for _ in range(400)]
    tokens = as_tokens(sentences, GRAMMAR)
    weights = model.trace(tokens).weights
    scores, costs = {}, {}
    for name, (role, predicting) in ASKED.items():
        links = find_links(sentences, role, predicting=predicting)
        table = head_scores(weights, links, rng=np.random.default_rng(1)).sort_values(["layer", "head"])
        scores[name] = {column: table[column].round(4).tolist() for column in ("weight", "baseline", "p_value")}
        if predicting:
            few = type(links)(*(part[:120] for part in links))
            costs[name] = ablation_costs(model, GRAMMAR, tokens, few).round(3).to_numpy().ravel().tolist()
    distance = torch.arange(tokens.shape[1])[:, None] - torch.arange(tokens.shape[1])
    seen = torch.tensor([[t <= len(s.words) for t in range(1, tokens.shape[1] + 1)] for s in sentences])
    along = weights.permute(1, 3, 0, 2, 4)[seen]  # (places, L, H, T)
    away = distance.expand(len(sentences), -1, -1)[seen][:, None, None].to(along.dtype)
    return {
        **judge(model),
        "scores": scores,
        "costs": costs,
        "distance": _flat((along * away).sum(-1).mean(0), 2),
        "previous": _flat((along * (away == 1)).sum(-1).mean(0), 3),
        "probes": probes(model),
    }


def _flat(grid: Tensor, digits: int) -> list[float]:
    return [round(x, digits) for x in grid.flatten().tolist()]


def probes(model: LanguageModel) -> dict[str, list[float]]:
    """Return how well a linear map reads three facts off the stream, before the first block and after each."""
    rng, found = np.random.default_rng(21), {}
    facts: dict[str, list] = {
        "is this noun the subject or an object": [],
        "number of the subject": [],
        "sense of bank": [],
    }
    while min(map(len, facts.values())) < 400:
        s = GRAMMAR.sample(rng)
        if "object" in s.roles:
            role = ("subject", "object")[len(facts["is this noun the subject or an object"]) % 2]
            facts["is this noun the subject or an object"].append((s, s.roles.index(role) + 1, role == "subject"))
        if "verb" in s.roles and s.roles.index("verb") - s.roles.index("subject") > 1:
            plural = s.words[s.roles.index("subject")] in GRAMMAR.lexicon.nouns["pl"]
            facts["number of the subject"].append((s, s.roles.index("verb"), plural))
        if "cue" in s.roles and "bank" in s.words:
            sense = "bank (shore)" in s.roles
            facts["sense of bank"].append((s, s.words.index("bank") + 1, sense))
    for name, cases in facts.items():
        some, places, answers = zip(*cases[:400], strict=True)
        streams = model.trace(as_tokens(some, GRAMMAR)).streams.numpy()
        found[name] = []
        for stream in streams:
            inputs = stream[np.arange(400), places]
            probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
            found[name].append(round(probe.fit(inputs[:200], answers[:200]).score(inputs[200:], answers[200:]), 3))
    return found


def induction(*, seed: int, layers: int, hidden: int, rate: float, steps: int = 2000) -> dict:
    """Train on texts that repeat themselves; follow the loss on the repetition, and where the heads look."""
    model = LanguageModel(
        Architecture(
            vocabulary=WORDS, layers=layers, context=REPEATING, width=32, n_heads=4, hidden=hidden, positions="alibi"
        ),
        rng=seed,
    )

    def draw(rng: np.random.Generator, texts: int) -> tuple[Tensor, Tensor]:
        tokens, period = repeating_texts(rng, texts=texts, length=REPEATING + 1, vocabulary=WORDS, periods=PERIODS)
        return torch.from_numpy(tokens), torch.from_numpy(period)

    tokens, period = draw(np.random.default_rng(3), 100)
    repeated = torch.arange(1, REPEATING + 1) > period[:, None]  # targets that are certain

    @torch.no_grad()
    def along(model: LanguageModel) -> dict[str, float]:
        surprisal = -torch.log_softmax(model(tokens[:, :-1]), -1).gather(-1, tokens[:, 1:, None])[..., 0]
        return {"repeated": surprisal[repeated].mean().item(), "first": surprisal[~repeated].mean().item()}

    def looks(model: LanguageModel) -> tuple[Tensor, Tensor]:
        weights = model.trace(tokens[:, :-1]).weights
        previous = weights.diagonal(-1, -2, -1).mean((1, 3))
        return induction_scores(weights, tokens[:, :-1], chosen=repeated), previous

    scores, previous = [], []

    def evaluate(model: LanguageModel) -> dict[str, float]:
        induced, before = looks(model)
        scores.append(_flat(induced, 3))
        previous.append(_flat(before, 3))
        return along(model)

    history = train(
        model,
        lambda step: draw(np.random.default_rng([seed, step]), BATCH)[0],
        TrainingPlan(steps=steps, peak=rate, warmup=min(50, steps), final=0.3, evaluate_every=min(100, steps)),
        evaluate=evaluate,
    )
    places = [(layer + 1, head + 1) for layer in range(layers) for head in range(4)]
    without = [round(along(ablate_head(model, layer=layer, head=head))["repeated"], 4) for layer, head in places]
    return {
        "parameters": count_parameters(model)["total"],
        "step": history.index.tolist(),
        "loss": round(history["repeated"].iloc[-1], 4),
        "repeated": history["repeated"].round(4).tolist(),
        "first": history["first"].round(4).tolist(),
        "scores": scores,  # at every evaluation, of the heads layer by layer
        "previous": previous,
        "without": without,  # loss on the repeated part when one head is silenced
    }


def deeper(*, seed: int, clause: float, steps: int = 300) -> dict:
    """Train on sentences with two clauses at most; return how sure the main verb is after none to three.

    ``warm-up`` is the loss over the steps in which the learning rate rises, as a page can have it again.
    """
    grammar, test = Grammar(depth=2, clause=clause), Grammar(depth=3, clause=clause)

    def batches(step: int) -> Tensor:
        return torch.from_numpy(grammar.sample_tokens(np.random.default_rng([2 + seed, step]), texts=BATCH, length=49))

    model = LanguageModel(replace(SMALL, context=48, width=64, hidden=256), rng=1 + seed)
    warmup = min(30, steps)
    history = train(model, batches, TrainingPlan(steps=steps, peak=4e-3, warmup=warmup, evaluate_every=warmup))
    found = {"warm-up": round(history["loss"].iloc[0], 4), "agree": [], "do not": [], "the": []}
    for clauses in range(4):
        mass = verb_mass(model, test, clauses=clauses, rng=np.random.default_rng(9), n=100)
        found["agree"].append(round(float(mass["own"].mean()), 4))
        found["do not"].append(round(float(mass["other"].mean()), 4))
        found["the"].append(round(float((mass["top"] == "the").mean()), 2))
    return found


EXPERIMENTS = {
    "induction": (
        induction,
        [{"layers": 2, "hidden": 128, "rate": 1e-2}, {"layers": 1, "hidden": 320, "rate": 1e-2}],
    ),
    "parts": (
        parts,
        [{"lacks": part, "layers": 2, "rate": RATE} for part in LACKING]
        + [{"lacks": "feed-forward", "layers": 6, "rate": RATE}]  # as many parameters as two whole blocks
        + [{"lacks": part, "layers": 2, "rate": rate} for part in ("nothing", "norm") for rate in FASTER]
        + [{"lacks": part, "layers": DEEP, "rate": RATE} for part in ("nothing", "residual")],
    ),
    "longer": (
        parts,
        [{"lacks": part, "layers": 2, "rate": RATE, "steps": 1200} for part in LACKING if part != "half the mask"]
        + [{"lacks": part, "layers": DEEP, "rate": RATE, "steps": 1200} for part in ("feed-forward", "residual")],
    ),
    "deeper": (deeper, [{"clause": 0.5}]),
    "roles": (roles, [{"rate": 5e-3}]),
    "heads": (
        heads,
        [{"text": text, "n_heads": n, "rate": 5e-3} for text in ("grammar", "news") for n in HEADS],
    ),
}


if __name__ == "__main__":
    main()
