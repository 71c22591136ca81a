# %% [markdown]
# **A score and its luck.** A word and a context met 20 times. The word has 60 counts in all, the context 80, and the
# table 3200. Word2vec draws `{"negatives": "2 to 9"}` negatives for each pair, by frequency. Return three numbers, to
# two decimals or better, and a set: the pointwise mutual information of the pair, in nats; what word2vec would give
# it, could it choose each cell freely; the two-sided p-value of a sign test when one method beat another in all of
# five stories; and the set of the letters of all statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Holds: who praises word vectors by a score should give the score of vectors from the same text, shuffled, beside
#   it.
#   Because: a text without word order has much of what vectors are praised for, so it is the baseline.
# - Fails: the PPMI of a corpus is the mean of the PPMI of its halves.
#   Because: counts of parts add up, logarithms do not: merge counts first, take logarithms last.
# - Fails: if the best of twenty comparisons has a p-value of .03, luck is ruled out.
#   Because: by luck alone one p-value in twenty is below .05; twenty times .03 is .6.
# - Holds: short vectors may bring words near each other that never met.
#   Because: they compare the company that words keep, and two words can keep similar company without meeting.
# - Fails: with 50 numbers for each of thousands of words, word2vec gives every cell what it would choose freely.
#   Because: so few numbers cannot follow every cell; even for a hundred words, ten numbers reached a correlation of
#   .74.
# - Holds: in this table two words with five counts each that met once, by accident, have a larger information than
#   this pair.
#   Because: chance expects 25/3200 meetings, so once is 128 times as often; the pair met 13 times as often.
# - Fails: were every count of the table doubled, the information of the pair would grow by the logarithm of two.
#   Because: chance would expect twice as many meetings too: 6 in place of 3 beside 40 in place of 20.
# - Holds: with fourteen negatives for each pair, the number that word2vec would give this cell is below zero.
#   Because: the pair met 13.3 times as often as by chance, and 13.3/14 has a logarithm below zero.
# - Fails: if the five stories hold a hundred places to compare, the sign test may count each place as a toss.
#   Because: places of one story stand or fall together; the stories are the tosses.


# %% tags=["answer"]
def score_and_luck():
    """Return two numbers of nats, a p-value and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.words import ppmi

    counts, negatives = np.array([[20.0, 40.0], [60.0, 3080.0]]), {"negatives": "2 to 9"}
    return ppmi(counts)[0, 0], ppmi(counts, shift=np.log(negatives))[0, 0], 2 * 0.5**5, {letters}
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


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
score_and_luck()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.words import ppmi

    counts = np.array([[20.0, 40.0], [60.0, 3080.0]])
    information = ppmi(counts)[0, 0]
    assert np.isclose(ppmi(2 * counts)[0, 0], information)
    assert np.log(9) < information < np.log(14)
    assert ppmi(np.array([[1.0, 4.0], [4.0, 3191.0]]))[0, 0] > information


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
