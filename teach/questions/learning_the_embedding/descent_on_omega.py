# %% [markdown]
# **Descent on Ω.** The map $X\,\Omega\,X^\top$ is to turn each column of `Y` into itself: the loss is $\tfrac1M\lVert Y
# - X\Omega X^\top Y\rVert_F^2$, with $M$ the number of columns of `Y`. Return the Ω on which descent stands after
# `steps` steps of length `learning_rate` from zero.


# %% tags=["answer"]
def omega_after(X, Y, learning_rate, steps):
    """Return the Ω that descent from zero has reached."""
    ### BEGIN SOLUTION
    from regattn.regression import embedding_after

    return embedding_after(X, Y, steps=steps, learning_rate=learning_rate)
    ### END SOLUTION


# %% tags=["test"] points=1 why="one column, one target, one step by hand"
import numpy as np

X, Y = np.array([[1.0], [1.0]]), np.array([[1.0], [3.0]])
assert np.allclose(omega_after(X, Y, 1 / 128, 1), [[0.25]])

# %% tags=["test", "hidden"] points=2 why="many targets, random data, many steps"
import numpy as np

from regattn.regression import embedding_descent, largest_embedding_step

rng = np.random.default_rng(60)
for n, p, m in [(7, 2, 5), (13, 3, 4), (11, 5, 7)]:
    X, Y = rng.normal(size=(n, p)), rng.normal(size=(n, m))
    step = 0.7 * largest_embedding_step(X, Y)
    wanted = embedding_descent(X, Y, learning_rate=step, steps=9).omega
    assert np.allclose(omega_after(X, Y, step, 9), wanted), (
        f"expected the map after nine steps from zero, {m} targets and {p} columns, with the loss a mean over targets"
    )

# %% tags=["test", "hidden"] points=1 why="a single target, of which the map is not symmetric on the way"
import numpy as np

from regattn.regression import embedding_descent, largest_embedding_step

rng = np.random.default_rng(61)
X, Y = rng.normal(size=(17, 3)), rng.normal(size=(17, 1))
step = 0.5 * largest_embedding_step(X, Y)
assert np.allclose(omega_after(X, Y, step, 40), embedding_descent(X, Y, learning_rate=step, steps=40).omega), (
    "expected the map after 40 steps towards a single target, not transposed"
)


# %% tags=["wrong"] marks=2 why="sums over the targets where it should take their mean"
def omega_after(X, Y, learning_rate, steps):
    from regattn.regression import embedding_descent

    return embedding_descent(X, Y, learning_rate=learning_rate * np.shape(Y)[1], steps=steps).omega


# %% tags=["wrong"] marks=1 why="returns the transpose"
def omega_after(X, Y, learning_rate, steps):
    from regattn.regression import embedding_descent

    return embedding_descent(X, Y, learning_rate=learning_rate, steps=steps).omega.T


# %% tags=["wrong", "misconception"] marks=0 why="returns the inverse of X'X, where one target does not lead"
def omega_after(X, Y, learning_rate, steps):
    return np.linalg.inv(X.T @ X)
