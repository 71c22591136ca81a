r"""Six functions of five inputs, with noise: the data of the published Monte Carlo on attention regression.

.. math:: y = f(x) + \varepsilon, \qquad x \sim U(0, 1)^5, \qquad
          \operatorname{var} \varepsilon = \operatorname{var} f(x) \,/\, \text{signal-to-noise}

Source: Section 4 and Appendix B of [GC2026]_. Its "Friedman 2" and "Friedman 3" are not those of the literature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from regattn._rng import Rng, numpy_generator
from regattn._validation import check_count, check_real

__all__ = ["make_design"]

SLOPES = np.array([2.0, -1.0, 3.0, 1.5, 0.5])


def _friedman1(X: np.ndarray) -> np.ndarray:
    return 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]


def _friedman2(X: np.ndarray) -> np.ndarray:
    return np.sin(np.pi * X[:, :3].sum(axis=1)) + np.log1p(X[:, 3] ** 2)


def _friedman3(X: np.ndarray) -> np.ndarray:
    return X[:, 0] * X[:, 1] + np.log(X[:, 2] + X[:, 3] + 2)


DESIGNS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": lambda X: (X - 0.5) @ SLOPES,
    "Friedman 1": _friedman1,
    "Friedman 2": _friedman2,
    "Friedman 3": _friedman3,
    "rotated sine": lambda X: np.sin(3 * X[:, :4].sum(axis=1)),
    "soft radial": lambda X: 1 / (1 + 5 * np.sum((X - 0.5) ** 2, axis=1)),
}


class Draw(NamedTuple):
    """What :func:`make_design` draws."""

    X: np.ndarray
    """Inputs, shape (n, 5), between 0 and 1."""
    y: np.ndarray
    """Outcomes, shape (n,): signal and noise."""
    signal: np.ndarray
    """f(x), shape (n,), which nobody sees."""


def make_design(name: str, n: int, *, signal_to_noise: float, rng: Rng) -> Draw:
    """Return rows of one of six designs with noise.

    Parameters
    ----------
    name : {"linear", "Friedman 1", "Friedman 2", "Friedman 3", "rotated sine", "soft radial"}
        Which function of the inputs.
    n : int
        Number of rows, at least 2.
    signal_to_noise : float
        Variance of the signal over these rows divided by that of the noise, above 0.
    rng : int or Generator
        Seed or source of chance.

    Returns
    -------
    Draw
        Inputs, outcomes and the signal.

    Raises
    ------
    ValueError
        If there is no such design, ``n`` is below 2 or ``signal_to_noise`` is not above 0.

    Examples
    --------
    >>> X, y, signal = make_design("soft radial", 1000, signal_to_noise=3.0, rng=0)
    >>> X.shape, round(float(signal.var() / (y - signal).var()), 1)
    ((1000, 5), 3.0)
    """
    if name not in DESIGNS:
        raise ValueError(f"name must be one of {', '.join(DESIGNS)}, got {name!r}")
    n = check_count(n, "n", least=2)
    ratio = check_real(signal_to_noise, "signal_to_noise", least=0.0, strictly=True)
    rng = numpy_generator(rng)
    X = rng.uniform(size=(n, len(SLOPES)))
    signal = DESIGNS[name](X)
    return Draw(X, signal + rng.normal(0, np.sqrt(signal.var() / ratio), n), signal)
