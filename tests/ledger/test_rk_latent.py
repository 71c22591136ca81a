"""Rankine, "From linear regression to the transformer architecture": latent codes (Sec. 2), and details of Secs. 3, 5.

The quantised auto-encoder below is a small one on scikit-learn's images of digits: 64 pixels, 5 latent numbers, 17
codes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import torch
from scipy.spatial import KDTree
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from torch import nn
from torch.nn import functional

from regattn import attend, attention_weights
from regattn.transformer import CodeAutoencoder, LatentPlan, sinusoidal_positions, train_autoencoder

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

torch.set_num_threads(1)

PIXELS, WIDTH, CODES = 64, 5, 17
BETA = 0.25


def images(n=211):
    return torch.tensor(load_digits().data[:n] / 6 - 0.8)


class Quantised(nn.Module):
    """Encoder, codebook, decoder."""

    def __init__(self, seed=0):
        super().__init__()
        torch.manual_seed(seed)
        self.encoder = nn.Sequential(nn.Linear(PIXELS, 31), nn.ReLU(), nn.Linear(31, WIDTH))
        self.decoder = nn.Sequential(nn.Linear(WIDTH, 31), nn.ReLU(), nn.Linear(31, PIXELS))
        self.codebook = nn.Parameter(torch.randn(CODES, WIDTH) / 2)
        self.double()

    def forward(self, x, *, straight_through=True):
        latent = self.encoder(x)
        code = self.codebook[torch.cdist(latent, self.codebook).argmin(dim=1)]
        entering = latent + (code - latent).detach() if straight_through else code
        return Terms(
            0.5 * (x - self.decoder(entering)).square().sum(dim=1).mean(),  # −log p up to a constant: unit variance
            (latent.detach() - code).square().sum(dim=1).mean(),
            (latent - code.detach()).square().sum(dim=1).mean(),
        )

    def gradient_norms(self, loss):
        """Return the norms of the gradient on encoder, codebook and decoder."""
        self.zero_grad()
        loss.backward()
        parts = self.encoder.parameters(), [self.codebook], self.decoder.parameters()
        return [sum(float(p.grad.square().sum()) for p in part if p.grad is not None) ** 0.5 for part in parts]

    def pixel_error(self, x):
        return 2 * self(x).reconstruction.item() / PIXELS


class Terms(NamedTuple):
    """What eq. (5) adds up, with −log p for its first term."""

    reconstruction: torch.Tensor
    codebook: torch.Tensor
    commitment: torch.Tensor


def trained(sign, *, steps=30, rate=0.003):
    """Return the error per pixel before and after minimising eq. (5) with ``sign`` before its −log p."""
    model, x = Quantised(), images()
    before = model.pixel_error(x)
    optimiser = torch.optim.SGD(model.parameters(), lr=rate)
    for _ in range(steps):
        terms = model(x)
        optimiser.zero_grad()
        (sign * terms.reconstruction + terms.codebook + BETA * terms.commitment).backward()
        optimiser.step()
    return before, model.pixel_error(x)


# --- Sec. 2: auto-encoders --------------------------------------------------------------------------------------------


def linear_bottleneck(X, width):
    """Return the loss of the best linear auto-encoder of this width, and its decoder, both found by descent."""
    torch.manual_seed(1)
    down, up = nn.Linear(X.shape[1], width, bias=False).double(), nn.Linear(width, X.shape[1], bias=False).double()
    optimiser = torch.optim.LBFGS(
        [*down.parameters(), *up.parameters()], max_iter=300, tolerance_grad=1e-11, line_search_fn="strong_wolfe"
    )

    def loss():
        optimiser.zero_grad()
        value = (X - up(down(X))).square().sum(dim=1).mean()
        value.backward()
        return value

    optimiser.step(loss)
    return float(loss().detach()), up.weight.detach().numpy()


@pytest.fixture(scope="module")
def cloud():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(101, 7)) @ np.diag(np.geomspace(3, 0.3, 7)) @ np.linalg.qr(rng.normal(size=(7, 7)))[0]
    return X - X.mean(axis=0)


def test_rk_2a_linear_bottlenecks_find_the_plane_of_principal_components(cloud):
    loss, decoder = linear_bottleneck(torch.tensor(cloud), 3)
    pca = PCA(n_components=7).fit(cloud)
    assert loss == pytest.approx(pca.explained_variance_[3:].sum() * 100 / 101, rel=1e-7)
    basis, _ = np.linalg.qr(decoder)
    cosines = np.linalg.svd(basis.T @ pca.components_[:3].T, compute_uv=False)
    np.testing.assert_allclose(cosines, 1, atol=1e-6)


def test_rk_2a_latent_spaces_as_wide_as_the_data_are_no_bottleneck(cloud):
    loss, _ = linear_bottleneck(torch.tensor(cloud), 7)
    assert loss < 1e-8 * np.square(cloud).sum(axis=1).mean()


def one_hot_posterior(latent, codebook):
    """Return q of eq. (4), entry by entry as it is printed."""
    distance = np.array([[np.linalg.norm(z - e) for e in codebook] for z in latent])
    return (distance == distance.min(axis=1, keepdims=True)).astype(float)


def test_rk_04_the_posterior_is_one_hot_on_the_nearest_code():
    rng = np.random.default_rng(3)
    latent, codebook = rng.normal(size=(61, WIDTH)), rng.normal(size=(CODES, WIDTH))
    q = one_hot_posterior(latent, codebook)
    np.testing.assert_array_equal(q.sum(axis=1), 1)
    np.testing.assert_array_equal(q @ codebook, codebook[KDTree(codebook).query(latent)[1]])
    far = np.eye(CODES)[[max(range(CODES), key=lambda k: np.linalg.norm(z - codebook[k])) for z in latent]]
    assert np.linalg.norm(far @ codebook - latent) > np.linalg.norm(q @ codebook - latent)


def test_rk_04_only_a_point_halfway_between_two_codes_has_two_nearest():
    codebook = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 5.0]])
    assert one_hot_posterior([[1.0, 0.0]], codebook).sum() == 2
    assert one_hot_posterior([[1.0 + 1e-9, 0.0]], codebook).sum() == 1


def test_rk_04_the_posterior_is_attention_with_the_nearest_kernel():
    rng = np.random.default_rng(13)
    latent, codebook = rng.normal(size=(61, WIDTH)), rng.normal(size=(CODES, WIDTH))
    weights = attention_weights(latent, codebook, kernel="nearest")
    np.testing.assert_array_equal(weights, one_hot_posterior(latent, codebook))


def test_rk_2_1a_the_decoder_sees_the_input_only_through_its_code():
    model, x = Quantised(), images()
    with torch.no_grad():
        latent = model.encoder(x)
        code = torch.cdist(latent, model.codebook).argmin(dim=1)
        output = model.decoder(model.codebook[code])
    assert 1 < len(code.unique()) <= CODES
    first = {int(k): output[code == k][0] for k in code.unique()}
    torch.testing.assert_close(output, torch.stack([first[int(k)] for k in code]))  # one output per code
    own = latent - latent[0]
    assert (own[1:].abs().amax(dim=1) > 1e-6).all()  # although no two images share a latent vector with the first


# --- Sec. 2.2: eq. (5) ------------------------------------------------------------------------------------------------


def test_rk_05a_minimising_the_loss_as_printed_destroys_the_reconstruction():
    before, after = trained(-1)
    assert after > 10 * before


def test_rk_05a_with_a_minus_before_log_p_the_reconstruction_improves():
    before, after = trained(+1)
    assert after < 0.85 * before


def test_rk_05b_stop_gradient_has_the_value_of_its_argument_and_no_derivative():
    x = torch.tensor(3.0, requires_grad=True)
    stopped = (x.detach() - 1) ** 2
    assert stopped == 4
    assert not stopped.requires_grad
    (plain,) = torch.autograd.grad((x - 1) ** 2, x)
    (mixed,) = torch.autograd.grad((x.detach() - 1) ** 2 + x, x)
    assert (plain, mixed) == (4, 1)


def test_rk_05b_stop_gradient_is_not_a_constant():
    values = {float((torch.tensor(x).detach() - 1) ** 2) for x in (3.0, 4.0, 6.0)}
    assert values == {4.0, 9.0, 25.0}


def test_rk_05c_the_penalties_measure_a_distance_and_not_a_norm():
    rng = np.random.default_rng(4)
    latent, codes = rng.normal(size=(2, 61, WIDTH))
    penalty, norm = (lambda z, e: np.square(z - e).sum(axis=1).mean()), (lambda z: np.linalg.norm(z, axis=1).mean())
    assert norm(latent + 1000) > 900 * norm(latent)
    assert penalty(latent + 1000, codes + 1000) == pytest.approx(penalty(latent, codes), rel=1e-9)


def test_rk_05c_gradients_grow_without_bound_while_both_penalties_are_zero():
    model, x, norms = Quantised(), images(), []
    for scale in (10.0, 100.0, 1000.0):
        codes = model.codebook.detach()[torch.arange(len(x)) % CODES] * scale  # the latent *is* its code
        terms = Terms(0.5 * (x - model.decoder(codes)).square().sum(dim=1).mean(), *[(codes - codes).sum()] * 2)
        assert terms.codebook == terms.commitment == 0
        norms.append(model.gradient_norms(terms.reconstruction)[2])
    assert norms[1] > 30 * norms[0]
    assert norms[2] == pytest.approx(100 * norms[1], rel=0.1)  # quadratic in the scale


@pytest.mark.parametrize(
    ("term", "reached"),
    [("reconstruction", (True, False, True)), ("codebook", (False, True, False)), ("commitment", (True, False, False))],
)
def test_rk_05d_each_term_trains_these_of_encoder_codebook_decoder(term, reached):
    model = Quantised()
    norms = model.gradient_norms(getattr(model(images()), term))
    assert tuple(norm > 0 for norm in norms) == reached


@pytest.mark.parametrize("seed", range(3))
def test_rk_05d_the_same_zeros_with_four_codes_for_an_image(seed):
    model, x = CodeAutoencoder(PIXELS, n_codes=CODES, n_parts=4, width=WIDTH, hidden=31, rng=seed).double(), images()
    parts = [*model.encoder.parameters()], [model.codebook], [*model.decoder.parameters()]
    options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
    reached = [
        [any(slope.any() for slope in torch.autograd.grad(term, part, **options)) for part in parts]
        for term in model.terms(x)
    ]
    assert reached == [[True, False, True], [False, True, False], [True, False, False]]


def test_rk_05e_without_the_straight_through_copy_the_encoder_learns_nothing_from_the_reconstruction():
    model = Quantised()
    encoder, codebook, decoder = model.gradient_norms(model(images(), straight_through=False).reconstruction)
    assert encoder == 0
    assert codebook > 0
    assert decoder > 0


def test_rk_05e_the_straight_through_copy_does_not_change_the_value():
    model = Quantised()
    with_copy, without = (model(images(), straight_through=copy).reconstruction for copy in (True, False))
    torch.testing.assert_close(with_copy, without)


def test_rk_2_3_without_the_reconstruction_term_a_constant_code_is_optimal():
    model, x = Quantised(), images()
    with torch.no_grad():
        model.encoder[2].weight.zero_()
        model.codebook[3] = model.encoder[2].bias  # every image gets code 3
    terms = model(x)
    assert terms.codebook == terms.commitment == 0
    assert model.gradient_norms(terms.codebook + BETA * terms.commitment) == [0, 0, 0]
    assert model.pixel_error(x) > 1  # and the optimum knows nothing of the images


@pytest.mark.parametrize("seed", range(3))
def test_rk_2_3_the_latent_objective_alone_draws_latent_vectors_and_codes_together(seed):
    x = images(400).float()
    spread = {}
    for weight in (0.0, 1.0):
        model = CodeAutoencoder(PIXELS, n_codes=CODES, n_parts=2, width=WIDTH, hidden=31, rng=seed)
        model.start_from(x, rng=seed)
        before = model.latents(x).std(dim=0).mean()
        plan = LatentPlan(epochs=60, reconstruction=weight)
        terms = train_autoencoder(model, x, plan, rng=seed)
        after = model.latents(x).std(dim=0).mean()
        spread[weight] = (after / before).item(), terms[-1].codebook / terms[0].codebook
    assert spread[0.0][0] < 0.5
    assert spread[0.0][1] < 0.3  # the penalties are content
    assert spread[1.0][0] > 1.0


@pytest.mark.parametrize("weight", [0, 1])
def test_rk_2_3_without_the_reconstruction_term_training_shrinks_the_latent_space(weight):
    model, x = Quantised(), images()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.02)
    spread, error = [], []
    for step in range(151):
        terms = model(x)
        if step in (0, 150):
            spread.append(model.encoder(x).std(dim=0).mean().item())
            error.append(model.pixel_error(x))
        optimiser.zero_grad()
        (weight * terms.reconstruction + terms.codebook + BETA * terms.commitment).backward()
        optimiser.step()
    if weight:
        assert spread[1] > 5 * spread[0]
        assert error[1] < 0.5 * error[0]
    else:
        assert spread[1] < 0.9 * spread[0]
        assert error[1] == pytest.approx(error[0], rel=0.01)  # nothing was learned about the images


# --- Secs. 3 and 3.1: what sees what, and what forgets the order ------------------------------------------------------


def encoders(rng):
    """Return four encoders of windows of shape (5, 4), by name."""
    torch.manual_seed(10)
    dense, recurrent = rng.normal(size=(20, 20)), nn.GRU(4, 4, batch_first=True, dtype=torch.float64)
    return {
        "dense": lambda x: np.tanh(dense @ x.ravel()).reshape(5, 4),
        "recurrent": lambda x: recurrent(torch.tensor(x)[None])[0][0].detach().numpy(),
        "masked attention": lambda x: attend(x, x, x, mask="causal"),
        "attention": lambda x: attend(x, x, x),
    }


@pytest.mark.parametrize("name", ["dense", "recurrent", "masked attention", "attention"])
def test_rk_3_1a_only_unmasked_attention_forgets_the_order(name):
    rng = np.random.default_rng(11)
    encode, x, order = encoders(rng)[name], rng.normal(size=(5, 4)), [3, 0, 4, 1, 2]
    moved = np.abs(encode(x[order]) - encode(x)[order]).max()
    if name == "attention":
        assert moved < 1e-14
    else:
        assert moved > 0.05


@pytest.mark.parametrize(("mask", "later"), [(None, True), ("causal", False)], ids=["encoder", "decoder"])
def test_rk_3a_decoders_listen_to_earlier_values_and_encoders_to_later_ones_too(mask, later):
    x = torch.randn((7, 4), generator=torch.Generator().manual_seed(12), dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(attend(x, x, x, mask=mask)[3].sum(), x)
    heard = (gradient.abs().sum(dim=1) > 0).tolist()
    assert heard == [True] * 4 + [later] * 3


# --- Sec. 3.1: sines and cosines --------------------------------------------------------------------------------------


def printed_positions(positions, width, *, base=10_000.0):
    """Return eqs. (6) and (7) as they are printed: the cosine's exponent is (2i + 1)/D."""
    return np.array(
        [[np.cos(p / base ** (j / width)) if j % 2 else np.sin(p / base ** (j / width)) for j in range(width)]
         for p in positions]
    )  # fmt: skip


