# %% [markdown]
# **Attention to the past.** Rows are dates, in order. Date $t$ may attend to the dates up to and including itself.
# Return for each date the average of `values` with softmax weights on the inner products of its query with the keys
# that it may see, multiplied by `scale`. Use a mask or a loop, but neither `regattn` nor `torch`.


# %% tags=["answer"]
def attend_to_past(queries, keys, values, scale):
    """Return for each date the average of the values up to it, with softmax weights."""
    ### BEGIN SOLUTION
    scores = scale * queries @ keys.T
    scores = np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ values
    ### END SOLUTION


# %% tags=["test"] points=1 why="the first date, which sees itself alone"
import numpy as np

codes = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
assert np.isclose(attend_to_past(codes, codes, np.array([10.0, 20.0, 40.0]), 1.0)[0], 10)

# %% tags=["test", "hidden"] points=2 why="every date, on random data and at several scales"
import numpy as np

rng = np.random.default_rng(50)
for n, d, scale in [(5, 2, 1.0), (13, 3, 0.3), (23, 7, 2.0)]:
    queries, keys = rng.normal(size=(2, n, d))
    values = rng.normal(size=n)
    for t, given in enumerate(attend_to_past(queries, keys, values, scale)):
        weights = np.exp(scale * keys[: t + 1] @ queries[t])
        assert np.isclose(given, weights @ values[: t + 1] / weights.sum()), (
            f"expected the average over the first {t + 1} of {n} dates, with a scale of {scale}"
        )

# %% tags=["test", "hidden"] points=1 why="scores of a thousand and more"
import numpy as np

codes = np.array([[40.0, 0.0], [0.0, 40.0], [40.0, 1.0]])
given = attend_to_past(codes, codes, np.array([10.0, 20.0, 40.0]), 1.0)
assert np.allclose(given, [10, 20, 10 / (1 + np.e) + 40 * np.e / (1 + np.e)]), (
    "expected finite averages for scores of a thousand and more"
)


# %% tags=["wrong", "misconception"] marks=0 why="lets every date see the future"
def attend_to_past(queries, keys, values, scale):
    scores = scale * queries @ keys.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ values


# %% tags=["wrong"] marks=3 why="takes the exponentials of the scores as they are, which overflow"
def attend_to_past(queries, keys, values, scale):
    weights = np.exp(scale * queries @ keys.T) * np.tri(len(queries))
    return weights / weights.sum(axis=1, keepdims=True) @ values


# %% tags=["wrong"] marks=2 why="leaves `scale` out"
def attend_to_past(queries, keys, values, scale):
    scores = np.where(np.tri(len(queries), dtype=bool), queries @ keys.T, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ values
