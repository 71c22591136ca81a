"""Expanding least squares equals fitting anew at each date, to the digits of that loop, and knows nothing ahead."""

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from sklearn.linear_model import LinearRegression, Ridge
from statsmodels.regression.recursive_ls import RecursiveLS
from statsmodels.regression.rolling import RollingOLS

from regattn.data import load_macro
from regattn.series import autoregression, expanding_least_squares, expanding_window_forecasts
from tests.bad_inputs.inputs import many

T, p = 211, 3
rng = np.random.default_rng(9)
X = rng.normal(size=(T, p)).cumsum(axis=0)
y = X @ [1.0, -2.0, 0.5] + rng.normal(size=T)
DATES = pd.period_range("1950Q1", periods=T, freq="Q")
TABLE, TARGET = pd.DataFrame(X, DATES, ["a", "b", "c"]), pd.Series(y, DATES, name="y")


def loop(X, y, start):
    coef = np.array([np.linalg.lstsq(X[:t], y[:t], rcond=None)[0] for t in range(start, len(X))])
    return coef, (X[start:] * coef).sum(axis=1)


@pytest.mark.parametrize("start", [p, p + 1, 53, T - 1])
def test_coefficients_and_forecasts_are_those_of_a_loop_of_fits(start):
    fit = expanding_least_squares(X, y, start=start, intercept=False)
    coef, forecasts = loop(X, y, start)
    np.testing.assert_allclose(fit.coef, coef, rtol=1e-7)  # three rows for three coefficients: a condition near 1e4
    np.testing.assert_allclose(fit.forecasts, forecasts, rtol=1e-7, atol=1e-9)
    assert (fit.intercept == 0).all()


def test_statsmodels_agrees_twice():
    fit = expanding_least_squares(X, y, start=11, intercept=False)
    rolling = RollingOLS(y, X, window=T, min_nobs=11, expanding=True).fit(params_only=True).params
    np.testing.assert_allclose(fit.coef, rolling[10:-1], rtol=1e-8)
    recursive = RecursiveLS(y, X).fit().recursive_coefficients.filtered.T
    np.testing.assert_allclose(fit.coef, recursive[10:-1], rtol=1e-5)  # theirs starts from a vague prior


def test_an_intercept_is_a_column_of_ones_and_the_forecasts_are_scikit_learns():
    fit = expanding_least_squares(TABLE, TARGET, start="1960Q1")
    ones = expanding_least_squares(np.column_stack([np.ones(T), X]), y, start=40, intercept=False)
    np.testing.assert_array_equal(fit.forecasts, ones.forecasts)
    np.testing.assert_array_equal(np.column_stack([fit.intercept, fit.coef]), ones.coef)
    honest = expanding_window_forecasts(LinearRegression(), X, y, start=40)
    np.testing.assert_allclose(fit.forecasts, honest, rtol=1e-10, atol=1e-10)
    assert list(fit.coef.columns) == ["a", "b", "c"]
    assert str(fit.forecasts.index[0]) == str(fit.coef.index[0]) == "1960Q1"


def test_weights_are_a_strict_triangle_whose_rows_sum_to_one_with_an_intercept():
    fit = expanding_least_squares(TABLE, TARGET, start=17)
    weights = fit.weights()
    assert weights.shape == (T - 17, T)
    np.testing.assert_allclose(weights @ TARGET, fit.forecasts, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-9)
    ahead = np.triu(np.ones((T, T), dtype=bool))[17:]
    np.testing.assert_allclose(weights.to_numpy()[ahead], 0, atol=1e-12)
    one_by_one = autoregression(TABLE[["a"]].iloc[:30], max_lag=1)
    fitted = expanding_least_squares(one_by_one.past, one_by_one.present["a"], start=28).weights()
    known = autoregression(TABLE[["a"]].iloc[:29], max_lag=1)
    np.testing.assert_allclose(fitted.iloc[0, :28], known.weights_after(TABLE[["a"]].iloc[:29]), rtol=1e-9)


