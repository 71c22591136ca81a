# %% [markdown]
# **Bits and slopes.** Three numbers first. The latent number $z = 3$ is compared with the codes 2.5, 4 and 1. Its
# soft weights are a softmax of minus the squared distance over $2T$, with $T$ = `{"tenths": "2 to 9"}`/10: return the
# weight of the nearest code. Now $z$ is sent as the nearest code $e$. The loss is that of the reconstruction, whose
# slope at the decoder's input is $-.4$, plus $(\operatorname{sg}(z) - e)^2$, plus $.25\,(z -
# \operatorname{sg}(e))^2$, and the slope at the decoder's input is copied to $z$: return the slope of the loss in
# $z$, and the slope in $e$ that moves the codebook. Then four ways to send an image:
#
# | way | what is sent | error |
# |---|---|---|
# | P | one of 256 images | .021 |
# | Q | three codes out of 16 | .030 |
# | R | two codes out of 64 | .026 |
# | S | twelve components, one bit each | .045 |
#
# Return as the fourth thing the set of the letters of those that may be compared at equal bits, and as the fifth the
# letter of the best among these.


# %% tags=["answer"]
def bits_and_slopes():
    """Return a weight, two slopes, a set of letters and a letter."""
    ### BEGIN SOLUTION
    from regattn import attention_weights
    from regattn.from_scratch import quantise

    codes, heat = np.array([[2.5], [4.0], [1.0]]), {"tenths": "2 to 9"} / 10
    weights = attention_weights(np.array([[3.0]]), codes, kernel="gaussian", scale=1 / heat)[0]
    _, by_z, by_codebook = quantise(np.array([[3.0]]), codes, np.array([[-0.4]]), 0.25)
    bits = {"P": np.log2(256), "Q": 3 * np.log2(16), "R": 2 * np.log2(64), "S": 12}
    return weights[0], by_z[0, 0], by_codebook[0, 0], {way for way in bits if bits[way] == 12}, "R"
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers, a set and a letter"
*numbers, ways, best = bits_and_slopes()
assert len(numbers) == 3
assert isinstance(ways, set)
assert isinstance(best, str)


# %% tags=["test", "hidden"] points=1 why="the soft weight"
import numpy as np

weights = np.exp(-np.array([0.25, 1.0, 4.0]) / (2 * {"tenths": "2 to 9"} / 10))
assert np.isclose(bits_and_slopes()[0], weights[0] / weights.sum(), atol=0.006), (
    "expected a softmax over all three codes, of squared distances over twice the temperature"
)


# %% tags=["test", "hidden"] points=2 why="which term moves what"
import numpy as np

assert np.allclose(bits_and_slopes()[1:3], [-0.4 + 2 * 0.25 * 0.5, -2 * 0.5], atol=0.006), (
    "expected the copied slope and the commitment for the latent number, and the distance alone for the code"
)


# %% tags=["test", "hidden"] points=2 why="what may be compared, and the best of it"
assert bits_and_slopes()[3:] == ({"Q", "R", "S"}, "R"), (
    "expected those of twelve bits, and among them the smallest error"
)


# %% tags=["checks"]
def agrees(text, table):
    assert [row[0] for row in table] == ["P", "Q", "R", "S"]
    assert [row[2] for row in table] == [0.021, 0.030, 0.026, 0.045]


# %% tags=["wrong", "misconception"] marks=1 why="compares errors whatever the bits, and has one slope for all"
def bits_and_slopes():
    weights = np.exp(-np.array([0.25, 1.0, 4.0]) / (2 * {"tenths": "2 to 9"} / 10))
    return weights[0] / weights.sum(), -0.4, -0.4, {"P", "Q", "R", "S"}, "P"


# %% tags=["wrong"] marks=3 why="lets both penalties move both sides"
def bits_and_slopes():
    weights = np.exp(-np.array([0.25, 1.0, 4.0]) / (2 * {"tenths": "2 to 9"} / 10))
    return weights[0] / weights.sum(), -0.4 + 2 * 1.25 * 0.5, -2 * 1.25 * 0.5, {"Q", "R", "S"}, "R"


# %% tags=["wrong"] marks=4 why="forgets to square the distance"
def bits_and_slopes():
    weights = np.exp(-np.array([0.5, 1.0, 2.0]) / (2 * {"tenths": "2 to 9"} / 10))
    return weights[0] / weights.sum(), -0.15, -1.0, {"Q", "R", "S"}, "R"


# %% tags=["wrong"] marks=2 why="counts the codes and not their bits"
def bits_and_slopes():
    return 1.0, -0.15, -1.0, {"Q", "S"}, "Q"
