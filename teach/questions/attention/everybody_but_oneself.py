# %% [markdown]
# **Ask the others.** Each row of `codes` is a query and a key. Return for each row the average of `values` over all
# *other* rows, with softmax weights on `scale` times the inner products of the codes. Scores may be as large as a
# thousand.


# %% tags=["answer"]
def ask_the_others(codes, values, scale):
    """Return for each row the softmax average of the values of the other rows."""
    ### BEGIN SOLUTION
    from regattn import attend, others_mask

    return attend(codes, codes, values, scale=scale, mask=others_mask(len(codes)))
    ### END SOLUTION


# %% tags=["test"] points=1 why="two rows, each of which hears the other alone"
import numpy as np

assert np.allclose(ask_the_others(np.eye(2), np.array([3.0, 8.0]), 1.0), [8, 3])

# %% tags=["test", "hidden"] points=2 why="random codes, several scales, values of one and of more columns"
import numpy as np

from regattn import attend, others_mask

rng = np.random.default_rng(51)
for n, d, scale, shape in [(5, 2, 1.0, (5,)), (11, 3, 0.3, (11, 2)), (23, 7, 2.0, (23,))]:
    codes, values = rng.normal(size=(n, d)), rng.normal(size=shape)
    wanted = attend(codes, codes, values, scale=scale, mask=others_mask(n))
    assert np.allclose(ask_the_others(codes, values, scale), wanted), (
        f"expected averages over the other {n - 1} rows, with a scale of {scale} and values of shape {shape}"
    )

# %% tags=["test", "hidden"] points=1 why="a row whose score with itself drowns all others"
import numpy as np

codes = np.array([[40.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
assert np.allclose(ask_the_others(codes, np.array([10.0, 20.0, 40.0]), 1.0)[0], 30), (
    "expected the average of the two others, however large the score of a row with itself"
)


# %% tags=["wrong"] marks=0 why="lets each row ask itself, too"
def ask_the_others(codes, values, scale):
    from regattn import attend

    return attend(codes, codes, values, scale=scale)


# %% tags=["wrong", "misconception"] marks=1 why="sets the score with oneself to zero, which is no weight of zero"
def ask_the_others(codes, values, scale):
    from regattn.from_scratch import softmax

    scores = scale * codes @ codes.T
    np.fill_diagonal(scores, 0)
    return softmax(scores) @ values


# %% tags=["wrong"] marks=3 why="takes the weight with oneself out after the softmax, where it may have been all"
def ask_the_others(codes, values, scale):
    from regattn.from_scratch import softmax

    weights = softmax(scale * codes @ codes.T)
    np.fill_diagonal(weights, 0)
    return weights / weights.sum(axis=1, keepdims=True) @ values
