# %% [markdown]
# **Whom the level hears.** A local level filter begins with the first value as its level and a gain of one. At each
# later value the gain $g$ becomes $(g + r)/(g + r + 1)$, where $r$ is `ratio`, the variance of the level's steps over
# that of the noise, and the level moves by the gain times what it missed. Return the weight of each of `n` values in
# the level after the last: `n` numbers, oldest first.


# %% tags=["answer"]
def level_weights(n, ratio):
    """Return the weight of each of n values in the level that the filter sees last."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import level_filter

    return np.array([level_filter(value, ratio)[-1] for value in np.eye(n)])
    ### END SOLUTION


# %% tags=["test"] points=0 why="a weight for each of nine values, one in all"
import numpy as np

given = level_weights(9, 0.2)
assert np.shape(given) == (9,)
assert np.isclose(np.sum(given), 1)

# %% tags=["test"] points=1 why="two values, by hand"
import numpy as np

assert np.allclose(level_weights(2, 1.0), [1 / 3, 2 / 3])

# %% tags=["test", "hidden"] points=3 why="the level of random series, at several ratios"
import numpy as np

from regattn.from_scratch import level_filter

rng = np.random.default_rng(100)
for n, ratio in [(1, 0.5), (5, 0.0), (13, 0.07), (29, 3.0)]:
    y = rng.normal(size=n)
    assert np.isclose(level_weights(n, ratio) @ y, level_filter(y, ratio)[-1]), (
        f"expected weights that give the level of {n} random values at the ratio {ratio}, oldest first"
    )

# %% tags=["test", "hidden"] points=1 why="a ratio of zero, which hears everybody alike"
import numpy as np

assert np.allclose(level_weights(17, 0.0), 1 / 17), "expected equal weights when the level never moves"


# %% tags=["wrong", "misconception"] marks=0 why="takes the gain of the long run from the beginning"
def level_weights(n, ratio):
    gain = (np.sqrt(ratio**2 + 4 * ratio) - ratio) / 2
    weights = gain * (1 - gain) ** np.arange(n)[::-1]
    weights[0] = (1 - gain) ** (n - 1)
    return weights


# %% tags=["wrong"] marks=1 why="puts the latest value first"
def level_weights(n, ratio):
    from regattn.from_scratch import level_filter

    return np.array([level_filter(value, ratio)[-1] for value in np.eye(n)])[::-1]


# %% tags=["wrong"] marks=0 why="moves with the gain of the step before"
def level_weights(n, ratio):
    weights, gain = np.eye(n)[0], 1.0
    for k in range(1, n):
        weights = weights + gain * (np.eye(n)[k] - weights)
        gain = (gain + ratio) / (gain + ratio + 1)
    return weights
