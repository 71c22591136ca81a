"""Descent that begins at the optimum stays there: every kind of it, in the package, on the blackboard, in the pages.

Where the optimum is, others say: a pseudoinverse, Newton's method, a linear system, a target without noise.
"""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
import torch
from hypothesis import given, settings, strategies as st
from scipy.optimize import root
from scipy.special import expit

from regattn.from_scratch import gradient_descent as blackboard_descent, logistic_descent, network_step
from regattn.regression import (
    AttentionRegressor,
    LinearLayers,
    SoftmaxHeads,
    _context_training as training,
    batches,
    embedding_descent,
    embedding_gradient,
    gradient,
    gradient_descent,
    largest_embedding_step,
    largest_stable_step,
    make_network,
    make_tasks,
    network_descent,
    stochastic_gradient_descent,
    train_in_context,
)
from tests.explorers import descent, embedding, network
from tests.node import in_node
from tests.regression.test_context_training import settings as small_training

STEPS = 17
seeds = st.integers(0, 10**6)
few = settings(max_examples=20, deadline=None)


def stays(path, at, *, scale=1.0):
    """Check that every point of a path is the first, up to rounding, which is ``at``."""
    np.testing.assert_allclose(np.asarray(path) - at, 0.0, atol=1e-10 * scale)
    assert len(path) == STEPS + 1


