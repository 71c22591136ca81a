"""Networks, reliability and convolution as a matrix: against torch, scikit-learn, statsmodels and slow loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
import torch
from scipy.signal import correlate2d
from scipy.stats import binom
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from torch.nn import functional

from regattn._activations import ACTIVATIONS
from regattn.regression import (
    batches,
    convolution_matrix,
    make_network,
    network_descent,
    numerical_gradient,
    reliability,
)
from regattn.regression.classification import Network

torch.set_num_threads(1)
N, P = 23, 3
TORCH = {
    "tanh": torch.tanh,
    "relu": functional.relu,
    "leaky_relu": functional.leaky_relu,
    "gelu": functional.gelu,
    "silu": functional.silu,
    "identity": lambda z: z,
}
every_activation = pytest.mark.parametrize("activation", list(ACTIVATIONS))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(N, P))
    return X, (rng.uniform(size=N) < 1 / (1 + np.exp(-X @ [1.5, -1.0, 0.5]))).astype(int)


def torch_logits(layers, activation, X):
    h = torch.as_tensor(X)
    for k, (W, b) in enumerate(layers):
        h = functional.linear(TORCH[activation](h) if k else h, W, b)
    return h[:, 0]


def as_leaves(network):
    return [tuple(torch.tensor(part, requires_grad=True) for part in layer) for layer in network.layers]


@every_activation
@pytest.mark.parametrize("hidden", [(), (5,), (5, 2)])
def test_logits_loss_and_gradient_are_torchs(problem, rng, activation, hidden):
    X, y = problem
    network = make_network((P, *hidden), activation=activation, rng=rng)
    network = network.at(network.parameters + 0.3 * rng.normal(size=len(network.parameters)))  # biases as well
    leaves = as_leaves(network)
    z = torch_logits(leaves, activation, X)
    loss = functional.binary_cross_entropy_with_logits(z, torch.tensor(y, dtype=torch.float64))
    loss.backward()
    slopes = np.concatenate([part.grad.numpy().ravel() for layer in leaves for part in layer])
    np.testing.assert_allclose(network.logits(X), z.detach(), rtol=1e-12, atol=1e-14)
    assert network.loss(X, y) == pytest.approx(loss.item(), rel=1e-13)
    np.testing.assert_allclose(network.gradient(X, y), slopes, rtol=1e-10, atol=1e-14)


def test_the_gradient_passes_the_finite_difference_check(problem, rng):
    X, y = problem
    network = make_network((P, 5, 2), activation="silu", rng=rng)
    nudged = numerical_gradient(lambda theta: network.at(theta).loss(X, y), network.parameters)
    np.testing.assert_allclose(network.gradient(X, y), nudged, rtol=1e-5, atol=1e-9)  # differences keep 1e-10


def test_probabilities_and_hidden_units_are_the_layers_one_after_another(problem, rng):
    X, _ = problem
    network = make_network((P, 5, 2), rng=rng)
    (W0, b0), (W1, b1), (W2, b2) = network.layers
    first, second = network.hidden(X)
    np.testing.assert_allclose(first, np.tanh(X @ W0.T + b0), rtol=1e-13)
    np.testing.assert_allclose(second, np.tanh(first @ W1.T + b1), rtol=1e-13)
    np.testing.assert_allclose(network.probabilities(X), 1 / (1 + np.exp(-(second @ W2.T + b2)[:, 0])), rtol=1e-12)


def test_a_sure_mistake_costs_its_logit_and_nothing_overflows():
    network = Network((([[1.0]], [0.0]),))
    assert network.loss([[900.0]], [0]) == 900
    assert network.loss([[900.0]], [1]) == 0
    np.testing.assert_array_equal(network.gradient([[900.0]], [0]), [900, 1])


def test_without_a_hidden_layer_descent_ends_at_the_logistic_regression_of_others(problem):
    X, y = problem
    start = make_network((P,), draws=[0.5] * P)  # 0.5 is a weight of zero
    assert (start.parameters == 0).all()
    end = network_descent(start, X, y, learning_rate=1.0, steps=3000).parameters[-1]
    statsmodels = sm.Logit(y, sm.add_constant(X)).fit(disp=0).params
    scikit = LogisticRegression(C=np.inf, tol=1e-10, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(end[[P, *range(P)]], statsmodels, rtol=1e-6)
    np.testing.assert_allclose(end[:P], scikit.coef_[0], rtol=1e-4)  # its solver's tolerance
    assert start.at(end).loss(X, y) == pytest.approx(log_loss(y, scikit.predict_proba(X)), rel=1e-8)


@every_activation
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_descent_takes_the_steps_of_torchs_sgd(problem, rng, activation, decay):
    X, y = problem
    start = make_network((P, 5, 2), activation=activation, rng=rng)
    path = network_descent(start, X, y, learning_rate=0.3, steps=29, weight_decay=decay)
    leaves = as_leaves(start)
    groups = [{"params": [W for W, _ in leaves], "weight_decay": decay}, {"params": [b for _, b in leaves]}]
    optimiser, losses = torch.optim.SGD(groups, lr=0.3), []
    for _ in range(30):
        optimiser.zero_grad()
        z = torch_logits(leaves, activation, X)
        loss = functional.binary_cross_entropy_with_logits(z, torch.tensor(y, dtype=torch.float64))
        loss.backward()
        losses.append(loss.item())
        if len(losses) < 30:
            optimiser.step()
    np.testing.assert_allclose(path.losses, losses, rtol=1e-9)
    end = np.concatenate([part.detach().numpy().ravel() for layer in leaves for part in layer])
    np.testing.assert_allclose(path.parameters[-1], end, rtol=1e-8, atol=1e-10)


def test_a_batch_step_is_the_step_on_those_rows_alone(problem, rng):
    X, y = problem
    start = make_network((P, 5), rng=rng)
    rows = list(batches(N, batch_size=7, steps=11, rng=rng))
    path = network_descent(start, X, y, learning_rate=0.3, batches=rows)
    for k, chosen in enumerate(rows):
        here = start.at(path.parameters[k])
        np.testing.assert_allclose(path.parameters[k + 1], here.parameters - 0.3 * here.gradient(X[chosen], y[chosen]))
        assert path.losses[k] == pytest.approx(here.loss(X, y))


def test_a_step_that_is_too_long_is_a_result_that_says_where(problem, rng):
    X, y = problem
    path = network_descent(
        make_network((P, 5, 2), activation="relu", rng=rng), X, y, learning_rate=1e6, steps=300, weight_decay=0.1
    )
    assert path.diverged_at == len(path.losses) < 10
    assert np.isfinite(path.parameters).all()
    assert np.isfinite(path.losses).all()
    assert f"step {path.diverged_at} would have taken the loss\nbeyond 1e+12 times its start" in path.message
    assert path.message.endswith("Take a smaller learning rate.")


def test_a_descent_that_ends_says_where_its_loss_stands(problem, rng):
    X, y = problem
    path = network_descent(make_network((P, 2), rng=rng), X, y, learning_rate=0.1, steps=13)
    start, end = path.losses[[0, -1]]
    assert path.message == f"After 13 steps the loss is {end:.6g}; at the start it was {start:.6g}."


def test_a_stack_without_activation_is_one_linear_layer(problem, rng):
    X, _ = problem
    network = make_network((P, 5, 2), activation="identity", rng=rng)
    (W0, b0), (W1, b1), (W2, b2) = network.layers
    np.testing.assert_allclose(network.logits(X), X @ (W2 @ W1 @ W0)[0] + (W2 @ (W1 @ b0 + b1) + b2)[0], rtol=1e-12)


@every_activation
def test_a_new_network_keeps_the_size_of_its_signal(activation):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(199, 300))
    last = make_network((300, 300, 300, 300), activation=activation, rng=rng).hidden(X)[-1]
    assert 0.3 < np.sqrt((last**2).mean()) < 1.3


def test_weights_start_inside_their_reach_and_biases_at_zero():
    network = make_network((400, 7), activation="relu", rng=np.random.default_rng(0))
    W, b = network.layers[0]
    assert np.abs(W).max() == pytest.approx(math.sqrt(6 / 400), rel=0.01)
    assert W.var() == pytest.approx(2 / 400, rel=0.05)
    assert (b == 0).all()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Network(()), "at least one layer"),
        (lambda: Network((([[1.0]], [0.0]),), "sine"), "activation must be one of tanh, .*, got 'sine'"),
        (lambda: Network((([[1.0]], [0.0, 1.0]),)), "1 rows of weights but 2 biases"),
        (lambda: Network((([[1.0], [2.0]], [0.0, 1.0]),)), "1 output, got 2"),
        (lambda: Network((([[1.0]], [0.0]), ([[1.0, 2.0]], [0.0]))), "layer 1 takes 2 inputs but layer 0 has 1"),
        (lambda: make_network((), rng=np.random.default_rng(0)), "got none"),
        (lambda: make_network((2, 3), draws=[0.5] * 5), "draws ends after 5 of the 6 weights of a layer"),
        (lambda: make_network((2, 0), rng=np.random.default_rng(0)), "a size must be ≥ 1, got 0"),
        (lambda: Network((([[1.0]], [0.0]),)).logits([[1.0, 2.0]]), "2 columns but the network takes 1"),
        (lambda: Network((([[1.0]], [0.0]),)).loss([[1.0]], [0.5]), "zeros and ones, got 0.5"),
        (lambda: Network((([[1.0]], [0.0]),)).loss([[1.0]], [0, 1]), "2 entries but there are 1"),
        (lambda: Network((([[1.0]], [0.0]),)).at([1.0]), "has 2 parameters, got 1"),
        (lambda: Network((([[1e200]], [0.0]),)), "too large"),
    ],
)
def test_a_bad_network_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": 0.0, "steps": 3}, "learning_rate must be > 0, got 0"),
        ({"learning_rate": 0.1, "steps": 0}, "steps must be ≥ 1, got 0"),
        ({"learning_rate": 0.1}, "give either steps or batches, got steps=None"),
        ({"learning_rate": 0.1, "steps": 3, "batches": [[0]]}, "give either steps or batches, got steps=3"),
        ({"learning_rate": 0.1, "batches": []}, "at least one batch, got 0"),
        ({"learning_rate": 0.1, "batches": [[N]]}, "outside 0 to 22, got 23"),
        ({"learning_rate": 0.1, "steps": 3, "weight_decay": -1.0}, "weight_decay must be ≥ 0, got -1"),
    ],
)
def test_a_bad_descent_is_refused(problem, rng, options, message):
    with pytest.raises(ValueError, match=message):
        network_descent(make_network((P,), rng=rng), *problem, **options)


# ---- reliability ----------------------------------------------------------------------------------------------------


def test_bins_are_scikit_learns_with_equal_counts(rng):
    p = rng.uniform(size=210)
    y = (rng.uniform(size=210) < p).astype(int)
    found = reliability(p, y, bins=7)
    observed, predicted = calibration_curve(y, p, n_bins=7, strategy="quantile")
    np.testing.assert_allclose(found.predicted, predicted)
    np.testing.assert_allclose(found.observed, observed)
    assert (found.counts == 30).all()


def test_the_error_is_the_mean_gap_and_vanishes_against_the_truth(rng):
    p = rng.uniform(size=100)
    assert reliability(p, p).error == 0
    assert reliability(p, 1 - p, bins=100).error == pytest.approx(np.abs(2 * p - 1).mean())
    uneven = reliability([0.2, 0.4, 0.9], [0, 1, 0], bins=2)  # the first bin holds two
    assert uneven.error == pytest.approx((2 * abs(0.3 - 0.5) + abs(0.9 - 0)) / 3)


def test_the_band_is_that_of_the_binomial():
    found = reliability(np.full(40, 0.3), [1] * 15 + [0] * 25, bins=1, level=0.9)
    inside = [k for k in range(41) if 40 * found.low[0] <= k <= 40 * found.high[0]]
    assert binom.pmf(inside, 40, 0.3).sum() >= 0.9
    assert binom.cdf(inside[0] - 1, 40, 0.3) <= 0.05
    assert binom.sf(inside[-1], 40, 0.3) <= 0.05


def test_calibrated_forecasts_fall_into_the_band_as_often_as_it_says(rng):
    inside = []
    for _ in range(200):
        p = rng.uniform(size=300)
        found = reliability(p, rng.uniform(size=300) < p, bins=5)
        inside += [*((found.low <= found.observed) & (found.observed <= found.high))]
    assert 0.94 < np.mean(inside) <= 1  # 1000 bins; counts are whole, so the band holds a little more than 0.95


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 1.2], [0, 1], {"bins": 1}), "between 0 and 1, got 1.2"),
        (([0.5, 0.2], [0, 2], {}), "outcomes must be between 0 and 1, got 2"),
        (([0.5, 0.2], [0], {}), "outcomes has 1 entries but there are 2"),
        (([0.5, 0.2], [0, 1], {"bins": 3}), "bins must be ≤ 2"),
        (([0.5, 0.2], [0, 1], {"bins": 1, "level": 0.0}), "level must be > 0, got 0.0"),
    ],
)
def test_a_bad_reliability_is_refused(arguments, message):
    p, y, options = arguments
    with pytest.raises(ValueError, match=message):
        reliability(p, y, **options)


# ---- convolution ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", [0, 1, 2])
def test_the_matrix_does_what_torchs_layer_does(rng, stride, padding):
    image, kernel = rng.normal(size=(7, 5)), rng.normal(size=(3, 2))
    expected = functional.conv2d(
        torch.tensor(image)[None, None], torch.tensor(kernel)[None, None], stride=stride, padding=padding
    )
    found = convolution_matrix(kernel, image.shape, stride=stride, padding=padding) @ image.ravel()
    np.testing.assert_allclose(found, expected.numpy().ravel(), atol=1e-13)


def test_without_padding_it_is_a_valid_cross_correlation(rng):
    image, kernel = rng.normal(size=(7, 5)), rng.normal(size=(3, 2))
    found = (convolution_matrix(kernel, (7, 5)) @ image.ravel()).reshape(5, 4)
    np.testing.assert_allclose(found, correlate2d(image, kernel, mode="valid"), atol=1e-13)


def test_every_row_shares_the_weights_of_the_kernel():
    matrix = convolution_matrix([[1, 2], [3, 4]], (5, 7))
    assert matrix.shape == (24, 35)
    assert all(sorted(row[row != 0]) == [1, 2, 3, 4] for row in matrix)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shape": (2, 2)}, "does not fit into an image of shape"),
        ({"shape": (5, 0)}, "a size of shape must be ≥ 1, got 0"),
        ({"shape": (5, 5), "stride": 0}, "stride must be ≥ 1, got 0"),
        ({"shape": (5, 5), "padding": -1}, "padding must be ≥ 0, got -1"),
    ],
)
def test_a_window_that_does_not_fit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        convolution_matrix(np.ones((3, 3)), **options)
