"""One move of a slider: predictions at a new penalty with the factorisation kept, against fitting again."""

import numpy as np
from measure import ROUNDS, alternate, goal, ratio_to, summary, write
from sklearn.linear_model import Ridge

from regattn.regression import spectrum

MOVES = np.geomspace(1e-2, 1e4, 100)  # where the slider goes, one penalty after the other
OURS, REFIT = "regattn", "scikit-learn Ridge, fitted again"
UNBOUND = "regattn, rows and targets given again"


def contenders(X, y, X_new):
    kept = spectrum(X, centre=True)
    slider = kept.predictor(X_new, y)
    centre, level = X.mean(axis=0), y.mean()
    gram, moment = (X - centre).T @ (X - centre), (X - centre).T @ (y - level)
    queries, identity = X_new - centre, np.eye(X.shape[1])
    squares, directions = np.linalg.eigh(gram)
    codes, content = queries @ directions, directions.T @ moment
    return {
        OURS: lambda penalty: slider(ridge=penalty),
        UNBOUND: lambda penalty: kept.predict(X_new, y, ridge=penalty),
        REFIT: lambda penalty: Ridge(alpha=penalty).fit(X, y).predict(X_new),
        "numpy solve, X'X kept": lambda a: queries @ np.linalg.solve(gram + a * identity, moment) + level,
        "numpy, the last product alone": lambda penalty: codes @ (content / (squares + penalty)) + level,
    }


def check_agreement(predictors):
    """Raise unless all predict alike wherever the slider goes: X is well conditioned, so X'X keeps ten digits."""
    for penalty in MOVES:
        ours = predictors[OURS](penalty)
        for name, predict in predictors.items():
            np.testing.assert_allclose(
                predict(penalty), ours, rtol=0, atol=1e-9 * np.abs(ours).max(), err_msg=f"{name} at {penalty}"
            )


def moving(predict):
    """Return a call that moves the slider once through all its places."""

    def through_all():
        for penalty in MOVES:
            predict(penalty)

    return through_all


def measure(n=2000, p=50, new_rows=100, *, rounds=ROUNDS):
    rng = np.random.default_rng(n)
    X, X_new = rng.normal(size=(n, p)), rng.normal(size=(new_rows, p))
    predictors = contenders(X, X @ rng.normal(size=p) + rng.normal(size=n), X_new)
    check_agreement(predictors)
    runs = {name: moving(predict) for name, predict in predictors.items()}
    rows = summary(alternate(runs, rounds=rounds, warm=False), ours=OURS, times=len(MOVES))
    microseconds = next(row["seconds"] for row in rows if row["ours"]) * 1e6
    goals = [
        goal("≤ 30 µs for a move", microseconds, most=30.0),
        goal("≥ 30 times as fast as fitting again", ratio_to(rows, REFIT), least=30.0),
    ]
    return [{"case": f"n = {n:,}, p = {p}, predictions at {new_rows} rows", "rows": rows, "goals": goals}]


def main():
    write("slider", "One move of a slider: predictions at a new penalty", measure(), "scikit-learn")


if __name__ == "__main__":
    main()
