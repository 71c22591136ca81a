"""Autoregressions as attention: equal to statsmodels, honest about dates, and no map where none is asked for."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from statsmodels.datasets import nile, sunspots
from statsmodels.tsa.api import VAR, AutoReg

from regattn import attend, from_scratch
from regattn.data import load_macro
from regattn.series import autoregression
from tests.bad_inputs.inputs import ODD, many, outcome

NAMES = ["inflation", "unemployment", "bill_rate"]
MACRO = load_macro()[NAMES]
NILE = nile.load_pandas().data.astype({"year": int}).set_index("year")
SUNSPOTS = sunspots.load_pandas().data.set_index("YEAR")
trends = pytest.mark.parametrize(("intercept", "trend"), [(True, "c"), (False, "n")])


@trends
@pytest.mark.parametrize("max_lag", [1, 2, 7])
@pytest.mark.parametrize("series", [MACRO[["inflation"]], NILE, SUNSPOTS], ids=["inflation", "nile", "sunspots"])
def test_one_series_is_the_autoregression_of_statsmodels(series, max_lag, intercept, trend):
    theirs = AutoReg(series.to_numpy().ravel(), max_lag, trend=trend).fit()
    model = autoregression(series, max_lag=max_lag, intercept=intercept)
    scale = series.abs().max().item()
    np.testing.assert_allclose(model.average().to_numpy().ravel(), theirs.fittedvalues, atol=1e-11 * scale)
    ahead = model.weights_after(series) @ model.present
    assert ahead.item() == pytest.approx(theirs.forecast(1)[0], rel=1e-9)


@trends
@pytest.mark.parametrize("max_lag", [1, 3])
def test_several_series_are_the_vector_autoregression_of_statsmodels(max_lag, intercept, trend):
    theirs = VAR(MACRO.to_numpy()).fit(max_lag, trend=trend)
    model = autoregression(MACRO, max_lag=max_lag, intercept=intercept)
    np.testing.assert_allclose(model.average(), theirs.fittedvalues, atol=1e-10)
    np.testing.assert_allclose(model.weights() @ model.present, theirs.fittedvalues, atol=1e-10)
    path = model.continuation(MACRO, steps=11)
    np.testing.assert_allclose(path, theirs.forecast(MACRO.to_numpy(), 11), rtol=1e-8)
    assert [str(path.index[0]), str(path.index[-1])] == ["2009Q4", "2012Q2"]


def test_the_difference_of_two_continuations_is_the_impulse_response():
    model, theirs = autoregression(MACRO, max_lag=2), VAR(MACRO.to_numpy()).fit(2).irf(13).irfs
    plainly = model.continuation(MACRO, steps=13)
    for j, name in enumerate(NAMES):
        shocked = MACRO.copy()
        shocked.loc["2009Q3", name] += 1.0
        response = model.continuation(shocked, steps=13) - plainly
        np.testing.assert_allclose(response, theirs[1:, :, j], atol=1e-10)


def test_a_row_asks_with_its_past_and_answers_with_its_present():
    model = autoregression(MACRO, max_lag=2)
    X = np.column_stack([np.ones(201), MACRO.iloc[1:-1], MACRO.iloc[:-2]])
    np.testing.assert_array_equal(model.past.to_numpy(), X[:, 1:])
    np.testing.assert_array_equal(model.present, MACRO.iloc[2:])
    assert list(model.past.columns[:4]) == [*(f"{name}, 1 back" for name in NAMES), "inflation, 2 back"]
    np.testing.assert_allclose(model.weights(), from_scratch.least_squares_weights(X, X), atol=1e-10)
    codes = model.spectrum.codes()
    average = attend(codes, codes, model.present.to_numpy(), kernel="identity")
    np.testing.assert_allclose(model.average(), average + model.present.to_numpy().mean(axis=0), atol=1e-10)


def test_the_map_is_a_projector_whose_rows_sum_to_one_with_an_intercept_only():
    for intercept, rank in ((True, 7), (False, 6)):
        A = autoregression(MACRO, max_lag=2, intercept=intercept).weights().to_numpy()
        np.testing.assert_allclose(A @ A, A, atol=1e-12)
        assert np.linalg.matrix_rank(A) == rank
        assert np.allclose(A.sum(axis=1), 1) == intercept


def test_a_row_in_the_sample_is_the_row_of_the_date_that_follows_its_history():
    model = autoregression(MACRO, max_lag=3)
    row = model.weights_at("1981Q4")
    np.testing.assert_allclose(row, model.weights().loc["1981Q4"], atol=1e-13)
    np.testing.assert_allclose(row, model.weights_after(MACRO.loc[:"1981Q3"]), atol=1e-13)
    assert row.index.equals(MACRO.index[3:])


def test_values_may_be_anything_that_is_known_at_the_dates():
    model, macro = autoregression(MACRO, max_lag=1), load_macro()
    values = macro[["gdp_growth", "consumption"]].loc["1959Q2":].assign(year=lambda m: m.index.year)
    context = model.average(values.iloc[::-1])
    X = np.column_stack([np.ones(202), model.past])
    expected = X @ np.linalg.lstsq(X, values.to_numpy(), rcond=None)[0]
    np.testing.assert_allclose(context, expected, rtol=1e-8)
    assert list(context.columns) == list(values.columns)
    lagged = model.average(model.past)  # in the strict sense of the word, self-attention returns its input
    np.testing.assert_allclose(lagged, model.past, atol=1e-10)


def test_a_long_series_is_averaged_without_the_map():
    n = 60_000  # the map would take 28.8 GB
    series = pd.DataFrame({"x": np.random.default_rng(3).normal(size=n)})
    tracemalloc.start()
    average = autoregression(series, max_lag=2).average()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(average) == n - 2
    assert peak < 100 * 8 * n


@pytest.mark.parametrize("dates", [
    pd.period_range("1990-01", periods=23, freq="M"), pd.date_range("1990-01-31", periods=23, freq="ME"),
    pd.date_range("1990", periods=23, freq="YS"), pd.RangeIndex(23), pd.Index(np.arange(1700.0, 1723.0)),
])  # fmt: skip
def test_even_dates_of_every_kind_are_taken(dates):
    series = pd.DataFrame({"x": np.random.default_rng(1).normal(size=23)}, index=dates)
    model = autoregression(series, max_lag=2)
    assert model.weights_at(dates[5])[dates[5]] > 0
    assert len(model.continuation(series, steps=3)) == 3


def without(date):
    return MACRO.drop(pd.Period(date, freq="Q"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: autoregression(without("1974Q2"), max_lag=1), "1974Q3 follows 1974Q1: a gap, one of 1"),
        (lambda: autoregression(NILE.drop([1880, 1881, 1900]), max_lag=1), "1882 follows 1879: a gap, one of 2"),
        (lambda: autoregression(MACRO.iloc[::-1], max_lag=1), "must rise, but 2009Q2 follows 2009Q3"),
        (lambda: autoregression(MACRO.iloc[[0, 1, 1, 2]], max_lag=1), "1959Q2 follows 1959Q2"),
        (
            lambda: autoregression(load_macro()[["gdp_growth"]], max_lag=1),
            "series, column gdp_growth, row 1959Q1: nan is not finite",
        ),
        (lambda: autoregression(MACRO.set_axis(MACRO.index.astype(str)), max_lag=1), "periods, times or numbers"),
        (
            lambda: autoregression(MACRO["inflation"].to_numpy(), max_lag=1),
            "or a Series, got ndarray: its index of dates",
        ),
        (
            lambda: autoregression(MACRO.astype(str), max_lag=1),
            "series, column inflation, row 1959Q1: .* is not a number",
        ),
        (lambda: autoregression(MACRO, max_lag=0), "max_lag must be ≥ 1, got 0"),
        (lambda: autoregression(MACRO, max_lag=51), "max_lag 51 leaves 152 of 203 dates for 154 coefficients"),
        (lambda: autoregression(MACRO.iloc[:3], max_lag=5), "leaves 0 of 3 dates for 16 coefficients"),
        (lambda: autoregression(MACRO, max_lag=1, intercept="no"), "intercept must be True or False, got 'no'"),
        (lambda: autoregression(MACRO * 0 + 2, max_lag=1), "every column is constant"),
        (lambda: autoregression(MACRO.iloc[:0], max_lag=1), r"series is empty: its shape is \(0, 3\)"),
    ],
)
def test_a_series_that_cannot_be_regressed_on_itself_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.weights_at("1959Q2"), "'1959Q2' is not one of the 201 dates 1959Q3 to 2009Q3"),
        (lambda m: m.weights_at("2031Q1"), "'2031Q1' is not one of"),
        (lambda m: m.weights_at("the peak"), "'the peak' is not one of"),
        (lambda m: m.weights_at(7.5), "7.5 is not one of"),
        (lambda m: m.weights_at("1981"), "'1981' names more than one of the dates"),
        (
            lambda m: m.weights_after(MACRO[["inflation"]]),
            "the columns of history are not those of the series: unemployment is missing",
        ),
        (lambda m: m.weights_after(MACRO.iloc[:1]), "history has 1 dates, but 2 lags were fitted"),
        (lambda m: m.weights_after(without("2009Q2")), "2009Q3 follows 2009Q1: a gap"),
        (lambda m: m.continuation(MACRO.to_numpy(), steps=1), "history must be a DataFrame, .* got ndarray"),
        (lambda m: m.continuation(MACRO, steps=0), "steps must be ≥ 1, got 0"),
        (lambda m: m.average(MACRO.loc["1970Q1":]), "values has no row for 1959Q3, one of 42 dates"),
        (
            lambda m: m.average(MACRO.where(MACRO < 14)),
            "values, column inflation, row 1979Q4: nan is not finite",
        ),
        (lambda m: m.average(MACRO.to_numpy()), "values must be a DataFrame, .* got ndarray"),
    ],
)
def test_a_bad_question_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call(autoregression(MACRO, max_lag=2))


@pytest.mark.parametrize("max_lag", [1, 2])
def test_odd_inputs_are_refused_or_fitted(max_lag):
    for odd in ODD.values():
        outcome(lambda x: autoregression(x, max_lag=max_lag).average(), odd())
        outcome(lambda x: autoregression(pd.DataFrame(np.atleast_2d(x)), max_lag=max_lag).average(), odd())
        outcome(lambda x: autoregression(MACRO, max_lag=x).average(), odd())
        outcome(lambda x: autoregression(MACRO, max_lag=1).weights_at(x), odd())


@many(60)
@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_the_map_is_a_projector_for_every_series(seed, width, max_lag, intercept):
    values = np.random.default_rng(seed).normal(size=(width * max_lag + max_lag + 3 + seed % 7, width))
    series = pd.DataFrame(values, columns=[f"x{j}" for j in range(width)])
    A = autoregression(series, max_lag=max_lag, intercept=intercept).weights().to_numpy()
    np.testing.assert_allclose(A @ A, A, atol=1e-9)
    np.testing.assert_allclose(A, A.T, atol=1e-12)
    assert np.trace(A) == pytest.approx(width * max_lag + intercept)
