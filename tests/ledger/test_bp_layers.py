"""The post "From Linear Regression to Transformers": multilayer perceptrons and convolutional networks.

Also what it says of encoders, decoders and the value matrix. Its basics and its transformer have their own files.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar
from scipy.signal import convolve2d, correlate2d
from scipy.special import expit, softmax
from torch import nn
from torch.nn import functional

from regattn import attend, attention_weights

torch.set_num_threads(1)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


# --- Multilayer perceptrons -------------------------------------------------------------------------------------------


def perceptron(x, layers, activation):
    """Return z_l, computed as the post writes it: z_0 = W_0 x + b_0, h_k = σ(z_k), z_k = W_k h_{k−1} + b_k."""
    z = layers[0][0] @ x + layers[0][1]
    for W, b in layers[1:]:
        z = W @ activation(z) + b
    return z


def random_layers(rng, widths):
    return [(rng.normal(size=(out, into)), rng.normal(size=out)) for into, out in pairwise(widths)]


def test_bp_m1_l_plus_one_layers_are_torch_linear_layers_with_activations_between(rng):
    layers, x = random_layers(rng, [5, 7, 3, 2]), rng.normal(size=5)
    modules = [nn.Linear(W.shape[1], W.shape[0], dtype=torch.float64) for W, _ in layers]
    for module, (W, b) in zip(modules, layers, strict=True):
        module.weight.data, module.bias.data = torch.tensor(W), torch.tensor(b)
    network = nn.Sequential(modules[0], nn.Tanh(), modules[1], nn.Tanh(), modules[2])
    with torch.no_grad():
        np.testing.assert_allclose(perceptron(x, layers, np.tanh), network(torch.tensor(x)), rtol=1e-12)


@pytest.mark.parametrize(
    ("activation", "span", "caps"),
    [(expit, 1, {2: 0.731, 10: 0.232, 1000: 0.0027}), (np.tanh, 2, {2: 0.881, 10: 0.451, 1000: 0.0073})],
    ids=["sigmoid", "tanh"],
)
def test_bp_m2_an_activation_after_the_last_layer_caps_the_probabilities(activation, span, caps):
    for classes, cap in caps.items():
        z = np.full(classes, -1000.0)
        z[0] = 1000.0  # as sure as a network can be
        assert softmax(activation(z))[0] == pytest.approx(cap, abs=5e-4 if classes < 1000 else 5e-5)
        assert softmax(activation(z))[0] == pytest.approx(np.e**span / (np.e**span + classes - 1))
        assert softmax(z)[0] == 1


def test_bp_m2_no_network_reaches_beyond_the_cap(rng):
    largest = 0.0
    for _ in range(500):
        layers = random_layers(rng, [5, 7, 10])
        largest = max(largest, softmax(expit(perceptron(10 * rng.normal(size=5), layers, np.tanh))).max())
    assert 0.2 < largest <= np.e / (np.e + 9)


@pytest.mark.parametrize(
    ("activation", "place", "value"), [(functional.gelu, -0.752, -0.170), (functional.silu, -1.278, -0.278)]
)
def test_bp_m3_gelu_and_silu_fall_before_they_rise(activation, place, value):
    lowest = minimize_scalar(
        lambda x: activation(torch.tensor(x, dtype=torch.float64)).item(), bounds=(-3, 0), method="bounded"
    )
    assert lowest.x == pytest.approx(place, abs=5e-4)
    assert lowest.fun == pytest.approx(value, abs=5e-4)
    assert activation(torch.tensor(-9.0)).item() > lowest.fun


def test_bp_m3_leaky_relu_is_monotone():
    grid = torch.linspace(-9, 9, 1801, dtype=torch.float64, requires_grad=True)
    outputs = functional.leaky_relu(grid)
    (slopes,) = torch.autograd.grad(outputs.sum(), grid)
    assert (outputs.diff() > 0).all()
    assert slopes.min() == pytest.approx(0.01)


def test_bp_m4_dropout_removes_connections_in_training_only(rng):
    x = torch.ones(1, 1009)
    dropout = nn.Dropout(0.3)
    torch.manual_seed(1)
    first, second = dropout(x), dropout(x)
    assert (first != second).any()
    assert (first == 0).float().mean() == pytest.approx(0.3, abs=0.05)
    dropout.eval()
    torch.testing.assert_close(dropout(x), x)


def test_bp_m4_what_survives_in_training_is_enlarged_so_that_the_mean_is_right():
    dropout = nn.Dropout(0.3)
    torch.manual_seed(2)
    outputs = dropout(torch.ones(100_003))
    torch.testing.assert_close(outputs.unique(), torch.tensor([0, 1 / 0.7]))
    assert outputs.mean() == pytest.approx(1, abs=0.01)  # four standard errors are 0.008


# --- Convolutional networks -------------------------------------------------------------------------------------------


@pytest.fixture
def image(rng):
    return rng.normal(size=(6, 7))


@pytest.fixture
def kernel(rng):
    return rng.normal(size=(3, 2))


def feature_map(x, f, *, last=-1):
    """Return φ by its double sum, m and n from 0 to k + ``last``; as printed the last term has m = k_h, n = k_w."""
    rows, columns = f.shape
    phi = np.empty((x.shape[0] - rows + 1, x.shape[1] - columns + 1))
    for i, j in np.ndindex(phi.shape):
        phi[i, j] = sum(x[i + m, j + n] * f[m, n] for m in range(rows + last + 1) for n in range(columns + last + 1))
    return phi


def by_torch(x, f, **options):
    return functional.conv2d(torch.tensor(x)[None, None], torch.tensor(f)[None, None], **options)[0, 0].numpy()


def test_bp_c1_the_printed_limits_run_off_the_kernel(image, kernel):
    with pytest.raises(IndexError, match="out of bounds"):
        feature_map(image, kernel, last=0)


def test_bp_c1_with_limits_one_lower_the_sum_is_what_torch_computes(image, kernel):
    np.testing.assert_allclose(feature_map(image, kernel), by_torch(image, kernel), atol=1e-13)
    np.testing.assert_allclose(feature_map(image, kernel), correlate2d(image, kernel, mode="valid"), atol=1e-13)


def test_bp_c2_it_is_a_cross_correlation_and_a_convolution_of_the_flipped_kernel(image, kernel):
    phi = feature_map(image, kernel)
    assert np.abs(phi - convolve2d(image, kernel, mode="valid")).max() > 1
    np.testing.assert_allclose(phi, convolve2d(image, kernel[::-1, ::-1], mode="valid"), atol=1e-13)


def test_bp_c2_the_flip_does_not_matter_when_the_kernel_is_learned(image, kernel):
    target = convolve2d(image, kernel, mode="valid").ravel()
    patches = np.lib.stride_tricks.sliding_window_view(image, (3, 2)).reshape(24, 6)
    learned, misfit, *_ = np.linalg.lstsq(patches, target)
    assert misfit.item() < 1e-20
    np.testing.assert_allclose(learned.reshape(3, 2), kernel[::-1, ::-1], atol=1e-12)


def test_bp_c3_zero_padding_has_two_meanings_and_two_shapes(image, kernel):
    assert by_torch(image, kernel, padding="valid").shape == feature_map(image, kernel).shape == (4, 6)
    surrounded = np.pad(image, [(1, 1), (0, 1)])  # by zeros, so that the shape stays
    assert feature_map(surrounded, kernel).shape == image.shape == (6, 7)
    np.testing.assert_allclose(
        feature_map(surrounded, kernel), correlate2d(image, kernel, "full")[1:-1, 1:], atol=1e-13
    )


def test_bp_c3_the_indices_end_at_height_and_width_minus_those_of_the_kernel(image, kernel):
    phi = feature_map(image, kernel)
    assert tuple(np.array(phi.shape) - 1) == (6 - 3, 7 - 2)  # the last i and j
    assert phi[3, 5] == pytest.approx((image[3:6, 5:7] * kernel).sum())
    with pytest.raises(ValueError, match="broadcast"):
        image[4:7, 5:7] * kernel


def test_bp_c4_the_product_is_entry_by_entry_and_not_of_matrices(image, kernel):
    patch = image[:3, :2]
    assert (patch * kernel).sum() == pytest.approx(feature_map(image, kernel)[0, 0])
    assert abs((patch.T @ kernel).sum() - feature_map(image, kernel)[0, 0]) > 0.1


def test_bp_c4_several_channels_are_summed(rng):
    x, f = rng.normal(size=(3, 6, 7)), rng.normal(size=(3, 3, 2))
    together = functional.conv2d(torch.tensor(x)[None], torch.tensor(f)[None])[0, 0].numpy()
    np.testing.assert_allclose(together, sum(map(feature_map, x, f)), atol=1e-13)
    assert np.abs(together - feature_map(x[0], f[0])).max() > 0.1


def test_bp_c5_bias_activation_and_pooling_follow(image, kernel):
    phi = feature_map(image, kernel)
    rectified = np.maximum(phi + 0.5, 0)
    pooled = rectified.reshape(2, 2, 3, 2).max(axis=(1, 3))
    convolution = nn.Conv2d(1, 1, (3, 2), dtype=torch.float64)
    convolution.weight.data, convolution.bias.data = torch.tensor(kernel)[None, None], torch.tensor([0.5]).double()
    network = nn.Sequential(convolution, nn.ReLU(), nn.MaxPool2d(2))
    assert pooled.shape == (2, 3)
    np.testing.assert_allclose(network(torch.tensor(image)[None]).detach()[0], pooled, atol=1e-13)


def test_bp_c6_the_feature_maps_have_an_order_and_a_set_has_none(rng):
    F = [rng.normal(size=(2, 3)).ravel() for _ in range(2)]
    W = rng.normal(size=(4, 12))
    assert np.abs(W @ np.concatenate(F) - W @ np.concatenate(F[::-1])).max() > 0.1


# --- Transformer: the value matrix and the two halves -----------------------------------------------------------------


def test_bp_t6_weights_say_how_much_and_values_what(rng):
    x, W_Q, W_K = rng.normal(size=(5, 6)), rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    weights = attention_weights(x @ W_Q, x @ W_K)
    for W_V in rng.normal(size=(3, 6, 2)):  # whatever the value matrix, the shares of the tokens are the same
        np.testing.assert_allclose(attend(x @ W_Q, x @ W_K, x @ W_V), weights @ x @ W_V, atol=1e-13)
    np.testing.assert_allclose(attend(x @ W_Q, x @ W_K, np.eye(5)), weights, atol=1e-15)


def test_bp_t13_a_mask_alone_turns_an_encoder_layer_into_that_of_a_decoder_only_model(rng):
    torch.manual_seed(3)
    layer = nn.TransformerEncoderLayer(8, 2, 13, dropout=0.0, batch_first=True)
    x = torch.tensor(rng.normal(size=(1, 5, 8)), dtype=torch.float32)
    edited = x.clone()
    edited[:, -1] += 1
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    assert (layer(edited) - layer(x))[:, :-1].abs().max() > 0.01
    torch.testing.assert_close(layer(edited, src_mask=mask)[:, :-1], layer(x, src_mask=mask)[:, :-1])


def test_bp_t13_the_decoder_of_two_halves_also_has_cross_attention(rng):
    torch.manual_seed(4)
    encoder, decoder = nn.TransformerEncoderLayer(8, 2, 13), nn.TransformerDecoderLayer(8, 2, 13, dropout=0.0)
    extra = {name for name, _ in decoder.named_parameters()} - {name for name, _ in encoder.named_parameters()}
    assert {name.split(".")[0] for name in extra} == {"multihead_attn", "norm3"}
    x, memory = torch.randn(5, 1, 8), torch.randn(7, 1, 8)
    assert (decoder(x, memory + 1) - decoder(x, memory)).abs().max() > 0.01  # it listens to another sequence
