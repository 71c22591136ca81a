# %% [markdown]
# **Who stands near whom.** A text is a list of words. Two places of it meet if they are at most `window` apart. Return
# how often each word of `vocabulary` meets each other one, both ways: a square array in the order of `vocabulary`. A
# word may meet itself at another place, and counts twice then; words outside `vocabulary` keep their places.


# %% tags=["answer"]
def meetings(text, vocabulary, window):
    """Return how often words meet within a window."""
    ### BEGIN SOLUTION
    from regattn.words import Vocabulary, count_cooccurrences

    words = Vocabulary([*vocabulary, *(set(text) - set(vocabulary))])
    counts = count_cooccurrences([text], words, window=window).toarray()
    return counts[: len(vocabulary), : len(vocabulary)]
    ### END SOLUTION


# %% tags=["test"] points=1 why="three words in a row"
import numpy as np

assert np.allclose(meetings(["a", "b", "c"], ["a", "b", "c"], 1), [[0, 1, 0], [1, 0, 1], [0, 1, 0]])

# %% tags=["test", "hidden"] points=2 why="random texts, several windows"
import numpy as np

rng = np.random.default_rng(131)
for window in (1, 2, 5):
    text = list(rng.choice(list("abcdef"), size=60))
    wanted = np.zeros((6, 6))
    for i in range(60):
        for j in range(max(0, i - window), min(60, i + window + 1)):
            wanted["abcdef".index(text[i]), "abcdef".index(text[j])] += i != j
    assert np.allclose(meetings(text, list("abcdef"), window), wanted), (
        f"expected the meetings of a random text of 60 words, both ways, with a window of {window}"
    )

# %% tags=["test", "hidden"] points=1 why="words outside keep their places"
import numpy as np

assert np.allclose(meetings(["a", "x", "b"], ["a", "b"], 1), 0), (
    "expected no meeting: the two words are two places apart, and the window is one"
)


# %% tags=["wrong"] marks=1 why="counts one way only"
def meetings(text, vocabulary, window):
    rows = {word: k for k, word in enumerate(vocabulary)}
    made = np.zeros((len(rows), len(rows)))
    for i, word in enumerate(text):
        for other in text[i + 1 : i + 1 + window]:
            if word in rows and other in rows:
                made[rows[word], rows[other]] += 1
    return made


# %% tags=["wrong"] marks=3 why="drops words outside before it counts"
def meetings(text, vocabulary, window):
    rows = {word: k for k, word in enumerate(vocabulary)}
    kept = [rows[word] for word in text if word in rows]
    made = np.zeros((len(rows), len(rows)))
    for i, word in enumerate(kept):
        for other in kept[i + 1 : i + 1 + window]:
            made[word, other] += 1
            made[other, word] += 1
    return made


# %% tags=["wrong"] marks=0 why="lets every place meet itself"
def meetings(text, vocabulary, window):
    rows = {word: k for k, word in enumerate(vocabulary)}
    made = np.zeros((len(rows), len(rows)))
    for i, word in enumerate(text):
        for other in text[max(0, i - window) : i + window + 1]:
            if word in rows and other in rows:
                made[rows[word], rows[other]] += 1
    return made
