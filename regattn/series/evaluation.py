"""Comparing predictions fairly: forecasts made in order, and tests of one model's errors against another's."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from regattn._tables import Table, read_table, read_targets, read_vector
from regattn._types import Label
from regattn._validation import check_count, check_real
from regattn.series._dates import check_dates, place_of
from regattn.series._losses import (
    SAME,
    Comparison,
    compared,
    long_run_variances,
    loss_differences,
    unit_of,
    usual_lag,
)

__all__ = ["Comparison", "corrected_t_test", "diebold_mariano", "expanding_window_forecasts"]


def expanding_window_forecasts(  # noqa: PLR0913 - what a reader of forecasts looks for by name
    model: BaseEstimator,
    X: ArrayLike,
    y: ArrayLike,
    *,
    start: Label,
    horizon: int = 1,
    refit_every: int = 1,
    window: int | None = None,
) -> np.ndarray | pd.Series | pd.DataFrame:
    """Return forecasts of ``y[start:]``, each from a model fitted only to what was known when it was made.

    Row t of ``X`` holds what was known at date t - ``horizon``. The forecast of ``y[t]`` may use ``y[s]`` for
    s ≤ t - ``horizon`` only; with ``refit_every`` above one, a fit serves several dates and uses still less.

    Parameters
    ----------
    model : scikit-learn regressor
        Cloned for every fit, its tuning included if it is a grid search. It is given names where ``X`` has them.
    X : array or DataFrame of shape (T, p)
        Inputs, oldest first, dates without gaps.
    y : array or Series of shape (T,)
        Targets of the same rows, found by date where both have dates.
    start : int, or a date
        First row to forecast, or its date, as "1985Q1"; at least 2 rows must be known before it.
    horizon : int, default 1
        Steps ahead.
    refit_every : int, default 1
        Dates between two fits.
    window : int, optional
        Rows that a fit sees, the last that are known; by default all of them.

    Returns
    -------
    ndarray of shape (T - start,), or a Series by date
        In units of ``y``.

    Raises
    ------
    ValueError
        If ``start`` leaves nothing to fit or nothing to forecast, a count is below 1, or dates do not rise in even
        steps or are others in ``y``.

    Examples
    --------
    >>> from sklearn.dummy import DummyRegressor
    >>> y = np.array([1.0, 3.0, 5.0, 7.0])
    >>> expanding_window_forecasts(DummyRegressor(), np.zeros((4, 1)), y, start=2)
    array([2., 3.])
    """
    inputs = read_table(X, "X")
    targets = read_targets(y, len(inputs.values), index=inputs.index)
    dates = targets.index if inputs.index is None else inputs.index
    if dates is not None:
        check_dates(dates, "y" if inputs.index is None else "X")
    X, outcomes = _framed(inputs), targets.values
    horizon, refit_every = check_count(horizon, "horizon"), check_count(refit_every, "refit_every")
    if dates is not None and isinstance(start, str | pd.Period | pd.Timestamp):
        start = place_of(start, dates)
    start = check_count(start, "start", least=horizon + 1, most=len(X) - 1, bound="the last row")
    window = len(X) if window is None else check_count(window, "window")
    forecasts = []
    for first in range(start, len(X), refit_every):
        known = first - horizon + 1
        rows = slice(max(0, known - window), known)
        fitted = clone(model).fit(X[rows], outcomes[rows])
        forecasts.append(fitted.predict(X[first : first + refit_every]))
    found = np.concatenate(forecasts)
    if dates is None:
        return found
    if found.ndim == 1:
        return pd.Series(found, index=dates[start:], name=getattr(y, "name", None))
    return pd.DataFrame(found, index=dates[start:], columns=targets.columns)


def _framed(table: Table) -> np.ndarray | pd.DataFrame:
    """Return numbers under the names that they came with, for a model that looks columns up."""
    return table.values if table.columns is None else pd.DataFrame(*table)


def diebold_mariano(
    errors: ArrayLike,
    rival_errors: ArrayLike,
    *,
    horizon: int = 1,
    max_lag: int | None = None,
    squared: bool = False,
) -> Comparison:
    r"""Return the Diebold–Mariano test of equal squared error, with the small-sample correction of Harvey et al.

    .. math:: d_t = e_t^2 - \tilde e_t^2, \qquad
              S = \bar d \Big/ \sqrt{\hat V/n} \cdot \sqrt{\frac{n + 1 - 2h + h(h-1)/n}{n}}

    V̂ is the Newey–West estimate of the long-run variance of :math:`d_t`, with weights 1 - k/(max_lag + 1) on its
    autocovariances. S is compared with Student's t with n - 1 degrees of freedom.

    Parameters
    ----------
    errors, rival_errors : arrays of shape (n,)
        Forecast errors for the same dates, in order.
    horizon : int, default 1
        Steps ahead h of the forecasts.
    max_lag : int, optional
        Autocovariances used; by default the larger of h - 1 and the whole part of :math:`4 (n/100)^{2/9}`.
    squared : bool, default False
        Whether the two arrays hold squared errors already.

    Returns
    -------
    Comparison
        A negative ``difference`` speaks for the first forecast. In squared units of the errors.

    Raises
    ------
    ValueError
        If the lengths differ or are below 2, ``squared`` is neither True nor False, a square is negative, ``max_lag``
        is too large, or the difference of squared errors is the same at every date.

    Examples
    --------
    >>> diebold_mariano([1.0, -1.0, 2.0, 1.0], [2.0, 1.0, -2.0, 3.0], max_lag=0).difference
    -2.75
    """
    d, n, unit, inner = loss_differences(errors, rival_errors, squared=squared)
    horizon = check_count(horizon, "horizon", most=n - 1, bound="the number of errors less one")
    max_lag = usual_lag(n, horizon, max_lag)
    (variance,) = long_run_variances(d[None], max_lag, unit=inner * unit)
    standard_error = np.sqrt(variance / n / ((n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n))
    return compared(float(d.mean()) * inner, float(standard_error) * inner, n - 1, unit)


def corrected_t_test(losses: ArrayLike, rival_losses: ArrayLike, *, test_share: float) -> Comparison:
    r"""Return the paired t test over repeated cross-validation, its variance corrected for shared training rows.

    .. math:: t = \bar d \Big/ \sqrt{\left(\tfrac1k + \tfrac{\pi}{1-\pi}\right) \hat\sigma_d^2}

    over k splits that hold out a share π of the rows. The plain paired test divides by k alone, as if splits that
    train on the same rows were independent, and finds differences that are not there.

    Parameters
    ----------
    losses, rival_losses : arrays of shape (k,)
        The loss of each split, for the two models on the same splits.
    test_share : float
        π, above 0 and below 1.

    Returns
    -------
    Comparison
        A negative ``difference`` speaks for the first model.

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than two splits, or the differences do not vary.

    Examples
    --------
    >>> corrected_t_test([1.0, 2.0, 3.0], [2.0, 4.0, 6.0], test_share=0.2).difference
    -2.0
    """
    first, index, _ = read_vector(losses, "losses")
    second = read_vector(rival_losses, "rival_losses", index=index, of="losses").values
    if first.shape != second.shape or len(first) < 2:
        raise ValueError(f"losses have shapes {first.shape} and {second.shape}, need one common length ≥ 2")
    test_share = check_real(test_share, "test_share", least=0.0, most=1 - 1e-9, strictly=True)
    unit = unit_of(first, second)
    d = first / unit - second / unit
    variance = d.var(ddof=1)
    if variance <= SAME**2:
        raise ValueError(f"the difference of losses does not vary between splits, it is always {d.mean() * unit:g}")
    standard_error = np.sqrt((1 / len(d) + test_share / (1 - test_share)) * variance)
    return compared(float(d.mean()), float(standard_error), len(d) - 1, unit)
