# %% [markdown]
# **How far behind?** A level takes the share $g$ = `{"tenths": "2 to 6"}`/10 of each new value and keeps $1 - g$ of
# what it was, and has done so for ever. Return four things, numbers to two decimals or better. The mean age of what
# it hears, when today has the age zero. How far it stays behind a series that rises by 3 at every date. The share of
# a direction that is kept after four residual layers, each of which takes away the share $g$ of what is missing. And
# the set of the letters of all statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Fails: with other positive weights that sum to one, not all of them on today, the level could keep up with a
#   trend.
#   Because: ages are never negative, so positive weights on the past make the mean age, and the lag, larger than
#   zero.
# - Holds: weights of .9, .2 and −.1 on today, yesterday and the day before keep up with a straight line.
#   Because: they sum to one and their mean age, .2 − .2, is zero.
# - Holds: softmax attention can keep up with a straight line, once its values contain the last change.
#   Because: each value can then run ahead by the mean age times the change, which the average falls behind.
# - Fails: the more layers, the better the forecast of new rows.
#   Because: late layers chase what a few rows happen to show; for the firms the error was smallest on the way.
# - Fails: without residual connections four layers would keep the same share.
#   Because: each layer would replace what the one before said, and the stack would settle near g/(1 + g), far below.
# - Holds: after eight layers in place of four, the share that is still missing is the square of what it was.
#   Because: each layer multiplies what is missing by 1 − g, so eight layers do it as four and four again.
# - Holds: today and the three dates before it have as much of the level's weight as four layers keep of a
#   direction.
#   Because: older dates have the weight that four steps leave over, (1 − g) to the power four.
# - Fails: with a second state, the slope, the level is nearer to the new mean six years after a drop like the
#   Nile's.
#   Because: it takes the drop for a slope and runs on: 745 in 1905, where the years since averaged 808.
# - Fails: after a surprisingly large value the level gives today a larger share of the weight than on calm dates.
#   Because: a filter's weights know only when a value came, not how large it was.


# %% tags=["answer"]
def how_far_behind():
    """Return an age, a distance, a share and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import level_filter, residual_layers

    gain = {"tenths": "2 to 6"} / 10
    ratio = gain**2 / (1 - gain)  # of the variances, with which the gain comes to rest there
    weights = np.array([level_filter(value, ratio)[-1] for value in np.eye(300)])
    age = weights @ np.arange(300)[::-1]
    kept = residual_layers(np.eye(1), np.ones(1), np.eye(1), gain, 4)[0]
    return age, 3 * age, kept, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = how_far_behind()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the mean age"
import numpy as np

gain, ages = {"tenths": "2 to 6"} / 10, np.arange(1000)
assert np.isclose(how_far_behind()[0], np.sum(ages * gain * (1 - gain) ** ages), atol=0.006), (
    "expected the sum of ages times weights, of which today has the first"
)


# %% tags=["test", "hidden"] points=1 why="how far behind"
import numpy as np

gain, level = {"tenths": "2 to 6"} / 10, 0.0
for t in range(1000):
    level = level + gain * (3 * t - level)
assert np.isclose(how_far_behind()[1], 3 * 999 - level, atol=0.02), (
    "expected what the series rises in the time of the mean age"
)


# %% tags=["test", "hidden"] points=1 why="what four layers keep"
import numpy as np

assert np.isclose(how_far_behind()[2], 1 - (1 - {"tenths": "2 to 6"} / 10) ** 4, atol=0.006), (
    "expected one less what is missing after four layers"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
how_far_behind()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.from_scratch import level_filter, residual_layers

    assert np.isclose(np.dot([0.9, 0.2, -0.1], [10, 9, 8]), 10)
    line = 3 * np.arange(300.0)
    for gain in np.arange(2, 7) / 10:
        ahead = np.append(0, line[1:] + 3 * (1 - gain) / gain)  # each value with the last change
        assert np.isclose(level_filter(ahead, gain**2 / (1 - gain))[-1], line[-1])
        four, eight = (residual_layers(np.eye(1), np.ones(1), np.eye(1), gain, depth)[0] for depth in (4, 8))
        assert np.isclose(1 - eight, (1 - four) ** 2)
        assert np.isclose(four, np.sum(gain * (1 - gain) ** np.arange(4)))
        assert gain - gain**2 + gain**3 - gain**4 < four - 0.3  # without residual connections


# %% tags=["wrong", "misconception"] marks=0 why="looks for the positive weights that keep up"
def how_far_behind():
    gain = {"tenths": "2 to 6"} / 10
    return 0.0, 0.0, 4 * gain, {"A", "D"}


# %% tags=["wrong"] marks=3 why="gives today the age one"
def how_far_behind():
    gain = {"tenths": "2 to 6"} / 10
    return 1 / gain, 3 / gain, 1 - (1 - gain) ** 4, {"B", "C"}


# %% tags=["wrong"] marks=3 why="takes what is missing for what is kept, and depth for skill"
def how_far_behind():
    gain = {"tenths": "2 to 6"} / 10
    return (1 - gain) / gain, 3 * (1 - gain) / gain, (1 - gain) ** 4, {"B", "C", "D"}


# %% tags=["wrong"] marks=4 why="forgets how fast the series rises"
def how_far_behind():
    gain = {"tenths": "2 to 6"} / 10
    return (1 - gain) / gain, (1 - gain) / gain, 1 - (1 - gain) ** 4, {"B", "C"}
