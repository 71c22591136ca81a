# %% [markdown]
# **Weights without the row itself.** A least-squares line with an intercept is fitted to all rows of `X` except row
# `row`, and asked for its prediction there. Return the weight of every row's target in that prediction, one number for
# each row of `X`, in their order; the row that is left out has weight 0. `X` holds the predictors in its columns and no
# column of ones. (One way needs no second fit. What does leaving a row out do to the weights of the full fit?)


# %% tags=["answer"]
def weights_without(X, row):
    """Return the weights of the rows of X in the prediction at one row by a fit that has not seen it."""
    ### BEGIN SOLUTION
    A = np.column_stack([np.ones(len(X)), X])
    weights = A[row] @ np.linalg.pinv(A)
    weights = weights / (1 - weights[row])
    weights[row] = 0
    return weights
    ### END SOLUTION


# %% tags=["test"] points=0 why="one number for each row, and 0 for the row that is left out"
import numpy as np

X = np.array([[0.0], [1.0], [5.0], [6.0]])
assert np.shape(weights_without(X, 1)) == (4,)
assert weights_without(X, 1)[1] == 0

# %% tags=["test"] points=1 why="three rows, by hand"
import numpy as np

assert np.allclose(weights_without(np.array([[0.0], [1.0], [2.0]]), 2), [-1, 2, 0])

# %% tags=["test", "hidden"] points=3 why="the weights of a fit to the other rows, on random data"
import numpy as np

rng = np.random.default_rng(20)
for n, p in [(11, 1), (17, 3), (29, 5)]:
    X, y, row = rng.normal(size=(n, p)), rng.normal(size=n), int(rng.integers(n))
    A = np.column_stack([np.ones(n), X])
    kept = np.arange(n) != row
    coef = np.linalg.lstsq(A[kept], y[kept], rcond=None)[0]
    assert np.isclose(weights_without(X, row) @ y, A[row] @ coef), (
        f"expected the prediction of a fit to the other {n - 1} rows, {p} columns and an intercept"
    )

# %% tags=["test", "hidden"] points=1 why="the proportions among the others, wherever the predictors have their zero"
import numpy as np

X = np.random.default_rng(21).normal(size=(13, 2))
others, A = np.arange(13) != 4, np.column_stack([np.ones(13), X])
given, wanted = weights_without(X + 1000, 4)[others], (A[4] @ np.linalg.pinv(A))[others]
assert np.allclose(given / np.sum(given), wanted / np.sum(wanted)), (
    "expected the proportions among the other rows of the fit to all rows, wherever predictors have their zero"
)


# %% tags=["wrong"] marks=1 why="sets the row's own weight to 0 and leaves the others as they were"
def weights_without(X, row):
    A = np.column_stack([np.ones(len(X)), X])
    weights = A[row] @ np.linalg.pinv(A)
    weights[row] = 0
    return weights


# %% tags=["wrong"] marks=0 why="has no intercept"
def weights_without(X, row):
    weights = X[row] @ np.linalg.pinv(X)
    weights = weights / (1 - weights[row])
    weights[row] = 0
    return weights


# %% tags=["wrong"] marks=0 why="returns the weights of the other rows only"
def weights_without(X, row):
    A = np.column_stack([np.ones(len(X)), X])
    return A[row] @ np.linalg.pinv(np.delete(A, row, axis=0))


# %% tags=["wrong", "misconception"] marks=0 why="weighs rows by how near they are"
def weights_without(X, row):
    weights = np.exp(-np.linalg.norm(X - X[row], axis=1))
    weights[row] = 0
    return weights / weights.sum()
