"""AttentionRegressor: an estimator to scikit-learn, least squares in closed form, and training that can be trusted."""

import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from regattn import others_mask
from regattn.data import load_diabetes
from regattn.regression import AttentionRegressor
from regattn.regression._heads import LEARNED, guarded_kernel

N, P, M = 47, 5, 13


@pytest.fixture
def rng():
    return np.random.default_rng(47)


@pytest.fixture
def data(rng):
    X = rng.normal(size=(N, P)) * [1.0, 20.0, 0.1, 3.0, 1.0] + [0.0, 50.0, 1.0, -4.0, 2.0]
    y = 30 + np.sin(X[:, 0]) * 4 + 0.3 * X[:, 1] + rng.normal(size=N)
    return X, y, X[:M] + rng.normal(size=(M, P)) * 0.1


@parametrize_with_checks(
    [
        AttentionRegressor(random_state=0),
        AttentionRegressor(kernel="identity"),
        AttentionRegressor(
            encoder=(7,), n_heads=2, combine="learn", penalty=0.01, validation_fraction=0.2, random_state=0
        ),
    ]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.weekly  # and whenever what this file imports differs from main
def test_scikit_learn_accepts_it_as_an_estimator(estimator, check):
    check(estimator)


# --- the closed form ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("penalty", [0.0, 7.0])
def test_the_identity_kernel_is_ridge_regression(data, penalty, fit_intercept):
    X, y, X_new = data
    ours = AttentionRegressor(kernel="identity", penalty=penalty, fit_intercept=fit_intercept).fit(X, y)
    reference = Ridge(alpha=penalty, fit_intercept=fit_intercept, solver="svd").fit(X, y)
    np.testing.assert_allclose(ours.predict(X_new), reference.predict(X_new), rtol=1e-9)


def test_the_identity_kernel_at_reduced_rank_is_principal_component_regression(data):
    X, y, X_new = data
    ours = AttentionRegressor(kernel="identity", penalty=0.0, rank=2).fit(X, y)
    reference = make_pipeline(PCA(2), LinearRegression()).fit(X, y)
    np.testing.assert_allclose(ours.predict(X_new), reference.predict(X_new), rtol=1e-9)


def test_omega_of_the_identity_kernel_is_the_inverse_of_the_penalised_moments(data):
    X, y, _ = data
    centred = X - X.mean(axis=0)
    expected = np.linalg.inv(centred.T @ centred + 7.0 * np.eye(P))
    omega = AttentionRegressor(kernel="identity", penalty=7.0).fit(X, y).omega_
    np.testing.assert_allclose(omega[1:, 1:], expected, rtol=1e-8, atol=1e-14)
    assert omega[0, 0] == pytest.approx(1 / N)


# --- what every kernel promises -------------------------------------------------------------------------------------

VARIANTS = [
    *({"kernel": kernel} for kernel in ("identity", *LEARNED)),
    {"kernel": "softmax", "rank": 2},
    {"kernel": "gaussian", "rank": 2},
    {"n_heads": 3, "rank": 1},
    {"n_heads": 2, "combine": "learn"},
    {"encoder": (7, 3)},
    {"kernel": "elu", "fit_intercept": False},
]


def names(parameters):
    return "-".join(f"{k}={v}" for k, v in parameters.items())


def fitted(parameters, X, y):
    return AttentionRegressor(**{"random_state": 0, "penalty": 0.03, "max_iter": 3000, **parameters}).fit(X, y)


@pytest.mark.parametrize("parameters", VARIANTS, ids=names)
def test_predictions_are_the_weights_times_the_targets(data, parameters):
    X, y, X_new = data
    model = fitted(parameters, X, y)
    weights = model.attention_weights(X_new)
    assert weights.shape == (M, N)
    np.testing.assert_allclose(model.predict(X_new), weights @ y, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["softmax", "exponential"])
@pytest.mark.parametrize("rank", [None, 2])
def test_weights_are_the_kernel_of_the_bilinear_form_in_omega(data, kernel, rank):
    X, y, X_new = data
    model = fitted({"kernel": kernel, "rank": rank}, X, y)
    with_one = [np.column_stack([np.ones(len(Z)), Z - X.mean(axis=0)]) for Z in (X_new, X)]
    expected = np.exp(with_one[0] @ model.omega_ @ with_one[1].T)
    if kernel == "softmax":
        expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.attention_weights(X_new), expected, rtol=1e-8)


