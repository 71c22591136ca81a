# %% [markdown]
# **What a penalty spends.** Ridge is fitted to `X` with an intercept, which is not penalised: rows are measured from
# their means. Return the effective degrees of freedom for each number in `ridges`, the intercept included.


# %% tags=["answer"]
def degrees_of_freedom(X, ridges):
    """Return the effective degrees of freedom of ridge for each penalty."""
    ### BEGIN SOLUTION
    from regattn.regression import proximity_weights

    return np.array([np.trace(proximity_weights(X, X, ridge=ridge)) for ridge in ridges])
    ### END SOLUTION


# %% tags=["test"] points=1 why="one column, without and with a penalty"
import numpy as np

X = np.array([[-1.0], [0.0], [1.0]])
assert np.allclose(degrees_of_freedom(X, [0.0, 2.0]), [2, 1.5])

# %% tags=["test", "hidden"] points=3 why="random designs and penalties"
import numpy as np

rng = np.random.default_rng(42)
for n, p in [(9, 2), (31, 5)]:
    X = rng.normal(size=(n, p)) * np.arange(1, p + 1) + 5
    squares = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    wanted = [1 + np.sum(squares / (squares + ridge)) for ridge in (0.1, 3.0, 50.0)]
    assert np.allclose(degrees_of_freedom(X, [0.1, 3.0, 50.0]), wanted), (
        f"expected the degrees of freedom at three penalties, with an intercept, {n} rows and {p} columns"
    )

# %% tags=["test", "hidden"] points=0 why="a penalty so large that the mean alone is left"
import numpy as np

rng = np.random.default_rng(43)
assert np.allclose(degrees_of_freedom(rng.normal(size=(12, 3)) + 2, [1e12]), 1), (
    "expected the intercept alone to be left under a very large penalty"
)


# %% tags=["wrong"] marks=0 why="forgets the intercept"
def degrees_of_freedom(X, ridges):
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    return np.array([np.sum(s / (s + ridge)) for ridge in ridges])


# %% tags=["wrong", "misconception"] marks=0 why="does not square the singular values"
def degrees_of_freedom(X, ridges):
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return np.array([1 + np.sum(s / (s + ridge)) for ridge in ridges])


# %% tags=["wrong"] marks=1 why="does not measure rows from their means"
def degrees_of_freedom(X, ridges):
    s = np.linalg.svd(X, compute_uv=False) ** 2
    return np.array([1 + np.sum(s / (s + ridge)) for ridge in ridges])
