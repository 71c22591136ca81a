# %% [markdown]
# **What the meter reads.** `scores(words)` returns the square array of the scores of a list of words. They have not
# noticed an order if those of any other order of the words are the same, with rows and columns in that order. Return
# the largest difference that any order makes. There are seven words at most.


# %% tags=["answer"]
def meter(scores, words):
    """Return how far scores are from being merely reordered when their words are."""
    ### BEGIN SOLUTION
    from regattn.words import order_defect

    return order_defect(scores, words)
    ### END SOLUTION


# %% tags=["test"] points=1 why="scores that know the words alone"
import numpy as np

assert meter(lambda words: np.multiply.outer(words, words), [1.0, 2.0, 4.0]) == 0

# %% tags=["test", "hidden"] points=1 why="scores that know places"
import numpy as np

from regattn.words import order_defect


def placed(P):
    return lambda given: np.multiply.outer(given, given) + P


rng = np.random.default_rng(141)
for n in (2, 3, 5):
    words, scores = [1.0, 2.0, 4.0, 8.0, 16.0][:n], placed(rng.normal(size=(n, n)))
    assert np.isclose(meter(scores, words), order_defect(scores, words)), (
        f"expected the largest difference that any order of {n} words makes"
    )

# %% tags=["test", "hidden"] points=2 why="places that a reversal does not notice"
import numpy as np

P = np.array([[0.0, 1.0, 0.0], [1.0, 5.0, 1.0], [0.0, 1.0, 0.0]])
assert np.isclose(meter(lambda words: np.add.outer(words, words) + P, [1.0, 2.0, 4.0]), 5), (
    "expected the largest difference over all orders, not over one of them"
)


# %% tags=["wrong"] marks=2 why="tries the reversal alone"
def meter(scores, words):
    return np.abs(scores(words[::-1]) - scores(words)[::-1, ::-1]).max()


# %% tags=["wrong", "misconception"] marks=0 why="forgets to reorder the rows and columns"
def meter(scores, words):
    return np.abs(scores(words[::-1]) - scores(words)).max()


# %% tags=["wrong"] marks=1 why="returns the mean of the differences"
def meter(scores, words):
    import itertools

    M = scores(words)
    return np.mean(
        [
            np.abs(scores([words[k] for k in p]) - M[np.ix_(p, p)]).mean()
            for p in itertools.permutations(range(len(words)))
        ]
    )
