r"""Forecasts of many series at once: windows, one loss for every model, training across series, and what was found.

Letters: N windows, C dates of the past, h dates ahead, Q quantiles.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from regattn._rng import Rng
from regattn._validation import check_count
from regattn.series._kept import read_model
from regattn.series._learning import Reading, learn, read, said, seasons_of
from regattn.series._own import MONTHS, SeriesModel
from regattn.series.forecaster import Forecaster, ForecasterDesign
from regattn.series.windows import Windows
from regattn.transformer.training import TrainingPlan

__all__ = ["PooledLinear", "forecast_quantiles", "load_forecaster", "train_forecaster"]

SHIPPED = Path(__file__).with_name("shipped")


class PooledLinear(SeriesModel):
    r"""One linear forecaster for all series: each quantile of each date ahead is linear in the past and the calendar.

    .. math:: \hat q_{j\tau} = a_{j\tau}^\top x + c_{j\tau, m} + g_{j\tau}^\top z

    It starts as the seasonal naive forecast with drift, which is linear too, and says quantiles, trained by the loss of
    the :class:`Forecaster`, in whose place it can stand. z are covariates, where the design has some. A date of the
    past that is missing is read from the nearest year that has it; its weight goes there.

    Parameters
    ----------
    design : ForecasterDesign
        Of which context, horizon, levels and period count; there must be at least a period and a date of context.

    Examples
    --------
    >>> model = PooledLinear(ForecasterDesign(context=13, horizon=12))
    >>> x = torch.arange(-12.0, 1.0)[None]
    >>> model(x, torch.tensor([0]))[0, :3, 4].tolist()
    [1.0, 2.0, 3.0]
    """

    _designed = ForecasterDesign

    def __init__(self, design: ForecasterDesign) -> None:
        super().__init__()
        self._begin(design, usual=MONTHS if design.context > MONTHS else 1)

    def _build(self, design: ForecasterDesign) -> None:
        period = design.period
        check_count(design.context, "context", least=period + 1)
        self.lags = nn.Linear(design.context, design.horizon * design.outputs)
        self.calendar = nn.Embedding(period, design.horizon * design.outputs)
        start = torch.zeros(design.horizon, design.outputs, design.context)
        for ahead in range(design.horizon):
            start[ahead, :, design.context - period + ahead % period] += 1  # the same month, a year before
            start[ahead, :, design.context - period - 1] -= 1 + ahead // period  # and its drift; the last value is 0
        if design.covariates:
            width = (design.context + design.horizon) * design.covariates
            self.covariate = nn.Linear(width, design.horizon * design.outputs, bias=False)
            nn.init.zeros_(self.covariate.weight)
        self._remember_units(design.covariates)
        with torch.no_grad():
            self.lags.weight.copy_(start.flatten(0, 1))
            self.lags.bias.zero_()
            self.calendar.weight.zero_()

    def forward(self, x: Tensor, first: Tensor, *, seen: Tensor | None = None, known: Tensor | None = None) -> Tensor:
        """Return quantiles of shape (B, h, Q) for a past of shape (B, C) and, if there are any, covariates.

        What ``seen`` says has been heeded in x, where a missing date is read elsewhere.
        """
        return (self.lags(x) + self._added(first, known)).unflatten(-1, (self.design.horizon, self.design.outputs))

    def _listened(self, windows: Windows, reading: Reading, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of the dates of the past, which sum to one, and what calendar and covariates add."""
        shape, (N, h) = (self.design.horizon, self.design.outputs), chosen.shape
        with torch.no_grad():
            slopes = self.lags.weight.unflatten(0, shape).double().numpy()  # (h, Q, C)
            added = self.lags.bias + self._added(seasons_of(windows, self.design.period), reading.extra.get("known"))
            added = added.unflatten(-1, shape).double().numpy()  # (N, h, Q)
        read_at = slopes[np.arange(h), chosen]  # (N, h, C)
        C, rows = read_at.shape[2], np.arange(N)
        source = np.tile(np.arange(C), (N, 1)) if reading.source is None else reading.source
        weights = np.zeros_like(read_at)
        for place in range(C):
            weights[rows, :, source[:, place]] += read_at[:, :, place]
        weights[rows, :, source.max(axis=1)] += 1 - read_at.sum(axis=2)  # the level is the last number there is
        return weights, np.take_along_axis(added, chosen[..., None], axis=2)[..., 0] * reading.scale

    def _added(self, first: Tensor, known: Tensor | None) -> Tensor:
        """Return what calendar and covariates add, (B, h Q)."""
        found = self.calendar(first)
        return found + self.covariate(self._in_units(known, len(first)).flatten(1)) if self.design.covariates else found


