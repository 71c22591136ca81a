"""Predictions for 100 penalties: one factorisation against fits one by one, and against the shortest road there is."""

from contextlib import nullcontext

import numpy as np
import statsmodels.api as sm
from measure import ROUNDS, alternate, busy_core, goal, others, ratio_to, repeated, summary, write
from scipy.linalg import qr, svd
from sklearn.linear_model import Ridge, RidgeCV

from regattn.regression import spectrum

PENALTIES = np.geomspace(1e-2, 1e4, 100)
NEW_ROWS = 100
SIZES = {
    (200, 8): None,
    (2000, 50): 30.0,
    (20_000, 200): 70.0,
}  # how many times as fast as the Ridge loop we want to be
STRAINED, LEAST, CALLS = (2000, 50), 25.0, 10  # of ours, timed together: short calls meet a neighbour now and then
STRAINS = {
    "rest between calls": {},
    "no rest between calls": {"resting": False},
    "one core kept busy": {"neighbour": busy_core},
}
ENTRIES = 200_000  # of X, beyond which statsmodels' 100 decompositions of X take more than five seconds

OURS = "regattn"
LOOP = "scikit-learn Ridge, a loop"
PER_TARGET = ("scikit-learn Ridge, one penalty per target", "scikit-learn Ridge, one penalty per target, by SVD")
ONE_ANSWER = "scikit-learn RidgeCV (answers for one penalty only)"
SHORTEST = ("QR, then SVD of R", "QR of X beside y, then SVD of R: no Q is formed")


def scikit_learn(X, y, X_new):
    def one_by_one():
        return np.array([Ridge(alpha=penalty).fit(X, y).predict(X_new) for penalty in PENALTIES])

    def per_target(solver):
        repeated = np.repeat(y[:, None], len(PENALTIES), axis=1)
        return Ridge(alpha=PENALTIES, solver=solver).fit(X, repeated).predict(X_new).T

    return {
        LOOP: one_by_one,
        PER_TARGET[0]: lambda: per_target("auto"),
        PER_TARGET[1]: lambda: per_target("svd"),
        ONE_ANSWER: lambda: RidgeCV(alphas=PENALTIES).fit(X, y).predict(X_new),
    }


def by_hand(X, y, X_new):
    def solve_loop():
        centre, level = X.mean(axis=0), y.mean()
        gram, moment = (X - centre).T @ (X - centre), (X - centre).T @ (y - level)
        identity = np.eye(X.shape[1])
        return np.array([(X_new - centre) @ np.linalg.solve(gram + a * identity, moment) + level for a in PENALTIES])

    def path(R, moment, centre, level):
        U, s, Vt = svd(R, check_finite=False)
        return (s * (U.T @ moment)) / (s**2 + PENALTIES[:, None]) @ Vt @ (X_new - centre).T + level

    def with_q():
        centre, level = X.mean(axis=0), y.mean()
        Q, R = qr(X - centre, mode="economic", check_finite=False)
        return path(R, Q.T @ (y - level), centre, level)

    def without_q():
        n, p = X.shape
        centre, level, both = X.mean(axis=0), y.mean(), np.empty((n, p + 1), order="F")
        np.subtract(X, centre, out=both[:, :p])
        np.subtract(y, level, out=both[:, p])
        R = qr(both, mode="r", overwrite_a=True, check_finite=False)[0]
        return path(R[:p, :p], R[:p, p], centre, level)

    return {"numpy solve, a loop": solve_loop} | dict(zip(SHORTEST, (with_q, without_q), strict=True))


def statsmodels(X, y, X_new):
    def one_by_one():
        centre, level = X.mean(axis=0), y.mean()  # its penalty would shrink a constant as well
        model = sm.OLS(y - level, X - centre)
        fits = [model.fit_regularized(alpha=penalty / len(X), L1_wt=0.0) for penalty in PENALTIES]
        return np.array([(X_new - centre) @ fit.params + level for fit in fits])

    return {"statsmodels fit_regularized, a loop": one_by_one}


def contenders(X, y, X_new):
    runs = {OURS: lambda: spectrum(X, centre=True).predict(X_new, y, ridge=PENALTIES)}
    runs |= scikit_learn(X, y, X_new) | by_hand(X, y, X_new)
    if X.size <= ENTRIES:
        runs |= statsmodels(X, y, X_new)
    return runs


def check_agreement(runs):
    """Raise unless all paths are one: X is well conditioned, so even X'X keeps ten digits."""
    ours = runs[OURS]()
    for name, run in runs.items():
        expected = run()
        if name == ONE_ANSWER:  # one of our hundred
            np.testing.assert_allclose(np.abs(ours - expected).max(axis=1).min(), 0.0, atol=1e-9 * np.abs(ours).max())
        else:
            np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9 * np.abs(ours).max(), err_msg=name)


def goals(rows, wanted):
    trick, shortest = (min(ratio_to(rows, name) for name in names) for names in (PER_TARGET, SHORTEST))
    return [
        goal(f"≥ {wanted:.0f} times as fast as the Ridge loop", ratio_to(rows, LOOP), least=wanted),
        goal("≥ 2 times as fast as one penalty per target, whichever way is faster", trick, least=2.0),
        goal("≤ 1.3 times as long as a QR and the SVD of R, whichever way is faster", 1 / shortest, most=1.3),
    ]


def problem(n, p):
    rng = np.random.default_rng(n)
    X, X_new = rng.normal(size=(n, p)), rng.normal(size=(NEW_ROWS, p))
    return X, X @ rng.normal(size=p) + rng.normal(size=n), X_new


def strained(n, p, *, rounds, resting=True, neighbour=nullcontext, name):
    """Return a case of the path beside its loop while something else goes on."""
    runs = contenders(*problem(n, p))
    check_agreement(runs)
    with neighbour(), others() as work:
        seconds = alternate(
            {OURS: repeated(runs[OURS], CALLS), LOOP: runs[LOOP]}, rounds=rounds, warm=False, resting=resting
        )
        busy = work()
    seconds[OURS] = [spent / CALLS for spent in seconds[OURS]]
    rows = summary(seconds, ours=OURS)
    told = "" if busy is None else f" Meanwhile other processes kept {busy:.1f} cores busy."
    return {
        "case": f"n = {n:,}, p = {p}: {name}",
        "note": f"Ours is timed over {CALLS} calls." + told,
        "rows": rows,
        "goals": [goal(f"≥ {LEAST:.0f} times as fast as the Ridge loop, {name}", ratio_to(rows, LOOP), least=LEAST)],
    }


def measure(sizes=SIZES, strain=STRAINED, *, rounds=ROUNDS):
    cases = []
    for (n, p), wanted in sizes.items():
        X, y, X_new = problem(n, p)
        runs = contenders(X, y, X_new)
        check_agreement(runs)
        rows = summary(alternate(runs, rounds=rounds, warm=False), ours=OURS)
        case = {"case": f"n = {n:,}, p = {p}", "rows": rows, "goals": [] if wanted is None else goals(rows, wanted)}
        if X.size > ENTRIES:
            case["note"] = (
                "statsmodels, which decomposes X again for every penalty, is left out here: it takes minutes."
            )
        cases.append(case)
    return cases + [strained(*strain, rounds=rounds, name=name, **options) for name, options in STRAINS.items()]


def main():
    question = f"Predictions at {NEW_ROWS} rows for {len(PENALTIES)} penalties"
    write("ridge_path", question, measure(), "scikit-learn", "statsmodels")


if __name__ == "__main__":
    main()
