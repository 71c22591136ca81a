# %% [markdown]
# **Losses on the way down.** Descent begins at zero and takes `steps` full-batch steps of length `learning_rate` down
# the mean squared error of `X @ theta` against `y`. Return the loss at every point it stands on, the first included: an
# array of `steps + 1` numbers. `X` has its column of ones already, if there is one.


# %% tags=["answer"]
def losses(X, y, learning_rate, steps):
    """Return the mean squared error before the first step and after each one."""
    ### BEGIN SOLUTION
    from regattn.regression import gradient_descent

    return gradient_descent(X, y, learning_rate=learning_rate, steps=steps).losses
    ### END SOLUTION


# %% tags=["test"] points=1 why="a number before the first step and one after each"
import numpy as np

X, y = np.array([[1.0], [2.0]]), np.array([2.0, 2.0])
assert np.shape(losses(X, y, 0.1, 3)) == (4,)
assert np.isclose(losses(X, y, 0.1, 3)[0], 4)

# %% tags=["test", "hidden"] points=3 why="every loss of walks that arrive, on random data"
import numpy as np

from regattn.from_scratch import gradient_descent

rng = np.random.default_rng(10)
for n, p in [(7, 2), (13, 3), (29, 5)]:
    X, y = rng.normal(size=(n, p)), rng.normal(size=n)
    points = [np.zeros(p)] + [gradient_descent(X, y, 0.05, k) for k in range(1, 12)]
    assert np.allclose(losses(X, y, 0.05, 11), [np.mean((y - X @ theta) ** 2) for theta in points]), (
        f"expected the loss at each point of a walk of eleven steps, {n} rows and {p} columns"
    )

# %% tags=["test", "hidden"] points=0 why="a walk whose step is too long, of which the losses grow"
import numpy as np

from regattn.regression import largest_stable_step

rng = np.random.default_rng(11)
X, y = rng.normal(size=(17, 3)), rng.normal(size=17)
given = losses(X, y, 1.5 * largest_stable_step(X), 9)
assert np.shape(given) == (10,), "expected the loss before the first step and after each of nine"
assert given[-1] > 10 * given[0], (
    "expected losses that grow when the step is half as long again as the largest that holds"
)


# %% tags=["wrong"] marks=0 why="leaves the first point out"
def losses(X, y, learning_rate, steps):
    from regattn.regression import gradient_descent

    return gradient_descent(X, y, learning_rate=learning_rate, steps=steps).losses[1:]


# %% tags=["wrong"] marks=1 why="forgets that the slope of a square has a factor of two"
def losses(X, y, learning_rate, steps):
    from regattn.regression import gradient_descent

    return gradient_descent(X, y, learning_rate=learning_rate / 2, steps=steps).losses


# %% tags=["wrong", "misconception"] marks=1 why="walks uphill"
def losses(X, y, learning_rate, steps):
    from regattn.regression import gradient_descent

    return gradient_descent(X, y, learning_rate=learning_rate, steps=steps, sign=1).losses
