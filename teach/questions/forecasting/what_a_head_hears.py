# %% [markdown]
# **Heard, and missed.** One head of a decoder has these weights on the past of a series when it asks for July; each
# month brings a value, in thousands, as the difference from the last one.
#
# | months back | weight | value |
# |---|---|---|
# | 12 | .40 | -900 |
# | 24 | .22 | -850 |
# | 36 | .14 | -880 |
# | 6 | .16 | 60 |
# | 1 | .08 | -20 |
#
# Return four things. What the head gathers. What it gathers when the month 12 back is deleted, so that it may not be
# heard and the others share its weight in their proportions. The mean of the pinball losses, with the factor two, of
# the levels .1, .5 and .9 that were forecast as -960, -880 and -700, when -760 comes. And the set of the letters of
# all statements that follow, or that hold for the race of the chapter:
#
# - A: the month 12 back has the largest weight, so its deletion costs the forecast most;
# - B: 145 series at 22 starts are 3190 independent errors;
# - C: what strikes all series at once moves the errors of one start together, so a test averages over series first;
# - D: before a gain is put down to attention, its rival needs the same windows, the same loss and the same units;
# - E: weights that are not negative cannot find a month whose effect has the opposite sign.


# %% tags=["answer"]
def heard_and_missed():
    """Return what is gathered twice, a mean loss and a set of letters."""
    ### BEGIN SOLUTION
    from regattn import attention_weights
    from regattn.series import quantile_losses

    weights, values = np.array([0.40, 0.22, 0.14, 0.16, 0.08]), np.array([-900.0, -850, -880, 60, -20])
    known = np.array([[False, True, True, True, True]])
    left = attention_weights(np.log(weights)[None], np.eye(5), scale=1.0, mask=known)[0]
    losses = quantile_losses(np.array([[-960.0, -880, -700]]), np.array([-760.0]), levels=[0.1, 0.5, 0.9])
    return weights @ values, left @ values, losses.mean(), {"C", "D"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = heard_and_missed()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="what is gathered with and without a month"
import numpy as np

weights, values = np.array([0.40, 0.22, 0.14, 0.16, 0.08]), np.array([-900.0, -850, -880, 60, -20])
wanted = [weights @ values, weights[1:] @ values[1:] / weights[1:].sum()]
assert np.allclose(heard_and_missed()[:2], wanted, atol=1), (
    "expected the average with the weights, and with those that are left made to sum to one"
)


# %% tags=["test", "hidden"] points=1 why="the pinball losses"
import numpy as np

assert np.isclose(heard_and_missed()[2], 2 / 3 * (0.1 * 200 + 0.5 * 120 + 0.1 * 60), atol=0.5), (
    "expected an outcome above a forecast to cost the level, and one below to cost one less it"
)


# %% tags=["test", "hidden"] points=2 why="what follows and what does not"
assert heard_and_missed()[3] == {"C", "D"}, (
    "expected that a weight is no cost, that errors of one start belong together, and that a rival is given the same"
)


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    assert np.allclose([row[1] for row in table], [0.40, 0.22, 0.14, 0.16, 0.08])
    assert np.allclose([row[2] for row in table], [-900, -850, -880, 60, -20])


# %% tags=["wrong", "misconception"] marks=0 why="takes a weight for a cost and every error for an independent one"
def heard_and_missed():
    return -676.0, -676.0 + 360.0, 60.0, {"A", "B"}


# %% tags=["wrong"] marks=4 why="charges the wrong side"
def heard_and_missed():
    return -662.2, -503.7, 2 / 3 * (0.9 * 200 + 0.5 * 120 + 0.9 * 60), {"C", "D"}


# %% tags=["wrong"] marks=3 why="does not share the weight that is free"
def heard_and_missed():
    return -662.0, -302.0, 57.33, {"C", "D"}


# %% tags=["wrong"] marks=3 why="forgets that values may bring the sign"
def heard_and_missed():
    return -662.0, -503.0, 57.33, {"C", "D", "E"}
