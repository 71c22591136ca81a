"""Faults in checkpoints: the forecaster's file, the state of any training, and what must not replace a good file."""

from __future__ import annotations

import resource
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from regattn._tensors import read_tensors, write_tensors
from regattn.series import Forecaster, ForecasterDesign, PooledLinear, forecasting, load_forecaster
from regattn.transformer import (
    Architecture,
    Autoencoder,
    CodeAutoencoder,
    LanguageModel,
    TrainingPlan,
    load_model,
    save_model,
    text_batches,
    train,
)

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


# --- what is written would be read, and a good file outlives what would not ------------------------------------------

SMALL = Architecture(vocabulary=11, layers=1, context=7, width=6, n_heads=3, positions="learned")
TOKENS = torch.tensor([[3, 1, 4, 1, 5]])
TEXT = text_batches([(i * i) % 11 for i in range(200)], batch_size=3, context=7)


def language_model(seed: int = 3) -> LanguageModel:
    return LanguageModel(SMALL, rng=seed)


def eager(model: nn.Module) -> nn.Module:
    return torch.compile(model, backend="eager")  # wraps as every backend does, and computes in the same bits


compiling = pytest.mark.filterwarnings("ignore")  # torch.compile warns of its own age and of caches in libraries


def part_compiled() -> LanguageModel:
    model = language_model()
    model.blocks[0] = eager(model.blocks[0])
    return model


@pytest.fixture
def good(tmp_path) -> Path:
    """Return a file that holds a good model."""
    save_model(language_model(seed=5), tmp_path / "m.safetensors", card={"good": True})
    return tmp_path / "m.safetensors"


@compiling
@pytest.mark.parametrize("wrapped", [lambda: eager(language_model()), part_compiled], ids=["whole", "part"])
def test_a_compiled_model_is_saved_under_its_plain_names(good, wrapped):
    save_model(wrapped(), good)
    again, _ = load_model(good)
    assert torch.equal(again(TOKENS), language_model()(TOKENS))
    assert read_tensors(good)[0].keys() == dict(language_model().named_parameters()).keys()


def test_a_frozen_model_is_saved(good):
    save_model(language_model().requires_grad_(False), good)
    assert torch.equal(load_model(good)[0](TOKENS), language_model()(TOKENS))


def with_nan(model: LanguageModel) -> LanguageModel:
    model.embedding.weight.data[2, 3] = torch.nan
    return model


def with_one_more(model: LanguageModel) -> LanguageModel:
    model.temperature = nn.Parameter(torch.ones(1))
    return model


def without_numbers() -> LanguageModel:
    with torch.device("meta"):
        return language_model()


def with_two_types(model: LanguageModel) -> LanguageModel:
    model.final_norm.double()
    return model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_nan, "was not saved, since it would not be loaded: embedding.weight has numbers that are not finite"),
        (with_one_more, "was not saved, since it would not be loaded: .*temperature is in only one of them"),
        (with_two_types, "of one floating-point type, got torch.float32, torch.float64"),
        (lambda _: without_numbers(), "embedding.weight has a shape but no numbers"),
        (lambda model: nn.Linear(2, 2), "model must be a LanguageModel, got Linear"),
    ],
)
def test_a_model_that_would_not_be_loaded_does_not_replace_a_good_one(good, change, message):
    with pytest.raises(ValueError, match=message):
        save_model(change(language_model()), good)
    model, card = load_model(good)
    assert card == {"good": True}
    assert torch.equal(model(TOKENS), language_model(seed=5)(TOKENS))
    assert [each.name for each in good.parent.iterdir()] == [good.name]


def test_a_card_may_hold_numbers_of_numpy_and_torch(good):
    architecture = replace(SMALL, vocabulary=np.int64(11))
    save_model(LanguageModel(architecture), good, card={"loss": np.float32(0.5), "steps": torch.tensor(3)})
    model, card = load_model(good)
    assert card == {"loss": 0.5, "steps": 3}
    assert model.architecture == SMALL


def test_a_card_that_cannot_be_written_leaves_the_good_file(good):
    with pytest.raises(TypeError, match=r"array\(\[1., 2.\]\) is not JSON serializable"):
        save_model(language_model(), good, card={"losses": np.array([1.0, 2.0])})
    assert load_model(good)[1] == {"good": True}


