"""Least squares at every date on what came before it: one sweep, against statsmodels and a loop of fits."""

import numpy as np
from measure import ROUNDS, alternate, goal, ratio_to, summary, write
from statsmodels.regression.recursive_ls import RecursiveLS
from statsmodels.regression.rolling import RollingOLS

from regattn.series import expanding_least_squares

SIZES = {(200, 3): (None, None), (2000, 10): (8.0, 60.0)}  # how many times as fast as RollingOLS and as the loop
OURS, ROLLING, LOOP = "regattn", "statsmodels RollingOLS, expanding", "numpy lstsq, a loop"


def contenders(X, y, start):
    """Return functions for the coefficients of each date from ``start`` on, (n - start, p)."""
    n, p = X.shape

    def loop():
        coef = np.empty((n - start, p))
        for t in range(start, n):
            coef[t - start] = np.linalg.lstsq(X[:t], y[:t], rcond=None)[0]
        return coef

    def rolling():
        model = RollingOLS(y, X, window=n, min_nobs=start, expanding=True)
        return model.fit(params_only=True).params[start - 1 : -1]

    def recursive():
        return RecursiveLS(y, X).fit().recursive_coefficients.filtered.T[start - 1 : -1]

    return {
        OURS: lambda: expanding_least_squares(X, y, start=start, intercept=False).coef,
        ROLLING: rolling,
        LOOP: loop,
        "statsmodels RecursiveLS": recursive,
    }


def check_agreement(runs):
    """Raise unless all have the same coefficients: X is well conditioned, RecursiveLS begins with a vague guess."""
    ours = runs[OURS]()
    for name, run in runs.items():
        np.testing.assert_allclose(run(), ours, rtol=0, atol=1e-3 if "Recursive" in name else 1e-10, err_msg=name)


def measure(sizes=SIZES, *, rounds=ROUNDS):
    cases = []
    for (n, p), (over_rolling, over_loop) in sizes.items():
        rng = np.random.default_rng(n)
        X = rng.normal(size=(n, p))
        y = X @ rng.normal(size=p) + rng.normal(size=n)
        runs = contenders(X, y, start=3 * p)
        check_agreement(runs)
        rows = summary(alternate(runs, rounds=rounds, warm=False), ours=OURS)
        wanted = {ROLLING: over_rolling, LOOP: over_loop}
        goals = [
            goal(f"≥ {least:.0f} times as fast as {peer}", ratio_to(rows, peer), least=least)
            for peer, least in wanted.items()
            if least is not None
        ]
        cases.append({"case": f"n = {n:,}, p = {p}", "rows": rows, "goals": goals})
    return cases


def main():
    write("expanding", "Least squares at every date on what came before it", measure(), "statsmodels")


if __name__ == "__main__":
    main()
