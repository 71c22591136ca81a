# %% [markdown]
# **Turned, then compared.** Rows of `queries` and `keys` stand at the places 0, 1, 2, … and have an even width $D$.
# Each pair of neighbouring columns, $(0, 1)$, $(2, 3)$ and so on, is a clock: at place $p$ the pair $k$ is turned by
# the angle $p\,b^{-2k/D}$, with $b$ = `{"base": "50 to 900"}`, so that $(1, 0)$ turns towards $(0, 1)$. Return
# the inner products of all turned queries with all turned keys.


# %% tags=["answer"]
def turned_scores(queries, keys):
    """Return the inner products of queries and keys that were turned by their places."""
    ### BEGIN SOLUTION
    from regattn.transformer import rotate

    turned = [rotate(x, np.arange(len(x)), base={"base": "50 to 900"}) for x in (queries, keys)]
    return turned[0] @ turned[1].T
    ### END SOLUTION


# %% tags=["test"] points=1 why="one clock, two places"
import numpy as np

x = np.array([[1.0, 0.0], [1.0, 0.0]])
assert np.allclose(turned_scores(x, x), [[1, np.cos(1)], [np.cos(1), 1]])

# %% tags=["test", "hidden"] points=3 why="random queries and keys, of several widths"
import numpy as np

from regattn.transformer import rotate

rng = np.random.default_rng(160)
base = {"base": "50 to 900"}
for n, m, D in [(5, 5, 2), (7, 11, 6), (13, 3, 16)]:
    queries, keys = rng.normal(size=(n, D)), rng.normal(size=(m, D))
    wanted = rotate(queries, np.arange(n), base=base) @ rotate(keys, np.arange(m), base=base).T
    assert np.allclose(turned_scores(queries, keys), wanted), (
        f"expected {n} queries and {m} keys turned by their places, neighbouring columns together, with the base {base}"
    )

# %% tags=["test", "hidden"] points=0 why="scores that depend on the distance alone where all rows are the same"
import numpy as np

given = turned_scores(np.ones((9, 8)), np.ones((9, 8)))
assert np.allclose(given[1:, 1:], given[:-1, :-1]), (
    "expected scores that are the same along a distance when all rows are the same"
)
assert not np.allclose(given[0, 1:], given[0, :-1]), "expected scores that differ from one distance to the next"


# %% tags=["wrong"] marks=1 why="pairs each column with the one half a width away"
def turned_scores(queries, keys):
    from regattn.transformer import rotate

    order = np.arange(queries.shape[1]).reshape(2, -1).T.ravel()
    turned = [rotate(x[:, order], np.arange(len(x)), base={"base": "50 to 900"}) for x in (queries, keys)]
    return turned[0] @ turned[1].T


# %% tags=["wrong"] marks=0 why="turns the queries alone"
def turned_scores(queries, keys):
    from regattn.transformer import rotate

    return rotate(queries, np.arange(len(queries)), base={"base": "50 to 900"}) @ keys.T


# %% tags=["wrong", "misconception"] marks=1 why="lets all clocks run at the same speed"
def turned_scores(queries, keys):
    from regattn.transformer import rotate

    turned = [rotate(x, np.arange(len(x)), base=1.0) for x in (queries, keys)]
    return turned[0] @ turned[1].T