def test_saving_into_a_folder_that_is_missing_names_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder .*absent to write m.safetensors into"):
        save_model(language_model(), tmp_path / "absent" / "m.safetensors")
    taken = []
    with pytest.raises(FileNotFoundError, match=r"no folder .*absent to write m.safetensors into"):
        train(language_model(), taken.append, PLAN, checkpoint=tmp_path / "absent" / "m.safetensors")
    assert taken == []  # said before the first batch, not at the first save


def test_a_pointer_of_git_lfs_is_called_by_its_name(tmp_path):
    path = tmp_path / "m.safetensors"
    path.write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n")
    with pytest.raises(ValueError, match=r"m.safetensors is a pointer of git-lfs, not the file; run `git lfs pull`"):
        load_model(path)
    with pytest.raises(ValueError, match="is a pointer of git-lfs"):
        train(language_model(), TEXT, PLAN, checkpoint=path)


def stopped(model: nn.Module, path: Path) -> None:
    """Train until the power fails in the middle of the third step."""

    def power_cut(step: int) -> torch.Tensor:
        if step == 3:
            raise KeyboardInterrupt
        return TEXT(step)

    with pytest.raises(KeyboardInterrupt):
        train(model, power_cut, PLAN, checkpoint=path)


@compiling
@pytest.mark.parametrize("first", [eager, lambda model: model], ids=["compiled", "plain"])
@pytest.mark.parametrize("second", [eager, lambda model: model], ids=["compiled", "plain"])
def test_a_training_goes_on_whether_compiled_or_not(tmp_path, first, second):
    whole, resumed = language_model(), language_model(seed=99)
    expected = train(whole, TEXT, PLAN)
    stopped(first(language_model()), tmp_path / "run")
    assert train(second(resumed), TEXT, PLAN, checkpoint=tmp_path / "run").equals(expected)
    for ours, theirs in zip(resumed.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def frozen(seed: int = 3) -> LanguageModel:
    model = language_model(seed)
    model.positions.requires_grad_(False)
    return model


def with_an_idle_parameter(seed: int = 3) -> LanguageModel:
    model = language_model(seed)
    model.idle = nn.Parameter(torch.full((2, 2), float(seed)))
    return model


@pytest.mark.parametrize("make", [frozen, with_an_idle_parameter])
def test_a_training_goes_on_where_no_gradient_reaches_a_parameter(tmp_path, make):
    whole, resumed = make(), make(seed=99)
    train(whole, TEXT, PLAN)
    stopped(make(), tmp_path / "run")
    train(resumed, TEXT, PLAN, checkpoint=tmp_path / "run")
    for ours, theirs in zip(resumed.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_a_training_does_not_go_on_with_other_frozen_parameters(tmp_path):
    stopped(frozen(), tmp_path / "run")
    with pytest.raises(ValueError, match=r"another model: its positions.weight is frozen, here it is trained"):
        train(language_model(), TEXT, PLAN, checkpoint=tmp_path / "run")
    stopped(language_model(), tmp_path / "other")
    with pytest.raises(ValueError, match=r"another model: its positions.weight is trained, here it is frozen"):
        train(frozen(), TEXT, PLAN, checkpoint=tmp_path / "other")


def test_weights_that_are_not_finite_do_not_replace_a_state_one_can_go_on_from(tmp_path):
    model, plan = language_model(), replace(PLAN, steps=6)

    def spoilt(step: int) -> torch.Tensor:
        if step == 3:  # the batch itself is fine, and so are loss and gradient: row 10 is not read
            model.positions.weight.data[6] = torch.inf
        return TEXT(step)[:, :6]

    with pytest.raises(ValueError, match=r"not saved at step 4: weight/positions.weight has numbers .* not finite"):
        train(model, spoilt, plan, checkpoint=tmp_path / "run")
    assert read_tensors(tmp_path / "run")[1]["step"] == 2
    train(language_model(), TEXT, plan, checkpoint=tmp_path / "run")  # goes on from there


def test_scores_may_be_numbers_of_numpy_and_torch(tmp_path):
    def evaluate(model: nn.Module) -> dict:
        return {"a": np.float32(0.5), "b": torch.tensor(3), "c": np.int64(7)}

    train(language_model(), TEXT, PLAN, evaluate=evaluate, checkpoint=tmp_path / "run")
    again = train(language_model(), pytest.fail, PLAN, evaluate=evaluate, checkpoint=tmp_path / "run")
    assert again.loc[4, ["a", "b", "c"]].tolist() == [0.5, 3, 7]
