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
# - A: without mask and places, the sum of all scores of a sentence is the same in every order;
# - B: whatever notices an order prefers one order to its reverse;
# - C: one matrix $WW^\top$ can score every word with itself as zero and others above it;
# - D: a query matrix and a key matrix can together write any table;
# - E: two heads can be replaced by one whose scores are the sum of theirs.


# %% tags=["answer"]
def one_order_of_three():
    """Return two scores, a difference, an error and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.words import one_map_errors

    U = np.array([[0, {"count": "6 to 9"}, 3], [1, 0, 5], [2, 4, 0.0]])
    later = np.triu(np.ones((3, 3)), 1) > 0
    error = one_map_errors(np.array([[0, 3.0], [3.0, 0]]), width=1, rng=0).min()
    return U[later].sum(), U[::-1, ::-1][later].sum(), 0.0, error, {"A", "D"}
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


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert one_order_of_three()[4] == {"A", "D"}, (
    "expected that to notice is not to prefer, and that one map has no zero for words with themselves"
)


# %% tags=["checks"]
def agrees(text, table):
    assert [row[1:] for row in table][1:] == [[1, 0, 5], [2, 4, 0]]


# %% tags=["wrong", "misconception"] marks=0 why="takes noticing an order for preferring one, and one map for two"
def one_order_of_three():
    return {"count": "6 to 9"} + 15, {"count": "6 to 9"} + 15, 1.0, 0.0, {"B", "C"}


# %% tags=["wrong"] marks=3 why="takes the columns for the earlier words"
def one_order_of_three():
    return 7, {"count": "6 to 9"} + 8, 0.0, 0.5**0.5, {"A", "D"}


# %% tags=["wrong"] marks=3 why="gives the squared error"
def one_order_of_three():
    return {"count": "6 to 9"} + 8, 7, 0.0, 0.5, {"A", "D"}


# %% tags=["wrong"] marks=1 why="adds neighbours alone, and lets heads add their scores"
def one_order_of_three():
    return {"count": "6 to 9"} + 5, 5, 0.0, 0.71, {"A", "D", "E"}