@pytest.fixture(scope="module")
def printed():
    return printed_positions(range(211), 64)


@pytest.fixture(scope="module")
def corrected():
    return sinusoidal_positions(range(211), 64)


def shift_residual(P, lag):
    """Return what the best linear map from the row of p to the row of p + lag leaves over."""
    return P[lag:] - P[:-lag] @ np.linalg.lstsq(P[:-lag], P[lag:], rcond=1e-13)[0]


def test_rk_06_the_argument_is_the_place_not_the_value_that_stands_there():
    series = [3.0, 7.0, 3.0]
    by_value, by_place = printed_positions(series, 16), printed_positions(range(3), 16)
    np.testing.assert_array_equal(by_value[0], by_value[2])  # places 0 and 2 look the same
    assert np.abs(by_place[0] - by_place[2]).max() > 0.5


@pytest.mark.parametrize("lag", [1, 3, 40])
def test_rk_07a_no_linear_map_makes_the_shift_of_the_printed_rows_whatever_the_lag(printed, corrected, lag):
    assert np.abs(shift_residual(printed, lag)).max() > 0.1
    assert np.abs(shift_residual(corrected, lag)).max() < 1e-11


def test_rk_07a_the_product_of_two_rows_depends_on_distance_only_after_the_correction(printed, corrected):
    right, wrong = (np.diagonal(P @ P.T, 5) for P in (corrected, printed))
    frequencies = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    np.testing.assert_allclose(right, np.cos(5 * frequencies).sum(), rtol=1e-12)
    assert right.mean() == pytest.approx(23.504, abs=5e-4)
    assert wrong.std() > 1


