# %% [markdown]
# **What each penalty would have missed.** Ridge without an intercept is fitted to `X` and `y`, its penalty on all
# coefficients, once for every number in `ridges`. Return for each the mean of the squared errors at rows that were left
# out, one row at a time: an array as long as `ridges`. One way needs a single decomposition of `X`; the fits of a
# thousand rows, one by one, take too long.


# %% tags=["answer"]
def left_out_errors(X, y, ridges):
    """Return for each penalty the mean squared leave-one-out error of ridge."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import leave_one_out, ridge_weights

    return np.array([np.mean(leave_one_out(ridge_weights(X, X, ridge), y) ** 2) for ridge in ridges])
    ### END SOLUTION


# %% tags=["test"] points=1 why="two rows, of which each predicts the other"
import numpy as np

X, y = np.array([[1.0], [1.0]]), np.array([2.0, 4.0])
assert np.allclose(left_out_errors(X, y, [1.0]), [((2 - 2) ** 2 + (4 - 1) ** 2) / 2])

# %% tags=["test", "hidden"] points=2 why="the errors of fits that have not seen the row, on random data"
import numpy as np

from regattn.regression import proximity_weights

rng = np.random.default_rng(40)
for n, p in [(7, 2), (13, 3), (19, 5)]:
    X, y, ridges = rng.normal(size=(n, p)), rng.normal(size=n), [0.3, 2.0, 11.0]
    rows = [np.arange(n) != i for i in range(n)]
    wanted = [
        np.mean([(y[~r] - proximity_weights(X[r], X[~r], ridge=ridge, centre=False) @ y[r]) ** 2 for r in rows])
        for ridge in ridges
    ]
    assert np.allclose(left_out_errors(X, y, ridges), wanted), (
        f"expected the mean squared errors of fits that have not seen the row, {n} rows and {p} columns"
    )

# %% tags=["test", "hidden"] points=1 why="a penalty of zero, and columns in units far apart"
import numpy as np

from regattn.regression import proximity_weights

rng = np.random.default_rng(41)
X, y = rng.normal(size=(11, 2)) * [1.0, 1e4], rng.normal(size=11)
rows = [np.arange(11) != i for i in range(11)]
wanted = np.mean([(y[~r] - proximity_weights(X[r], X[~r], centre=False) @ y[r]) ** 2 for r in rows])
assert np.allclose(left_out_errors(X, y, [0.0]), [wanted]), (
    "expected the errors of least squares at a penalty of zero, whatever the units of the columns"
)


# %% tags=["wrong", "misconception"] marks=0 why="takes the errors of the fit to all rows"
def left_out_errors(X, y, ridges):
    from regattn.from_scratch import ridge_weights

    return np.array([np.mean((y - ridge_weights(X, X, ridge) @ y) ** 2) for ridge in ridges])


# %% tags=["wrong"] marks=1 why="divides by the leverages of least squares, whatever the penalty"
def left_out_errors(X, y, ridges):
    from regattn.from_scratch import ridge_weights

    leverage = np.diag(ridge_weights(X, X, 0.0))
    return np.array([np.mean(((y - ridge_weights(X, X, r) @ y) / (1 - leverage)) ** 2) for r in ridges])


# %% tags=["wrong"] marks=0 why="divides by the mean leverage (generalised cross-validation) and returns the root"
def left_out_errors(X, y, ridges):
    from regattn.from_scratch import ridge_weights

    hats = [ridge_weights(X, X, ridge) for ridge in ridges]
    return np.array([np.sqrt(np.mean(((y - H @ y) / (1 - np.trace(H) / len(X))) ** 2)) for H in hats])
