"""Gradient descent for least squares: against closed forms, torch, scikit-learn and slow loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from scipy.linalg import hadamard
from sklearn.linear_model import SGDRegressor

from regattn.data import load_diabetes, load_macro
from regattn.regression import (
    batches,
    curvatures,
    gradient,
    gradient_descent,
    largest_stable_step,
    mean_squared_error,
    numerical_gradient,
    spectrum,
    stochastic_gradient_descent,
)
from regattn.regression.trajectory import GROWTH_LIMIT

N, P = 23, 5


@pytest.fixture
def problem():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N, P)) @ np.diag([1.0, 2.0, 0.5, 1.5, 0.8])
    return X, X @ rng.normal(size=P) + rng.normal(size=N), rng.normal(size=P)


def closed_form(X, y, start, rate, steps, sign=-1):
    """Points by the eigenvectors of the Hessian: each error coordinate times (1 ± ηλ)^t."""
    values, vectors = np.linalg.eigh(2 / len(X) * X.T @ X)
    best = np.linalg.lstsq(X, y)[0]
    error = vectors.T @ (start - best)
    return np.array([best + vectors @ ((1 + sign * rate * values) ** t * error) for t in range(steps + 1)])


def test_the_loss_is_a_mean_of_squares_taken_one_observation_at_a_time(problem):
    X, y, theta = problem
    slow = math.fsum((y[i] - math.fsum(X[i, k] * theta[k] for k in range(P))) ** 2 for i in range(N)) / N
    assert mean_squared_error(X, y, theta) == pytest.approx(slow, rel=1e-13)


def test_the_gradient_is_torchs(problem):
    X, y, theta = problem
    leaf = torch.tensor(theta, requires_grad=True)
    torch.nn.functional.mse_loss(torch.from_numpy(X) @ leaf, torch.from_numpy(y)).backward()
    np.testing.assert_allclose(gradient(X, y, theta), leaf.grad.numpy(), rtol=1e-12)


def test_the_gradient_passes_the_finite_difference_check(problem):
    X, y, theta = problem
    numerical = numerical_gradient(lambda t: mean_squared_error(X, y, t), theta)
    # rounding of a loss of about 10 over a difference of 2e-5 leaves 1e-10; a factor of 10 to spare
    np.testing.assert_allclose(gradient(X, y, theta), numerical, atol=1e-9)


def test_central_differences_err_with_the_square_of_their_width():
    errors = [abs(numerical_gradient(lambda t: np.exp(t[0]), [1.0], width=h)[0] - math.e) for h in (1e-2, 1e-3)]
    assert errors[0] / errors[1] == pytest.approx(100, rel=1e-3)


def test_every_point_is_the_closed_form_of_the_linear_recursion(problem):
    X, y, theta = problem
    rate = 0.7 * largest_stable_step(X)
    path = gradient_descent(X, y, learning_rate=rate, steps=31, start=theta)
    np.testing.assert_allclose(path.parameters, closed_form(X, y, theta, rate, 31), atol=1e-12)
    assert path.diverged_at is None
    np.testing.assert_array_equal(path.learning_rates, np.full(31, rate))


def test_uphill_is_the_closed_form_with_a_plus(problem):
    X, y, theta = problem
    path = gradient_descent(X, y, learning_rate=0.1, steps=11, start=theta, sign=1)
    np.testing.assert_allclose(path.parameters, closed_form(X, y, theta, 0.1, 11, sign=1), rtol=1e-9)
    assert (np.diff(path.losses) > 0).all()


def test_losses_belong_to_the_points(problem):
    X, y, theta = problem
    rng = np.random.default_rng(1)
    path = stochastic_gradient_descent(
        X, y, batches(N, batch_size=3, steps=17, rng=rng), learning_rate=0.02, start=theta
    )
    assert path.parameters.shape == (18, P)
    expected = [mean_squared_error(X, y, point) for point in path.parameters]
    np.testing.assert_allclose(path.losses, expected, rtol=1e-12)


def test_descent_ends_where_the_normal_equations_are_solved(problem):
    X, y, _ = problem
    end = gradient_descent(X, y, learning_rate=0.9 * largest_stable_step(X), steps=3000).parameters[-1]
    np.testing.assert_allclose(end, spectrum(X, centre=False).coefficients(y).coef, rtol=1e-11)


def test_from_zero_descent_finds_the_minimum_norm_solution_of_a_rank_deficient_problem(problem):
    X, y, _ = problem
    X = np.column_stack([X, X[:, 0] - X[:, 2]])
    end = gradient_descent(X, y, learning_rate=0.9 * largest_stable_step(X), steps=3000).parameters[-1]
    np.testing.assert_allclose(end, np.linalg.pinv(X) @ y, rtol=1e-10)


@pytest.mark.parametrize(("share", "converges"), [(0.999, True), (1.001, False)])
def test_the_largest_stable_step_is_the_border(problem, share, converges):
    X, y, theta = problem
    path = gradient_descent(X, y, learning_rate=share * largest_stable_step(X), steps=4000, start=theta)
    distance = np.linalg.norm(path.parameters - np.linalg.lstsq(X, y)[0], axis=1)
    assert (distance[-1] < distance[0]) == converges


def moment_growth(X, eta, size):
    """Return by what the second moments of the error grow in the long run, from all batches with replacement."""
    p = X.shape[1]
    moved = []
    for rows in itertools.product(range(len(X)), repeat=size):
        step = np.eye(p) - eta * 2 / size * X[list(rows)].T @ X[list(rows)]
        moved.append(np.kron(step, step))
    return np.abs(np.linalg.eigvals(np.mean(moved, axis=0))).max()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_largest_stable_step_of_batches_is_where_second_moments_begin_to_grow(size):
    X = np.random.default_rng(3).normal(size=(5, 2)) * [1.0, 30.0]
    border = largest_stable_step(X, batch_size=size)
    assert moment_growth(X, 0.999 * border, size) < 1 < moment_growth(X, 1.001 * border, size)


def test_the_largest_stable_step_of_batches_of_one_column_is_its_closed_form():
    x = np.array([1.0, 2.0, 5.0, -3.0])
    h = 2 * x**2
    for size in (1, 7):
        expected = 2 / (h.mean() + h.var() / size / h.mean())
        assert largest_stable_step(x[:, None], batch_size=size) == pytest.approx(expected, rel=1e-12)


def test_larger_batches_allow_longer_steps_up_to_the_full_one():
    X = np.random.default_rng(4).normal(size=(31, 3))
    steps = [largest_stable_step(X, batch_size=size) for size in (1, 2, 5, 10**9)]
    assert steps == sorted(steps)
    assert steps[-1] == pytest.approx(largest_stable_step(X), rel=1e-6)


def test_a_repeated_column_leaves_the_step_of_batches_finite_and_in_the_units_of_the_inputs():
    X = np.random.default_rng(5).normal(size=(31, 2))
    twice = np.column_stack([X, X[:, 0]])
    rotated = np.column_stack([np.sqrt(2) * X[:, 0], X[:, 1]])  # the same inner products
    assert largest_stable_step(1e-6 * twice, batch_size=4) * 1e-12 == pytest.approx(
        largest_stable_step(rotated, batch_size=4), rel=1e-9
    )


def test_a_batch_of_no_rows_has_no_largest_step():
    with pytest.raises(ValueError, match=r"batch_size must be .* got 0"):
        largest_stable_step([[1.0], [2.0]], batch_size=0)


def test_curvatures_of_an_orthogonal_design_are_two():
    np.testing.assert_allclose(curvatures(hadamard(8)[:, :5]), np.full(5, 2.0), rtol=1e-14)


def test_curvatures_beyond_the_rank_are_zero():
    wide = curvatures(np.arange(6.0).reshape(2, 3))
    assert wide.shape == (3,)
    np.testing.assert_allclose(
        wide, np.linalg.eigvalsh(np.arange(6.0).reshape(2, 3).T @ np.arange(6.0).reshape(2, 3))[::-1], atol=1e-13
    )


def test_batch_gradients_average_to_the_full_gradient_over_all_batches(problem):
    X, y, theta = problem
    X, y = X[:7], y[:7]
    every = [gradient(X[list(rows)], y[list(rows)], theta) for rows in itertools.combinations(range(7), 3)]
    assert len(every) == 35
    np.testing.assert_allclose(np.mean(every, axis=0), gradient(X, y, theta), rtol=1e-13)


def test_a_batch_of_everything_is_full_batch_descent(problem):
    X, y, theta = problem
    rng = np.random.default_rng(3)
    noisy = stochastic_gradient_descent(
        X, y, batches(N, batch_size=N, steps=13, rng=rng), learning_rate=0.05, start=theta
    )
    full = gradient_descent(X, y, learning_rate=0.05, steps=13, start=theta)
    np.testing.assert_allclose(noisy.parameters, full.parameters, rtol=1e-11)


def test_one_row_at_a_time_is_scikit_learns_sgd(problem):
    X, y, _ = problem
    theirs = SGDRegressor(
        penalty=None, fit_intercept=False, learning_rate="constant", eta0=0.02, shuffle=False, max_iter=3, tol=None
    )
    theirs.fit(X, y)  # their loss is half of ours: r²/2, so our step is half of theirs
    rows = ([i] for _ in range(3) for i in range(N))
    ours = stochastic_gradient_descent(X, y, rows, learning_rate=0.01)
    np.testing.assert_allclose(ours.parameters[-1], theirs.coef_, rtol=1e-12)


def test_a_schedule_is_a_function_of_the_step_number(problem):
    X, y, _ = problem
    path = gradient_descent(X, y, learning_rate=lambda t: 0.1 / (1 + t), steps=5)
    np.testing.assert_allclose(path.learning_rates, [0.1, 0.05, 0.1 / 3, 0.025, 0.02], rtol=1e-15)
    np.testing.assert_allclose(
        np.diff(path.parameters, axis=0)[2], -0.1 / 3 * gradient(X, y, path.parameters[2]), rtol=1e-10
    )


def test_divergence_is_a_result_and_every_number_kept_is_finite(problem):
    X, y, theta = problem
    path = gradient_descent(X, y, learning_rate=10 * largest_stable_step(X), steps=500, start=theta)
    assert path.diverged_at == len(path.learning_rates) + 1 < 500
    assert len(path.losses) == len(path.parameters) == path.diverged_at
    limit = GROWTH_LIMIT * max(path.losses[0], np.mean(y**2))
    beyond = closed_form(X, y, theta, 10 * largest_stable_step(X), path.diverged_at)[-1]
    assert path.losses[-1] <= limit < mean_squared_error(X, y, beyond)


def test_a_first_step_that_overflows_leaves_the_start_alone(problem):
    X, y, theta = problem
    path = gradient_descent(X, y, learning_rate=1e308, steps=5, start=theta)
    assert path.diverged_at == 1
    np.testing.assert_array_equal(path.parameters, [theta])


def test_a_step_the_raw_diabetes_columns_cannot_take_is_safe_once_they_are_standardised():
    X, y = load_diabetes()
    X, y = X.to_numpy(), y.to_numpy() - y.mean()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert gradient_descent(X, y, learning_rate=0.1, steps=50).diverged_at is not None
    assert gradient_descent(Z, y, learning_rate=0.1, steps=50).diverged_at is None


def test_descent_reaches_okuns_line():
    macro = load_macro()
    X = np.column_stack([np.ones(202), macro["gdp_growth"].iloc[1:]])
    y = macro["unemployment"].diff().iloc[1:].to_numpy()
    end = gradient_descent(X, y, learning_rate=0.04, steps=600).parameters[-1]
    np.testing.assert_allclose(end, np.polynomial.Polynomial.fit(X[:, 1], y, 1).convert().coef, rtol=1e-9)


def test_an_epoch_deals_every_row_once_in_a_new_order():
    dealt = list(batches(11, batch_size=4, steps=6, rng=np.random.default_rng(5)))
    assert [len(rows) for rows in dealt] == [4, 4, 3, 4, 4, 3]
    epochs = [np.concatenate(dealt[:3]), np.concatenate(dealt[3:])]
    for epoch in epochs:
        assert sorted(epoch.tolist()) == list(range(11))
    assert (epochs[0] != epochs[1]).any()


def test_batches_with_replacement_repeat_rows_and_cover_them_evenly():
    drawn = np.array(list(batches(11, batch_size=5, steps=4000, rng=np.random.default_rng(5), replace=True)))
    assert any(len(set(rows)) < 5 for rows in drawn.tolist())
    share = np.bincount(drawn.ravel(), minlength=11) / drawn.size
    assert np.abs(share - 1 / 11).max() < 5 * np.sqrt(1 / 11 * 10 / 11 / drawn.size)  # five standard errors


def test_the_same_generator_state_gives_the_same_batches():
    first, second = (list(batches(13, batch_size=3, steps=9, rng=np.random.default_rng(2))) for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learning_rate": -1.0}, "learning_rate must be > 0, got -1.0"),
        ({"learning_rate": 0.0}, "learning_rate must be > 0, got 0.0"),
        ({"learning_rate": math.inf}, "learning_rate must be a finite number, got inf"),
        ({"learning_rate": lambda t: 0.1 - 0.1 * t}, "learning_rate must be > 0, got 0.0"),
        ({"steps": 0}, "steps must be ≥ 1, got 0"),
        ({"sign": 0}, "sign must be -1 .* got 0"),
        ({"sign": True}, "sign must be -1 .* got True"),
        ({"start": np.ones(3)}, "X has 5 columns but start has 3 entries"),
        ({"start": 1.0}, r"start must have shape \(p,\), got shape \(\)"),
        ({"start": [0.0, 0.0, math.nan, 0.0, 0.0]}, r"start must be finite, got nan at index \(2,\)"),
    ],
)
def test_descent_names_what_it_cannot_use(problem, change, message):
    X, y, _ = problem
    with pytest.raises(ValueError, match=message):
        gradient_descent(X, y, **({"learning_rate": 0.1, "steps": 3} | change))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "there must be at least one batch, got 0"),
        ([[0], []], "batch 1 is empty"),
        ([[0, N]], "batch 0 names a row outside 0 to 22, got 0 to 23"),
        ([[-1]], "got -1 to -1"),
        ([[0.5]], "batch 0 must be a vector of row numbers, got shape .1,. of float64"),
    ],
)
def test_stochastic_descent_names_the_batch_it_cannot_use(problem, rows, message):
    X, y, _ = problem
    with pytest.raises(ValueError, match=message):
        stochastic_gradient_descent(X, y, rows, learning_rate=0.1)


def test_targets_of_another_length_are_named(problem):
    X, y, theta = problem
    with pytest.raises(ValueError, match="y has 22 entries but there are 23 training rows"):
        gradient(X, y[1:], theta)


def test_two_targets_at_once_are_refused(problem):
    X, y, theta = problem
    with pytest.raises(ValueError, match=r"y must have shape \(n,\), got shape \(23, 2\)"):
        mean_squared_error(X, np.column_stack([y, y]), theta)


def test_a_batch_larger_than_the_data_is_refused_before_the_first_batch():
    with pytest.raises(ValueError, match=r"batch_size must be ≤ 7 \(the number of observations\), got 8"):
        batches(7, batch_size=8, steps=1, rng=np.random.default_rng(0))


def test_a_zero_design_has_no_largest_step():
    with pytest.raises(ValueError, match=r"X is all zero, got X of shape \(3, 2\)"):
        largest_stable_step(np.zeros((3, 2)))


def test_a_width_of_zero_is_refused():
    with pytest.raises(ValueError, match="width must be > 0, got 0"):
        numerical_gradient(lambda t: t[0], [1.0], width=0.0)
