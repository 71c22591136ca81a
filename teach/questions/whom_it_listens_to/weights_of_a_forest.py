# %% [markdown]
# **Witnesses of a forest.** `leaves` and `leaves_new` hold the number of the leaf that each training row, or each new
# case, falls into: a row for each case, a column for each tree. Every tree was grown on all training rows. Return the
# weights of the forest's predictions, a row for each new case and a column for each training row.


# %% tags=["answer"]
def weights_of_forest(leaves, leaves_new):
    """Return the weight of every training row in every prediction, shape (m, n)."""
    ### BEGIN SOLUTION
    from regattn import attention_weights

    weights = []
    for old, new in zip(leaves.T, leaves_new.T, strict=True):
        names = np.unique(old)
        keys = (old[:, None] == names).astype(float)  # one-hot: a column for each leaf
        asks = (new[:, None] == names).astype(float)
        weights.append(attention_weights(asks, keys / keys.sum(axis=0), kernel="identity"))
    return np.mean(weights, axis=0)
    ### END SOLUTION


# %% tags=["test"] points=1 why="one tree with two leaves"
import numpy as np

found = weights_of_forest(np.array([[0], [0], [1]]), np.array([[0], [1]]))
assert np.allclose(found, [[0.5, 0.5, 0], [0, 0, 1]])

# %% tags=["test", "hidden"] points=3 why="forests of scikit-learn, whose predictions they give"
import numpy as np
from sklearn.ensemble import RandomForestRegressor

rng = np.random.default_rng(230)
for n, trees in [(23, 5), (41, 13)]:
    X, y, new = rng.normal(size=(n, 3)), rng.normal(size=n), rng.normal(size=(7, 3))
    forest = RandomForestRegressor(trees, bootstrap=False, max_features=1, min_samples_leaf=2, random_state=0)
    forest.fit(X, y)
    assert np.allclose(weights_of_forest(forest.apply(X), forest.apply(new)) @ y, forest.predict(new)), (
        f"expected weights that give the predictions of a forest of {trees} trees"
    )

# %% tags=["test", "hidden"] points=0 why="that each row of weights sums to one"
import numpy as np

rng = np.random.default_rng(231)
leaves = rng.integers(3, size=(31, 4))
assert np.allclose(weights_of_forest(leaves, leaves[:5]).sum(axis=1), 1), (
    "expected weights that sum to one for each case"
)


# %% tags=["wrong", "misconception"] marks=1 why="counts shared leaves, whatever their size"
def weights_of_forest(leaves, leaves_new):
    shared = (leaves_new[:, None] == leaves[None]).sum(axis=2)
    return shared / shared.sum(axis=1, keepdims=True)


# %% tags=["wrong"] marks=1 why="forgets to divide by the number of trees"
def weights_of_forest(leaves, leaves_new):
    shared = leaves_new[:, None] == leaves[None]
    return (shared / shared.sum(axis=1, keepdims=True)).sum(axis=2)


# %% tags=["wrong"] marks=0 why="does not share a leaf's weight among its rows"
def weights_of_forest(leaves, leaves_new):
    return (leaves_new[:, None] == leaves[None]).mean(axis=2)
