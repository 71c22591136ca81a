"""Attention regression beside other regressions that bend: time to fit and to predict, test error, memory to predict.

Learning a comparison looks at every pair of training rows in every step, so on the larger data the learned kernel gets
2,000 of the 20,000 rows, and so does kernel ridge regression; the identity kernel, the forest and the network get all.
The only goal is that predicting needs little memory: the weights of all queries at once would be hundreds of megabytes.
"""

import warnings

import numpy as np
from measure import ROUNDS, THREADS, alternate, goal, peak_memory, summary, write
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import regattn.regression._head_training  # noqa: F401 (brings torch in now, not in the first fit)
from regattn.regression import AttentionRegressor

ROWS, FEATURES, TEST_ROWS = 20_000, 20, 5_000
SUBSET = 2_000  # the rows from which those learn that compare all pairs
QUERIES, KEYS = (5_000, 50_000), 2_000
BOUND = 64e6  # bytes that a prediction may need, however many queries there are: weights are made in batches of 8 MB

OURS = "regattn, softmax"
IDENTITY, FOREST = "regattn, identity (ridge)", "scikit-learn RandomForestRegressor"
NETWORK, KERNEL = "scikit-learn MLPRegressor", "scikit-learn KernelRidge"
PAIRS = (OURS, KERNEL)  # those that look at all pairs of rows while they learn


def standardised(model):
    return TransformedTargetRegressor(make_pipeline(StandardScaler(), model), transformer=StandardScaler())


def contender(name, *, max_iter=500, threads=THREADS):
    """Return an unfitted model; settings are the same for both data sets.

    Attention and the network both stop early, by the error on a tenth of their rows.
    """
    if name == OURS:
        return AttentionRegressor(
            kernel="softmax", penalty=0.01, validation_fraction=0.1, max_iter=max_iter, random_state=0
        )
    if name == IDENTITY:
        return AttentionRegressor(kernel="identity", penalty=0.01)
    if name == NETWORK:
        return standardised(MLPRegressor(early_stopping=True, max_iter=max_iter, random_state=0))
    if name == KERNEL:
        return standardised(KernelRidge(kernel="rbf", alpha=1.0, gamma=0.02))
    return RandomForestRegressor(max_features=1 / 3, n_jobs=threads, random_state=0)


CONTENDERS = (OURS, IDENTITY, NETWORK, KERNEL, FOREST)


def diabetes(test_rows=111):
    X, y = load_diabetes(return_X_y=True)
    return train_test_split(X, y, test_size=test_rows, random_state=0)


def simulated(rows, test_rows):
    """Return training and test rows of Friedman's first function, whose noise leaves 96 % of the variance to learn."""
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(rows + test_rows, FEATURES))
    signal = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    y = signal + rng.normal(size=len(X))
    return X[:rows], X[rows:], y[:rows], y[rows:]


def check_agreement(identity, X, y, X_test):
    """Raise unless the identity kernel is ridge regression; the other contenders are different functions."""
    ridge = Ridge(alpha=identity.penalty, solver="svd").fit(X, y)
    np.testing.assert_allclose(identity.predict(X_test), ridge.predict(X_test), rtol=1e-9)


def compared(name, data, subset, contenders, *, rounds):
    """Return the cases of a data set: fitting and predicting."""
    X, X_test, y, y_test = data
    models = {}

    def fit(contender_name):
        rows = slice(subset if contender_name in PAIRS else None)
        models[contender_name] = contender(contender_name).fit(X[rows], y[rows])

    fitting = alternate({n: lambda n=n: fit(n) for n in contenders}, rounds=rounds, warm=False)
    check_agreement(models[IDENTITY], X, y, X_test)
    predicting = alternate({n: lambda n=n: models[n].predict(X_test) for n in contenders}, rounds=rounds)
    fitted, predicted = (summary(seconds, ours=OURS, also=(IDENTITY,)) for seconds in (fitting, predicting))
    for row in fitted:
        row["training rows"] = min(len(X), subset or len(X)) if row["contender"] in PAIRS else len(X)
        row["test R²"] = float(models[row["contender"]].score(X_test, y_test))
    return [
        {"case": f"{name}: fit", "rows": fitted, "goals": []},
        {"case": f"{name}: predict {len(X_test):,} rows", "rows": predicted, "goals": []},
    ]


def prediction(name, keys, queries):
    """Return a call that predicts, for the measurement of its memory; how well the model learned does not matter."""
    X, X_new, y, _ = simulated(keys, queries)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = contender(name, max_iter=2, threads=1).fit(X, y)
    model.predict(X_new[:10])  # libraries set up their buffers in their first call
    return lambda: model.predict(X_new)


def memory(keys, queries, contenders):
    cases = []
    for m in queries:
        rows = [
            {"contender": name, "ours": name in (OURS, IDENTITY), "peak bytes": peak_memory(prediction, name, keys, m)}
            for name in contenders
        ]
        text = f"≤ {BOUND / 1e6:.0f} MB, while the weights of all queries are {8 * m * keys / 1e6:,.0f} MB"
        aims = [goal(text, rows[0]["peak bytes"], most=BOUND)]
        cases.append({"case": f"memory to predict {m:,} rows from {keys:,}", "rows": rows, "goals": aims})
    return cases


def measure(
    rows=ROWS,
    test_rows=TEST_ROWS,
    subset=SUBSET,
    keys=KEYS,
    queries=QUERIES,
    contenders=CONTENDERS,
    *,
    rounds=ROUNDS,
):
    small = compared("diabetes, 331 × 10", diabetes(), None, contenders, rounds=rounds)
    name, data = f"simulated, {rows:,} × {FEATURES}", simulated(rows, test_rows)
    large = compared(name, data, subset, contenders, rounds=rounds)
    return small + large + memory(keys, queries, contenders)


def main():
    write("estimator", "Attention regression beside its peers", measure(), "scikit-learn", "torch")


if __name__ == "__main__":
    main()