def train_forecaster(
    model: nn.Module, windows: Windows, plan: TrainingPlan, *, unit: ArrayLike, batch_size: int = 64, rng: Rng = 0
) -> pd.DataFrame:
    """Train a forecaster across all series at once, in place, and return the history.

    The loss is the mean of :func:`quantile_losses` over windows, dates ahead and levels, in units of each series' own.

    Parameters
    ----------
    model : Forecaster or PooledLinear
        Changed in place.
    windows : Windows
        To learn from; their table has as many dates in a year as the model.
    plan : TrainingPlan
        Steps and rates.
    unit : array of shape (k,)
        What a unit of error is for each series of the table: :func:`seasonal_scale`.
    batch_size : int, default 64
        Windows in a step.
    rng : int or Generator, default 0
        Seed of what is drawn in each step, or a generator that one is drawn from.

    Returns
    -------
    DataFrame
        As of :func:`regattn.transformer.train`.

    Examples
    --------
    >>> from regattn.series import forecast_windows, seasonal_scale
    >>> table = pd.DataFrame({"a": np.arange(60.0)})
    >>> windows = forecast_windows(table, range(36, 49), context=36, horizon=12)
    >>> model = PooledLinear(ForecasterDesign(context=36, horizon=12))
    >>> history = train_forecaster(model, windows, TrainingPlan(steps=2), unit=seasonal_scale(table))
    >>> list(history.index)
    [2]
    """
    if isinstance(model, SeriesModel):
        model._period_open = False  # the windows have settled it
    return learn(model, windows, plan, unit=unit, batch_size=batch_size, rng=rng)


def forecast_quantiles(model: nn.Module, windows: Windows, *, keep: ArrayLike | Tensor | None = None) -> np.ndarray:
    """Return the quantiles of every date ahead in the units of the series, in rising order, shape (N, h, Q).

    Parameters
    ----------
    model : Forecaster or PooledLinear
        Trained.
    windows : Windows
        Whose past is read.
    keep : bool array of shape (h, C), optional
        As in :meth:`Forecaster.forward`; a PooledLinear has no attention to obey it.

    Raises
    ------
    ValueError
        If ``keep`` is given to a model without attention, or the windows' year is longer than the model's.

    Examples
    --------
    >>> from regattn.series import forecast_windows
    >>> table = pd.DataFrame({"a": np.arange(60.0)})
    >>> windows = forecast_windows(table, [36], context=36, horizon=12)
    >>> model = PooledLinear(ForecasterDesign(context=36, horizon=12))
    >>> forecast_quantiles(model, windows)[0, :2, 4].round(3).tolist()
    [36.0, 37.0]
    """
    if keep is not None and isinstance(model, PooledLinear):
        raise ValueError("keep needs a model with attention, got a PooledLinear")
    cut = {} if keep is None else {"keep": keep}
    reading = read(windows, period=model.design.period, dtype=next(model.parameters()).dtype)
    outputs = said(model, windows, reading, **cut)
    return np.sort(outputs, axis=-1) * reading.scale[..., None] + reading.level[..., None]


def load_forecaster(path: str | os.PathLike | None = None) -> tuple[Forecaster | PooledLinear, dict[str, Any]]:
    """Return a forecaster that was saved, and its card; without a path the one that comes with the package.

    That is a transformer of US employment, of the logarithms of its series, trained on 1990 to 2009.

    Parameters
    ----------
    path : path, optional
        Written by :meth:`SeriesModel.save`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged, altered, or holds no forecaster or another than it describes.

    Examples
    --------
    >>> model, card = load_forecaster()
    >>> model.design.context, model.design.horizon
    (36, 12)
    """
    kinds = {"Forecaster": Forecaster, "PooledLinear": PooledLinear}
    return read_model(SHIPPED / "forecaster.safetensors" if path is None else Path(path), kinds)
