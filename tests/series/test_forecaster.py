"""The forecaster: equal to torch's own transformer and to its pass in NumPy, blind where it is told to be."""

import numpy as np
import pytest
import torch
from torch import nn

from regattn.series import Forecaster, ForecasterDesign, forecast_pass, forecaster_to_torch


def random_model(*, layers=2, levels=(0.1, 0.5), period=3):
    design = ForecasterDesign(
        context=11, horizon=5, levels=levels, width=14, n_heads=2, hidden=17, layers=layers, period=period
    )
    model, chance = Forecaster(design, rng=1).double(), torch.Generator().manual_seed(2)
    for parameter in model.parameters():
        parameter.data = 0.4 * torch.randn(parameter.shape, generator=chance, dtype=torch.float64)
    return model


def some_windows():
    return torch.randn(7, 11, generator=torch.Generator().manual_seed(3), dtype=torch.float64), torch.arange(7) % 3


@pytest.mark.parametrize("layers", [1, 2])
def test_the_whole_is_torchs_transformer(layers):
    model, (x, first) = random_model(layers=layers), some_windows()
    mask = nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    theirs = model.readout(forecaster_to_torch(model)(*model.embed(x, first), tgt_mask=mask))
    torch.testing.assert_close(model(x, first), theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("layers", [0, 1, 2])
@pytest.mark.parametrize("deleted", [False, True])
def test_the_pass_in_numpy_is_the_module(layers, deleted):
    model, (x, first) = random_model(layers=layers), some_windows()
    keep = np.random.default_rng(4).random((5, 11)) < 0.6 if deleted else None
    with torch.no_grad():
        outputs, cross = model(x, first, keep=keep), model.cross_weights(x, first, keep=keep)
    for i in range(7):
        found = forecast_pass(model.state_dict(), x[i], int(first[i]), design=model.design, keep=keep)
        np.testing.assert_allclose(found.outputs, outputs[i], atol=1e-12)
        np.testing.assert_allclose(found.cross, cross[i], atol=1e-12)


def test_a_deleted_month_has_no_weight_and_the_others_share_it():
    model, (x, first) = random_model(), some_windows()
    keep = np.ones((5, 11), dtype=bool)
    keep[:, 4] = False
    cross = model.cross_weights(x, first, keep=keep)
    assert not cross.requires_grad
    assert (cross[..., 4] == 0).all()
    torch.testing.assert_close(cross.sum(-1), torch.ones(7, 2, 5, dtype=torch.float64))


def test_a_month_ahead_does_not_hear_those_after_it():
    model, (x, first) = random_model(), some_windows()
    before = model(x, first)
    model.ahead_places.data[3, 0] += 1
    moved = (model(x, first) - before).abs().amax(dim=(0, 2))
    assert (moved[:3] == 0).all()
    assert (moved[3:] > 1e-6).all()


def test_it_starts_as_a_naive_forecaster_whatever_the_seed():
    x, first = (part.float() if part.is_floating_point() else part for part in some_windows())
    design = ForecasterDesign(context=11, horizon=5, width=8, n_heads=2, period=3)
    one, other = (Forecaster(design, rng=seed) for seed in (0, 1))
    assert (one(x, first) == 0).all()
    assert not torch.equal(one.value.weight, other.value.weight)


def test_the_calendar_goes_round():
    model, (x, _) = random_model(period=3), some_windows()
    torch.testing.assert_close(model(x, torch.full((7,), 1)), model(x, torch.full((7,), 4)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": (0.5, 0.1)}, "levels must rise"),
        ({"levels": (0.5, 1.0)}, "levels must rise"),
        ({"levels": (0.0, 0.5)}, "got 0"),
        ({"layers": -1}, "got -1"),
        ({"n_heads": 5}, "5 n_heads"),
        ({"horizon": 0}, "got 0"),
    ],
)
def test_a_design_that_cannot_be_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        ForecasterDesign(**({"context": 11, "horizon": 5} | change))


def test_windows_of_another_shape_are_refused():
    model, (x, first) = random_model(), some_windows()
    with pytest.raises(ValueError, match=r"got \(7, 10\)"):
        model(x[:, 1:], first)
    with pytest.raises(ValueError, match=r"got \(6,\)"):
        model(x, first[1:])
    with pytest.raises(ValueError, match=r"got \(10,\)"):
        forecast_pass(model.state_dict(), x[0, 1:], 0, design=model.design)
    with pytest.raises(ValueError, match=r"True in every row"):
        forecast_pass(model.state_dict(), x[0], 0, design=model.design, keep=np.zeros((5, 11)))


def test_torch_needs_a_layer_in_the_encoder():
    with pytest.raises(ValueError, match="got 0"):
        forecaster_to_torch(random_model(layers=0))
