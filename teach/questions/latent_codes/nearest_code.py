# %% [markdown]
# **The nearest code, and what it costs.** Row $i$ of `z` is sent as the row of `codebook` that is nearest to it. Return
# three things: the codes that arrive, one for each row of `z`; the mean over rows of the squared distance to them; and
# the number of codes in use as a perplexity, $e^H$, where $H$ is the entropy in nats of the shares in which codes are
# sent.


# %% tags=["answer"]
def send(z, codebook):
    """Return the codes that arrive, their mean squared distance, and the perplexity of their use."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import quantise

    codes = quantise(z, codebook, 0.0, 0.0)[0]
    shares = np.unique(codes, axis=0, return_counts=True)[1] / len(z)
    return codes, np.mean(np.sum((z - codes) ** 2, axis=1)), np.exp(-np.sum(shares * np.log(shares)))
    ### END SOLUTION


# %% tags=["test"] points=1 why="three points on a line and two codes"
import numpy as np

codes, distance, used = send(np.array([[0.0], [1.0], [4.0]]), np.array([[0.0], [3.0]]))
assert np.allclose(codes, [[0], [0], [3]])
assert np.isclose(distance, 2 / 3)

# %% tags=["test", "hidden"] points=2 why="codes and distances of random rows"
import numpy as np

from regattn import attend, nearest

rng = np.random.default_rng(150)
for n, k, d in [(7, 3, 2), (29, 5, 3), (101, 11, 7)]:
    z, codebook = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    wanted = attend(z, codebook, codebook, kernel=nearest(1))
    codes, distance, _ = send(z, codebook)
    assert np.allclose(codes, wanted), f"expected for each of {n} rows the nearest of {k} codes"
    assert np.isclose(distance, np.sum((z - wanted) ** 2) / n), (
        "expected the mean over rows of the squared distance, summed within a row"
    )

# %% tags=["test", "hidden"] points=1 why="the perplexity where all codes are used alike, and where one is"
import numpy as np

codebook = 10 * np.eye(5)
assert np.isclose(send(np.repeat(codebook, 7, axis=0), codebook)[2], 5), (
    "expected as many codes in use as there are, when all are sent alike"
)
assert np.isclose(send(codebook[[2, 2, 2]], codebook)[2], 1), "expected one code in use when one alone is sent"


# %% tags=["wrong", "misconception"] marks=1 why="takes the code with the largest inner product, where long codes win"
def send(z, codebook):
    codes = codebook[(z @ codebook.T).argmax(axis=1)]
    shares = np.unique(codes, axis=0, return_counts=True)[1] / len(z)
    return codes, np.mean(np.sum((z - codes) ** 2, axis=1)), np.exp(-np.sum(shares * np.log(shares)))


# %% tags=["wrong"] marks=3 why="returns the entropy in bits in place of the perplexity"
def send(z, codebook):
    from regattn.from_scratch import quantise

    codes = quantise(z, codebook, 0.0, 0.0)[0]
    shares = np.unique(codes, axis=0, return_counts=True)[1] / len(z)
    return codes, np.mean(np.sum((z - codes) ** 2, axis=1)), -np.sum(shares * np.log2(shares))


# %% tags=["wrong"] marks=2 why="takes the mean over the entries, not the sum within a row"
def send(z, codebook):
    from regattn.from_scratch import quantise

    codes = quantise(z, codebook, 0.0, 0.0)[0]
    shares = np.unique(codes, axis=0, return_counts=True)[1] / len(z)
    return codes, np.mean((z - codes) ** 2), np.exp(-np.sum(shares * np.log(shares)))
