"""Auto-encoders with and without a codebook: what they are told, what each term trains, and what they end as."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.spatial import KDTree
from sklearn.datasets import load_digits
from torch import nn
from torch.nn import functional

from regattn import attend
from regattn.transformer import (
    Autoencoder,
    CodeAutoencoder,
    LatentPlan,
    gradient_norms,
    latent,
    settle_autoencoder,
    train_autoencoder,
)
from regattn.transformer._averages import MovingAverages, moving_averages

torch.set_num_threads(1)
DIGITS = torch.tensor(load_digits().data[:211] / 16)


def coder(seed: int = 0, **sizes) -> CodeAutoencoder:
    sizes = {"n_codes": 11, "n_parts": 3, "width": 5, "hidden": 23} | sizes
    return CodeAutoencoder(64, rng=seed, **sizes).double()


def told(model: CodeAutoencoder, x: torch.Tensor) -> np.ndarray:
    """Return the nearest codes by another road."""
    z = model.latents(x).detach().numpy()
    book = model.codebook.detach().numpy()
    return KDTree(book).query(z)[1]


def test_codes_are_the_nearest_ones():
    model = coder()
    codes = model.codes(DIGITS)
    assert (codes.shape, codes.dtype) == ((211, 3), torch.int64)
    np.testing.assert_array_equal(codes, told(model, DIGITS))


def test_the_quantiser_is_attention_with_the_nearest_kernel():
    model = coder()
    with torch.no_grad():
        by_attention = attend(model.latents(DIGITS), model.codebook, model.codebook, kernel="nearest")
        torch.testing.assert_close(by_attention, model.codebook[model.codes(DIGITS)])


def test_terms_are_the_formula_by_a_slow_loop():
    model = coder()
    with torch.no_grad():
        z, numbers = model.latents(DIGITS), told(model, DIGITS)
        squares = np.zeros(2)
        for row, latent, own in zip(DIGITS, z, numbers, strict=True):
            codes = torch.stack([model.codebook[k] for k in own])
            squares += [float(((row - model.decoder(codes.ravel())) ** 2).sum()), float(((latent - codes) ** 2).sum())]
    found = [float(term.detach()) for term in model.terms(DIGITS)]
    np.testing.assert_allclose(found, [squares[0] / 211, squares[1] / 211, squares[1] / 211])


@pytest.mark.parametrize("straight_through", [True, False])
@pytest.mark.parametrize("stop_gradients", [True, False])
def test_what_routes_slopes_changes_no_value(straight_through, stop_gradients):
    model = coder()
    other = model.terms(DIGITS, straight_through=straight_through, stop_gradients=stop_gradients)
    torch.testing.assert_close(list(other), list(model.terms(DIGITS)))


def test_the_copy_hands_on_the_slope_at_the_code():
    model = coder()
    z, numbers = model.latents(DIGITS), model.codes(DIGITS)
    codes = model.codebook[numbers].detach().requires_grad_()
    (DIGITS - model.decoder(codes.flatten(1))).square().sum(dim=1).mean().backward()
    (by_parameters,) = torch.autograd.grad(z, model.encoder[0].weight, codes.grad)
    (found,) = torch.autograd.grad(model.terms(DIGITS).reconstruction, model.encoder[0].weight)
    torch.testing.assert_close(found, by_parameters)


def test_a_row_comes_back_as_its_codes_are_decoded():
    model = coder()
    with torch.no_grad():
        torch.testing.assert_close(model(DIGITS), model.decode(model.codes(DIGITS)))
        drawn = {
            tuple(codes): tuple(row)
            for codes, row in zip(model.codes(DIGITS).tolist(), model(DIGITS).tolist(), strict=True)
        }
    assert len(drawn) == len(set(drawn.values()))


@pytest.mark.parametrize(("n_codes", "n_parts", "bits"), [(32, 4, 20.0), (256, 1, 8.0), (3, 2, 2 * math.log2(3))])
def test_bits_count_what_the_codes_can_tell_apart(n_codes, n_parts, bits):
    assert coder(n_codes=n_codes, n_parts=n_parts).bits == pytest.approx(bits)


def test_a_codebook_from_data_is_made_of_different_latent_vectors():
    model = coder()
    model.start_from(DIGITS, rng=3)
    distances, _ = KDTree(model.latents(DIGITS).detach().flatten(0, 1).numpy()).query(model.codebook.detach())
    np.testing.assert_allclose(distances, 0, atol=1e-12)
    assert len(model.codes(DIGITS).unique()) == 11


@pytest.mark.parametrize("width", [2, 3])
def test_linear_maps_end_with_the_loss_of_principal_components(width):
    x = torch.tensor(np.random.default_rng(2).normal(size=(211, 7)) * np.geomspace(3, 0.3, 7))
    model = Autoencoder(7, width, rng=1).double()
    history = train_autoencoder(model, x, LatentPlan(epochs=500, batch_size=211, peak=0.05))
    values = torch.linalg.eigvalsh(torch.cov(x.T, correction=0))
    assert float(model.terms(x).reconstruction.detach()) == pytest.approx(float(values[:-width].sum()), rel=1e-3)
    assert history[-1].codebook == history[-1].commitment == 0


def test_training_repeats_with_a_seed_and_leaves_the_global_generator():
    plan, before = LatentPlan(epochs=2, batch_size=50), torch.random.get_rng_state()
    models = [coder(4).float() for _ in range(3)]
    for model, rng in zip(models, (5, 5, 6), strict=True):
        train_autoencoder(model, DIGITS.float(), plan, rng=rng)
    first, same, other = (model.codebook.detach() for model in models)
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_weight_of_zero_leaves_what_only_this_term_trains():
    model = coder().float()
    decoder = [p.clone() for p in model.decoder.parameters()]
    train_autoencoder(model, DIGITS.float(), LatentPlan(epochs=1, reconstruction=0.0))
    for before, after in zip(decoder, model.decoder.parameters(), strict=True):
        assert torch.equal(before, after)
    codes = coder().float()
    before = codes.codebook.detach().clone()
    train_autoencoder(codes, DIGITS.float(), LatentPlan(epochs=1, codebook=0.0, start="normal"))
    assert torch.equal(before, codes.codebook.detach())


def test_a_scaled_codebook_begins_as_wide_as_the_latent_vectors(monkeypatch):
    model, begun = coder(2).float(), []
    codes, spread = model.codebook.detach().clone(), model.latents(DIGITS.float()).std(dim=0).mean().detach()
    terms = CodeAutoencoder.terms

    def first(self, *args, **options):
        begun.append(self.codebook.detach().clone())
        return terms(self, *args, **options)

    monkeypatch.setattr(CodeAutoencoder, "terms", first)
    train_autoencoder(model, DIGITS.float(), LatentPlan(epochs=1, batch_size=211, start="scaled"))
    torch.testing.assert_close(begun[0], codes * spread)


def test_without_stop_gradients_both_penalties_pull_with_the_sum_of_their_weights():
    """No device but a choice of weights: the slopes are those of the proper loss with 1 + β for both."""
    model, beta = coder(3), 0.3
    proper, free = model.terms(DIGITS), model.terms(DIGITS, stop_gradients=False)
    trained = [*model.encoder.parameters(), model.codebook]
    found = torch.autograd.grad(free.codebook + beta * free.commitment, trained)
    wanted = torch.autograd.grad((1 + beta) * (proper.codebook + proper.commitment), trained)
    torch.testing.assert_close(found, wanted)


def test_the_rate_falls_to_zero_along_a_cosine(monkeypatch):
    rates, original = [], torch.optim.Adam.step

    def step(optimiser, *args, **options):
        rates.append(optimiser.param_groups[0]["lr"])
        return original(optimiser, *args, **options)

    monkeypatch.setattr(torch.optim.Adam, "step", step)
    train_autoencoder(coder().float(), DIGITS.float(), LatentPlan(epochs=4, batch_size=211, peak=0.01))
    np.testing.assert_allclose(rates, 0.005 * (1 + np.cos(np.pi * np.arange(4) / 4)))


def test_no_hidden_layer_is_linear():
    model = Autoencoder(7, 2)
    assert isinstance(model.encoder, nn.Linear)
    x = torch.randn(3, 7, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(model(x), functional.linear(model.encoder(x), model.decoder.weight, model.decoder.bias))


@pytest.mark.parametrize(("call", "message"), [
    (lambda: Autoencoder(0, 2), "n_inputs must be ≥ 1, got 0"),
    (lambda: Autoencoder(3, 2, hidden=0), "hidden must be ≥ 1, got 0"),
    (lambda: coder(n_codes=0), "n_codes must be ≥ 1, got 0"),
    (lambda: coder(n_parts=1.5), "n_parts must be a whole number, got 1.5"),
    (lambda: coder().terms(DIGITS[:, :9]), r"x must have shape \(n, 64\), got \(211, 9\)"),
    (lambda: coder()(DIGITS[0]), r"x must have shape \(n, 64\), got \(64,\)"),
    (lambda: coder().decode(torch.zeros(2, 4, dtype=int)), r"codes must have shape \(n, 3\), got \(2, 4\)"),
    (lambda: coder().decode(torch.tensor([[0, 11, 3]])), "codes must be from 0 to 10, got 11"),
    (lambda: coder().start_from(DIGITS[:3]), "3 rows have 9 parts, too few for 11 codes"),
    (lambda: LatentPlan(epochs=0), "epochs must be ≥ 1, got 0"),
    (lambda: LatentPlan(commitment=-1.0), "commitment must be ≥ 0, got -1.0"),
    (lambda: LatentPlan(start="zeros"), "start must be one of data, normal, scaled, got 'zeros'"),
    (lambda: train_autoencoder(coder(), DIGITS * 1e200, LatentPlan(epochs=1)), "must be finite, got .* in epoch 1"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_restart_moves_dead_codes_to_latent_vectors_and_no_other():
    model = coder()
    with torch.no_grad():
        model.codebook[4:] += 50  # nearest to nobody
    live = model.codes(DIGITS).unique()
    before = model.codebook.detach().clone()
    assert model.restart_from(DIGITS, rng=1) == 11 - len(live) >= 7
    torch.testing.assert_close(model.codebook[live], before[live])
    latents = {tuple(z) for z in model.latents(DIGITS).detach().flatten(0, 1).tolist()}
    dead = [k for k in range(11) if k not in live.tolist()]
    assert {tuple(code) for code in model.codebook[dead].tolist()} <= latents


def test_training_with_restarts_ends_with_more_live_codes():
    live = []
    for restarts in (False, True):
        model = CodeAutoencoder(64, n_codes=64, n_parts=1, width=4, hidden=16, rng=0)
        train_autoencoder(model, DIGITS.float(), LatentPlan(epochs=12, start="normal", restarts=restarts))
        live.append(len(model.codes(DIGITS.float()).unique()))
    assert live[1] > 2 * live[0]


def test_gradient_norms_are_those_of_a_backward_pass():
    model = coder()
    for term in model.terms(DIGITS):
        found = gradient_norms(model, term)
        model.zero_grad()
        term.backward(retain_graph=True)
        for part, numbers in (("encoder", model.encoder), ("decoder", model.decoder)):
            slopes = [p.grad.square().sum() for p in numbers.parameters() if p.grad is not None]
            assert found[part] == pytest.approx(math.sqrt(sum(slopes)))
        own = model.codebook.grad
        assert found["codebook"] == pytest.approx(0.0 if own is None else float(own.norm()))


def test_a_linear_auto_encoder_settles_at_the_loss_of_principal_components():
    loss = settle_autoencoder(Autoencoder(64, 3, rng=1), DIGITS.float())
    centred = DIGITS - DIGITS.mean(dim=0)
    left = torch.linalg.svdvals(centred)[3:].square().sum() / len(DIGITS)
    assert loss == pytest.approx(float(left), rel=1e-3)


def test_a_model_with_a_codebook_does_not_settle():
    with pytest.raises(ValueError, match="cannot settle: its choices have no slope"):
        settle_autoencoder(coder(), DIGITS)


def test_moving_averages_keep_sums_and_masses_as_their_source_does():
    rng = np.random.default_rng(8)
    codes, mass, decay = torch.tensor(rng.normal(size=(3, 2))), torch.ones(3, dtype=torch.float64), 0.7
    sums, counts = codes.numpy().copy(), np.ones(3)
    for _ in range(5):
        z, chosen = rng.normal(size=(11, 2)), rng.integers(0, 3, size=11)
        codes, mass = moving_averages(codes, mass, torch.tensor(z), torch.tensor(chosen), decay=decay)
        for k in range(3):  # N and m of Appendix A.1
            counts[k] = decay * counts[k] + (1 - decay) * (chosen == k).sum()
            sums[k] = decay * sums[k] + (1 - decay) * z[chosen == k].sum(axis=0)
    np.testing.assert_allclose(mass, counts)
    np.testing.assert_allclose(codes, sums / counts[:, None])


def test_without_memory_a_code_is_the_mean_of_what_chose_it_and_one_nobody_chose_stays():
    codes, z = torch.tensor([[5.0], [9.0]]), torch.tensor([[1.0], [2.0]])
    moved, mass = codes, torch.ones(2)
    for _ in range(2):
        moved, mass = moving_averages(moved, mass, z, torch.tensor([0, 0]), decay=0.0)
        assert (moved.tolist(), mass.tolist()) == ([[1.5], [9.0]], [2.0, 0.0])


def test_codes_that_are_averages_are_moved_by_them_alone(monkeypatch):
    model, still = coder().float(), lambda codes, mass, *_, **__: MovingAverages(codes, mass)
    monkeypatch.setattr(latent, "moving_averages", still)
    train_autoencoder(model, DIGITS.float(), LatentPlan(epochs=2, decay=0.9, start="normal"))
    assert torch.equal(model.codebook, coder().float().codebook)
    monkeypatch.undo()
    train_autoencoder(model, DIGITS.float(), LatentPlan(epochs=2, decay=0.9, start="normal"))
    assert not torch.equal(model.codebook, coder().float().codebook)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decay": 1.0}, "decay must be < 1, got 1.0"),
        ({"decay": -0.1}, "decay must be ≥ 0, got -0.1"),
        ({"decay": 0.9, "stop_gradients": False}, "decay 0.9, need the copy and the stop-gradients"),
        ({"decay": 0.9, "straight_through": False}, "decay 0.9, need the copy"),
    ],
)
def test_impossible_averages_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LatentPlan(**options)


def test_a_mass_for_every_code_is_asked_for():
    with pytest.raises(ValueError, match=r"must have shape \(2,\), got \(3,\)"):
        moving_averages(torch.zeros(2, 1), torch.ones(3), torch.zeros(1, 1), torch.tensor([0]), decay=0.5)
