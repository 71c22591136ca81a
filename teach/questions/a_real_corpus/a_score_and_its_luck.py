# %% [markdown]
# **A score and its luck.** A word and a context met 20 times. The word has 60 counts in all, the context 80, and the
# table 3200. Word2vec draws `{"negatives": "2 to 9"}` negatives for each pair, by frequency. Return three numbers, to
# two decimals or better, and a set: the pointwise mutual information of the pair, in nats; what word2vec would give
# it, could it choose each cell freely; the two-sided p-value of a sign test when one method beat another in all of
# five stories; and the set of the letters of all statements that hold:
#
# - A: vectors of a shuffled text belong beside those of the text as it was printed;
# - B: the PPMI of a corpus is the mean of the PPMI of its halves;
# - C: the best of twenty comparisons has a p-value of .03, so it is no luck;
# - D: short vectors may bring words near each other that never met;
# - E: word2vec with vectors of 50 numbers gives every cell what it would choose freely.


# %% tags=["answer"]
def score_and_luck():
    """Return two numbers of nats, a p-value and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.words import ppmi

    counts, negatives = np.array([[20.0, 40.0], [60.0, 3080.0]]), {"negatives": "2 to 9"}
    return ppmi(counts)[0, 0], ppmi(counts, shift=np.log(negatives))[0, 0], 2 * 0.5**5, {"A", "D"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = score_and_luck()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the information"
import numpy as np

assert np.isclose(score_and_luck()[0], np.log(20 * 3200 / (60 * 80)), atol=0.006), (
    "expected the logarithm of how many times more often they met than by chance"
)


# %% tags=["test", "hidden"] points=1 why="what word2vec would give"
import numpy as np

wanted = np.log(20 * 3200 / (60 * 80)) - np.log({"negatives": "2 to 9"})
assert np.isclose(score_and_luck()[1], wanted, atol=0.006), (
    "expected the information less the logarithm of the number of negatives"
)


# %% tags=["test", "hidden"] points=1 why="the p-value"
import numpy as np

assert np.isclose(score_and_luck()[2], 0.0625, atol=1e-3), "expected the chance of five equal tosses, on either side"


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert score_and_luck()[3] == {"A", "D"}, (
    "expected a baseline and a count of comparisons, and short vectors to leave out part of the table"
)


# %% tags=["wrong", "misconception"] marks=0 why="believes a score by itself"
def score_and_luck():
    return 20 / 60, 20 / 60 * {"negatives": "2 to 9"}, 0.03, {"B", "C", "E"}


# %% tags=["wrong"] marks=4 why="takes one side of the test"
def score_and_luck():
    information = np.log(20 * 3200 / (60 * 80))
    return information, information - np.log({"negatives": "2 to 9"}), 0.5**5, {"A", "D"}


# %% tags=["wrong"] marks=4 why="divides by the negatives after the logarithm"
def score_and_luck():
    information = np.log(20 * 3200 / (60 * 80))
    return information, information / {"negatives": "2 to 9"}, 0.0625, {"A", "D"}


# %% tags=["wrong"] marks=1 why="counts in bits"
def score_and_luck():
    information = np.log2(20 * 3200 / (60 * 80))
    return information, information - np.log2({"negatives": "2 to 9"}), 0.0625, {"A", "C"}
