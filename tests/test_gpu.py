"""On a graphics card: the same numbers as on the processor, to the rounding of each precision."""

from __future__ import annotations

import pytest
import torch

from regattn import KERNELS, attend
from regattn.transformer import (
    Architecture,
    LanguageModel,
    TrainingPlan,
    generate,
    load_model,
    next_token_distribution,
    save_model,
    text_batches,
    train,
)

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no graphics card that torch can use")

TEXT = [(i * i) % 11 for i in range(600)]
BATCHES = text_batches(TEXT, batch_size=4, context=16)


def model_with(positions: str, dtype: torch.dtype = torch.float64) -> LanguageModel:
    sizes = {"vocabulary": 11, "layers": 2, "context": 16, "width": 16, "n_heads": 2}
    return LanguageModel(Architecture(**sizes, positions=positions), rng=2).to(dtype).eval()


def inputs(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("mask", [None, "causal"])
def test_every_kernel_attends_as_on_the_processor(kernel, mask):
    rows, values = inputs(3, 9, 4), inputs(3, 9, 2)
    expected = attend(rows, rows, values, kernel=kernel, mask=mask)
    found = attend(rows.cuda(), rows.cuda(), values.cuda(), kernel=kernel, mask=mask)
    assert found.is_cuda
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned", "rotary", "alibi"])
def test_a_model_says_the_same(positions):
    model, tokens = model_with(positions), BATCHES(0)[:, :16]
    expected = model(tokens)
    found = model.cuda()(tokens.cuda())
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("positions", ["rotary", "learned"])
def test_a_text_is_continued_by_the_same_draws(positions):
    model, prompt = model_with(positions), torch.tensor([[3, 1]])
    options = {"n_new": 14, "rng": 3, "top_k": 5, "top_p": 0.9}
    expected = generate(model, prompt, **options)
    assert torch.equal(generate(model.cuda(), prompt.cuda(), **options).cpu(), expected)


def test_the_distribution_of_the_next_token_is_the_same():
    logits = inputs(4, 11)
    for options in ({}, {"temperature": 0.0}, {"top_k": 3, "top_p": 0.7}):
        expected = next_token_distribution(logits, **options)
        torch.testing.assert_close(next_token_distribution(logits.cuda(), **options).cpu(), expected)


def test_training_moves_the_batches_and_goes_on_from_a_file_in_the_same_bits(tmp_path):
    whole, halves = (model_with("rotary", torch.float32).cuda() for _ in range(2))
    plan = TrainingPlan(steps=8, peak=0.01, save_every=4)
    history = train(whole, BATCHES, plan)

    def stops(step: int) -> torch.Tensor:
        if step == 6:
            raise KeyboardInterrupt
        return BATCHES(step)

    with pytest.raises(KeyboardInterrupt):
        train(halves, stops, plan, checkpoint=tmp_path / "half.safetensors")
    again = model_with("rotary", torch.float32).cuda()
    assert train(again, BATCHES, plan, checkpoint=tmp_path / "half.safetensors").equals(history)
    for ours, theirs in zip(again.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0)


def test_training_is_that_of_the_processor_in_whole_precision():
    here, there = model_with("rotary"), model_with("rotary").cuda()
    plan = TrainingPlan(steps=8, peak=0.01)
    expected, found = train(here, BATCHES, plan), train(there, BATCHES, plan)
    torch.testing.assert_close(torch.tensor(found.loss.values), torch.tensor(expected.loss.values), rtol=1e-9, atol=0)


def test_half_precision_products_stay_near():
    plans = [TrainingPlan(steps=30, peak=0.01, precision=precision) for precision in ("full", "bfloat16")]
    losses = [train(model_with("rotary", torch.float32).cuda(), BATCHES, plan).loss.iloc[-1] for plan in plans]
    assert abs(losses[0] - losses[1]) < 0.03  # 2^-8 of a loss of 2.4, over thirty steps
    assert losses[0] != losses[1]


def test_a_model_on_the_card_is_saved_and_loaded_on_the_processor(tmp_path):
    model = model_with("learned").cuda()
    save_model(model, tmp_path / "card.safetensors")
    again, _ = load_model(tmp_path / "card.safetensors")
    assert torch.equal(again.embedding.weight, model.embedding.weight.cpu())
