# %% [markdown]
# **A race, read.** Ten times the 442 patients of the chapter were split, a fifth of them held out. The table has the
# mean squared error on those held out, of least squares and of attention with the kernel *relu*, one of thirteen
# rivals.
#
# | split | least squares | attention |
# |---|---|---|
# | 1 | 3424 | 3361 |
# | 2 | 2891 | 3065 |
# | 3 | 2965 | 3299 |
# | 4 | 2855 | 3500 |
# | 5 | 2753 | 3380 |
# | 6 | 3246 | 3471 |
# | 7 | 3284 | 3629 |
# | 8 | 3014 | 3537 |
# | 9 | 2503 | 2958 |
# | 10 | 2958 | 3460 |
#
# Return four things. The mean difference, attention less least squares. The $t$ of the plain paired test, whose
# variance is that of the differences over ten. The $t$ when a variance is allowed for that the splits share rows: one
# part in ten becomes $\tfrac1{10} + \tfrac{.2}{.8}$. And the set of the letters of all statements that hold, given
# that the second $t$ has a p-value of .018:
#
# {statements}

# %% [markdown] tags=["statements"]
# - Fails: with all thirteen rivals allowed for, attention with *relu* is worse by more than chance, at the level .05.
#   Because: corrected for the number of rivals, .018 becomes more than .2, and only the mean of all outcomes is
#   worse.
# - Holds: the ten differences are not ten independent observations.
#   Because: all splits are of the same 442 patients, and any two share many rows of training.
# - Fails: ten more splits of the same patients would settle it.
#   Because: they bring no new patients, so what these happen to say stays in all of them.
# - Fails: on the same splits attention with *softmax* is worse than least squares by more than chance.
#   Because: with that kernel attention was level with least squares; the table says nothing of it.
# - Holds: of thirteen rivals level with least squares, more than one is to be expected with a p-value below .1.
#   Because: each has one chance in ten, which makes 1.3 on average.
# - Holds: the differences vary less than they would had each model been given splits of its own.
#   Because: both losses of a split are of the same patients, whose luck cancels in the difference.
# - Fails: with a probability of 98.2 per cent least squares predicts better than attention with *relu*.
#   Because: a p-value is computed as if the two were level; it is no probability that they are.
# - Holds: were half of the patients held out each time, the term for shared rows, now .2/.8, would be four times as
#   large.
#   Because: it would be .5/.5, which is one, in place of a quarter.
# - Holds: no prediction of attention with *relu* is below the lowest outcome of its training patients.
#   Because: its weights are never negative and sum to one, so that each prediction is an average of outcomes.


# %% tags=["answer"]
def read_the_race():
    """Return a mean difference, two values of t and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.series import corrected_t_test

    ours = np.array([3361, 3065, 3299, 3500, 3380, 3471, 3629, 3537, 2958, 3460.0])
    rival = np.array([3424, 2891, 2965, 2855, 2753, 3246, 3284, 3014, 2503, 2958.0])
    test = corrected_t_test(ours, rival, test_share=0.2)
    corrected = test.difference / test.standard_error
    return test.difference, corrected * np.sqrt(0.35 / 0.1), corrected, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = read_the_race()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the mean difference and the plain test"
import numpy as np

assert np.allclose(read_the_race()[:2], [376.7, 5.40], rtol=0.005), (
    "expected the mean of the differences, and that over the root of a tenth of their variance"
)


# %% tags=["test", "hidden"] points=1 why="the test that allows for shared rows"
import numpy as np

assert np.isclose(read_the_race()[2], 5.399 * np.sqrt(0.1 / 0.35), rtol=0.005), (
    "expected a smaller value, for a variance three and a half times as large"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
read_the_race()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.series import corrected_t_test, load_race

    losses = load_race("diabetes").losses(by_split=True)
    assert np.allclose([row[1:] for row in table], losses[["OLS", "attention, relu"]].round(0))
    assert losses.shape == (10, 14)
    least, relu, softmax = (losses[name].to_numpy() for name in ("OLS", "attention, relu", "attention, softmax"))
    assert round(corrected_t_test(relu, least, test_share=0.2).p_value, 3) == 0.018
    assert corrected_t_test(softmax, least, test_share=0.2).p_value > 0.5
    assert np.std(relu - least) < np.hypot(np.std(relu), np.std(least))


# %% tags=["wrong", "misconception"] marks=1 why="counts ten splits as ten experiments, and one p-value as the only one"
def read_the_race():
    return 376.7, 5.40, 5.40, {"A", "C"}


# %% tags=["wrong"] marks=2 why="forgets how many rivals there are"
def read_the_race():
    return 376.7, 5.40, 2.89, {"A", "B"}


# %% tags=["wrong"] marks=3 why="divides by ten and not by nine in the variance"
def read_the_race():
    return 376.7, 5.40 * np.sqrt(10 / 9), 5.40 * np.sqrt(1 / 3.5), {"B", "E"}


# %% tags=["wrong"] marks=1 why="takes the difference the other way round"
def read_the_race():
    return -376.7, -5.40, -2.89, {"B"}
