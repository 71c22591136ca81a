# %% [markdown]
# **What a batch says of the slope.** The loss is the mean squared error of `X @ theta` against `y`. A batch is the list
# of the numbers of some of its rows. Return the slope that each batch takes for that of the loss, one row for each
# batch in `batches`, one column for each parameter.


# %% tags=["answer"]
def batch_slopes(X, y, theta, batches):
    """Return the slope of the loss that each batch sees."""
    ### BEGIN SOLUTION
    from regattn.regression import gradient

    return np.array([gradient(X[rows], y[rows], theta) for rows in batches])
    ### END SOLUTION


# %% tags=["test"] points=1 why="two batches of one row"
import numpy as np

given = batch_slopes(np.array([[1.0], [2.0]]), np.array([3.0, 2.0]), np.zeros(1), [[0], [1]])
assert np.allclose(given, [[-6], [-8]])

# %% tags=["test", "hidden"] points=2 why="batches of several rows"
import numpy as np

rng = np.random.default_rng(13)
X, y, theta = rng.normal(size=(12, 3)), rng.normal(size=12), rng.normal(size=3)
batches = [[0, 1, 2], [7, 3], [11]]
wanted = [2 / len(rows) * X[rows].T @ (X[rows] @ theta - y[rows]) for rows in batches]
assert np.allclose(batch_slopes(X, y, theta, batches), wanted), (
    "expected for each of three batches the slope of the loss that it sees"
)

# %% tags=["test", "hidden"] points=1 why="batches that share all rows have the slope of the loss as their mean"
import numpy as np

rng = np.random.default_rng(14)
X, y, theta = rng.normal(size=(12, 2)), rng.normal(size=12), rng.normal(size=2)
mean = batch_slopes(X, y, theta, rng.permutation(12).reshape(4, 3)).mean(axis=0)
assert np.allclose(mean, 2 / 12 * X.T @ (X @ theta - y)), (
    "expected slopes whose mean, over batches that share all rows, is that of the loss"
)


# %% tags=["wrong"] marks=0 why="divides by the number of all rows"
def batch_slopes(X, y, theta, batches):
    return np.array([2 / len(y) * X[rows].T @ (X[rows] @ theta - y[rows]) for rows in batches])


# %% tags=["wrong", "misconception"] marks=0 why="points downhill"
def batch_slopes(X, y, theta, batches):
    return np.array([-2 / len(rows) * X[rows].T @ (X[rows] @ theta - y[rows]) for rows in batches])


# %% tags=["wrong"] marks=0 why="forgets the factor two"
def batch_slopes(X, y, theta, batches):
    return np.array([X[rows].T @ (X[rows] @ theta - y[rows]) / len(rows) for rows in batches])
