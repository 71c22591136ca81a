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
# {statements}


# %% [markdown] tags=["statements"]
# - Holds: in the table it pays a firm to share in part rather than to go alone or to share all.
#   Because: partly pooled the error is .33, against .85 alone and .61 with all pooled.
# - Fails: partial pooling forecasts better than anybody could without a model.
#   Because: last year's figure, copied, needs no model and errs by .29, partial pooling by .33.
# - Holds: as the spread grows without end, each firm is left alone.
#   Because: at τ = ∞ the weights of the other firms' years are zero: the local model.
# - Fails: of more years and more firms, it is more firms that mend the bias of fixed effects with a lagged outcome.
#   Because: more firms remove its second part and never the first, −(1 + ρ)/n, which only more years make small.
# - Holds: with more years of each firm, a firm's own years have more of the weight together.
#   Because: the surer a firm's own mean is, the further the forecast goes from the common mean towards it.
# - Fails: the pooled way errs more than partial pooling for want of rows, and more years would bring it as near.
#   Because: both have the same rows; firms differ, and more rows do not mend a line that is one for all.
# - Fails: with a spread of zero in place of one, a firm would still hear its own years more than the other's.
#   Because: at τ = 0 the model is pooled: all years weigh alike, and those of each firm have one half.
# - Fails: with inputs, too, crossing the other firms out of the finished pooled weights and rescaling the rest
#   gives the local forecast.
#   Because: the mask lies on the inner products before they are inverted; each local firm compares rows by its own
#   inverse.
# - Holds: asked for a third firm of which no year is known, the model gives each of the two one half of the weight.
#   Because: that firm has nothing of its own to go to, so it gets what the two share, their mean.


# %% tags=["answer"]
def how_far_others_come_in():
    """Return two weights and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.series import panel_weights

    years = {"years": "2 to 6"}
    weights = panel_weights(np.ones((2 * years, 1)), np.repeat([0, 1], years), np.ones((1, 1)), [0], spread=1.0)[0]
    return weights[:years].sum(), weights[-1], {letters}
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


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
how_far_others_come_in()[2]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.series import panel_weights

    assert [row[1] for row in table] == [0.61, 0.85, 0.33, 0.29]
    for years in range(2, 7):
        rows = np.ones((2 * years, 1)), np.repeat([0, 1], years), np.ones((1, 1))
        heard = [panel_weights(*rows, [asks], spread=tau)[0] for asks, tau in ((0, 0), (0, np.inf), (2, 1))]
        assert np.allclose([weights[:years].sum() for weights in heard], [0.5, 1, 0.5])  # two of the statements


# %% tags=["wrong", "misconception"] marks=0 why="lets every firm be alone or all be one"
def how_far_others_come_in():
    return 1.0, 0.0, {"B", "D"}


# %% tags=["wrong"] marks=2 why="forgets that the firm has a half of the common mean"
def how_far_others_come_in():
    years = {"years": "2 to 6"}
    return 1 / (1 + 1 / years), (1 / (years + 1)) / years, {"A", "C", "E"}


# %% tags=["wrong"] marks=3 why="forgets the simplest rival"
def how_far_others_come_in():
    years = {"years": "2 to 6"}
    own = 0.5 + 0.5 / (1 + 1 / years)
    return own, (1 - own) / years, {"A", "B", "C", "E"}


# %% tags=["wrong"] marks=2 why="gives the other firm one weight for all its years"
def how_far_others_come_in():
    years = {"years": "2 to 6"}
    own = 0.5 + 0.5 / (1 + 1 / years)
    return own, 1 - own, {"A", "C", "E"}
