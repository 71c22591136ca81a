# %% [markdown]
# **What a move leaves.** Return three numbers, to three digits or better, and a set. With a causal mask and equal
# scores, the weight that the token at place `{"place": "5 to 40"}` gives to the start token, which is at place 1.
# With the price $1/8$ for each step back (ALiBi), equal contents and an endless past, the share that a token keeps
# for itself. With the codes of $D = 4$ and base 10,000, after how many places the hand of the slow clock points the
# opposite way. And the set of the letters of all statements that hold when a whole text is moved five places on, or
# read beyond the trained length:
#
# - A: the scores of rotary queries and keys stay what they were;
# - B: so do scores of tokens to which sines and cosines were added before they went through any two matrices;
# - C: a learned table answers at places beyond its last row;
# - D: a loss that stays flat beyond the trained length shows that the far text is used;
# - E: the prices of ALiBi stay what they were.


# %% tags=["answer"]
def what_a_move_leaves():
    """Return two weights, a number of places and a set of letters."""
    ### BEGIN SOLUTION
    from regattn import attention_weights, causal_mask
    from regattn.transformer import frequencies

    place = {"place": "5 to 40"}
    counter = attention_weights(np.zeros((place, place)), np.eye(place), scale=1.0, mask=causal_mask(place))[-1, 0]
    kept = attention_weights(-np.arange(2000.0)[None] / 8, np.eye(2000), scale=1.0)[0, 0]
    return counter, kept, np.pi / np.min(frequencies(4)), {"A", "E"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = what_a_move_leaves()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the counter"
import numpy as np

assert np.isclose(what_a_move_leaves()[0], 1 / {"place": "5 to 40"}, rtol=0.006), (
    "expected one part in as many tokens as there are"
)


# %% tags=["test", "hidden"] points=1 why="what a token keeps"
import numpy as np

assert np.isclose(what_a_move_leaves()[1], 1 - np.exp(-1 / 8), rtol=0.006), (
    "expected one over the sum of a geometric series"
)


# %% tags=["test", "hidden"] points=1 why="the slow clock"
import numpy as np

assert np.isclose(what_a_move_leaves()[2], 100 * np.pi, rtol=0.006), (
    "expected half a turn of the second clock, a hundred times as slow as the first"
)


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert what_a_move_leaves()[3] == {"A", "E"}, (
    "expected distances to stay where places turn or prices count steps, and flat losses to prove nothing"
)


# %% tags=["wrong", "misconception"] marks=1 why="takes a flat loss for use of the far text"
def what_a_move_leaves():
    return 1 / {"place": "5 to 40"}, 1 / 8, 10_000, {"A", "D"}


# %% tags=["wrong"] marks=4 why="lets the clock go all the way round"
def what_a_move_leaves():
    return 1 / {"place": "5 to 40"}, 1 - np.exp(-1 / 8), 200 * np.pi, {"A", "E"}


# %% tags=["wrong"] marks=4 why="counts the steps back and not the tokens"
def what_a_move_leaves():
    return 1 / ({"place": "5 to 40"} - 1), 1 - np.exp(-1 / 8), 100 * np.pi, {"A", "E"}


# %% tags=["wrong"] marks=2 why="thinks that sines and cosines know distances alone"
def what_a_move_leaves():
    return 1 / {"place": "5 to 40"}, 1 / 8, 100 * np.pi, {"A", "B", "E"}
