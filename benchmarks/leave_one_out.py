"""Choosing among 100 penalties by leave-one-out: one factorisation against scikit-learn's own shortcut."""

import numpy as np
from measure import ROUNDS, alternate, goal, ratio_to, summary, write
from sklearn.linear_model import RidgeCV

from regattn.regression import spectrum

PENALTIES = np.geomspace(1e-2, 1e4, 100)
SIZES = {(200, 8): None, (2000, 50): 5.0, (20_000, 200): 5.0}  # how many times as fast we want to be
OURS, PEER = "regattn", "scikit-learn RidgeCV"
NOISE = 3.0  # times the signal, so that the best penalty lies inside the path


def contenders(X, y):
    def ours():
        errors = (spectrum(X, centre=True).loo_residuals(y, ridge=PENALTIES) ** 2).mean(axis=1)
        best = errors.argmin()
        return PENALTIES[best], errors[best]

    def scikit_learn(**mode):
        model = RidgeCV(alphas=PENALTIES, **mode).fit(X, y)
        return model.alpha_, -model.best_score_

    return {
        OURS: ours,
        PEER: scikit_learn,
        "scikit-learn RidgeCV, told to use the SVD": lambda: scikit_learn(gcv_mode="svd"),
    }


def check_agreement(runs):
    """Raise unless all choose one penalty, inside the path, with one error: X is well conditioned."""
    choice, error = runs[OURS]()
    if not PENALTIES[0] < choice < PENALTIES[-1]:
        raise AssertionError(f"the best penalty must lie inside the path, got {choice}")
    for name, run in runs.items():
        np.testing.assert_allclose(run(), (choice, error), rtol=1e-9, err_msg=name)


def measure(sizes=SIZES, *, rounds=ROUNDS):
    cases = []
    for (n, p), wanted in sizes.items():
        rng = np.random.default_rng(n)
        X, slopes = rng.normal(size=(n, p)), rng.normal(size=p)
        signal = X @ slopes
        runs = contenders(X, signal + NOISE * np.linalg.norm(slopes) * rng.normal(size=n))
        check_agreement(runs)
        rows = summary(alternate(runs, rounds=rounds, warm=False), ours=OURS)
        goals = []
        if wanted is not None:
            goals = [goal(f"≥ {wanted:.0f} times as fast as RidgeCV", ratio_to(rows, PEER), least=wanted)]
        cases.append({"case": f"n = {n:,}, p = {p}", "rows": rows, "goals": goals})
    return cases


def main():
    write("leave_one_out", f"The best of {len(PENALTIES)} penalties by leave-one-out", measure(), "scikit-learn")


if __name__ == "__main__":
    main()
