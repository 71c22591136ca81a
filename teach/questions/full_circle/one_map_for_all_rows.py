# %% [markdown]
# **One map for all rows.** Rows are drawn afresh from $N(0, C)$ in every task, `n` of them, and outcomes have noise of
# the standard deviation `noise`; coefficients are standard normal. A layer answers a new row $x$ with $x^\top\Omega z$,
# where $z = X^\top y$. Return the Ω with the smallest mean squared error over all tasks: the inverse of $(n + 1)C +
# (\operatorname{tr} C + \sigma^2) I$.


# %% tags=["answer"]
def best_map(C, n, noise):
    """Return the best map of one layer when rows are new in every task."""
    ### BEGIN SOLUTION
    from regattn.regression import population_embedding

    return population_embedding(C, n=n, noise=noise)
    ### END SOLUTION


# %% tags=["test"] points=1 why="one column"
import numpy as np

assert np.allclose(best_map(np.array([[1.0]]), 2, 1.0), 1 / 5)

# %% tags=["test", "hidden"] points=2 why="several covariances"
import numpy as np

rng = np.random.default_rng(221)
for p, n, noise in [(2, 5, 0.3), (4, 20, 1.5)]:
    root = rng.normal(size=(p, p))
    C = root @ root.T
    wanted = np.linalg.inv((n + 1) * C + (np.trace(C) + noise**2) * np.eye(p))
    assert np.allclose(best_map(C, n, noise), wanted), (
        f"expected the inverse that the question states, {p} columns, {n} rows and noise of {noise}"
    )

# %% tags=["test", "hidden"] points=1 why="very many rows, which show themselves what their covariance is"
import numpy as np

C = np.array([[2.0, 0.5], [0.5, 1.0]])
assert np.allclose(1e7 * best_map(C, 10**7, 1.0), np.linalg.inv(C), rtol=1e-5), (
    "expected almost the inverse of n times C, with ten million rows"
)


# %% tags=["wrong", "misconception"] marks=1 why="takes the inverse of the mean of all rows"
def best_map(C, n, noise):
    return np.linalg.inv(n * C)


# %% tags=["wrong"] marks=2 why="forgets to square the noise"
def best_map(C, n, noise):
    return np.linalg.inv((n + 1) * C + (np.trace(C) + noise) * np.eye(len(C)))


# %% tags=["wrong"] marks=1 why="forgets the trace"
def best_map(C, n, noise):
    return np.linalg.inv((n + 1) * C + noise**2 * np.eye(len(C)))
