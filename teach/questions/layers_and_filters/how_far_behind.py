# %% [markdown]
# **How far behind?** A level takes the share $g$ = `{"tenths": "2 to 6"}`/10 of each new value and keeps $1 - g$ of
# what it was, and has done so for ever. Return four things, numbers to two decimals or better. The mean age of what
# it hears, when today has the age zero. How far it stays behind a series that rises by 3 at every date. The share of
# a direction that is kept after four residual layers, each of which takes away the share $g$ of what is missing. And
# the set of the letters of all statements that hold:
#
# - A: with other positive weights that sum to one, not all of them on today, the level could keep up with a trend;
# - B: an average that keeps up with a trend, and hears more than today, has weights below zero;
# - C: softmax attention to the raw values of a series stays behind a trend;
# - D: the more layers, the better the forecast of new rows;
# - E: without residual connections four layers would keep the same share.


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
    return age, 3 * age, kept, {"B", "C"}
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


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert how_far_behind()[3] == {"B", "C"}, (
    "expected that positive weights stay behind, that depth is a dial, and that residual connections add up"
)


# %% tags=["wrong", "misconception"] marks=0 why="looks for the positive weights that keep up"
def how_far_behind():
    gain = {"tenths": "2 to 6"} / 10
    return 0.0, 0.0, 4 * gain, {"A", "D"}


# %% tags=["wrong"] marks=3 why="gives today the age one"
def how_far_behind():
    gain = {"tenths": "2 to 6"} / 10
    return 1 / gain, 3 / gain, 1 - (1 - gain) ** 4, {"B", "C"}


# %% tags=["wrong"] marks=2 why="takes what is missing for what is kept, and depth for skill"
def how_far_behind():
    gain = {"tenths": "2 to 6"} / 10
    return (1 - gain) / gain, 3 * (1 - gain) / gain, (1 - gain) ** 4, {"B", "C", "D"}


# %% tags=["wrong"] marks=4 why="forgets how fast the series rises"
def how_far_behind():
    gain = {"tenths": "2 to 6"} / 10
    return (1 - gain) / gain, (1 - gain) / gain, 1 - (1 - gain) ** 4, {"B", "C"}
