# %% [markdown]
# **One forecast, read aloud.** At the end of 2008 the chapter's regression forecasts inflation one quarter ahead,
# from 199 past quarters. What followed them is 4.00 in the mean. Here are six of them, with the distance of their
# code from that of 2008Q4:
#
# | quarter | inflation then | what followed | weight | distance |
# |---|---|---|---|---|
# | 1973Q3 | 12.47 | 10.39 | -.057 | .508 |
# | 1979Q4 | 14.62 | 14.60 | -.065 | .538 |
# | 1982Q4 | -.82 | 3.66 | .060 | .258 |
# | 1986Q1 | -4.39 | 2.93 | .071 | .175 |
# | 2006Q3 | -1.58 | 3.30 | .041 | .220 |
# | 2008Q3 | -3.16 | -8.79 | .054 | .148 |
#
# Return four things. The quarter that the forecast listens to most, as a text such as `"1973Q3"`. What 1979Q4 adds to
# the forecast beyond an equal share of the mean, in points. By how many points the forecast would change if inflation
# after 1973Q3 had been ten points higher. And the set of the letters of all statements that follow from the table:
#
# - A: the nearer a quarter is, the more it counts;
# - B: what followed 1979Q4 was high, and that makes the forecast lower;
# - C: 1986Q1 is heard more than 2008Q3, yet 2008Q3 moves the forecast more;
# - D: after 1979Q4 inflation fell, and so the forecast is low;
# - E: were 2006Q3 left out of the data, the forecast would be lower by .041 times 3.30.


# %% tags=["answer"]
def read_aloud():
    """Return a quarter, two numbers of points and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.data import load_macro
    from regattn.regression import proximity_weights

    macro = load_macro()
    X = macro[["inflation", "unemployment", "bill_rate"]]
    y = macro["inflation"].shift(-1).loc[:"2008Q3"]
    weights = proximity_weights(X.loc[:"2008Q3"], X.loc[["2008Q4"]]).iloc[0]
    adds = (weights - 1 / len(y)) * (y - y.mean())
    return str(weights.idxmax()), adds["1979Q4"], 10 * weights["1973Q3"], {"B", "C"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="a text, two numbers and a set"
quarter, *points, letters = read_aloud()
assert isinstance(quarter, str)
assert len(points) == 2
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the quarter that is heard most"
assert read_aloud()[0] == "1986Q1", "expected the quarter of the largest weight, which is not the nearest"


# %% tags=["test", "hidden"] points=1 why="what a quarter adds"
import numpy as np

assert np.isclose(read_aloud()[1], (-0.065 - 1 / 199) * (14.60 - 4.00), atol=0.02), (
    "expected the weight less one part in 199, times how far what followed lies from the mean"
)


# %% tags=["test", "hidden"] points=1 why="what another outcome would have done"
import numpy as np

assert np.isclose(read_aloud()[2], -0.57, atol=0.01), "expected ten times the weight of that quarter, with its sign"


# %% tags=["test", "hidden"] points=2 why="what follows from the table and what does not"
assert read_aloud()[3] == {"B", "C"}, (
    "expected the signs of weights to count, and neither nearness nor a guess of what a fit without a quarter would say"
)


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.data import load_macro
    from regattn.regression import spectrum

    macro = load_macro()
    X = macro[["inflation", "unemployment", "bill_rate"]]
    y, new = macro["inflation"].shift(-1).loc[:"2008Q3"], X.loc[["2008Q4"]].to_numpy()
    fit = spectrum(X.loc[:"2008Q3"].to_numpy(), centre=True)
    apart = np.linalg.norm(fit.codes() - fit.codes(new), axis=1)
    for name, then, followed, weight, distance in table:
        at = y.index.get_loc(name)
        assert np.allclose([X["inflation"].iloc[at], y.iloc[at]], [then, followed], atol=0.006)
        assert np.allclose([fit.weights(new)[0, at], apart[at]], [weight, distance], atol=0.0006)
    assert len(table) == 6
    assert len(y) == 199
    assert round(y.mean(), 2) == 4


# %% tags=["wrong", "misconception"] marks=0 why="takes the nearest for the loudest and every weight for positive"
def read_aloud():
    return "2008Q3", 0.065 * 14.60, 0.57, {"A", "C"}


# %% tags=["wrong"] marks=3 why="takes a weight for what is lost without the quarter"
def read_aloud():
    return "1986Q1", -0.74, -0.57, {"B", "C", "E"}


# %% tags=["wrong"] marks=3 why="forgets the signs"
def read_aloud():
    return "1986Q1", 0.74, 0.57, {"B", "C"}


# %% tags=["wrong"] marks=4 why="forgets the equal share and the mean"
def read_aloud():
    return "1986Q1", -0.95, -0.57, {"B", "C"}


# %% tags=["wrong"] marks=1 why="reads the table as a chronicle"
def read_aloud():
    return "1979Q4", -0.74, 10.0, {"D"}
