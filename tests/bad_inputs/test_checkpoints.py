"""Faults in checkpoints of models that came later: the forecaster's file, and the state of any training."""

from __future__ import annotations

import resource
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from regattn._tensors import read_tensors, write_tensors
from regattn.series import Forecaster, ForecasterDesign, PooledLinear, forecasting, load_forecaster
from regattn.transformer import Autoencoder, CodeAutoencoder, TrainingPlan, train

DESIGN = ForecasterDesign(context=5, horizon=2, width=4, n_heads=2, hidden=3, period=1)
X = torch.randn(16, 5, generator=torch.Generator().manual_seed(1))
FIRST = torch.zeros(16, dtype=torch.long)
PLAN = TrainingPlan(steps=4, save_every=2)


def forecast_loss(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return (model(x, FIRST[: len(x)]) - x[:, -1, None, None]).square().mean()


def latent_loss(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return sum(model.terms(x))


MODELS = {
    "forecaster": (partial(Forecaster, DESIGN), forecast_loss),
    "pooled linear": (partial(PooledLinear, ForecasterDesign(context=13, horizon=2)), forecast_loss),
    "auto-encoder": (partial(Autoencoder, 5, 2, hidden=3), lambda model, x: model.terms(x).reconstruction),
    "code auto-encoder": (partial(CodeAutoencoder, 5, n_codes=3, n_parts=2, width=2, hidden=3), latent_loss),
}


def rows(name: str, step: int) -> torch.Tensor:
    """Return the batch of a step, as wide as the model reads."""
    x = X.roll(step, dims=0)[:8]
    return torch.cat((x, x, x), dim=1)[:, :13] if name == "pooled linear" else x


@pytest.fixture(params=MODELS)
def half(request, tmp_path):
    """Return a maker of a model, how it is trained, and the checkpoint of a training that was stopped half-way."""
    name, path = request.param, tmp_path / "half.safetensors"
    make, loss = MODELS[name]
    going_on = partial(train, batches=partial(rows, name), plan=PLAN, loss=loss, checkpoint=path)

    def power_cut(step):
        if step == 3:
            raise KeyboardInterrupt
        return rows(name, step)

    with pytest.raises(KeyboardInterrupt):
        train(make(), power_cut, PLAN, loss=loss, checkpoint=path)
    return make, going_on, path


def refused(half, message):
    """Assert that training does not go on from the checkpoint, and leaves the model as it was."""
    make, going_on, _ = half
    model = make()
    with pytest.raises(ValueError, match=message):
        going_on(model)
    for ours, fresh in zip(model.parameters(), make().parameters(), strict=True):
        assert torch.equal(ours, fresh)


def test_a_training_that_was_stopped_ends_in_the_same_bits(half):
    make, going_on, path = half
    resumed, whole = make(), make()
    with torch.no_grad():
        for weight in resumed.parameters():
            weight += 1  # its own weights must not matter
    going_on(resumed)
    path.unlink()
    going_on(whole)
    for ours, theirs in zip(resumed.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize("left", [0, 7, 0.3, 0.9])
def test_a_truncated_state_is_refused(half, left):
    data = half[2].read_bytes()
    half[2].write_bytes(data[: left if left > 1 or left == 0 else int(left * len(data))])
    refused(half, r"checkpoint half\.safetensors is damaged and was not loaded")


def test_a_state_with_a_key_too_many_or_a_key_renamed_is_refused(half):
    tensors, note = read_tensors(half[2])
    first = next(name for name in tensors if name.startswith("weight/"))
    write_tensors(half[2], tensors | {"weight/foreign": torch.ones(2)}, note=note)
    refused(half, r"another model: its weight/foreign is torch.float32 \(2,\), here none")
    write_tensors(half[2], {("weight/z" if name == first else name): t for name, t in tensors.items()}, note=note)
    refused(half, "another model: its weight/z is torch.float32 .*, here none")


def test_a_state_of_another_version_is_refused(half):
    tensors, note = read_tensors(half[2])
    write_tensors(half[2], tensors, note=note | {"plan": note["plan"] | {"momentum": 0.9}})
    refused(half, "made with another plan: .*momentum")
    write_tensors(half[2], tensors, note={name: value for name, value in note.items() if name != "rows"})
    refused(half, r"half\.safetensors is not one of a training: its note says")


# --- the file of the forecaster ---------------------------------------------------------------------------------------


@pytest.fixture
def shipped(tmp_path, monkeypatch) -> Path:
    """Return the file that `load_forecaster` will read, with a small forecaster in it."""
    monkeypatch.setattr(forecasting, "SHIPPED", tmp_path)
    write_forecaster(tmp_path / "forecaster.safetensors")
    return tmp_path / "forecaster.safetensors"


def write_forecaster(path: Path, *, change=lambda tensors: tensors, **note) -> None:
    tensors = change({name: p.detach() for name, p in Forecaster(DESIGN).named_parameters()})
    write_tensors(path, tensors, note={"design": asdict(DESIGN), "card": {}} | note)


def test_a_forecaster_in_a_file_is_the_one_that_was_written(shipped):
    model, card = load_forecaster()
    assert (model.design, card, model.training) == (DESIGN, {}, False)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), Forecaster(DESIGN).parameters(), strict=True))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.7, 0.99])