def test_gaussian_weights_compare_distances_in_the_metric_omega(data):
    X, y, X_new = data
    model = fitted({"kernel": "gaussian"}, X, y)
    gaps = X_new[:, None, :] - X[None, :, :]
    expected = np.exp(-0.5 * np.einsum("mnp,pq,mnq->mn", gaps, model.omega_, gaps))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.attention_weights(X_new), expected, rtol=1e-8)


@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("how", [{}, {"penalty": 5.0}, {"fit_intercept": False}, {"rank": 2}])
def test_the_loss_in_closed_form_is_the_share_of_the_variance_unexplained(data, rng, targets, how):
    X, y, _ = data
    y = y if targets == 1 else y[:, None] * [1.0, 1e-3, -5.0] + rng.normal(size=(N, targets))
    for outcomes in (y, 1e4 * y, np.ones_like(y)):
        model = AttentionRegressor(kernel="identity", **how).fit(X, outcomes)
        residuals, variation = outcomes - model.predict(X), np.var(outcomes, axis=0).sum() * N
        assert model.loss_curve_ == [pytest.approx((residuals**2).sum() / (variation or 1.0), rel=1e-6, abs=1e-20)]


@pytest.mark.parametrize("kernel", LEARNED)
@pytest.mark.parametrize("exclude_self", [True, False])
def test_the_last_loss_is_the_unexplained_variance_plus_the_penalty_on_omega(data, kernel, exclude_self):
    X, y, _ = data
    model = fitted({"kernel": kernel, "exclude_self": exclude_self}, X, y)
    units = X.std(axis=0) if kernel == "gaussian" else np.concatenate([[1.0], X.std(axis=0)])
    omega = model.omega_ * np.outer(units, units)
    if kernel in ("relu", "elu"):
        omega[0, 0] -= 1.0  # the level, which is given
    if kernel == "exponential":
        omega[0, 0] -= model._heads[0].level  # learned but not penalised
    residuals = y - model.attention_weights() @ y
    expected = residuals @ residuals / (N * y.var()) + 0.03 * np.sum(omega**2)
    assert model.loss_curve_[-1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"kernel": "gaussian"}, {"rank": 2}, {"n_heads": 2, "combine": "learn"}],
    ids=lambda parameters: names(parameters) or "one",
)
def test_the_penalty_counts_every_weight_of_the_encoder_and_the_shares_of_several_heads(data, parameters):
    X, y, _ = data
    model = fitted({"encoder": (7, 3), "max_iter": 400, **parameters}, X, y)
    residuals = y - model.attention_weights() @ y
    squares = np.sum(model.omega_**2)  # the units of a code are its own
    for head in model._heads:
        assert [weights.shape for weights, _ in head.layers] == [(P, 7), (7, 3)]
        squares += sum(np.sum(weights**2) for weights, _ in head.layers)  # but no intercept
    if len(model._heads) > 1:
        squares += np.sum(model.head_weights_**2)
    expected = residuals @ residuals / (N * y.var()) + 0.03 * squares
    assert model.loss_curve_[-1] == pytest.approx(expected, rel=1e-6)


def test_a_training_row_does_not_attend_to_itself_unless_asked_to(data):
    X, y, _ = data
    weights = fitted({}, X, y).attention_weights()
    assert np.all(np.diagonal(weights) == 0)
    assert np.all(weights[others_mask(N)] > 0)
    assert np.all(np.diagonal(fitted({"exclude_self": False}, X, y).attention_weights()) > 0)


