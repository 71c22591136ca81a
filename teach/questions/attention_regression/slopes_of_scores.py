# %% [markdown]
# **Which scores would learn?** `scores[j, i]` is the score that row $j$ gives row $i$. Each row predicts its own target
# as the softmax average of the targets of all *other* rows. Return the slope of the squared error of row $j$, $(\hat
# y_j - y_j)^2$, in the score $s_{ji}$, for all $j$ and $i$: an array as large as `scores`, with zeros on its diagonal.


# %% tags=["answer"]
def score_slopes(scores, y):
    """Return the slope of each row's squared error in each of its scores."""
    ### BEGIN SOLUTION
    from regattn import attention_weights, others_mask

    weights = attention_weights(scores, np.eye(len(y)), scale=1.0, mask=others_mask(len(y)))
    fitted = weights @ y
    return 2 * (fitted - y)[:, None] * weights * (y - fitted[:, None])
    ### END SOLUTION


# %% tags=["test"] points=1 why="an array as large as the scores, its diagonal zero and its rows summing to zero"
import numpy as np

given = score_slopes(np.zeros((3, 3)), np.array([1.0, 2.0, 6.0]))
assert np.shape(given) == (3, 3)
assert np.allclose(np.diag(given), 0)
assert np.allclose(np.sum(given, axis=1), 0)

# %% tags=["test"] points=1 why="the first row of three, by hand"
import numpy as np

given = score_slopes(np.zeros((3, 3)), np.array([1.0, 2.0, 6.0]))
assert np.allclose(given[0], [0, -6, 6])

# %% tags=["test", "hidden"] points=3 why="slopes by differences, on random scores and targets"
import numpy as np

from regattn import attend, others_mask


def errors(scores, y):
    return (attend(scores, np.eye(len(y)), y, scale=1.0, mask=others_mask(len(y))) - y) ** 2


rng = np.random.default_rng(70)
for n in (5, 11, 17):
    scores, y, width = rng.normal(size=(n, n)), rng.normal(size=n), 1e-5
    given = score_slopes(scores, y)
    for i in range(n):
        step = width * np.eye(n)[i]  # the score for row i, in all rows at once
        wanted = (errors(scores + step, y) - errors(scores - step, y)) / (2 * width)
        assert np.allclose(given[:, i], wanted, atol=1e-7), (
            f"expected the slopes that small differences of the scores show, {n} rows, column {i}"
        )


# %% tags=["wrong"] marks=1 why="forgets the factor of two"
def score_slopes(scores, y):
    from regattn import attention_weights, others_mask

    weights = attention_weights(scores, np.eye(len(y)), scale=1.0, mask=others_mask(len(y)))
    fitted = weights @ y
    return (fitted - y)[:, None] * weights * (y - fitted[:, None])


# %% tags=["wrong"] marks=0 why="lets each row hear itself"
def score_slopes(scores, y):
    from regattn import attention_weights

    weights = attention_weights(scores, np.eye(len(y)), scale=1.0)
    fitted = weights @ y
    return 2 * (fitted - y)[:, None] * weights * (y - fitted[:, None])


# %% tags=["wrong", "misconception"] marks=0 why="takes the weights as if they moved without one another"
def score_slopes(scores, y):
    from regattn import attention_weights, others_mask

    weights = attention_weights(scores, np.eye(len(y)), scale=1.0, mask=others_mask(len(y)))
    return 2 * (weights @ y - y)[:, None] * weights * y
