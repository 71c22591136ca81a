"""Run the experiments of chapter 22 that take longer than a page may, with several seeds each, and keep the results.

    OMP_NUM_THREADS=1 python -m tools.circle          # some fifteen minutes of one processor
    OMP_NUM_THREADS=1 python -m tools.circle --only deep --output trial.json

Results are written after every training, and one that the file already holds is not run again: the work can be
interrupted. Chapter 22 reads the file, and runs a part of it again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch

from regattn.data import load_macro
from regattn.regression import (
    LinearLayers,
    SoftmaxHeads,
    Tasks,
    best_embedding,
    make_tasks,
    newton_schulz,
    population_embedding,
    train_in_context,
    tuned_descent,
)
from tools.recorded_runs import FOLDER, minutes_of, read_runs, write_runs

LIBRARIES = ("numpy", "scipy", "torch")
P = 5
C = 0.5 ** np.abs(np.subtract.outer(np.arange(P), np.arange(P)))  # covariance of the rows
TRAINING_TASKS, TEST_TASKS = 100_000, 20_000  # tasks to learn from and to be measured on
FEW, MANY = {"n": 10, "noise": 1.0}, {"n": 20, "noise": 0.5}  # few noisy rows, and more of less noise
SHIFTED = [FEW, FEW | {"noise": 0.3}, FEW | {"noise": 2.0}, FEW | {"n": 20}, FEW | {"n": 40}]
KINDS = {
    "tied": {},
    "untied": {"tied": False},
    "tied, GD++": {"move_rows": True},
    "untied, GD++": {"tied": False, "move_rows": True},
}
HEADS = [
    (2, True, 0.0),
    (1, True, 0.0),
    (1, False, 0.0),
    (2, True, 2.0),
    (4, True, 0.0),
    (3, True, 2.0),
    (1, True, 2.0),
]
MANY_STEPS = 4000  # with a thousand, untied layers of more parameters end behind the tied ones that they contain
FULL_STEPS, FULL_BATCH = 3000, 128
WINDOW, SPLIT, SHARED = 32, 120, 800  # quarters of a window, the first unseen quarter, steps on real tasks


def training_tasks(seed: int, setting: dict[str, float], tasks: int = TRAINING_TASKS, **more: Any) -> Tasks:
    """Return tasks to learn from."""
    return make_tasks(np.random.default_rng([1, seed]), C, tasks=tasks, **setting, **more)


def test_tasks(setting: dict[str, float], **more: Any) -> Tasks:
    """Return the tasks that everything is measured on."""
    return make_tasks(np.random.default_rng(77), C, tasks=TEST_TASKS, **setting, **more)


def predicted_slopes(model: LinearLayers, tasks: Tasks) -> np.ndarray:
    """Return what a model answers."""
    with torch.no_grad():
        return model(*(torch.from_numpy(part) for part in tasks.moments())).numpy()


def baseline_risks(setting: dict[str, float]) -> Iterator[dict]:
    """Yield the risks of what needs no training: nothing, least squares, Bayes, descent and Newton's iteration."""
    test, training = test_tasks(setting), training_tasks(0, setting, TEST_TASKS)
    G, z = test.moments()
    yield {"name": "zero", "risk": test.risk(0 * z, C)}
    yield {"name": "OLS", "risk": test.risk(test.ridge_slopes(), C)}
    yield {"name": "Bayes", "risk": test.risk(test.ridge_slopes(setting["noise"] ** 2), C)}
    omega = setting["n"] * population_embedding(C, **setting)
    yield {"name": "formula", "depth": 1, "risk": test.risk(z @ omega.T, C)}
    for depth in (1, 2, 3, 4):
        w = np.zeros_like(z)
        for step in tuned_descent(training, C, depth=depth):
            w = w + step * (z - np.einsum("tpq,tq->tp", G, w))
        yield {"name": "tuned descent", "depth": depth, "risk": test.risk(w, C)}
        G_training, z_training = training.moments()
        starts = np.linspace(0.05, 1.0, 39) / np.linalg.norm(C, 2)

        def newton_slopes(start: float, G: np.ndarray, z: np.ndarray, depth: int = depth) -> np.ndarray:
            return np.einsum("tpq,tq->tp", newton_schulz(G, rounds=depth, start=start), z)

        best = min(starts, key=lambda start: training.risk(newton_slopes(start, G_training, z_training), C))
        yield {"name": "Newton–Schulz", "depth": depth, "start": best, "risk": test.risk(newton_slopes(best, G, z), C)}


