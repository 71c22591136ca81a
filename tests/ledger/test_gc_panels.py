"""Goulet Coulombe's §§4.4 and 4.5: panels, positions, stacked layers and nested state spaces, on simulated data."""

import warnings
from collections import defaultdict
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.fft
import scipy.optimize
import statsmodels.api as sm
from statsmodels.tools.sm_exceptions import ConvergenceWarning

from regattn import attend, attention_weights
from regattn.data import load_diabetes, load_macro
from regattn.regression import spectrum
from regattn.series import lag_matrix, local_trend, shared_variances
from regattn.transformer import frequencies, sinusoidal_positions

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

TRUTH = np.array([1.0, 0.5, 0.1, 0.02])  # standard deviations: observation, level, slope, acceleration
TRANSITION = np.array([[1.0, 1.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])


def patients():
    X, y = (part.to_numpy() for part in load_diabetes())
    return np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / X.std(axis=0)]), y


# --- §4.4: pads, positions, panels ------------------------------------------------------------------------------------


def test_gc_4_4a_zero_rows_are_harmless_in_least_squares_only_with_a_zero_constant():
    X, y = patients()
    beta = np.linalg.lstsq(X, y, rcond=None)[0]
    pads = np.zeros((25, X.shape[1]))
    padded_y = np.concatenate([y, np.zeros(25)])
    np.testing.assert_allclose(np.linalg.lstsq(np.vstack([X, pads]), padded_y, rcond=None)[0], beta, atol=1e-8)
    pads[:, 0] = 1
    assert np.abs(np.linalg.lstsq(np.vstack([X, pads]), padded_y, rcond=None)[0] - beta).max() > 1


def test_gc_4_4a_softmax_attends_to_zero_keys_unless_they_are_masked():
    rng = np.random.default_rng(18)
    queries, keys = rng.normal(size=(200, 5)), rng.normal(size=(40, 5))
    padded = np.vstack([keys, np.zeros((25, 5))])
    on_pads = attention_weights(queries, padded, scale=1.0)[:, 40:].sum(axis=1)
    assert 0.1 < on_pads.mean() < 0.25
    real = np.arange(65) < 40
    values = rng.normal(size=65)
    masked = attend(queries, padded, values, scale=1.0, mask=np.broadcast_to(real, (200, 65)))
    np.testing.assert_allclose(masked, attend(queries, keys, values[:40], scale=1.0), rtol=1e-12)


def test_gc_4_4b_a_unitary_transform_of_the_rows_leaves_least_squares_unchanged():
    X, y = patients()
    beta = np.linalg.lstsq(X, y, rcond=None)[0]
    transformed = scipy.fft.fft(X, axis=0, norm="ortho"), scipy.fft.fft(y, norm="ortho")
    np.testing.assert_allclose(np.linalg.lstsq(*transformed, rcond=None)[0], beta, atol=1e-9)


@pytest.mark.parametrize(("sharpness", "largest"), [(1.0, 10.0), (10.0, 1.0), (100.0, 1e-3)])
def test_gc_4_4b_rotated_position_codes_make_the_lag_operator(sharpness, largest):
    codes, lag = sinusoidal_positions(np.arange(60), 32), 3
    angles = lag * np.repeat(frequencies(32), 2)
    rotation = np.diag(np.cos(angles))
    pairs = np.arange(0, 32, 2)
    rotation[pairs, pairs + 1], rotation[pairs + 1, pairs] = np.sin(angles[::2]), -np.sin(angles[::2])
    np.testing.assert_allclose(codes[lag:] @ rotation, codes[:-lag], atol=1e-12)
    series = np.cumsum(np.random.default_rng(22).normal(size=60))
    lagged = attend(codes[lag:] @ rotation, codes, series, scale=sharpness)
    error = np.abs(lagged - series[:-lag]).max()
    assert error < largest
    assert sharpness > 1 or error > 0.5


def test_gc_4_4c_the_original_width_has_256_frequencies():
    assert len(frequencies(512)) == 256
    codes = sinusoidal_positions(np.arange(3000), 512)
    turns = {round(float(np.arctan2(codes[1, k], codes[1, k + 1])), 15) for k in range(0, 512, 2)}
    assert len(turns) == 256


