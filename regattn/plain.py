"""The mechanism and its first users as on a blackboard: NumPy alone, no checks.

The chapters show these lines, and the tests hold the package's fast code to them.
"""

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


def gradient_descent(X, y, learning_rate, steps):
    """Return the parameters after steps down the mean squared error, from 0."""
    theta = np.zeros(X.shape[1])
    for _ in range(steps):
        gradient = 2 / len(y) * X.T @ (X @ theta - y)
        theta = theta - learning_rate * gradient
    return theta


def logistic_descent(X, y, learning_rate, steps):
    """Return θ of P(y = 1) = σ(Xθ) after steps down the cross-entropy."""
    theta = np.zeros(X.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-X @ theta))
        theta = theta - learning_rate / len(y) * X.T @ (p - y)
    return theta


def network_step(parameters, X, y, learning_rate):
    """Take one step of descent for P(y = 1) = σ(tanh(XW' + b)v + c)."""
    W, b, v, c = parameters
    hidden = np.tanh(X @ W.T + b)  # forward: what the units answer, (n, units)
    p = 1 / (1 + np.exp(-(hidden @ v + c)))
    error = (p - y) / len(y)  # backward: the slope by each logit, (n,)
    inner = np.outer(error, v) * (1 - hidden**2)  # by the chain rule, before tanh
    slopes = inner.T @ X, inner.sum(axis=0), hidden.T @ error, error.sum()
    pairs = zip(parameters, slopes, strict=True)
    return [part - learning_rate * slope for part, slope in pairs]


def feature_map(image, kernel):
    """Return the sum of products with the kernel, (k_h, k_w), wherever it fits."""
    k_h, k_w = kernel.shape
    phi = np.zeros((image.shape[0] - k_h + 1, image.shape[1] - k_w + 1))
    for i, j in np.ndindex(phi.shape):
        phi[i, j] = (image[i : i + k_h, j : j + k_w] * kernel).sum()
    return phi


def least_squares_weights(X, X_new):
    """Return the weights, (m, n), of n targets in predictions at m new rows."""
    omega = np.linalg.inv(X.T @ X)
    return X_new @ omega @ X.T


def lag_rows(y, p):
    """Return the past of each date, (T - p, p), latest first, and its value."""
    past = [y[p - back : len(y) - back] for back in range(1, p + 1)]
    return np.column_stack(past), y[p:]


def masked_average(weights, values, mask):
    """Return averages with the weights, (m, n), inside the mask, rescaled."""
    kept = np.where(mask, weights, 0)
    return kept / kept.sum(axis=1, keepdims=True) @ values


def panel_weights(X, units, X_new, units_new, spread):
    """Return weights, (m, n), of rows at new rows: shared, then own."""
    K = spread**2 * X @ X.T * (units[:, None] == units)  # a mask
    K_new = spread**2 * X_new @ X.T * (units_new[:, None] == units)
    V_inv = np.linalg.inv(np.eye(len(X)) + K)
    B = np.linalg.inv(X.T @ V_inv @ X) @ X.T @ V_inv
    return X_new @ B + K_new @ V_inv @ (np.eye(len(X)) - X @ B)


def within_slope(paths):
    """Return the slope on the value before, for paths with own levels."""
    past, present = paths[:, :-1], paths[:, 1:]
    x = past - past.mean(axis=1, keepdims=True)
    z = present - present.mean(axis=1, keepdims=True)
    return (x * z).sum() / (x * x).sum()


def honest_weights(X, start):
    """Return what rows from start on give those before them, by their Ω."""
    omega = np.linalg.inv(X[:start].T @ X[:start])
    weights = np.zeros((len(X) - start, len(X)))
    for t in range(start, len(X)):
        weights[t - start, :t] = X[t] @ omega @ X[:t].T
        gain = omega @ X[t]  # row t becomes known: X'X grows by one row's product
        omega = omega - np.outer(gain, gain) / (1 + X[t] @ gain)
    return weights


def residual_layers(X, y, X_new, step, depth):
    """Return predictions of layers that attend to what those before left."""
    left, predicted = y, np.zeros(len(X_new))
    for _ in range(depth):
        predicted = predicted + step * attend(X_new, X, left, kernel=identity)
        left = left - step * attend(X, X, left, kernel=identity)
    return predicted


def level_filter(y, ratio):
    """Return the level seen at each date; ratio is signal to noise."""
    level, gain, seen = y[0], 1.0, [y[0]]
    for value in y[1:]:
        gain = (gain + ratio) / (gain + ratio + 1)
        level = level + gain * (value - level)
        seen.append(level)
    return np.array(seen)


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


def induction(words, size, sharpness):
    """Return the shares of what followed earlier copies of each word, (T, size)."""
    T = len(words)
    known = np.tri(T, dtype=bool)
    word, before, place = np.split(np.eye(2 * size + T), [size, 2 * size])
    x = word[words] + place
    # layer 1: fetch the word one place back
    W_Q, W_K, W_V, W_O = place.T, place.T @ np.eye(T, k=1), word.T, before
    x = x + attend(x @ W_Q, x @ W_K, x @ W_V, scale=sharpness, mask=known) @ W_O
    # layer 2: where did my word stand one place back, and which word came?
    W_Q, W_K, W_V = word.T, before.T, word.T
    return attend(x @ W_Q, x @ W_K, x @ W_V, scale=sharpness, mask=known)


def merge(parts, pair):
    """Return the parts of a word with every such pair of neighbours made one."""
    found = []
    for part in parts:
        if found and (found[-1], part) == pair:
            found[-1] += part
        else:
            found.append(part)
    return found


def learn_merges(words, size):
    """Return pairs in the order of their merging, from {word: count}."""
    number = {sign: k for k, sign in enumerate(sorted(set("".join(words))))}
    parts, merges = {word: list(word) for word in words}, []
    while len(number) < size:
        counts = {}
        for word, times in words.items():
            for pair in zip(parts[word][:-1], parts[word][1:], strict=True):
                counts[pair] = counts.get(pair, 0) + times
        # of equally frequent pairs, the one of the oldest tokens
        pair = min(counts, key=lambda p: (-counts[p], number[p[0]], number[p[1]]))
        merges.append(pair)
        number.setdefault("".join(pair), len(number))
        for word in words:
            if "".join(pair) in word:
                parts[word] = merge(parts[word], pair)
    return merges


def best_cut(word, costs):
    """Return the pieces of a word that cost least, from {piece: cost}."""
    best = [(0.0, [])]  # of the first 0, 1, 2, … signs
    for end in range(1, len(word) + 1):
        cuts = [(start, word[start:end]) for start in range(end)]
        known = [(start, piece) for start, piece in cuts if piece in costs]
        ways = [(best[s][0] + costs[p], [*best[s][1], p]) for s, p in known]
        best.append(min(ways))
    return best[-1][1]


def quantise(z, codebook, slope, beta):
    """Return the nearest codes, (n, d), and slopes by z, (n, d), and codebook."""
    distances = ((z[:, None] - codebook) ** 2).sum(axis=-1)
    nearest = distances.argmin(axis=1)
    codes = codebook[nearest]
    # the slope of the reconstruction by the codes goes straight through to z
    by_z = slope + 2 * beta * (z - codes)
    by_codebook = np.zeros_like(codebook)
    np.add.at(by_codebook, nearest, 2 * (codes - z))
    return codes, by_z, by_codebook
