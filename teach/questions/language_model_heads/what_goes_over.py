# %% [markdown]
# **What goes over.** At its last position a layer has $H$ heads, each with the weighted average of values that it has
# gathered: `own`, of shape $(H, d)$. In another text the same heads have gathered `donor`. Let the heads of the list
# `exchanged`, counted from 1, have what they gathered there, and the others keep their own. Return what the layer adds
# to the stream: the averages side by side, head 1 first, times `W_O` of shape $(H d, D)$. `own` stays as it was.


# %% tags=["answer"]
def added(own, donor, exchanged, W_O):
    """Return what attention adds to the stream when some heads were exchanged."""
    ### BEGIN SOLUTION
    from regattn import attend

    gathered = np.array(own, dtype=float)
    chosen = [head - 1 for head in exchanged]
    gathered[chosen] = np.asarray(donor)[chosen]
    beside = gathered.reshape(1, -1)  # the averages side by side weigh the rows of W_O
    return attend(beside, np.eye(beside.size), W_O, kernel="identity")[0]
    ### END SOLUTION


# %% tags=["test"] points=1 why="two heads, the second exchanged"
import numpy as np

given = added(np.array([[1.0], [2.0]]), np.array([[10.0], [20.0]]), [2], np.eye(2))
assert np.allclose(given, [1, 20])

# %% tags=["test", "hidden"] points=3 why="several heads of several widths"
import numpy as np

rng = np.random.default_rng(190)
for H, d, D, exchanged in [(2, 3, 5, [1]), (5, 2, 7, [5, 2]), (3, 4, 11, [])]:
    own, donor, W_O = rng.normal(size=(H, d)), rng.normal(size=(H, d)), rng.normal(size=(H * d, D))
    parts = [(donor if head + 1 in exchanged else own)[head] @ W_O[head * d : (head + 1) * d] for head in range(H)]
    assert np.allclose(added(own, donor, exchanged, W_O), sum(parts)), (
        f"expected what {H} heads add when {exchanged} have what they gathered in the other text"
    )

# %% tags=["test", "hidden"] points=1 why="what was given stays as it was"
import numpy as np

rng = np.random.default_rng(191)
own, donor, W_O = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(6, 4))
before = own.copy()
assert np.shape(added(own, donor, [1, 3], W_O)) == (4,), "expected one number for each column of W_O"
assert np.array_equal(own, before), "expected what was given to stay as it was"


# %% tags=["wrong"] marks=1 why="counts heads from 0"
def added(own, donor, exchanged, W_O):
    gathered = np.array(own, dtype=float)
    chosen = [head % len(gathered) for head in exchanged]
    gathered[chosen] = np.asarray(donor)[chosen]
    return gathered.reshape(-1) @ W_O


# %% tags=["wrong"] marks=4 why="writes into what was given"
def added(own, donor, exchanged, W_O):
    for head in exchanged:
        own[head - 1] = donor[head - 1]
    return own.reshape(-1) @ W_O


# %% tags=["wrong", "misconception"] marks=1 why="silences the heads"
def added(own, donor, exchanged, W_O):
    gathered = np.array(own, dtype=float)
    gathered[[head - 1 for head in exchanged]] = 0
    return gathered.reshape(-1) @ W_O
