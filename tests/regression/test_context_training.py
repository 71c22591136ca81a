"""The training behind the ContextExplorer: gradients written out by hand, chance in two languages, what is learned."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch

from regattn.regression import _context_training as training
from regattn.regression.in_context import population_embedding
from regattn.widgets._kit.page_rng import mulberry32

HEADS = [(1, True, name) for name in ("softmax", "pair")]
LAYERS = [(depth, tied, name) for name in ("linear", "plus") for depth in (1, 4) for tied in (True, False)]


def settings(**options) -> training.Settings:
    """Return a small training; options change it."""
    standard = {"design": "random", "dimension": 3, "context": 12, "noise": 0.7, "target": "noisy", "depth": 1}
    standard |= {"attention": "linear", "tied": True, "learning_rate": 0.1, "seed": 2, "correlation": 0.5, "steps": 600}
    return training.Settings(**standard | options)


def token_by_token(given: training.Settings, theta: torch.Tensor, tasks: training.Tasks) -> torch.Tensor:
    """Return the loss as the layers see it: rows and what is left of their outcomes, the query among them."""
    X, y, queries, goals = map(torch.tensor, tasks)
    n, p = given.context, given.dimension
    if given.attention in training.HEADS:
        count = training.HEADS[given.attention]
        omegas, values = theta[: count * p * p].reshape(count, p, p), theta[count * p * p :]
        rows = ((queries @ omega @ X.mT).softmax(-1) for omega in omegas)
        answers = sum(v * a @ y[..., None] for v, a in zip(values, rows, strict=True))
        return ((answers[..., 0] - goals) ** 2).mean()
    parts = theta.reshape(-1, p, p)
    moves = parts[len(parts) // 2 :] if given.attention == "plus" else torch.zeros_like(parts)
    x, r = torch.cat([X, queries], 1), torch.cat([y, torch.zeros_like(goals)], 1)[..., None]
    for layer in range(given.depth):
        k, keys = 0 if given.tied else layer, x[:, :n]
        r, x = r - x @ parts[k] @ (keys.mT @ r[:, :n]) / n, x - x @ moves[k] @ (keys.mT @ keys) / n
    return ((-r[:, n:, 0] - goals) ** 2).mean()


@pytest.mark.parametrize("design", ["random", "fixed"])
@pytest.mark.parametrize(("depth", "tied", "attention"), LAYERS + HEADS)
def test_loss_and_gradient_are_those_of_autograd_on_tokens(design, depth, tied, attention):
    given = settings(design=design, depth=depth, tied=tied, attention=attention)
    tasks = training.tasks(given, training.TRAIN, 3, 8, 5)
    start = training.start(given)
    theta = start + 0.2 * np.random.default_rng(depth).normal(size=start.shape)
    leaf = torch.tensor(theta, requires_grad=True)
    wanted = token_by_token(given, leaf, tasks)
    wanted.backward()
    loss, slope = training.loss_and_slope(given, theta, tasks)
    assert loss == pytest.approx(wanted.item(), rel=1e-12)
    np.testing.assert_allclose(slope, leaf.grad, rtol=1e-10, atol=1e-10 * float(leaf.grad.abs().max()))
    answers = (training.weights(given, theta, tasks.X, tasks.queries) @ tasks.y[..., None])[..., 0]
    assert np.mean((answers - tasks.goals) ** 2) == pytest.approx(loss, rel=1e-12)


def test_chance_is_that_of_the_page_and_normal():
    uniform = np.array(list(islice(mulberry32((7 * 0x9E3779B1 + 3 * 0x85EBCA6B) % 2**32), 6)))
    wanted = np.sqrt(-2 * np.log(1 - uniform[0::2])) * np.cos(2 * np.pi * uniform[1::2])
    np.testing.assert_allclose(training.normals(7, 3, 0, 6)[::2], wanted, rtol=1e-14)
    np.testing.assert_array_equal(training.normals(7, 3, 4, 3), training.normals(7, 3, 0, 9)[4:7])
    many = training.normals(1, 2, 0, 200_000)
    assert abs(many.mean()) < 4 / np.sqrt(200_000)  # four standard errors, here and below
    assert abs((many**2).mean() - 1) < 4 * np.sqrt(2 / 200_000)
    assert abs((many**4).mean() - 3) < 4 * np.sqrt(96 / 200_000)


def test_rows_have_their_covariance_and_no_batch_comes_twice():
    tasks = training.tasks(settings(), training.TRAIN, 0, 4000, 8)
    rows = tasks.X.reshape(-1, 3)
    error = 4 * np.sqrt(2 / len(rows))
    np.testing.assert_allclose(rows.T @ rows / len(rows), training.covariance(settings()), atol=error)
    batches = [training.tasks(settings(), training.TRAIN, at, 32, 8).y for at in (0, 1, 2)]
    assert len({batch.tobytes() for batch in batches}) == 3


@pytest.mark.parametrize("noise", [0.0, 1.5])
def test_theory_of_one_layer_is_the_chapters(noise):
    given = settings(noise=noise)
    X = training.tests(given)[0].X[0]
    wanted = population_embedding(training.covariance(given), n=given.context, noise=noise)
    np.testing.assert_allclose(training.theory(given, X, "best") / given.context, wanted, rtol=1e-12)
    fixed = training.theory(given._replace(design="fixed"), X, "best") / given.context
    np.testing.assert_allclose(fixed, np.linalg.inv(X.T @ X), rtol=1e-10)
    clean = training.theory(given._replace(design="fixed", target="clean"), X, "best") / given.context
    np.testing.assert_allclose(clean, np.linalg.inv(X.T @ X + noise**2 * np.eye(3)), rtol=1e-10)


@pytest.mark.parametrize(("depth", "attention"), [(3, "plus"), (2, "linear"), (1, "pair")])
def test_what_layers_leave_is_what_tokens_carry(depth, attention):
    given = settings(depth=depth, attention=attention)
    theta = training.start(given)
    theta = theta + 0.2 * np.random.default_rng(depth).normal(size=theta.shape)
    plain = training.tests(given)[0]
    doubled = training.stretched(plain, 2.0)
    np.testing.assert_array_equal(doubled.X, 2 * plain.X)
    np.testing.assert_array_equal(doubled.y, plain.y)
    X, y, queries, _ = (part[0] for part in doubled)
    left = training.left(given, theta, X, y, queries[1])
    np.testing.assert_array_equal(left[0], [*y, 0.0])
    assert left[-1, -1] == pytest.approx(-(training.weights(given, theta, X, queries) @ y)[1], rel=1e-12)
    if attention == "pair":
        return
    x, r = np.vstack([X, queries[1]]), np.append(y, 0.0)
    first, second = training.layers(given, theta)
    for layer in range(depth):
        keys = x[: given.context]
        wanted = r - x @ first[0] @ keys.T @ r[: given.context] / given.context
        if second is not None:
            x = x - x @ second[0] @ keys.T @ keys / given.context
        r = wanted
        np.testing.assert_allclose(left[layer + 1], r, rtol=1e-9, atol=1e-9 * np.abs(left).max())
