# %% [markdown]
# **The next token.** Return the probabilities from which the next token is drawn. First `logits`, one number for each
# token, are divided by `temperature`; then only the `top_k` largest are kept; then only the smallest set of the largest
# ones whose probabilities, among those kept, reach `top_p`. What is left sums to one, everything else is zero. The
# temperature is above zero, logits may be as large as a thousand, and no two of them are equal.


# %% tags=["answer"]
def next_token(logits, temperature, top_k, top_p):
    """Return the probability of each token to be drawn."""
    ### BEGIN SOLUTION
    import torch

    from regattn.transformer import next_token_distribution

    scores = torch.tensor(np.asarray(logits, dtype=float))
    return next_token_distribution(scores, temperature=temperature, top_k=top_k, top_p=top_p).numpy()
    ### END SOLUTION


# %% tags=["test"] points=1 why="three tokens, of which two are kept"
import numpy as np

given = next_token(np.array([2.0, 1.0, 0.0]), 1.0, 2, 1.0)
assert np.allclose(given, [1 / (1 + np.exp(-1)), 1 / (1 + np.e), 0])

# %% tags=["test", "hidden"] points=1 why="the temperature, and how many are kept"
import numpy as np
import torch

from regattn.transformer import next_token_distribution

rng = np.random.default_rng(180)
for V, temperature, top_k in [(5, 0.5, 5), (11, 2.0, 3), (29, 1.0, 1)]:
    logits = rng.normal(size=V)
    wanted = next_token_distribution(torch.tensor(logits), temperature=temperature, top_k=top_k).numpy()
    assert np.allclose(next_token(logits, temperature, top_k, 1.0), wanted), (
        f"expected the probabilities of {V} tokens at the temperature {temperature}, {top_k} of them kept"
    )

# %% tags=["test", "hidden"] points=2 why="the smallest set that reaches a share, among those kept"
import numpy as np
import torch

from regattn.transformer import next_token_distribution

rng = np.random.default_rng(181)
for V, temperature, top_k, top_p in [(7, 1.0, 7, 0.6), (13, 0.7, 6, 0.9), (31, 3.0, 12, 0.5)]:
    logits = rng.normal(size=V)
    wanted = next_token_distribution(torch.tensor(logits), temperature=temperature, top_k=top_k, top_p=top_p).numpy()
    assert np.allclose(next_token(logits, temperature, top_k, top_p), wanted), (
        f"expected the smallest set of the largest that reaches {top_p}, among the {top_k} kept, made to sum to one"
    )

# %% tags=["test", "hidden"] points=1 why="logits of a thousand"
import numpy as np

given = next_token(np.array([1000.0, 999.0, -1000.0]), 0.5, 3, 1.0)
assert np.allclose(given, [1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2)), 0]), (
    "expected finite probabilities for logits of a thousand"
)


# %% tags=["wrong"] marks=4 why="takes the exponentials of the logits as they are, which overflow"
def next_token(logits, temperature, top_k, top_p):
    p = np.exp(np.asarray(logits) / temperature)
    order = np.argsort(-np.asarray(logits))
    p[order[top_k:]] = 0
    p = p / p.sum()
    p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()


# %% tags=["wrong"] marks=3 why="leaves out the token with which the share is reached"
def next_token(logits, temperature, top_k, top_p):
    from regattn.from_scratch import softmax

    p, order = softmax(np.asarray(logits) / temperature), np.argsort(-np.asarray(logits))
    p[order[top_k:]] = 0
    p = p / p.sum()
    p[order[np.cumsum(p[order]) > top_p + 1e-12]] = 0
    return p / p.sum()


# %% tags=["wrong", "misconception"] marks=1 why="multiplies by the temperature"
def next_token(logits, temperature, top_k, top_p):
    import torch

    from regattn.transformer import next_token_distribution

    logits = torch.tensor(np.asarray(logits, dtype=float))
    return next_token_distribution(logits, temperature=1 / temperature, top_k=top_k, top_p=top_p).numpy()