@pytest.mark.parametrize(("width", "slip"), [(64, 12), (512, 88)])
def test_rk_07a_the_fastest_pair_slips_by_a_quarter_turn_after_this_many_positions(width, slip):
    behind = 1 - 10_000.0 ** (-1 / width)  # radians per position between the sine and its printed cosine
    assert round(np.pi / 2 / behind) == slip


# --- Sec. 3.2: learned positions and padding --------------------------------------------------------------------------


def test_rk_3_2a_the_matrix_times_the_raw_values_looks_up_nothing():
    rng = np.random.default_rng(5)
    W, values = rng.normal(size=(13, 7)), rng.normal(size=13)
    np.testing.assert_allclose(W.T @ values, sum(v * row for v, row in zip(values, W, strict=True)))
    assert np.abs(W - W.T @ values).max(axis=1).min() > 0.1  # a mixture of all rows and none of them


def test_rk_3_2c_tables_of_n_rows_have_no_row_n():
    table = nn.Embedding(13, 8)
    assert table(torch.tensor([12])).shape == (1, 8)
    with pytest.raises(IndexError, match="out of range"):
        table(torch.tensor([13]))
    assert np.isfinite(sinusoidal_positions([13, 10_000], 8)).all()


def test_rk_3_2d_zero_keys_have_the_weight_of_a_score_of_zero():
    rng = np.random.default_rng(6)
    X = np.vstack([rng.normal(size=(3, 16)), np.zeros((5, 16))])
    W_Q, W_K = rng.normal(size=(2, 16, 16)) / 4
    scores = X[:3] @ W_Q @ (X[:3] @ W_K).T / 4
    expected = 1 / (5 + np.exp(scores).sum(axis=1))
    np.testing.assert_allclose(attention_weights(X[:3] @ W_Q, X @ W_K)[:, 3:], np.repeat(expected[:, None], 5, axis=1))


