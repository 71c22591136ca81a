"""Facts about chance: a seed repeats, a generator of either library moves on, and anything else is refused by name."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn._rng import numpy_generator, random_state_from, seed_from, torch_generator
from regattn.grammar import Grammar
from regattn.regression import batches, make_network, make_tasks
from regattn.series import race_models
from regattn.transformer import Architecture, LanguageModel, generate, residual_kmeans, text_batches
from regattn.words import glove_vectors, make_aligned_text

MODEL = LanguageModel(Architecture(vocabulary=13, layers=1, context=8, width=6, n_heads=2)).eval()
PROMPT = torch.tensor([[5]])
COUNTS = np.random.default_rng(1).poisson(3, size=(11, 11))
ROWS = np.random.default_rng(2).normal(size=(61, 3))


def as_tensor(numbers) -> torch.Tensor:
    return torch.as_tensor(np.array(numbers))


def coded(text) -> torch.Tensor:
    """Return an aligned text as numbers."""
    return torch.tensor(list(repr(text).encode()[:2000]))


USES = {
    "a model's weights": lambda rng: LanguageModel(MODEL.architecture, rng=rng).embedding.weight,
    "a drawn text": lambda rng: generate(MODEL, PROMPT, 23, rng=rng),
    "windows of a text": lambda rng: text_batches(range(997), batch_size=5, context=3, rng=rng)(0),
    "tasks": lambda rng: as_tensor(make_tasks(rng, np.eye(2), tasks=3, n=5, noise=1.0).X),
    "batches": lambda rng: as_tensor(list(batches(97, batch_size=31, steps=2, rng=rng))),
    "a network": lambda rng: as_tensor(make_network((3, 5), rng=rng).parameters),
    "an aligned text": lambda rng: coded(make_aligned_text(7, rng=rng)),
    "vectors": lambda rng: as_tensor(glove_vectors(COUNTS, rank=2, sweeps=1, rng=rng).vectors),
    "a text of the grammar": lambda rng: as_tensor(Grammar().sample_tokens(rng, texts=2, length=29)),
    "codes": lambda rng: as_tensor(residual_kmeans(ROWS, ROWS, n_codes=5, rng=rng)),
    "forests": lambda rng: as_tensor(race_models(folds=3, n_features=2, rng=rng)["forest"].estimator[-1].random_state),
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


def test_a_generator_of_numpy_is_used_as_it_is_and_a_seed_starts_numpys_own():
    mine = np.random.default_rng(5)
    assert numpy_generator(mine) is mine
    assert np.array_equal(numpy_generator(5).random(3), mine.random(3))


def test_a_seed_of_scikit_learn_is_the_seed_itself_below_two_to_the_32():
    assert [random_state_from(seed) for seed in (0, 2**32 - 1, 2**32 + 5)] == [0, 2**32 - 1, 5]


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
        ("x", "rng must be a whole number or a generator of NumPy or torch, got 'x'"),
        (2**64, r"rng must be ≤ 18446744073709551615 \(64 bits\), got 18446744073709551616"),
        (1.5, "or a generator of NumPy or torch, got 1.5"),
        (None, "or a generator of NumPy or torch, got None"),
        (True, "or a generator of NumPy or torch, got True"),
    ],
)
def test_what_is_no_source_of_chance_is_refused_by_name_and_value(use, rng, message):
    with pytest.raises(ValueError, match=message):
        use(rng)
