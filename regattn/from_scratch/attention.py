"""The mechanism and its first users: from least squares to a language model."""

import numpy as np


def softmax(scores):
    """Return exp(s_i) / Σ exp(s_l) along the last axis."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def identity(scores):
    """Return the scores as they are: the kernel of least squares."""
    return scores


def attend(queries, keys, values, kernel=softmax, scale=1.0, mask=None):
    """Average values, (n, d_v), for each query, (m, d), by its keys, (n, d)."""
    scores = scale * queries @ keys.T
    if mask is not None:  # True where a query may look; softmax of -∞ is zero
        scores = np.where(mask, scores, -np.inf)
    weights = kernel(scores)
    return weights @ values


def least_squares_weights(X, X_new):
    """Return the weights, (m, n), of n targets in predictions at m new rows."""
    inverse = np.linalg.inv(X.T @ X)
    return X_new @ inverse @ X.T


def ridge_filter(singular_values, ridge):
    """Return the share of each direction that ridge regression keeps."""
    return singular_values**2 / (singular_values**2 + ridge)


def ridge_weights(X, X_new, ridge):
    """Return the least-squares weights when each direction is kept in part."""
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    queries, keys = X_new @ Vt.T / s, U
    return queries * ridge_filter(s, ridge) @ keys.T


def leave_one_out(hat, y):
    """Return the error at each row of the model fitted to all the others."""
    return (y - hat @ y) / (1 - np.diag(hat))


def head(x, W_Q, W_K, W_V, mask=None):
    """Return what each token of x, (T, D), gathers through three maps, (D, d)."""
    queries, keys, values = x @ W_Q, x @ W_K, x @ W_V
    scale = 1 / np.sqrt(W_Q.shape[1])
    return attend(queries, keys, values, scale=scale, mask=mask)


def layer_norm(x):
    """Return each row of x with mean zero and variance one."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


def block(x, heads, W_O, W_1, W_2, mask=None):
    """Return x, (T, D), when the heads, then two layers, have added to it."""
    z = layer_norm(x)
    gathered = [head(z, *maps, mask=mask) for maps in heads]
    x = x + np.concatenate(gathered, axis=-1) @ W_O
    hidden = np.maximum(0, layer_norm(x) @ W_1)
    return x + hidden @ W_2


def language_model(tokens, E, places, blocks):
    """Return the probabilities of the next token, (T, V), after each of T."""
    x = np.sqrt(E.shape[1]) * E[tokens] + places[: len(tokens)]
    known = np.tri(len(tokens), dtype=bool)  # the causal mask
    for heads_and_maps in blocks:
        x = block(x, *heads_and_maps, mask=known)
    return softmax(layer_norm(x) @ E.T)  # the unembedding