def layers_risk(seed: int, setting: dict[str, float], depth: int, kind: str, steps: int = 1000) -> dict:
    """Return the risk of trained layers, and elsewhere for the deepest of those trained on few rows."""
    model = LinearLayers(depth, P, **KINDS[kind], rng=seed)
    train_in_context(model, training_tasks(seed, setting), C, steps=steps, rng=seed)
    row = {
        "name": kind,
        "depth": depth,
        "risk": test_tasks(setting).risk(predicted_slopes(model, test_tasks(setting)), C),
    }
    if setting == FEW and depth == 4:
        row["elsewhere"] = [test_tasks(place).risk(predicted_slopes(model, test_tasks(place)), C) for place in SHIFTED]
    if kind == "untied":  # how alike are its matrices to the inverse of the population?
        A, inverse = model.A.detach().numpy(), np.linalg.inv(C)
        row["cosines"] = [float(np.sum(a * inverse) / np.linalg.norm(a) / np.linalg.norm(inverse)) for a in A]
    return row


def told_outcomes(seed: int, steps: int = 1000, batch: int = 64, rate: float = 0.02) -> dict:
    """Return the risk of four tied layers that are told one noisy outcome of each task, in place of the expected error.

    All else is as in ``train_in_context``.
    """
    model, tasks = LinearLayers(4, P, move_rows=True, rng=seed), training_tasks(seed, FEW)
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(tasks.y), generator=generator)
    shown, slopes = [torch.from_numpy(part) for part in tasks.moments()], torch.from_numpy(tasks.slopes)
    root = torch.from_numpy(np.linalg.cholesky(C))
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.1)
    for step in range(steps):
        first = step * batch % (len(order) - batch + 1)
        pick = order[first : first + batch]
        row, noise = torch.randn(batch, P + 1, generator=generator, dtype=torch.float64).split([P, 1], dim=1)
        row = row @ root.mT
        outcome = (row * slopes[pick]).sum(-1) + FEW["noise"] * noise[:, 0]
        loss = ((row * model(*(part[pick] for part in shown))).sum(-1) - outcome).square().mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        cycle.step()
    test = test_tasks(FEW)
    return {"name": "told outcomes", "depth": 4, "risk": test.risk(predicted_slopes(model, test), C)}


def shifted_risks() -> Iterator[dict]:
    """Yield what least squares and Bayes score where the layers are tried without being trained."""
    for place in SHIFTED:
        tasks = test_tasks(place)
        risks = {"OLS": tasks.ridge_slopes(), "Bayes": tasks.ridge_slopes(place["noise"] ** 2)}
        yield place | {name: tasks.risk(w, C) for name, w in risks.items()}


def queries_and_answers(tasks: Tasks) -> tuple[np.ndarray, np.ndarray]:
    """Return eight rows that ask in every task, and the right answers."""
    rows = np.random.default_rng(5).normal(size=(len(tasks.y), 8, P)) @ np.linalg.cholesky(C).T
    return rows, tasks.intercepts[:, None] + np.einsum("tmp,tp->tm", rows, tasks.slopes)


def with_ones(rows: np.ndarray) -> np.ndarray:
    """Return rows with a column of ones before them."""
    return np.concatenate([np.ones_like(rows[..., :1]), rows], axis=-1)