def test_the_unmasked_training_error_vanishes_because_rows_attend_to_themselves_and_the_mask_prevents_it(rng):
    X, y = rng.normal(size=(23, 2)), rng.normal(size=23)
    parameters = {"kernel": "gaussian", "penalty": 0.0, "max_iter": 5000, "tol": 1e-12}
    alone = fitted({**parameters, "exclude_self": False}, X, y)
    assert np.mean((y - alone.attention_weights() @ y) ** 2) < 1e-6 * y.var()
    assert np.diagonal(alone.attention_weights()).min() > 0.99
    masked = fitted(parameters, X, y)
    assert np.mean((y - masked.attention_weights() @ y) ** 2) > 0.3 * y.var()


def test_the_units_of_the_columns_do_not_matter_to_a_learned_kernel(data):
    X, y, X_new = data
    factors = np.array([1.0, 1e-3, 1e5, 3.0, 10.0])
    plain = fitted({"tol": 1e-12}, X, y).predict(X_new)
    np.testing.assert_allclose(fitted({"tol": 1e-12}, X * factors, y).predict(X_new * factors), plain, rtol=1e-5)


def test_several_targets_share_one_map_and_each_is_averaged_by_it(data, rng):
    X, y, X_new = data
    Y = np.column_stack([y, rng.normal(size=N), 100 * X[:, 0]])
    model = fitted({}, X, Y)
    np.testing.assert_allclose(model.predict(X_new), model.attention_weights(X_new) @ Y, rtol=1e-9)


def test_softmax_predictions_stay_between_the_smallest_and_the_largest_target(data):
    X, y, X_new = data
    fits = fitted({}, X, y).predict(X_new * 50)
    assert fits.min() >= y.min() - 1e-9
    assert fits.max() <= y.max() + 1e-9


# --- heads ----------------------------------------------------------------------------------------------------------


def test_averaged_heads_are_the_mean_of_their_maps(data):
    X, y, _ = data
    model = fitted({"n_heads": 3, "rank": 1}, X, y)
    np.testing.assert_allclose(model.head_weights_, 1 / 3)
    codes = (X - X.mean(axis=0)) / X.std(axis=0)
    one = np.ones((N, 1))
    units = np.concatenate([[1.0], X.std(axis=0)])
    maps = [
        np.exp(np.hstack([one, codes]) @ (o * np.outer(units, units)) @ np.hstack([one, codes]).T) for o in model.omega_
    ]
    expected = np.mean([w / w.sum(axis=1, keepdims=True) for w in maps], axis=0)
    np.testing.assert_allclose(model.attention_weights(X), expected, rtol=1e-8)


def test_two_learned_heads_give_negative_attention_and_extrapolate_a_line_that_one_head_cannot(rng):
    X = rng.uniform(0.0, 1.0, size=(61, 1))
    y = 2 * X[:, 0]
    one = fitted({"penalty": 1e-4}, X, y)
    two = fitted({"penalty": 1e-4, "n_heads": 2, "combine": "learn"}, X, y)
    below = np.array([[-0.5]])
    assert one.predict(below)[0] > y.min() - 1e-9
    assert two.predict(below)[0] < y.min() - 0.2
    assert two.attention_weights(below).min() < 0


# --- training -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", LEARNED)
def test_the_gradient_of_the_loss_is_the_slope_of_the_loss(kernel, rng):
    from regattn.regression import _head_training as t

    problem = t.Problem(
        rng.normal(size=(11, 3)), rng.normal(size=(11, 2)), np.zeros((0, 3)), np.zeros((0, 2)), 0.1, True
    )
    shape = t.HeadShape(kernel, 3, (5,), 2, True)
    starts = [a for _ in range(2) for a in t._start(shape, rng, 11)]
    layout = t._Layout([*starts, np.array([0.3, 0.9])])
    loss = t._Loss(problem, shape, 2, layout)
    theta, direction = layout.initial, rng.normal(size=layout.initial.size)
    slope = (loss(theta + 1e-6 * direction)[0] - loss(theta - 1e-6 * direction)[0]) / 2e-6
    assert loss(theta)[1] @ direction == pytest.approx(slope, rel=1e-5)
    loss.batch = 4  # taken in batches of queries, the loss and its gradient are the same
    whole = t._Loss(problem, shape, 2, layout)(theta)
    assert loss(theta)[0] == pytest.approx(whole[0], rel=1e-12)
    np.testing.assert_allclose(loss(theta)[1], whole[1], rtol=1e-9, atol=1e-12)


