# %% [markdown]
# **How far out, how well lined up.** A least-squares fit to `X`, with an intercept, is asked for its prediction at the
# row `new`, and gives every row of `X` a weight. Each weight is a product: the length of the query's code times the
# length of the key's code, and the cosine of the angle between the two. Return both factors, two arrays with one number
# for each row of `X`. With $A$ the matrix `X` and a column of ones before it, codes are rows times any root of $(A^\top
# A)^{-1}$. `X` and `new` have no such column, and no row of `X` has a code of length zero.


# %% tags=["answer"]
def scale_and_cosine(X, new):
    """Return the products of lengths and the cosines between the code of a new row and those of the rows of X."""
    ### BEGIN SOLUTION
    from regattn.regression import least_squares_codes, scale_and_alignment

    queries, keys = least_squares_codes(X, new[None])
    scale, cosine = scale_and_alignment(queries, keys)
    return scale[0], cosine[0]
    ### END SOLUTION


# %% tags=["test"] points=0 why="two arrays with a number for each row, whose products sum to one"
import numpy as np

X = np.array([[0.0], [1.0], [5.0]])
scale, cosine = scale_and_cosine(X, np.array([4.0]))
assert np.shape(scale) == np.shape(cosine) == (3,)
assert np.isclose(scale @ cosine, 1)

# %% tags=["test", "hidden"] points=1 why="products that are the weights of the fit"
import numpy as np

from regattn.regression import proximity_weights

rng = np.random.default_rng(30)
for n, p in [(7, 2), (19, 3), (31, 5)]:
    X, new = rng.normal(size=(n, p)), rng.normal(size=p)
    scale, cosine = scale_and_cosine(X, new)
    A, asked = np.column_stack([np.ones(n), X]), np.append(1.0, new)
    assert np.allclose(scale * cosine, proximity_weights(A, asked[None], centre=False)[0]), (
        f"expected factors whose products are the weights of the fit, {n} rows and {p} columns"
    )

# %% tags=["test", "hidden"] points=3 why="the split itself: lengths of codes, and cosines between −1 and 1"
import numpy as np

from regattn.regression import least_squares_codes, scale_and_alignment

rng = np.random.default_rng(31)
X, new = rng.normal(size=(23, 3)), rng.normal(size=3)
scale, cosine = scale_and_cosine(X, new)
wanted = scale_and_alignment(*least_squares_codes(X, new[None]))
assert np.allclose(scale, wanted.scale[0]), "expected the products of the lengths of the two codes"
assert np.allclose(cosine, wanted.alignment[0]), "expected the cosines of the angles between the two codes"


# %% tags=["wrong", "misconception"] marks=0 why="takes lengths and angles of the rows in place of their codes"
def scale_and_cosine(X, new):
    scale = np.linalg.norm(new) * np.linalg.norm(X, axis=1)
    return scale, X @ new / scale


# %% tags=["wrong"] marks=1 why="takes the length of the query alone as scale"
def scale_and_cosine(X, new):
    from regattn.regression import least_squares_codes

    queries, keys = least_squares_codes(X, new[None])
    scale = np.linalg.norm(queries) * np.ones(len(X))
    return scale, keys @ queries[0] / scale


# %% tags=["wrong"] marks=1 why="returns the cosine first"
def scale_and_cosine(X, new):
    from regattn.regression import least_squares_codes, scale_and_alignment

    scale, cosine = scale_and_alignment(*least_squares_codes(X, new[None]))
    return cosine[0], scale[0]


# %% tags=["wrong", "misconception"] marks=0 why="weighs rows by how near they are"
def scale_and_cosine(X, new):
    weights = np.exp(-np.linalg.norm(X - new, axis=1))
    return np.ones(len(X)), weights / weights.sum()
