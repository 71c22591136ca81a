# %% [markdown]
# **What layers make of a context.** Predictions begin at zero. Each layer adds to every prediction, and takes from what
# is left of every outcome, `step` times linear attention to what the layers before have left: the query's row of
# `X_new`, or of `X`, times the rows of `X`, times what is left. Return the weight that `depth` layers together give
# each outcome of the context in each prediction: one row for each row of `X_new`, one column for each row of `X`.


# %% tags=["answer"]
def layer_weights(X, X_new, step, depth):
    """Return the weights of the outcomes of a context in the predictions of some layers."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import residual_layers

    return np.column_stack([residual_layers(X, one, X_new, step, depth) for one in np.eye(len(X))])
    ### END SOLUTION


# %% tags=["test"] points=1 why="one layer, which is linear attention"
import numpy as np

X, X_new = np.array([[1.0, 0.0], [1.0, 2.0], [1.0, 3.0]]), np.array([[1.0, 1.0]])
assert np.allclose(layer_weights(X, X_new, 0.1, 1), [[0.1, 0.3, 0.4]])

# %% tags=["test", "hidden"] points=2 why="the predictions of several layers, on random data"
import numpy as np

from regattn.from_scratch import residual_layers

rng = np.random.default_rng(200)
for n, m, p, depth in [(5, 2, 2, 2), (13, 7, 3, 5), (23, 3, 5, 12)]:
    X, X_new, y = rng.normal(size=(n, p)), rng.normal(size=(m, p)), rng.normal(size=n)
    step = 1 / np.linalg.norm(X, 2) ** 2
    assert np.shape(layer_weights(X, X_new, step, depth)) == (m, n), (
        f"expected a row for each of {m} predictions and a column for each of {n} outcomes"
    )
    assert np.allclose(layer_weights(X, X_new, step, depth) @ y, residual_layers(X, y, X_new, step, depth)), (
        f"expected weights that give the predictions of {depth} layers"
    )

# %% tags=["test", "hidden"] points=1 why="very many layers, whose weights are those of least squares"
import numpy as np

from regattn.regression import proximity_weights

rng = np.random.default_rng(201)
X, X_new = rng.normal(size=(29, 3)), rng.normal(size=(5, 3))
step = 1 / np.linalg.norm(X, 2) ** 2
assert np.allclose(layer_weights(X, X_new, step, 3000), proximity_weights(X, X_new, centre=False)), (
    "expected the weights of least squares after 3,000 layers"
)


# %% tags=["wrong"] marks=1 why="lets every layer attend to the outcomes themselves"
def layer_weights(X, X_new, step, depth):
    return depth * step * X_new @ X.T


# %% tags=["wrong", "misconception"] marks=1 why="returns the weights of least squares, as only very many layers do"
def layer_weights(X, X_new, step, depth):
    from regattn.regression import proximity_weights

    return proximity_weights(X, X_new, centre=False)


# %% tags=["wrong"] marks=0 why="has a column for each prediction: the transpose"
def layer_weights(X, X_new, step, depth):
    from regattn.from_scratch import residual_layers

    return np.array([residual_layers(X, one, X_new, step, depth) for one in np.eye(len(X))])
