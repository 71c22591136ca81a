"""Goulet Coulombe: the readings of §§1 and 2, and what his problem (20) and its variants settle."""

import numpy as np
import pytest
import torch

from regattn import attend
from regattn.data import load_diabetes
from regattn.regression import design_flow, spectrum

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main


@pytest.fixture(scope="module")
def data():
    X, y = (part.to_numpy() for part in load_diabetes())
    order = np.random.default_rng(0).permutation(len(y))
    X = (X - X[order[:300]].mean(axis=0)) / X[order[:300]].std(axis=0)
    X = np.column_stack([np.ones(len(X)), X])
    return X[order[:300]], X[order[300:]], y[order[:300]]


def rank_one_solutions(X, y):
    """Return β̂z'/z'z and β̂β̂'/β̂'z, the solutions of least norm and of least positive semidefinite order."""
    z, beta = X.T @ y, np.linalg.lstsq(X, y, rcond=None)[0]
    return np.outer(beta, z) / (z @ z), np.outer(beta, beta) / (beta @ z)


# --- §§1 and 2 --------------------------------------------------------------------------------------------------------


def test_gc_1b_the_kernel_of_least_squares_is_the_identity(data):
    X, X_new, y = data
    s = spectrum(X, centre=False)
    F, F_new = s.codes(), s.codes(X_new)
    by_identity = attend(F_new, F, y, kernel="identity")
    np.testing.assert_allclose(by_identity, X_new @ np.linalg.lstsq(X, y, rcond=None)[0], rtol=1e-9)
    assert np.abs(attend(F_new, F, y, kernel="softmax") - by_identity).max() > 50


def test_gc_1c_predictions_combine_targets_by_products_of_orthonormal_codes(data):
    X, X_new, y = data
    F, R = np.linalg.qr(X)
    np.testing.assert_allclose(F.T @ F, np.eye(11), atol=1e-13)
    np.testing.assert_allclose(
        (X_new @ np.linalg.inv(R)) @ F.T @ y, spectrum(X, centre=False).predict(X_new, y), rtol=1e-9
    )


def test_gc_2_1l_variances_add_when_covariances_vanish():
    x = np.linalg.qr(np.column_stack([np.ones(47), np.random.default_rng(0).normal(size=(47, 5))]))[0][:, 1:]
    x = x * np.array([1.0, 2.0, 3.0, 5.0, 7.0])  # centred, orthogonal: uncorrelated
    assert x.sum(axis=1).var() == pytest.approx(x.var(axis=0).sum())
    doubled = np.column_stack([x, x[:, 0]])
    assert doubled.sum(axis=1).var() > doubled.var(axis=0).sum() * 1.01


def test_gc_2_2a_and_2_2b_one_invertible_map_encodes_both_sides(data):
    X, X_new, _ = data
    s = spectrum(X, centre=False)
    W = s.embedding()
    assert W.shape == (11, 11)
    np.testing.assert_allclose(s.codes(X_new) @ np.linalg.inv(W), X_new, atol=1e-10)
    np.testing.assert_allclose(s.codes(), X @ W, atol=1e-12)


# --- what (20) settles ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(31, 5)) @ np.diag([1.0, 1.3, 0.8, 1.1, 0.9])
    return X, X @ rng.normal(size=5) + rng.normal(size=31)


@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_gc_20c_descent_on_omega_moves_it_along_one_direction_only(small, scale):
    X, y = small
    z, beta = X.T @ y, np.linalg.lstsq(X, y, rcond=None)[0]
    start = scale * np.random.default_rng(1).normal(size=(5, 5))
    step = 0.5 / (np.linalg.norm(X, 2) ** 2 * (z @ z))
    omega = start.copy()
    for _ in range(2000):
        omega = omega + 2 * step * X.T @ np.outer(y - X @ (omega @ z), z)
    np.testing.assert_allclose(omega, start + np.outer(beta - start @ z, z) / (z @ z), atol=1e-9)
    assert np.linalg.norm(omega - np.linalg.inv(X.T @ X)) > 1e-3


@pytest.mark.parametrize(("tied", "scales"), [(False, (0.1, 0.01)), (True, (0.1, 0.01))], ids=["untied", "tied"])
def test_gc_20d_descent_on_small_factors_ends_near_the_solutions_of_rank_one(small, tied, scales):
    X, y = small
    X, y = X / np.linalg.norm(X, 2), y / np.linalg.norm(y)
    target = rank_one_solutions(X, y)[int(tied)]
    Xt, yt, zt = (torch.from_numpy(part) for part in (X, y, X.T @ y))
    distances = []
    for scale in scales:
        rng = np.random.default_rng(2)
        factors = [torch.from_numpy(scale * rng.normal(size=(5, 5))).requires_grad_() for _ in range(1 if tied else 2)]
        for _ in range(6000):
            loss = ((yt - Xt @ (factors[0] @ (factors[-1].T @ zt))) ** 2).sum()
            gradients = torch.autograd.grad(loss, factors)
            factors = [(f - 0.1 * g).detach().requires_grad_() for f, g in zip(factors, gradients, strict=True)]
        omega = (factors[0] @ factors[-1].T).detach().numpy()
        distances.append(np.linalg.norm(omega - target) / np.linalg.norm(target))
    assert distances[1] < distances[0] / 3
    assert distances[1] < 0.1


