# %% [markdown]
# **With a few directions.** Rows of `X` are measured from their means, and only the `{"rank": "2 to 4"}` strongest of
# their principal directions are kept. Return the least-squares predictions at the rows of `X_new`, with an intercept.


# %% tags=["answer"]
def few_directions(X, y, X_new):
    """Return the predictions of least squares on the strongest directions of X."""
    ### BEGIN SOLUTION
    from regattn.regression import proximity_weights

    return proximity_weights(X, X_new, rank={"rank": "2 to 4"}) @ y
    ### END SOLUTION


# %% tags=["test"] points=1 why="a line in the first of several columns, of which the others hardly vary"
import numpy as np

X = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0])[:, None] * np.eye(5)[0] + 1e-3 * np.eye(6)[:, 1:]
y = 1 + 3 * X[:, 0]
assert np.allclose(few_directions(X, y, 2 * np.eye(5)[:1]), [7], atol=0.01)

# %% tags=["test", "hidden"] points=2 why="random data of several sizes"
import numpy as np

rng, rank = np.random.default_rng(44), {"rank": "2 to 4"}
for n in (13, 23, 40):
    X, y, new = rng.normal(size=(n, 6)) * np.arange(1, 7) + 7, rng.normal(size=n), rng.normal(size=(5, 6))
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2]
    Z = (X - mean) @ V[:rank].T
    wanted = y.mean() + (new - mean) @ V[:rank].T @ np.linalg.lstsq(Z, y - y.mean(), rcond=None)[0]
    assert np.allclose(few_directions(X, y, new), wanted), (
        f"expected the predictions on the {rank} strongest directions of six, with an intercept"
    )

# %% tags=["test", "hidden"] points=1 why="data far from the origin"
import numpy as np

from regattn.regression import proximity_weights

rng = np.random.default_rng(45)
X, y = rng.normal(size=(19, 5)) * [1, 2, 5, 3, 4], rng.normal(size=19)
wanted = proximity_weights(X, X[:3], rank={"rank": "2 to 4"}) @ y
assert np.allclose(few_directions(X + 1e4, y, X[:3] + 1e4), wanted), (
    "expected the predictions to stay what they were when all rows are moved by the same amount"
)


# %% tags=["wrong"] marks=0 why="keeps the weakest directions"
def few_directions(X, y, X_new):
    mean = X.mean(axis=0)
    V = np.linalg.svd(X - mean, full_matrices=False)[2][-{"rank": "2 to 4"} :]
    Z = (X - mean) @ V.T
    return y.mean() + (X_new - mean) @ V.T @ np.linalg.lstsq(Z, y - y.mean(), rcond=None)[0]


# %% tags=["wrong"] marks=0 why="forgets the mean of y"
def few_directions(X, y, X_new):
    from regattn.regression import proximity_weights

    return proximity_weights(X, X_new, rank={"rank": "2 to 4"}) @ (y - y.mean())


# %% tags=["wrong", "misconception"] marks=1 why="keeps the first columns in place of directions"
def few_directions(X, y, X_new):
    mean, rank = X.mean(axis=0), {"rank": "2 to 4"}
    Z = (X - mean)[:, :rank]
    return y.mean() + (X_new - mean)[:, :rank] @ np.linalg.lstsq(Z, y - y.mean(), rcond=None)[0]
