# %% [markdown]
# **A map and one of its rows.** A vector autoregression of three series, with `{"lags": "2 to 5"}` lags and an
# intercept, is fitted to 203 quarters, and its attention map made. Another autoregression, with an intercept, has
# seen four dates, and its forecast gives three of them these weights:
#
# | date | weight | inflation | bill rate |
# |---|---|---|---|
# | 1974 | .50 | 11 | 8 |
# | 1975 | .30 | 9 | 6 |
# | 1979 | -.20 | 13 | 12 |
# | 1980 | ? | 10 | 13 |
#
# Return three numbers and a set: the rank of the map; the forecast of inflation; the bill rate of the context vector;
# and the set of the letters of all statements that hold:
#
# {statements}

# %% [markdown] tags=["statements"]
# - Fails: the fitted value of 1974 may be shown as what the model would have forecast then.
#   Because: the model was fitted to years after 1974 as well.
# - Holds: an autoregression with one lag cannot tell a rise from a fall that led to the same level.
#   Because: the row that it reads holds that level and nothing before it.
# - Fails: the bill rate of the context vector is a forecast of the bill rate, by a model that was fitted to it.
#   Because: nothing was fitted to the bill rate; it is averaged with the weights of a forecast of inflation.
# - Holds: anything that is known at the dates may be averaged with these weights.
#   Because: the weights come from the rows alone, so they average any column of values.
# - Fails: a longer sample gives the map a higher rank.
#   Because: the rank is the number of columns, whatever the number of quarters.
# - Holds: the map stays the same when inflation is measured in other units.
#   Because: the map is the projection on the columns, and other units leave their span as it was.
# - Fails: the weight of 1979 is below zero, so this date has no part in the forecast.
#   Because: its inflation enters with the opposite sign, and without it the forecast would be another.
# - Holds: with a weight below zero the forecast may lie above every value that is averaged.
#   Because: only weights that are not negative keep an average between its smallest and its largest value.
# - Fails: the date with the largest weight is the one whose row is nearest to the row of today.
#   Because: a row that lies further out in the same direction has a larger weight.


# %% tags=["answer"]
def map_and_row():
    """Return a rank, a forecast, an average and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import lag_rows
    from regattn.regression import proximity_weights

    series = np.random.default_rng(0).normal(size=(203, 3))
    X = np.hstack([lag_rows(each, {"lags": "2 to 5"})[0] for each in series.T])
    weights = np.array([0.5, 0.3, -0.2, 0.4])
    rank = np.linalg.matrix_rank(proximity_weights(X, X))
    return rank, weights @ [11, 9, 13, 10], weights @ [8, 6, 12, 13], {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = map_and_row()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the rank"
assert map_and_row()[0] == 3 * {"lags": "2 to 5"} + 1, (
    "expected a column for each lag of each series, and the intercept"
)


# %% tags=["test", "hidden"] points=2 why="both averages"
import numpy as np

assert np.allclose(map_and_row()[1:3], [9.6, 8.6], atol=0.01), (
    "expected the missing weight to make the sum one, and the same weights for both columns"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
map_and_row()[3]


# %% tags=["checks"]
def agrees(text, table):
    assert [row[1:] for row in table] == [[0.5, 11, 8], [0.3, 9, 6], [-0.2, 13, 12], ["?", 10, 13]]


# %% tags=["wrong", "misconception"] marks=0 why="takes the size of the map for its rank, a fitted value for a forecast"
def map_and_row():
    return 203, 10.75, 9.75, {"A", "E"}


# %% tags=["wrong"] marks=4 why="forgets the intercept"
def map_and_row():
    return 3 * {"lags": "2 to 5"}, 9.6, 8.6, {"B", "D"}


# %% tags=["wrong"] marks=2 why="takes a context vector for a model of its own"
def map_and_row():
    return 3 * {"lags": "2 to 5"} + 1, 9.6, 9.75, {"B", "C", "D"}


# %% tags=["wrong"] marks=3 why="leaves the unknown weight out"
def map_and_row():
    return 3 * {"lags": "2 to 5"} + 1, 5.6, 3.4, {"B", "D"}
