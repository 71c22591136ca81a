"""Attention regression from more rows than n² weights leave memory for: 50,000 rows of ten columns, in batches.

All weights at once would be 20 GB, and training keeps several such arrays. Kernel ridge regression, which needs them
all, gets 5,000 of the rows; histogram boosting gets all. A batch of 256 queries attends to all rows.
"""

import time

import numpy as np
from estimator import standardised
from measure import goal, peak_memory, write
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_ridge import KernelRidge

import regattn.regression._head_training  # noqa: F401 (brings torch in now, not in the first fit)
from regattn.regression import AttentionRegressor, make_design

ROWS, FEATURES, TEST_ROWS, SUBSET = 50_000, 10, 2_000, 5_000
STEPS = 120
MEMORY, SECONDS = 24e9, 600.0
OURS, KERNEL, BOOSTING = "regattn, gaussian", "scikit-learn KernelRidge", "scikit-learn HistGradientBoosting"


def data(rows, test_rows):
    """Return training and test rows of Friedman's first function; five more columns say nothing."""
    X, y, _ = make_design("Friedman 1", rows + test_rows, signal_to_noise=20.0, rng=5)
    X = np.column_stack([X, np.random.default_rng(6).uniform(size=(len(X), FEATURES - X.shape[1]))])
    return X[:rows], y[:rows], X[rows:], y[rows:]


def contender(name, steps):
    if name == OURS:
        return AttentionRegressor(kernel="gaussian", penalty=1e-5, batch_size=256, max_iter=steps, random_state=0)
    if name == KERNEL:
        return standardised(KernelRidge(kernel="rbf", alpha=0.1, gamma=0.05))
    return HistGradientBoostingRegressor(random_state=0)


def prepare(name, rows, test_rows, subset, steps):
    """Return a call that fits and predicts, for the measurement of its memory."""
    X, y, X_test, _ = data(subset if name == KERNEL else rows, test_rows)
    return lambda: contender(name, steps).fit(X, y).predict(X_test)


def measured(name, rows, test_rows, subset, steps):
    """Return what one contender took."""
    X, y, X_test, y_test = data(subset if name == KERNEL else rows, test_rows)
    start, processor = time.perf_counter(), time.process_time()
    model = contender(name, steps).fit(X, y)
    took = {"seconds": time.perf_counter() - start, "processor seconds": time.process_time() - processor}
    peak = peak_memory(prepare, name, rows, test_rows, subset, steps)
    scores = {"test R²": float(model.score(X_test, y_test)), "training rows": len(X), "peak bytes": peak}
    return {"contender": name, "ours": name == OURS} | took | scores


def measure(rows=ROWS, test_rows=TEST_ROWS, subset=SUBSET, steps=STEPS):
    found = [measured(name, rows, test_rows, subset, steps) for name in (OURS, KERNEL, BOOSTING)]
    aims = [
        goal(f"≤ {MEMORY / 1e6:,.0f} MB".replace(",", ""), found[0]["peak bytes"], most=MEMORY),
        goal(f"≤ {SECONDS:g} seconds of a processor", found[0]["processor seconds"], most=SECONDS),
    ]
    return [{"case": f"{rows:,} × {FEATURES}: fit and predict", "rows": found, "goals": aims}]


def main():
    write("many_rows", "Attention regression from many rows", measure(), "scikit-learn", "torch")


if __name__ == "__main__":
    main()
