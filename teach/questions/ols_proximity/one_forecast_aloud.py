# %% [markdown]
# **One forecast, read aloud.** The chapter's regression, fitted to the same 199 quarters, is asked about one of
# them: what will inflation be one quarter later? What followed the 199 is 4.00 in the mean. Here are six of them:
#
# | quarter | inflation then | what followed |
# |---|---|---|
# | 1974Q2 | 9.86 | 13.56 |
# | 1974Q3 | 13.56 | 10.07 |
# | 1982Q1 | 2.53 | 10.39 |
# | 1986Q1 | -4.39 | 2.93 |
# | 2005Q3 | 9.14 | 0.40 |
# | 2005Q4 | 0.40 | 2.60 |
#
# These are their weights in the forecasts from five quarters:
#
# | quarter | 1: 1966Q4 | 2: 1973Q4 | 3: 1979Q1 | 4: 1980Q1 | 5: 2006Q3 |
# |---|---|---|---|---|---|
# | 1974Q2 | -.001 | .027 | .029 | .036 | -.010 |
# | 1974Q3 | -.014 | .039 | .045 | .049 | -.028 |
# | 1982Q1 | .013 | -.014 | -.005 | .019 | .027 |
# | 1986Q1 | .027 | -.030 | -.032 | -.024 | .044 |
# | 2005Q3 | -.011 | .027 | .027 | .019 | -.022 |
# | 2005Q4 | .018 | -.005 | -.010 | -.012 | .021 |
#
# And these are the distances of their codes from that of the quarter which asks:
#
# | quarter | 1: 1966Q4 | 2: 1973Q4 | 3: 1979Q1 | 4: 1980Q1 | 5: 2006Q3 |
# |---|---|---|---|---|---|
# | 1974Q2 | .235 | .026 | .059 | .154 | .281 |
# | 1974Q3 | .338 | .096 | .076 | .170 | .384 |
# | 1982Q1 | .299 | .381 | .367 | .345 | .257 |
# | 1986Q1 | .227 | .409 | .422 | .442 | .154 |
# | 2005Q3 | .302 | .131 | .158 | .273 | .346 |
# | 2005Q4 | .080 | .232 | .267 | .328 | .084 |
#
# Yours is the forecast in column `{"date": "1 to 5"}`. Return four things about it. Which of the six it listens to
# most, that is the one with the largest weight above zero, as a text such as `"1974Q2"`. What 1974Q3 adds, in points:
# its weight beyond an equal share, times the distance of what followed it from the mean. By how many points the
# forecast would change if inflation after the furthest of the six had been ten points higher. And the set of the
# letters of all statements that hold:
#
# {statements}

# %% [markdown] tags=["statements"]
# - Fails: the nearer one of the six is to the quarter that asks, the larger is its weight.
#   Because: one of the six lies further away than the nearest and has a larger weight: the length of its code counts,
#   too.
# - Holds: in a column where 1974Q3 has a weight below zero, the high inflation after it makes the forecast lower.
#   Because: what followed lies above the mean, and a weight below zero subtracts it.
# - Holds: the weight of 1986Q1 is larger in size than that of 1982Q1, yet 1982Q1 adds more in size.
#   Because: what followed 1986Q1 lies near the mean, so that even a large weight adds little.
# - Fails: had inflation after 1974Q3 been 15, what 1974Q3 adds would have the other sign.
#   Because: 15 lies above the mean, as 10.07 does; whether inflation rose or fell does not enter.
# - Fails: were 2005Q3 left out of the data, the forecast would be lower by its weight times .40.
#   Because: the regression would be fitted anew, and all other weights would change as well.
# - Holds: with other targets and the same predictors, every weight in the table would be the same.
#   Because: weights are made of the predictors alone; no target enters.
# - Fails: however extreme the quarter that asks, the forecast lies between the lowest and the highest inflation that
#   followed the 199.
#   Because: some weights are below zero, so that a forecast can leave that range: a regression extrapolates.
# - Holds: were all codes turned by the same rotation, every weight and every distance in the tables would stay.
#   Because: a turn leaves lengths and inner products as they are.
# - Fails: had inflation in 1974Q3 itself been a point higher, the forecast would change by the weight of 1974Q3.
#   Because: that weight multiplies what followed 1974Q3; another value of a predictor changes the weights themselves.


