# %% [markdown]
# **Who stands near whom.** A text is a list of words. Two places of it meet if they are at most `{"window": "2 to 6"}`
# apart. Return how often each word of `vocabulary` meets each other one, both ways: a square array in the order of
# `vocabulary`. A word may meet itself at another place, and counts twice then; words outside `vocabulary` keep their
# places.


# %% tags=["answer"]
def meetings(text, vocabulary):
    """Return how often words meet within the window."""
    ### BEGIN SOLUTION
    from regattn.words import Vocabulary, count_cooccurrences

    words = Vocabulary([*vocabulary, *(set(text) - set(vocabulary))])
    counts = count_cooccurrences([text], words, window={"window": "2 to 6"}).toarray()
    return counts[: len(vocabulary), : len(vocabulary)]
    ### END SOLUTION


# %% tags=["test"] points=1 why="three words in a row"
import numpy as np

assert np.allclose(meetings(["a", "b", "c"], ["a", "b", "c"]), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])

# %% tags=["test", "hidden"] points=2 why="random texts of several lengths"
import numpy as np

rng = np.random.default_rng(131)
window = {"window": "2 to 6"}
for n in (9, 31, 60):
    text = list(rng.choice(list("abcdef"), size=n))
    wanted = np.zeros((6, 6))
    for i in range(n):
        for j in range(max(0, i - window), min(n, i + window + 1)):
            wanted["abcdef".index(text[i]), "abcdef".index(text[j])] += i != j
    assert np.allclose(meetings(text, list("abcdef")), wanted), (
        f"expected the meetings of a random text of {n} words, both ways, with a window of {window}"
    )

# %% tags=["test", "hidden"] points=1 why="words outside keep their places"
import numpy as np

text = ["a"] + {"window": "2 to 6"} * ["x"] + ["b"]
assert np.allclose(meetings(text, ["a", "b"]), 0), "expected no meeting: the two words are one place too far apart"


# %% tags=["wrong", "misconception"] marks=1 why="counts one way only"
def meetings(text, vocabulary):
    rows = {word: k for k, word in enumerate(vocabulary)}
    made = np.zeros((len(rows), len(rows)))
    for i, word in enumerate(text):
        for other in text[i + 1 : i + 1 + {"window": "2 to 6"}]:
            if word in rows and other in rows:
                made[rows[word], rows[other]] += 1
    return made


# %% tags=["wrong"] marks=3 why="drops words outside before it counts"
def meetings(text, vocabulary):
    rows = {word: k for k, word in enumerate(vocabulary)}
    kept = [rows[word] for word in text if word in rows]
    made = np.zeros((len(rows), len(rows)))
    for i, word in enumerate(kept):
        for other in kept[i + 1 : i + 1 + {"window": "2 to 6"}]:
            made[word, other] += 1
            made[other, word] += 1
    return made


# %% tags=["wrong"] marks=0 why="lets every place meet itself"
def meetings(text, vocabulary):
    rows = {word: k for k, word in enumerate(vocabulary)}
    made = np.zeros((len(rows), len(rows)))
    for i, word in enumerate(text):
        for other in text[max(0, i - {"window": "2 to 6"}) : i + {"window": "2 to 6"} + 1]:
            if word in rows and other in rows:
                made[rows[word], rows[other]] += 1
    return made