def test_gc_20e_enough_targets_single_out_the_inverse_and_so_does_autoencoding(small):
    X, _ = small
    inverse, rng = np.linalg.inv(X.T @ X), np.random.default_rng(3)
    for m in (1, 3, 5, 7):
        Z = X.T @ rng.normal(size=(31, m))
        hessian = np.kron(Z @ Z.T, X.T @ X)
        assert np.linalg.matrix_rank(hessian) == 5 * min(m, 5)
    Y = rng.normal(size=(31, 5))
    design = np.kron((X.T @ Y).T, X)  # vec(XΩX'Y) = ((X'Y)' ⊗ X) vec Ω
    solved = np.linalg.lstsq(design, Y.ravel(order="F"), rcond=None)[0].reshape(5, 5, order="F")
    np.testing.assert_allclose(solved, inverse, rtol=1e-6, atol=1e-9)
    auto = np.linalg.lstsq(np.kron((X.T @ X).T, X), X.ravel(order="F"), rcond=None)[0].reshape(5, 5, order="F")
    np.testing.assert_allclose(auto, inverse, rtol=1e-8, atol=1e-10)
    white = [np.linalg.norm(np.eye(31) - X @ omega @ X.T) ** 2 for omega in (inverse, 0.9 * inverse)]
    assert white[0] == pytest.approx(31 - 5)
    assert white[1] > white[0]


def test_gc_20f_all_solutions_agree_on_their_target_and_only_the_inverse_on_a_new_one(data):
    X, X_new, y = data
    beta = np.linalg.lstsq(X, y, rcond=None)[0]
    fresh = np.random.default_rng(4).normal(size=300)
    honest = X_new @ np.linalg.lstsq(X, fresh, rcond=None)[0]
    inverse = np.linalg.inv(X.T @ X)
    for omega, right in [(inverse, True), *[(omega, False) for omega in rank_one_solutions(X, y)]]:
        np.testing.assert_allclose(X_new @ omega @ X.T @ y, X_new @ beta, rtol=1e-9)
        error = np.linalg.norm(X_new @ omega @ X.T @ fresh - honest) / np.linalg.norm(honest)
        assert error < 1e-9 if right else error > 0.5


def test_gc_27b_white_targets_leave_every_projector_of_the_rank_equally_good(data):
    X, _, _ = data
    _, s, Vt = np.linalg.svd(X, full_matrices=False)
    rng, rank, losses, gaps = np.random.default_rng(5), 2, [], []
    principal = Vt[:rank].T / s[:rank] ** 2 @ Vt[:rank]
    for _ in range(6):
        turn = np.linalg.qr(rng.normal(size=(11, rank)))[0]
        root = Vt.T / s @ turn
        omega = root @ root.T
        losses.append(np.linalg.norm(np.eye(300) - X @ omega @ X.T) ** 2)  # the expected loss for y ~ N(0, I)
        gaps.append(np.linalg.norm(X @ omega @ X.T - X @ principal @ X.T))
    np.testing.assert_allclose(losses, 300 - rank, rtol=1e-10)
    assert min(gaps) > 0.5


@pytest.mark.parametrize("ridge", [0.01, 0.1, 1.0])
def test_gc_x2_the_ridge_embedding_is_the_best_denoiser(small, ridge):
    X, _ = small
    A = X.T @ X
    # E‖Xb − XΩX'(Xb + e)‖² with b ~ N(0, I) and e ~ N(0, λI) is ‖X − XΩA‖² + λ‖XΩX'‖²

    def expected_loss(omega):
        return np.linalg.norm(X - X @ omega @ A) ** 2 + ridge * np.linalg.norm(X @ omega @ X.T) ** 2

    best = spectrum(X, centre=False).omega(ridge=ridge)
    rng = np.random.default_rng(7)
    for _ in range(7):
        direction = rng.normal(size=(5, 5))
        ahead, behind = (expected_loss(best + sign * 1e-4 * direction) for sign in (1, -1))
        assert ahead > expected_loss(best)
        assert ahead - behind == pytest.approx(0, abs=1e-9 * ahead)
    b, e = rng.normal(size=(5, 40_000)), np.sqrt(ridge) * rng.normal(size=(31, 40_000))
    draws = ((X @ b - X @ best @ X.T @ (X @ b + e)) ** 2).sum(axis=0)
    assert draws.mean() == pytest.approx(expected_loss(best), abs=5 * draws.std() / 200)


def test_gc_x2_descent_that_is_told_the_clean_target_ends_at_the_ridge_and_not_at_least_squares(small):
    X, _ = small
    rate = 0.1 / np.linalg.norm(X, 2) ** 6
    told = {"noise": 1.5, "steps": 10**7, "learning_rate": rate}
    np.testing.assert_allclose(
        design_flow(X, target="clean", **told), spectrum(X, centre=False).omega(ridge=1.5**2), rtol=1e-6
    )
    np.testing.assert_allclose(design_flow(X, target="own", **told), spectrum(X, centre=False).omega(), rtol=1e-6)
