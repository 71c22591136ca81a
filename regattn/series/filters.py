"""Nested models of level, slope and acceleration, estimated by statsmodels, and the weights that their filters give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from regattn._extras import needed_by
from regattn._text import check_names
from regattn._types import Label
from regattn._validation import check_count, check_vector
from regattn.series._dates import check_series, place_of

if TYPE_CHECKING:
    from statsmodels.tsa.statespace.mlemodel import MLEModel, MLEResults

__all__ = ["filter_weights", "local_trend", "shared_variances"]

# level, slope and acceleration from one date to the next: eqs. (41) to (43) of [GC], whose corner is (37) or (39)-(40)
TRANSITION = np.array([[1.0, 1.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
VARIANCES = ["noise", "level", "slope", "acceleration"]


def local_trend(series: pd.Series, *, layers: int = 1) -> MLEModel:
    r"""Return the statsmodels model of a level alone, with a slope, or with a slope and an acceleration.

    .. math:: y_t = \mu_t + \varepsilon_t, \qquad \mu_{t+1} = \mu_t + \nu_t + \tfrac12\gamma_t + u_t, \qquad
              \nu_{t+1} = \nu_t + \gamma_t + \zeta_t, \qquad \gamma_{t+1} = \gamma_t + \xi_t

    One layer is the local level (no ν, no γ), two the local linear trend (no γ), three the local quadratic trend. The
    first state is diffuse, exactly. Implements :eq:`nested-levels`; source: eqs. (36)-(43) of [GC]_, where states
    are dated alike; our ν and u are their β and η.

    Parameters
    ----------
    series : Series of length T
        Oldest first, dates without gaps; a number may be missing, but more than 2 × layers must be there.
    layers : int, default 1
        1, 2 or 3.

    Returns
    -------
    statsmodels MLEModel
        Its parameters are the variances, in squared units of ``series``: "noise", "level", "slope", "acceleration".
        ``fit(disp=0)`` estimates them by maximum likelihood, ``smooth(variances)`` takes them as they are.

    Raises
    ------
    ValueError
        If ``layers`` is none of 1, 2, 3, or ``series`` is too short or has a gap, or changes by less than some
        millionths, which statsmodels takes for nothing.

    Examples
    --------
    >>> model = local_trend(pd.Series([1.0, 3.0, 2.0, 4.0, 5.0]), layers=2)
    >>> model.param_names
    ['noise', 'level', 'slope']
    >>> model.smooth([1.0, 0.5, 0.1]).filtered_state[0].round(3).tolist()
    [1.0, 3.0, 2.423, 3.741, 4.877]
    """
    with needed_by("regattn.series.local_trend"):
        from regattn.series._nested import NestedLevels  # statsmodels takes a second to load

    layers = check_count(layers, "layers", most=3)
    y = _check_observed(series)
    if (there := int(y.notna().sum())) <= 2 * layers:
        raise ValueError(f"series has {there} dates, too few for {layers} layers: need {2 * layers + 1}")
    check_vector(y.dropna(), "series")
    return NestedLevels(y.to_numpy(), TRANSITION[:layers, :layers], VARIANCES[: layers + 1])


def _check_observed(series: pd.Series) -> pd.Series:
    """Return a series of real numbers with every date there, NaN where a number is missing."""
    if not isinstance(series, pd.Series):
        raise ValueError(f"series must be a Series, got {type(series).__name__}")
    (name,) = check_names(["series" if series.name is None else series.name], "the name of series")
    return check_series(series.to_frame(name), "series", missing=True)[name]


def filter_weights(
    series: pd.Series, variances: ArrayLike | MLEResults, *, date: Label | None = None, smoothed: bool = False
) -> pd.Series:
    r"""Return the weight of each observation in the level that a filter sees at one date: a row of causal attention.

    .. math:: \mu_{t|t} = \sum_{s \le t} w_{ts}\, y_s, \qquad \sum_{s \le t} w_{ts} = 1

    The weights depend on the ratios of the variances and on the place of the date, and on no value of the series.
    Implements :eq:`filter-weights`; they are what statsmodels' filter makes of a one at one date and zeros elsewhere.
    Smoothed, the level of a date listens to later dates too: :math:`\mu_{t|T}`, without the mask.

    Parameters
    ----------
    series : Series of length T
        Oldest first, dates without gaps; a number may be missing, and its weight is then zero.
    variances : sequence of 2, 3 or 4 numbers ≥ 0, or a fitted model
        Of the noise and of each layer, not all zero; or what ``fit()`` of :func:`local_trend` returned.
    date : label of the index, optional
        The date that asks; by default the last one. Up to it there must be two numbers for every layer, and one more.
    smoothed : bool, default False
        Whether dates after ``date`` are heard too.

    Returns
    -------
    Series
        Indexed by the dates up to ``date``, or by all of them if ``smoothed``; sums to one.

    Raises
    ------
    ValueError
        If ``date`` is not one of the dates or too early, ``series`` has a gap, or a variance is negative or missing.

    Examples
    --------
    >>> series = pd.Series([1.0, 3.0, 2.0, 4.0, 5.0])
    >>> filter_weights(series, [1.0, 0.5]).round(3).tolist()
    [0.047, 0.07, 0.129, 0.252, 0.501]
    >>> filter_weights(series, [1.0, 0.5], date=2, smoothed=True).round(3).tolist()
    [0.129, 0.194, 0.355, 0.194, 0.129]
    """
    given = _check_variances(variances)
    series = _check_observed(series)
    last = len(series) - 1 if date is None else place_of(date, series.index)
    layers, there = len(given) - 1, int(series.iloc[: last + 1].notna().sum())
    if there <= 2 * layers:
        raise ValueError(f"{series.index[last]} is date {there} of series; {layers} layers need {2 * layers + 1}")
    if not isinstance(smoothed, bool):
        raise ValueError(f"smoothed must be True or False, got {smoothed!r}")
    known = series if smoothed else series.iloc[: last + 1]
    gaps = known.isna().to_numpy()
    weights = np.zeros(len(known))
    for place in np.flatnonzero(~gaps):  # the filter is linear: a one at one date, zeros elsewhere
        impulse = np.where(gaps, np.nan, 0.0)
        impulse[place] = 1.0
        model = local_trend(pd.Series(impulse, name="impulse"), layers=layers)
        model.update(given / given.max())
        seen = model.ssm.smooth().smoothed_state if smoothed else model.ssm.filter().filtered_state
        weights[place] = seen[0, last]
    return pd.Series(weights, index=known.index, name="weight")


def _check_variances(variances: Any) -> np.ndarray:
    """Return the variances of the noise and of the layers, of a fitted model too, or raise."""
    if hasattr(variances, "params"):
        names = list(getattr(variances.model, "param_names", []))
        if names != VARIANCES[: len(names)]:
            raise ValueError(f"variances must be those of a model that local_trend made, got one with {names}")
        variances = variances.params
    given = np.asarray(variances, dtype=float)
    if given.ndim != 1 or len(given) not in (2, 3, 4):
        raise ValueError(f"variances must be those of the noise and of 1 to 3 layers, got shape {given.shape}")
    if not np.isfinite(given).all() or (given < 0).any() or not given.any():
        raise ValueError(f"variances must be finite, ≥ 0 and not all zero, got {given.tolist()}")
    return given


def shared_variances(models: Sequence[MLEModel], *, start: ArrayLike | None = None) -> np.ndarray:
    """Return the variances of highest likelihood for several series together, each with states of its own.

    The log-likelihoods of all are added up, per date, and the search is over standard deviations, so that no variance
    is negative.

    Parameters
    ----------
    models : sequence of k ≥ 1 models
        Made by :func:`local_trend`, of as many layers each.
    start : array of layers + 1 positive variances, optional
        Where the search begins; by default where statsmodels begins for the first series.

    Returns
    -------
    ndarray of shape (layers + 1,)
        Of the noise and of each layer, in squared units of the series.

    Raises
    ------
    ValueError
        If there is no model, layers differ, or ``start`` has another length or a variance that is not positive.

    Examples
    --------
    >>> models = [local_trend(pd.Series(values)) for values in ([1.0, 3.0, 2.0, 4.0], [0.0, 2.0, 0.0, 2.0])]
    >>> shared_variances(models).round(2).tolist()
    [1.5, 0.0]
    """
    if not len(models):
        raise ValueError("models must hold at least one model, got none")
    kinds = [tuple(model.param_names) for model in models]
    if len(set(kinds)) > 1:
        raise ValueError(f"models must have as many layers each, got {', '.join(str(len(k) - 1) for k in kinds)}")
    begin = check_vector(models[0].start_params if start is None else start, "start")
    if len(begin) != len(kinds[0]) or begin.min() <= 0:
        raise ValueError(f"start must be {len(kinds[0])} positive variances, got {begin.tolist()}")
    dates = sum(model.nobs for model in models)

    def loss(scales: np.ndarray) -> float:
        return -sum(model.loglike(np.square(scales) * begin) for model in models) / dates

    return np.square(minimize(loss, np.ones(len(begin)), method="L-BFGS-B").x) * begin
