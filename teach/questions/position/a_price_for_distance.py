# %% [markdown]
# **A price for distance.** Row $i$ of `scores` holds what token $i$ thinks of each token; it may look at itself and
# back. A token $d$ places back costs $d$ times `{"price": "2 to 9"}` tenths. Return the softmax weights: zeros above
# the diagonal, rows that sum to one.


# %% tags=["answer"]
def priced_weights(scores):
    """Return softmax weights whose scores pay for distance."""
    ### BEGIN SOLUTION
    from regattn import attention_weights, causal_mask

    n = len(scores)
    back = np.subtract.outer(np.arange(n), np.arange(n))
    return attention_weights(scores - {"price": "2 to 9"} / 10 * back, np.eye(n), scale=1.0, mask=causal_mask(n))
    ### END SOLUTION


# %% tags=["test"] points=1 why="equal scores"
import numpy as np

far = np.exp(-{"price": "2 to 9"} / 10)
assert np.allclose(priced_weights(np.zeros((2, 2))), [[1, 0], [far / (far + 1), 1 / (far + 1)]])

# %% tags=["test", "hidden"] points=2 why="random scores"
import numpy as np

rng = np.random.default_rng(171)
slope = {"price": "2 to 9"} / 10
for n in (4, 9, 15):
    s = rng.normal(size=(n, n))
    w = np.tril(np.exp(s - slope * np.subtract.outer(np.arange(n), np.arange(n))))
    assert np.allclose(priced_weights(s), w / w.sum(axis=1, keepdims=True)), (
        f"expected softmax weights of {n} tokens that look back and pay {slope} for a step"
    )

# %% tags=["test", "hidden"] points=1 why="scores of a thousand"
import numpy as np

given = priced_weights(1000.0 * np.eye(3)[::-1])
assert np.allclose(given.sum(axis=1), 1), "expected rows that sum to one for scores of a thousand"
assert np.isclose(given[2, 0], 1), "expected finite weights, nearly all on the token of the largest score"


# %% tags=["wrong", "misconception"] marks=1 why="pays for nearness"
def priced_weights(scores):
    from regattn import attention_weights, causal_mask

    n = len(scores)
    back = np.subtract.outer(np.arange(n), np.arange(n))
    return attention_weights(scores + {"price": "2 to 9"} / 10 * back, np.eye(n), scale=1.0, mask=causal_mask(n))


# %% tags=["wrong"] marks=1 why="looks ahead"
def priced_weights(scores):
    from regattn.from_scratch import softmax

    n = len(scores)
    return softmax(scores - {"price": "2 to 9"} / 10 * np.abs(np.subtract.outer(np.arange(n), np.arange(n))))


# %% tags=["wrong"] marks=3 why="takes the exponential of scores as they are"
def priced_weights(scores):
    n = len(scores)
    w = np.tril(np.exp(scores - {"price": "2 to 9"} / 10 * np.subtract.outer(np.arange(n), np.arange(n))))
    return w / w.sum(axis=1, keepdims=True)
