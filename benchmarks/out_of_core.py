"""Least squares of more rows than memory: chunks folded into one triangle, against all rows at once.

The last case folds 100 million rows and takes minutes, which is why `make bench` leaves this script out. Fewer rows:
`out_of_core.py 10_000_000`.
"""

import multiprocessing
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from regattn.regression import Factor, spectrum

COLUMNS, CHUNK = 20, 100_000
TIMED, COMPARED, LARGEST = 1_000_000, 5_000_000, 100_000_000
RIDGES = np.array([0.0, 1e3, 1e6])

OURS, IN_MEMORY = "regattn Factor, chunk by chunk", "regattn spectrum, all rows in memory"
PEER = "scikit-learn LinearRegression, all rows in memory"
BY_HAND = "numpy X'X, chunk by chunk"


def chunk(i, rows=CHUNK):
    """Return rows whose columns differ in mean and size and hang together, and their targets."""
    rng = np.random.default_rng([7, i])
    X = rng.normal(size=(rows, COLUMNS))
    X[:, 1:] += 0.9 * X[:, :-1]
    y = X @ np.cos(np.arange(COLUMNS)) + 3 + rng.normal(size=rows)
    X *= np.logspace(0, 2, COLUMNS)
    X += np.linspace(-50, 1000, COLUMNS)
    return X, y


def rows_in_memory(n, rows):
    """Return the rows of all chunks, filled in one by one."""
    X, y = np.empty((n, COLUMNS)), np.empty(n)
    for i, start in enumerate(range(0, n, rows)):
        X[start : start + rows], y[start : start + rows] = chunk(i, rows)
    return X, y


def cut(X, y, rows):
    return ((X[start : start + rows], y[start : start + rows]) for start in range(0, len(X), rows))


def contenders(X, y, rows):
    """Return functions for the coefficients."""
    from sklearn.linear_model import LinearRegression

    def cross_products():
        gram, moment = np.zeros((COLUMNS + 1, COLUMNS + 1)), np.zeros(COLUMNS + 1)
        for part, targets in cut(X, y, rows):
            design = np.column_stack((np.ones(len(part)), part))
            gram += design.T @ design
            moment += design.T @ targets
        return np.linalg.solve(gram, moment)[1:]

    return {
        OURS: lambda: Factor.accumulate(cut(X, y, rows)).coefficients().coef,
        IN_MEMORY: lambda: spectrum(X, centre=True).coefficients(y).coef,
        PEER: lambda: LinearRegression().fit(X, y).coef_,
        BY_HAND: cross_products,
    }


def prepared(name, n, rows):
    """Return a contender with its rows, for a process of its own."""
    return contenders(*rows_in_memory(n, rows), rows)[name]


def difference(found, expected):
    """Return the largest difference, each in its own size."""
    return float(np.abs(found / expected - 1).max())


def timed(n, rows, rounds):
    from measure import alternate, goal, peak_memory, ratio_to, summary

    runs = contenders(*rows_in_memory(n, rows), rows)
    expected = runs[IN_MEMORY]()
    differences = {name: difference(run(), expected) for name, run in runs.items()}
    for name in (OURS, PEER):
        if differences[name] > 1e-9:
            raise AssertionError(f"{name} differs by {differences[name]}")
    table = summary(alternate(runs, rounds=rounds, warm=False), ours=OURS, also=(IN_MEMORY,))
    for row in table:
        name = row["contender"]
        row["peak bytes"] = peak_memory(prepared, name, n, rows)
        if name != IN_MEMORY:
            row["difference"] = differences[name]
    return {
        "case": f"n = {n:,}, p = {COLUMNS}: coefficients",
        "note": "Memory is what a process grows by beside the rows themselves, which all are given. The difference is "
        "the largest from the coefficients of all rows in memory, each in its own size.",
        "rows": table,
        "goals": [goal("≥ 1 times as fast as LinearRegression", ratio_to(table, PEER), least=1.0)],
    }


def leverages_in_long(X, ridge, rows):
    """Return the leverages of the first chunk in extended precision: 64 bits instead of 53 on x86, where it was run."""
    long = np.longdouble
    mean = sum(part.astype(long).sum(axis=0) for part in cut_one(X, rows)) / len(X)
    gram = np.zeros((COLUMNS, COLUMNS), long)
    for part in cut_one(X, rows):
        columns = np.ascontiguousarray((part - mean).T)
        gram += [[(a * b).sum() for a in columns] for b in columns]
    gram += ridge * np.eye(COLUMNS, dtype=long)
    size = np.sqrt(np.diag(gram))
    gram /= np.outer(size, size)
    inverse = np.linalg.inv(gram.astype(float)).astype(long)
    for _ in range(3):  # Newton's iteration doubles the digits
        inverse = inverse @ (2 * np.eye(COLUMNS, dtype=long) - gram @ inverse)
    scaled = (X[:rows] - mean) / size
    return ((scaled @ inverse) * scaled).sum(axis=1) + long(1) / len(X)


