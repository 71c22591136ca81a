"""The n × n weights of ridge regression for 100 penalties, against the matrix products that nobody can avoid."""

import numpy as np
from measure import ROUNDS, alternate, goal, ratio_to, summary, write
from sklearn.linear_model import Ridge

from regattn.regression import spectrum

PENALTIES = np.geomspace(1e-2, 1e4, 100)
KEPT = (500, 20)  # all weights at once: 100 × 500 × 500 numbers are 200 MB
PASSED = (1000, 50)  # one penalty after the other, each matrix of 8 MB let go before the next
OURS, PRODUCTS = "regattn", "the matrix products alone"


def products(X):
    """Return a function of a penalty for the weights, with the factors (not to be timed) already there."""
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return lambda penalty: (U * (s**2 / (s**2 + penalty))) @ U.T


def scikit_learn(X):
    identity = np.eye(len(X))
    return lambda penalty: Ridge(alpha=penalty, fit_intercept=False).fit(X, identity).predict(X)


def solve(X):
    gram, identity = X.T @ X, np.eye(X.shape[1])
    return lambda penalty: X @ np.linalg.solve(gram + penalty * identity, X.T)


PEERS = {PRODUCTS: products, "scikit-learn Ridge on the identity": scikit_learn, "numpy solve": solve}


def all_at_once(X):
    """Return the contenders for an array of shape (100, n, n)."""

    def filled(weights):
        out = np.empty((len(PENALTIES), len(X), len(X)))
        for k, penalty in enumerate(PENALTIES):
            out[k] = weights(penalty)
        return out

    U, s, _ = np.linalg.svd(X, full_matrices=False)
    shares = s**2 / (s**2 + PENALTIES[:, None])

    def alone():
        out = np.empty((len(PENALTIES), len(X), len(X)))
        for k, share in enumerate(shares):
            np.matmul(U * share, U.T, out=out[k])
        return out

    runs = {OURS: lambda: spectrum(X, centre=False).weights(ridge=PENALTIES), PRODUCTS: alone}
    return runs | {name: lambda make=make: filled(make(X)) for name, make in PEERS.items() if name != PRODUCTS}


def one_by_one(X):
    """Return the contenders for the weights of one penalty after the other; each is looked at, none is kept."""

    def passed(make):
        def run():
            weights = make()
            return np.array([weights(penalty)[0].copy() for penalty in PENALTIES])  # a view would keep the whole

        return run

    def ours():
        factors = spectrum(X, centre=False)
        return lambda penalty: factors.weights(ridge=penalty)

    alone = products(X)
    runs = {OURS: passed(ours), PRODUCTS: passed(lambda: alone)}
    return runs | {name: passed(lambda make=make: make(X)) for name, make in PEERS.items() if name != PRODUCTS}


def check_agreement(runs):
    """Raise unless all weights are one: they are at most 1, and X is well conditioned."""
    ours = runs[OURS]()
    for name, run in runs.items():
        np.testing.assert_allclose(run(), ours, rtol=0, atol=1e-11, err_msg=name)


def measure(kept=KEPT, passed=PASSED, *, rounds=ROUNDS):
    cases = []
    for (n, p), make, how in ((kept, all_at_once, "all kept"), (passed, one_by_one, "one after the other")):
        runs = make(np.random.default_rng(n).normal(size=(n, p)))
        check_agreement(runs)
        rows = summary(alternate(runs, rounds=rounds, warm=False), ours=OURS)
        aim = goal("≤ 1.3 times as long as the matrix products alone", 1 / ratio_to(rows, PRODUCTS), most=1.3)
        cases.append({"case": f"n = {n:,}, p = {p}, {how}", "rows": rows, "goals": [aim]})
    return cases


def main():
    write("weights", f"The n × n weights for {len(PENALTIES)} penalties", measure(), "scikit-learn")


if __name__ == "__main__":
    main()