# %% tags=["answer"]
def read_aloud():
    """Return a quarter, two numbers of points and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.data import load_macro
    from regattn.regression import spectrum

    asked = ["1966Q4", "1973Q4", "1979Q1", "1980Q1", "2006Q3"][{"date": "1 to 5"} - 1]
    six = ["1974Q2", "1974Q3", "1982Q1", "1986Q1", "2005Q3", "2005Q4"]
    macro = load_macro()
    X, y = macro[["inflation", "unemployment", "bill_rate"]], macro["inflation"].shift(-1).loc[:"2008Q3"]
    fit = spectrum(X.loc[:"2008Q3"].to_numpy(), centre=True)
    new, at = X.loc[[asked]].to_numpy(), [y.index.get_loc(name) for name in six]
    weight, apart = fit.weights(new)[0, at], np.linalg.norm(fit.codes() - fit.codes(new), axis=1)[at]
    adds = (weight - 1 / len(y)) * (y.iloc[at].to_numpy() - y.mean())
    return six[weight.argmax()], adds[1], 10 * weight[apart.argmax()], {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="a text, two numbers and a set"
quarter, *points, letters = read_aloud()
assert isinstance(quarter, str)
assert len(points) == 2
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the quarter that is heard most"
wanted = ["1986Q1", "1974Q3", "1974Q3", "1974Q3", "1986Q1"][{"date": "1 to 5"} - 1]
assert read_aloud()[0] == wanted, "expected the quarter of the largest weight, which is not the nearest"


# %% tags=["test", "hidden"] points=1 why="what a quarter adds"
import numpy as np

weight = [-0.014, 0.039, 0.045, 0.049, -0.028][{"date": "1 to 5"} - 1]
assert np.isclose(read_aloud()[1], (weight - 1 / 199) * (10.07 - 4.00), atol=0.01), (
    "expected the weight less one part in 199, times how far what followed lies from the mean"
)


# %% tags=["test", "hidden"] points=1 why="what another outcome would have done"
import numpy as np

weight = [-0.014, -0.030, -0.032, -0.024, -0.028][{"date": "1 to 5"} - 1]
assert np.isclose(read_aloud()[2], 10 * weight, atol=0.01), (
    "expected ten times the weight of the furthest, with its sign"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
read_aloud()[3]


# %% tags=["checks"]
def agrees(text, table):
    import re

    import numpy as np

    from regattn.data import load_macro
    from regattn.regression import spectrum

    macro = load_macro()
    X, y = macro[["inflation", "unemployment", "bill_rate"]], macro["inflation"].shift(-1).loc[:"2008Q3"]
    fit = spectrum(X.loc[:"2008Q3"].to_numpy(), centre=True)
    first, second = (re.findall(r"\d: (\w+)", line) for line in text.splitlines() if "| 1: " in line)
    assert first == second
    assert len(first) == 5
    new = X.loc[first].to_numpy()
    apart = np.linalg.norm(fit.codes(new)[:, None] - fit.codes(), axis=2)
    assert len(table) == 18
    for (name, *known), (_, *weights), (_, *distances) in zip(table[:6], table[6:12], table[12:], strict=True):
        at = y.index.get_loc(name)
        assert np.allclose([X["inflation"].iloc[at], y.iloc[at]], known, atol=0.006)
        assert np.allclose(fit.weights(new)[:, at], weights, atol=0.0006)
        assert np.allclose(apart[:, at], distances, atol=0.0006)
    assert [row[0] for row in table] == 3 * [row[0] for row in table[:6]]
    assert len(y) == 199
    assert round(y.mean(), 2) == 4
    weights, distances = (np.array([row[1:] for row in rows]) for rows in (table[6:12], table[12:]))
    assert (weights.argmax(axis=0) != distances.argmin(axis=0)).all()  # the nearest has not the largest weight
    adds = (weights - 1 / 199) * (np.array([row[2:] for row in table[:6]]) - 4)
    assert (np.abs(weights[3]) > np.abs(weights[2])).all()
    assert (np.abs(adds[3]) < np.abs(adds[2])).all()
    assert (adds[1][weights[1] < 0] < 0).all()
    at = [y.index.get_loc(name) for name in ("2005Q3", "1974Q3")]
    rest, other = np.delete(X.loc[:"2008Q3"].to_numpy(), at[0], axis=0), X.loc[:"2008Q3"].to_numpy()
    other[at[1], 0] += 1  # inflation in 1974Q3 itself
    without = spectrum(rest, centre=True).weights(new) @ np.delete(y.to_numpy(), at[0])
    higher = spectrum(other, centre=True).weights(new) @ y.to_numpy()
    forecasts = fit.weights(new) @ y.to_numpy()
    assert (np.abs(forecasts - without - 0.4 * weights[4]) > 0.05).all()
    assert (np.abs(higher - forecasts - weights[1]) > 0.01).all()


# %% tags=["wrong", "misconception"] marks=0 why="takes the nearest for the loudest and every weight for positive"
def read_aloud():
    at = {"date": "1 to 5"} - 1
    near = ["2005Q4", "1974Q2", "1974Q2", "1974Q2", "2005Q4"][at]
    weight = [-0.014, 0.039, 0.045, 0.049, -0.028][at]
    far = [-0.014, -0.030, -0.032, -0.024, -0.028][at]
    return near, abs(weight) * 10.07, 10 * abs(far), {"A", "C"}


# %% tags=["wrong"] marks=4 why="takes a weight for what is lost without the quarter"
def read_aloud():
    at = {"date": "1 to 5"} - 1
    heard = ["1986Q1", "1974Q3", "1974Q3", "1974Q3", "1986Q1"][at]
    adds = ([-0.014, 0.039, 0.045, 0.049, -0.028][at] - 1 / 199) * 6.07
    far = [-0.014, -0.030, -0.032, -0.024, -0.028][at]
    return heard, adds, 10 * far, {"B", "C", "E"}


# %% tags=["wrong"] marks=4 why="forgets the sign of a weight below zero"
def read_aloud():
    at = {"date": "1 to 5"} - 1
    heard = ["1986Q1", "1974Q3", "1974Q3", "1974Q3", "1986Q1"][at]
    adds = ([-0.014, 0.039, 0.045, 0.049, -0.028][at] - 1 / 199) * 6.07
    far = [-0.014, -0.030, -0.032, -0.024, -0.028][at]
    return heard, adds, 10 * abs(far), {"B", "C"}


# %% tags=["wrong"] marks=4 why="forgets the equal share and the mean"
def read_aloud():
    at = {"date": "1 to 5"} - 1
    heard = ["1986Q1", "1974Q3", "1974Q3", "1974Q3", "1986Q1"][at]
    weight = [-0.014, 0.039, 0.045, 0.049, -0.028][at]
    far = [-0.014, -0.030, -0.032, -0.024, -0.028][at]
    return heard, weight * 10.07, 10 * far, {"B", "C"}


# %% tags=["wrong"] marks=1 why="reads the tables as a chronicle"
def read_aloud():
    at = {"date": "1 to 5"} - 1
    near = ["2005Q4", "1974Q2", "1974Q2", "1974Q2", "2005Q4"][at]
    adds = ([-0.014, 0.039, 0.045, 0.049, -0.028][at] - 1 / 199) * 6.07
    return near, adds, 10.0, {"D"}
