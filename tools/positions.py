"""Train the models of chapter 16 at one length, ask them at three, and keep every score: 3 tasks, 5 schemes, 3 seeds.

    OMP_NUM_THREADS=1 python tools/positions.py                  # half an hour of one core
    OMP_NUM_THREADS=1 python tools/positions.py --seeds 0 --only copying --output trial.json

Results are written after every run, and a run that the file already holds is not made again: the work can be
interrupted. Chapter 16 reads the file, and makes one of its runs again.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from importlib.metadata import version
from itertools import product
from pathlib import Path

import torch
from joblib import Parallel, delayed

from regattn.transformer.lengths import length_scores, length_task, loss_by_place, train_at_one_length

HOME = Path(__file__).resolve().parent.parent / "regattn" / "transformer" / "lengths.json"
STEPS = {"news": 800, "copying": 450, "sorting": 400}
SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi")
SEEDS = range(3)
PLACES = 4  # neighbouring places whose losses are averaged
LIBRARIES = ("numpy", "torch")


def run(seed: int, name: str, positions: str, text: Path | None, ends: float, steps: int | None = None) -> dict | None:
    """Return the scores of one model, or nothing if it is too late to begin. A seed sets both weights and batches."""
    if time.time() > ends:
        return None
    torch.set_num_threads(1)
    start = time.process_time()
    stories = text.read_text(encoding="utf-8").split("\n") if text else None
    task = length_task(name, stories=stories, rng=seed)
    model, history = train_at_one_length(task, positions, steps=steps or STEPS[name], rng=seed)
    part = {
        "task": name,
        "positions": positions,
        "seed": seed,
        "training": round(float(history["loss"].iloc[-1]), 4),
        "scores": length_scores(model, task).round(4).reset_index().to_dict("records"),
    }
    if name == "news":
        tokens, targets = task.tests[4]
        windows = torch.cat([tokens, targets[:, -1:]], dim=1)
        part["by_place"] = (
            loss_by_place(model, windows).astype(float).reshape(-1, PLACES).mean(axis=1).round(4).tolist()
        )
    return part | {"seconds": round(time.process_time() - start, 1)}


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
    parser.add_argument("--output", type=Path, default=HOME)
    a = parser.parse_args()
    made = json.loads(a.output.read_text(encoding="utf-8"))["parts"] if a.output.exists() else []
    there = {(part["seed"], part["task"], part["positions"]) for part in made}
    missing = [one for one in product(a.seeds, STEPS, a.schemes) if one[1] in a.only and one not in there]
    start = time.time()
    runs = (delayed(run)(*one, a.text, start + a.seconds, a.steps) for one in missing)
    for part in Parallel(a.processes, return_as="generator_unordered", pre_dispatch="all")(runs):
        if part is None:
            continue
        made.append(part)
        a.output.write_text(as_text(made), encoding="utf-8")
        scores = [round(score["loss"], 3) for score in part["scores"]]
        print(
            f"{time.time() - start:5.0f} s",
            *(part[key] for key in ("seed", "task", "positions", "seconds")),
            scores,
            flush=True,
        )


def as_text(parts: list[dict]) -> str:
    """Return the results as JSON, a line for each part, with how they were made before them."""
    parts = sorted(parts, key=lambda part: (list(STEPS).index(part["task"]), part["positions"], part["seed"]))
    card = {
        "script": "tools/positions.py",
        "seeds": sorted({part["seed"] for part in parts}),
        "steps": STEPS,
        "minutes": round(sum(part["seconds"] for part in parts) / 60, 1),
        "machine": machine(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "places": PLACES,
    }
    lines = ",\n  ".join(json.dumps(part) for part in parts)
    return f'{json.dumps(card)[:-1]}, "parts": [\n  {lines}\n]}}\n'


def machine() -> str:
    """Return the kind of processor, one thread of which makes a run."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
