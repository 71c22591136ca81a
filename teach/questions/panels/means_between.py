# %% [markdown]
# **Between one's own mean and all others'.** `y` holds outcomes and `units` whose they are. The model has a constant
# only: units' means spread around a common one with variance $\tau^2$, in units of the noise, and $\tau$ is `spread`, a
# number above zero. Return the prediction for each unit, as a dictionary. A unit of $n$ rows goes
# $\tau^2/(\tau^2 + 1/n)$ of the way from the common mean to its own, and in the common mean units count by
# $1/(\tau^2 + 1/n)$.


# %% tags=["answer"]
def partial_means(y, units, spread):
    """Return the partially pooled mean of each unit."""
    ### BEGIN SOLUTION
    from regattn.series import panel_weights

    ones, names = np.ones((len(y), 1)), list(dict.fromkeys(units))
    weights = panel_weights(ones, units, np.ones((len(names), 1)), names, spread=spread)
    return dict(zip(names, weights @ np.asarray(y, dtype=float), strict=True))
    ### END SOLUTION


# %% tags=["test"] points=1 why="two units of one row, by hand"
import numpy as np

given = partial_means([0.0, 1.0], ["a", "b"], 1.0)
assert set(given) == {"a", "b"}
assert np.allclose([given["a"], given["b"]], [0.25, 0.75])

# %% tags=["test", "hidden"] points=2 why="units of unequal length, at several spreads"
import numpy as np

from regattn.from_scratch import panel_weights

rng = np.random.default_rng(100)
units = np.array(["a"] + ["b"] * 3 + ["c"] * 7)
for spread in (0.2, 1.0, 5.0):
    y = rng.normal(size=11)
    weights = panel_weights(np.ones((11, 1)), units, np.ones((3, 1)), np.array(["a", "b", "c"]), spread)
    given = partial_means(y, units, spread)
    assert np.allclose([given[name] for name in "abc"], weights @ y), (
        f"expected means between each unit's own and the common one of the question, at a spread of {spread}"
    )

# %% tags=["test", "hidden"] points=1 why="a large spread, at which each unit is its own mean"
import numpy as np

given = partial_means([1.0, 2.0, 6.0], ["x", "y", "y"], 1e4)
assert np.allclose([given["x"], given["y"]], [1, 4], atol=1e-6), "expected each unit's own mean at a very large spread"


# %% tags=["wrong"] marks=2 why="takes the mean of all rows as the common mean"
def partial_means(y, units, spread):
    y, units, found = np.asarray(y, dtype=float), np.asarray(units), {}
    for name in dict.fromkeys(units):
        own = y[units == name]
        found[name] = y.mean() + spread**2 / (spread**2 + 1 / len(own)) * (own.mean() - y.mean())
    return found


# %% tags=["wrong", "misconception"] marks=1 why="gives every unit its own mean"
def partial_means(y, units, spread):
    y, units = np.asarray(y, dtype=float), np.asarray(units)
    return {name: y[units == name].mean() for name in dict.fromkeys(units)}


# %% tags=["wrong"] marks=2 why="shrinks all units alike, as if each had one row"
def partial_means(y, units, spread):
    y, units = np.asarray(y, dtype=float), np.asarray(units)
    own = {name: y[units == name].mean() for name in dict.fromkeys(units)}
    common, share = np.mean(list(own.values())), spread**2 / (spread**2 + 1)
    return {name: common + share * (mean - common) for name, mean in own.items()}
