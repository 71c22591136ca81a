# %% [markdown]
# **How far out, how well lined up.** A least-squares fit to `X`, with an intercept, is asked for its prediction at the
# row `new`, and gives every row of `X` a weight: an equal share, the same for all rows, and a correction. A correction
# is a product: the length of the query's code times the length of the key's code, and the cosine of the angle between
# the two. Return both factors, two arrays with one number for each row of `X`. With $X_c$ the matrix `X` less the means
# of its columns, codes are rows less these means, times any root of $(X_c^\top X_c)^{-1}$. The same means are taken
# from `new`. Neither `X` nor `new` has a column of ones, and no row has a code of length zero.


# %% tags=["answer"]
def scale_and_cosine(X, new):
    """Return the products of lengths and the cosines between the code of a new row and those of the rows of X."""
    ### BEGIN SOLUTION
    from regattn.regression import scale_and_alignment, spectrum

    fit = spectrum(X, centre=True)
    scale, cosine = scale_and_alignment(fit.codes(new[None]), fit.codes())
    return scale[0], cosine[0]
    ### END SOLUTION


# %% tags=["test"] points=0 why="two arrays with a number for each row, whose products, the corrections, sum to zero"
import numpy as np

X = np.array([[0.0], [1.0], [5.0]])
scale, cosine = scale_and_cosine(X, np.array([4.0]))
assert np.shape(scale) == np.shape(cosine) == (3,)
assert np.isclose(scale @ cosine, 0)

# %% tags=["test", "hidden"] points=1 why="products that are the weights of the fit beyond an equal share"
import numpy as np

from regattn.regression import proximity_weights

rng = np.random.default_rng(30)
for n, p in [(7, 2), (19, 3), (31, 5)]:
    X, new = rng.normal(size=(n, p)), rng.normal(size=p)
    scale, cosine = scale_and_cosine(X, new)
    A, asked = np.column_stack([np.ones(n), X]), np.append(1.0, new)
    assert np.allclose(scale * cosine, proximity_weights(A, asked[None], centre=False)[0] - 1 / n), (
        f"expected factors whose products are the weights less an equal share, {n} rows and {p} columns"
    )

# %% tags=["test", "hidden"] points=3 why="the split itself: lengths of codes, and cosines between −1 and 1"
import numpy as np

from regattn.regression import scale_and_alignment, spectrum

rng = np.random.default_rng(31)
X, new = rng.normal(size=(23, 3)), rng.normal(size=3)
scale, cosine = scale_and_cosine(X, new)
fit = spectrum(X, centre=True)
wanted = scale_and_alignment(fit.codes(new[None]), fit.codes())
assert np.allclose(scale, wanted.scale[0]), "expected the products of the lengths of two codes, both less the means"
assert np.allclose(cosine, wanted.alignment[0]), "expected the cosines of the angles between the two codes"


# %% tags=["wrong", "misconception"] marks=0 why="takes lengths and angles of the rows in place of their codes"
def scale_and_cosine(X, new):
    scale = np.linalg.norm(new) * np.linalg.norm(X, axis=1)
    return scale, X @ new / scale


# %% tags=["wrong"] marks=1 why="takes the length of the query alone as scale"
def scale_and_cosine(X, new):
    from regattn.regression import spectrum

    fit = spectrum(X, centre=True)
    query = fit.codes(new[None])[0]
    scale = np.linalg.norm(query) * np.ones(len(X))
    return scale, fit.codes() @ query / scale


# %% tags=["wrong"] marks=1 why="returns the cosine first"
def scale_and_cosine(X, new):
    from regattn.regression import scale_and_alignment, spectrum

    fit = spectrum(X, centre=True)
    scale, cosine = scale_and_alignment(fit.codes(new[None]), fit.codes())
    return cosine[0], scale[0]


# %% tags=["wrong"] marks=0 why="splits the whole weight, with the column of ones in the codes"
def scale_and_cosine(X, new):
    from regattn.regression import least_squares_codes, scale_and_alignment

    scale, cosine = scale_and_alignment(*least_squares_codes(X, new[None]))
    return scale[0], cosine[0]


# %% tags=["wrong"] marks=0 why="takes the means from the rows of X and not from the query"
def scale_and_cosine(X, new):
    from regattn.regression import scale_and_alignment, spectrum

    fit = spectrum(X, centre=True)
    scale, cosine = scale_and_alignment(fit.codes(new[None] + X.mean(axis=0)), fit.codes())
    return scale[0], cosine[0]


# %% tags=["wrong", "misconception"] marks=0 why="weighs rows by how near they are"
def scale_and_cosine(X, new):
    weights = np.exp(-np.linalg.norm(X - new, axis=1))
    return np.ones(len(X)), weights / weights.sum()
