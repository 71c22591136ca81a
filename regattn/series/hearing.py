"""What the decoder of a forecaster hears: weights and values of its cross-attention, and forecasts with others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from regattn.series.forecaster import Forecaster
from regattn.series.windows import Windows, normalise

__all__ = ["hear", "quantiles_heard"]


class Heard(NamedTuple):
    """What the heads of the cross-attention weigh, and the values they average."""

    weights: Tensor
    """Shape (N, H, h, C): of each window, head and date ahead, on each date of the past."""
    values: Tensor
    """Shape (N, C, H, d): what each date of the past says to each head."""


@torch.no_grad()
def hear(model: Forecaster, windows: Windows) -> Heard:
    """Return what the decoder hears in each window.

    Parameters
    ----------
    model : Forecaster
        Trained or not.
    windows : Windows
        Whose past is read.

    Examples
    --------
    >>> import pandas as pd
    >>> from regattn.series import ForecasterDesign, forecast_windows
    >>> windows = forecast_windows(pd.DataFrame({"a": np.arange(60.0)}), [36, 40], context=36, horizon=12)
    >>> [tuple(part.shape) for part in hear(Forecaster(ForecasterDesign(context=36, horizon=12)), windows)]
    [(2, 4, 12, 36), (2, 36, 4, 8)]
    """
    past, r = model.encode(*_read(model, windows))
    cross, design = model.decoder.cross_attention, model.design
    values = cross.projection(past)[..., 2 * design.width :].unflatten(-1, (design.n_heads, -1))
    return Heard(model.decoder.cross_weights(r, past, None), values)


@torch.no_grad()
def quantiles_heard(model: Forecaster, windows: Windows, heard: Heard) -> np.ndarray:
    """Return the quantiles of every date ahead, (N, h, Q), when the heads hear what they are told to hear.

    Parameters
    ----------
    model : Forecaster
        Trained or not.
    windows : Windows
        Whose past is read.
    heard : Heard
        Weights and values, those of the windows or others in their place.

    Examples
    --------
    >>> import pandas as pd
    >>> from regattn.series import ForecasterDesign, forecast_quantiles, forecast_windows
    >>> windows = forecast_windows(pd.DataFrame({"a": np.arange(60.0)}), [36], context=36, horizon=12)
    >>> model = Forecaster(ForecasterDesign(context=36, horizon=12))
    >>> ours = quantiles_heard(model, windows, hear(model, windows))
    >>> bool(np.allclose(ours, forecast_quantiles(model, windows), atol=1e-5))
    True
    """
    _, level, scale = normalise(windows.past, period=model.design.period)
    _, r = model.embed(*_read(model, windows))
    layer = model.decoder
    r = r + layer.self_attention(layer.norm_1(r), mask="causal")
    gathered = torch.einsum("bhjc,bchd->bjhd", heard.weights, heard.values).flatten(2)
    r = r + layer.cross_attention.output(gathered)
    r = r + layer.feed_forward(layer.norm_3(r))
    outputs = model.readout(model.decoder_norm(r)).numpy().astype(float)
    return np.sort(outputs, axis=-1) * scale[..., None] + level[..., None]


def _read(model: Forecaster, windows: Windows) -> tuple[Tensor, Tensor]:
    """Return what a model reads of windows: the normalised past, and where in the year the first date ahead falls."""
    x, _, _ = normalise(windows.past, period=model.design.period)
    return torch.tensor(x, dtype=next(model.parameters()).dtype), torch.from_numpy(windows.season)
