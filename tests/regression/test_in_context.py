"""Attention trained across regressions: closed forms against walks, the short cut against tokens, errors named."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import wishart
from sklearn.linear_model import Ridge

from regattn.from_scratch import residual_layers
from regattn.regression import (
    LinearLayers,
    SoftmaxHeads,
    best_embedding,
    design_descent,
    design_flow,
    embedding_gradient,
    make_tasks,
    newton_schulz,
    population_embedding,
    relative_distance,
    spectrum,
    train_in_context,
    tuned_descent,
    weights_on_context,
)

C = 0.5 ** np.abs(np.subtract.outer(np.arange(5), np.arange(5)))


def distance(one, other):
    return np.linalg.norm(one - other) / np.linalg.norm(other)


def a_design(n=31, p=3):
    return np.random.default_rng(0).normal(size=(n, p)) @ np.array([[1.0, 0.5, 0.2], [0, 1, 0.3], [0, 0, 1]])[:p, :p]


def test_at_the_inverse_the_gradient_of_every_task_is_zero():
    X, rng = a_design(), np.random.default_rng(1)
    inverse = spectrum(X, centre=False).omega()
    for _ in range(7):
        y = 100 * rng.normal(size=31)
        size = np.abs(embedding_gradient(X, y, 0 * inverse)).max()
        assert np.abs(embedding_gradient(X, y, inverse)).max() < 1e-12 * size


def test_at_the_ridge_the_gradient_of_a_task_is_not_zero_but_its_mean_is():
    X, rng = a_design(), np.random.default_rng(1)
    A, ridge = X.T @ X, spectrum(X, centre=False).omega(ridge=4.0)
    slopes, noise = rng.normal(size=(3, 200_000)), 2 * np.linalg.cholesky(A) @ rng.normal(size=(3, 200_000))
    z = A @ slopes + noise
    each = np.einsum("pb,qb->bpq", A @ slopes - A @ ridge @ z, z)
    assert np.abs(each[0]).max() > 1
    assert (np.abs(each.mean(axis=0)) < 5 * each.std(axis=0) / np.sqrt(200_000)).all()


@pytest.mark.parametrize(("target", "end"), [("own", 0.0), ("clean", 4.0)])
def test_the_flow_is_the_recursion_of_the_mean_gradient_and_ends_at_least_squares_or_ridge(target, end):
    X, sigma = a_design(), 2.0
    A = X.T @ X
    eta = 0.1 / np.linalg.eigvalsh(A)[-1] ** 3
    shown = A @ A + sigma**2 * A
    asked = shown if target == "own" else A @ A
    omega = np.zeros((3, 3))
    for _ in range(500):
        omega = omega + 2 * eta * (asked - A @ omega @ shown)
    settings = {"noise": sigma, "target": target, "learning_rate": eta}
    np.testing.assert_allclose(design_flow(X, steps=500, **settings), omega, rtol=1e-9)
    np.testing.assert_allclose(
        design_flow(X, steps=10**7, **settings), spectrum(X, centre=False).omega(ridge=end), rtol=1e-9
    )
    assert design_flow(X, steps=[0, 3, 500], **settings).shape == (3, 3, 3)


@pytest.mark.parametrize("noise", [0.0, 1.0, 5.0])
def test_a_walk_with_its_own_target_has_no_noise_floor(noise):
    X = a_design()
    eta = 0.1 / np.linalg.eigvalsh(X.T @ X)[-1] ** 3
    walk = design_descent(X, noise=noise, target="own", steps=15_000, learning_rate=eta, rng=np.random.default_rng(2))
    assert walk.shape == (1501, 3, 3)
    assert distance(walk[-1], spectrum(X, centre=False).omega()) < 1e-9


def test_every_step_of_a_walk_is_descent_on_the_tasks_it_draws():
    X, noise, eta, rng = a_design(n=3), 0.7, 1e-3, np.random.default_rng(4)
    walk = design_descent(X, noise=noise, target="own", steps=30, learning_rate=eta, rng=np.random.default_rng(4))
    omega, root = np.zeros((3, 3)), np.linalg.cholesky(X.T @ X)
    for step in range(1, 31):
        slopes, errors = rng.normal(size=(2, 3, 32))
        Y = X @ slopes + noise * np.linalg.solve(X.T, root @ errors)  # outcomes with these moments
        omega = omega - eta * embedding_gradient(X, Y, omega)
        if step % 10 == 0:
            np.testing.assert_allclose(walk[step // 10], omega, atol=1e-12)
    assert np.abs(omega - omega.T).max() > 1e-6


def test_a_walk_with_a_clean_target_hovers_about_the_ridge():
    X = a_design()
    eta = 0.1 / np.linalg.eigvalsh(X.T @ X)[-1] ** 3
    walk = design_descent(X, noise=5.0, target="clean", steps=5000, learning_rate=eta, rng=np.random.default_rng(2))
    far = [distance(omega, spectrum(X, centre=False).omega(ridge=25.0)) for omega in walk[-200:]]
    assert min(far) > 1e-3
    assert max(far) < 0.1
    assert distance(walk[-200:].mean(axis=0), spectrum(X, centre=False).omega(ridge=25.0)) < 0.02


def test_the_population_embedding_is_what_wishart_matrices_say():
    draws = wishart(df=7, scale=C).rvs(200_000, random_state=0)
    second = np.einsum("tpq,tqr->pr", draws, draws) / len(draws) + 0.25 * 7 * C
    assert distance(7 * C @ np.linalg.inv(second), population_embedding(C, n=7, noise=0.5)) < 0.01


def test_least_squares_on_tasks_and_training_find_the_population_embedding():
    tasks = make_tasks(np.random.default_rng(3), C, tasks=64_000, n=20, noise=0.5)
    formula = population_embedding(C, n=20, noise=0.5)
    assert distance(best_embedding(tasks), formula) < 0.02
    layer = LinearLayers(1, 5)
    losses = train_in_context(layer, tasks, C)
    assert losses.shape == (1000,)
    assert distance(layer.A[0].detach().numpy() / 20, formula) < 0.05


def test_ridge_slopes_are_those_of_scikit_learn():
    tasks = make_tasks(np.random.default_rng(4), C, tasks=3, n=11, noise=0.5)
    for ridge in (0.0, 2.5):
        for X, y, slopes in zip(tasks.X, tasks.y, tasks.ridge_slopes(ridge), strict=True):
            np.testing.assert_allclose(slopes, Ridge(alpha=ridge, fit_intercept=False).fit(X, y).coef_, rtol=1e-9)


def test_risk_is_the_mean_squared_error_at_new_rows():
    tasks = make_tasks(np.random.default_rng(5), C, tasks=2000, n=11, noise=0.5)
    rows = np.random.default_rng(6).normal(size=(2000, 500, 5)) @ np.linalg.cholesky(C).T
    w = tasks.ridge_slopes(1.0)
    by_draws = np.mean(np.einsum("tmp,tp->tm", rows, w - tasks.slopes) ** 2)
    assert tasks.risk(w, C) == pytest.approx(by_draws, rel=0.02)


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("move_rows", [True, False])
def test_layers_on_moments_are_layers_on_tokens(tied, move_rows):
    tasks = make_tasks(np.random.default_rng(7), C, tasks=7, n=11, noise=1.0)
    layers = LinearLayers(3, 5, tied=tied, move_rows=move_rows, rng=1)
    with torch.no_grad():
        for part in layers.parameters():
            part.mul_(5)
        asks = torch.randn(7, 13, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        w = layers(*(torch.from_numpy(part) for part in tasks.moments()))
        read = layers.read(torch.from_numpy(tasks.X), torch.from_numpy(tasks.y), asks)
    assert (read - (asks @ w[..., None])[..., 0]).abs().max() < 2e-15 * max(1, float(read.abs().max()))


def test_layers_of_one_number_are_those_of_chapter_10():
    tasks = make_tasks(np.random.default_rng(8), C, tasks=1, n=11, noise=1.0)
    layers = LinearLayers(4, 5)
    with torch.no_grad():
        layers.A[:] = 0.3 * torch.eye(5, dtype=torch.float64)
        w = layers(*(torch.from_numpy(part) for part in tasks.moments()))[0].numpy()
    asks = np.random.default_rng(9).normal(size=(3, 5))
    np.testing.assert_allclose(asks @ w, residual_layers(tasks.X[0], tasks.y[0], asks, 0.3 / 11, 4), rtol=1e-12)


def test_weights_on_the_context_are_those_by_which_layers_answer():
    rng = np.random.default_rng(10)
    X, y, asks = rng.normal(size=(11, 5)), rng.normal(size=11), rng.normal(size=(3, 5))
    layers = LinearLayers(3, 5, move_rows=True, rng=2)
    with torch.no_grad():
        read = layers.read(*(torch.from_numpy(part)[None] for part in (X, y, asks)))[0].numpy()
    np.testing.assert_allclose(weights_on_context(layers, X, asks) @ y, read, rtol=1e-9)


def test_newton_doubles_the_steps_of_descent():
    G = np.cov(np.random.default_rng(11).normal(size=(3, 31)))
    alpha, total, power = 0.3, np.zeros((3, 3)), np.eye(3)
    for _ in range(2**5):
        total, power = total + alpha * power, power @ (np.eye(3) - alpha * G)
    np.testing.assert_allclose(newton_schulz(G, rounds=5, start=alpha), total, rtol=1e-10)
    np.testing.assert_allclose(newton_schulz(G, rounds=30, start=alpha), np.linalg.inv(G), rtol=1e-9)


def test_one_tuned_step_has_a_closed_form_and_more_are_better():
    tasks = make_tasks(np.random.default_rng(12), C, tasks=3000, n=11, noise=1.0)
    G, z = tasks.moments()
    best = np.einsum("tp,pq,tq->", tasks.slopes, C, z) / np.einsum("tp,pq,tq->", z, C, z)
    assert tuned_descent(tasks, C, depth=1)[0] == pytest.approx(best, rel=1e-4)  # where L-BFGS stops
    risks = []
    for depth in (1, 2, 3):
        w = np.zeros_like(z)
        for size in tuned_descent(tasks, C, depth=depth):
            w = w + size * (z - np.einsum("tpq,tq->tp", G, w))
        risks.append(tasks.risk(w, C))
    assert risks[0] > risks[1] > risks[2]


def test_mirrored_softmax_heads_are_linear_attention_with_a_centre():
    rng = np.random.default_rng(13)
    X, asks = rng.normal(size=(11, 3)), rng.normal(size=(2, 3))
    omega = 1e-4 * rng.normal(size=(3, 3))
    heads = SoftmaxHeads(2, 3)
    with torch.no_grad():
        heads.omega[:] = torch.from_numpy(np.stack([omega, -omega]))
        weights = heads.weights(torch.from_numpy(X)[None], torch.from_numpy(asks)[None])[0].numpy()
    linear = 2 * asks @ omega @ (X - X.mean(axis=0)).T / 11
    np.testing.assert_allclose(weights, linear, atol=1e-6 * np.abs(linear).max())
    np.testing.assert_allclose(weights.sum(axis=1), 0, atol=1e-15)


def test_a_factor_that_is_not_learned_stays():
    heads = SoftmaxHeads(2, 5, scaled=False)
    tasks = make_tasks(np.random.default_rng(14), C, tasks=200, n=7, noise=0.5)
    before = heads.omega.detach().clone()
    train_in_context(heads, tasks, C, steps=3)
    assert heads.v.tolist() == [0.5, 0.5]
    assert (heads.omega != before).all()


def test_an_intercept_is_added_to_all_outcomes_of_a_task():
    tasks = make_tasks(np.random.default_rng(15), C, tasks=5000, n=7, noise=0.0, intercept=2.0)
    left = tasks.y - np.einsum("tnp,tp->tn", tasks.X, tasks.slopes)
    np.testing.assert_allclose(left, np.tile(tasks.intercepts[:, None], 7), atol=1e-12)
    assert tasks.intercepts.std() == pytest.approx(2, rel=0.05)


def few():
    """Return as many tasks as a step of training needs."""
    return make_tasks(0, C, tasks=64, n=7, noise=1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_tasks(np.random.default_rng(0), C, tasks=3, n=0, noise=1.0), "n must be ≥ 1, got 0"),
        (lambda: make_tasks(np.random.default_rng(0), C, tasks=3, n=2, noise=-1.0), "noise must be ≥ 0, got -1"),
        (lambda: make_tasks(np.random.default_rng(0), C[:3], tasks=3, n=2, noise=1.0), r"got shape \(3, 5\)"),
        (lambda: population_embedding(-C, n=2, noise=1.0), "positive definite, got -"),
        (lambda: design_flow(C, noise=1.0, target="mine", steps=3, learning_rate=0.1), "own, clean, got 'mine'"),
        (lambda: LinearLayers(0, 5), "depth must be ≥ 1, got 0"),
        (lambda: newton_schulz(C, rounds=1, start=0.0), "start must be > 0, got 0"),
        (lambda: newton_schulz(C[:3], rounds=1, start=0.1), r"G must have shape \(..., p, p\), got \(3, 5\)"),
        (lambda: newton_schulz(C, rounds=40, start=2.0), "the rounds ran away: .* got start 2"),
        (lambda: newton_schulz(C * np.nan, rounds=1, start=0.1), "G must be finite, got nan"),
        (lambda: tuned_descent(few(), C[:3, :3], depth=1), "C has 3 columns but the rows of the tasks have 5"),
        (lambda: train_in_context(LinearLayers(1, 5), few(), C[:3, :3]), "C has 3 columns but"),
        (lambda: weights_on_context(LinearLayers(1, 4), C, C), "X has 5 columns but the layers take 4"),
        (lambda: weights_on_context(LinearLayers(1, 5), C, C[:, :3]), "X_new has 3 columns but the layers take 5"),
        (
            lambda: train_in_context(
                LinearLayers(1, 5), make_tasks(np.random.default_rng(0), C, tasks=9, n=7, noise=1.0), C
            ),
            "the batch must be ≤ 9",
        ),
    ],
)
def test_an_impossible_setting_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_relative_distance_is_that_of_one_long_row_and_errors_are_named():
    rng = np.random.default_rng(2)
    A, B = rng.normal(size=(2, 3, 5))
    squares = sum((a - b) ** 2 for a, b in zip(A.flat, B.flat, strict=True)), sum(b**2 for b in B.flat)
    assert relative_distance(A, B) == pytest.approx(np.sqrt(squares[0] / squares[1]))
    with pytest.raises(ValueError, match=r"found has shape \(3, 5\) but right has \(5, 3\)"):
        relative_distance(A, B.T)
    with pytest.raises(ValueError, match="got a size of 0"):
        relative_distance(A, 0 * A)
