# %% [markdown]
# **What a row contributes, and what it takes with it.** A line with an intercept was fitted to five rows and is asked
# at $x = 8$.
#
# | row | x | y |
# |---|---|---|
# | one | 1 | 2 |
# | two | 2 | 3 |
# | three | 3 | 5 |
# | four | 4 | 4 |
# | five | 10 | `{"last": "5 to 9"}` |
#
# Return three numbers, to two decimals or better, and a set: the weight of row five in the forecast; its contribution,
# that is its whole weight, the equal share included, times how far its outcome lies from the mean of all five; by how
# much the forecast would be higher had the line never seen row five; and the set of the letters of all statements that
# hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Fails: a row whose outcome is the mean of all contributes nothing, so the forecast without it is the same.
#   Because: a line fitted without it is another line; what a row adds is not what is lost without it.
# - Holds: row five has a contribution above zero, and yet holds the forecast of the line down.
#   Because: its outcome lies above the mean, but below what a line through the other four expects there.
# - Fails: the weight of a row says how far its outcome caused what is to come.
#   Because: a weight is a share in a fit, and no cause.
# - Holds: a forest of averages forecasts nothing above the largest outcome that has a weight.
#   Because: its weights are not below zero and sum to one, so it stays among the outcomes it hears.
# - Fails: if a forest has 17 effective rows of 194, then 177 rows have no weight.
#   Because: its weight is spread as if over 17 equal rows; many more can have a little.
# - Holds: row one has a weight below zero: had its outcome been higher, the forecast of the line would be lower.
#   Because: its weight is .2 less .24, and the forecast is the sum of weights times outcomes.
# - Holds: two models can be near each other in a forecast and listen to different rows.
#   Because: ridge and the forest say .31 and .43, and have a quarter of their weight in common.
# - Fails: where three models forecast much the same, an outcome well outside of what they say can be ruled out.
#   Because: for 2009 three models said .31 to .43, and unemployment rose by 1.2.
# - Fails: a network that was trained by descent can be asked for its weights on the outcomes, as a forest can.
#   Because: no such weights are found for it, and the call says so and gives no number.


# %% tags=["answer"]
def adds_and_takes():
    """Return a weight, a contribution, what is lost without the row and a set of letters."""
    ### BEGIN SOLUTION
    from sklearn.linear_model import LinearRegression

    from regattn.attribution import observation_weights

    x, y = np.array([[1.0], [2], [3], [4], [10]]), np.array([2.0, 3, 5, 4, {"last": "5 to 9"}])
    asked, fit = np.array([[8.0]]), LinearRegression().fit(x, y)
    weight = observation_weights(fit, x, asked)[0, 4]
    without = LinearRegression().fit(x[:4], y[:4]).predict(asked)[0]
    return weight, weight * (y[4] - y.mean()), without - fit.predict(asked)[0], {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = adds_and_takes()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the weight, and the contribution"
import numpy as np

last = {"last": "5 to 9"}
assert np.allclose(adds_and_takes()[:2], [0.68, 0.68 * (last - (14 + last) / 5)], atol=0.006), (
    "expected the equal share and a correction, and both together times a distance from the mean"
)


# %% tags=["test", "hidden"] points=2 why="what is lost without it"
import numpy as np

x, y = np.array([1.0, 2, 3, 4, 10]), np.array([2.0, 3, 5, 4, {"last": "5 to 9"}])
wanted = np.polyval(np.polyfit(x[:4], y[:4], 1), 8) - np.polyval(np.polyfit(x, y, 1), 8)
assert np.isclose(adds_and_takes()[2], wanted, atol=0.011), (
    "expected the forecast of a line through the other four, less this one"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
adds_and_takes()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    assert [row[1] for row in table] == [1, 2, 3, 4, 10]
    assert [row[2] for row in table][:4] == [2, 3, 5, 4]
    x, others = np.array([row[1] for row in table]), [row[2] for row in table][:4]
    weights = 1 / 5 + (8 - x.mean()) * (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    assert weights[0] < 0 < weights[4]
    for last in range(5, 10):  # whatever a student has
        y = np.array([*others, last])
        assert y[4] > y.mean()
        assert np.polyval(np.polyfit(x[:4], others, 1), 8) > weights @ y


# %% tags=["wrong", "misconception"] marks=1 why="takes a contribution for what is lost without the row"
def adds_and_takes():
    last = {"last": "5 to 9"}
    contribution = 0.68 * (last - (14 + last) / 5)
    return 0.68, contribution, -contribution, {"A", "C"}


# %% tags=["wrong"] marks=4 why="takes the equal share off the weight, which gives what chapter 3 calls adds"
def adds_and_takes():
    last = {"last": "5 to 9"}
    return 0.68, (0.68 - 0.2) * (last - (14 + last) / 5), 7.9 - (1.44 + 0.68 * last), {"B", "D"}


# %% tags=["wrong"] marks=4 why="leaves the mean out"
def adds_and_takes():
    last = {"last": "5 to 9"}
    return 0.68, 0.68 * last, 7.9 - (1.44 + 0.68 * last), {"B", "D"}


# %% tags=["wrong"] marks=3 why="turns the sign of what is lost"
def adds_and_takes():
    last = {"last": "5 to 9"}
    return 0.68, 0.68 * (last - (14 + last) / 5), 1.44 + 0.68 * last - 7.9, {"B", "D"}


# %% tags=["wrong"] marks=4 why="counts effective rows as rows"
def adds_and_takes():
    last = {"last": "5 to 9"}
    return 0.68, 0.68 * (last - (14 + last) / 5), 7.9 - (1.44 + 0.68 * last), {"B", "D", "E"}
