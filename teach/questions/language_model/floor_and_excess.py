# %% [markdown]
# **Floor and excess.** A text is made of contexts. `often` says which share of all words stands in each, `p` which
# words truly follow there and `q` what a model says: a row for each context, a column for each word of the
# vocabulary. Return three numbers in nats per word: the floor, that is the entropy of the text; the cross-entropy
# that the model has in expectation; and its excess. Entries of `p` may be zero, those of `q` are not.


# %% tags=["answer"]
def floor_and_excess(often, p, q):
    """Return the entropy of a text, the cross-entropy of a model, and its excess."""
    ### BEGIN SOLUTION
    from regattn import attention_weights

    p = np.asarray(p, dtype=float)
    logs = [np.log(np.where(p > 0, each, 1.0)) for each in (p, q)]
    floor, loss = (-often @ np.diag(attention_weights(p, each, kernel="identity", scale=1.0)) for each in logs)
    return floor, loss, loss - floor
    ### END SOLUTION


# %% tags=["test"] points=1 why="two words, equally probable, of which a model says .8 and .2"
import numpy as np

floor, loss, excess = floor_and_excess(np.array([1.0]), np.array([[0.5, 0.5]]), np.array([[0.8, 0.2]]))
assert np.isclose(floor, np.log(2))
assert np.isclose(excess, 0.2231, atol=1e-3)
assert np.isclose(loss, floor + excess)


# %% tags=["test", "hidden"] points=3 why="random texts and models"
import numpy as np
from scipy.stats import entropy

rng = np.random.default_rng(182)
for contexts, words in [(1, 3), (4, 7), (9, 30)]:
    often = rng.dirichlet(np.ones(contexts))
    p, q = (rng.dirichlet(np.ones(words), size=contexts) for _ in range(2))
    wanted = [
        often @ entropy(p, axis=1),
        often @ (entropy(p, axis=1) + entropy(p, q, axis=1)),
        often @ entropy(p, q, axis=1),
    ]
    assert np.allclose(floor_and_excess(often, p, q), wanted), (
        f"expected entropy, cross-entropy and divergence from the truth, {contexts} contexts by their shares, in nats"
    )


# %% tags=["test", "hidden"] points=1 why="words that cannot follow"
import numpy as np

often, p, q = np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.9, 0.1], [0.5, 0.5]])
assert np.allclose(floor_and_excess(often, p, q), [np.log(2) / 2, (np.log(2) - np.log(0.9)) / 2, -np.log(0.9) / 2]), (
    "expected finite numbers where the truth gives a word the probability zero"
)


# %% tags=["wrong", "misconception"] marks=0 why="takes zero for the floor, since each target is a single word"
def floor_and_excess(often, p, q):
    loss = -often @ np.sum(p * np.log(q), axis=1)
    return 0.0, loss, loss


# %% tags=["wrong"] marks=0 why="measures in bits"
def floor_and_excess(often, p, q):
    floor, loss = (-often @ np.sum(p * np.log2(np.where(p > 0, each, 1.0)), axis=1) for each in (p, q))
    return floor, loss, loss - floor


# %% tags=["wrong"] marks=0 why="turns the divergence round"
def floor_and_excess(often, p, q):
    floor, excess = -often @ np.sum(p * np.log(p), axis=1), often @ np.sum(q * np.log(q / p), axis=1)
    return floor, floor + excess, excess


# %% tags=["wrong"] marks=1 why="counts all contexts alike"
def floor_and_excess(often, p, q):
    floor, loss = (-np.mean(np.sum(p * np.log(each), axis=1)) for each in (p, q))
    return floor, loss, loss - floor


# %% tags=["wrong"] marks=4 why="takes the logarithm of zero"
def floor_and_excess(often, p, q):
    floor, loss = (-often @ np.sum(p * np.log(each), axis=1) for each in (p, q))
    return floor, loss, loss - floor
