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
# hold, the last two for a forest of averages in place of the line:
#
# - A: the contribution of a row is what is lost without it;
# - B: here a row has a contribution above zero, and yet holds the forecast down;
# - C: the weight of a row says how far its outcome caused what is to come;
# - D: no forecast lies above the largest outcome that has a weight;
# - E: 17 effective rows of 194 mean that 177 rows have no weight.


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
    return weight, weight * (y[4] - y.mean()), without - fit.predict(asked)[0], {"B", "D"}
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


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert adds_and_takes()[3] == {"B", "D"}, (
    "expected two questions with two answers, no cause, and averages that stay among the outcomes they hear"
)


# %% tags=["checks"]
def agrees(text, table):
    assert [row[1] for row in table] == [1, 2, 3, 4, 10]
    assert [row[2] for row in table][:4] == [2, 3, 5, 4]


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


# %% tags=["wrong"] marks=3 why="counts effective rows as rows"
def adds_and_takes():
    last = {"last": "5 to 9"}
    return 0.68, 0.68 * (last - (14 + last) / 5), 7.9 - (1.44 + 0.68 * last), {"B", "D", "E"}
