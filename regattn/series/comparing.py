"""Tests of equal accuracy beside Diebold and Mariano's: for nested models, and for few and dependent forecasts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from regattn._rng import Rng, numpy_generator
from regattn._validation import check_count
from regattn.series._losses import Comparison, compared, long_run_variances, loss_differences, read_errors, usual_lag

__all__ = ["clark_west", "fixed_b_test"]


def clark_west(
    errors: ArrayLike, larger_errors: ArrayLike, *, horizon: int = 1, max_lag: int | None = None
) -> Comparison:
    r"""Return the Clark–West test of a model against a larger one that contains it.

    .. math:: f_t = e_t^2 - \bigl[\tilde e_t^2 - (e_t - \tilde e_t)^2\bigr], \qquad
              S = \bar f \Big/ \sqrt{\hat V / n}

    Where the smaller model is true, the larger one estimates coefficients that are zero, and its squared errors are
    larger for that alone; the last term takes this out. V̂ is the Newey–West estimate of the long-run variance of f. S
    is compared with the normal distribution, on one side.

    Parameters
    ----------
    errors : array of shape (n,)
        Forecast errors of the smaller model, in order.
    larger_errors : array of shape (n,)
        Those of the larger model for the same dates.
    horizon : int, default 1
        Steps ahead h of the forecasts.
    max_lag : int, optional
        Autocovariances used; by default as in :func:`diebold_mariano`.

    Returns
    -------
    Comparison
        A positive ``difference`` speaks for the larger model; the p-value is that of no larger a statistic. In squared
        units of the errors.

    Raises
    ------
    ValueError
        If the lengths differ or are below 2, ``max_lag`` is too large, or f is the same at every date.

    Examples
    --------
    >>> clark_west([1.0, -1.0, 2.0, 1.0], [0.5, -1.0, 1.0, 0.0], max_lag=0).difference
    1.75
    """
    first, second, unit = read_errors(errors, larger_errors)
    n = len(first)
    horizon = check_count(horizon, "horizon", most=n - 1, bound="the number of errors less one")
    max_lag = usual_lag(n, horizon, max_lag)
    adjusted = 2 * first * (first - second)  # the squares of the larger model's errors cancel
    (variance,) = long_run_variances(adjusted[None], max_lag, unit=unit**2)
    found = compared(float(adjusted.mean()) * unit, float(np.sqrt(variance / n)) * unit, n - 1, unit)
    return found._replace(p_value=float(stats.norm.sf(found.statistic)))


def fixed_b_test(
    errors: ArrayLike,
    rival_errors: ArrayLike,
    *,
    max_lag: int | None = None,
    squared: bool = False,
    draws: int = 10_000,
    rng: Rng = 0,
) -> Comparison:
    r"""Return the test of equal squared error whose critical values know how long-run variance was estimated.

    .. math:: d_t = e_t^2 - \tilde e_t^2, \qquad S = \bar d \Big/ \sqrt{\hat V / n}, \qquad b = M / n

    V̂ is the Newey–West estimate with M - 1 autocovariances. With few or dependent forecasts it is itself uncertain.
    Where M is a share b of the dates, S has a limit that depends on b and has wider tails than the normal. The p-value
    is the share of ``draws`` series of n independent normal numbers whose S is as large: that distribution at this n
    and b.

    Parameters
    ----------
    errors, rival_errors : arrays of shape (n,)
        Forecast errors for the same dates, in order.
    max_lag : int, optional
        M - 1; by default M is the whole part of the root of n.
    squared : bool, default False
        Whether the two arrays hold squared errors already.
    draws : int, default 10000
        Series drawn.
    rng : int or Generator, default 0
        What they are drawn with.

    Returns
    -------
    Comparison
        A negative ``difference`` speaks for the first forecast; the p-value is two-sided. In squared units of the
        errors.

    Raises
    ------
    ValueError
        As :func:`diebold_mariano` does, or if ``draws`` is below 100.

    Examples
    --------
    >>> found = fixed_b_test([1.0, -1.0, 2.0, 1.0, 0.5], [2.0, 1.0, -2.0, 3.0, 1.5], max_lag=1)
    >>> found.difference, 0 < found.p_value < 1
    (-2.6, True)
    """
    d, n, unit, inner = loss_differences(errors, rival_errors, squared=squared)
    most, draws = n - 1, check_count(draws, "draws", least=100)
    max_lag = int(np.sqrt(n)) - 1 if max_lag is None else max_lag
    max_lag = check_count(max_lag, "max_lag", least=0, most=most, bound="the number of errors less one")
    (variance,) = long_run_variances(d[None], max_lag, unit=inner * unit)
    found = compared(float(d.mean()) * inner, float(np.sqrt(variance / n)) * inner, n - 1, unit)
    null = _drawn(n, max_lag, draws, numpy_generator(rng))
    larger = int((null >= abs(found.statistic)).sum())
    return found._replace(p_value=(1 + larger) / (1 + draws))


def _drawn(n: int, max_lag: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return the absolute statistics of series of independent normal numbers, in lots of moderate size."""
    found = []
    for start in range(0, draws, 1000):
        noise = rng.standard_normal((min(1000, draws - start), n))
        variance = long_run_variances(noise, max_lag, unit=1.0)
        found.append(np.abs(noise.mean(axis=1)) / np.sqrt(variance / n))
    return np.concatenate(found)
