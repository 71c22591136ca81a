# %% [markdown]
# **What a mask leaves.** Four dates have the values `{"value": "20 to 90"}`, 8, 100 and 5. At the second of them a
# regression has the weights .7, -.2, .4 and .1, and a softmax .4, .2, .3 and .1. Return three numbers, to two
# decimals or better, and a set: the fit of the regression at the second date when later dates are masked and what is
# left is divided by its sum; that of the softmax; the number of quarters after $t$ that a forecast knows which is
# made at the end of quarter $t$ from an average over nine quarters with $t$ in their middle; and the set of the
# letters of all statements that hold:
#
# {statements}

# %% [markdown] tags=["statements"]
# - Fails: dividing by the sum of what is left is safe, whatever the signs of the weights.
#   Because: weights of both signs may nearly cancel, and dividing by their small sum blows them up.
# - Holds: in least squares with an intercept, zeroing a row's own weight and dividing by what is left is exactly
#   leave-one-out.
#   Because: leaving out the row that asks changes all its other weights by one factor, which the division supplies.
# - Holds: a causal mask hides later values, yet Ω may have been learned from later rows.
#   Because: the zeros do not touch the measure of likeness, nor what it was learned from.
# - Fails: a forecaster whose answers no shock of the future has moved so far has no leak.
#   Because: a test can show a leak and never its absence: another shock or another date may move them.
# - Holds: for softmax, a zero and a division after it do what minus infinity does before it.
#   Because: the sum over all keys cancels in the division, and the weights are the same.
# - Fails: the smaller the sum of weights that a mask leaves, the wilder the masked fit, for softmax as well.
#   Because: softmax had .045 left in 1986Q2 and stayed calm; harm is done where signs cancel in the sum.
# - Holds: the fit of the softmax lies between the two values that the second date may see.
#   Because: its weights are positive, so that what is left of them makes an average.
# - Fails: a masked fit that errs less than forecasts made in order shows by its errors that it leaks.
#   Because: from 1990 on its date's own outcome was the reason; a leak is shown by moving the future.
# - Holds: least squares with an intercept, fitted in order on inputs scaled by all dates, does not leak.
#   Because: its predictions do not depend on the units and the origin of its inputs.


# %% tags=["answer"]
def what_a_mask_leaves():
    """Return two fits, a number of quarters and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import masked_average

    values, mask = np.array([{"value": "20 to 90"}, 8.0, 100.0, 5.0]), np.array([[True, True, False, False]])
    weights = np.array([[0.7, -0.2, 0.4, 0.1]]), np.array([[0.4, 0.2, 0.3, 0.1]])
    return *(masked_average(each, values, mask)[0] for each in weights), (9 - 1) // 2, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = what_a_mask_leaves()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="both fits"
import numpy as np

value = {"value": "20 to 90"}
assert np.allclose(what_a_mask_leaves()[:2], [(0.7 * value - 1.6) / 0.5, (0.4 * value + 1.6) / 0.6], atol=0.01), (
    "expected the two dates that are known, over the sum of their two weights"
)


# %% tags=["test", "hidden"] points=1 why="the quarters ahead"
assert what_a_mask_leaves()[2] == 4, "expected half of the quarters that stand beside the middle one"


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
what_a_mask_leaves()[3]


# %% tags=["wrong", "misconception"] marks=0 why="sets later weights to zero and thinks that nothing is known then"
def what_a_mask_leaves():
    value = {"value": "20 to 90"}
    return 0.7 * value - 1.6, 0.4 * value + 1.6, 0, {"A", "D"}


# %% tags=["wrong"] marks=4 why="counts all nine quarters"
def what_a_mask_leaves():
    value = {"value": "20 to 90"}
    return (0.7 * value - 1.6) / 0.5, (0.4 * value + 1.6) / 0.6, 9, {"B", "C", "E"}


# %% tags=["wrong"] marks=3 why="divides by the sizes of the weights"
def what_a_mask_leaves():
    value = {"value": "20 to 90"}
    return (0.7 * value - 1.6) / 0.9, (0.4 * value + 1.6) / 0.6, 4, {"B", "C", "E"}


# %% tags=["wrong"] marks=2 why="leaves the date itself out"
def what_a_mask_leaves():
    value = {"value": "20 to 90"}
    return value, value, 4, {"B", "E"}