def within_slope(rng, n, series, slopes):
    """Return the slope of y on its lag, with one mean per series taken out, for series that start in their law."""
    y = np.empty((series, n + 1))
    y[:, 0] = rng.normal(size=series) / np.sqrt(1 - slopes**2)
    for t in range(1, n + 1):
        y[:, t] = slopes * y[:, t - 1] + rng.normal(size=series)
    x, target = (part - part.mean(axis=1, keepdims=True) for part in (y[:, :-1], y[:, 1:]))
    return (x * target).sum() / (x**2).sum()


@pytest.mark.parametrize("series", [500, 5000])
@pytest.mark.parametrize(("n", "bias"), [(10, -0.195), (30, -0.060), (100, -0.017)])
def test_gc_4_4d_the_bias_of_fixed_effects_shrinks_with_length_and_not_with_the_number_of_series(n, bias, series):
    slope = within_slope(np.random.default_rng(n), n, series, np.full(series, 0.7))
    assert slope - 0.7 == pytest.approx(bias, abs=4 * np.sqrt((1 - 0.7**2) / (series * n)))
    assert bias == pytest.approx(-1.7 / n, rel=0.16)


def test_gc_4_4d_one_slope_for_all_is_not_the_mean_slope():
    slopes = np.random.default_rng(0).uniform(0.2, 0.9, size=2000)
    pooled = within_slope(np.random.default_rng(1), 200, 2000, slopes)
    assert slopes.mean() == pytest.approx(0.55, abs=0.02)
    assert pooled > 0.6


def test_gc_4_4e_a_global_model_beats_local_ones_when_series_are_short_and_alike():
    rng, n, series = np.random.default_rng(4), 15, 2000
    slopes = 0.7 + 0.05 * rng.normal(size=series)
    y = np.empty((series, n + 2))
    y[:, 0] = rng.normal(size=series) / np.sqrt(1 - slopes**2)
    for t in range(1, n + 2):
        y[:, t] = slopes * y[:, t - 1] + rng.normal(size=series)
    x, target = y[:, : n - 1], y[:, 1:n]
    local = (x * target).sum(axis=1) / (x**2).sum(axis=1)
    pooled = (x * target).sum() / (x**2).sum()
    errors = {
        name: (y[:, n + 1] - b * y[:, n]) ** 2 for name, b in [("all", pooled), ("each", local), ("true", slopes)]
    }
    gain = errors["each"] - errors["all"]
    assert gain.mean() > 4 * gain.std() / np.sqrt(series)
    assert np.mean(errors["all"]) == pytest.approx(np.mean(errors["true"]), rel=0.02)


def test_gc_4_4f_the_lag_operator_shifts_every_series_of_a_sequence():
    frame = pd.DataFrame(np.arange(22.0).reshape(11, 2), columns=["a", "b"])
    lagged = lag_matrix(frame, max_lag=3)
    for p in range(1, 4):
        np.testing.assert_array_equal(lagged[[f"a, {p} back", f"b, {p} back"]], frame.iloc[3 - p : 11 - p])


# --- §4.5: stacking ---------------------------------------------------------------------------------------------------


def test_gc_4_5a_a_second_full_layer_adds_nothing():
    X, y = patients()
    fitted = spectrum(X, centre=False).predict(None, y)
    stacked = spectrum(np.column_stack([X, fitted]), tolerance=1e-10, centre=False)
    assert stacked.rank == X.shape[1]
    np.testing.assert_allclose(stacked.predict(None, y), fitted, rtol=1e-9)
    H = spectrum(X, centre=False).weights(None, ridge=50.0)
    assert np.linalg.norm(H @ H - H) / np.linalg.norm(H) > 0.1


