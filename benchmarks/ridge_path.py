"""Predictions for 100 penalties: one factorisation against fits one by one, and against the shortest road there is."""

import numpy as np
import statsmodels.api as sm
from measure import alternate, ratio_to, summary, write
from scipy.linalg import qr
from sklearn.linear_model import Ridge

from regattn import spectrum

PENALTIES = np.geomspace(1e-2, 1e4, 100)
GOALS = {(2000, 50): 30.0, (20_000, 200): 70.0}


def contenders(X, y, X_new):
    n, p = X.shape

    def ours():
        return spectrum(X, centre=True).predict(X_new, y, ridge=PENALTIES)

    def one_by_one():
        return np.array([Ridge(alpha=penalty).fit(X, y).predict(X_new) for penalty in PENALTIES])

    def one_penalty_per_target():
        repeated = np.repeat(y[:, None], len(PENALTIES), axis=1)
        return Ridge(alpha=PENALTIES, solver="svd").fit(X, repeated).predict(X_new).T

    def solve_loop():
        centre, level = X.mean(axis=0), y.mean()
        gram, moment = (X - centre).T @ (X - centre), (X - centre).T @ (y - level)
        return np.array([(X_new - centre) @ np.linalg.solve(gram + a * np.eye(p), moment) + level for a in PENALTIES])

    def shortest():
        centre, level = X.mean(axis=0), y.mean()
        Q, R = qr(X - centre, mode="economic", check_finite=False)
        U, s, Vt = np.linalg.svd(R)
        content = (s * (U.T @ (Q.T @ (y - level)))) / (s**2 + PENALTIES[:, None])
        return content @ Vt @ (X_new - centre).T + level

    runs = {
        "regattn": ours,
        "scikit-learn Ridge, a loop": one_by_one,
        "scikit-learn Ridge, one penalty per target": one_penalty_per_target,
        "numpy solve, a loop": solve_loop,
        "QR, then SVD of R": shortest,
    }
    if n == 200:
        D, D_new = sm.add_constant(X), sm.add_constant(X_new)

        def statsmodels():
            return [D_new @ sm.OLS(y, D).fit_regularized(alpha=a / n, L1_wt=0.0).params for a in PENALTIES]

        runs["statsmodels fit_regularized, a loop"] = statsmodels
    for name, run in runs.items():
        if not name.startswith("statsmodels"):  # which shrinks the constant as well
            np.testing.assert_allclose(run(), ours(), rtol=1e-6, atol=1e-6)
    return runs


def main():
    cases = []
    for n, p in ((200, 8), (2000, 50), (20_000, 200)):
        rng = np.random.default_rng(n)
        X, X_new = rng.normal(size=(n, p)), rng.normal(size=(100, p))
        y = X @ rng.normal(size=p) + rng.normal(size=n)
        rows = summary(alternate(contenders(X, y, X_new), warm=False), ours="regattn")
        case = {"case": f"n = {n:,}, p = {p}", "rows": rows}
        if (n, p) in GOALS:
            goal = GOALS[n, p]
            case["goal"] = (
                f"≥ {goal:.0f} times the Ridge loop, ≥ 2 times one penalty per target, ≤ 1.3 times QR and SVD of R"
            )
            case["met"] = (
                ratio_to(rows, "scikit-learn Ridge, a loop") >= goal
                and ratio_to(rows, "scikit-learn Ridge, one penalty per target") >= 2
                and 1 / ratio_to(rows, "QR, then SVD of R") <= 1.3
            )
        cases.append(case)
    write("ridge_path", "Predictions at 100 rows for 100 penalties", cases, "scikit-learn", "statsmodels")


if __name__ == "__main__":
    main()
