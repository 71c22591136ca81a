"""Rankine's figure 3, as the forecaster of chapter 20 that it draws."""

import numpy as np
import torch
from torch import nn

from regattn.series import Forecaster, ForecasterDesign, forecaster_to_torch


def test_rk_5d_with_mask_and_cross_attention_the_figure_is_torchs_transformer():
    design = ForecasterDesign(context=13, horizon=5, width=12, n_heads=3, hidden=17)
    model, rng = Forecaster(design).double(), np.random.default_rng(11)
    for parameter in model.parameters():
        parameter.data = torch.from_numpy(rng.normal(scale=0.4, size=parameter.shape))
    x, first = torch.from_numpy(rng.normal(size=(7, 13))), torch.arange(7)
    rows, whole = model.embed(x, first), forecaster_to_torch(model)
    mask = nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    ours = model(x, first)
    torch.testing.assert_close(model.readout(whole(*rows, tgt_mask=mask)), ours, rtol=0, atol=1e-12)
    assert (model.readout(whole(*rows)) - ours).abs().max() > 0.01  # without the mask
    alone = model.readout(whole(torch.zeros_like(rows[0]), rows[1], tgt_mask=mask))
    assert (alone - ours).abs().max() > 0.01  # without the past
