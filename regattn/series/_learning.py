"""What a model of many series reads of windows, how it learns from them, and what it says of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from regattn._rng import Rng, seed_from
from regattn._validation import check_count
from regattn.series._cut import normalise_seen
from regattn.series.windows import Windows, normalise
from regattn.transformer.training import TrainingPlan, train

__all__ = ["Reading", "learn", "read", "said", "seasons_of"]


class Reading(NamedTuple):
    """Windows as a model reads them."""

    x: np.ndarray
    """The normalised past, shape (N, C)."""
    level: np.ndarray
    """What was taken off, shape (N, 1)."""
    scale: np.ndarray
    """What it was divided by, shape (N, 1)."""
    source: np.ndarray | None
    """From which place each was read, shape (N, C); None where nothing is missing."""
    extra: dict[str, Tensor]
    """What the model is told besides: which dates are there, and what is known of them all."""


def read(windows: Windows, *, period: int, dtype: torch.dtype = torch.float32) -> Reading:
    """Return windows as a model of that period reads them."""
    known = {} if windows.known is None else {"known": torch.tensor(windows.known, dtype=dtype)}
    if not np.isnan(windows.past).any():
        return Reading(*normalise(windows.past, period=period), None, known)
    x, level, scale, source = normalise_seen(windows.past, period=period)
    return Reading(x, level, scale, source, {"seen": torch.from_numpy(np.isfinite(windows.past))} | known)


def seasons_of(windows: Windows, period: int) -> Tensor:
    """Return where in the year each window's first date ahead falls, or raise if the model's year has no such place."""
    latest = int(windows.season.max(initial=0))
    if period == 1:
        return torch.zeros(len(windows.season), dtype=torch.long)
    if latest >= period:
        raise ValueError(f"windows begin at place {latest} of the year, from 0, but the model's year has {period}")
    return torch.from_numpy(windows.season)


def learn(
    model: nn.Module, windows: Windows, plan: TrainingPlan, *, unit: ArrayLike, batch_size: int, rng: Rng
) -> pd.DataFrame:
    """Train a forecaster in place and return the history; a date ahead that is missing teaches nothing."""
    batch_size, seed = check_count(batch_size, "batch_size"), seed_from(rng)
    x, level, scale, _, extra = read(windows, period=model.design.period)
    weight = scale / np.asarray(unit, dtype=float)[windows.series][:, None]
    ahead = (windows.ahead - level) / scale
    if (missing := np.isnan(ahead)).any():
        ahead, weight = np.where(missing, 0.0, ahead), np.where(missing, 0.0, weight)
    parts = [torch.tensor(p, dtype=torch.float32) for p in (x, ahead, weight)]
    season, tau = seasons_of(windows, model.design.period), torch.tensor(model.design.levels)

    def drawn(step: int) -> dict[str, Tensor]:
        rows = torch.from_numpy(np.random.default_rng([seed, step]).integers(0, len(season), size=batch_size))
        named = dict(zip(("x", "y", "weight"), parts, strict=True)) | {"first": season} | extra
        return {name: part[rows] for name, part in named.items()}

    def loss(model: nn.Module, rows: dict[str, Tensor]) -> Tensor:
        y, weight = rows.pop("y"), rows.pop("weight")
        error = y[..., None] - model(**rows)
        losses = 2 * torch.maximum(tau * error, (tau - 1) * error) if len(tau) else error.square()
        return (losses * weight[..., None]).mean()

    return train(model, drawn, plan, loss=loss)


@torch.no_grad()
def said(model: nn.Module, windows: Windows, reading: Reading, **cut: ArrayLike | Tensor) -> np.ndarray:
    """Return what a model says of windows, in units of each, before it is put in order, shape (N, h, Q)."""
    dtype = next(model.parameters()).dtype
    told = {"x": torch.tensor(reading.x, dtype=dtype), "first": seasons_of(windows, model.design.period)}
    parts = [
        {name: part[i : i + 512] for name, part in (told | reading.extra).items()}
        for i in range(0, len(told["x"]), 512)
    ]
    return np.concatenate([model(**part, **cut).numpy() for part in parts]).astype(float)
