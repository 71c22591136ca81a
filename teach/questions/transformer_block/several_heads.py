# %% [markdown]
# **Several heads, and back.** `x` has a row of width $D$ for each token, in order, and each token may look at itself
# and what stands before it. `W_Q`, `W_K` and `W_V` have the shape $(H, D, d)$, one map for each of $H$ heads, and `W_O`
# the shape $(H d, D)$. Return what causal softmax attention with the scale $1/\sqrt d$ adds to the stream: the outputs
# of the heads side by side, head 0 first, times `W_O`.


# %% tags=["answer"]
def gathered(x, W_Q, W_K, W_V, W_O):
    """Return what the heads add to each token."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import head

    mask = np.tri(len(x), dtype=bool)
    outputs = [head(x, *maps, mask=mask) for maps in zip(W_Q, W_K, W_V, strict=True)]
    return np.concatenate(outputs, axis=1) @ W_O
    ### END SOLUTION


# %% tags=["test"] points=1 why="the first token, which sees itself alone"
import numpy as np

rng = np.random.default_rng(1)
x, maps, W_O = rng.normal(size=(3, 4)), rng.normal(size=(3, 2, 4, 2)), rng.normal(size=(4, 4))
alone = np.concatenate([x[0] @ maps[2, 0], x[0] @ maps[2, 1]]) @ W_O
assert np.allclose(gathered(x, *maps, W_O)[0], alone)

# %% tags=["test", "hidden"] points=3 why="random texts, of several widths and numbers of heads"
import numpy as np

from regattn import attend, causal_mask

rng = np.random.default_rng(170)
for T, D, H, d in [(5, 6, 1, 3), (7, 4, 3, 2), (13, 10, 2, 5)]:
    x, W_O = rng.normal(size=(T, D)), rng.normal(size=(H * d, D))
    W_Q, W_K, W_V = rng.normal(size=(3, H, D, d))
    outputs = [attend(x @ q, x @ k, x @ v, mask=causal_mask(T)) for q, k, v in zip(W_Q, W_K, W_V, strict=True)]
    assert np.allclose(gathered(x, W_Q, W_K, W_V, W_O), np.hstack(outputs) @ W_O), (
        f"expected what {H} heads of width {d} add to {T} tokens, each of which looks at itself and back"
    )


# %% tags=["wrong"] marks=1 why="divides the scores by the root of D, not of d"
def gathered(x, W_Q, W_K, W_V, W_O):
    from regattn.from_scratch import attend

    mask, scale = np.tri(len(x), dtype=bool), x.shape[1] ** -0.5
    outputs = [attend(x @ q, x @ k, x @ v, scale=scale, mask=mask) for q, k, v in zip(W_Q, W_K, W_V, strict=True)]
    return np.concatenate(outputs, axis=1) @ W_O


# %% tags=["wrong", "misconception"] marks=0 why="has no mask"
def gathered(x, W_Q, W_K, W_V, W_O):
    from regattn.from_scratch import head

    outputs = [head(x, *maps) for maps in zip(W_Q, W_K, W_V, strict=True)]
    return np.concatenate(outputs, axis=1) @ W_O


# %% tags=["wrong"] marks=0 why="puts the heads side by side in the wrong order"
def gathered(x, W_Q, W_K, W_V, W_O):
    from regattn.from_scratch import head

    mask = np.tri(len(x), dtype=bool)
    outputs = np.stack([head(x, *maps, mask=mask) for maps in zip(W_Q, W_K, W_V, strict=True)], axis=2)
    return outputs.reshape(len(x), -1) @ W_O
