"""Least squares in time: lags, masks, panels, honest weights, a filter."""

import numpy as np


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
    R = spread**2 * X @ X.T * (units[:, None] == units)  # a mask
    R_new = spread**2 * X_new @ X.T * (units_new[:, None] == units)
    sigma_inv = np.linalg.inv(np.eye(len(X)) + R)
    B = np.linalg.inv(X.T @ sigma_inv @ X) @ X.T @ sigma_inv
    return X_new @ B + R_new @ sigma_inv @ (np.eye(len(X)) - X @ B)


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


def level_filter(y, ratio):
    """Return the level seen at each date; ratio is signal to noise."""
    level, gain, seen = y[0], 1.0, [y[0]]
    for value in y[1:]:
        gain = (gain + ratio) / (gain + ratio + 1)
        level = level + gain * (value - level)
        seen.append(level)
    return np.array(seen)
