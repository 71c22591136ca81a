"""Facts about the training loop."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import nn

from regattn.transformer import Architecture, LanguageModel, TrainingPlan, text_batches, train
from regattn.transformer._plan import learning_rate

SMALL = Architecture(vocabulary=7, layers=2, context=11, width=10, n_heads=5, positions="rotary")
TEXT = np.tile([0, 3, 1, 6, 2], 60)  # a text that repeats, so that its entropy rate is 0


def fresh(seed: int = 3) -> LanguageModel:
    return LanguageModel(SMALL, rng=seed)


def test_a_repeating_text_is_learned_to_its_entropy_of_zero():
    model = fresh()
    history = train(model, text_batches(TEXT, batch_size=5, context=11), TrainingPlan(steps=150, peak=1e-2, warmup=10))
    assert history.index.tolist() == [100, 150]
    assert history["loss"].iloc[-1] < 0.15  # five tokens differ: the first one told decides the rest
    assert not model.training


def test_one_step_equals_one_step_of_torch_adamw_by_hand():
    model, peer = nn.Linear(3, 2), nn.Linear(3, 2)
    peer.load_state_dict(model.state_dict())
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(1))
    plan = TrainingPlan(steps=1, peak=0.01, weight_decay=0.3, clip=0.5)
    train(model, lambda _: x, plan, loss=lambda m, x: (m(x) ** 2).sum())
    (peer(x) ** 2).sum().backward()
    norm = math.sqrt(sum(float((p.grad**2).sum()) for p in peer.parameters()))
    assert norm > 0.5
    for p, decay in ((peer.weight, 0.3), (peer.bias, 0.0)):
        g = p.grad * 0.5 / (norm + 1e-6)
        expected = p * (1 - 0.01 * decay) - 0.01 * g / (g.abs() + 1e-8)  # both moments corrected give g and g²
        ours = model.weight if p.ndim == 2 else model.bias
        torch.testing.assert_close(ours, expected, atol=1e-6, rtol=0)


def test_four_steps_equal_adamw_written_out_with_moments_that_forget_a_tenth_and_a_twentieth():
    model = nn.Linear(3, 2).double()
    values = {name: p.detach().numpy().copy() for name, p in model.named_parameters()}
    rng = np.random.default_rng(5)
    inputs = [scale * rng.normal(size=(5, 3)) for scale in (1.0, 0.05, 2.0, 0.3)]  # gradients of different sizes
    plan = TrainingPlan(steps=4, peak=0.02, warmup=2, final=0.5, weight_decay=0.3, clip=1e9)
    train(model, lambda step: torch.from_numpy(inputs[step]), plan, loss=lambda m, x: (m(x) ** 2).sum())
    first = dict.fromkeys(values, 0.0)
    second = dict.fromkeys(values, 0.0)
    for step, x in enumerate(inputs, start=1):
        outputs = x @ values["weight"].T + values["bias"]
        slopes = {"weight": 2 * outputs.T @ x, "bias": 2 * outputs.sum(axis=0)}
        for name, decay in (("weight", 0.3), ("bias", 0.0)):
            first[name] = 0.9 * first[name] + 0.1 * slopes[name]
            second[name] = 0.95 * second[name] + 0.05 * slopes[name] ** 2
            spread = np.sqrt(second[name] / (1 - 0.95**step)) + 1e-8
            rate = [0.01, 0.02, 0.02, 0.01][step - 1]
            values[name] = values[name] * (1 - rate * decay) - rate * first[name] / (1 - 0.9**step) / spread
    for name, p in model.named_parameters():
        np.testing.assert_allclose(p.detach().numpy(), values[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("stop_at", [5, 13, 17])
def test_a_resumed_run_ends_in_the_same_bits_as_an_uninterrupted_one(tmp_path, stop_at):
    batches = text_batches(TEXT, batch_size=3, context=11, rng=4)
    plan = TrainingPlan(steps=23, warmup=3, evaluate_every=7, save_every=5)
    whole = fresh()
    expected = train(whole, batches, plan)

    def power_cut(step):
        if step == stop_at:
            raise KeyboardInterrupt
        return batches(step)

    path = tmp_path / "run.safetensors"
    with pytest.raises(KeyboardInterrupt):
        train(fresh(), power_cut, plan, checkpoint=path)
    resumed = fresh(seed=99)  # its own weights must not matter
    history = train(resumed, batches, plan, checkpoint=path)
    for ours, theirs in zip(resumed.parameters(), whole.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert history.equals(expected)


def test_a_finished_run_is_not_trained_again(tmp_path):
    path = tmp_path / "run.safetensors"
    batches, plan = text_batches(TEXT, batch_size=3, context=11), TrainingPlan(steps=5)
    first = train(fresh(), batches, plan, checkpoint=path)
    again = train(fresh(), lambda step: pytest.fail("asked for a batch"), plan, checkpoint=path)
    assert again.equals(first)


def test_a_checkpoint_of_another_plan_or_model_is_refused(tmp_path):
    path = tmp_path / "run.safetensors"
    batches = text_batches(TEXT, batch_size=3, context=11)
    train(fresh(), batches, TrainingPlan(steps=5), checkpoint=path)
    with pytest.raises(ValueError, match=r"another plan.*'steps': 5.*'steps': 6"):
        train(fresh(), batches, TrainingPlan(steps=6), checkpoint=path)
    with pytest.raises(ValueError, match=r"another model: its weight/weight is none, here torch.float32 \(2, 2\)"):
        train(nn.Linear(2, 2), batches, TrainingPlan(steps=5), checkpoint=path)
    with pytest.raises(ValueError, match=r"another model: its weight/\S+ is torch.float32 .*, here torch.float64"):
        train(fresh().double(), batches, TrainingPlan(steps=5), checkpoint=path)


OTHER = {  # another legal value of each field
    "steps": 6,
    "peak": 2e-3,
    "warmup": 1,
    "final": 0.2,
    "weight_decay": 0.2,
    "clip": 2.0,
    "evaluate_every": 3,
    "patience": 2,
    "save_every": 3,
    "progress": True,
    "precision": "bfloat16",
}
LEFT_TO_TASTE = {"save_every", "progress"}  # neither changes where training ends


LAST = [("steps", 1), ("warmup", 0), ("warmup", 5), ("final", 0.0), ("final", 1.0), ("weight_decay", 0.0)]
LAST += [("evaluate_every", 1), ("evaluate_every", 6), ("patience", 1), ("save_every", 1)]


@pytest.mark.parametrize(("field", "value"), LAST)
def test_the_last_value_of_a_setting_that_is_legal_trains(field, value):
    plan = replace(TrainingPlan(steps=5), **{field: value})
    history = train(fresh(), text_batches(TEXT, batch_size=3, context=11), plan)
    assert np.isfinite(history.to_numpy()).all()
    assert history.index[-1] == plan.steps or field == "patience"
    first = (field, value) in (("steps", 1), ("warmup", 5))  # no step comes after the peak
    assert history["learning_rate"].iloc[-1] == pytest.approx(plan.peak * (1 if first else plan.final))


@pytest.mark.parametrize("field", [field.name for field in fields(TrainingPlan)])
def test_a_training_goes_on_under_another_plan_only_if_it_would_end_in_the_same_bits(tmp_path, field):
    plan = TrainingPlan(steps=5, save_every=2)
    other = replace(plan, **{field: OTHER[field]})
    assert other != plan
    batches, path = text_batches(TEXT, batch_size=3, context=11), tmp_path / "run"
    train(fresh(), batches, plan, checkpoint=path)
    if field in LEFT_TO_TASTE:
        train(fresh(), pytest.fail, other, checkpoint=path)
    else:
        with pytest.raises(ValueError, match=f"another plan: .*{field}"):
            train(fresh(), pytest.fail, other, checkpoint=path)


def test_training_stops_after_the_evaluations_that_bring_nothing_new():
    scores = iter([3.0, 2.0, 2.5, 2.4, 1.0])
    plan = TrainingPlan(steps=50, evaluate_every=2, patience=2)
    batches = text_batches(TEXT, batch_size=3, context=11)
    history = train(fresh(), batches, plan, evaluate=lambda model: {"held_out": next(scores)})
    assert history["held_out"].tolist() == [3.0, 2.0, 2.5, 2.4]
    assert history.index.tolist() == [2, 4, 6, 8]


def test_a_run_that_stopped_early_is_saved_where_it_stopped(tmp_path):
    scores, path = iter([3.0, 2.0, 2.5, 2.4, 1.0]), tmp_path / "run.safetensors"
    plan = TrainingPlan(steps=50, evaluate_every=2, patience=2, save_every=5)
    batches, stopped = text_batches(TEXT, batch_size=3, context=11), fresh()
    history = train(stopped, batches, plan, evaluate=lambda model: {"held_out": next(scores)}, checkpoint=path)
    again = fresh(seed=99)
    assert train(again, pytest.fail, plan, checkpoint=path).equals(history)
    for ours, theirs in zip(again.parameters(), stopped.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_a_gradient_that_is_not_finite_is_an_error_before_it_reaches_the_weights():
    model = nn.Linear(1, 1)
    before = model.weight.detach().clone()
    with pytest.raises(ValueError, match="the gradient must be finite, got nan at step 0"):
        # the loss is 0, and the slope of a root there is infinite
        train(model, lambda _: torch.zeros(1, 1), TrainingPlan(steps=2), loss=lambda m, x: (m.weight * x).sum().sqrt())
    assert torch.equal(model.weight, before)


class Pair(NamedTuple):
    """A batch with names, one number of which belongs to no row."""

    x: torch.Tensor
    scale: torch.Tensor


@pytest.mark.parametrize("kind", [Pair, lambda x, scale: [x, scale], lambda x, scale: {"x": x, "scale": scale}])
def test_a_batch_keeps_its_form(kind):
    seen = []

    def loss(model, batch):
        seen.append(batch)
        return model(batch["x"] if isinstance(batch, dict) else batch[0]).square().mean()

    made = kind(torch.ones(4, 1), torch.tensor(2.0))
    train(nn.Linear(1, 1), lambda _: made, TrainingPlan(steps=1), loss=loss)
    assert type(seen[0]) is type(made)
    assert str(seen[0]) == str(made)


def test_rate_rises_in_a_line_and_falls_along_a_cosine():
    plan = TrainingPlan(steps=101, peak=2.0, warmup=20, final=0.25)
    rates = [learning_rate(plan, s) for s in range(101)]
    np.testing.assert_allclose(np.diff(rates[:20]), 0.1, atol=1e-12)
    assert max(rates) == rates[19] == rates[20] == 2.0
    assert rates[60] == pytest.approx(2.0 * (1 + 0.25) / 2)
    assert rates[100] == pytest.approx(0.5)


def test_every_window_of_a_text_is_a_stretch_of_it():
    batches = text_batches(range(50), batch_size=7, context=5, rng=2)
    for step in range(5):
        windows = batches(step)
        assert windows.shape == (7, 6)
        assert (windows.diff(dim=1) == 1).all()
    assert not torch.equal(batches(0), batches(1))
    starts = np.concatenate([batches(step)[:, 0].numpy() for step in range(300)])
    assert (starts.min(), starts.max()) == (0, 44)  # the last window ends with the text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TrainingPlan(steps=0), "steps must be ≥ 1, got 0"),
        (lambda: TrainingPlan(steps=5, warmup=6), "warmup must be ≤ 5 .*got 6"),
        (lambda: TrainingPlan(steps=5, peak=0.0), "peak must be > 0, got 0.0"),
        (lambda: TrainingPlan(steps=5, weight_decay=-0.1), "weight_decay must be ≥ 0, got -0.1"),
        (lambda: TrainingPlan(steps=5, patience=0), "patience must be ≥ 1, got 0"),
        (lambda: text_batches(range(5), batch_size=1, context=5), r"more than 5 tokens, got shape \(5,\)"),
        (lambda: text_batches(range(50), batch_size=0, context=5), "batch_size must be ≥ 1, got 0"),
        (
            lambda: train(
                nn.Linear(1, 1),
                lambda _: torch.ones(1, 1),
                TrainingPlan(steps=3),
                loss=lambda m, x: m(x).sum() * math.inf,
            ),
            "loss must be finite, got -?inf at step 0",
        ),
    ],
)
def test_bad_input_is_refused_with_its_value(call, message):
    torch.manual_seed(0)
    with pytest.raises(ValueError, match=message):
        call()
