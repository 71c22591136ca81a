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
# all statements that hold, here or in the race of the chapter:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Fails: the larger the weight of a month, the further its deletion moves what the head gathers.
#   Because: without the month 6 back it moves by 138, without the month 24 back by 53: values count as well.
# - Fails: with ten times as many series a test over the same 22 starts would be about three times as sure.
#   Because: all series feel the same months, so more starts are needed, not more series.
# - Holds: for a test of two models the losses of one start are averaged over the 145 series first.
#   Because: what strikes all series at once moves the errors of one start together.
# - Holds: before a gain is put down to attention, its rival needs the same windows, the same loss and the same units.
#   Because: else it may be the loss or the units that make the gain, as between the two pooled maps.
# - Fails: since no weight is negative, a head can make no use of a month whose effect has the opposite sign.
#   Because: the values may bring the sign, though training need not find it.
# - Holds: the weight .40 does not say whether a high July the year before raises the forecast or lowers it.
#   Because: a weight shows a month that can be used; the sign would have to come from the values.
# - Holds: that the transformer errs less than last year's months plus drift, .385 against .447, may be luck.
#   Because: of eight gaps that were tested only another one is beyond luck: what least squares gains by the units of
#   each series.
# - Fails: the linear map errs less than pooled least squares because it reads more of the past.
#   Because: both are the same map of the same 36 months; what counts as an error differs.
# - Fails: in the mean of its trainings the transformer errs less than the linear map, as its weights change with the
#   window.
#   Because: it has .385, and the linear map, whose slopes never change, .380.


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
    return weights @ values, left @ values, losses.mean(), {letters}
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


# %% tags=["test", "hidden", "statements"] points=2 why="what follows and what does not"
heard_and_missed()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    assert np.allclose([row[1] for row in table], [0.40, 0.22, 0.14, 0.16, 0.08])
    assert np.allclose([row[2] for row in table], [-900, -850, -880, 60, -20])
    weights, values = np.array([row[1:] for row in table]).T
    moves = weights * (weights @ values - values) / (1 - weights)  # by the deletion of each month
    assert np.allclose(moves[[3, 1]], [-138, 53], atol=0.5)
    assert weights[3] < weights[1]


# %% tags=["wrong", "misconception"] marks=0 why="takes a weight for a cost and every error for an independent one"
def heard_and_missed():
    return -676.0, -676.0 + 360.0, 60.0, {"A", "B"}


# %% tags=["wrong"] marks=4 why="charges the wrong side"
def heard_and_missed():
    return -662.2, -503.7, 2 / 3 * (0.9 * 200 + 0.5 * 120 + 0.9 * 60), {"C", "D"}


# %% tags=["wrong"] marks=3 why="does not share the weight that is free"
def heard_and_missed():
    return -662.0, -302.0, 57.33, {"C", "D"}


# %% tags=["wrong"] marks=4 why="forgets that values may bring the sign"
def heard_and_missed():
    return -662.0, -503.0, 57.33, {"C", "D", "E"}
