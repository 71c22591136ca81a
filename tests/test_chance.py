"""Facts about chance: a seed repeats, a generator of either library moves on, and anything else is refused by name."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn._chance import seed_from, torch_generator
from regattn.transformer import Architecture, LanguageModel, generate, text_batches

MODEL = LanguageModel(Architecture(vocabulary=13, layers=1, context=8, width=6, n_heads=2)).eval()
PROMPT = torch.tensor([[5]])
USES = {
    "a model's weights": lambda rng: LanguageModel(MODEL.architecture, rng=rng).embedding.weight,
    "a drawn text": lambda rng: generate(MODEL, PROMPT, 23, rng=rng),
    "windows of a text": lambda rng: text_batches(range(997), batch_size=5, context=3, rng=rng)(0),
}
GENERATORS = {
    "NumPy": lambda: np.random.default_rng(7),
    "torch": lambda: torch.Generator().manual_seed(7),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_seed_repeats_and_another_seed_gives_something_else(use):
    assert torch.equal(use(3), use(3))
    assert torch.equal(use(3), use(np.int64(3)))
    assert not torch.equal(use(3), use(4))


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_generator_moves_on_and_a_new_one_of_the_same_seed_repeats(use, make):
    rng = make()
    first, second = use(rng), use(rng)
    assert not torch.equal(first, second)
    again = make()
    assert torch.equal(first, use(again))
    assert torch.equal(second, use(again))


def test_a_seed_is_itself_and_generators_draw_seeds_from_the_whole_range():
    assert seed_from(0) == 0
    assert seed_from(2**64 - 1) == 2**64 - 1
    for make in GENERATORS.values():
        rng = make()
        drawn = [seed_from(rng) for _ in range(200)]
        assert len(set(drawn)) == 200
        assert 0 <= min(drawn) < 2**57  # 200 draws miss a 64th of the range once in 23
        assert 2**62 < max(drawn) < 2**63


def test_a_generator_of_torch_is_used_as_it_is_and_a_seed_starts_torchs_own():
    mine = torch.Generator().manual_seed(5)
    assert torch_generator(mine) is mine
    assert torch.equal(torch.rand(3, generator=torch_generator(5)), torch.rand(3, generator=mine))


def test_the_global_generators_are_left_as_they_were():
    torch_before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    for use in USES.values():
        for rng in (3, *(make() for make in GENERATORS.values())):
            use(rng)
    assert torch.equal(torch.get_rng_state(), torch_before)
    assert np.array_equal(np.random.get_state()[1], numpy_before)  # noqa: NPY002


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize(
    ("rng", "message"),
    [
        (-1, "rng must be ≥ 0, got -1"),
        ("x", "rng must be a whole number, got 'x'"),
        (2**64, r"rng must be ≤ 18446744073709551615 \(64 bits\), got 18446744073709551616"),
        (1.5, "rng must be a whole number, got 1.5"),
        (None, "rng must be a whole number, got None"),
        (True, "rng must be a whole number, got True"),
    ],
)
def test_what_is_no_source_of_chance_is_refused_by_name_and_value(use, rng, message):
    with pytest.raises(ValueError, match=message):
        use(rng)