def rows_of(seed, n=23, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ np.diag(rng.uniform(0.3, 3.0, size=p))
    return X, X @ rng.normal(size=p) + rng.normal(size=n), rng


@few
@given(seeds, st.floats(0.01, 1.9), st.sampled_from([-1, 1]))
def test_least_squares_is_left_neither_downhill_nor_uphill(seed, share, sign):
    X, y, _ = rows_of(seed)
    best = np.linalg.pinv(X) @ y
    eta = share / 2 * largest_stable_step(X) if sign == -1 else 0.01 * largest_stable_step(X)
    assert np.abs(gradient(X, y, best + 1)).min() > 0  # and elsewhere it would move
    path = gradient_descent(X, y, learning_rate=eta, steps=STEPS, start=best, sign=sign)
    stays(path.parameters, best)


@few
@given(seeds, st.integers(1, 23), st.booleans())
def test_batches_leave_least_squares_only_where_rows_disagree(seed, size, replace):
    X, y, rng = rows_of(seed)
    best = np.linalg.pinv(X) @ y
    eta = 0.1 * largest_stable_step(X, batch_size=size)
    dealt = list(batches(23, batch_size=size, steps=STEPS, rng=rng, replace=replace))
    agreed = stochastic_gradient_descent(X, X @ best, dealt, learning_rate=eta, start=best)
    stays(agreed.parameters, best)
    moved = stochastic_gradient_descent(X, y, dealt, learning_rate=eta, start=best).parameters[1] - best
    assert np.linalg.norm(moved) > 1e-10 or set(dealt[0]) == set(range(23))


@few
@given(seeds, st.floats(0.0, 2.0), st.booleans())
def test_an_omega_of_least_loss_is_left_by_no_step_with_decay_or_without(seed, decay, factors):
    X, _, rng = rows_of(seed)
    X = X / np.sqrt(23)
    Y = rng.normal(size=(23, 5))
    Z, A = X.T @ Y, X.T @ X
    if factors:  # Ω = W_Q W_K' of least loss without decay
        W_Q = np.eye(3) + 0.2 * rng.normal(size=(3, 3))
        begin, decay = (W_Q, np.linalg.inv(A @ W_Q).T), 0.0
        best = begin[0] @ begin[1].T
    else:  # 2/M (A Ω ZZ' − ZZ') + μΩ = 0, entry by entry
        system = 2 / 5 * np.kron(A, Z @ Z.T) + decay * np.eye(9)
        begin = best = np.linalg.solve(system, (2 / 5 * Z @ Z.T).ravel()).reshape(3, 3)
    eta = 0.01 * largest_embedding_step(X, Y)
    path = embedding_descent(X, Y, learning_rate=eta, steps=STEPS, start=begin, weight_decay=decay)
    stays(path.omegas, best, scale=np.abs(best).max())
    assert np.abs(embedding_gradient(X, Y, best + 1)).max() > 1e-3


@few
@given(seeds, st.floats(0.01, 1.0))
def test_a_logistic_regression_is_left_by_no_step_with_decay_of_its_weights(seed, decay):
    X, _, rng = rows_of(seed)
    y = (rng.uniform(size=23) < 0.5).astype(float)
    W = sm.add_constant(X)

    def slope(theta):  # of the loss, a constant first, and of δ/2 ‖w‖²
        return W.T @ (expit(W @ theta) - y) / 23 + decay * np.r_[0.0, theta[1:]]

    best = root(slope, np.zeros(4), tol=1e-14).x
    best = np.r_[best[1:], best[0]]  # a network has its bias last
    start = make_network((3,)).at(best)
    path = network_descent(start, X, y, learning_rate=0.1, steps=STEPS, weight_decay=decay)
    stays(path.parameters, best, scale=10)
    assert np.abs(network_descent(start, X, y, learning_rate=0.1, steps=1).parameters[-1] - best).max() > 1e-6 * decay


@pytest.mark.parametrize("activation", ["tanh", "relu", "leaky_relu", "gelu", "silu", "identity"])
def test_a_network_that_says_one_half_of_rows_that_are_both_leaves_it_by_no_step(activation):
    X, _, rng = rows_of(3)
    X, y = np.r_[X, X], np.repeat([0, 1], 23)  # every row once with each outcome
    start = make_network((3, 4, 2), activation=activation, rng=rng)
    silent = start.parameters.copy()
    silent[-3:] = 0.0  # what the last layer hears, and its bias
    path = network_descent(start.at(silent), X, y, learning_rate=0.5, steps=STEPS)
    stays(path.parameters, silent)


def test_descents_on_the_blackboard_stay_where_zero_is_best():
    X, y, rng = rows_of(5)
    y = y - X @ np.linalg.pinv(X) @ y  # orthogonal to X
    np.testing.assert_allclose(blackboard_descent(X, y, 0.05, 50), 0.0, atol=1e-13)
    both, outcome = np.r_[X, X], np.repeat([0.0, 1.0], 23)
    np.testing.assert_allclose(logistic_descent(both, outcome, 0.5, 50), 0.0, atol=1e-13)
    silent = [rng.normal(size=(4, 3)), rng.normal(size=4), np.zeros(4), 0.0]
    for before, after in zip(silent, network_step(silent, both, outcome, 0.5), strict=True):
        np.testing.assert_allclose(after, before, atol=1e-13)


def test_linear_layers_that_know_the_answer_of_every_task_keep_it():
    rng = np.random.default_rng(1)
    tasks = make_tasks(rng, np.eye(3), tasks=64, n=11, noise=0.0)
    tasks = tasks._replace(X=np.broadcast_to(tasks.X[0], tasks.X.shape))  # the same rows for all
    y = np.einsum("tnp,tp->tn", tasks.X, tasks.slopes)
    tasks = tasks._replace(y=y, intercepts=np.zeros(64))
    layers = LinearLayers(1, 3)
    best = np.linalg.inv(tasks.X[0].T @ tasks.X[0] / 11)
    with torch.no_grad():
        layers.A[:] = torch.from_numpy(best)
    losses = train_in_context(layers, tasks, np.eye(3), steps=2)  # a third would show that Adam enlarges rounding
    assert losses.max() < 1e-15


def test_heads_that_share_out_one_say_a_constant_and_stay():
    tasks = make_tasks(np.random.default_rng(2), np.eye(3), tasks=64, n=11, noise=0.0)
    level = np.arange(64.0)
    tasks = tasks._replace(y=np.repeat(level[:, None], 11, axis=1), slopes=np.zeros((64, 3)), intercepts=level)
    heads = SoftmaxHeads(3, 3, scaled=False)
    before = heads.omega.detach().clone()
    assert train_in_context(heads, tasks, np.eye(3), steps=STEPS).max() < 1e-20
    np.testing.assert_allclose(heads.omega.detach(), before, atol=1e-6)
    np.testing.assert_array_equal(heads.v.detach(), np.full(3, 1 / 3))


def test_heads_of_a_target_that_never_varies_end_where_they_began():
    X, _, rng = rows_of(6)
    model = AttentionRegressor(penalty=0.0, random_state=0).fit(X, np.full(23, 7.0))
    np.testing.assert_allclose(model.predict(rng.normal(size=(5, 3))), 7.0)
    assert len(model.loss_curve_) == 1


KNOWN = small_training(design="fixed", dimension=2, seed=11, steps=100)


def test_training_on_the_same_rows_keeps_least_squares(monkeypatch):
    X = training.tests(KNOWN)[0].X[0]
    best = 12 * np.linalg.inv(X.T @ X)
    monkeypatch.setattr(training, "start", lambda _: best.ravel())
    found = training.train.__wrapped__(KNOWN, STEPS)
    np.testing.assert_allclose(found.theta.reshape(2, 2), best, rtol=1e-10)


# ---- the same in the pages ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", ["minus", "plus"])
def test_the_descent_of_the_page_stays_at_least_squares(tmp_path, sign):
    explorer = descent.example(steps=STEPS)
    best = np.linalg.lstsq(explorer.X, explorer.y)[0]
    now = {"learning_rate": 0.01, "batch_size": len(explorer.y), "seed": 1, "sign": sign, "start": best.tolist()}
    code = "say(descend(given.data, given.now).parameters);"
    stays(in_node(tmp_path, "descent/numbers.js", code, {"data": explorer.data, "now": now}), best, scale=100)


@pytest.mark.parametrize("start", ["random", "factors"])
def test_the_descent_on_omega_of_the_page_stays_at_the_inverse(tmp_path, start):
    explorer = embedding.example(steps=STEPS, step=0)
    data = explorer.data
    p = len(data["inverse"])
    starts = {"random": data["inverse"], "W_Q": data["inverse"], "W_K": np.eye(p).tolist()}
    code = """const problem = embeddingProblem(given.data);
      problem.draws[0].starts = given.starts;
      say(embeddingWalk(problem, given.now).omegas.map((omega) => Array.from(omega)));"""
    now = {"teacher": "listed", "count": 2, "start": start, "learning_rate": 0.5, "seed": 1}
    found = in_node(tmp_path, "embedding/numbers.js", code, {"data": data, "starts": starts, "now": now})
    stays(found, np.ravel(data["inverse"]), scale=np.abs(data["inverse"]).max())


def test_the_network_of_the_page_stays_at_the_logistic_regression(tmp_path):
    explorer = network.example()
    X, n = explorer.X, len(explorer.X)
    y = (np.random.default_rng(8).uniform(size=n) < 0.5).astype(int)  # which no line separates
    fit = sm.Logit(y, sm.add_constant(X)).fit(disp=0, method="newton", tol=1e-14).params
    best = np.r_[fit[1:], fit[0]]
    now = {"units_1": 0, "activation": "tanh", "learning_rate": 0.5, "weight_decay": 0, "batch_size": n, "seed": 1}
    code = """const typed = (values) => Float64Array.from(values.flat());
      const problem = { ...given.data, inputs: typed(given.X), y: typed(given.y), inputs_held_out: typed([]),
        y_held_out: typed([]), every: 1, steps: given.steps };
      const walk = networkTraining(problem);
      const state = walk.begin(given.now);
      state.theta = typed(given.best);
      const seen = [Array.from(state.theta)];
      for (let t = 0; t < given.steps; t++) { walk.advance(state, given.now); seen.push(Array.from(state.theta)); }
      say(seen);"""
    told = {"data": explorer.data, "X": X.tolist(), "y": y.tolist(), "best": best.tolist(), "now": now, "steps": STEPS}
    stays(in_node(tmp_path, "network/training.js", code, told), best, scale=10)


def test_the_training_of_the_page_keeps_least_squares_on_the_same_rows(tmp_path):
    X = training.tests(KNOWN)[0].X[0]
    best = (12 * np.linalg.inv(X.T @ X)).ravel()
    names = ("batch", "queries", "tested", "asked", "every", "clip", "momentum", "rise", "growth_limit")
    data = {name: getattr(training, name.upper()) for name in names}
    data |= {"steps": 100, "correlation": KNOWN.correlation, "scales": [1.0], "starts": training.STARTS, "units": [1]}
    code = """const walk = contextTraining(given.data);
      const state = walk.begin(given.now);
      state.theta = Float64Array.from(given.best);
      const seen = [given.best];
      for (let t = 0; t < given.steps; t++) { walk.advance(state, given.now); seen.push(Array.from(state.theta)); }
      say(seen);"""
    told = {"data": data, "now": KNOWN._asdict(), "best": best.tolist(), "steps": STEPS}
    stays(in_node(tmp_path, "context/training.js", code, told), best, scale=np.abs(best).max())
