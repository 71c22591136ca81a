# %% [markdown]
# **How far off a forecast is.** `quantiles` has the shape $(N, Q)$: a forecast for each of $N$ outcomes at each of the
# `levels`, $Q$ numbers between 0 and 1. Return for each outcome the mean over the levels of twice the pinball loss,
# divided by `unit`: $N$ numbers. Some machines return quantiles that cross; put those of each outcome into rising order
# first.


# %% tags=["answer"]
def scaled_losses(quantiles, outcomes, levels, unit):
    """Return the mean quantile loss of each outcome, in a unit."""
    ### BEGIN SOLUTION
    from regattn.series import quantile_losses

    return quantile_losses(np.sort(quantiles, axis=1), outcomes, levels=levels).mean(axis=1) / unit
    ### END SOLUTION


# %% tags=["test"] points=1 why="one outcome and its median, where the loss is the absolute error"
import numpy as np

assert np.allclose(scaled_losses(np.array([[3.0]]), np.array([8.0]), [0.5], 2.0), [2.5])

# %% tags=["test", "hidden"] points=2 why="random forecasts at several levels, above and below what came"
import numpy as np

from regattn.series import quantile_losses

rng = np.random.default_rng(190)
for N, levels, unit in [(5, [0.1, 0.5, 0.9], 1.0), (13, [0.05, 0.25, 0.5, 0.75, 0.95], 3.0), (29, [0.3, 0.7], 0.2)]:
    quantiles = np.sort(rng.normal(size=(N, len(levels))), axis=1)
    outcomes = rng.normal(size=N)
    wanted = quantile_losses(quantiles, outcomes, levels=levels).mean(axis=1) / unit
    assert np.allclose(scaled_losses(quantiles, outcomes, levels, unit), wanted), (
        f"expected the mean over {len(levels)} levels, in the unit {unit}, for forecasts above and below what came"
    )

# %% tags=["test", "hidden"] points=1 why="quantiles that cross, of which those given stay as they were"
import numpy as np

from regattn.series import quantile_losses

quantiles = np.array([[4.0, 1.0, 2.0], [0.0, 5.0, 3.0]])
before, outcomes, levels = quantiles.copy(), np.array([3.0, 1.0]), [0.2, 0.5, 0.8]
given = scaled_losses(quantiles, outcomes, levels, 1.0)
wanted = quantile_losses(np.sort(before, axis=1), outcomes, levels=levels).mean(axis=1)
assert np.allclose(given, wanted), "expected the losses of the quantiles in rising order"
assert np.array_equal(quantiles, before), "expected the quantiles that were given to stay as they were"


# %% tags=["wrong"] marks=0 why="forgets the factor of two"
def scaled_losses(quantiles, outcomes, levels, unit):
    from regattn.series import quantile_losses

    return quantile_losses(np.sort(quantiles, axis=1), outcomes, levels=levels).mean(axis=1) / (2 * unit)


# %% tags=["wrong", "misconception"] marks=1 why="turns the levels round, so that the wrong side is dear"
def scaled_losses(quantiles, outcomes, levels, unit):
    from regattn.series import quantile_losses

    levels = 1 - np.asarray(levels)
    return quantile_losses(np.sort(quantiles, axis=1), outcomes, levels=levels).mean(axis=1) / unit


# %% tags=["wrong"] marks=3 why="leaves quantiles that cross as they are"
def scaled_losses(quantiles, outcomes, levels, unit):
    from regattn.series import quantile_losses

    return quantile_losses(quantiles, outcomes, levels=levels).mean(axis=1) / unit
