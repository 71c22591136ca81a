r"""Forecasts of many series at once: windows, one loss for every model, training across series, and what was found.

Letters: N windows, C dates of the past, h dates ahead, Q quantiles.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from regattn._rng import Rng, seed_from
from regattn._tensors import check_fit, read_tensors
from regattn._validation import check_count
from regattn.series.forecaster import Forecaster, ForecasterDesign
from regattn.series.windows import Windows, normalise
from regattn.transformer.training import TrainingPlan, train

__all__ = ["PooledLinear", "forecast_quantiles", "load_forecaster", "train_forecaster"]

SHIPPED = Path(__file__).with_name("shipped")


class PooledLinear(nn.Module):
    r"""One linear forecaster for all series: each quantile of each date ahead is linear in the past and the calendar.

    .. math:: \hat q_{j\tau} = a_{j\tau}^\top x + c_{j\tau, m}

    It starts as the seasonal naive forecast with drift, which is linear too, and says quantiles, trained by the loss of
    the :class:`Forecaster`, in whose place it can stand.

    Parameters
    ----------
    design : ForecasterDesign
        Of which context, horizon, levels and period count; there must be at least a year and a date of context.

    Examples
    --------
    >>> model = PooledLinear(ForecasterDesign(context=13, horizon=12))
    >>> x = torch.arange(-12.0, 1.0)[None]
    >>> model(x, torch.tensor([0]))[0, :3, 4].tolist()
    [1.0, 2.0, 3.0]
    """

    def __init__(self, design: ForecasterDesign) -> None:
        super().__init__()
        self.design, period = design, design.period
        check_count(design.context, "context", least=period + 1)
        self.lags = nn.Linear(design.context, design.horizon * design.outputs)
        self.calendar = nn.Embedding(period, design.horizon * design.outputs)
        start = torch.zeros(design.horizon, design.outputs, design.context)
        for ahead in range(design.horizon):
            start[ahead, :, design.context - period + ahead % period] += 1  # the same month, a year before
            start[ahead, :, design.context - period - 1] -= 1 + ahead // period  # and its drift; the last value is 0
        with torch.no_grad():
            self.lags.weight.copy_(start.flatten(0, 1))
            self.lags.bias.zero_()
            self.calendar.weight.zero_()

    def forward(self, x: Tensor, first: Tensor) -> Tensor:
        """Return quantiles of shape (B, h, Q) for a past of shape (B, C)."""
        return (self.lags(x) + self.calendar(first)).unflatten(-1, (self.design.horizon, self.design.outputs))


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
    batch_size, seed = check_count(batch_size, "batch_size"), seed_from(rng)
    x, level, scale = normalise(windows.past)
    weight = scale / np.asarray(unit, dtype=float)[windows.series][:, None]
    parts = [torch.tensor(p, dtype=torch.float32) for p in (x, (windows.ahead - level) / scale, weight)]
    season, tau = _seasons(windows, model.design), torch.tensor(model.design.levels)

    def drawn(step: int) -> tuple[Tensor, ...]:
        rows = torch.from_numpy(np.random.default_rng([seed, step]).integers(0, len(season), size=batch_size))
        return (*(part[rows] for part in parts), season[rows])

    def loss(model: nn.Module, rows: tuple[Tensor, ...]) -> Tensor:
        x, y, weight, season = rows
        error = y[..., None] - model(x, season)
        return (2 * torch.maximum(tau * error, (tau - 1) * error) * weight[..., None]).mean()

    return train(model, drawn, plan, loss=loss)


@torch.no_grad()
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
    x, level, scale = normalise(windows.past)
    dtype = next(model.parameters()).dtype
    season = _seasons(windows, model.design)
    parts = zip(torch.tensor(x, dtype=dtype).split(512), season.split(512), strict=True)
    outputs = np.concatenate([model(part, first, **cut).numpy() for part, first in parts])
    return np.sort(outputs.astype(float), axis=-1) * scale[..., None] + level[..., None]


def _seasons(windows: Windows, design: ForecasterDesign) -> Tensor:
    """Return where in the year each window's first date ahead falls, or raise if the model's year has no such place."""
    latest = int(windows.season.max(initial=0))
    if design.period == 1:
        return torch.zeros(len(windows.season), dtype=torch.long)
    if latest >= design.period:
        raise ValueError(
            f"windows begin at place {latest} of the year, from 0, but the model's year has {design.period}"
        )
    return torch.from_numpy(windows.season)


def load_forecaster() -> tuple[Forecaster, dict[str, Any]]:
    """Return the forecaster of US employment that comes with the package, trained on 1990 to 2009, and its card.

    Examples
    --------
    >>> model, card = load_forecaster()
    >>> model.design.context, model.design.horizon
    (36, 12)
    """
    return _forecaster_at(SHIPPED / "forecaster.safetensors")


def _forecaster_at(path: Path) -> tuple[Forecaster, dict[str, Any]]:
    """Return the forecaster in a file; raise, before a number of its size is allocated, if it holds none."""
    tensors, note = read_tensors(path)
    if not isinstance(note, dict) or not {"design", "card"} <= note.keys():
        raise ValueError(f"checkpoint {path.name} holds no forecaster: its note has {note!r:.200}")
    try:
        design = ForecasterDesign(**note["design"])
        check_fit(tensors, partial(Forecaster, design), layers=design.layers)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise ValueError(f"checkpoint {path.name} was not loaded: {error}") from error
    model = Forecaster(design).to(next(iter(tensors.values())).dtype)
    model.load_state_dict(tensors)
    return model.eval(), note["card"]
