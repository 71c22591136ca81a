r"""The forecaster once more, in NumPy alone: the oracle of the module in torch, and what a page computes.

Letters: C dates of the past, h dates ahead, D model width, H heads, d = D / H, Q quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regattn.from_scratch import layer_norm, softmax
from regattn.series.forecaster import ForecasterDesign

__all__ = ["ForecastPass", "forecast_pass"]


class ForecastPass(NamedTuple):
    """What one pass of a forecaster over one window returns."""

    outputs: np.ndarray
    """What is said of each date ahead, shape (h, Q), in the units of the normalised past."""
    cross: np.ndarray
    """The weights of the cross-attention, shape (H, h, C)."""


def forecast_pass(
    weights: Mapping[str, ArrayLike],
    x: ArrayLike,
    first: int,
    *,
    design: ForecasterDesign,
    keep: ArrayLike | None = None,
    seen: ArrayLike | None = None,
) -> ForecastPass:
    r"""Return one window's forecast and whom it listened to, in NumPy alone: the whole forecaster in a page of code.

    Parameters
    ----------
    weights : mapping of str to array
        The ``state_dict`` of a :class:`Forecaster`, names and shapes as there.
    x : array of shape (C,)
        The past, normalised, oldest first.
    first : int
        Where in the year the first date ahead falls, from 0.
    design : ForecasterDesign
        Of the forecaster.
    keep : bool array of shape (h, C), optional
        As in :meth:`Forecaster.forward`.
    seen : bool array of shape (C,), optional
        False where a date of the past is missing: nobody listens to it.

    Returns
    -------
    ForecastPass
        In double precision; equal to the module's in double precision up to rounding.

    Raises
    ------
    ValueError
        If ``x`` has another length than C, ``keep`` and ``seen`` leave a date ahead without a date to listen to, or
        the design has covariates, which this pass does not read.

    Examples
    --------
    >>> import torch
    >>> from regattn.series import Forecaster
    >>> model = Forecaster(ForecasterDesign(context=7, horizon=3, width=8, n_heads=2)).double()
    >>> there = forecast_pass(model.state_dict(), np.arange(7.0), 2, design=model.design)
    >>> here = model.cross_weights(torch.arange(7.0).double()[None], torch.tensor([2]))[0]
    >>> bool(np.allclose(there.cross, here, atol=1e-12))
    True
    """
    w = {name: np.asarray(value, dtype=float) for name, value in weights.items()}
    x = np.asarray(x, dtype=float)
    C, h = design.context, design.horizon
    if x.shape != (C,):
        raise ValueError(f"x must have shape ({C},), got {x.shape}")
    if design.covariates:
        raise ValueError(f"this pass reads no covariates, but the design has {design.covariates}")
    seen = np.ones(C, dtype=bool) if seen is None else np.asarray(seen, dtype=bool)
    keep = np.ones((h, C), dtype=bool) & seen if keep is None else np.asarray(keep, dtype=bool) & seen
    if keep.shape != (h, C) or not keep.any(axis=1).all():
        raise ValueError(f"keep must have shape ({h}, {C}) and a True in every row, got {keep.shape}")
    period = len(w["calendar.weight"])  # a design may leave it to the dates
    run = _Arithmetic(w, design.n_heads)
    memory = run.map("value", x[:, None]) + w["past_places"] + w["calendar.weight"][(first + np.arange(-C, 0)) % period]
    for layer in range(design.layers):
        at = f"encoder.{layer}"
        z = run.norm(f"{at}.norm_1", memory)
        memory = memory + run.attention(f"{at}.attention", z, z, seen)[0]
        memory = memory + run.feed_forward(f"{at}.feed_forward", run.norm(f"{at}.norm_2", memory))
    memory = run.norm("encoder_norm", memory)
    r = w["ahead_places"] + w["calendar.weight"][(first + np.arange(h)) % period]
    z = run.norm("decoder.norm_1", r)
    r = r + run.attention("decoder.self_attention", z, z, np.tri(h, dtype=bool))[0]
    gathered, cross = run.attention("decoder.cross_attention", run.norm("decoder.norm_2", r), memory, keep)
    r = r + gathered
    r = r + run.feed_forward("decoder.feed_forward", run.norm("decoder.norm_3", r))
    return ForecastPass(run.map("readout", run.norm("decoder_norm", r)), cross)


class _Arithmetic(NamedTuple):
    """The parts of a pass, each applied to the weights under a name."""

    weights: Mapping[str, np.ndarray]
    n_heads: int

    def map(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name: str, x: np.ndarray) -> np.ndarray:
        return layer_norm(x) * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def feed_forward(self, name: str, x: np.ndarray) -> np.ndarray:
        return self.map(f"{name}.values", np.maximum(0, self.map(f"{name}.keys", x)))

    def attention(
        self, name: str, x: np.ndarray, memory: np.ndarray, mask: Any = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what each row of x gathers from the rows of memory, (m, D), and the weights, (H, m, n)."""
        W, b = self.weights[f"{name}.projection.weight"], self.weights[f"{name}.projection.bias"]
        rows = zip((x, memory, memory), np.split(W, 3), np.split(b, 3), strict=True)
        queries, keys, values = (
            (row @ part.T + offset).reshape(len(row), self.n_heads, -1).transpose(1, 0, 2) for row, part, offset in rows
        )  # each (H, tokens, d)
        scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
        weights = softmax(np.where(mask, scores, -np.inf))
        heads = (weights @ values).transpose(1, 0, 2).reshape(len(x), -1)
        return self.map(f"{name}.output", heads), weights
