# %% [markdown]
# **Without oneself.** `S[i, j]` says how often two words met. Return the shares of each row, of which none goes to the
# word itself: a square array of numbers not below zero with zeros on its diagonal, whose rows sum to one. Every word
# met another.


# %% tags=["answer"]
def shares(S):
    """Return the shares of each word's meetings with the others."""
    ### BEGIN SOLUTION
    from regattn.words import normalise_rows

    return normalise_rows(S * (1 - np.eye(len(S))))
    ### END SOLUTION


# %% tags=["test"] points=1 why="three words"
import numpy as np

given = shares(np.array([[5.0, 6.0, 2.0], [6.0, 0.0, 2.0], [2.0, 2.0, 9.0]]))
assert np.allclose(given[0], [0, 0.75, 0.25])

# %% tags=["test", "hidden"] points=2 why="random counts"
import numpy as np

rng = np.random.default_rng(121)
for n in (3, 8, 20):
    S = rng.integers(1, 9, size=(n, n)).astype(float)
    off = S - np.diag(np.diag(S))
    assert np.allclose(shares(S), off / off.sum(axis=1)[:, None]), (
        f"expected the shares of {n} words among the others alone"
    )

# %% tags=["test", "hidden"] points=1 why="a table that stays as it was"
import numpy as np

S = np.arange(1.0, 10).reshape(3, 3)
before = S.copy()
assert np.allclose(np.diag(shares(S)), 0), "expected zeros on the diagonal"
assert np.allclose(S, before), "expected the table that was given to stay as it was"


# %% tags=["wrong"] marks=0 why="keeps the diagonal"
def shares(S):
    return S / S.sum(axis=1, keepdims=True)


# %% tags=["wrong", "misconception"] marks=1 why="takes the diagonal out after the division"
def shares(S):
    return S / S.sum(axis=1, keepdims=True) * (1 - np.eye(len(S)))


# %% tags=["wrong"] marks=3 why="writes zeros into the table it was given"
def shares(S):
    np.fill_diagonal(S, 0)
    return S / S.sum(axis=1, keepdims=True)
