# %% [markdown]
# **With a few directions.** Rows of `X` are measured from their means, and only the `rank` strongest of their principal
# directions are kept. Return the least-squares predictions at the rows of `X_new`, with an intercept.


# %% tags=["answer"]
def few_directions(X, y, X_new, rank):
    """Return the predictions of least squares on the strongest directions of X."""
    ### BEGIN SOLUTION
    from regattn.regression import proximity_weights

    return proximity_weights(X, X_new, rank=rank) @ y
    ### END SOLUTION


# %% tags=["test"] points=1 why="no direction at all, and one"
import numpy as np

X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([1.0, 2.0, 6.0])
assert np.allclose(few_directions(X, y, np.array([[1.0]]), 1), [5.5])

# %% tags=["test", "hidden"] points=2 why="random data, several ranks"
import numpy as np

rng = np.random.default_rng(44)
X, y, new = rng.normal(size=(23, 4)) * [1, 2, 3, 4] + 7, rng.normal(size=23), rng.normal(size=(5, 4))
mean = X.mean(axis=0)
V = np.linalg.svd(X - mean, full_matrices=False)[2]
for rank in (1, 2, 4):
    Z = (X - mean) @ V[:rank].T
    wanted = y.mean() + (new - mean) @ V[:rank].T @ np.linalg.lstsq(Z, y - y.mean(), rcond=None)[0]
    assert np.allclose(few_directions(X, y, new, rank), wanted), (
        f"expected the predictions on the {rank} strongest directions of four, with an intercept"
    )

# %% tags=["test", "hidden"] points=1 why="data far from the origin"
import numpy as np

rng = np.random.default_rng(45)
X, y = rng.normal(size=(19, 3)) * [1, 2, 5], rng.normal(size=19)
assert np.allclose(few_directions(X + 1e4, y, X[:3] + 1e4, 2), few_directions(X, y, X[:3], 2)), (
    "expected the same predictions when all rows are moved by the same amount"
)


# %% tags=["wrong"] marks=2 why="keeps the weakest directions"
def few_directions(X, y, X_new, rank):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][-rank:]
    Z = (X - mean) @ V.T
    return y.mean() + (X_new - mean) @ V.T @ np.linalg.lstsq(Z, y - y.mean(), rcond=None)[0]


# %% tags=["wrong"] marks=1 why="forgets the mean of y"
def few_directions(X, y, X_new, rank):
    from regattn.regression import proximity_weights

    return proximity_weights(X, X_new, rank=rank) @ (y - y.mean())


# %% tags=["wrong"] marks=2 why="keeps the first columns in place of directions"
def few_directions(X, y, X_new, rank):
    mean = X.mean(axis=0)
    Z = (X - mean)[:, :rank]
    return y.mean() + (X_new - mean)[:, :rank] @ np.linalg.lstsq(Z, y - y.mean(), rcond=None)[0]
