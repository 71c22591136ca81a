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
# - A: the weights know in which order the words stand;
# - B: *shore*, which is not in the sentence, enters by the votes of those that are;
# - C: were all counts doubled, the row shares would be others;
# - D: were all counts doubled, a softmax of the votes would be another;
# - E: that *bank* finds *river* in a table that was written for it is a result that could have come out differently.


# %% tags=["answer"]
def shares_and_votes():
    """Return a share, a vote, another share and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.words import context_weights, project

    S = np.array([[0, 4, 6, 3], [4, 0, 1, 8], [6, 1, 0, 0], [3, 8, 0, 0.0]])
    words = [0, 1, 2]
    M, raised = project(S, words), (3 * S) ** {"power": "2 to 5"}
    return context_weights(S, words)[0, 1], (M @ S[words])[0, 3], context_weights(raised, words)[0, 1], {"B", "D"}
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


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert shares_and_votes()[3] == {"B", "D"}, (
    "expected that shares know no order and no unit, that votes feel the unit, and that a written table is no proof"
)


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    S = np.array([row[1:] for row in table])
    assert np.array_equal(S, [[0, 4, 6, 3], [4, 0, 1, 8], [6, 1, 0, 0], [3, 8, 0, 0]])


# %% tags=["wrong", "misconception"] marks=0 why="expects context to know order and a table to prove itself"
def shares_and_votes():
    return 4 / 13, 11.0, 0.4, {"A", "C", "E"}


# %% tags=["wrong"] marks=3 why="divides by the totals of the whole table"
def shares_and_votes():
    return 4 / 13, 32.0, 16 / 61, {"B", "D"}


# %% tags=["wrong"] marks=4 why="adds the three counts without the scores"
def shares_and_votes():
    return 0.4, 11.0, 1 / (1 + 1.5 ** {"power": "2 to 5"}), {"B", "D"}


# %% tags=["wrong"] marks=2 why="keeps the share under a power"
def shares_and_votes():
    return 0.4, 32.0, 0.4, {"B"}
