"""No function of series depends on the units of what it is given, nor a panel on how its columns are told."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st
from sklearn.linear_model import LinearRegression

from regattn.series import (
    autoregression,
    corrected_t_test,
    diebold_mariano,
    drift_forecasts,
    expanding_window_forecasts,
    filter_weights,
    forecast_windows,
    future_leak,
    local_trend,
    panel_weights,
    quantile_losses,
    seasonal_scale,
    shared_variances,
)
from tests.bad_inputs.inputs import many

NILE = sm.datasets.nile.load_pandas().data["volume"]
DATES = pd.period_range("2001Q1", periods=31, freq="Q")
units = st.integers(-60, 60).map(lambda power: 10.0**power)
seeds = st.integers(0, 10_000)


def walks(seed, columns=2):
    values = np.random.default_rng(seed).normal(size=(31, columns)).cumsum(axis=0)
    return pd.DataFrame(values, index=DATES, columns=[f"x{j}" for j in range(columns)])


@many(40)
@given(seeds, units, units)
def test_an_autoregression_gives_the_same_weights_in_any_units(seed, unit, other):
    table = walks(seed)
    scaled, factors = table * [unit, other], np.array([unit, other])
    ours, expected = (autoregression(t, max_lag=2) for t in (scaled, table))
    np.testing.assert_allclose(ours.weights(), expected.weights(), atol=1e-9)
    np.testing.assert_allclose(ours.average() / factors, expected.average(), atol=1e-8)
    np.testing.assert_allclose(
        ours.continuation(scaled, steps=3) / factors, expected.continuation(table, steps=3), rtol=1e-6, atol=1e-8
    )


@many(40)
@given(seeds, units)
def test_windows_and_their_yardsticks_are_in_the_units_of_the_series(seed, unit):
    table = walks(seed)
    windows, scaled = (forecast_windows(t, [17, 19], context=13, horizon=7) for t in (table, table * unit))
    forecasts = [drift_forecasts(each, period=4) for each in (windows, scaled)]
    np.testing.assert_allclose(forecasts[1] / unit, forecasts[0], rtol=1e-9, atol=1e-10)
    scales = [seasonal_scale(t, period=4) for t in (table, table * unit)]
    np.testing.assert_allclose(scales[1], scales[0] * unit, rtol=1e-12)
    np.testing.assert_allclose(scaled.mase(forecasts[1], scales[1]), windows.mase(forecasts[0], scales[0]), rtol=1e-9)
    losses = [
        quantile_losses(f[..., None], w.ahead, levels=[0.3]) for f, w in zip(forecasts, (windows, scaled), strict=True)
    ]
    np.testing.assert_allclose(losses[1] / unit, losses[0], rtol=1e-9, atol=1e-10)


@many(12)
@given(seeds, units, units)
def test_forecasts_and_their_tests_know_no_units(seed, unit, other):
    table = walks(seed, 3)
    X, y = table[["x0", "x1"]], table["x2"]
    made = expanding_window_forecasts(LinearRegression(), X, y, start=9, horizon=2)
    again = expanding_window_forecasts(LinearRegression(), X, y * unit, start=9, horizon=2)
    np.testing.assert_allclose(again, made * unit, rtol=1e-9)
    errors = (y[9:] - made).to_numpy(), (y[9:] - y[8:-1].to_numpy()).to_numpy()
    for test in (diebold_mariano, lambda *e: corrected_t_test(*e, test_share=0.2)):
        assert test(*(e * unit for e in errors)).statistic == pytest.approx(test(*errors).statistic, rel=1e-9)
    leaks = [
        future_leak(lambda t: t.mean(axis=1) - t.mean(axis=1).mean(), t, rng=0, cuts=["2004Q2"])
        for t in (table, table * other)
    ]
    np.testing.assert_allclose(leaks[1], leaks[0] * other, rtol=1e-9)


@many(15)
@given(st.lists(st.integers(1, 999), min_size=2, max_size=4), st.integers(-300, 290))
def test_of_the_variances_of_a_filter_only_the_ratios_matter(variances, power):
    series = walks(3)["x0"]
    found = filter_weights(series, np.array(variances) * 10.0**power)
    np.testing.assert_allclose(found, filter_weights(series, variances), rtol=1e-8, atol=1e-12)


def test_weights_at_tiny_variances_are_those_by_hand():
    found = filter_weights(pd.Series([1.0, 3.0, 2.0, 4.0]), [1e-13, 5e-14])
    np.testing.assert_allclose(found, [8 / 85, 12 / 85, 22 / 85, 43 / 85], rtol=1e-9)  # gains 1, 3/5, 11/21, 43/85


@pytest.mark.parametrize("layers", [1, 2])  # the likelihood of three is flat at the top
@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e12])
def test_variances_are_found_in_any_units(layers, unit):
    fits = [local_trend(NILE * u, layers=layers).fit(disp=0) for u in (1.0, unit)]
    np.testing.assert_allclose(fits[1].params / unit**2, fits[0].params, rtol=1e-4, atol=1e-3)
    assert fits[1].llf + (100 - layers) * np.log(unit) == pytest.approx(fits[0].llf, abs=1e-6)


def test_the_nile_in_litres_has_the_likelihood_of_the_nile():
    fit = local_trend(NILE * 1e3).fit(disp=0)
    assert fit.llf == pytest.approx(-1317.3, abs=0.05)
    np.testing.assert_allclose(fit.params, [15098.5e6, 1469.1e6], rtol=1e-3)  # Durbin and Koopman (2012), 2.10.3


def test_shared_variances_are_found_in_any_units():
    groups = [[local_trend(walks(k)["x0"] * unit) for k in range(3)] for unit in (1.0, 1e5)]
    alone, scaled = (shared_variances(models) for models in groups)
    np.testing.assert_allclose(scaled / 1e10, alone, rtol=1e-3, atol=1e-6)


def test_changes_too_small_to_filter_are_named_and_a_line_is_none():
    with pytest.raises(ValueError, match="series changes by about 2e-07 from date to date; change its units"):
        local_trend(NILE * 1e-9)
    line = local_trend(pd.Series(0.1 * np.arange(30.0)), layers=2)
    assert line.smooth([1.0, 0.0, 0.0]).filtered_state[1, -1] == pytest.approx(0.1)


def dummy_traps(draw, seed):
    """Return rows of a panel with a column of ones, a dummy for each unit, and what varies: p may exceed n."""
    n_units, dates = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(n_units), dates)
    sizes = 10.0 ** rng.integers(-3, 4, size=draw(st.integers(0, 9)))
    varying = rng.normal(size=(len(units), len(sizes))) * sizes
    return np.column_stack([np.ones(len(units)), np.eye(n_units)[units], varying]), units


spreads = st.sampled_from([0.0, 1e-200, 1e-3, 0.7, 10.0, 1e4, 1e200])


@many(150)
@given(st.data(), seeds, spreads)
def test_weights_of_a_panel_of_any_rank_sum_to_one_and_find_the_line_again(data, seed, spread):
    X, units = dummy_traps(data.draw, seed)
    rng = np.random.default_rng(seed + 1)
    X_new = np.column_stack([np.ones(3), rng.normal(size=(3, X.shape[1] - 1))])  # no combination of the rows of X
    for rows, of in ((X, units), (X_new, units[[0, 0, -1]])):
        weights = panel_weights(X, units, rows, of, spread=spread)
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-8)
    fitted = panel_weights(X, units, X, units, spread=spread)
    line = X @ rng.normal(size=X.shape[1])  # what all units share is returned as it is
    np.testing.assert_allclose(fitted @ line, line, rtol=1e-6, atol=1e-7 * np.abs(line).max())


@many(40)
@given(st.data(), seeds, st.sampled_from([0.3, 2.0]))
def test_weights_of_a_panel_are_best_linear_unbiased(data, seed, spread):
    X, units = dummy_traps(data.draw, seed)
    X[:, 1 + units.max() + 1 :] /= np.abs(X[:, 1 + units.max() + 1 :]).max(axis=0, initial=1e-300)
    V = np.eye(len(X)) + spread**2 * (X @ X.T) * (units[:, None] == units)
    root = np.linalg.inv(np.linalg.cholesky(V))
    B = np.linalg.pinv(root @ X, rcond=1e-9) @ root  # least squares in whitened rows
    expected = X @ B + (V - np.eye(len(X))) @ np.linalg.solve(V, np.eye(len(X)) - X @ B)
    np.testing.assert_allclose(panel_weights(X, units, X, units, spread=spread), expected, atol=1e-7)


@many(40)
@given(seeds, units, st.sampled_from([0.2, 3.0]))
def test_a_panel_in_other_units_with_its_spread_in_theirs_has_the_same_weights(seed, unit, spread):
    rng = np.random.default_rng(seed)
    X, units_of = rng.normal(size=(17, 2)), rng.integers(0, 4, size=17)
    expected = panel_weights(X, units_of, X[:5], units_of[:5], spread=spread)
    found = panel_weights(X * unit, units_of, X[:5] * unit, units_of[:5], spread=spread / unit)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_dummy_trap_is_what_the_same_panel_is_without_it():
    D = np.c_[np.ones(4), np.repeat(np.eye(2), 2, 0), [0.0, 1, 2, 3]]
    assert panel_weights(D, list("aabb"), D[:1], ["a"], spread=10.0).sum() == pytest.approx(1)
    pooled = panel_weights(D, list("aabb"), D, list("aabb"), spread=0.0)
    np.testing.assert_allclose(pooled, D[:, 1:] @ np.linalg.pinv(D[:, 1:]), atol=1e-12)
