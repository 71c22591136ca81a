"""Descent: a line, a logistic curve, a small network; a map of features."""

import numpy as np


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
