"""Train the five published heads with and without the mask, and keep how well they fit rows that they learn from.

    OMP_NUM_THREADS=1 python -m tools.leak            # a few minutes on one idle core
    OMP_NUM_THREADS=1 python -m tools.leak --draws 1 --output trial.json

"noise": outcomes are pure noise, under the mask, after more and more steps. "functions": the six functions of the
race at a ratio of 1, with the mask and without, after 300 steps. ``fitted`` is the R² on the rows learned from, as it
is minimised: under the mask no row hears itself. ``new`` is that on 1,000 new rows, ``shares`` the sum of the heads'
shares. A run that the file holds is not run again. *The race* reads the file.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from regattn.regression.designs import DESIGNS
from tools.monte_carlo import Cell
from tools.published_attention import PublishedAttention
from tools.recorded_runs import FOLDER, minutes_of, read_runs, write_runs

ROWS, RATIO, DRAWS = 500, 1.0, 3
STEPS = (1, 10, 20, 30, 50, 75, 100, 150, 200, 300)


def settings(draws: int) -> list[dict[str, Any]]:
    """Return what is run, in this order."""
    found = []
    for seed in range(draws):
        found += [{"part": "noise", "mask": True, "steps": steps, "seed": seed} for steps in STEPS]
        for design in DESIGNS:
            found += [{"part": "functions", "design": design, "mask": mask, "seed": seed} for mask in (True, False)]
    return found


def rows(part: str, seed: int, design: str = "") -> tuple[np.ndarray, ...]:
    """Return training inputs and outcomes and test inputs and outcomes."""
    if part == "functions":
        return Cell(ROWS, seed, RATIO, design).rows()
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(ROWS + 1000, 5)), rng.normal(size=ROWS + 1000)
    return X[:ROWS], y[:ROWS], X[ROWS:], y[ROWS:]


def measure(setting: dict[str, Any]) -> dict[str, float]:
    """Train the five heads once and return what is kept of them."""
    kept = {name: value for name, value in setting.items() if name in ("part", "seed", "design")}
    X, y, X_new, y_new = rows(**kept)
    start = time.process_time()
    heads = PublishedAttention(exclude_self=setting["mask"], max_iter=setting.get("steps", 300)).fit(X, y)
    seconds = time.process_time() - start
    fitted, shares = heads.heard(X)
    return {
        "seconds": round(seconds, 1),
        "fitted": round(float(1 - np.mean((fitted - y) ** 2) / y.var()), 4),
        "new": round(float(heads.score(X_new, y_new)), 4),
        "shares": round(float(shares.sum()), 2),
    }


def main() -> None:
    """Parse the arguments and run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--output", type=Path, default=FOLDER / "leak.json")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    made = read_runs(arguments.output)["runs"]
    for setting in settings(arguments.draws):
        if any(setting.items() <= done.items() for done in made):
            continue
        made.append(setting | measure(setting))
        write_runs(
            arguments.output, made, script=__file__, libraries=("numpy", "torch"), minutes=minutes_of(made), rows=ROWS
        )
        print(made[-1], flush=True)


if __name__ == "__main__":
    main()
