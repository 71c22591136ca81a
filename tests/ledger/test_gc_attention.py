"""Every statement of Goulet Coulombe's §§2.3, 2.4 (eqs. 14-21), computed again on the diabetes data."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from regattn import attend, attention_weights
from regattn.data import load_diabetes
from regattn.regression import proximity_weights


@pytest.fixture(scope="module")
def data():
    """Return X with a column of ones, new rows, y, of 300 training and 142 test patients."""
    X, y = (part.to_numpy() for part in load_diabetes())
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:300], order[300:]
    mean, sd = X[train].mean(axis=0), X[train].std(axis=0)
    rows = [np.column_stack([np.ones(len(part)), (X[part] - mean) / sd]) for part in (train, test)]
    return *rows, y[train]


@pytest.fixture
def rng():
    return np.random.default_rng(14)


def sdpa(*arrays):
    return functional.scaled_dot_product_attention(*(torch.from_numpy(a)[None] for a in arrays))[0].numpy()


def test_gc_14_the_divisor_is_the_root_of_the_number_of_code_columns(rng):
    X, W = rng.normal(size=(31, 16)), rng.normal(size=(16, 4))
    Q, K, V = X[:7] @ W, X @ W, X[:, :3]
    by_formula = np.exp(Q @ K.T / np.sqrt(4))
    by_formula = by_formula / by_formula.sum(axis=1, keepdims=True) @ V
    np.testing.assert_allclose(attend(Q, K, V), by_formula, rtol=1e-12)
    np.testing.assert_allclose(sdpa(Q, K, V), by_formula, rtol=1e-12)
    as_printed = attend(Q, K, V, scale=1 / np.sqrt(16))  # P, the columns of X
    assert np.abs(as_printed - by_formula).max() > 0.05


def test_gc_15_weights_are_a_probability_vector_and_may_underflow(rng):
    weights = attention_weights(rng.normal(size=(7, 5)), rng.normal(size=(31, 5)))
    assert weights.min() > 0
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-14)
    assert attention_weights([[1.0]], [[0.0], [-800.0]]).tolist() == [[1.0, 0.0]]


def softmax_jacobians(rng, d, scale):
    scores = scale * (rng.normal(size=(200, 64, d)) @ rng.normal(size=(200, d, 1)))[..., 0]
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    J = np.eye(64) * p[:, None, :] - p[:, :, None] * p[:, None, :]
    return p.max(axis=1), np.linalg.norm(J, ord=2, axis=(1, 2))


def test_gc_23a_without_the_scale_softmax_saturates_and_its_gradient_vanishes_but_cannot_explode(rng):
    top_small, norm_small = softmax_jacobians(rng, 16, 1.0)
    top_large, norm_large = softmax_jacobians(rng, 1024, 1.0)
    top_scaled, norm_scaled = softmax_jacobians(rng, 1024, 1 / 32)
    assert top_large.mean() > 0.9 > 0.2 > top_scaled.mean()
    assert norm_large.mean() < 0.3 * norm_small.mean()
    assert norm_scaled.mean() > 1.5 * norm_large.mean()
    assert top_small.mean() < top_large.mean()
    assert max(norm_small.max(), norm_large.max(), norm_scaled.max()) <= 0.5 + 1e-12
    half = np.array([0.5, 0.5, 0.0])  # where the bound is met
    assert np.linalg.norm(np.diag(half) - np.outer(half, half), 2) == pytest.approx(0.5)


def test_gc_23b_at_temperature_zero_the_winner_has_the_largest_product_and_is_the_nearest_only_for_equal_lengths(data):
    X, _, _ = data
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    shares = []
    for codes in (X, unit):
        weights = attention_weights(codes, codes, scale=1e5)
        shares.append(np.mean(weights.argmax(axis=1) == np.arange(len(codes))))
    assert shares[0] == pytest.approx(0.2, abs=0.03)
    assert shares[1] == 1.0


def test_gc_16_softmax_attention_is_a_kernel_average_over_another_index(rng):
    q, k, v = rng.normal(size=(7, 5)), rng.normal(size=(31, 5)), rng.normal(size=31)
    kernel = np.exp(q @ k.T / np.sqrt(5))
    gamma = [[kernel[i, t] / sum(kernel[i, s] for s in range(31)) for t in range(31)] for i in range(7)]
    np.testing.assert_allclose(attend(q, k, v), np.array(gamma) @ v, rtol=1e-12)


def test_gc_16_it_is_the_gaussian_smoother_times_a_factor_of_the_keys_length(data):
    X, X_new, y = data
    F = X @ np.linalg.cholesky(np.linalg.inv(X.T @ X)) * 5
    F_new = X_new @ np.linalg.cholesky(np.linalg.inv(X.T @ X)) * 5
    gaussian = attention_weights(F_new, F, kernel="gaussian") * np.exp(0.5 * (F**2).sum(axis=1))
    expected = gaussian / gaussian.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(attention_weights(F_new, F, scale=1.0), expected, rtol=1e-10)
    F = F / np.linalg.norm(F, axis=1, keepdims=True)
    same = attend(F_new, F, y, kernel="gaussian")
    np.testing.assert_allclose(attend(F_new, F, y, scale=1.0), same, rtol=1e-12)


def test_gc_16_two_encoders_make_a_kernel_that_is_neither_symmetric_nor_positive(rng):
    X, W_Q, W_K = rng.normal(size=(29, 5)), rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    two = np.exp(X @ W_Q @ W_K.T @ X.T / 5)
    one = np.exp(X @ W_Q @ W_Q.T @ X.T / 5)
    assert np.abs(two - two.T).max() > 0.5 * np.abs(two).mean()
    assert np.linalg.eigvalsh((two + two.T) / 2).min() < 0
    eigenvalues = np.linalg.eigvalsh(one)
    assert eigenvalues.min() > -1e-12 * eigenvalues.max()


def test_gc_24a_the_scale_of_the_value_weight_and_of_omega_are_not_identified(data):
    X, X_new, y = data
    omega = np.linalg.inv(X.T @ X)
    one = attend(X_new @ omega, X, y, kernel="identity")
    np.testing.assert_allclose(attend(X_new @ (omega / 7), X, 7 * y, kernel="identity"), one, rtol=1e-9)


def test_gc_17_to_19_linear_attention_is_least_squares(data):
    X, X_new, y = data
    W_Q = np.linalg.inv(X.T @ X)
    attention = attend(X_new @ W_Q, X, y, kernel="identity")  # W_K = I
    np.testing.assert_allclose(attention, X_new @ np.linalg.solve(X.T @ X, X.T @ y), rtol=1e-9)
    beta = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(attention, X_new @ beta, rtol=1e-9)


def test_gc_24b_any_split_of_omega_predicts_alike_and_only_roots_have_orthonormal_keys(data, rng):
    X, X_new, y = data
    A = rng.normal(size=(11, 11))
    W_Q, W_K = np.linalg.inv(X.T @ X) @ A, np.linalg.inv(A).T
    expected = proximity_weights(X, X_new, centre=False) @ y
    np.testing.assert_allclose(attend(X_new @ W_Q, X @ W_K, y, kernel="identity"), expected, rtol=1e-8)
    keys = X @ W_K
    assert np.linalg.norm(keys.T @ keys - np.eye(11)) > 10


def test_gc_24c_training_rows_as_queries_give_the_fitted_values(data):
    X, _, y = data
    fitted = X @ np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(attend(X @ np.linalg.inv(X.T @ X), X, y, kernel="identity"), fitted, rtol=1e-9)


def test_gc_20_and_21_one_target_fixes_omega_only_in_one_direction(data, rng):
    X, _, y = data
    z, omega = X.T @ y, np.linalg.inv(X.T @ X)
    best = np.sum((y - X @ omega @ z) ** 2)
    for _ in range(3):
        M = rng.normal(size=(11, 11))
        M -= np.outer(M @ z, z) / (z @ z)  # now M z = 0
        other = omega + M
        assert np.linalg.norm(other - omega) > 5
        assert np.sum((y - X @ other @ z) ** 2) == pytest.approx(best, rel=1e-9)
    hessian = 2 * np.kron(np.outer(z, z), X.T @ X)  # in the columns of Ω, one after the other
    assert np.linalg.matrix_rank(hessian, tol=1e-9 * np.linalg.norm(hessian, 2)) == 11


def test_gc_20a_the_smallest_solution_has_rank_one_and_is_not_the_inverse(data):
    X, _, y = data
    z, omega = X.T @ y, np.linalg.inv(X.T @ X)
    beta = omega @ z
    smallest = np.outer(beta, z) / (z @ z)
    np.testing.assert_allclose(X @ smallest @ z, X @ beta, rtol=1e-9)
    assert np.linalg.matrix_rank(smallest) == 1
    assert np.linalg.norm(smallest) < 0.1 * np.linalg.norm(omega)
    assert np.abs(smallest - smallest.T).max() > 0.1 * np.abs(smallest).max()


def test_gc_20b_the_least_positive_solution_has_rank_one_and_lies_below_the_inverse(data):
    X, _, y = data
    z, omega = X.T @ y, np.linalg.inv(X.T @ X)
    beta = omega @ z
    least = np.outer(beta, beta) / (beta @ z)
    np.testing.assert_allclose(least @ z, beta, rtol=1e-9)
    gap = np.linalg.eigvalsh(omega - least)
    assert gap.min() > -1e-12 * gap.max()
    assert np.linalg.norm(X @ least @ X.T) == pytest.approx(1)
    assert np.linalg.norm(X @ omega @ X.T) == pytest.approx(np.sqrt(11))


def test_gc_24d_free_parameters_are_counted_by_the_shape_of_omega_and_seen_by_one_target_in_p_directions(rng):
    p, rank = 5, 2
    W_Q, W_K, dW = rng.normal(size=(p, rank)), rng.normal(size=(p, rank)), []
    for k in range(p * rank):
        unit = np.zeros(p * rank)
        unit[k] = 1.0
        dW += [(unit.reshape(p, rank) @ W_K.T).ravel(), (W_Q @ unit.reshape(p, rank).T).ravel()]
    assert np.linalg.matrix_rank(np.array(dW)) == 2 * p * rank - rank**2
    triangle = np.tril(rng.normal(size=(p, p)))
    dW = []
    for i, j in zip(*np.tril_indices(p), strict=True):
        unit = np.zeros((p, p))
        unit[i, j] = 1.0
        dW.append((unit @ triangle.T + triangle @ unit.T).ravel())
    assert np.linalg.matrix_rank(np.array(dW)) == p * (p + 1) // 2


def test_gc_x1_least_squares_is_the_first_order_term_of_softmax_attention(data):
    X, X_new, y = (data[0][:, 1:], data[1][:, 1:], data[2])
    precision = np.linalg.inv(X.T @ X / len(X))
    expected = proximity_weights(X, X_new, centre=False) @ (y - y.mean()) + y.mean()
    errors = []
    for step in (1e-2, 1e-3, 1e-4):
        outputs = attend(X_new @ precision, X, y, scale=step)
        errors.append(np.abs(y.mean() + (outputs - y.mean()) / step - expected).max())
    assert errors[0] < 60
    assert errors[1] / errors[0] == pytest.approx(0.1, rel=0.2)  # the error is of first order in the step
    assert errors[2] / errors[1] == pytest.approx(0.1, rel=0.05)
