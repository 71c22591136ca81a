"""Learning Ω: against torch, closed forms, the normal equations of the vectorised problem and slow loops."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn.regression import (
    embedding_after,
    embedding_descent,
    embedding_gradient,
    embedding_limit,
    embedding_loss,
    identified_directions,
    largest_embedding_step,
    map_error,
    proximity_weights,
    spectrum,
    target_error,
)

N, P, M = 29, 5, 3


@pytest.fixture
def problem():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(N, P)) @ np.diag([1.0, 1.4, 0.6, 1.1, 0.8]) / np.sqrt(N)
    return X, rng.normal(size=(N, M)) / np.sqrt(N), rng.normal(size=(P, P))


def inverse(X):
    return np.linalg.inv(X.T @ X)


def test_the_loss_is_a_sum_over_rows_averaged_over_targets(problem):
    X, Y, omega = problem
    slow = 0.0
    for m in range(M):
        for j in range(N):
            fit = sum(X[j] @ omega @ X[i] * Y[i, m] for i in range(N))
            slow += (Y[j, m] - fit) ** 2 / M
    assert embedding_loss(X, Y, omega) == pytest.approx(slow, rel=1e-12)


def test_one_target_may_come_as_a_vector(problem):
    X, Y, omega = problem
    assert embedding_loss(X, Y[:, 0], omega) == embedding_loss(X, Y[:, :1], omega)


def test_the_gradient_is_torchs(problem):
    X, Y, omega = problem
    leaf = torch.tensor(omega, requires_grad=True)
    Xt, Yt = torch.from_numpy(X), torch.from_numpy(Y)
    (torch.sum((Yt - Xt @ leaf @ Xt.T @ Yt) ** 2) / M).backward()
    np.testing.assert_allclose(embedding_gradient(X, Y, omega), leaf.grad.numpy(), rtol=1e-11, atol=1e-13)


def test_the_gradient_of_one_target_has_rank_one(problem):
    X, Y, omega = problem
    assert np.linalg.matrix_rank(embedding_gradient(X, Y[:, 0], omega)) == 1


def test_every_step_is_the_closed_form_of_the_linear_recursion(problem):
    X, Y, omega = problem
    eta = 0.6 * largest_embedding_step(X, Y)
    path = embedding_descent(X, Y, learning_rate=eta, steps=41, start=omega)
    a, U = np.linalg.eigh(X.T @ X)
    Z = X.T @ Y
    b, Q = np.linalg.eigh(Z @ Z.T)
    end = embedding_limit(X, Y, start=omega)
    error = U.T @ (omega - end) @ Q
    for t in (1, 7, 41):
        expected = end + U @ ((1 - 2 * eta / M * np.outer(a, b)) ** t * error) @ Q.T
        np.testing.assert_allclose(path.omegas[t], expected, atol=1e-11)
    expected = [embedding_loss(X, Y, each) for each in path.omegas]
    np.testing.assert_allclose(path.losses, expected, rtol=1e-10)
    assert path.diverged_at is None


@pytest.mark.parametrize("start", [False, True], ids=["zero", "anywhere"])
def test_descent_ends_at_the_limit_which_is_the_nearest_solution(problem, start):
    X, Y, omega = problem
    begin = omega if start else np.zeros((P, P))
    eta = 0.95 * largest_embedding_step(X, Y)
    path = embedding_descent(X, Y, learning_rate=eta, steps=8000, start=begin)
    end = embedding_limit(X, Y, start=begin)
    np.testing.assert_allclose(path.omega, end, atol=1e-8)
    assert path.losses[-1] == pytest.approx(path.least_loss, rel=1e-12)
    # the least-norm change: orthogonal to every matrix that sends Z to zero
    null = np.linalg.svd(X.T @ Y)[0][:, M:]
    np.testing.assert_allclose((end - begin) @ null, 0, atol=1e-12)


def test_the_limit_of_enough_targets_is_the_inverse_wherever_descent_began(problem):
    X, _, omega = problem
    Y = np.random.default_rng(1).normal(size=(N, P))
    np.testing.assert_allclose(embedding_limit(X, Y, start=omega), inverse(X), rtol=1e-7)


@pytest.mark.parametrize(("share", "converges"), [(0.999, True), (1.001, False)])
def test_the_largest_step_is_the_border(problem, share, converges):
    X, Y, omega = problem
    eta = share * largest_embedding_step(X, Y)
    path = embedding_descent(X, Y, learning_rate=eta, steps=6000, start=omega)
    assert (path.losses[-1] < path.losses[0]) == converges


def test_descent_that_runs_away_stops_before_and_says_so(problem):
    X, Y, _ = problem
    path = embedding_descent(X, Y, learning_rate=3 * largest_embedding_step(X, Y), steps=500)
    assert path.diverged_at == len(path.losses)
    assert np.isfinite(path.omegas).all()
    assert f"step {path.diverged_at} would have taken the loss\nbeyond 1e+12 times its start" in path.message


def test_a_path_that_ends_says_how_far_above_least_squares(problem):
    X, Y, _ = problem
    path = embedding_descent(X, Y, learning_rate=largest_embedding_step(X, Y) / 2, steps=13)
    assert path.message.startswith(f"After 13 steps the loss is {path.losses[-1]:.6g}, ")


@pytest.mark.parametrize("decay", [0.0, 0.03])
def test_descent_on_factors_takes_torchs_steps(problem, decay):
    X, Y, _ = problem
    rng = np.random.default_rng(2)
    start = rng.normal(size=(P, 2)), rng.normal(size=(P, 2))
    path = embedding_descent(X, Y, learning_rate=0.05, steps=19, start=start, weight_decay=decay)
    leaves = [torch.tensor(part, requires_grad=True) for part in start]
    optimiser = torch.optim.SGD(leaves, lr=0.05, weight_decay=decay)
    Xt, Yt = torch.from_numpy(X), torch.from_numpy(Y)
    for _ in range(19):
        optimiser.zero_grad()
        (torch.sum((Yt - Xt @ leaves[0] @ leaves[1].T @ Xt.T @ Yt) ** 2) / M).backward()
        optimiser.step()
    for found, leaf in zip(path.factors, leaves, strict=True):
        np.testing.assert_allclose(found, leaf.detach().numpy(), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(path.omega, path.factors[0] @ path.factors[1].T, rtol=1e-12)


def test_weight_decay_on_omega_takes_torchs_steps(problem):
    X, Y, omega = problem
    path = embedding_descent(X, Y, learning_rate=0.05, steps=17, start=omega, weight_decay=0.2)
    leaf = torch.tensor(omega, requires_grad=True)
    optimiser = torch.optim.SGD([leaf], lr=0.05, weight_decay=0.2)
    Xt, Yt = torch.from_numpy(X), torch.from_numpy(Y)
    for _ in range(17):
        optimiser.zero_grad()
        (torch.sum((Yt - Xt @ leaf @ Xt.T @ Yt) ** 2) / M).backward()
        optimiser.step()
    np.testing.assert_allclose(path.omega, leaf.detach().numpy(), rtol=1e-10, atol=1e-12)


def test_decay_on_factors_keeps_of_each_code_what_soft_thresholding_keeps():
    # with the codes as targets the objective, ‖U − XΩX'U‖²/M + μ‖Ω‖_*, splits into the principal directions
    rng = np.random.default_rng(3)
    U = np.linalg.qr(rng.normal(size=(N, 3)))[0]
    s = np.array([2.0, 1.0, 0.5])
    V = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    X, mu = U * s @ V.T, 0.4
    start = 0.1 * rng.normal(size=(3, 3)), 0.1 * rng.normal(size=(3, 3))
    path = embedding_descent(X, U, learning_rate=0.02, steps=20_000, start=start, weight_decay=mu)
    threshold = 3 * mu / 2  # M μ/2, with M = 3 targets
    kept = np.maximum(0, 1 - threshold / s**2)
    np.testing.assert_allclose(s[:, None] * (V.T @ path.omega @ V) * s, np.diag(kept), atol=1e-6)
    assert kept[2] == 0
    assert kept[1] > 0


@pytest.mark.parametrize("targets", [1, 3, 7])
@pytest.mark.parametrize("steps", [1, 200])
def test_descent_without_walking_arrives_where_the_walk_does(problem, targets, steps):
    X, Y, _ = problem
    Y = np.column_stack([Y, np.random.default_rng(2).normal(size=(N, 4)) / np.sqrt(N)])[:, :targets]
    rate = 0.9 * largest_embedding_step(X, Y)
    for chosen in (rate, rate / 7):
        walked = embedding_descent(X, Y, learning_rate=chosen, steps=steps).omega
        np.testing.assert_allclose(embedding_after(X, Y, steps=steps, learning_rate=chosen), walked, atol=1e-11)
    np.testing.assert_array_equal(
        embedding_after(X, Y, steps=steps), embedding_after(X, Y, steps=steps, learning_rate=rate)
    )


def test_after_very_many_steps_descent_is_at_its_limit(problem):
    X, Y, _ = problem
    np.testing.assert_allclose(embedding_after(X, Y, steps=10**9), embedding_limit(X, Y), rtol=1e-6)


def test_the_error_on_a_target_is_that_of_its_fit_written_out(problem):
    X, Y, omega = problem
    target = 5.0 + Y[:, 0]
    fit = X @ np.linalg.lstsq(X, target, rcond=None)[0]
    written = np.linalg.norm(X @ omega @ X.T @ target - fit) / np.linalg.norm(fit)
    assert target_error(X, omega, target) == pytest.approx(written)
    assert target_error(X, inverse(X), target) < 1e-12
    assert target_error(X, 0 * omega, target) == pytest.approx(1)


def test_identified_directions_are_the_span_of_z(problem):
    X, Y, _ = problem
    found = identified_directions(X, Y)
    Z = X.T @ Y
    assert found.rank == M
    np.testing.assert_allclose(found.directions @ found.directions.T, Z @ np.linalg.pinv(Z), atol=1e-12)
    np.testing.assert_allclose(found.strengths, np.linalg.svd(Z, compute_uv=False))
    assert found.shares.sum() == pytest.approx(M)
    V = spectrum(X, centre=False).directions
    np.testing.assert_allclose(found.shares, np.diag(V.T @ Z @ np.linalg.pinv(Z) @ V), atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_effective_rank_of_equal_directions_is_their_number(count):
    X = np.linalg.qr(np.random.default_rng(4).normal(size=(N, 5)))[0]
    assert identified_directions(X, X[:, :count]).effective_rank == pytest.approx(count)


def test_repeated_targets_fix_no_more(problem):
    X, Y, _ = problem
    found = identified_directions(X, np.column_stack([Y[:, 0], 2 * Y[:, 0], -Y[:, 0]]))
    assert found.rank == 1
    assert found.effective_rank == pytest.approx(1)


def test_the_map_error_is_the_distance_to_the_hat_matrix_written_out(problem):
    X, _, omega = problem
    H = proximity_weights(X, X, centre=False)
    assert map_error(X, omega) == pytest.approx(np.linalg.norm(X @ omega @ X.T - H) / np.linalg.norm(H))
    assert map_error(X, inverse(X)) < 1e-12


def test_the_map_error_is_the_error_on_targets_of_noise(problem):
    X, Y, _ = problem
    omega, rng = embedding_limit(X, Y), np.random.default_rng(5)
    noise = rng.normal(size=(N, 40_000))
    gap = X @ omega @ X.T @ noise - proximity_weights(X, X, centre=False) @ noise
    fit = proximity_weights(X, X, centre=False) @ noise
    # 40,000 draws leave a relative error of some 0.3 per cent
    assert map_error(X, omega) == pytest.approx(np.sqrt(np.sum(gap**2) / np.sum(fit**2)), rel=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, Y: embedding_loss(X, Y, np.eye(4)), r"omega must have shape \(5, 5\).* got \(4, 4\)"),
        (lambda X, Y: embedding_loss(X, Y[:-1], np.eye(5)), "Y has 28 entries but there are 29 training rows"),
        (lambda X, Y: embedding_descent(X, Y, learning_rate=0.0, steps=3), "learning_rate must be > 0, got 0.0"),
        (lambda X, Y: embedding_descent(X, Y, learning_rate=0.1, steps=0), "steps must be ≥ 1, got 0"),
        (
            lambda X, Y: embedding_descent(X, Y, learning_rate=0.1, steps=1, weight_decay=-1.0),
            "weight_decay must be ≥ 0, got -1.0",
        ),
        (
            lambda X, Y: embedding_descent(X, Y, learning_rate=0.1, steps=1, start=(np.eye(5), np.ones((5, 2)))),
            r"W_Q and W_K must both have shape \(5, L\), got \(5, 5\) and \(5, 2\)",
        ),
        (
            lambda X, Y: embedding_descent(X, Y, learning_rate=0.1, steps=1, start=(np.eye(5),)),
            r"a pair \(W_Q, W_K\), got 1 parts",
        ),
        (lambda X, Y: embedding_limit(X, Y, start=np.ones((5, 2))), r"start must have shape \(5, 5\)"),
        (lambda X, Y: identified_directions(X, 0 * Y), "orthogonal to every column of X"),
        (lambda X, Y: largest_embedding_step(X, 0 * Y), "orthogonal to every column of X"),
        (lambda X, Y: embedding_after(X, Y, steps=0), "steps must be ≥ 1, got 0"),
        (lambda X, Y: embedding_after(X, Y, steps=2, learning_rate=1e6), "learning_rate must be ≤ .*, got 1000000.0"),
        (lambda X, Y: embedding_after(X[:, [0, 0]], Y, steps=2), "2 columns of X must be independent, got rank 1"),
        (lambda X, Y: target_error(X, np.eye(5), Y), "target must be one target, got 3"),
        (lambda X, Y: target_error(X, np.eye(5), 0 * Y[:, 0]), "orthogonal to every column of X"),
        (lambda X, Y: map_error(X, np.full((5, 5), np.nan)), "omega must be finite, got nan"),
    ],
)
def test_bad_input_is_named(problem, call, message):
    X, Y, _ = problem
    with pytest.raises(ValueError, match=message):
        call(X, Y)