def test_a_truncated_forecaster_is_refused(shipped, share):
    data = shipped.read_bytes()
    shipped.write_bytes(data[: int(share * len(data))])
    with pytest.raises(ValueError, match=r"checkpoint forecaster\.safetensors is damaged and was not loaded"):
        load_forecaster()


def test_an_altered_forecaster_is_refused(shipped):
    data = bytearray(shipped.read_bytes())
    data[-3] ^= 1
    shipped.write_bytes(data)
    with pytest.raises(ValueError, match=r"forecaster\.safetensors was altered and was not loaded: sha256"):
        load_forecaster()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"design": None}, "was not loaded: .*must be a mapping"),
        ({"design": asdict(DESIGN) | {"dropout": 0.1}}, "was not loaded: .*unexpected keyword argument 'dropout'"),
        ({"design": {"context": 5}}, "was not loaded: .*missing 1 required keyword-only argument: 'horizon'"),
        ({"design": asdict(DESIGN) | {"layers": 2}}, r"does not fit its architecture: encoder\.1\S+ is in only one"),
        ({"design": asdict(DESIGN) | {"layers": 10**9}}, "it describes 1000000000 layers but holds"),
        ({"design": asdict(DESIGN) | {"width": 4 * 10**6}}, r"has shape \(\d+.*, expected \(\d+"),
        ({"design": asdict(DESIGN) | {"context": 10**15}}, r"past_places has shape \(5, 4\), expected \(10+, 4\)"),
        ({"change": lambda t: t | {"foreign": torch.ones(1)}}, "foreign is in only one of them"),
        ({"change": lambda t: dict(list(t.items())[1:])}, "is in only one of them"),
        ({"change": lambda t: {n: p.long() for n, p in t.items()}}, "of one floating-point type, got torch.int64"),
        ({"change": lambda t: {n: p * np.nan for n, p in t.items()}}, "has numbers that are not finite"),
    ],
)
def test_a_file_that_is_not_that_of_the_forecaster_it_describes_is_refused_before_one_is_made(shipped, fault, message):
    write_forecaster(shipped, **fault)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=rf"checkpoint forecaster\.safetensors.*{message}"):
        load_forecaster()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


@pytest.mark.parametrize("note", [{}, ["design"], 3, {"architecture": {}, "card": {}}])
def test_a_file_of_something_else_is_no_forecaster(shipped, note):
    write_tensors(shipped, {"x": torch.ones(2)}, note=note)
    with pytest.raises(ValueError, match=r"forecaster\.safetensors holds no forecaster: its note has"):
        load_forecaster()