def test_a_free_omega_ends_in_the_same_place_from_every_start(data):
    X, y, X_new = data
    fits = [fitted({"random_state": seed, "tol": 1e-12}, X, y).predict(X_new) for seed in (1, 2, 3)]
    np.testing.assert_allclose(fits[1], fits[0], rtol=1e-3)
    np.testing.assert_allclose(fits[2], fits[0], rtol=1e-3)


def test_the_same_seed_gives_the_same_numbers_whatever_the_number_of_threads(data):
    X, y, X_new = data
    before = torch.get_num_threads()
    fits = []
    for threads in (1, 2, 1):
        torch.set_num_threads(threads)
        fits.append(fitted({"rank": 2, "encoder": (3,)}, X, y).predict(X_new))
        assert torch.get_num_threads() == threads
    torch.set_num_threads(before)
    assert np.array_equal(fits[0], fits[1])
    assert np.array_equal(fits[0], fits[2])
    assert not np.array_equal(fits[0], fitted({"rank": 2, "encoder": (3,), "random_state": 1}, X, y).predict(X_new))


def test_the_loss_goes_down_and_its_length_is_the_number_of_steps(data):
    X, y, _ = data
    model = fitted({}, X, y)
    assert len(model.loss_curve_) == model.n_iter_ > 3
    assert np.all(np.diff(model.loss_curve_) <= 0)


def test_too_few_steps_warn_and_enough_steps_do_not(data):
    X, y, _ = data
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        AttentionRegressor(random_state=0, max_iter=3).fit(X, y)
    AttentionRegressor(random_state=0, max_iter=3000).fit(X, y)  # a warning would fail this test


def test_early_stopping_keeps_the_best_step_on_rows_that_never_become_keys(data):
    X, y, _ = data
    model = AttentionRegressor(
        penalty=0.0, validation_fraction=0.25, n_iter_no_change=4, max_iter=3000, random_state=0
    ).fit(X, y)
    curve = model.validation_curve_
    assert len(curve) - 1 - int(np.argmin(curve)) == 4
    kept = N - round(0.25 * N)
    assert model.attention_weights(X).shape == (N, kept)
    rows = [next(i for i in range(N) if np.allclose(x, model._standardised(X[i]))) for x in model._X]
    out = np.setdiff1d(np.arange(N), rows)
    assert len(out) == N - kept
    error = np.mean((y[out] - model.predict(X[out])) ** 2) / y[rows].var()
    assert error == pytest.approx(min(curve), rel=1e-9)


def test_rows_with_nothing_to_divide_by_attend_to_all_alike():
    scores = np.array([[1.0, 3.0, 0.0], [-1.0, -2.0, 0.0]])
    mask = np.array([[True, True, True], [True, False, True]])
    np.testing.assert_allclose(
        guarded_kernel("relu").weights(scores, mask), [[0.25, 0.75, 0.0], [0.5, 0.0, 0.5]], atol=1e-15
    )
    cancelling = np.array([[1.0, np.log1p(-0.999), -0.0]])  # 1 − 0.999: the sum is a two-thousandth of the sizes
    np.testing.assert_allclose(guarded_kernel("elu").weights(cancelling), [[1 / 3, 1 / 3, 1 / 3]])


def test_relu_trains_without_intercept_where_some_rows_have_no_positive_score(rng):
    X = np.abs(rng.normal(size=(29, 3))) * [1.0, -1.0, 1.0]
    X[::4] *= -1
    model = fitted({"kernel": "relu", "fit_intercept": False}, X, rng.normal(size=29))
    weights = model.attention_weights(-3 * X)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    assert weights.min() >= 0


# --- living with scikit-learn ---------------------------------------------------------------------------------------


def test_it_works_in_a_pipeline_a_grid_search_and_cross_validation(data):
    X, y, _ = data
    pipeline = make_pipeline(StandardScaler(), AttentionRegressor(random_state=0, max_iter=2000))
    search = GridSearchCV(pipeline, {"attentionregressor__penalty": [0.01, 0.3, 10.0]}, cv=KFold(3))
    scores = cross_val_score(search, X, y, cv=KFold(3))
    assert scores.mean() > 0.5
    assert search.fit(X, y).best_params_["attentionregressor__penalty"] != 10.0


