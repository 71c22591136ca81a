"""Run the published Monte Carlo on attention regression, with rivals tuned and with what the book changes.

    OMP_NUM_THREADS=1 nice -19 .venv/bin/python -m tools.monte_carlo          # goes on where it stopped; days in all
    OMP_NUM_THREADS=1 .venv/bin/python -m tools.monte_carlo --sizes 500 --draws 2 --output trial.csv

Six designs, four sizes, four signal-to-noise ratios, ten draws; 1,000 test rows each. Small sizes come first, and
within a size one draw of everything after the other. All models of a cell are written at once: a file holds whole
cells. A model is tuned on training rows alone: ridge by leave-one-out, the forest out of bag, boosting on a fifth of
the rows, attention by three folds of at most 1,000 rows, the Gaussian process by the likelihood of at most 500; the
network stops early on 15 per cent. *The race* reads the file.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import LinearRegression, RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold

import regattn.regression._head_training  # noqa: F401 (brings torch in now, not in the first fit)
from regattn._files import write_whole
from regattn.regression import AttentionRegressor, make_design
from regattn.regression.designs import DESIGNS
from tools.published_attention import PublishedAttention
from tools.published_network import PublishedNetwork
from tools.recorded_runs import FOLDER

SIZES, RATIOS, DRAWS = (500, 1000, 2500, 5000), (0.5, 1.0, 2.0, 3.0), 10
TEST_ROWS, TUNED_ON, LIKELIHOOD_OF = 1000, 1000, 500
COLUMNS = ("n", "draw", "signal_to_noise", "design", "model", "r2", "seconds", "megabytes", "setting")
LIBRARIES = ("numpy", "scikit-learn", "scipy", "torch")
PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
TREES = 500


class Cell(NamedTuple):
    """One draw of one design."""

    n: int
    draw: int
    signal_to_noise: float
    design: str

    def rows(self) -> tuple[np.ndarray, ...]:
        """Return training inputs and outcomes and test inputs and outcomes."""
        seed = [list(DESIGNS).index(self.design), self.n, round(10 * self.signal_to_noise), self.draw]
        rng = np.random.default_rng(seed)
        X, y, _ = make_design(self.design, self.n + TEST_ROWS, signal_to_noise=self.signal_to_noise, rng=rng)
        return X[: self.n], y[: self.n], X[self.n :], y[self.n :]


def cells(sizes: tuple[int, ...] = SIZES, draws: int = DRAWS) -> Iterator[Cell]:
    """Yield the cells in the order in which they are run."""
    for n, draw, ratio, design in product(sizes, range(draws), RATIOS, DESIGNS):
        yield Cell(n, draw, ratio, design)


Fitted = tuple[Any, str]  # a model that predicts, and what it chose


def ridge(X: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    """Return ridge regression, its penalty by leave-one-out."""
    model = RidgeCV(np.geomspace(1e-3, 1e4, 15)).fit(X, y)
    return model, f"{model.alpha_:.3g}"


def forest(X: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    """Return a forest of 500 trees that try a third of the columns, its smallest leaf by the error out of bag."""
    scores = {}
    for leaf in (1, 3, 10, 30):
        few = RandomForestRegressor(
            100, max_features=1 / 3, min_samples_leaf=leaf, oob_score=True, random_state=seed
        ).fit(X, y)
        scores[leaf] = few.oob_score_
    leaf = max(scores, key=scores.get)
    return RandomForestRegressor(TREES, max_features=1 / 3, min_samples_leaf=leaf, random_state=seed).fit(X, y), str(
        leaf
    )


def staged(model: Any, name: str, grid: list[dict], X: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    """Return boosting with as many trees of the kind as predict best a fifth of the rows, then fitted to all."""
    order = np.random.default_rng(seed).permutation(len(X))
    held, kept = order[: len(X) // 5], order[len(X) // 5 :]
    found = []
    for setting in grid:
        trial = clone(model).set_params(**setting).fit(X[kept], y[kept])
        errors = [np.mean((y[held] - fitted) ** 2) for fitted in trial.staged_predict(X[held])]
        found.append((min(errors), int(np.argmin(errors)) + 1, setting))
    _, trees, setting = min(found, key=lambda one: one[0])
    chosen = " ".join(f"{value:g}" for value in setting.values())
    return clone(model).set_params(**setting, **{name: trees}).fit(X, y), f"{chosen} {trees}"


def boosting(X: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    """Return boosting of up to 500 trees of depth 3."""
    grid = [{"learning_rate": rate} for rate in (0.01, 0.03)]
    return staged(GradientBoostingRegressor(n_estimators=TREES, random_state=seed), "n_estimators", grid, X, y, seed)


def histogram_boosting(X: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    """Return histogram boosting of up to 200 trees."""
    grid = [{"learning_rate": rate, "max_leaf_nodes": leaves} for rate in (0.03, 0.1) for leaves in (4, 15)]
    model = HistGradientBoostingRegressor(max_iter=200, early_stopping=False, random_state=seed)
    return staged(model, "max_iter", grid, X, y, seed)


def gaussian_process(X: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
    """Return a Gaussian process with a length for each column, found by the likelihood of some rows."""
    some = np.random.default_rng(seed).permutation(len(X))[:LIKELIHOOD_OF]
    kernel = ConstantKernel() * RBF(np.ones(X.shape[1])) + WhiteKernel()
    found = GaussianProcessRegressor(kernel, normalize_y=True, random_state=seed).fit(X[some], y[some])
    return GaussianProcessRegressor(found.kernel_, optimizer=None, normalize_y=True).fit(X, y), ""


def attention(**switches: Any) -> Callable[[np.ndarray, np.ndarray, int], Fitted]:
    """Return how one head of attention is fitted, its penalty chosen by three folds of some rows."""

    def fit(X: np.ndarray, y: np.ndarray, seed: int) -> Fitted:
        model = AttentionRegressor(**switches, max_iter=300, tol=1e-5, random_state=seed)
        some = np.random.default_rng(seed).permutation(len(X))[:TUNED_ON]
        folds = KFold(3, shuffle=True, random_state=seed)
        quick = clone(model).set_params(tol=1e-4)
        search = GridSearchCV(quick, {"penalty": PENALTIES}, cv=folds, scoring="neg_mean_squared_error", refit=False)
        penalty = search.fit(X[some], y[some]).best_params_["penalty"]
        batch = 256 if len(X) > TUNED_ON else None
        return clone(model).set_params(penalty=penalty, batch_size=batch).fit(X, y), f"{penalty:g}"

    return fit


def published(**switches: bool) -> Callable[[np.ndarray, np.ndarray, int], Fitted]:
    """Return how attention is fitted as published, but for switches."""
    return lambda X, y, seed: (PublishedAttention(**switches, random_state=seed).fit(X, y), "")


MODELS: dict[str, Callable[[np.ndarray, np.ndarray, int], Fitted]] = {
    "OLS": lambda X, y, seed: (LinearRegression().fit(X, y), ""),
    "ridge": ridge,
    "forest": forest,
    "boosting": boosting,
    "histogram boosting": histogram_boosting,
    "MLP": lambda X, y, seed: (PublishedNetwork(random_state=seed).fit(X, y), ""),
    "Gaussian process": gaussian_process,
    "attention as published": published(),
    "as published but without oneself": published(exclude_self=True),
    "one head with oneself": attention(exclude_self=False),
    "one head without oneself": attention(),
    "one head by distance": attention(kernel="gaussian"),
    "one head with a line": attention(kernel="gaussian", local="linear"),
}


def run(cell: Cell, models: tuple[str, ...] = tuple(MODELS)) -> list[dict[str, Any]]:
    """Return what each model got on a cell: R² on its test rows, processor seconds and memory."""
    X, y, X_test, y_test = cell.rows()
    found = []
    for name in models:
        before, start = _forget_peak(), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model, setting = MODELS[name](X, y, cell.draw)
        score = r2_score(y_test, model.predict(X_test))
        seconds, growth = time.process_time() - start, _kilobytes("VmHWM") - before
        measured = {"r2": round(score, 4), "seconds": round(seconds, 2), "megabytes": round(max(0, growth) / 1024, 1)}
        found.append(cell._asdict() | {"model": name} | measured | {"setting": setting})
    return found


def _forget_peak() -> float:
    """Let the peak of memory start from here (Linux, glibc), and return what is in use."""
    ctypes.CDLL(None).malloc_trim(0)  # what earlier models gave back counts for the next one again
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _kilobytes("VmRSS")


def _kilobytes(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(field + ":"))


def read_cells(path: Path) -> set[Cell]:
    """Return the cells that a file holds; what an interrupted writing left at its end is cut off."""
    if not path.exists():
        return set()
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        write_whole(path, whole)
    rows = [line.split(",") for line in whole.splitlines()[2:]]
    return {Cell(int(n), int(draw), float(ratio), design) for n, draw, ratio, design, *_ in rows}


def append(path: Path, rows: list[dict[str, Any]]) -> None:
    """Add rows at the end of a file, which begins with a line that says how they were made."""
    if not path.exists():
        card = {"script": f"tools/{Path(__file__).name}", "libraries": {name: version(name) for name in LIBRARIES}}
        write_whole(path, f"# {json.dumps(card)}\n{','.join(COLUMNS)}\n")
    text = "".join(",".join(str(row[name]) for name in COLUMNS) + "\n" for row in rows)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def main() -> None:
    """Parse the arguments and run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--output", type=Path, default=FOLDER / "monte_carlo.csv")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    done = read_cells(arguments.output)
    for cell in cells(tuple(arguments.sizes), arguments.draws):
        if cell not in done:
            found = run(cell)
            append(arguments.output, found)
            print(
                *cell, *(f"{row['r2']:.3f}" for row in found), f"{sum(r['seconds'] for r in found):.0f} s", flush=True
            )


if __name__ == "__main__":
    main()
