# %% [markdown]
# **How far the others come in.** Two firms have `{"years": "2 to 6"}` years each and a model with a constant only;
# the spread is $\tau = 1$. On other data, four ways of forecasting erred as the table says, in logs, root mean
# square:
#
# | way | error |
# |---|---|
# | pooled | .61 |
# | each firm alone | .85 |
# | partly pooled | .33 |
# | last year's figure | .29 |
#
# Return two numbers, to two decimals or better, and a set: the weight that a firm's forecast gives to its own years
# together; the weight of a single year of the other firm; and the set of the letters of all statements that follow
# from the table, or hold in general:
#
# - A: here it pays a firm to share in part rather than to go alone or to share all;
# - B: partial pooling forecasts better than anybody could without a model;
# - C: as the spread grows without end, each firm is left alone;
# - D: of more years and more firms, it is more firms that remove the bias of fixed effects with a lagged outcome;
# - E: with more years for each, a firm's own years have more of the weight.


# %% tags=["answer"]
def how_far_others_come_in():
    """Return two weights and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.series import panel_weights

    years = {"years": "2 to 6"}
    weights = panel_weights(np.ones((2 * years, 1)), np.repeat([0, 1], years), np.ones((1, 1)), [0], spread=1.0)[0]
    return weights[:years].sum(), weights[-1], {"A", "C", "E"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="two numbers and a set"
*numbers, letters = how_far_others_come_in()
assert len(numbers) == 2
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="both weights"
import numpy as np

years = {"years": "2 to 6"}
own = 0.5 + 0.5 / (1 + 1 / years)
assert np.allclose(how_far_others_come_in()[:2], [own, (1 - own) / years], atol=0.006), (
    "expected one half of the common mean, and of the way to its own mean the share that spread and years give"
)


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert how_far_others_come_in()[2] == {"A", "C", "E"}, (
    "expected to hold partial pooling against copying, too, and to know what years and firms can mend"
)


# %% tags=["checks"]
def agrees(text, table):
    assert [row[1] for row in table] == [0.61, 0.85, 0.33, 0.29]


# %% tags=["wrong", "misconception"] marks=0 why="lets every firm be alone or all be one"
def how_far_others_come_in():
    return 1.0, 0.0, {"B", "D"}


# %% tags=["wrong"] marks=2 why="forgets that the firm has a half of the common mean"
def how_far_others_come_in():
    years = {"years": "2 to 6"}
    return 1 / (1 + 1 / years), (1 / (years + 1)) / years, {"A", "C", "E"}


# %% tags=["wrong"] marks=2 why="forgets the simplest rival"
def how_far_others_come_in():
    years = {"years": "2 to 6"}
    own = 0.5 + 0.5 / (1 + 1 / years)
    return own, (1 - own) / years, {"A", "B", "C", "E"}


# %% tags=["wrong"] marks=2 why="gives the other firm one weight for all its years"
def how_far_others_come_in():
    years = {"years": "2 to 6"}
    own = 0.5 + 0.5 / (1 + 1 / years)
    return own, 1 - own, {"A", "C", "E"}
