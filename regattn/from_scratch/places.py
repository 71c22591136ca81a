"""Telling a place: a row of clocks, and a vector turned by them."""

import numpy as np


def clocks(places, D, base=10_000.0):
    """Return the readings, (T, D), of D / 2 clocks at each place."""
    p, i = np.asarray(places)[:, None], np.arange(D // 2)
    angles = p * base ** (-2 * i / D)
    P = np.empty((len(angles), D))
    P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)
    return P


def turn(x, p, base=10_000.0):
    """Return the vector x, its pairs turned by what the clocks show at place p."""
    angles = p * base ** (-np.arange(0, len(x), 2) / len(x))
    pairs = (x[0::2] + 1j * x[1::2]) * np.exp(1j * angles)
    return np.column_stack([pairs.real, pairs.imag]).ravel()
