# %% [markdown]
# **Attention by counting.** `S[i, j]` says how often the words with the numbers $i$ and $j$ met. A sentence is a list
# of such numbers, `words`; a word may come twice. Return how each of its words shares its attention among all of them,
# in proportion to the counts: an array with a row and a column for each place of the sentence. Rows sum to one; a word
# that never met any word of the sentence shares its attention evenly.


# %% tags=["answer"]
def sentence_weights(S, words):
    """Return the shares of attention of the words of a sentence, by their counts."""
    ### BEGIN SOLUTION
    from regattn.words import project

    scores = project(S, list(words))
    totals = scores.sum(axis=1, keepdims=True)
    return np.where(totals > 0, scores / np.where(totals > 0, totals, 1), 1 / len(words))
    ### END SOLUTION


# %% tags=["test"] points=1 why="three words of a table of three"
import numpy as np

S = np.array([[0, 4, 0], [4, 0, 6], [0, 6, 0]])
assert np.allclose(sentence_weights(S, [0, 1, 2]), [[0, 1, 0], [0.4, 0, 0.6], [0, 1, 0]])

# %% tags=["test", "hidden"] points=2 why="sentences of random tables, in any order and with repeated words"
import numpy as np

from regattn.words import context_weights

rng = np.random.default_rng(110)
for V, words in [(7, [3, 1, 5]), (11, [10, 2, 2, 7, 0]), (13, [4, 12, 4, 4, 9, 1])]:
    S = rng.integers(1, 20, size=(V, V))
    assert np.allclose(sentence_weights(S, words), context_weights(S, words)), (
        f"expected the shares of the counts among the {len(words)} words of the sentence, in its order"
    )

# %% tags=["test", "hidden"] points=1 why="a word that met nobody of the sentence"
import numpy as np

S = np.array([[0, 2, 0], [2, 0, 0], [0, 0, 0]])
assert np.allclose(sentence_weights(S, [0, 1, 2]), [[0, 1, 0], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3]]), (
    "expected equal shares for a word that met no word of the sentence"
)


# %% tags=["wrong"] marks=1 why="divides by the totals of the whole table"
def sentence_weights(S, words):
    return S[np.ix_(words, words)] / np.maximum(S.sum(axis=1)[words], 1)[:, None]


# %% tags=["wrong", "misconception"] marks=0 why="takes the softmax of the counts"
def sentence_weights(S, words):
    from regattn.words import context_weights

    return context_weights(S, list(words), normaliser="softmax")


# %% tags=["wrong"] marks=3 why="divides by zero for a word that met nobody"
def sentence_weights(S, words):
    from regattn.words import project

    scores = project(S, list(words))
    return scores / scores.sum(axis=1, keepdims=True)
