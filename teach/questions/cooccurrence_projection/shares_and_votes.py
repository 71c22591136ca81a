# %% [markdown]
# **Shares and votes.** Four words met as often as the table says.
#
# | | bank | river | loan | shore |
# |---|---|---|---|---|
# | bank | 0 | 4 | 6 | 3 |
# | river | 4 | 0 | 1 | 8 |
# | loan | 6 | 1 | 0 | 0 |
# | shore | 3 | 8 | 0 | 0 |
#
# The sentence is *bank river loan*. Scores are the counts of its words, $M = ZSZ^\top$, weights are shares of the
# rows. Return three numbers, to two decimals or better, and a set: the share that *bank* gives to *river*; the number
# in the row of *bank* and the column of *shore* of the votes $E = M(ZS)$; that share once more, when all counts of
# the table are three times as large and raised to the power `{"power": "2 to 5"}` before the shares are taken; and
# the set of the letters of all statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Fails: the weights know in which order the words of the sentence stand.
#   Because: another order moves rows and columns with the words; each pair keeps its cell and its weight.
# - Holds: *shore*, which is not in the sentence, gets its number from the profiles of the words that are.
#   Because: each word of the sentence votes with its whole row of the table, and *shore* has a column there.
# - Fails: were all counts doubled, the row shares would be others.
#   Because: the factor stands above and below the fraction, and cancels.
# - Holds: were all counts doubled, a softmax of the votes would be another.
#   Because: the votes would be four times as large, and a softmax sees differences, not ratios.
# - Fails: in the sentence *bank river* each word gives the other all of its weight, which shows that a meaning was
#   found.
#   Because: with a zero on the diagonal every pair that ever met gets that; what cannot come out differently is no
#   evidence.
# - Holds: a softmax of the logarithms of the counts 4 and 6 returns the shares that *bank* gives to *river* and
#   *loan*.
#   Because: the exponential undoes the logarithm, and the softmax then divides by the sum.
# - Fails: had *bank* and *shore* met more often, *bank* would give *river* a smaller share in this sentence.
#   Because: a score is one cell of the table, and no count with a word outside the sentence is among its scores.
# - Holds: were *shore* a fourth word of the sentence, *bank* would still give *river* two thirds of what it gives
#   *loan*.
#   Because: *shore* takes from both in proportion: their counts stay 4 and 6.
# - Fails: at the 48 banks of the news, such weights told the two senses apart better than the plain mean of the
#   context.
#   Because: the plain mean did as well: both ways have an area of .99.


# %% tags=["answer"]
def shares_and_votes():
    """Return a share, a vote, another share and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.words import context_weights, project

    S = np.array([[0, 4, 6, 3], [4, 0, 1, 8], [6, 1, 0, 0], [3, 8, 0, 0.0]])
    words = [0, 1, 2]
    M, raised = project(S, words), (3 * S) ** {"power": "2 to 5"}
    return context_weights(S, words)[0, 1], (M @ S[words])[0, 3], context_weights(raised, words)[0, 1], {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = shares_and_votes()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the share"
import numpy as np

assert np.isclose(shares_and_votes()[0], 0.4, atol=0.006), "expected the shares of the counts within the sentence"


# %% tags=["test", "hidden"] points=1 why="the vote"
import numpy as np

assert np.isclose(shares_and_votes()[1], 32), (
    "expected the counts of the words of the sentence with the one outside, times the scores"
)


# %% tags=["test", "hidden"] points=1 why="the share of other counts"
import numpy as np

from regattn.words import normalise_rows

counts = (3 * np.array([[4.0, 6.0]])) ** {"power": "2 to 5"}
assert np.isclose(shares_and_votes()[2], normalise_rows(counts)[0, 0], atol=0.006), (
    "expected a factor of all counts to cancel, and a power to sharpen the shares"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
shares_and_votes()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.words import context_weights

    S = np.array([row[1:] for row in table])
    assert np.array_equal(S, [[0, 4, 6, 3], [4, 0, 1, 8], [6, 1, 0, 0], [3, 8, 0, 0]])
    by_bank = context_weights(S, [0, 1, 2, 3])[0]
    assert np.isclose(by_bank[1] / by_bank[2], 2 / 3)  # with *shore* in the sentence
    assert np.array_equal(context_weights(S, [0, 1]), [[0, 1], [1, 0]])
    assert np.allclose(context_weights(2 * S, [0, 1, 2]), context_weights(S, [0, 1, 2]))


# %% tags=["wrong", "misconception"] marks=0 why="expects context to know order and a table to prove itself"
def shares_and_votes():
    return 4 / 13, 11.0, 0.4, {"A", "C", "E"}


# %% tags=["wrong"] marks=3 why="divides by the totals of the whole table"
def shares_and_votes():
    return 4 / 13, 32.0, 16 / 61, {"B", "D"}


# %% tags=["wrong"] marks=4 why="adds the three counts without the scores"
def shares_and_votes():
    return 0.4, 11.0, 1 / (1 + 1.5 ** {"power": "2 to 5"}), {"B", "D"}


# %% tags=["wrong"] marks=3 why="keeps the share under a power"
def shares_and_votes():
    return 0.4, 32.0, 0.4, {"B"}