def test_digits_on_a_polynomial_are_at_least_those_of_the_loop():
    x = np.linspace(0, 1, 40)
    powers, start = x[:, None] ** np.arange(7), 12
    target = np.cos(5 * x)
    exact = []
    with mpmath.workdps(50):
        for t in range(start, 40):
            A, b = mpmath.matrix(powers[:t].tolist()), mpmath.matrix(target[:t].tolist())
            solved = mpmath.lu_solve(A.T * A, A.T * b)
            exact.append(float(sum(powers[t, k] * solved[k] for k in range(7))))
    ours = np.abs(expanding_least_squares(powers, target, start=start, intercept=False).forecasts - exact).max()
    theirs = np.abs(loop(powers, target, start)[1] - exact).max()
    assert ours < max(10 * theirs, 1e-10)
    assert ours < 1e-7


def test_what_comes_later_changes_no_earlier_forecast():
    later = y.copy()
    later[100:] += 1e3
    before = expanding_least_squares(X, y, start=20)
    after = expanding_least_squares(X, later, start=20)
    np.testing.assert_allclose(after.forecasts[:81], before.forecasts[:81], rtol=1e-9, atol=1e-9)
    assert abs(after.forecasts[81] - before.forecasts[81]) > 1


GAP = DATES.delete(100).append(pd.PeriodIndex(["2002Q4"], freq="Q"))
MISSING = TABLE.copy()
MISSING.loc["1961Q2", "b"] = np.nan


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expanding_least_squares(X, y, start=3), "start 3 leaves 3 rows for 4 coefficients"),
        (lambda: expanding_least_squares(TABLE, TARGET, start="1950Q3"), "start 2, 1950Q3 leaves 2 rows for 4"),
        (lambda: expanding_least_squares(X, y, start=T), r"start must be ≤ 210 \(the last row\), got 211"),
        (lambda: expanding_least_squares(TABLE, TARGET, start="1949Q4"), "'1949Q4' is not one of the 211 dates"),
        (lambda: expanding_least_squares(TABLE, TARGET, start="1960"), "'1960' names more than one"),
        (lambda: expanding_least_squares(X, y[:-1], start=9), "y"),
        (lambda: expanding_least_squares(X, np.stack([y, y], 1), start=9), r"y must have shape \(T,\)"),
        (lambda: expanding_least_squares(TABLE, y, start=9), "got DataFrame and ndarray"),
        (
            lambda: expanding_least_squares(TABLE, TARGET.shift(1, freq="Q"), start=9),
            "rows of y are not those of X: .* is missing",
        ),
        (lambda: expanding_least_squares(TABLE[::-1], TARGET, start=9), "the dates of X must rise"),
        (lambda: expanding_least_squares(TABLE.set_axis(GAP), TARGET.set_axis(GAP), start=9), "1975Q2 follows 1974Q4"),
        (lambda: expanding_least_squares(MISSING, TARGET, start=9), "X, column b, row 1961Q2: nan is not finite"),
        (lambda: expanding_least_squares(X, y, start=9, intercept=1), "intercept must be True or False, got 1"),
        (lambda: expanding_least_squares(X * [1, 1, 0], y, start=9), "the 9 rows before start have rank 3"),
    ],
)
def test_what_cannot_be_fitted_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_column_that_has_not_moved_yet_is_named_with_its_date():
    late = pd.DataFrame({"a": X[:, 0], "dummy": (np.arange(T) >= 60).astype(float)}, DATES)
    with pytest.raises(ValueError, match="the 60 rows before start, 1965Q1 have rank 2"):
        expanding_least_squares(late, TARGET, start="1965Q1")
    fit = expanding_least_squares(late, TARGET, start="1965Q2")
    assert fit.coef["dummy"].notna().all()


def test_macro_forecasts_start_where_asked():
    model = autoregression(load_macro()[["inflation"]], max_lag=2)
    fit = expanding_least_squares(model.past, model.present["inflation"], start="1978Q1")
    assert str(fit.forecasts.index[0]) == "1978Q1"
    assert fit.forecasts.name == "inflation"


def test_targets_in_another_order_are_found_by_their_dates():
    expected = expanding_least_squares(TABLE, TARGET, start=9).forecasts
    pd.testing.assert_series_equal(expanding_least_squares(TABLE, TARGET[::-1], start=9).forecasts, expected)


