# %% [markdown]
# **Counts with a direction.** A document is a list of word numbers below `V`. Return the table whose entry $(i, j)$
# says how often word $j$ came *after* word $i$, at most `{"window": "2 to 5"}` places later in the same
# document, summed over all `documents`. A pair at the distance $d$ counts $1/d$.


# %% tags=["answer"]
def directed_counts(documents, V):
    """Return how often each word came after each other, nearer ones counting more."""
    ### BEGIN SOLUTION
    from regattn.words import Vocabulary, count_cooccurrences

    texts = [np.asarray(document, dtype=int) for document in documents]
    words = Vocabulary([str(k) for k in range(V)])
    return count_cooccurrences(texts, words, window={"window": "2 to 5"}, weighting="harmonic", directed=True).toarray()
    ### END SOLUTION


# %% tags=["test"] points=1 why="one document of three words"
import numpy as np

assert np.allclose(directed_counts([[0, 2, 1]], 3), [[0, 0.5, 1], [0, 0, 0], [0, 1, 0]])

# %% tags=["test", "hidden"] points=2 why="random documents, in which words repeat"
import numpy as np

from regattn.words import Vocabulary, count_cooccurrences

rng = np.random.default_rng(130)
window = {"window": "2 to 5"}
for V, sizes in [(5, [7, 11]), (7, [23, 5, 13]), (11, [41])]:
    documents = [rng.integers(V, size=size).tolist() for size in sizes]
    words = Vocabulary([str(k) for k in range(V)])
    texts = [np.array(document) for document in documents]
    wanted = count_cooccurrences(texts, words, window=window, weighting="harmonic", directed=True).toarray()
    assert np.allclose(directed_counts(documents, V), wanted), (
        f"expected a table of {V} words in which a pair counts by its order and less with its distance, up to {window}"
    )

# %% tags=["test", "hidden"] points=1 why="no pair across two documents, and documents shorter than the window"
import numpy as np

assert np.allclose(directed_counts([[0], [1, 2], []], 3), [[0, 0, 0], [0, 0, 1], [0, 0, 0]]), (
    "expected no pair across two documents, and none in documents of one word or of no word"
)


# %% tags=["wrong", "misconception"] marks=0 why="counts both directions"
def directed_counts(documents, V):
    from regattn.words import Vocabulary, count_cooccurrences

    texts, words = [np.asarray(d, dtype=int) for d in documents], Vocabulary([str(k) for k in range(V)])
    return count_cooccurrences(texts, words, window={"window": "2 to 5"}, weighting="harmonic").toarray()


# %% tags=["wrong"] marks=1 why="counts every pair as one, whatever its distance"
def directed_counts(documents, V):
    from regattn.words import Vocabulary, count_cooccurrences

    texts, words = [np.asarray(d, dtype=int) for d in documents], Vocabulary([str(k) for k in range(V)])
    return count_cooccurrences(texts, words, window={"window": "2 to 5"}, directed=True).toarray()


# %% tags=["wrong"] marks=1 why="joins the documents into one"
def directed_counts(documents, V):
    from regattn.words import Vocabulary, count_cooccurrences

    text, words = np.concatenate(documents).astype(int), Vocabulary([str(k) for k in range(V)])
    return count_cooccurrences(
        [text], words, window={"window": "2 to 5"}, weighting="harmonic", directed=True
    ).toarray()
