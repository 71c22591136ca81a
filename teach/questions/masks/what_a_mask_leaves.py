# %% [markdown]
# **What a mask leaves.** Four dates have the values `{"value": "20 to 90"}`, 8, 100 and 5. At the second of them a
# regression has the weights .7, -.2, .4 and .1, and a softmax .4, .2, .3 and .1. Return three numbers, to two
# decimals or better, and a set: the fit of the regression at the second date when later dates are masked and what is
# left is divided by its sum; that of the softmax; the number of quarters after $t$ that a forecast knows which is
# made at the end of quarter $t$ from an average over nine quarters with $t$ in their middle; and the set of the
# letters of all statements that hold:
#
# - A: to divide by what is left is safe whatever the signs of the weights;
# - B: with an intercept, the division by what is left is exact for the mask of the others, leave-one-out;
# - C: a causal mask hides later values, and Ω may still have been learned from later rows;
# - D: a forecaster that no shock has moved so far has no leak;
# - E: for softmax a zero and a division after it do what minus infinity does before it.


# %% tags=["answer"]
def what_a_mask_leaves():
    """Return two fits, a number of quarters and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import masked_average

    values, mask = np.array([{"value": "20 to 90"}, 8.0, 100.0, 5.0]), np.array([[True, True, False, False]])
    weights = np.array([[0.7, -0.2, 0.4, 0.1]]), np.array([[0.4, 0.2, 0.3, 0.1]])
    return *(masked_average(each, values, mask)[0] for each in weights), (9 - 1) // 2, {"B", "C", "E"}
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


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert what_a_mask_leaves()[3] == {"B", "C", "E"}, (
    "expected that signs may cancel, that a map may have seen what a mask hides, and that a test is no proof"
)


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


# %% tags=["wrong"] marks=1 why="leaves the date itself out"
def what_a_mask_leaves():
    value = {"value": "20 to 90"}
    return value, value, 4, {"B", "E"}
