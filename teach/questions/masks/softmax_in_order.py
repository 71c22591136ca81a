# %% [markdown]
# **In order.** Each row of `codes` is a query and a key, and stands for a date. Return for each date the softmax
# average of `values` over that date and those before it, with scores of `scale` times the inner products. Scores may be
# as large as a thousand.


# %% tags=["answer"]
def in_order(codes, values, scale):
    """Return for each date the softmax average of what is known then."""
    ### BEGIN SOLUTION
    from regattn import attend, causal_mask

    return attend(codes, codes, values, scale=scale, mask=causal_mask(len(codes)))
    ### END SOLUTION


# %% tags=["test"] points=1 why="the first date hears itself alone"
import numpy as np

assert np.isclose(in_order(np.eye(3), np.array([3.0, 8.0, 1.0]), 1.0)[0], 3)

# %% tags=["test", "hidden"] points=2 why="random codes, several scales"
import numpy as np

rng = np.random.default_rng(92)
for n, d, scale in [(5, 2, 1.0), (17, 3, 0.3)]:
    codes, values = rng.normal(size=(n, d)), rng.normal(size=n)
    wanted = []
    for t in range(n):
        w = np.exp(scale * codes[: t + 1] @ codes[t])
        wanted.append(w @ values[: t + 1] / w.sum())
    assert np.allclose(in_order(codes, values, scale), wanted), (
        f"expected averages over each of {n} dates and those before it, with a scale of {scale}"
    )

# %% tags=["test", "hidden"] points=1 why="scores of a thousand, and nothing from later"
import numpy as np

codes = np.array([[1.0], [2.0], [30.0]])
given = in_order(codes, np.array([1.0, 2.0, 3.0]), 30.0)
assert np.allclose(given, [1, 2, 3]), "expected finite numbers for scores of a thousand, and nothing from later dates"


# %% tags=["wrong"] marks=0 why="lets every date hear all"
def in_order(codes, values, scale):
    from regattn import attend

    return attend(codes, codes, values, scale=scale)


# %% tags=["wrong", "misconception"] marks=1 why="sets later scores to zero, which is no weight of zero"
def in_order(codes, values, scale):
    from regattn.from_scratch import softmax

    return softmax(np.tril(scale * codes @ codes.T)) @ values


# %% tags=["wrong"] marks=0 why="masks the sum and not the divisor"
def in_order(codes, values, scale):
    from regattn.from_scratch import softmax

    return np.tril(softmax(scale * codes @ codes.T)) @ values
