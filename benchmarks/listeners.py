"""Whom a forest listens to, 500 trees and 10,000 × 1,000 rows, against the walk to its leaves that nobody can avoid.

Beside it, on fewer rows, packages that answer the question or one near it. They lie outside the pins of the book; where
REGATTN_PEERS names a Python that has macroforecast and quantile-forest, it takes its turn with the others.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from measure import alternate, goal, ratio_to, summary, write
from sklearn.ensemble import RandomForestRegressor

from regattn import observation_weights

SIZE = (10_000, 1_000, 500)
BESIDE = (2_000, 200, 100)
LEAVES = (5, 1)
OURS, WALK = "regattn", "the forest's own apply, on both sets"
PEERS = {"macroforecast": "weights", "quantile-forest, one row of each leaf": "counts"}
WORKER = """
import json, sys, time
import numpy as np, pandas as pd
from macroforecast.interpretation.dual import observation_weights
from quantile_forest import RandomForestQuantileRegressor
from sklearn.ensemble import RandomForestRegressor
X, y, new, settings = json.loads(sys.stdin.readline())
X, y, new = map(np.array, (X, y, new))
names = [f"x{place}" for place in range(X.shape[1])]
forest = RandomForestRegressor(**settings).fit(X, y)
counted = RandomForestQuantileRegressor(**settings).fit(X, y)
print("ready", flush=True)
for line in sys.stdin:
    begin = time.perf_counter()
    if line.strip() == "weights":
        table = observation_weights(forest, pd.DataFrame(X, columns=names), pd.DataFrame(new, columns=names))
    else:
        pairs = counted.proximity_counts(new)
    seconds = time.perf_counter() - begin
    W = np.zeros((len(new), len(X)))
    if line.strip() == "weights":
        W[table["test_row"], table["train_row"]] = table["weight"]
        said = forest.predict(new)
    else:
        for row, found in zip(W, pairs):
            place, count = np.array(found).T
            row[place] = count / count.sum()
        said = counted.predict(new, quantiles="mean")
    print(json.dumps([seconds, float(abs(W @ y - said).max())]), flush=True)
"""


def settings(trees, leaf):
    """Return what makes the same forest in every process."""
    return {"n_estimators": trees, "min_samples_leaf": leaf, "random_state": 0}


def forest(n, m, trees, leaf):
    """Return a fitted forest, its training rows and outcomes, and new rows."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n + m, 10))
    y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.5 * rng.normal(size=n + m)
    model = RandomForestRegressor(**settings(trees, leaf), n_jobs=2).fit(X[:n], y[:n])
    return model.set_params(n_jobs=1), X[:n], y[:n], X[n:]


def miss(model, X, y, new):
    """Return by how much the weights times the outcomes miss what the forest predicts, at most."""
    return float(np.abs(observation_weights(model, X, new) @ y - model.predict(new)).max())


@contextmanager
def others(python: str, X, y, new, asked: dict) -> Iterator[Callable[[str], list[float]]]:
    """Give a function of what is asked that returns its seconds and its miss, in a process of its own."""
    process = subprocess.Popen([python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(json.dumps([X.tolist(), y.tolist(), new.tolist(), asked]) + "\n")
    process.stdin.flush()
    if process.stdout.readline() != "ready\n":
        raise ChildProcessError(f"{python} lacks macroforecast or quantile-forest")

    def answer(question: str) -> list[float]:
        process.stdin.write(question + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield answer
    process.stdin.close()
    process.wait()


def beside(size, leaf, python, *, rounds):
    """Return the case in which other packages are asked, each with its largest miss."""
    n, m, trees = size
    model, X, y, new = forest(*size, leaf)
    with others(python, X, y, new, settings(trees, leaf)) as answer:
        runs = {OURS: lambda: observation_weights(model, X, new)}
        runs |= {name: lambda question=question: answer(question) for name, question in PEERS.items()}
        rows = summary(alternate(runs, rounds=rounds, warm=False), ours=OURS)
        for row in rows:
            name = row["contender"]
            row["largest miss"] = miss(model, X, y, new) if name == OURS else answer(PEERS[name])[1]
    return {"case": f"{trees} trees, {n:,} × {m:,} rows, beside other packages", "rows": rows, "goals": []}


def measure(size=SIZE, leaves=LEAVES, *, small=BESIDE, python=None, rounds=3):
    cases = []
    for leaf in leaves:
        model, X, y, new = forest(*size, leaf)
        np.testing.assert_array_less(miss(model, X, y, new), 1e-9)
        runs = {
            OURS: lambda model=model, X=X, new=new: observation_weights(model, X, new),
            WALK: lambda model=model, X=X, new=new: (model.apply(X), model.apply(new)),
        }
        rows = summary(alternate(runs, rounds=rounds, warm=False), ours=OURS)
        aim = goal("≤ 2 times as long as apply on both sets", 1 / ratio_to(rows, WALK), most=2.0)
        n, m, trees = size
        name = f"{trees} trees, {n:,} × {m:,} rows, leaves of {leaf} or more"
        cases.append({"case": name, "rows": rows, "goals": [aim]})
    return cases + ([beside(small, LEAVES[0], python, rounds=rounds)] if python else [])


def main():
    python = os.environ.get("REGATTN_PEERS")
    write("listeners", "The sparse weights of a forest", measure(python=python), "scikit-learn")


if __name__ == "__main__":
    main()
