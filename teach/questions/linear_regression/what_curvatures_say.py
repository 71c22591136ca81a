# %% [markdown]
# **What curvatures say.** The mean squared error of a regression has the curvatures 8, 2 and .5 along its three
# directions. Return three numbers, to two decimals or better, and a set: the learning rate above which full-batch
# descent runs away; the share of its first error that is left along the flattest direction after 30 steps of
# `{"hundredths": "5 to 20"}`/100; the share that is left along the steepest direction after one such step, with its
# sign; and the set of the letters of all statements that hold:
#
# {statements}

# %% [markdown] tags=["statements"]
# - Holds: measuring one column in other units can change the longest step.
#   Because: the largest curvature sets that step, and it depends on the units of the columns.
# - Fails: with batches of one row the longest stable step is the same as with all rows.
#   Because: rows see different curvatures, and that noise makes the longest stable step shorter.
# - Fails: just above the longest step the loss grows from the first step on, whatever the start.
#   Because: from far out along a flat direction it falls at first, until the error along the steepest has grown
#   enough.
# - Holds: measuring the columns from their means can save steps.
#   Because: a column far from zero overlaps with the column of ones; without the overlap the curvatures lie closer
#   together.
# - Fails: with batches and noisy outcomes, a fixed step that is short enough can bring the walk to rest at the
#   minimum.
#   Because: at the minimum the gradient of a batch is not zero, so the walk is kicked away again.
# - Holds: at a rate of .24 the walk jumps across the minimum, along the steepest direction, at every step, and still
#   arrives.
#   Because: along it each step leaves −.92 of the error: the sign changes, and the size shrinks.
# - Fails: were the flattest curvature 1 and not .5, the longest step could be twice as long.
#   Because: the steepest direction sets the longest step; the flattest sets how long the walk takes.
# - Fails: if the regression has an intercept, standardising its columns changes the fitted values at which descent
#   ends.
#   Because: it changes the walk; the fitted values in the end are the same.
# - Holds: averaged over all batches of one size, the gradient of a batch is that of all rows.
#   Because: it is a mean over rows drawn at random: noisy, and unbiased.


# %% tags=["answer"]
def read_curvatures():
    """Return a learning rate, two shares of errors and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.regression import curvatures, largest_stable_step

    X = np.diag(np.sqrt(1.5 * np.array([8.0, 2.0, 0.5])))  # three rows
    left = 1 - {"hundredths": "5 to 20"} / 100 * curvatures(X)
    return largest_stable_step(X), left[-1] ** 30, left[0], {letters}
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


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
read_curvatures()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.regression import gradient_descent, largest_stable_step

    X = np.diag(np.sqrt(1.5 * np.array([8.0, 2.0, 0.5])))
    assert largest_stable_step(X * [0.5, 1, 1]) > largest_stable_step(X)  # other units
    assert np.isclose(largest_stable_step(X * [1, 1, 2**0.5]), largest_stable_step(X))  # twice the flattest curvature
    above = gradient_descent(X, np.zeros(3), learning_rate=0.26, steps=400, start=(0.1, 5.0, 5.0)).losses
    assert above[1] < above[0] < above[-1]
    jumps = gradient_descent(X, np.zeros(3), learning_rate=0.24, steps=400, start=(1.0, 1.0, 1.0)).parameters
    assert (jumps[:-1, 0] * jumps[1:, 0] < 0).all()
    assert np.abs(jumps[-1]).max() < 1e-9


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


# %% tags=["wrong"] marks=2 why="multiplies by the number of steps"
def read_curvatures():
    return 0.25, 0.0, 0.0, {"A", "C", "D"}
