"""What the decoder of a forecaster hears: its own weights and values give its own forecasts, others give others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

from regattn.series import Forecaster, ForecasterDesign, forecast_quantiles, forecast_windows, hear, quantiles_heard
from tests.explorers.forecast import shaken

SIZES = {"context": 26, "horizon": 5}


@pytest.fixture(scope="module")
def windows():
    rng = np.random.default_rng(3)
    return forecast_windows(pd.DataFrame(rng.normal(size=(61, 3)).cumsum(axis=0)), [26, 31, 53], **SIZES)


@pytest.fixture(scope="module")
def model():
    return shaken(Forecaster(ForecasterDesign(**SIZES, width=12, n_heads=3, hidden=10), rng=2)).double()


def test_what_it_hears_makes_its_own_forecast(model, windows):
    heard = hear(model, windows)
    assert (heard.weights.shape, heard.values.shape) == ((9, 3, 5, 26), (9, 26, 3, 4))
    assert not any(part.requires_grad for part in heard)
    torch.testing.assert_close(heard.weights.sum(dim=-1), torch.ones(9, 3, 5, dtype=torch.float64))
    np.testing.assert_allclose(quantiles_heard(model, windows, heard), forecast_quantiles(model, windows), atol=1e-12)


def test_weights_without_the_deleted_months_make_the_forecast_that_may_not_hear_them(model, windows):
    keep = np.random.default_rng(5).random((5, 26)) < 0.6
    heard = hear(model, windows)
    left = heard.weights * torch.from_numpy(keep)
    told = heard._replace(weights=left / left.sum(dim=-1, keepdim=True))
    wanted = forecast_quantiles(model, windows, keep=keep)
    np.testing.assert_allclose(quantiles_heard(model, windows, told), wanted, atol=1e-12)
    assert np.abs(wanted - forecast_quantiles(model, windows)).max() > 1e-3


def test_windows_whose_values_are_exchanged_hear_each_other(model, windows):
    heard = hear(model, windows)
    told = heard._replace(values=heard.values.flip(0))
    assert np.abs(quantiles_heard(model, windows, told) - forecast_quantiles(model, windows)).max() > 1e-3