# --- Sec. 5: the loss and the reference architecture ------------------------------------------------------------------


def test_rk_5b_for_real_valued_targets_squared_error_is_the_gaussian_likelihood():
    rng = np.random.default_rng(8)
    y, fitted = torch.tensor(rng.normal(size=(2, 17)))
    likelihood = torch.distributions.Normal(fitted, 1.0).log_prob(y).mean()
    half = 0.5 * functional.mse_loss(fitted, y)
    assert float(half - (-likelihood)) == pytest.approx(-0.5 * np.log(2 * np.pi))


@pytest.fixture(scope="module")
def reference():
    return nn.Transformer(d_model=16, nhead=2, dim_feedforward=8, batch_first=True)  # all but the widths as published


def test_rk_5d_the_original_has_six_layers_on_each_side_and_cross_attention_in_the_decoder(reference):
    assert len(reference.encoder.layers) == len(reference.decoder.layers) == 6
    attentions = [
        sum(isinstance(m, nn.MultiheadAttention) for m in side.layers[0].modules())
        for side in (reference.encoder, reference.decoder)
    ]
    assert attentions == [1, 2]


def test_rk_5d_the_original_normalises_after_every_sublayer(reference):
    norms = [
        sum(isinstance(m, nn.LayerNorm) for m in side.layers[0].modules())
        for side in (reference.encoder, reference.decoder)
    ]
    assert norms == [2, 3]


def test_rk_5d_without_the_mask_that_eq_9_leaves_out_the_past_sees_the_future():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(7, 8))
    edited = X.copy()
    edited[-1] += 1
    assert np.abs((attend(edited, edited, edited) - attend(X, X, X))[:-1]).max() > 0.01
    masked = attend(edited, edited, edited, mask="causal") - attend(X, X, X, mask="causal")
    np.testing.assert_array_equal(masked[:-1], 0)
