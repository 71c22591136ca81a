# %% [markdown]
# **What curvatures say.** The mean squared error of a regression has the curvatures 8, 2 and .5 along its three
# directions. Return three numbers, to two decimals or better, and a set: the learning rate above which full-batch
# descent runs away; the share of its first error that is left along the flattest direction after 30 steps of
# `{"hundredths": "5 to 20"}`/100; the share that is left along the steepest direction after one such step, with its
# sign; and the set of the letters of all statements that hold:
#
# - A: a column in other units may change the longest step;
# - B: with batches of one row, steps may be as long as with all rows;
# - C: just above the longest step the loss grows from the first step on, whatever the start;
# - D: to measure columns from their means may save steps;
# - E: with batches and a fixed step the walk comes to rest at the minimum.


# %% tags=["answer"]
def read_curvatures():
    """Return a learning rate, two shares of errors and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.regression import curvatures, largest_stable_step

    X = np.diag(np.sqrt(1.5 * np.array([8.0, 2.0, 0.5])))  # three rows
    left = 1 - {"hundredths": "5 to 20"} / 100 * curvatures(X)
    return largest_stable_step(X), left[-1] ** 30, left[0], {"A", "D"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = read_curvatures()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the longest step"
import numpy as np

assert np.isclose(read_curvatures()[0], 0.25), "expected two over the largest curvature"


# %% tags=["test", "hidden"] points=1 why="what is left along two directions"
import numpy as np

from regattn.from_scratch import gradient_descent

X, step = np.diag(np.sqrt(1.5 * np.array([8.0, 2.0, 0.5]))), {"hundredths": "5 to 20"} / 100
flat, steep = (1 - gradient_descent(X, X @ np.ones(3), step, steps) for steps in (30, 1))
assert np.allclose(read_curvatures()[1:3], [flat[2], steep[0]], atol=0.006), (
    "expected one less the step times the curvature, as often as there are steps"
)


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert read_curvatures()[3] == {"A", "D"}, (
    "expected units and origins to matter, batches to cost length of step and rest, and a far start to fall at first"
)


# %% tags=["wrong", "misconception"] marks=0 why="asks the flattest direction for the limit, and batches for rest"
def read_curvatures():
    return 4.0, 0.5, 0.5, {"B", "E"}


# %% tags=["wrong"] marks=3 why="forgets the two"
def read_curvatures():
    step = {"hundredths": "5 to 20"} / 100
    return 1 / 8, (1 - step / 2) ** 30, 1 - 8 * step, {"A", "D"}


# %% tags=["wrong"] marks=3 why="takes what is left of the loss for what is left of the error"
def read_curvatures():
    step = {"hundredths": "5 to 20"} / 100
    return 0.25, (1 - step / 2) ** 60, (1 - 8 * step) ** 2, {"A", "D"}


# %% tags=["wrong"] marks=1 why="multiplies by the number of steps"
def read_curvatures():
    return 0.25, 0.0, 0.0, {"A", "C", "D"}