def cut_one(X, rows):
    return (X[start : start + rows] for start in range(0, len(X), rows))


def compared(n, rows):
    """Return how far the folded fit is from the fit in memory, and both from longer numbers."""
    from measure import goal

    X, y = rows_in_memory(n, rows)
    factor, memory = Factor.accumulate(cut(X, y, rows)), spectrum(X, centre=True)
    found, expected = factor.coefficients(ridge=RIDGES), memory.coefficients(y, ridge=RIDGES)
    leverages = [factor.leverage(part, ridge=RIDGES[1]) for part, _ in cut(X, y, rows)]
    held = np.array_split(memory.leverage(ridge=RIDGES[1]), range(rows, n, rows))
    exact = leverages_in_long(X, RIDGES[1], rows)
    parts = {
        "coefficients, from memory": difference(found.coef, expected.coef),
        "intercepts, from memory": difference(found.intercept, expected.intercept),
        "singular values, from memory": difference(factor.spectrum.singular_values, memory.singular_values),
        "leverages, from memory": max(map(difference, leverages, held)),
        "leverages, from longer numbers": difference(leverages[0], exact),
        "leverages in memory, from longer numbers": difference(held[0], exact),
    }
    return {
        "case": f"n = {n:,}, p = {COLUMNS}: how far from memory",
        "note": f"The largest relative difference, of coefficients over {len(RIDGES)} penalties. Leverages are all "
        f"{n:,} for one penalty, or the first {rows:,} where numbers of more bits say which of the two is nearer the "
        "truth.",
        "rows": [{"contender": name, "ours": True, "difference": value} for name, value in parts.items()],
        "goals": [
            goal("coefficients within 5e-12 of memory", parts["coefficients, from memory"], most=5e-12),
            goal("leverages within 2e-12 of memory", parts["leverages, from memory"], most=2e-12),
            goal("leverages within 2e-12 of longer numbers", parts["leverages, from longer numbers"], most=2e-12),
        ],
    }


def fold(n, rows):
    """Return the seconds that one thread worked to make and to fold n rows, the peak memory of this process, an error.

    The error is that of the worst coefficient of ordinary least squares, beside the truth, in standard errors.
    """
    threadpool_limits(1)
    made = 0.0

    def stream():
        nonlocal made
        for i in range(n // rows):
            start = time.process_time()
            part = chunk(i, rows)
            made += time.process_time() - start
            yield part

    start = time.process_time()
    factor = Factor.accumulate(stream())
    total = time.process_time() - start
    truth = np.cos(np.arange(COLUMNS)) / np.logspace(0, 2, COLUMNS)
    error = factor.coefficients().coef - truth
    variance = factor.residual_sum_of_squares() / (factor.n - COLUMNS - 1) * np.diag(factor.spectrum.omega())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return made, total - made, peak, float(np.abs(error / np.sqrt(variance)).max())


def largest(n, rows):
    """Return what the fold of n rows took, in a process that does nothing else, on one thread."""
    from measure import goal

    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        made, folded, peak, error = pool.submit(partial(fold, n, rows)).result()
    if error > 6.0:  # of 20 normal errors one this large comes once in ten million times
        raise AssertionError(f"a coefficient is {error} standard errors from the truth")
    return {
        "case": f"n = {n:,}, p = {COLUMNS}: one process, one thread",
        "note": "The rows would take "
        f"{n * (COLUMNS + 1) * 8 / 1e9:.1f} GB. They are made from seeds, chunk by chunk, and never held. Seconds are "
        "those that its one thread worked. Memory is the most that the whole process held, Python and its libraries "
        "included."
        + ("" if n >= LARGEST else f" Meant are {LARGEST:,} rows: on this machine there was no time for them."),
        "rows": [
            {"contender": "regattn Factor", "ours": True, "seconds": folded, "peak bytes": float(peak)},
            {"contender": "making the rows", "ours": False, "seconds": made},
        ],
        "goals": [goal("≤ 250 MB", float(peak), most=250e6)],
    }


def measure(sizes=(TIMED, COMPARED, LARGEST), *, rows=CHUNK, rounds=5):
    few, more, most = sizes
    last = largest(most, rows)
    return [timed(few, rows, rounds), compared(more, rows), last]


def main():
    from measure import write

    most = int(sys.argv[1]) if len(sys.argv) > 1 else LARGEST
    cases = measure((TIMED, COMPARED, most))
    write("out_of_core", "Least squares of more rows than memory", cases, "scikit-learn")


if __name__ == "__main__":
    main()