@pytest.mark.parametrize("parameters", VARIANTS, ids=names)
def test_it_survives_pickling_and_cloning(data, parameters):
    X, y, X_new = data
    model = fitted(parameters, X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X_new), model.predict(X_new))
    assert np.array_equal(clone(model).fit(X, y).predict(X_new), model.predict(X_new))


def test_ten_thousand_predictions_from_two_thousand_keys_stay_under_200_mb(rng):
    X, y = rng.normal(size=(2000, 10)), rng.normal(size=2000)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = AttentionRegressor(random_state=0, max_iter=1).fit(X, y)
    X_new = rng.normal(size=(10_000, 10))
    tracemalloc.start()
    fits = model.predict(X_new)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert fits.shape == (10_000,)
    assert peak < 200e6 / 4  # the whole process has to fit, so the arrays get a quarter


def test_the_diabetes_study_is_learned_in_seconds():
    import time

    X, y = load_diabetes()
    start = time.process_time()
    model = AttentionRegressor(random_state=0).fit(X, y)
    assert time.process_time() - start < 10  # 0.3 s on the machine where this was written
    assert model.score(X, y) > 0.5


def test_neither_importing_nor_the_closed_form_nor_predicting_needs_torch(data, tmp_path):
    X, y, X_new = data
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps((fitted({"encoder": (3,)}, X, y), X, y, X_new)))
    code = (
        "import pickle, sys; from pathlib import Path; from regattn.regression.estimator import AttentionRegressor;"
        f"model, X, y, X_new = pickle.loads(Path({str(path)!r}).read_bytes()); model.predict(X_new);"
        "AttentionRegressor(kernel='identity').fit(X, y).predict(X_new); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "cosine"}, "got 'cosine'"),
        ({"rank": 0}, "got 0"),
        ({"rank": 6}, r"rank must be ≤ 5 \(the features compared\), got 6"),
        ({"rank": 4, "encoder": (3,)}, "rank must be ≤ 3"),
        ({"encoder": (3, 0)}, "every width in encoder must be ≥ 1, got 0"),
        ({"n_heads": 0}, "n_heads must be ≥ 1, got 0"),
        ({"combine": "vote"}, "got 'vote'"),
        ({"penalty": -1.0}, "penalty must be ≥ 0, got -1.0"),
        ({"validation_fraction": 0.95}, "got 0.95"),
        ({"max_iter": 0}, "max_iter must be ≥ 1, got 0"),
        ({"tol": 0.0}, "tol must be > 0, got 0.0"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be ≥ 1, got 0"),
        ({"kernel": "identity", "n_heads": 2}, "got 2"),
        ({"kernel": "identity", "encoder": (3,)}, r"got \(3,\)"),
    ],
)
def test_a_parameter_out_of_range_is_named_with_its_value(data, parameters, message):
    X, y, _ = data
    with pytest.raises(ValueError, match=message):
        AttentionRegressor(**parameters).fit(X, y)


def test_holding_out_all_but_one_row_is_refused(rng):
    with pytest.raises(ValueError, match="leaves 1 of 3 rows"):
        AttentionRegressor(validation_fraction=0.6).fit(rng.normal(size=(3, 1)), np.arange(3.0))


@pytest.mark.parametrize("kernel", LEARNED)
@pytest.mark.parametrize(("fit_intercept", "rank"), [(True, None), (False, None), (False, 2)])
def test_predictions_are_the_weights_times_the_targets_with_and_without_a_constant(kernel, fit_intercept, rank):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(23, 3)), rng.normal(size=23)
    settings = {"kernel": kernel, "fit_intercept": fit_intercept, "rank": rank, "penalty": 1.0, "random_state": 0}
    model = AttentionRegressor(**settings).fit(X, y)
    D = 3 + (fit_intercept and kernel != "gaussian")
    assert model.omega_.shape == (D, D)
    np.testing.assert_allclose(model.predict(X[:5]), model.attention_weights(X[:5]) @ y, rtol=1e-9)
