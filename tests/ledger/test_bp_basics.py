"""The blog post "From Linear Regression to Transformers", basics to logistic regression: one test per ledger row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit as sigmoid, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from regattn import attention_weights
from regattn.regression import gradient, gradient_descent, mean_squared_error, spectrum


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_bp_i1_a_model_a_loss_an_optimiser_and_data_are_enough_to_train(rng):
    X, truth = rng.normal(size=(31, 2)), np.array([1.0, -2.0])  # data
    path = gradient_descent(X, X @ truth, learning_rate=0.3, steps=300)  # optimiser
    assert mean_squared_error(X, X @ truth, path.parameters[-1]) < 1e-20  # loss
    np.testing.assert_allclose(path.parameters[-1], truth, atol=1e-10)  # parameters of the model X θ


def test_bp_b1_there_may_be_a_line_of_minimisers(rng):
    X = rng.normal(size=(31, 2))
    twice, y = np.column_stack([X, X[:, 0]]), rng.normal(size=31)
    best = spectrum(twice, centre=False).coefficients(y).coef
    for shift in (-3.0, 0.5, 10.0):
        other = best + shift * np.array([1.0, 0.0, -1.0])
        assert mean_squared_error(twice, y, other) == pytest.approx(mean_squared_error(twice, y, best), rel=1e-10)


def test_bp_b1_a_minimiser_need_not_exist():
    z = np.array([[-1.0], [1.0]])  # separable classes: the larger the slope, the smaller the logistic loss
    losses = [-np.log(sigmoid(slope * abs(z))).mean() for slope in (1.0, 10.0, 30.0)]
    assert losses[0] > losses[1] > losses[2] > 0


def test_bp_b2_the_plus_is_right_when_the_direction_points_down(rng):
    X, y = rng.normal(size=(31, 2)), rng.normal(size=31)
    theta = np.zeros(2)
    for _ in range(300):
        alpha, s = 0.3, -gradient(X, y, theta)
        theta = theta + alpha * s
    np.testing.assert_allclose(theta, np.linalg.lstsq(X, y)[0], atol=1e-10)


def test_bp_b3_the_scalar_is_the_size_and_the_vector_the_direction(rng):
    X, y = rng.normal(size=(31, 2)), rng.normal(size=31)
    s = -gradient(X, y, np.zeros(2))
    assert np.shape(s) == (2,)  # a direction has one entry for each parameter; a size has none
    doubled = gradient_descent(X, y, learning_rate=0.02, steps=1).parameters[-1]
    np.testing.assert_allclose(doubled, 2 * gradient_descent(X, y, learning_rate=0.01, steps=1).parameters[-1])
    np.testing.assert_allclose(doubled / np.linalg.norm(doubled), s / np.linalg.norm(s))


def test_bp_o1_the_sigmoid_is_inside_the_unit_interval_until_rounding_reaches_its_end():
    z = np.linspace(-36, 36, 1001)
    assert ((sigmoid(z) > 0) & (sigmoid(z) < 1)).all()
    assert sigmoid(37.0) == 1.0


def test_bp_o2_a_threshold_on_the_sigmoid_is_a_threshold_on_the_logit(rng):
    z = rng.normal(scale=3, size=1009)
    for tau in (0.1, 0.5, 0.83):
        np.testing.assert_array_equal(sigmoid(z) >= tau, z >= np.log(tau / (1 - tau)))


def test_bp_o3_softmax_entries_are_positive_and_sum_to_one(rng):
    z = rng.normal(scale=5, size=(101, 7))
    weights = attention_weights(z, np.eye(7), scale=1.0)
    np.testing.assert_allclose(weights, softmax(z, axis=1), rtol=1e-12)
    assert ((weights > 0) & (weights < 1)).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)


def test_bp_o4_softmax_is_not_element_wise():
    first = [softmax(z)[0] for z in ([1.0, 2.0, 3.0], [1.0, 2.0, 5.0])]
    np.testing.assert_allclose(first, [0.0900, 0.0171], atol=5e-5)
    z = np.array([1.0, 2.0, 3.0])
    p = softmax(z)
    jacobian = np.array([(softmax(z + h) - softmax(z - h)) / 2e-6 for h in 1e-6 * np.eye(3)]).T
    np.testing.assert_allclose(jacobian, np.diag(p) - np.outer(p, p), atol=1e-9)
    assert (np.abs(jacobian[~np.eye(3, dtype=bool)]) > 0.02).all()


def test_bp_o5_the_sigmoid_is_the_softmax_of_two_logits(rng):
    z = rng.normal(scale=4, size=(503, 2))
    np.testing.assert_allclose(softmax(z, axis=1)[:, 0], sigmoid(z[:, 0] - z[:, 1]), rtol=1e-13)
    np.testing.assert_allclose([softmax([a, 0.0])[0] for a in z[:, 0]], sigmoid(z[:, 0]), rtol=1e-13)


def test_bp_o6_the_choice_is_the_same_before_and_after_the_softmax(rng):
    z = rng.normal(scale=3, size=(1009, 5))
    np.testing.assert_array_equal(softmax(z, axis=1).argmax(axis=1), z.argmax(axis=1))


def test_bp_o7_logistic_regression_is_calibrated_in_the_mean_and_an_overfitted_network_is_not(rng):
    X = rng.normal(size=(2300, 2))
    y = (rng.uniform(size=2300) < sigmoid(X @ [1.5, -1.0])).astype(int)
    train, test = slice(0, 300), slice(300, None)
    logistic = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X[train], y[train])
    assert logistic.predict_proba(X[train])[:, 1].mean() == pytest.approx(y[train].mean(), abs=1e-6)  # score equation
    network = MLPClassifier((32, 32), alpha=0, solver="lbfgs", max_iter=200, random_state=0)
    with pytest.warns(ConvergenceWarning):  # it would go on, and be surer still
        network.fit(X[train], y[train])
    confidence = network.predict_proba(X[test]).max(axis=1).mean()
    assert confidence > network.score(X[test], y[test]) + 0.05


def test_bp_l1_a_linear_layer_is_a_matrix_and_a_shift(rng):
    W, b, x = rng.normal(size=(3, 5)), rng.normal(size=3), rng.normal(size=5)
    slow = [sum(W[k, j] * x[j] for j in range(5)) + b[k] for k in range(3)]
    np.testing.assert_allclose(W @ x + b, slow, rtol=1e-12)


def test_bp_l2_a_composition_is_linear_but_a_narrow_layer_limits_its_rank(rng):
    (W1, b1), (W2, b2) = [(rng.normal(size=s), rng.normal(size=s[0])) for s in ((2, 6), (6, 2))]
    x = rng.normal(size=(6, 13))
    composed = W2 @ (W1 @ x + b1[:, None]) + b2[:, None]
    np.testing.assert_allclose(composed, W2 @ W1 @ x + (W2 @ b1 + b2)[:, None], rtol=1e-10, atol=1e-12)
    assert np.linalg.matrix_rank(W2 @ W1) == 2


def test_bp_l2_descent_on_two_factors_takes_another_path_than_on_their_product(rng):
    X, truth = rng.normal(size=(101, 3)), rng.normal(size=(2, 3))
    Y = X @ truth.T
    W1, W2 = 0.3 * rng.normal(size=(3, 3)), 0.3 * rng.normal(size=(2, 3))
    W = W2 @ W1
    for _ in range(25):
        G = 2 / 101 * (X @ W.T - Y).T @ X
        G2 = 2 / 101 * (X @ (W2 @ W1).T - Y).T @ X
        W = W - 0.05 * G
        W1, W2 = W1 - 0.05 * W2.T @ G2, W2 - 0.05 * G2 @ W1.T
    shallow, deep = (np.mean((X @ M.T - Y) ** 2) for M in (W, W2 @ W1))
    assert max(shallow, deep) > 2 * min(shallow, deep)


def test_bp_l3_a_matrix_does_more_than_scale():
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    x = np.array([3.0, 1.0])
    assert np.linalg.norm(turn @ x) == np.linalg.norm(x)
    assert turn @ x @ x == 0  # the direction has changed, the length has not


def test_bp_l4_two_outputs_of_three_inputs_vanish_on_a_line_not_a_plane(rng):
    W = rng.normal(size=(2, 3))
    assert 3 - np.linalg.matrix_rank(W[:1]) == 2
    assert 3 - np.linalg.matrix_rank(W) == 1


def test_bp_g1_the_sigmoid_of_a_sigmoid_says_yes_to_everything(rng):
    z = rng.normal(scale=10, size=100_003)
    twice = sigmoid(sigmoid(z))
    assert twice.min() >= 0.5
    assert twice.max() <= sigmoid(1.0)
    assert (sigmoid(z) >= 0.5).mean() == pytest.approx(0.5, abs=0.01)