@pytest.mark.parametrize(("depth", "distance"), [(1, 0.585), (10, 0.097), (100, 0.0077), (3000, 6e-7)])
def test_gc_4_5a_residual_layers_are_steps_toward_least_squares(depth, distance):
    X, y = patients()
    train = np.random.default_rng(0).permutation(len(y))[:300]
    X, y = X[train], y[train]
    X[:, 1:] = (X[:, 1:] - X[:, 1:].mean(axis=0)) / X[:, 1:].std(axis=0)
    step = 1.9 / np.linalg.norm(X, 2) ** 2
    residual = y.copy()
    for _ in range(depth):
        residual = residual - attend(X, X, residual, kernel="identity") * step
    fitted = spectrum(X, centre=False).predict(None, y)
    assert np.linalg.norm(y - residual - fitted) / np.linalg.norm(fitted) == pytest.approx(distance, rel=0.07)


# --- §4.5: nested levels of filtering ---------------------------------------------------------------------------------


def simulate(rng, n, layers, *, series=1):
    states = np.zeros((series, layers))
    y = np.empty((series, n))
    for t in range(n):
        y[:, t] = states[:, 0] + TRUTH[0] * rng.normal(size=series)
        states = states @ TRANSITION[:layers, :layers].T + TRUTH[1 : layers + 1] * rng.normal(size=(series, layers))
    return y


def kalman(y, sds):
    """Return the filtered levels of series with common parameters, and their log-likelihood after a diffuse start."""
    layers = len(sds) - 1
    T, Q = TRANSITION[:layers, :layers], np.diag(np.square(sds[1:]))
    state, P = np.zeros((len(y), layers)), 1e7 * np.eye(layers)
    levels, log_likelihood = np.empty_like(y), 0.0
    for t in range(y.shape[1]):
        variance = P[0, 0] + sds[0] ** 2
        surprise = y[:, t] - state[:, 0]
        if t >= layers and variance > 0:
            log_likelihood -= 0.5 * (len(y) * np.log(2 * np.pi * variance) + surprise @ surprise / variance)
        gain = P[:, 0] / variance if variance > 0 else np.zeros(layers)
        state, P = state + np.outer(surprise, gain), P - np.outer(gain, P[0])
        levels[:, t] = state[:, 0]
        state, P = state @ T.T, T @ P @ T.T + Q
    return levels, log_likelihood


def estimate(y, layers):
    """Return the standard deviations of highest likelihood."""
    start = TRUTH[: layers + 1]

    def loss(scales):
        return -kalman(y, np.abs(scales) * start + 1e-9)[1] / y.size

    return np.abs(scipy.optimize.minimize(loss, np.full(layers + 1, 2.0), method="Nelder-Mead").x) * start


def filter_weights(n, sds):
    return kalman(np.eye(n), np.asarray(sds))[0].T


@pytest.mark.parametrize(("name", "layers"), [("llevel", 1), ("lltrend", 2)])
def test_gc_36_to_40_the_models_are_those_of_statsmodels(name, layers):
    y = simulate(np.random.default_rng(3), 83, layers)
    theirs = sm.tsa.UnobservedComponents(y[0], name)
    np.testing.assert_array_equal(theirs.ssm["design"], np.eye(layers)[:1])
    np.testing.assert_array_equal(theirs.ssm["transition"], TRANSITION[:layers, :layers])
    sds = TRUTH[: layers + 1]
    levels, log_likelihood = kalman(y, sds)
    smoothed = theirs.filter(np.square(sds))
    np.testing.assert_allclose(levels[0, 10:], smoothed.filtered_state[0, 10:], rtol=1e-4, atol=1e-4)
    assert log_likelihood == pytest.approx(smoothed.llf_obs[layers:].sum(), abs=1e-3)


def test_gc_37_the_filter_of_a_random_walk_is_causal_attention_with_geometric_weights():
    weights = filter_weights(47, TRUTH[:2])
    assert np.triu(weights, 1).any() == np.False_
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)  # the start is diffuse up to 1e7
    assert weights.min() >= 0
    np.testing.assert_allclose(weights[-1, :-5:-1], [0.390, 0.238, 0.145, 0.088], atol=5e-4)


