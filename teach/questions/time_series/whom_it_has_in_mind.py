# %% [markdown]
# **Whom the next forecast has in mind.** An autoregression on the last `p` values, with an intercept, is fitted by
# least squares to all of `series`, a one-dimensional array. It then forecasts the value after the last. Return the
# weight of each value of the series, as an *outcome*, in that forecast: as many numbers as the series has, in its
# order, with 0 for the first `p`, which are nobody's outcome.


# %% tags=["answer"]
def weights_of_outcomes(series, p):
    """Return the weight of each value of a series in the forecast of the next one."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import lag_rows
    from regattn.regression import proximity_weights

    past, _ = lag_rows(series, p)
    asked = np.concatenate([[1.0], series[: -p - 1 : -1]])
    ones = np.ones((len(past), 1))
    return np.concatenate([np.zeros(p), proximity_weights(np.hstack([ones, past]), asked[None], centre=False)[0]])
    ### END SOLUTION


# %% tags=["test"] points=1 why="a weight for each value, zero for the first ones, one in all"
import numpy as np

given = weights_of_outcomes(np.array([1.0, 3.0, 2.0, 5.0, 4.0, 4.5]), 2)
assert np.shape(given) == (6,)
assert np.allclose(given[:2], 0)
assert np.isclose(np.sum(given), 1)

# %% tags=["test", "hidden"] points=2 why="weights that give the forecast of the fit, on random series"
import numpy as np
import pandas as pd

from regattn.series import autoregression

rng = np.random.default_rng(80)
for n, p in [(17, 1), (29, 2), (41, 5)]:
    series = np.cumsum(rng.normal(size=n))
    later = np.append(series, 0.0)  # what the next value is plays no part
    past = np.column_stack([np.ones(n - p)] + [series[p - k : n - k] for k in range(1, p + 1)])
    coef = np.linalg.lstsq(past, series[p:], rcond=None)[0]
    wanted = coef @ np.concatenate([[1.0], later[n - p : n][::-1]])
    assert np.isclose(weights_of_outcomes(series, p) @ series, wanted), (
        f"expected weights that give the forecast of the fit, {n} values and {p} lags"
    )
    fitted = autoregression(pd.DataFrame({"x": series}), max_lag=p).average()["x"].to_numpy()
    assert np.isclose(past[-1] @ coef, fitted[-1]), (
        "expected the fit of this test to be that of the book: tell your teacher"
    )  # the same fit as the book's

# %% tags=["test", "hidden"] points=1 why="each weight, and not their sum alone"
import numpy as np

from regattn.from_scratch import lag_rows
from regattn.regression import proximity_weights

series = np.random.default_rng(81).normal(size=23)
past = np.column_stack([np.ones(20), lag_rows(series, 3)[0]])
asked = np.array([[1.0, series[-1], series[-2], series[-3]]])
assert np.allclose(weights_of_outcomes(series, 3)[3:], proximity_weights(past, asked, centre=False)[0]), (
    "expected the weight of each outcome, and not their sum alone"
)


# %% tags=["wrong"] marks=0 why="has no intercept"
def weights_of_outcomes(series, p):
    from regattn.from_scratch import lag_rows
    from regattn.regression import proximity_weights

    return np.concatenate(
        [np.zeros(p), proximity_weights(lag_rows(series, p)[0], series[: -p - 1 : -1][None], centre=False)[0]]
    )


# %% tags=["wrong", "misconception"] marks=1 why="asks with the past of the last value, which explains that one again"
def weights_of_outcomes(series, p):
    from regattn.from_scratch import lag_rows
    from regattn.regression import proximity_weights

    X = np.column_stack([np.ones(len(series) - p), lag_rows(series, p)[0]])
    return np.concatenate([np.zeros(p), proximity_weights(X, X[-1:], centre=False)[0]])


# %% tags=["wrong"] marks=1 why="asks with the last values from the oldest to the latest"
def weights_of_outcomes(series, p):
    from regattn.from_scratch import lag_rows
    from regattn.regression import proximity_weights

    X = np.column_stack([np.ones(len(series) - p), lag_rows(series, p)[0]])
    return np.concatenate([np.zeros(p), proximity_weights(X, np.append(1.0, series[-p:])[None], centre=False)[0]])
