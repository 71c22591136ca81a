"""Breeden's §5, row by row: the weighted average, bilinear forms, identifiability and the scale."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.special import logsumexp

from regattn import attend, attention_weights


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_br_5_1a_the_output_stays_among_the_values(rng):
    values = rng.normal(size=(31, 2))
    outputs = attend(rng.normal(size=(97, 5)) * 9, rng.normal(size=(31, 5)), values)
    for angle in np.linspace(0, np.pi, 37):  # inside the hull: never beyond the extreme value in any direction
        direction = np.array([np.cos(angle), np.sin(angle)])
        assert (outputs @ direction).max() <= (values @ direction).max() + 1e-12
        assert (outputs @ direction).min() >= (values @ direction).min() - 1e-12


def test_br_5_1b_the_largest_product_wins_and_need_not_be_the_best_aligned(rng):
    words, h = np.array([[1.0, 0.0], [3.0, 1.0]]), np.array([[1.0, 0.0]])
    cosines = words @ h[0] / np.linalg.norm(words, axis=1)
    assert cosines.argmax() == 0
    assert attention_weights(h, words).argmax() == 1
    words = rng.normal(size=(1000, 64)) * rng.lognormal(sigma=0.3, size=(1000, 1))
    queries = rng.normal(size=(500, 64))
    products = queries @ words.T
    same = products.argmax(axis=1) == (products / np.linalg.norm(words, axis=1)).argmax(axis=1)
    assert 0.05 < same.mean() < 0.35


def test_br_5_3a_and_5_3b_a_product_is_length_times_length_times_cosine_and_long_vectors_win(rng):
    a, b = rng.normal(size=(2, 5))
    cosine = 1 - 0.5 * np.sum((a / np.linalg.norm(a) - b / np.linalg.norm(b)) ** 2)
    assert a @ b == pytest.approx(np.linalg.norm(a) * np.linalg.norm(b) * cosine)
    angle = np.deg2rad(80)
    long = 100 * np.array([1.0, 0.0]) @ (100 * np.array([np.cos(angle), np.sin(angle)]))
    assert long == pytest.approx(1736, abs=1)
    assert long > np.array([1.0, 0.0]) @ np.array([1.0, 0.0])


def test_br_5_4a_the_scores_of_raw_vectors_are_symmetric(rng):
    E = rng.normal(size=(10, 64))
    scores = attention_weights(E, E, kernel="identity")
    np.testing.assert_allclose(scores, scores.T)
    W_A, W_B = rng.normal(size=(2, 3, 64))
    projected = attention_weights(E @ W_A.T, E @ W_B.T, kernel="identity")
    assert np.abs(projected - projected.T).max() > 1  # and those of two projections are not


def test_br_5_4a_the_weights_made_of_them_are_not_and_listen_to_themselves(rng):
    E = rng.normal(size=(10, 64))
    tokens = rng.normal(size=(7, 3))
    asymmetry = attention_weights(tokens, tokens, scale=1.0)
    assert np.abs(asymmetry - asymmetry.T).max() > 0.05
    assert np.diagonal(attention_weights(E, E, scale=1.0)).mean() > 0.95


def test_br_01_to_03_and_5_5a_scores_are_a_bilinear_form(rng):
    W_A, W_B, E = rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), rng.normal(size=(11, 5))
    scores = attention_weights(E @ W_A.T, E @ W_B.T, kernel="identity")
    M = W_A.T @ W_B
    one_by_one = [[e @ M @ f for f in E] for e in E]
    np.testing.assert_allclose(scores, one_by_one, rtol=1e-10)


@pytest.mark.parametrize(("d", "k", "stored", "free"), [(8, 6, 96, 60), (8, 3, 48, 39)])
def test_br_5_5c_numbers_stored_are_more_than_degrees_of_freedom(rng, d, k, stored, free):
    W_A, W_B = (torch.from_numpy(rng.normal(size=(k, d))) for _ in range(2))
    J_A, J_B = torch.autograd.functional.jacobian(lambda a, b: a.mT @ b, (W_A, W_B))
    J = torch.cat([J_A.reshape(d * d, -1), J_B.reshape(d * d, -1)], dim=1)
    assert J.shape[1] == stored == 2 * k * d
    assert int(torch.linalg.matrix_rank(J)) == free == 2 * k * d - k**2
    assert (stored < d * d) == (k < d / 2)
    assert free < d * d


def test_br_5_6a_and_5_6b_a_rotation_of_both_or_any_matrix_and_its_inverse_leave_scores_alone(rng):
    W_A, W_B, E = rng.normal(size=(4, 7)), rng.normal(size=(4, 7)), rng.normal(size=(11, 7))
    G, (rotation, _) = rng.normal(size=(4, 4)), np.linalg.qr(rng.normal(size=(4, 4)))
    scores = E @ W_A.T @ W_B @ E.T
    np.testing.assert_allclose(E @ (rotation @ W_A).T @ (rotation @ W_B) @ E.T, scores, atol=1e-10)
    np.testing.assert_allclose(E @ (np.linalg.inv(G).T @ W_A).T @ (G @ W_B) @ E.T, scores, atol=1e-9)
    assert np.abs(E @ (G @ W_A).T @ (G @ W_B) @ E.T - scores).max() > 1


def test_br_5_6d_the_ambiguity_makes_flat_valleys_of_any_steepness(rng):
    d, k = 4, 2
    E = torch.from_numpy(rng.normal(size=(13, d)))
    W_A, W_B = (torch.from_numpy(rng.normal(size=(k, d))) for _ in range(2))
    target = E @ W_A.mT @ W_B @ E.mT

    def loss(theta):
        a, b = theta.reshape(2, k, d)
        return ((E @ a.mT @ b @ E.mT - target) ** 2).mean()

    top = []
    for t in (1.0, 10.0, 100.0):
        theta = torch.cat([(W_A * t).ravel(), (W_B / t).ravel()])
        assert float(loss(theta)) == pytest.approx(0, abs=1e-18)
        eigenvalues = torch.linalg.eigvalsh(torch.autograd.functional.hessian(loss, theta))
        top.append(float(eigenvalues[-1]))
        if t == 1.0:
            assert int((eigenvalues.abs() < 1e-9 * eigenvalues[-1]).sum()) == k**2
    assert top[1] > 20 * top[0]
    assert top[2] > 80 * top[1]


@pytest.mark.parametrize("k", [16, 64, 256])
def test_br_5_7a_the_root_of_k_is_right_for_independent_centred_components_only(rng, k):
    a, b = rng.normal(size=(2, 40_000, k))
    products = (a * b).sum(axis=1)
    assert products.var() / k == pytest.approx(1, abs=0.05)
    assert np.var(((a + 1) * (b + 1)).sum(axis=1)) / k == pytest.approx(3, abs=0.15)
    assert (a[:100] ** 2).sum(axis=1).mean() / k == pytest.approx(1, abs=0.15)  # aligned vectors grow like k


def test_br_5_7b_the_trouble_is_saturation_and_not_overflow(rng):
    queries, keys = rng.normal(size=(200, 1024)), rng.normal(size=(64, 1024))
    unscaled, scaled = (attention_weights(queries, keys, scale=s) for s in (1.0, 1 / 32))
    assert np.isfinite(unscaled).all()
    assert unscaled.max(axis=1).mean() > 0.9
    assert scaled.max(axis=1).mean() < 0.2
    traces = [(w * (1 - w)).sum(axis=1).mean() for w in (unscaled, scaled)]  # of diag(α) - αα'
    assert traces[0] < 0.15
    assert traces[1] > 0.9


def test_br_5_7c_a_larger_score_has_a_larger_weight(rng):
    scores = torch.from_numpy(rng.normal(size=11)).requires_grad_()
    J = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, 0), scores)
    a = torch.softmax(scores, 0)
    torch.testing.assert_close(J, torch.diag(a) - torch.outer(a, a))
    assert float(torch.diagonal(J).min()) > 0


def test_br_5_7d_only_differences_of_scores_are_log_odds(rng):
    scores = rng.normal(size=7)
    keys = scores[:, None]
    weights = attention_weights([[1.0]], keys)[0]
    np.testing.assert_allclose(attention_weights([[1.0]], keys + 3.7)[0], weights, rtol=1e-12)
    assert np.log(weights[0] / weights[1]) == pytest.approx(scores[0] - scores[1])
    odds = np.log(weights[0] / (1 - weights[0]))
    assert odds == pytest.approx(scores[0] - logsumexp(scores[1:]))
    assert abs(odds - scores[0]) > 0.5


def test_br_5_7e_cooling_makes_softmax_the_argmax():
    scores = np.array([[1.0], [1.2], [0.9]])
    tops = [attention_weights([[1.0]], scores, scale=1 / T)[0, 1] for T in (1.0, 0.1, 0.01)]
    assert tops == pytest.approx([0.391, 0.844, 1.0], abs=5e-4)
