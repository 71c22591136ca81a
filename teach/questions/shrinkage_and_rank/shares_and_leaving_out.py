# %% [markdown]
# **Shares, and a row left out.** A design with an intercept has, measured from its means, the squared singular values
# 12, 4 and 1. It is fitted by ridge with the penalty `{"penalty": "2 to 9"}`. Return three numbers, to two decimals
# or better, and a set: the share that is kept along the weakest direction; the degrees of freedom, intercept
# included; the error that the fit would make at a row with leverage .3 and residual 2.1, had it not seen that row;
# and the set of the letters of all statements that hold:
#
# {statements}

# %% [markdown] tags=["statements"]
# - Fails: for the same residual, the larger the leverage of a row, the smaller its error when it is left out.
#   Because: the error is the residual over one less the leverage: the larger the leverage, the larger the error.
# - Holds: for a given penalty, leave-one-out is exact from a single fit.
#   Because: each residual over one less its leverage is the error that a fit without that row would make.
# - Holds: leave-one-out cannot know that the rows to come will differ from those it has seen.
#   Because: it leaves out rows of the same sample, and at every date tried it chose less shrinkage than hindsight.
# - Fails: a map of rank one that fits its target as well as least squares does serves any other target just as well.
#   Because: one direction is enough for one target, and it is made for that target alone.
# - Fails: ridge takes the largest share from the strongest direction.
#   Because: it takes the penalty over square plus penalty, which is largest for the weakest direction.
# - Holds: however large the penalty is, more than one degree of freedom is left.
#   Because: the intercept costs one, and every share stays above zero.
# - Fails: a larger penalty makes every weight of every forecast smaller in size.
#   Because: a weight sums over directions of both signs: where two cancelled, it grows when one is turned down.
# - Holds: at the same distance from the means, a new row has the longest code along the weakest direction.
#   Because: the distance is divided by the singular value, which is smallest there.
# - Holds: the leverages of all rows add up to the degrees of freedom.
#   Because: they are the diagonal of the hat matrix, and their sum is what the fit spends.


# %% tags=["answer"]
def shares_and_errors():
    """Return a share, the degrees of freedom, an error and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import ridge_filter

    shares = ridge_filter(np.sqrt([12.0, 4.0, 1.0]), {"penalty": "2 to 9"})
    return shares[-1], shares.sum() + 1, 2.1 / (1 - 0.3), {letters}
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


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
shares_and_errors()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np

    from regattn.regression import spectrum

    X, new = np.random.default_rng(0).normal(size=(12, 3)), np.ones((1, 3))
    fit = spectrum(X, centre=True)
    hat, singular = fit.weights(X, ridge=3.0), np.linalg.svd(X - X.mean(axis=0))[1]
    without = [spectrum(np.delete(X, i, axis=0), centre=True).weights(X[[i]], ridge=3.0)[0] for i in range(12)]
    masked = [np.delete(row, i) / (1 - row[i]) for i, row in enumerate(hat)]
    assert np.allclose(without, masked)  # exact, with the intercept and a penalty
    assert np.isclose(np.trace(hat), 1 + (singular**2 / (singular**2 + 3)).sum())
    assert (np.abs(fit.weights(new, ridge=3.0)) > np.abs(fit.weights(new))).any()


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