def test_gc_39_with_a_slope_some_weights_are_negative_and_rows_still_sum_to_one():
    weights = filter_weights(47, TRUTH[:3])
    np.testing.assert_allclose(weights[1:].sum(axis=1), 1, atol=1e-4)  # the start is diffuse up to 1e7
    assert weights.min() < -0.05


def test_gc_41_to_43_without_noise_the_level_is_a_parabola():
    start, times = np.array([2.0, -3.0, 0.7]), np.arange(13)
    path = np.array([np.linalg.matrix_power(TRANSITION, t) @ start for t in times])
    np.testing.assert_allclose(path[:, 0], 2 - 3 * times + 0.7 * times**2 / 2)
    np.testing.assert_allclose(np.diff(path[:, 0], 3), 0, atol=1e-12)
    np.testing.assert_allclose(np.diff(path[:, 1]), 0.7)
    np.testing.assert_allclose(kalman(path[:, [0]].T, [0.0, 0.0, 0.0, 0.0])[0][0, 3:], path[3:, 0], atol=1e-3)


def collapsed(sds):
    return bool((sds < 0.05 * TRUTH[: len(sds)]).any())


def test_gc_4_5c_more_layers_make_more_variances_vanish():
    shares = []
    for layers in (1, 2, 3):
        rng = np.random.default_rng(19)
        models = [local_trend(pd.Series(simulate(rng, 60, layers)[0]), layers=layers) for _ in range(40)]
        found = [shared_variances([model], start=TRUTH[: layers + 1] ** 2) for model in models]
        shares.append(np.mean([collapsed(np.sqrt(variances)) for variances in found]))
    assert shares[0] < 0.1
    assert 0.2 < shares[1] < 0.6  # two fifths, by four standard errors or so
    assert shares[2] > 0.75


def test_gc_4_5c_with_equal_deviations_two_layers_collapse_far_more_often_than_one():
    equal, counts = np.array([1.0, 0.5, 0.5]), []
    for layers in (1, 2):
        rng, blank = np.random.default_rng(29), local_trend(pd.Series(np.zeros(60)), layers=layers)
        sds = equal[: layers + 1]
        paths = [blank.simulate(sds**2, 60, initial_state=np.zeros(layers), rng=rng) for _ in range(40)]
        models = [local_trend(pd.Series(path), layers=layers) for path in paths]
        found = [np.sqrt(shared_variances([model], start=sds**2)) for model in models]
        counts.append(sum((sd < 0.05 * sds).any() for sd in found))
    assert counts[0] <= 4
    assert counts[1] >= 10


def test_gc_4_5d_a_third_layer_forecasts_worse_than_a_second_and_a_second_helps_series_that_grow():
    macro = load_macro()
    series = {name: 100 * np.log(macro[name]) for name in ("gdp", "consumption", "investment")}
    series |= {name: macro[name] for name in ("inflation", "unemployment", "bill_rate")}
    errors, still = {}, defaultdict(list)
    for (name, path), layers in product(series.items(), (2, 1, 3)):
        missed = []
        for start in range(80, len(path) - 8, 32):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # a likelihood flat at zero
                variances = local_trend(path[:start], layers=layers).fit(disp=0).params
            still[name, layers].append(variances[-1] < 1e-8 * path.diff().var())
            states = local_trend(path, layers=layers).smooth(variances).filtered_state
            origins = np.arange(start - 1, min(start + 31, len(path) - 8))
            ahead = np.linalg.matrix_power(TRANSITION[:layers, :layers], 8)[0] @ states[:, origins]
            missed.extend(path.iloc[origins + 8] - ahead)
        errors[name, layers] = np.mean(np.square(missed))
    assert [name for name in series if errors[name, 3] <= errors[name, 2]] == []
    assert [name for name in series if np.mean(still[name, 3]) <= 0.5] == []  # an acceleration that cannot change
    assert [name for name in series if errors[name, 2] < errors[name, 1]] == ["gdp", "consumption", "investment"]


def test_gc_4_5e_pooling_many_series_removes_the_collapse():
    rng = np.random.default_rng(7)
    assert not any(collapsed(estimate(simulate(rng, 60, 3, series=256), 3)) for _ in range(3))