def one_layer_risks(intercept: float) -> Iterator[dict]:
    """Yield the risks of one linear layer and of least squares, without and with a column of ones."""
    training, test = training_tasks(0, MANY, intercept=intercept), test_tasks(MANY, intercept=intercept)
    rows, answers = queries_and_answers(test)

    def risk(name: str, w: np.ndarray, ones: bool) -> dict:
        predicted = np.einsum("tmp,tp->tm", with_ones(rows) if ones else rows, w)
        return {"name": name, "intercept": intercept, "risk": float(np.mean((predicted - answers) ** 2))}

    def widened(given: Tasks) -> Tasks:
        return Tasks(with_ones(given.X), given.y, np.column_stack([given.intercepts, given.slopes]), given.intercepts)

    n = MANY["n"]
    yield risk("linear", n * test.moments()[1] @ best_embedding(training).T, False)
    training, test = widened(training), widened(test)
    yield risk("linear, column of ones", n * test.moments()[1] @ best_embedding(training).T, True)
    yield risk("OLS, column of ones", test.ridge_slopes(), True)


def heads_risk(seed: int, heads: int, scaled: bool, intercept: float, steps: int = 1500) -> dict:
    """Return the risk of trained softmax heads; for two, how far they mirror each other."""
    model = SoftmaxHeads(heads, P, scaled=scaled, rng=seed)
    training = training_tasks(seed, MANY, intercept=intercept)
    train_in_context(model, training, C, steps=steps, rng=seed)
    test = test_tasks(MANY, intercept=intercept)
    rows, answers = queries_and_answers(test)
    with torch.no_grad():
        predicted = model(*(torch.from_numpy(part) for part in (test.X, test.y, rows))).numpy()
    row: dict[str, Any] = {"name": f"softmax, {heads}" + ("" if scaled else " bare"), "intercept": intercept}
    row["risk"] = float(np.mean((predicted - answers) ** 2))
    omega, v = model.omega.detach().numpy(), model.v.detach().numpy()
    row["v"] = v.round(3).tolist()
    if heads == 2:
        combined = np.tensordot(v, omega, axes=1)
        row["mirror"] = cosine(omega[0], -omega[1])
        row["optimum"] = cosine(combined, population_embedding(C, **MANY))
    return row


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """Return the cosine of two matrices."""
    return float(np.sum(a * b) / np.linalg.norm(a) / np.linalg.norm(b))


