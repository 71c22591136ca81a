"""Rankine, Sec. 1, and Breeden, Sec. 10.4: one test per row of the ledger about the linear model and its descent."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from regattn.regression import (
    batches,
    gradient,
    gradient_descent,
    largest_stable_step,
    mean_squared_error,
    numerical_gradient,
    stochastic_gradient_descent,
)

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

N, D = 199, 3


@pytest.fixture
def problem():
    """A line with noise, rows as observations: inputs with a column of ones, targets, and the least-squares point."""
    rng = np.random.default_rng(1)
    A = np.column_stack([rng.normal(size=(N, D)), np.ones(N)])
    y = A @ [1.0, -2.0, 0.5, 1.5] + 0.1 * rng.normal(size=N)
    return A, y, np.linalg.lstsq(A, y)[0]


def test_rk_01_the_printed_model_has_observations_in_columns(problem):
    A, _, _ = problem
    theta, beta = np.array([1.0, -2.0, 0.5]), 1.5
    columns = A[:, :D].T  # features by samples
    np.testing.assert_allclose(theta @ columns + beta, A @ [*theta, beta], rtol=1e-12)
    with pytest.raises(ValueError, match="199"):
        theta @ A[:, :D]


def test_rk_1_1_in_the_printed_model_x_is_the_input_and_theta_the_weight():
    # "input, weight and bias: Θ, X, β" fails the shapes of its own equation: one prediction needs as many weights as
    # inputs, and only the second symbol of Θ'X carries the observations
    theta, X = np.ones((D, 1)), np.ones((D, N))
    assert (theta.T @ X).shape == (1, N)
    more = np.ones((D, N + 1))
    assert (theta.T @ more).shape == (1, N + 1)


def test_rk_02_the_sum_needs_the_index_of_its_summand(problem):
    A, y, best = problem
    loss = mean_squared_error(A, y, best)
    assert loss == pytest.approx(sum((y[i] - A[i] @ best) ** 2 for i in range(N)) / N, rel=1e-12)
    literal = [sum((y[k] - A[k] @ best) ** 2 for _ in range(N)) / N for k in range(N)]  # no i in the summand
    assert max(literal) > 5 * loss
    assert min(literal) < loss / 100


def test_rk_02_the_gradient_of_the_corrected_loss_passes_the_finite_difference_check(problem):
    A, y, _ = problem
    theta = np.array([0.3, 0.7, -0.2, 0.9])
    numerical = numerical_gradient(lambda t: mean_squared_error(A, y, t), theta)
    np.testing.assert_allclose(gradient(A, y, theta), numerical, atol=1e-8)  # rounding of 7 over a width of 1e-5


def test_rk_03a_minus_reaches_least_squares_and_plus_runs_away(problem):
    A, y, best = problem
    start = np.random.default_rng(2).uniform(size=D + 1)
    minus = gradient_descent(A, y, learning_rate=0.1, steps=50, start=start)
    plus = gradient_descent(A, y, learning_rate=0.1, steps=50, start=start, sign=1)
    least = mean_squared_error(A, y, best)
    assert minus.losses[10] < minus.losses[0] / 20
    assert minus.losses[50] < least * 1.001
    assert plus.losses[10] > 20 * plus.losses[0]
    assert plus.losses[50] > 1e7 * plus.losses[0]


@pytest.mark.parametrize("eta", [1e-4, 1e-2, 1.0])
def test_rk_03a_plus_grows_every_direction_by_one_plus_eta_lambda(problem, eta):
    A, y, best = problem
    values, vectors = np.linalg.eigh(2 / N * A.T @ A)
    path = gradient_descent(A, y, learning_rate=eta, steps=3, start=best + vectors.sum(axis=1), sign=1)
    errors = (path.parameters - best) @ vectors
    np.testing.assert_allclose(errors[1:] / errors[:-1], np.tile(1 + eta * values, (3, 1)), rtol=1e-9)


@pytest.mark.parametrize(("share", "converges"), [(0.11, True), (0.99, True), (1.01, False)])
def test_rk_03b_the_step_must_stay_below_two_over_the_largest_curvature(problem, share, converges):
    A, y, best = problem
    limit = largest_stable_step(A)
    assert limit == pytest.approx(2 / np.linalg.eigvalsh(2 / N * A.T @ A)[-1], rel=1e-12)
    path = gradient_descent(A, y, learning_rate=share * limit, steps=2000)
    distance = np.linalg.norm(path.parameters[[0, -1]] - best, axis=1)
    assert (distance[1] < 1e-6 * distance[0]) == converges


def test_rk_03c_with_full_rank_twenty_uniform_starts_end_in_one_point(problem):
    A, y, best = problem
    rng = np.random.default_rng(3)
    ends = [
        gradient_descent(A, y, learning_rate=0.3, steps=500, start=rng.uniform(size=D + 1)).parameters[-1]
        for _ in range(20)
    ]
    assert np.abs(np.array(ends) - best).max() < 1e-13


def test_rk_03c_with_a_repeated_column_the_start_decides_which_minimiser(problem):
    A, y, _ = problem
    twice = np.column_stack([A, A[:, 0]])
    rng = np.random.default_rng(4)
    for start in rng.uniform(size=(3, D + 2)):
        end = gradient_descent(twice, y, learning_rate=0.2, steps=500, start=start).parameters[-1]
        assert end[0] - end[4] == pytest.approx(start[0] - start[4], abs=1e-12)
        assert end[0] + end[4] == pytest.approx(np.linalg.lstsq(A, y)[0][0], abs=1e-12)


def test_rk_03c_the_same_start_ruins_a_deep_network():
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(64, 256, generator=generator)
    signals = {}
    for name in ("uniform", "he"):
        signal = inputs
        for _ in range(10):
            W = torch.empty(256, 256)
            if name == "uniform":
                W.uniform_(0, 1, generator=generator)
            else:
                torch.nn.init.kaiming_uniform_(W, nonlinearity="relu", generator=generator)
            signal = torch.relu(signal @ W.T)
        signals[name] = signal
    sizes = {name: float(signal.square().mean().sqrt()) for name, signal in signals.items()}
    assert sizes["uniform"] > 1e19
    assert 0.3 < sizes["he"] < 3
    alive = signals["uniform"].double()
    alive = alive[alive.norm(dim=1) > 0]
    directions = alive / alive.norm(dim=1, keepdim=True)
    assert float((directions @ directions.T).min()) > 0.999  # all outputs parallel


def test_rk_03d_one_row_at_a_time_hovers_at_a_floor_proportional_to_the_step(problem):
    A, y, best = problem
    y = y + 0.5 * np.random.default_rng(6).normal(size=N)
    best = np.linalg.lstsq(A, y)[0]

    def floor(rate):
        rows = batches(N, batch_size=1, steps=20_000, rng=np.random.default_rng(5), replace=True)
        points = stochastic_gradient_descent(A, y, rows, learning_rate=rate).parameters[15_000:]
        return ((points - best) ** 2).sum(axis=1).mean()

    floors = [floor(eta) for eta in (0.03, 0.01, 0.003)]
    assert 2 < floors[0] / floors[1] < 5
    assert 2 < floors[1] / floors[2] < 5
    assert floor(lambda t: 0.1 / (1 + t / 100)) < floors[2]


def test_rk_03d_without_noise_a_constant_step_does_converge(problem):
    A, _, _ = problem
    truth = np.array([1.0, -2.0, 0.5, 1.5])
    rows = batches(N, batch_size=1, steps=20_000, rng=np.random.default_rng(5), replace=True)
    path = stochastic_gradient_descent(A, A @ truth, rows, learning_rate=0.03)
    assert np.abs(path.parameters[-1] - truth).max() < 1e-12


def test_br_10_4a_for_a_log_likelihood_the_plus_is_right():
    p, successes, trials = 0.5, 30, 100
    for _ in range(200):
        p += 0.001 * (successes / p - (trials - successes) / (1 - p))  # ascent on the Bernoulli log-likelihood
    assert p == pytest.approx(successes / trials, rel=1e-9)


def test_br_10_4b_batch_gradients_are_noisy_and_unbiased(problem):
    A, y, _ = problem
    A, y, theta = A[:11], y[:11], np.array([0.3, 0.7, -0.2, 0.9])
    every = np.array([gradient(A[list(r)], y[list(r)], theta) for r in itertools.combinations(range(11), 4)])
    np.testing.assert_allclose(every.mean(axis=0), gradient(A, y, theta), rtol=1e-12)
    assert every.std(axis=0).min() > 0.1


def test_br_10_4c_convergence_needs_decreasing_steps(problem):
    A, y, best = problem

    def last_moves(rate):
        rows = batches(N, batch_size=8, steps=8000, rng=np.random.default_rng(7))
        path = stochastic_gradient_descent(A, y, rows, learning_rate=rate)
        return np.abs(path.parameters[-1000:] - best).max()

    assert last_moves(lambda t: 0.1 / (1 + t / 100)) < last_moves(0.1) / 5


def test_br_10_4d_the_relu_has_no_derivative_at_zero_and_torch_picks_one():
    leaf = torch.tensor(0.0, requires_grad=True)
    torch.relu(leaf).backward()
    assert leaf.grad == 0
    slopes = [(max(h, 0.0) - max(0.0, 0.0)) / h for h in (-1e-6, 1e-6)]
    assert slopes == [0.0, 1.0]
