# %% [markdown]
# **By hand, for a line.** A line with an intercept was fitted to five rows, with $x$ = 1, 2, 4, 5, 8 and outcomes 3,
# 6, 2, 8, 6. It is asked at $x$ = `{"asked": "9 to 14"}`. Return four numbers, to two decimals or better: the equal
# share with which every row begins; the correction that the row at $x = 8$ gets on top of it; the whole weight of the
# row at $x = 1$; and by how much the forecast would change if the outcome there had been 3 higher.


# %% tags=["answer"]
def line_by_hand():
    """Return the equal share, a correction, a weight and the change of the forecast."""
    ### BEGIN SOLUTION
    from regattn.regression import proximity_weights

    x = np.array([1.0, 2.0, 4.0, 5.0, 8.0])
    weights = proximity_weights(x[:, None], np.array([[{"asked": "9 to 14"}]]))[0]
    return 1 / 5, weights[4] - 1 / 5, weights[0], 3 * weights[0]
    ### END SOLUTION


# %% tags=["test"] points=0 why="four numbers"
assert len(line_by_hand()) == 4


# %% tags=["test", "hidden"] points=2 why="the equal share and the correction"
import numpy as np

x = np.array([1.0, 2.0, 4.0, 5.0, 8.0])
wanted = ({"asked": "9 to 14"} - x.mean()) * (8 - x.mean()) / np.sum((x - x.mean()) ** 2)
assert np.allclose(line_by_hand()[:2], [0.2, wanted], atol=0.006), (
    "expected one part in five for every row, and two distances from the mean, multiplied, over the sum of squares"
)


# %% tags=["test", "hidden"] points=1 why="the weight of the row at 1"
import numpy as np

from regattn.regression import proximity_weights

x = np.array([1.0, 2.0, 4.0, 5.0, 8.0])
wanted = proximity_weights(x[:, None], np.array([[{"asked": "9 to 14"}]]))[0, 0]
assert np.isclose(line_by_hand()[2], wanted, atol=0.006), (
    "expected a weight below zero for the row on the far side of the mean"
)


# %% tags=["test", "hidden"] points=1 why="what a higher outcome there would do"
import numpy as np

x, y = np.array([1.0, 2.0, 4.0, 5.0, 8.0]), np.array([3.0, 6.0, 2.0, 8.0, 6.0])
raised = y + np.array([3.0, 0.0, 0.0, 0.0, 0.0])
one, other = (np.polyval(np.polyfit(x, each, 1), {"asked": "9 to 14"}) for each in (y, raised))
assert np.isclose(line_by_hand()[3], other - one, atol=0.02), (
    "expected the weight of that row times the change of its outcome"
)


# %% tags=["wrong", "misconception"] marks=0 why="weighs rows by how near they are"
def line_by_hand():
    near = np.exp(-np.abs(np.array([1.0, 2.0, 4.0, 5.0, 8.0]) - {"asked": "9 to 14"}))
    weights = near / near.sum()
    return 1 / 5, weights[4] - 1 / 5, weights[0], 3 * weights[0]


# %% tags=["wrong"] marks=0 why="leaves the intercept out"
def line_by_hand():
    x = np.array([1.0, 2.0, 4.0, 5.0, 8.0])
    weights = {"asked": "9 to 14"} * x / (x @ x)
    return 1 / 5, weights[4] - 1 / 5, weights[0], 3 * weights[0]


# %% tags=["wrong"] marks=3 why="thinks that a higher outcome always raises a forecast"
def line_by_hand():
    x = np.array([1.0, 2.0, 4.0, 5.0, 8.0])
    weights = 1 / 5 + ({"asked": "9 to 14"} - 4) * (x - 4) / 30
    return 1 / 5, weights[4] - 1 / 5, weights[0], 3 * np.abs(weights[0])


# %% tags=["wrong"] marks=2 why="takes the correction for the whole weight"
def line_by_hand():
    x = np.array([1.0, 2.0, 4.0, 5.0, 8.0])
    corrections = ({"asked": "9 to 14"} - 4) * (x - 4) / 30
    return 1 / 5, corrections[4], corrections[0], 3 * corrections[0]
