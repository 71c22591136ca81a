# %% [markdown]
# **Shares, and a row left out.** A design with an intercept has, measured from its means, the squared singular values
# 12, 4 and 1. It is fitted by ridge with the penalty `{"penalty": "2 to 9"}`. Return three numbers, to two decimals
# or better, and a set: the share that is kept along the weakest direction; the degrees of freedom, intercept
# included; the error that the fit would make at a row with leverage .3 and residual 2.1, had it not seen that row;
# and the set of the letters of all statements that hold:
#
# - A: leave-one-out needs as many fits as there are rows;
# - B: for a given penalty leave-one-out is exact from a single fit;
# - C: leave-one-out cannot know that the rows to come stand in other times than the neighbours of a row left out;
# - D: a map of rank one that fits its own target as well as least squares holds most of the embedding;
# - E: ridge takes the largest share from the strongest direction.


# %% tags=["answer"]
def shares_and_errors():
    """Return a share, the degrees of freedom, an error and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import ridge_filter

    shares = ridge_filter(np.sqrt([12.0, 4.0, 1.0]), {"penalty": "2 to 9"})
    return shares[-1], shares.sum() + 1, 2.1 / (1 - 0.3), {"B", "C"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = shares_and_errors()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="share and degrees of freedom"
import numpy as np

squares = np.array([12.0, 4.0, 1.0])
shares = squares / (squares + {"penalty": "2 to 9"})
assert np.allclose(shares_and_errors()[:2], [shares[2], 1 + shares.sum()], atol=0.006), (
    "expected squares over squares and penalty, and their sum with one for the intercept"
)


# %% tags=["test", "hidden"] points=1 why="the error without the row"
import numpy as np

assert np.isclose(shares_and_errors()[2], 3, atol=0.006), "expected the residual over one less the leverage"


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert shares_and_errors()[3] == {"B", "C"}, (
    "expected a single fit to tell every row left out, and neither other times nor other targets"
)


# %% tags=["wrong", "misconception"] marks=0 why="counts columns as degrees of freedom and trusts the residual"
def shares_and_errors():
    return 1.0, 4.0, 2.1, {"A", "D"}


# %% tags=["wrong"] marks=3 why="forgets the intercept"
def shares_and_errors():
    shares = np.array([12.0, 4.0, 1.0]) / (np.array([12.0, 4.0, 1.0]) + {"penalty": "2 to 9"})
    return shares[2], shares.sum(), 3.0, {"B", "C"}


# %% tags=["wrong"] marks=3 why="does not square the singular values"
def shares_and_errors():
    shares = np.sqrt([12.0, 4.0, 1.0]) / (np.sqrt([12.0, 4.0, 1.0]) + {"penalty": "2 to 9"})
    return shares[2], 1 + shares.sum(), 3.0, {"B", "C"}


# %% tags=["wrong"] marks=2 why="multiplies by the leverage"
def shares_and_errors():
    shares = np.array([12.0, 4.0, 1.0]) / (np.array([12.0, 4.0, 1.0]) + {"penalty": "2 to 9"})
    return shares[2], 1 + shares.sum(), 2.1 * 0.3, {"B", "D"}
