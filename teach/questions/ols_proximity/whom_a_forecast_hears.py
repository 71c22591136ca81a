# %% [markdown]
# **Whom each forecast hears.** A least-squares fit to `X`, with an intercept, predicts at the rows of `X_new`. Return
# the weight of each row of `X` in each prediction: one row for each row of `X_new`. `X` has no column of ones.


# %% tags=["answer"]
def weights_of_rows(X, X_new):
    """Return the weight of each training row in each prediction."""
    ### BEGIN SOLUTION
    from regattn.regression import proximity_weights

    return proximity_weights(X, X_new)
    ### END SOLUTION


# %% tags=["test"] points=1 why="three points on a line, asked at their mean"
import numpy as np

assert np.allclose(weights_of_rows(np.array([[0.0], [1.0], [5.0]]), np.array([[2.0]])), 1 / 3)

# %% tags=["test", "hidden"] points=3 why="random rows"
import numpy as np

rng = np.random.default_rng(32)
for n, p, m in [(7, 1, 2), (19, 3, 5), (40, 6, 1)]:
    X, new = rng.normal(size=(n, p)) + 3, rng.normal(size=(m, p))
    A, B = np.column_stack([np.ones(n), X]), np.column_stack([np.ones(m), new])
    assert np.allclose(weights_of_rows(X, new), B @ np.linalg.pinv(A)), (
        f"expected the weights of {n} rows in {m} predictions, with an intercept and means other than zero"
    )

# %% tags=["test", "hidden"] points=0 why="weights that sum to one"
import numpy as np

rng = np.random.default_rng(33)
assert np.allclose(weights_of_rows(rng.normal(size=(9, 2)), rng.normal(size=(4, 2))).sum(axis=1), 1), (
    "expected weights that sum to one in every prediction"
)


# %% tags=["wrong"] marks=0 why="leaves the intercept out"
def weights_of_rows(X, X_new):
    return X_new @ np.linalg.pinv(X)


# %% tags=["wrong"] marks=0 why="forgets the equal share"
def weights_of_rows(X, X_new):
    from regattn.regression import proximity_weights

    return proximity_weights(X, X_new) - 1 / len(X)


# %% tags=["wrong"] marks=1 why="measures new rows from their own mean"
def weights_of_rows(X, X_new):
    centred = X - X.mean(axis=0)
    return 1 / len(X) + (X_new - X_new.mean(axis=0)) @ np.linalg.pinv(centred)


# %% tags=["wrong", "misconception"] marks=0 why="weighs rows by how near they are"
def weights_of_rows(X, X_new):
    weights = np.exp(-np.linalg.norm(X_new[:, None] - X, axis=2))
    return weights / weights.sum(axis=1, keepdims=True)
