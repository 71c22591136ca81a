# %% [markdown]
# **One order of three.** In a text word $j$ came after word $i$ as often as the table says. A sentence is scored by
# the sum over all pairs of its words, the earlier one giving the row.
#
# | | a | b | c |
# |---|---|---|---|
# | a | 0 | `{"count": "6 to 9"}` | 3 |
# | b | 1 | 0 | 5 |
# | c | 2 | 4 | 0 |
#
# Return four numbers and a set: the score of *a b c*; that of *c b a*; by how much the two differ when the table is
# first made symmetric, the mean of itself and its transpose; the relative error $\lVert S - WW^\top\rVert / \lVert
# S\rVert$ of the best $W$ of one column for $S = \begin{pmatrix} 0 & 3 \\ 3 & 0 \end{pmatrix}$, to two decimals; and
# the set of the letters of all statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Holds: without mask and places, the sum of all scores of a sentence is the same in every order.
#   Because: both orders sum the same cells, whatever the table.
# - Fails: whatever notices an order prefers one order to its reverse.
#   Because: a mask on a symmetric table notices the order, and yet each pair counts the same in both: a tie.
# - Fails: one matrix $WW^\top$ can score every word with itself as zero and others above it.
#   Because: a word's score with itself is the squared length of its row; at zero, all its scores are zero.
# - Holds: a query matrix and a key matrix with columns enough can together write any table.
#   Because: they stand in its singular value decomposition, with half of each singular value on either side.
# - Fails: two heads can be replaced by one whose scores are the sum of theirs.
#   Because: heads add up after the softmax, and an average of two softmaxes is no softmax of the sum.
# - Holds: of the six orders of the three words, *a b c* has the largest score.
#   Because: the next, *a c b*, has the pair of *c* and *b* with 4 in place of 5.
# - Fails: once codes of places are added to the words, the sum of all scores can prefer an order, with no mask.
#   Because: that sum depends on the codes only by their sum over the places, which is the same in every order.
# - Holds: attention whose scores are logarithms of how often words came directly after the last one is a bigram
#   model.
#   Because: a softmax of log counts is the share of each word among those that followed.
# - Fails: attention that says the next word can hand over its keys as values.
#   Because: a key holds the word before, by which the place was found: attention would hand the question back.


# %% tags=["answer"]
def one_order_of_three():
    """Return two scores, a difference, an error and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.words import one_map_errors

    U = np.array([[0, {"count": "6 to 9"}, 3], [1, 0, 5], [2, 4, 0.0]])
    later = np.triu(np.ones((3, 3)), 1) > 0
    error = one_map_errors(np.array([[0, 3.0], [3.0, 0]]), width=1, rng=0).min()
    return U[later].sum(), U[::-1, ::-1][later].sum(), 0.0, error, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="four numbers and a set"
*numbers, letters = one_order_of_three()
assert len(numbers) == 4
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="both orders"
assert one_order_of_three()[:2] == ({"count": "6 to 9"} + 8, 7), "expected the sums above and below the diagonal"


# %% tags=["test", "hidden"] points=1 why="a table without direction, and the best single map"
import numpy as np

assert np.allclose(one_order_of_three()[2:4], [0, 0.5**0.5], atol=0.006), (
    "expected no difference without a direction, and half of the square to be left by one map"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
one_order_of_three()[4]


# %% tags=["checks"]
def agrees(text, table):
    from itertools import permutations

    import numpy as np

    assert [row[1:] for row in table][1:] == [[1, 0, 5], [2, 4, 0]]
    for count in range(6, 10):
        U = np.array([[0, count, 3], [1, 0, 5], [2, 4, 0]])
        scores = {order: np.triu(U[np.ix_(order, order)], 1).sum() for order in permutations(range(3))}
        assert max(scores, key=scores.get) == (0, 1, 2)  # a b c
        assert sorted(scores.values())[-2] == scores[0, 2, 1] == scores[0, 1, 2] - 1


# %% tags=["wrong", "misconception"] marks=0 why="takes noticing an order for preferring one, and one map for two"
def one_order_of_three():
    return {"count": "6 to 9"} + 15, {"count": "6 to 9"} + 15, 1.0, 0.0, {"B", "C"}


# %% tags=["wrong"] marks=3 why="takes the columns for the earlier words"
def one_order_of_three():
    return 7, {"count": "6 to 9"} + 8, 0.0, 0.5**0.5, {"A", "D"}


# %% tags=["wrong"] marks=3 why="gives the squared error"
def one_order_of_three():
    return {"count": "6 to 9"} + 8, 7, 0.0, 0.5, {"A", "D"}


# %% tags=["wrong"] marks=2 why="adds neighbours alone, and lets heads add their scores"
def one_order_of_three():
    return {"count": "6 to 9"} + 5, 5, 0.0, 0.71, {"A", "D", "E"}
