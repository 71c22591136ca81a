"""Train the models of chapter 17 at one length, ask them at three, and keep every score: 3 tasks, 6 schemes, 3 seeds.

    OMP_NUM_THREADS=1 python -m tools.positions                  # about a quarter of an hour of one core
    OMP_NUM_THREADS=1 python -m tools.positions --seeds 0 --only copying --output trial.json

Results are written after every run, and a run that the file already holds is not made again: the work can be
interrupted. Beside them stand runs whose windows begin elsewhere, and what tables of counts lose on the same letters.
Chapter 17 and its solutions read the file, and make some of its runs again.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from torch.nn import functional

from regattn.data import load_lee_corpus
from regattn.transformer import LanguageModel, frequencies, multihead
from regattn.transformer._experiments import loss_by_place
from regattn.transformer._rotation import rotation_angles
from regattn.transformer.lengths import (
    LengthTask,
    _letters,
    length_scores,
    length_task,
    train_at_one_length,
)
from regattn.words import count_ngrams
from tools.recorded_runs import FOLDER, minutes_of, read_runs, write_runs

STEPS = {"news": 800, "copying": 450, "sorting": 400}
SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi", "rotary, base 5")  # five, and one with fast clocks alone
IN_PLACE = {"none": 1}  # letters at the end that stay in place when all before them are shuffled
TABLES = (1, 2, 3, 4)  # letters of an n-gram: the one asked, and those before it that are read
SEEDS = range(3)
STRETCHES = {"rotary": (2, 4, 8)}  # by which the slowest clock is slowed down once a model is trained
HANDS = ("base", "all", "slow")  # which are slowed: those between by the base, all alike, those not round in a window
FARTHEST = {"0": 0, "anywhere": 96}  # of the places where windows of copying begin in training
SHIFTED = (20, 600)  # steps of those trainings: a trial that a page makes again, and the whole
PLACES = 4  # neighbouring places whose losses are averaged
LIBRARIES = ("numpy", "torch")


def run(seed: int, name: str, positions: str, text: Path | None, ends: float, steps: int | None = None) -> dict | None:
    """Return the scores of one model, or nothing if it is too late to begin. A seed sets both weights and batches."""
    if time.time() > ends:
        return None
    torch.set_num_threads(1)
    start = time.process_time()
    scheme, _, base = positions.partition(", base ")
    task = length_task(name, stories=stories_of(text), rng=seed)
    model, history = train_at_one_length(task, scheme, steps=steps or STEPS[name], base=float(base or 10_000), rng=seed)
    part = {
        "part": name,
        "positions": positions,
        "seed": seed,
        "training": round(float(history["loss"].iloc[-1]), 4),
        "scores": length_scores(model, task).round(4).reset_index().to_dict("records"),
    }
    if name == "news":
        part["by_place"] = averaged(model, task)
        if positions in IN_PLACE:
            part["shuffled"] = shuffled_scores(model, task, IN_PLACE[positions], seed)
        if positions in STRETCHES:
            part["rescaled"] = rescaled_scores(model, task, STRETCHES[positions])
            part["slowed"] = slowed_scores(model, task, STRETCHES[positions])
    return part | {"seconds": round(time.process_time() - start, 1)}


def shifted(seed: int, begins: str, steps: int, ends: float) -> dict | None:
    """Return the scores of sinusoidal positions in copying where windows begin elsewhere than at the first place."""
    if time.time() > ends:
        return None
    torch.set_num_threads(1)
    start, task = time.process_time(), length_task("copying", rng=seed)
    places = np.random.default_rng(seed).integers(0, FARTHEST[begins] + 1, size=steps).tolist()
    moved = replace(task, batches=lambda step: (*task.batches(step), places[step]))
    model, history = train_at_one_length(moved, "sinusoidal", steps=steps, rng=seed)
    return {
        "part": "shifted",
        "positions": "sinusoidal",
        "begins": begins,
        "steps": steps,
        "seed": seed,
        "training": round(float(history["loss"].iloc[-1]), 4),
        "scores": length_scores(model, task).round(4).reset_index().to_dict("records"),
        "seconds": round(time.process_time() - start, 1),
    }


def stories_of(text: Path | None) -> list[str]:
    """Return the stories of a file, or those of the corpus."""
    return text.read_text(encoding="utf-8").split("\n") if text else load_lee_corpus()


@torch.no_grad()
def shuffled_scores(model: torch.nn.Module, task: LengthTask, in_place: int, seed: int) -> list[dict]:
    """Return the loss at the last place, and the same after all letters but the last ones were shuffled."""
    rng = np.random.default_rng([seed, in_place])
    rows = []
    for m, (tokens, targets) in task.tests.items():
        mixed = tokens.numpy().copy()
        mixed[:, :-in_place] = rng.permuted(mixed[:, :-in_place], axis=1)
        loss, shuffled = (
            round(functional.cross_entropy(model(x)[:, -1], targets[:, -1]).item(), 4)
            for x in (tokens, torch.from_numpy(mixed))
        )
        rows.append({"multiple": m, "in_place": in_place, "loss": loss, "shuffled": shuffled})
    return rows


def rescaled(model: LanguageModel, stretch: float) -> LanguageModel:
    """Return the same weights with another base: the slowest pair of a head turns `stretch` times more slowly."""
    design = model.architecture
    width = design.width // design.n_heads
    slower = LanguageModel(replace(design, base=design.base * stretch ** (width / (width - 2))))
    slower.load_state_dict(model.state_dict())
    return slower.eval()


def rescaled_scores(model: LanguageModel, task: LengthTask, stretches: tuple[float, ...]) -> list[dict]:
    """Return the scores of a trained rotary model whose base is rescaled, without another step of training."""
    return [
        {"stretch": stretch} | row
        for stretch in stretches
        for row in length_scores(rescaled(model, stretch), task).round(4).reset_index().to_dict("records")
    ]


def slowness(hands: str, stretch: float, width: int, length: int) -> np.ndarray:
    """Return by how much each clock of a head turns more slowly, the fastest first."""
    speeds = frequencies(width)
    if hands == "base":
        return stretch ** (np.arange(width // 2) / (width // 2 - 1))
    return np.where((hands == "all") | (length * speeds < 2 * np.pi), float(stretch), 1.0)


@contextmanager
def slowed(slower: np.ndarray) -> Iterator[None]:
    """Let every rotary model turn its pairs more slowly for a while."""

    def angles(*places: ArrayLike, **more: float) -> np.ndarray:
        return rotation_angles(*places, **more) / slower

    multihead._rotary_tables.cache_clear()
    with mock.patch.object(multihead, "rotation_angles", angles):
        yield
    multihead._rotary_tables.cache_clear()


def slowed_scores(model: LanguageModel, task: LengthTask, stretches: tuple[float, ...]) -> list[dict]:
    """Return losses of a trained rotary model, at each length and by place, when some of its clocks are slowed."""
    width = model.architecture.width // model.architecture.n_heads
    rows = []
    for hands, stretch in product(HANDS, stretches):
        with slowed(slowness(hands, stretch, width, task.length)):
            losses = length_scores(model, task)["loss"].round(4).tolist()
            rows.append({"hands": hands, "stretch": stretch, "losses": losses, "by_place": averaged(model, task)})
    return rows


def averaged(model: torch.nn.Module, task: LengthTask) -> list[float]:
    """Return the loss at each few neighbouring places of the longest windows."""
    tokens, targets = task.tests[4]
    windows = torch.cat([tokens, targets[:, -1:]], dim=1)
    return loss_by_place(model, windows).astype(float).reshape(-1, PLACES).mean(axis=1).round(4).tolist()


def table_losses(stories: list[str], orders: tuple[int, ...] = TABLES) -> dict[str, float]:
    """Return the loss of the count tables of chapter 15 where the news is asked: letters of a table -> nats."""
    read, _, vocabulary = _letters(stories)
    tokens, targets = length_task("news", stories=stories).tests[1]
    windows = torch.cat([tokens, targets[:, -1:]], dim=1).tolist()
    asked = -tokens.shape[1] // 2
    losses = {}
    for order in orders:
        table = count_ngrams(read, order=order, vocabulary=vocabulary)
        losses[str(order)] = round(float(np.mean([table.surprisals(window)[asked:] for window in windows])), 4)
    return losses


def main() -> None:
    """Parse the arguments and make the runs that are missing, seed by seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(STEPS), choices=list(STEPS))
    parser.add_argument("--schemes", nargs="*", default=list(SCHEMES), choices=SCHEMES)
    parser.add_argument("--seeds", nargs="*", type=int, default=list(SEEDS))
    parser.add_argument("--steps", type=int, help="for a trial: fewer than the experiment has")
    parser.add_argument("--text", type=Path, help="the stories, one a line, where gensim is not installed")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no run after so many")
    parser.add_argument("--output", type=Path, default=FOLDER / "lengths.json")
    a = parser.parse_args()
    card = read_runs(a.output)
    made, tables = card["runs"], card.get("tables") or table_losses(stories_of(a.text))
    there = {named(part) for part in made}
    missing = [one for one in product(a.seeds, STEPS, a.schemes) if one[1] in a.only and one not in there]
    moved = [one for one in product(a.seeds, FARTHEST, SHIFTED) if "copying" in a.only and one not in there]
    about = {"steps": STEPS, "machine": machine(), "places": PLACES, "tables": tables}
    by_whom = {"script": __file__, "libraries": LIBRARIES} | about
    start = time.time()
    ends = start + a.seconds
    runs = [delayed(run)(*one, a.text, ends, a.steps) for one in missing]
    runs += [delayed(shifted)(*one, ends) for one in moved]
    for part in Parallel(a.processes, return_as="generator_unordered", pre_dispatch="all")(runs):
        if part is None:
            continue
        made.append(part)
        made.sort(key=lambda part: ([*STEPS, "shifted"].index(part["part"]), *map(str, named(part)[1:]), part["seed"]))
        write_runs(a.output, made, minutes=minutes_of(made), seeds=sorted({part["seed"] for part in made}), **by_whom)
        scores = [round(score["loss"], 3) for score in part["scores"]]
        print(
            f"{time.time() - start:5.0f} s",
            *(part[key] for key in ("seed", "part", "positions", "seconds")),
            scores,
            flush=True,
        )


def named(part: dict) -> tuple:
    """Return what a run is known by: seed, task and scheme, or seed, where it begins and steps."""
    return tuple(part[key] for key in ("seed", *(("begins", "steps") if "begins" in part else ("part", "positions"))))


def machine() -> str:
    """Return the kind of processor, one thread of which makes a run."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
