# %% [markdown]
# **To one length.** Return the rows of `x` after a layer norm: each row less its mean, over its standard deviation,
# times `gain`, plus `shift`. The variance divides by the number of columns; no row is constant.


# %% tags=["answer"]
def normed(x, gain, shift):
    """Return rows after a layer norm."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import layer_norm

    return layer_norm(x) * gain + shift
    ### END SOLUTION


# %% tags=["test"] points=1 why="two numbers"
import numpy as np

assert np.allclose(normed(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2)), [[-1, 1]], atol=1e-4)

# %% tags=["test", "hidden"] points=2 why="random rows, gains and shifts"
import numpy as np

rng = np.random.default_rng(161)
x, gain, shift = rng.normal(size=(7, 5)) * 3 + 2, rng.normal(size=5), rng.normal(size=5)
centred = x - x.mean(axis=1, keepdims=True)
wanted = centred / np.sqrt(x.var(axis=1, keepdims=True)) * gain + shift
assert np.allclose(normed(x, gain, shift), wanted, atol=1e-4), (
    "expected rows brought to mean zero and variance one, then times the gain, then shifted"
)

# %% tags=["test", "hidden"] points=1 why="rows that are moved and stretched"
import numpy as np

rng = np.random.default_rng(162)
x = 9 * rng.normal(size=(5, 4))
moved = normed(3 * x + 100, np.ones(4), np.zeros(4))
assert np.allclose(moved, normed(x, np.ones(4), np.zeros(4)), atol=1e-4), (
    "expected the same rows when those given are moved and stretched"
)
assert np.allclose(moved.std(axis=1), 1, atol=1e-4), "expected rows with the standard deviation one"


# %% tags=["wrong"] marks=0 why="divides by one column less"
def normed(x, gain, shift):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt(x.var(axis=1, ddof=1, keepdims=True)) * gain + shift


# %% tags=["wrong", "misconception"] marks=0 why="works down the columns"
def normed(x, gain, shift):
    centred = x - x.mean(axis=0)
    return centred / np.sqrt(x.var(axis=0)) * gain + shift


# %% tags=["wrong"] marks=2 why="shifts before the gain"
def normed(x, gain, shift):
    centred = x - x.mean(axis=1, keepdims=True)
    return (centred / np.sqrt(x.var(axis=1, keepdims=True)) + shift) * gain
