"""AttentionRegressor(local="linear"): weighted lines that other libraries fit, too, and training from batches."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
import pytest
import torch
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import Ridge
from statsmodels.regression.linear_model import WLS

from regattn import attention_weights, observation_weights
from regattn.attribution import forecast_report
from regattn.regression import AttentionRegressor, _head_training as training, make_design
from regattn.regression._heads import guarded_kernel
from regattn.regression._local import line_average, line_weights

N, P, M, T = 43, 3, 11, 2
LINEAR = ("softmax", "relu", "gaussian")


@pytest.fixture
def rng():
    return np.random.default_rng(43)


@pytest.fixture
def data(rng):
    X = rng.normal(size=(N, P)) * [1.0, 20.0, 0.1] + [0.0, 50.0, 1.0]
    return X, 30 + np.sin(X[:, 0]) * 4 + 0.3 * X[:, 1] + rng.normal(size=N), X[:M] + 0.05 * rng.normal(size=(M, P))


def fitted(X, y, **parameters):
    settings = {"kernel": "gaussian", "local": "linear", "penalty": 0.01, "max_iter": 3000, "random_state": 0}
    return AttentionRegressor(**{**settings, **parameters}).fit(X, y)


def drawn_weights(rng, m=M, n=N):
    return rng.dirichlet(np.full(n, 0.3), size=m)


# --- the line itself --------------------------------------------------------------------------------------------------


def test_the_line_is_ridge_regression_with_sample_weights(rng):
    rows, at, y, weights = rng.normal(size=(N, P)), rng.normal(size=(M, P)), rng.normal(size=N), drawn_weights(rng)
    found = line_average(weights, at, rows, y[:, None], 0.3)[:, 0]
    for j in range(M):
        oracle = Ridge(0.3, solver="cholesky").fit(rows, y, sample_weight=weights[j])
        assert found[j] == pytest.approx(oracle.predict(at[j : j + 1])[0], rel=1e-9)


def test_without_a_penalty_to_speak_of_it_is_weighted_least_squares(rng):
    rows, at, y = rng.normal(size=(N, P)), rng.normal(size=(M, P)), rng.normal(size=N)
    weights = rng.uniform(size=(M, N))
    weights /= weights.sum(axis=1, keepdims=True)
    found = line_average(weights, at, rows, y[:, None], 1e-11)[:, 0]
    with_one = [np.column_stack([np.ones(len(Z)), Z]) for Z in (rows, at)]
    expected = [WLS(y, with_one[0], weights[j]).fit().predict(with_one[1][j])[0] for j in range(M)]
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_a_heavy_penalty_leaves_the_weighted_average(rng):
    rows, at, Y, weights = rng.normal(size=(N, P)), rng.normal(size=(M, P)), rng.normal(size=(N, T)), drawn_weights(rng)
    np.testing.assert_allclose(line_average(weights, at, rows, Y, 1e12), weights @ Y, rtol=1e-6, atol=1e-9)


def test_line_weights_times_outcomes_are_the_line_sum_to_one_and_leave_any_plane_where_it_is(rng):
    rows, at, Y, weights = rng.normal(size=(N, P)), rng.normal(size=(M, P)), rng.normal(size=(N, T)), drawn_weights(rng)
    found = line_weights(weights, at, rows, 0.2)
    np.testing.assert_allclose(found @ Y, line_average(weights, at, rows, Y, 0.2), rtol=1e-10)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    exact = line_weights(np.full((M, N), 1 / N), at, rows, 1e-12)
    plane = np.array([2.0, -1.0, 0.5])
    np.testing.assert_allclose(exact @ (rows @ plane), at @ plane, rtol=1e-8)


def test_tensors_and_arrays_get_the_same_line(rng):
    parts = drawn_weights(rng), rng.normal(size=(M, P)), rng.normal(size=(N, P)), rng.normal(size=(N, T))
    found = line_average(*(torch.from_numpy(part) for part in parts), torch.tensor(0.1, dtype=torch.float64))
    np.testing.assert_allclose(found.numpy(), line_average(*parts, 0.1), rtol=1e-10)


# --- the estimator ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    [
        *({"kernel": kernel} for kernel in LINEAR),
        {"kernel": "softmax", "rank": 2, "ridge": 0.5},
        {"n_heads": 2, "rank": 1},
        {"n_heads": 2, "combine": "learn", "kernel": "softmax"},
        {"encoder": (5,), "penalty": 0.1},
        {"fit_intercept": False, "ridge": 0.1},
    ],
    ids=str,
)
def test_predictions_are_the_weights_times_the_targets(data, parameters):
    X, y, X_new = data
    model = fitted(X, y, **parameters)
    weights = model.attention_weights(X_new)
    np.testing.assert_allclose(model.predict(X_new), weights @ y, rtol=1e-9)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-9)
    assert np.shape(model.ridge_) == ((model.n_heads,) if model.n_heads > 1 else ())
    assert np.min(model.ridge_) > 0


def test_each_prediction_is_a_ridge_fit_under_the_gaussian_weights_of_the_learned_metric(data):
    X, y, X_new = data
    model = fitted(X, y)
    gaps = X_new[:, None, :] - X[None, :, :]
    attention = np.exp(-0.5 * np.einsum("mnp,pq,mnq->mn", gaps, model.omega_, gaps))
    Z, Z_new = ((part - X.mean(axis=0)) / X.std(axis=0) for part in (X, X_new))
    for j in range(M):
        weights = attention[j] / attention[j].sum()
        oracle = Ridge(model.ridge_, solver="cholesky").fit(Z, y, sample_weight=weights)
        assert model.predict(X_new)[j] == pytest.approx(oracle.predict(Z_new[j : j + 1])[0], rel=1e-7)


@pytest.mark.parametrize("kernel", LINEAR)
def test_leave_one_out_in_closed_form_is_the_fit_without_the_row(data, kernel):
    X, y, _ = data
    model = fitted(X, y, kernel=kernel, penalty=0.1)
    closed = model.attention_weights() @ y
    head, Z = model._heads[0], model._X
    for j in (0, 7, N - 1):
        others = np.arange(N) != j
        asked, keys = (head.features(part) for part in (Z[j : j + 1], Z[others]))
        attention = attention_weights(head.queries(asked), head.keys(keys), kernel=guarded_kernel(kernel), scale=1.0)[0]
        oracle = Ridge(model.ridge_, solver="cholesky").fit(Z[others], y[others], sample_weight=attention)
        assert closed[j] == pytest.approx(oracle.predict(Z[j : j + 1])[0], rel=1e-8)
    assert np.all(np.diagonal(model.attention_weights()) == 0)


def test_bandwidth_and_ridge_are_where_the_leave_one_out_error_is_least(data):
    X, y, _ = data
    model = fitted(X, y, penalty=0.0, tol=1e-12, rank=1)
    Z, W, target = model._X, model._heads[0].query_map, (y - y.mean()) / y.std()
    hidden = np.where(np.eye(N, dtype=bool), -np.inf, 0.0)

    def error(bandwidth, ridge):
        codes = Z @ (W / bandwidth)
        attention = np.exp(-0.5 * (codes - codes.T) ** 2 + hidden)
        weights = line_weights(attention / attention.sum(axis=1, keepdims=True), Z, Z, ridge)
        return np.mean((target - weights @ target) ** 2)

    best = error(1.0, model.ridge_)
    assert best == pytest.approx(model.loss_curve_[-1], rel=1e-6)
    for bandwidth, ridge in [(0.8, 1.0), (1.25, 1.0), (1.0, 0.5), (1.0, 2.0), (1.2, 1.5), (0.9, 0.7)]:
        assert error(bandwidth, ridge * model.ridge_) > best - 1e-7


def test_weights_and_the_report_of_the_attribution_hold_for_a_line(data):
    X, y, X_new = data
    model = fitted(X, y)
    weights = observation_weights(model, X, X_new)
    np.testing.assert_allclose(np.asarray(weights) @ y, model.predict(X_new), rtol=1e-9)
    report = forecast_report(np.asarray(weights), y).to_frame()
    np.testing.assert_allclose(report["prediction"], model.predict(X_new), rtol=1e-9)
    assert (report["short position"] < 0).any()


def test_a_line_extrapolates_and_an_average_does_not(rng):
    X = rng.uniform(size=(61, 1))
    y = 2 * X[:, 0]
    far = np.array([[-0.5], [1.5]])
    np.testing.assert_allclose(fitted(X, y, penalty=1e-4).predict(far), [-1.0, 3.0], atol=0.05)
    average = fitted(X, y, penalty=1e-4, local="constant").predict(far)
    assert y.min() - 1e-9 <= average.min() <= average.max() <= y.max() + 1e-9


def test_several_targets_share_one_map_and_each_has_its_line(data, rng):
    X, y, X_new = data
    Y = np.column_stack([y, rng.normal(size=N)])
    model = fitted(X, Y)
    np.testing.assert_allclose(model.predict(X_new), model.attention_weights(X_new) @ Y, rtol=1e-9)


def test_the_gradient_of_the_loss_is_its_slope(rng):
    problem = training.Problem(
        rng.normal(size=(13, P)), rng.normal(size=(13, T)), np.zeros((0, P)), np.zeros((0, T)), 0.1, True
    )
    shape = training.HeadShape("gaussian", P, (), None, True, "linear", None)
    layout = training._Layout(training._start(shape, rng, 13))
    loss, direction = training._Loss(problem, shape, 1, layout), rng.normal(size=layout.initial.size)
    theta = layout.initial
    slope = (loss(theta + 1e-6 * direction)[0] - loss(theta - 1e-6 * direction)[0]) / 2e-6
    assert loss(theta)[1] @ direction == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"local": "quadratic"}, 'local must be "constant" or "linear", got \'quadratic\''),
        ({"kernel": "elu"}, "softmax, relu, gaussian, got 'elu'"),
        ({"kernel": "identity"}, "softmax, relu, gaussian, got 'identity'"),
        ({"ridge": 0.0}, "ridge must be > 0, got 0.0"),
        ({"ridge": 0.5, "local": "constant"}, 'got 0.5 with local="constant"'),
        ({"batch_size": 0}, "batch_size must be ≥ 1, got 0"),
    ],
)
def test_a_parameter_out_of_range_is_named_with_its_value(data, parameters, message):
    X, y, _ = data
    with pytest.raises(ValueError, match=message):
        fitted(X, y, **parameters)


def test_a_column_that_never_varies_and_rows_that_repeat_do_no_harm(rng):
    X = np.column_stack([np.repeat(rng.normal(size=7), 5), np.ones(35)])
    y = 3 * X[:, 0] + 0.1 * rng.normal(size=35)
    model = fitted(X, y, penalty=0.001)
    np.testing.assert_allclose(model.predict(X), y, atol=0.5)


# --- against a Gaussian process, and from batches ---------------------------------------------------------------------


def test_on_a_design_that_bends_a_line_beats_the_average_and_comes_near_a_gaussian_process():
    X, y, _ = make_design("Friedman 1", 700, signal_to_noise=3.0, rng=1)
    train, test = slice(300), slice(300, None)
    scores = {
        local: fitted(X[train], y[train], local=local, penalty=1e-3, tol=1e-5).score(X[test], y[test])
        for local in ("constant", "linear")
    }
    process = GaussianProcessRegressor(RBF(np.ones(5)) + WhiteKernel(), normalize_y=True).fit(X[train], y[train])
    assert scores["linear"] > scores["constant"] + 0.02
    assert scores["linear"] > process.score(X[test], y[test]) - 0.08


def test_batches_of_queries_come_to_where_all_rows_at_once_come(rng):
    X, y, signal = make_design("Friedman 1", 900, signal_to_noise=3.0, rng=2)
    train, test = slice(600), slice(600, None)
    whole = fitted(X[train], y[train], penalty=1e-3, local="constant")
    parts = fitted(X[train], y[train], penalty=1e-3, local="constant", batch_size=150, max_iter=150)
    assert len(parts.loss_curve_) == parts.n_iter_ == 150
    assert np.mean(parts.loss_curve_[-20:]) == pytest.approx(whole.loss_curve_[-1], rel=0.05)
    assert parts.score(X[test], signal[test]) > whole.score(X[test], signal[test]) - 0.03


def test_early_stopping_in_batches_keeps_the_best_look():
    X, y, _ = make_design("linear", 300, signal_to_noise=1.0, rng=3)
    stop = {"validation_fraction": 0.3, "n_iter_no_change": 3, "max_iter": 400, "batch_size": 20}
    model = fitted(X, y, local="constant", penalty=0.0, **stop)
    curve = model.validation_curve_
    assert len(curve) - 1 - int(np.argmin(curve)) == 3 or model.n_iter_ == 400
    assert model.n_iter_ == 10 * len(curve) or model.n_iter_ == 400
    assert model.attention_weights(X).shape == (300, 210)


def test_the_same_seed_deals_the_same_batches():
    X, y, _ = make_design("linear", 100, signal_to_noise=1.0, rng=4)
    few = {"batch_size": 30, "max_iter": 9}
    first, again = (fitted(X, y, **few).predict(X[:5]) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, fitted(X, y, **few, random_state=1).predict(X[:5]))


def test_beyond_five_thousand_rows_a_fit_holds_no_square_of_weights():
    X, y, _ = make_design("Friedman 1", 8000, signal_to_noise=3.0, rng=5)
    start = time.process_time()
    tracemalloc.start()
    model = fitted(X, y, local="constant", max_iter=3)
    fits = model.predict(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert fits.shape == (8000,)
    assert len(model.loss_curve_) == 3
    assert model._rows_per_step(8000) == 256
    assert model._rows_per_step(5000) is None
    assert peak < 8 * 8000**2 / 4
    assert time.process_time() - start < 20
