# %% [markdown]
# **Between its own and all.** Each firm has coefficients of its own, which lie around common ones: $y = x^\top(\beta +
# b_f) + \varepsilon$, with $b_f \sim N(0, \tau^2\sigma^2 I)$, $\varepsilon \sim N(0, \sigma^2)$ and $\tau$ = `spread`.
# `firms` names the firm of each row of `X`, which has its column of ones. Return the weight of every outcome in the
# best linear prediction at each row of `X` itself: $A = XB + R\Sigma^{-1}(I - XB)$, with $R$ holding $\tau^2 x_i^\top
# x_j$ for rows of one firm and zero for others, $\Sigma = I + R$ and $B = (X^\top \Sigma^{-1}X)^{-1}X^\top
# \Sigma^{-1}$.


# %% tags=["answer"]
def shared_weights(X, firms, spread):
    """Return the weights of the outcomes when firms share in part."""
    ### BEGIN SOLUTION
    from regattn.series import panel_weights

    return panel_weights(X, firms, X, firms, spread=spread)
    ### END SOLUTION


# %% tags=["test"] points=1 why="two firms of one year that share all"
import numpy as np

assert np.allclose(shared_weights(np.ones((2, 1)), np.array([0, 1]), 0.0), 0.5)

# %% tags=["test", "hidden"] points=3 why="random firms, several spreads"
import numpy as np

rng = np.random.default_rng(101)
X, firms = np.column_stack([np.ones(14), rng.normal(size=14)]), np.repeat([0, 1, 2], [3, 5, 6])
for spread in (0.3, 1.0, 4.0):
    R = spread**2 * X @ X.T * (firms[:, None] == firms)
    W = np.linalg.inv(np.eye(14) + R)
    B = np.linalg.solve(X.T @ W @ X, X.T @ W)
    assert np.allclose(shared_weights(X, firms, spread), X @ B + R @ W @ (np.eye(14) - X @ B)), (
        f"expected the weights of three firms at a spread of {spread}, with its square in R"
    )

# %% tags=["test", "hidden"] points=0 why="the pooled line at a spread of zero"
import numpy as np

rng = np.random.default_rng(102)
X = np.column_stack([np.ones(9), rng.normal(size=9)])
assert np.allclose(shared_weights(X, np.arange(9) % 3, 0.0), X @ np.linalg.pinv(X)), (
    "expected the pooled line at a spread of zero"
)


# %% tags=["wrong", "misconception"] marks=1 why="shares all, whatever the spread"
def shared_weights(X, firms, spread):
    return X @ np.linalg.pinv(X)


# %% tags=["wrong"] marks=1 why="takes the spread and not its square"
def shared_weights(X, firms, spread):
    from regattn.series import panel_weights

    return panel_weights(X, firms, X, firms, spread=np.sqrt(spread))


# %% tags=["wrong"] marks=0 why="forgets what firms have in common"
def shared_weights(X, firms, spread):
    R = spread**2 * X @ X.T * (firms[:, None] == firms)
    return R @ np.linalg.inv(np.eye(len(X)) + R)
