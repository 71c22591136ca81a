# %% [markdown]
# **More often than by chance.** Return the positive pointwise mutual information of a table of counts, in nats. The
# chance of row $i$ is its share of all counts; the chance of column $j$ is proportional to its total raised to `power`,
# and those of all columns sum to one. Cells without a count are 0, and so are rows and columns without any.


# %% tags=["answer"]
def positive_information(counts, power):
    """Return the positive pointwise mutual information of counts."""
    ### BEGIN SOLUTION
    from regattn.words import ppmi

    return ppmi(np.asarray(counts), context_power=power)
    ### END SOLUTION


# %% tags=["test"] points=1 why="a table of two words"
import numpy as np

given = positive_information(np.array([[0, 3], [3, 2]]), 1.0)
assert np.allclose(given, [[0, np.log(24 / 15)], [np.log(24 / 15), 0]])

# %% tags=["test", "hidden"] points=1 why="random tables, with the power one"
import numpy as np

from regattn.words import ppmi

rng = np.random.default_rng(120)
for V in (5, 11, 23):
    counts = rng.poisson(1.5, size=(V, V)) + np.eye(V, dtype=int)
    assert np.allclose(positive_information(counts, 1.0), ppmi(counts)), (
        f"expected the information of {V} random words, with shares of columns as they are"
    )

# %% tags=["test", "hidden"] points=1 why="other powers"
import numpy as np

from regattn.words import ppmi

rng = np.random.default_rng(121)
for V, power in [(7, 0.75), (13, 0.5)]:
    counts = rng.poisson(1.5, size=(V, V)) + np.eye(V, dtype=int)
    assert np.allclose(positive_information(counts, power), ppmi(counts, context_power=power)), (
        f"expected the information of {V} random words, with the chance of columns by the power {power}"
    )

# %% tags=["test", "hidden"] points=1 why="a word that met nobody"
import numpy as np

from regattn.words import ppmi

counts = np.array([[0, 4, 0, 1], [4, 0, 0, 2], [0, 0, 0, 0], [1, 2, 0, 6]])
given = positive_information(counts, 0.75)
assert np.isfinite(given).all(), "expected finite numbers, also for a word that met nobody"
assert np.allclose(given, ppmi(counts, context_power=0.75)), (
    "expected zeros for a word that met nobody, and the others as if it were not there"
)


# %% tags=["wrong"] marks=2 why="raises the totals to the power and forgets to make them shares again"
def positive_information(counts, power):
    from regattn.words import ppmi

    shares = counts.sum(axis=0) / counts.sum()
    shift = np.log((shares**power).sum())
    return ppmi(counts, context_power=power, shift=max(shift, 0.0))


# %% tags=["wrong"] marks=2 why="raises the totals of the rows in place of those of the columns"
def positive_information(counts, power):
    from regattn.words import ppmi

    return ppmi(counts.T, context_power=power).T


# %% tags=["wrong", "misconception"] marks=0 why="keeps what is below zero"
def positive_information(counts, power):
    total = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / total
    return np.where(counts > 0, np.log(np.maximum(counts, 1) / np.maximum(expected, 1e-9)), 0)
