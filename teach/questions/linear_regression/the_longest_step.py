# %% [markdown]
# **Before it runs away.** Full-batch descent goes down the mean squared error of `X @ theta` against some `y`. Return
# the learning rate above which it runs away from almost every start. `X` has its column of ones already, if there is
# one, and no `y` is needed.


# %% tags=["answer"]
def longest_step(X):
    """Return the learning rate above which descent on the mean squared error runs away."""
    ### BEGIN SOLUTION
    from regattn.regression import largest_stable_step

    return largest_stable_step(X)
    ### END SOLUTION


# %% tags=["test"] points=1 why="a single column of ones"
import numpy as np

assert np.isclose(longest_step(np.ones((4, 1))), 1)

# %% tags=["test", "hidden"] points=2 why="random designs of several sizes"
import numpy as np

rng = np.random.default_rng(11)
for n, p in [(5, 1), (13, 3), (41, 6)]:
    X = rng.normal(size=(n, p)) * np.arange(1, p + 1)
    assert np.isclose(longest_step(X), 2 / np.linalg.eigvalsh(2 * X.T @ X / n)[-1]), (
        f"expected the largest rate from which descent comes back, {n} rows and {p} columns"
    )

# %% tags=["test", "hidden"] points=1 why="a walk that comes back just below it and not just above"
import numpy as np

rng = np.random.default_rng(12)
X = rng.normal(size=(17, 2)) * [1.0, 4.0]
ends = []
for factor in (0.98, 1.02):
    theta = np.ones(2)
    for _ in range(2000):
        theta = theta - factor * longest_step(X) * 2 / 17 * X.T @ (X @ theta)
    ends.append(np.abs(theta).max())
assert ends[0] < 1e-6 < 1e6 < ends[1], (
    "expected descent to come back just below the limit and to run away just above it"
)


# %% tags=["wrong"] marks=0 why="forgets the factor two of the squared error"
def longest_step(X):
    return 2 * len(X) / np.linalg.eigvalsh(X.T @ X)[-1]


# %% tags=["wrong", "misconception"] marks=1 why="asks the flattest direction"
def longest_step(X):
    return len(X) / np.linalg.eigvalsh(X.T @ X)[0]


# %% tags=["wrong"] marks=0 why="forgets the mean over rows"
def longest_step(X):
    return 1 / np.linalg.eigvalsh(X.T @ X)[-1]