@many(40)
@given(st.integers(-90, 90), st.integers(-90, 90), st.integers(0, 999))
def test_forecasts_know_no_units_of_inputs_and_targets(unit, unit_y, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(31, 2)), rng.normal(size=31)
    expected = expanding_least_squares(X, y, start=7)
    found = expanding_least_squares(X * [10.0**unit, 1.0], y * 10.0**unit_y, start=7)
    np.testing.assert_allclose(found.forecasts / 10.0**unit_y, expected.forecasts, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.coef[:, 0] * 10.0**unit / 10.0**unit_y, expected.coef[:, 0], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.weights(), expected.weights(), rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("power", [-300, -150, -101, 101, 150])
@pytest.mark.parametrize("intercept", [True, False])
def test_units_in_which_squares_are_no_good_numbers_are_refused(power, intercept):
    with pytest.raises(
        ValueError, match=r"columns of X must be between 1e-100 and 1e100 in size.* in column 1; change"
    ):
        expanding_least_squares(np.where([0, 1, 0], 10.0**power, X), y, start=9, intercept=intercept)


def ridge_loop(X, y, start, *, horizon, window, alpha):
    found = []
    for t in range(start, len(X)):
        end = t - horizon + 1
        rows = slice(0 if window is None else max(0, end - window), end)
        found.append(Ridge(alpha=alpha).fit(X[rows], y[rows]).predict(X[[t]])[0])
    return np.array(found)


@pytest.mark.parametrize("horizon", [1, 4])
@pytest.mark.parametrize("window", [None, 31])
@pytest.mark.parametrize("ridge", [0.0, 7.0])
def test_ahead_in_windows_and_with_a_penalty_it_is_a_loop_of_scikit_learns(horizon, window, ridge):
    options = {"horizon": horizon, "window": window}
    fit = expanding_least_squares(TABLE, TARGET, start="1990Q1", ridge=ridge, **options)
    expected = ridge_loop(X, y, 160, alpha=ridge, **options)
    np.testing.assert_allclose(fit.forecasts, expected, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose((TABLE.iloc[160:] * fit.coef).sum(axis=1) + fit.intercept, fit.forecasts)
    honest = expanding_window_forecasts(Ridge(alpha=ridge), TABLE, TARGET, start="1990Q1", **options)
    np.testing.assert_allclose(honest, expected, rtol=1e-9, atol=1e-9)
    assert (honest.name, str(honest.index[0])) == (fit.forecasts.name, str(fit.forecasts.index[0])) == ("y", "1990Q1")
    weights = fit.weights()
    np.testing.assert_allclose(weights @ TARGET, fit.forecasts, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(weights.sum(axis=1), 1)  # the constant is not held back
    for row in (0, 50):
        heard = np.flatnonzero(np.abs(weights.iloc[row]) > 1e-13)
        assert heard[-1] <= 160 + row - horizon
        assert window is None or heard[0] >= 160 + row - horizon + 1 - window


def test_a_rolling_window_is_statsmodels():
    fit = expanding_least_squares(X, y, start=50, window=20, intercept=False)
    theirs = RollingOLS(y, X, window=20).fit(params_only=True).params
    np.testing.assert_allclose(fit.coef, theirs[49:-1], rtol=1e-7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"horizon": 0}, "horizon must be ≥ 1, got 0"),
        ({"ridge": -1.0}, "ridge must be ≥ 0.* got -1.0"),
        ({"window": 3}, "start 40 leaves 3 rows, 1 dates before it, for 4 coefficients"),
        ({"horizon": 38}, "start 40 leaves 3 rows, 38 dates before it, for 4 coefficients"),
    ],
)
def test_what_leaves_nothing_to_fit_is_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        expanding_least_squares(X, y, start=40, **options)
    if "ridge" not in options and "window" not in options:
        with pytest.raises(ValueError, match=r"horizon must|start must be ≥ 39|at least"):
            expanding_window_forecasts(LinearRegression(), X, y, start=38, **options)


def test_a_window_without_variation_is_named():
    still = X.copy()
    still[90:120] = 1.0
    with pytest.raises(ValueError, match="the 20 rows that date 108 is fitted to do not determine 4 coefficients"):
        expanding_least_squares(still, y, start=95, window=20)
    with pytest.raises(ValueError, match="the 20 rows before start have rank 1, which does not determine 4"):
        expanding_least_squares(still, y, start=115, window=20)
