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
# {statements}

# %% [markdown] tags=["statements"]
# - Holds: five more for every score of the row, and no weight changes.
#   Because: only differences of scores count: a common factor cancels in the division.
# - Fails: the nearer a key lies to the query, the larger is its weight.
#   Because: keys one and two lie nearer than key three, which has the largest weight because it is longer.
# - Holds: whatever $\tau$ is, the answer lies between 1 and 9.
#   Because: weights are positive and sum to one, so the average stays among its values.
# - Holds: were all keys equally long, these would be the weights of a Gaussian kernel of the distance.
#   Because: beside that kernel a weight holds a factor for the length of its key, which would then cancel.
# - Fails: a score below zero would give a weight below zero.
#   Because: an exponential is above zero, whatever the score.
# - Fails: with a query twice as long, (4, 2), the weights would be the same.
#   Because: all scores would be doubled, and so would their differences.
# - Holds: let $\tau$ only be large enough, and key three takes more than .99 of the weight.
#   Because: its score is the largest, and its odds against every other key grow with τ without end.
# - Fails: dividing by $\sqrt d$ keeps trained encoders from giving one key more than .99 of the weight.
#   Because: learned encoders can grow and take the factor in; it only keeps learning from starting there.
# - Holds: were key three left out, the odds of key two against key one would be the same.
#   Because: the odds of two keys depend on their own two scores alone.


# %% tags=["answer"]
def one_row():
    """Return a weight, a log-odds, an answer and a set of letters."""
    ### BEGIN SOLUTION
    from regattn import attention_weights

    keys, values = np.array([[1.0, 1], [2, 0], [3, 2], [0, 3]]), np.array([4.0, 1, 9, 2])
    weights = attention_weights(np.array([[2.0, 1.0]]), keys, scale={"tenths": "2 to 9"} / 10)[0]
    return weights[2], np.log(weights[1] / weights[0]), weights @ values, {letters}
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


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
one_row()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    wanted = [[1, 1, 4], [2, 0, 1], [3, 2, 9], [0, 3, 2]]
    assert np.allclose([row[1:] for row in table], wanted)
    keys = np.array([row[1:3] for row in table])
    assert (keys @ [2, 1]).tolist() == [3, 4, 8, 3]
    apart = np.linalg.norm(keys - [2, 1], axis=1)
    assert max(apart[:2]) < apart[2]  # and yet key three is heard most


# %% tags=["wrong", "misconception"] marks=0 why="takes attention for a smoother, which hears the nearest most"
def one_row():
    keys = np.array([[1.0, 1], [2, 0], [3, 2], [0, 3]])
    weights = np.exp(-{"tenths": "2 to 9"} / 20 * np.sum((keys - [2, 1]) ** 2, axis=1))
    weights = weights / weights.sum()
    return weights[2], np.log(weights[1] / weights[0]), weights @ [4, 1, 9, 2], {"A", "B", "C"}


# %% tags=["wrong"] marks=2 why="takes the exponential without the scale, and scores for log-odds"
def one_row():
    weights = np.exp([3.0, 4.0, 8.0, 3.0])
    weights = weights / weights.sum()
    return weights[2], {"tenths": "2 to 9"} / 10, weights @ [4, 1, 9, 2], {"A", "C"}


# %% tags=["wrong"] marks=0 why="takes shares of the scores, and a score for a log-odds"
def one_row():
    return 8 / 18, 4 / 3, (12 + 4 + 72 + 6) / 18, {"C", "E"}


# %% tags=["wrong"] marks=4 why="forgets that keys of one length make a smoother"
def one_row():
    weights = np.exp({"tenths": "2 to 9"} / 10 * np.array([3.0, 4.0, 8.0, 3.0]))
    weights = weights / weights.sum()
    return weights[2], {"tenths": "2 to 9"} / 10, weights @ [4, 1, 9, 2], {"A", "C"}
