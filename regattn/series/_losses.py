"""Losses of two models on the same rows: read, put into units, their long-run variance, and the result of a test."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from regattn._tables import read_vector
from regattn._validation import check_count, check_finite

SAME = 1e-15  # differences that vary by less, in units of the largest entry, vary by rounding alone

__all__ = [
    "SAME",
    "Comparison",
    "compared",
    "long_run_variances",
    "loss_differences",
    "read_errors",
    "unit_of",
    "usual_lag",
]


class Comparison(NamedTuple):
    """A mean difference of losses with its standard error, test statistic and two-sided p-value."""

    difference: float
    standard_error: float
    statistic: float
    p_value: float


def read_errors(errors: ArrayLike, rival_errors: ArrayLike) -> tuple[np.ndarray, np.ndarray, float]:
    """Return errors of the same dates in a unit of their own, and that unit, a power of two; or raise."""
    first, index, _ = read_vector(errors, "errors")
    second = read_vector(rival_errors, "rival_errors", index=index, of="errors").values
    if first.shape != second.shape:
        raise ValueError(f"errors have shapes {first.shape} and {second.shape}, need one common length")
    if len(first) < 2:
        raise ValueError(f"errors must have length ≥ 2, got {len(first)}")
    unit = unit_of(first, second)
    return first / unit, second / unit, unit


def loss_differences(
    errors: ArrayLike, rival_errors: ArrayLike, *, squared: bool
) -> tuple[np.ndarray, int, float, float]:
    """Return the differences of squared errors, (n,), their number n, and two units whose product is theirs."""
    first, second, unit = read_errors(errors, rival_errors)  # squares of squares neither overflow nor vanish
    if not isinstance(squared, bool):
        raise ValueError(f"squared must be True or False, got {squared!r}")
    if squared and min(first.min(), second.min()) < 0:
        raise ValueError(f"squared errors cannot be negative, got {min(first.min(), second.min()) * unit:g}")
    power = 1 if squared else 2
    return first**power - second**power, len(first), unit, unit ** (power - 1)


def usual_lag(n: int, horizon: int, max_lag: int | None) -> int:
    """Return how many autocovariances are used: as many as are asked for, or the usual number for n forecasts."""
    if max_lag is None:
        max_lag = min(n - 1, max(horizon - 1, int(4 * (n / 100) ** (2 / 9))))
    return check_count(max_lag, "max_lag", least=0, most=n - 1, bound="the number of errors less one")


def long_run_variances(series: np.ndarray, max_lag: int, *, unit: float) -> np.ndarray:
    """Return the Newey–West estimates of the long-run variance of series, (m, n); raise if one does not vary."""
    n, mean = series.shape[1], series.mean(axis=1)
    centred = series - mean[:, None]
    found = np.einsum("ij,ij->i", centred, centred) / n
    for k in range(1, max_lag + 1):
        covariance = np.einsum("ij,ij->i", centred[:, k:], centred[:, : n - k]) / n
        found = found + 2 * (1 - k / (max_lag + 1)) * covariance
    if (found <= SAME**2).any():
        raise ValueError(f"the loss differential does not vary, beyond rounding, from {mean[0] * unit:g}")
    return found


def unit_of(first: np.ndarray, second: np.ndarray) -> float:
    """Return the power of two next above the largest entry; dividing by it costs no digit."""
    largest = max(np.abs(first).max(), np.abs(second).max())
    return float(np.ldexp(1.0, np.frexp(largest)[1]))


def compared(difference: float, standard_error: float, dof: int, unit: float) -> Comparison:
    """Return the comparison of a mean and its error given in a unit of the losses, against Student's t."""
    statistic = difference / standard_error
    p_value = float(2 * stats.t.sf(abs(statistic), dof))
    check_finite(np.array(standard_error * unit), "the standard error")
    return Comparison(difference * unit, standard_error * unit, statistic, p_value)
