# %% [markdown]
# **A price for distance.** Row $i$ of `scores` holds what token $i$ thinks of each token; it may look at itself and
# back. A token $d$ places back costs `slope` times $d$. Return the softmax weights: zeros above the diagonal, rows that
# sum to one.


# %% tags=["answer"]
def priced_weights(scores, slope):
    """Return softmax weights whose scores pay for distance."""
    ### BEGIN SOLUTION
    from regattn import attention_weights, causal_mask

    n = len(scores)
    back = np.subtract.outer(np.arange(n), np.arange(n))
    return attention_weights(scores - slope * back, np.eye(n), scale=1.0, mask=causal_mask(n))
    ### END SOLUTION


# %% tags=["test"] points=1 why="equal scores, a slope of ln 2"
import numpy as np

assert np.allclose(priced_weights(np.zeros((2, 2)), np.log(2)), [[1, 0], [1 / 3, 2 / 3]])

# %% tags=["test", "hidden"] points=2 why="random scores, several slopes"
import numpy as np

rng = np.random.default_rng(171)
for n, slope in [(4, 0.0), (9, 0.3), (15, 2.0)]:
    s = rng.normal(size=(n, n))
    w = np.tril(np.exp(s - slope * np.subtract.outer(np.arange(n), np.arange(n))))
    assert np.allclose(priced_weights(s, slope), w / w.sum(axis=1, keepdims=True)), (
        f"expected softmax weights of {n} tokens that look back and pay {slope} for a step"
    )

# %% tags=["test", "hidden"] points=1 why="scores of a thousand"
import numpy as np

given = priced_weights(1000.0 * np.eye(3)[::-1], 1.0)
assert np.allclose(given.sum(axis=1), 1), "expected rows that sum to one for scores of a thousand"
assert np.isclose(given[2, 0], 1), "expected finite weights, nearly all on the token of the largest score"


# %% tags=["wrong"] marks=1 why="pays for nearness"
def priced_weights(scores, slope):
    from regattn import attention_weights, causal_mask

    n = len(scores)
    back = np.subtract.outer(np.arange(n), np.arange(n))
    return attention_weights(scores + slope * back, np.eye(n), scale=1.0, mask=causal_mask(n))


# %% tags=["wrong"] marks=1 why="looks ahead"
def priced_weights(scores, slope):
    from regattn.from_scratch import softmax

    n = len(scores)
    return softmax(scores - slope * np.abs(np.subtract.outer(np.arange(n), np.arange(n))))


# %% tags=["wrong"] marks=3 why="takes the exponential of scores as they are"
def priced_weights(scores, slope):
    n = len(scores)
    w = np.tril(np.exp(scores - slope * np.subtract.outer(np.arange(n), np.arange(n))))
    return w / w.sum(axis=1, keepdims=True)
