# %% [markdown]
# **One row, by hand.** The query (2, 1) asks four keys, whose values are in the last column. The weights are a
# softmax of $\tau$ times the inner products, with $\tau$ = `{"tenths": "2 to 9"}`/10.
#
# | key | first | second | value |
# |---|---|---|---|
# | one | 1 | 1 | 4 |
# | two | 2 | 0 | 1 |
# | three | 3 | 2 | 9 |
# | four | 0 | 3 | 2 |
#
# Return four things, numbers to two decimals or better. The weight of key three. The log-odds of key two against key
# one. The answer, that is the average of the values. And the set of the letters of all statements that hold:
#
# - A: five more for every score of the row, and no weight changes;
# - B: the key nearest to the query has the largest weight;
# - C: whatever $\tau$ is, the answer lies between 1 and 9;
# - D: were all keys of one length, these would be the weights of a kernel of the distance;
# - E: a score below zero would give a weight below zero.


# %% tags=["answer"]
def one_row():
    """Return a weight, a log-odds, an answer and a set of letters."""
    ### BEGIN SOLUTION
    from regattn import attention_weights

    keys, values = np.array([[1.0, 1], [2, 0], [3, 2], [0, 3]]), np.array([4.0, 1, 9, 2])
    weights = attention_weights(np.array([[2.0, 1.0]]), keys, scale={"tenths": "2 to 9"} / 10)[0]
    return weights[2], np.log(weights[1] / weights[0]), weights @ values, {"A", "C", "D"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = one_row()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="the weight and the answer"
import numpy as np

weights = np.exp({"tenths": "2 to 9"} / 10 * np.array([3.0, 4.0, 8.0, 3.0]))
weights /= weights.sum()
weight, _, answer, _ = one_row()
assert np.allclose([weight, answer], [weights[2], weights @ [4, 1, 9, 2]], atol=0.006), (
    "expected exponentials of scaled inner products, over their sum, and the average with them"
)


# %% tags=["test", "hidden"] points=1 why="the log-odds"
import numpy as np

assert np.isclose(one_row()[1], {"tenths": "2 to 9"} / 10, atol=0.006), (
    "expected the scale times the difference of the two scores"
)


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert one_row()[3] == {"A", "C", "D"}, (
    "expected that differences of scores count, that averages stay among their values, and that long keys are loud"
)


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    wanted = [[1, 1, 4], [2, 0, 1], [3, 2, 9], [0, 3, 2]]
    assert np.allclose([row[1:] for row in table], wanted)
    keys = np.array([row[1:3] for row in table])
    assert (keys @ [2, 1]).tolist() == [3, 4, 8, 3]
    assert np.argmin(np.linalg.norm(keys - [2, 1], axis=1)) != np.argmax(keys @ [2, 1])


# %% tags=["wrong", "misconception"] marks=0 why="takes attention for a smoother, which hears the nearest most"
def one_row():
    keys = np.array([[1.0, 1], [2, 0], [3, 2], [0, 3]])
    weights = np.exp(-{"tenths": "2 to 9"} / 20 * np.sum((keys - [2, 1]) ** 2, axis=1))
    weights = weights / weights.sum()
    return weights[2], np.log(weights[1] / weights[0]), weights @ [4, 1, 9, 2], {"A", "B", "C"}


# %% tags=["wrong"] marks=1 why="takes the exponential without the scale, and scores for log-odds"
def one_row():
    weights = np.exp([3.0, 4.0, 8.0, 3.0])
    weights = weights / weights.sum()
    return weights[2], {"tenths": "2 to 9"} / 10, weights @ [4, 1, 9, 2], {"A", "C"}


# %% tags=["wrong"] marks=0 why="takes shares of the scores, and a score for a log-odds"
def one_row():
    return 8 / 18, 4 / 3, (12 + 4 + 72 + 6) / 18, {"C", "E"}


# %% tags=["wrong"] marks=3 why="forgets that keys of one length make a smoother"
def one_row():
    weights = np.exp({"tenths": "2 to 9"} / 10 * np.array([3.0, 4.0, 8.0, 3.0]))
    weights = weights / weights.sum()
    return weights[2], {"tenths": "2 to 9"} / 10, weights @ [4, 1, 9, 2], {"A", "C"}