def full_matrices(seed: int, scale: float, steps: int = FULL_STEPS) -> dict:
    """Return how far the full matrices of one layer get from a random start.

    Tokens are (x, y), the one that asks (x, 0); it answers q'K(Σ tokens tokens')v/n, the last entry of what it hears.
    The error is that of the part of the answer that runs over outcomes, K's block of rows times the last entry of v; a
    second part, over K's last column, is left out.
    """
    training, n = training_tasks(seed, MANY), MANY["n"]
    tokens = np.concatenate([training.X, training.y[..., None]], axis=-1)
    moments = torch.from_numpy(tokens.mT @ tokens)
    target = torch.from_numpy(training.slopes)
    generator = torch.Generator().manual_seed(seed)
    start = [scale * torch.randn(size, generator=generator, dtype=torch.float64) for size in ((P + 1, P + 1), (P + 1,))]
    K, v = (part.requires_grad_() for part in start)
    root = torch.from_numpy(np.linalg.cholesky(C))
    optimiser = torch.optim.Adam([K, v], lr=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    losses = []
    for _ in range(steps):
        batch = torch.randint(len(target), (FULL_BATCH,), generator=generator)
        x = torch.randn(FULL_BATCH, P, generator=generator, dtype=torch.float64) @ root.mT
        q = torch.cat([x, torch.zeros_like(x[:, :1])], dim=1)
        attended = (moments[batch] @ v[:, None])[..., 0] + q * (q @ v)[:, None]
        loss = ((((q @ K) * attended).sum(-1) / n - (x * target[batch]).sum(-1)) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
    omega, theory = (K[:P, :P] * v[-1]).detach().numpy() / n, population_embedding(C, **MANY)
    error = float(np.linalg.norm(omega - theory) / np.linalg.norm(theory))
    means = [float(part) for part in np.mean(np.reshape(losses, (10, -1)), axis=1)]
    return {"name": "full", "scale": scale, "steps": steps, "error": error, "losses": means}


def macro_tasks() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return windows of six US series: forecast one of them a quarter ahead, from all six today."""
    macro = load_macro()
    table = {name: 400 * np.log(macro[name]).diff() for name in ("consumption", "investment")}
    table |= {name: macro[name].diff() for name in ("inflation", "unemployment", "bill_rate")}
    values = np.column_stack([macro["gdp_growth"], *table.values()])[1:]
    values = (values - values[:SPLIT].mean(axis=0)) / values[:SPLIT].std(axis=0)
    samples: tuple[list, list] = [], []
    for date in range(WINDOW + 1, len(values)):
        rows, ahead = values[date - WINDOW - 1 : date - 1], values[date - WINDOW : date]
        mean, level = rows.mean(axis=0), ahead.mean(axis=0)
        for k in range(values.shape[1]):
            part = (rows - mean, ahead[:, k] - level[k], values[date - 1] - mean, values[date, k] - level[k], k)
            samples[date >= SPLIT].append(part)
    return tuple(  # type: ignore[return-value]
        {
            name: np.array(column)
            for name, column in zip(("X", "y", "queries", "answers", "group"), zip(*part, strict=True), strict=True)
        }
        for part in samples
    )


def employment_tasks() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return windows of monthly employment series: growth over a year, from its values 1, 2, 3 and 12 months before.

    Two years of months make a window. A hundred series to the end of 2009 are learned from, the others are forecast
    from 2010 on; every window is in units of the size of its own inputs.
    """
    from regattn.data import load_employment

    table = load_employment()
    logs = np.log(table.to_numpy()).T
    growth, lags, window = logs[:, 12:] - logs[:, :-12], np.array([1, 2, 3, 12]), 24
    first_test = list(table.index.astype(str)).index("2010-01") - 12
    order = np.random.default_rng(0).permutation(len(growth))
    sets = []
    for series, months in (
        (order[:100], range(window + 14, first_test, 2)),
        (order[100:], range(first_test, growth.shape[1], 3)),
    ):
        samples = []
        for s in series:
            for month in months:
                rows = growth[s][np.arange(month - window, month)[:, None] - lags]
                size = np.sqrt(np.mean(rows**2))
                y, query = growth[s][month - window : month], growth[s][month - lags]
                samples.append((rows / size, y / size, query / size, growth[s][month] / size, 0))
        columns = zip(("X", "y", "queries", "answers", "group"), zip(*samples, strict=True), strict=True)
        sets.append({name: np.array(column) for name, column in columns})
    return sets[0], sets[1]


def real_errors(name: str, seed: int, depth: int, steps: int = SHARED) -> Iterator[dict]:
    """Yield squared errors of layers that correct slopes common to all tasks, and of what needs no training."""
    training, test = {"macro": macro_tasks, "employment": employment_tasks}[name]()
    n, p = training["X"].shape[1:]
    common = np.array(
        [
            np.linalg.lstsq(training["queries"][own], training["answers"][own], rcond=None)[0]
            for own in (training["group"] == k for k in np.unique(training["group"]))
        ]
    )

    def moments(given: dict[str, np.ndarray], start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        outcomes = given["y"] - np.einsum("tnp,tp->tn", given["X"], start)
        return given["X"].mT @ given["X"] / n, np.einsum("tnp,tn->tp", given["X"], outcomes) / n

    def error(given: dict[str, np.ndarray], w: np.ndarray) -> float:
        return float(np.mean((np.sum(given["queries"] * w, axis=1) - given["answers"]) ** 2))

    def ridge_slopes(given: dict[str, np.ndarray], ridge: float, start: np.ndarray) -> np.ndarray:
        G, z = moments(given, start)
        return start + np.linalg.solve(G + ridge * np.eye(p), z[..., None])[..., 0]

    start, start_new = common[training["group"]], common[test["group"]]
    if depth == 0:
        yield {"name": "pooled", "error": error(test, start_new)}
        yield {"name": "window's own OLS", "error": error(test, ridge_slopes(test, 0.0, 0 * start_new))}
        grid = np.geomspace(1e-4, 1e3, 50)
        for title, at_training, at_test in (("zero", 0 * start, 0 * start_new), ("pooled", start, start_new)):
            best = min(grid, key=lambda ridge: error(training, ridge_slopes(training, ridge, at_training)))
            yield {
                "name": f"ridge towards {title}",
                "ridge": best,
                "error": error(test, ridge_slopes(test, best, at_test)),
            }
        return
    model = LinearLayers(depth, p, move_rows=depth > 1, rng=seed)
    G, z = (torch.from_numpy(part) for part in moments(training, start))
    queries, answers = (torch.from_numpy(training[part]) for part in ("queries", "answers"))
    residuals = answers - (queries * torch.from_numpy(start)).sum(-1)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimiser, 5e-3, total_steps=steps)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        batch = torch.randint(len(answers), (256,), generator=generator)
        loss = (((queries[batch] * model(G[batch], z[batch])).sum(-1) - residuals[batch]) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        cycle.step()
    with torch.no_grad():
        correction = model(*(torch.from_numpy(part) for part in moments(test, start_new))).numpy()
    yield {"name": "layers from pooled", "depth": depth, "error": error(test, start_new + correction)}


def layer_jobs(part: str, setting: dict[str, float], depths: Iterable[int], kinds: Iterable[str], seeds: range) -> list:
    """Return trainings of linear layers; one layer is one layer, of whatever kind."""
    options = {"steps": MANY_STEPS} if setting == MANY else {}
    chosen = [(s, d, k) for s, d, k in product(seeds, depths, kinds) if d > 1 or k == "tied"]
    return [(part, f"{k} {d}", s, partial(layers_risk, s, setting, d, k, **options)) for s, d, k in chosen]


def jobs() -> list[tuple[str, str, int, Callable[[], Any]]]:
    """Return what is to be run, what matters most first: part, job and seed that name it, and how it is done."""
    heads = [
        ("softmax", f"{h} {scaled} {a:g}", s, partial(heads_risk, s, h, scaled, a))
        for s, (h, scaled, a) in product(range(3), HEADS)
    ]
    whole = [("full", f"{scale}", s, partial(full_matrices, s, scale)) for scale, s in product((0.1, 0.01), range(10))]
    shared = [
        (name, f"{depth}", s, partial(real_errors, name, s, depth))
        for s, name, depth in product(range(3), ("macro", "employment"), (0, 1, 4))
        if s == 0 or depth
    ]
    return [
        *((part, "known", 0, partial(baseline_risks, setting)) for part, setting in (("few", FEW), ("many", MANY))),
        ("elsewhere", "known", 0, shifted_risks),
        *(("softmax", f"linear {a:g}", 0, partial(one_layer_risks, a)) for a in (0.0, 2.0)),
        *layer_jobs("few", FEW, (4,), ("tied, GD++",), range(10)),
        *heads,
        *layer_jobs("many", MANY, (1, 4, 2, 3), KINDS, range(1)),
        *whole[:10],
        *shared,
        *layer_jobs("few", FEW, (2, 3), ("tied, GD++",), range(5)),
        *layer_jobs("many", MANY, (1, 4, 2, 3), KINDS, range(1, 3)),
        *whole[10:],
        *(("outcomes", "tied, GD++ 4", s, partial(told_outcomes, s)) for s in range(10)),
    ]


def main() -> None:
    """Parse the arguments and run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", help="names of parts")
    parser.add_argument("--output", type=Path, default=FOLDER / "circle.json")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    made = read_runs(arguments.output)["runs"]
    done = {(row["part"], row["job"], row["seed"]) for row in made}
    for *known_by, do in jobs():
        if tuple(known_by) in done or (arguments.only and known_by[0] not in arguments.only):
            continue
        job = dict(zip(("part", "job", "seed"), known_by, strict=True))
        start, found = time.process_time(), do()
        rows = [job | row for row in ([found] if isinstance(found, dict) else list(found))]
        rows[0]["seconds"] = round(time.process_time() - start, 1)
        made += rounded(rows)
        write_runs(arguments.output, made, script=__file__, libraries=LIBRARIES, minutes=minutes_of(made))
        print(*rows, sep="\n", flush=True)


def rounded(value: Any) -> Any:
    """Return numbers with six digits, wherever they are."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main()
