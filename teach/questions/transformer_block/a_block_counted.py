# %% [markdown]
# **A block, counted.** A block has width 64, eight heads, a hidden width of `{"hidden": "100 to 400"}` and no
# intercepts. Return three numbers and a set: the parameters of its attention; the share of the feed-forward layer in
# the parameters of the matrices of both, to three decimals or better; the largest rank that $W_Q W_K^\top$ of one
# head can have; and the set of the letters of all statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Fails: sixteen heads would cost twice as many parameters.
#   Because: each head gets D/H of the columns, so the number of heads is no part of the count.
# - Holds: on text whose floor is 1.37, a loss of .9 says: look at the mask first.
#   Because: on average no honest model gets below the floor, so something has seen the next word.
# - Fails: a causal mask that is applied to the sum alone, and not to the normaliser, is enough.
#   Because: the divisor would have seen the future, and rows would no longer sum to one.
# - Holds: trained on the small grammar, six blocks that hand on what they make, with no stream to add it to, learn
#   hardly more than word frequencies.
#   Because: what the first block found, and the gradient on its way back, would have to get through all others.
# - Fails: without a norm a small model does not train.
#   Because: the small model without a norm came even nearer to the floor; norms are for other conditions.
# - Holds: with the width and the hidden width both doubled, the matrices have four times as many parameters.
#   Because: each of them is twice as high and twice as wide.
# - Fails: with the usual hidden width, four times the width, attention has more parameters than the feed-forward
#   layer.
#   Because: attention has a third of them: four matrices of D × D against two of D × 4D.
# - Fails: the step in which a word first receives another word's values is the one of the scores.
#   Because: scores compare two words; in the average, later, a word takes numbers from others.
# - Holds: the feed-forward layer needs no causal mask.
#   Because: it treats every word by itself, so no later word can reach an earlier one there.


# %% tags=["answer"]
def block_counted():
    """Return a number of parameters, a share, a rank and a set of letters."""
    ### BEGIN SOLUTION
    import torch

    from regattn.transformer import Architecture, LanguageModel, count_parameters

    size = {"width": 64, "n_heads": 8, "hidden": {"hidden": "100 to 400"}, "bias": False}
    with torch.device("meta"):
        counts = count_parameters(LanguageModel(Architecture(vocabulary=11, layers=1, context=7, **size)))
    both = counts["attention"] + counts["feed_forward"]
    return counts["attention"], counts["feed_forward"] / both, 64 // 8, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = block_counted()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="attention"
assert block_counted()[0] == 4 * 64 * 64, "expected four square matrices, however many heads share them"


# %% tags=["test", "hidden"] points=1 why="the share of feed-forward"
import numpy as np

hidden = 2 * 64 * {"hidden": "100 to 400"}
assert np.isclose(block_counted()[1], hidden / (hidden + 4 * 64 * 64), atol=6e-4), (
    "expected two matrices, there and back, over all six"
)


# %% tags=["test", "hidden"] points=1 why="the rank"
assert block_counted()[2] == 8, "expected the width of one head"


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
block_counted()[3]


# %% tags=["wrong", "misconception"] marks=0 why="lets every head have matrices of the whole width"
def block_counted():
    hidden = 2 * 64 * {"hidden": "100 to 400"}
    return 8 * 4 * 64 * 64, hidden / (hidden + 8 * 4 * 64 * 64), 64, {"A", "E"}


# %% tags=["wrong"] marks=3 why="forgets the way back to the stream"
def block_counted():
    hidden = 2 * 64 * {"hidden": "100 to 400"}
    return 3 * 64 * 64, hidden / (hidden + 3 * 64 * 64), 8, {"B", "D"}


# %% tags=["wrong"] marks=4 why="counts one matrix of feed-forward for two"
def block_counted():
    hidden = 64 * {"hidden": "100 to 400"}
    return 4 * 64 * 64, hidden / (hidden + 4 * 64 * 64), 64 // 8, {"B", "D"}


# %% tags=["wrong"] marks=3 why="believes that the sum is all that needs a mask"
def block_counted():
    hidden = 2 * 64 * {"hidden": "100 to 400"}
    return 4 * 64 * 64, hidden / (hidden + 4 * 64 * 64), 64, {"B", "C", "D"}
