# %% [markdown]
# **Whom each date hears.** An autoregression with an intercept is fitted to `series`, with `{"lags": "2 to 5"}` lags.
# Return its attention map: one row and one column for each date that has all of its lags, oldest first; row $t$ holds
# the weights of the outcomes in the fitted value of date $t$.


# %% tags=["answer"]
def autoregression_map(series):
    """Return the weights of the outcomes in the fitted values of an autoregression."""
    ### BEGIN SOLUTION
    from regattn.regression import proximity_weights

    n, lags = len(series), {"lags": "2 to 5"}
    X = np.column_stack([series[lags - 1 - k : n - 1 - k] for k in range(lags)])
    return proximity_weights(X, X)
    ### END SOLUTION


# %% tags=["test"] points=0 why="rows that sum to one"
import numpy as np

n = 12 - {"lags": "2 to 5"}
given = autoregression_map(np.array([1.0, 2.0, 4.0, 3.0, 7.0, 5.0, 9.0, 6.0, 8.0, 2.0, 5.0, 3.0]))
assert np.shape(given) == (n, n), "expected a row and a column for each date that has all of its lags"
assert np.allclose(given.sum(axis=1), 1)

# %% tags=["test", "hidden"] points=3 why="random series of several lengths"
import numpy as np

rng = np.random.default_rng(81)
lags = {"lags": "2 to 5"}
for n in (13, 21, 40):
    y = rng.normal(size=n)
    A = np.array([[1, *y[t - lags : t]] for t in range(lags, n)])
    assert np.allclose(autoregression_map(y), A @ np.linalg.pinv(A)), (
        f"expected the map of {n} values and {lags} lags, with an intercept, oldest date first"
    )

# %% tags=["test", "hidden"] points=1 why="a map that leaves the pasts as they are"
import numpy as np

y = np.random.default_rng(82).normal(size=17)
past = y[{"lags": "2 to 5"} - 1 : -1]
assert np.allclose(autoregression_map(y) @ past, past), "expected a map that leaves the past of every date as it is"


# %% tags=["wrong"] marks=1 why="has no intercept"
def autoregression_map(series):
    n, lags = len(series), {"lags": "2 to 5"}
    X = np.column_stack([series[lags - 1 - k : n - 1 - k] for k in range(lags)])
    return X @ np.linalg.pinv(X)


# %% tags=["wrong"] marks=1 why="takes the date itself for its first lag"
def autoregression_map(series):
    from regattn.regression import proximity_weights

    n, lags = len(series), {"lags": "2 to 5"}
    X = np.column_stack([series[lags - k : n - k] for k in range(lags)])
    return proximity_weights(X, X)


# %% tags=["wrong"] marks=1 why="takes one lag alone"
def autoregression_map(series):
    from regattn.regression import proximity_weights

    X = series[{"lags": "2 to 5"} - 1 : -1, None]
    return proximity_weights(X, X)


# %% tags=["wrong", "misconception"] marks=0 why="weighs dates by how near their pasts are"
def autoregression_map(series):
    n, lags = len(series), {"lags": "2 to 5"}
    X = np.column_stack([series[lags - 1 - k : n - 1 - k] for k in range(lags)])
    weights = np.exp(-np.linalg.norm(X[:, None] - X, axis=2))
    return weights / weights.sum(axis=1, keepdims=True)
