# %% [markdown]
# **What a move leaves.** Return three numbers, to three digits or better, and a set. With a causal mask and equal
# scores, the weight that the token at place `{"place": "5 to 40"}` gives to the start token, which is at place 1.
# With the price $1/8$ for each step back (ALiBi), equal contents and an endless past, the share that a token keeps
# for itself. With the codes of $D = 4$ and base 10,000, after how many places the hand of the slow clock points the
# opposite way. And the set of the letters of all statements that hold, where a *move* takes a whole text five places
# on:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Holds: a move leaves the scores of rotary queries and keys as they were.
#   Because: query and key are both turned further by the same angles, and only the distance of their places is
#   left.
# - Fails: a move leaves the scores of tokens to which sines and cosines were added, whatever two matrices they pass
#   then.
#   Because: only the plain product of two codes knows nothing but distance; words, and matrices in between, bring
#   in the place.
# - Fails: a learned table answers at places beyond its last row.
#   Because: beyond its last row nothing was stored, and it ends with an error.
# - Fails: a loss that stays flat beyond the trained length shows that the far text is used.
#   Because: it may be short sight: ALiBi lost 2.09 at places 5 to 8 and beyond 64 alike.
# - Holds: a move leaves the prices that ALiBi charges as they were.
#   Because: it charges for the steps between two tokens, and these stay as many.
# - Holds: a move leaves the inner product of the sines and cosines of two places as it was.
#   Because: sine and cosine of one clock combine to a cosine of the distance.
# - Fails: without the mask, too, the start token would tell the tokens of a text their places.
#   Because: each token would average all values, and all would see the same share of the start token.
# - Holds: the counter of mask and start token tells places 2 and 3 apart more clearly than places 20 and 21.
#   Because: 1/2 and 1/3 differ by a sixth, 1/20 and 1/21 by 1/420.
# - Fails: with base 10,000, rotary positions show a model no new angle in texts longer than those of its training.
#   Because: a slow clock that had not gone round shows angles at larger distances that training never had.


# %% tags=["answer"]
def what_a_move_leaves():
    """Return two weights, a number of places and a set of letters."""
    ### BEGIN SOLUTION
    from regattn import attention_weights, causal_mask
    from regattn.transformer import frequencies

    place = {"place": "5 to 40"}
    counter = attention_weights(np.zeros((place, place)), np.eye(place), scale=1.0, mask=causal_mask(place))[-1, 0]
    kept = attention_weights(-np.arange(2000.0)[None] / 8, np.eye(2000), scale=1.0)[0, 0]
    return counter, kept, np.pi / np.min(frequencies(4)), {letters}
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


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
what_a_move_leaves()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.transformer import sinusoidal_positions

    codes = sinusoidal_positions(np.arange(60), 16)
    products = codes @ codes.T
    assert np.allclose(products[5:, 5:], products[:-5, :-5])
    rng = np.random.default_rng(0)
    W, words = rng.normal(size=(16, 16)), rng.normal(size=(60, 16))
    assert not np.allclose((codes @ W @ codes.T)[5:, 5:], (codes @ W @ codes.T)[:-5, :-5], atol=0.1)
    stay, move = words[:-5] + codes[:-5], words[:-5] + codes[5:]  # with no matrix between them
    assert not np.allclose(stay @ stay.T, move @ move.T, atol=0.1)


# %% tags=["wrong", "misconception"] marks=1 why="takes a flat loss for use of the far text"
def what_a_move_leaves():
    return 1 / {"place": "5 to 40"}, 1 / 8, 10_000, {"A", "D"}


# %% tags=["wrong"] marks=4 why="lets the clock go all the way round"
def what_a_move_leaves():
    return 1 / {"place": "5 to 40"}, 1 - np.exp(-1 / 8), 200 * np.pi, {"A", "E"}


# %% tags=["wrong"] marks=4 why="counts the steps back and not the tokens"
def what_a_move_leaves():
    return 1 / ({"place": "5 to 40"} - 1), 1 - np.exp(-1 / 8), 100 * np.pi, {"A", "E"}


# %% tags=["wrong"] marks=3 why="thinks that sines and cosines know distances alone"
def what_a_move_leaves():
    return 1 / {"place": "5 to 40"}, 1 / 8, 100 * np.pi, {"A", "B", "E"}
