# %% [markdown]
# **Where descent ends.** Two columns have $X^\top X = I$, and a single target $y$ has $X^\top y$ = (2, 1). The map Ω
# is learned from this target by descent with small steps, which begins at a matrix of zeros with
# `{"start": "3 to 9"}` in its upper right corner. Return three things. The Ω on which descent comes to rest, an array
# of shape (2, 2). Of the numbers in the Ω of a design with seven columns, how many three targets in general position
# fix. And the set of the letters of all statements that hold where descent on this target has come to rest:
#
# {statements}

# %% [markdown] tags=["statements"]
# - Holds: begun at zeros, it would predict the same at the rows of $X$.
#   Because: from every start Ω times X⊤y ends at the coefficients, and the predictions use nothing else.
# - Fails: Ω is the inverse of $X^\top X$.
#   Because: one target fixes what Ω does to (2, 1); the rest is as it began.
# - Fails: for any second target its predictions are as good as for the first.
#   Because: a second target asks in another direction, and what nobody asked about was not corrected.
# - Holds: a target of pure noise would have fixed as many numbers of Ω.
#   Because: every target asks about one direction, whatever it says, and fixes one number in each row.
# - Fails: any two starts that end at the same loss end at the same distance from the inverse.
#   Because: what a start holds across (2, 1) stays unseen by the loss, and with it a part of the distance.
# - Holds: besides this target, a second with $X^\top y$ = (1, 1) would make the inverse the only place to come to
#   rest.
#   Because: (2, 1) and (1, 1) together ask about both directions that Ω has.
# - Fails: with ten times as many rows, this one target would fix more numbers of Ω.
#   Because: however many rows there are, one target fixes as many numbers as there are columns.
# - Holds: what Ω does to (1, −2) is what it did before the first step.
#   Because: each row of Ω moves along (2, 1) alone, and (1, −2) is perpendicular to it.
# - Holds: were $X^\top y$ = (0, 0), descent would leave Ω where it began.
#   Because: the gradient has X⊤y as a factor, and would be zero from the first step on.


# %% tags=["answer"]
def where_descent_ends():
    """Return the map at which descent ends, a count and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.regression import embedding_limit, identified_directions

    rng = np.random.default_rng(0)
    end = embedding_limit(np.eye(2), np.array([2.0, 1.0]), start=np.array([[0, {"start": "3 to 9"}], [0, 0.0]]))
    fixed = identified_directions(rng.normal(size=(20, 7)), rng.normal(size=(20, 3))).rank * 7
    return end, fixed, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="an array, a number and a set"
import numpy as np

end, fixed, letters = where_descent_ends()
assert np.shape(end) == (2, 2)
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="the map"
import numpy as np

from regattn.regression import embedding_descent

start = np.array([[0.0, {"start": "3 to 9"}], [0.0, 0.0]])
wanted = embedding_descent(np.eye(2), np.array([2.0, 1.0]), learning_rate=0.05, steps=500, start=start).omega
assert np.allclose(where_descent_ends()[0], wanted, atol=0.006), (
    "expected the solution nearest to the start, since every row moves along one direction alone"
)


# %% tags=["test", "hidden"] points=1 why="how many numbers three targets fix"
assert where_descent_ends()[1] == 21, "expected as many numbers as columns times targets"


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
where_descent_ends()[2]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.regression import embedding_limit

    for corner in range(3, 10):
        start = np.array([[0.0, corner], [0.0, 0.0]])
        end = embedding_limit(np.eye(2), np.array([2.0, 1.0]), start=start)
        zeros = embedding_limit(np.eye(2), np.array([2.0, 1.0]))
        assert np.allclose(end @ [2, 1], zeros @ [2, 1])
        assert np.allclose(end @ [1, -2], start @ [1, -2])
        assert np.linalg.norm(end - np.eye(2)) > 2 * np.linalg.norm(zeros - np.eye(2))
        assert np.allclose(embedding_limit(np.eye(2), np.array([[2.0, 1.0], [1.0, 1.0]]), start=start), np.eye(2))


# %% tags=["wrong", "misconception"] marks=0 why="believes that a loss of zero means the inverse"
def where_descent_ends():
    return np.eye(2), 49, {"A", "B", "C", "E"}


# %% tags=["wrong"] marks=3 why="begins at zeros"
def where_descent_ends():
    return np.array([[0.8, 0.4], [0.4, 0.2]]), 21, {"A", "D"}


# %% tags=["wrong"] marks=4 why="takes the loss for the error of the map"
def where_descent_ends():
    start = {"start": "3 to 9"}
    return np.array([[(2 - start) * 2 / 5, start + (2 - start) / 5], [2 / 5, 1 / 5]]), 21, {"A", "D", "E"}


# %% tags=["wrong"] marks=1 why="counts one number for each target, and transposes"
def where_descent_ends():
    start = {"start": "3 to 9"}
    return np.array([[(2 - start) * 2 / 5, 2 / 5], [start + (2 - start) / 5, 1 / 5]]), 3, {"A"}
