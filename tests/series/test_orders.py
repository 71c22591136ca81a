"""Chosen lags and the choice of their number, against statsmodels and a loop."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from statsmodels.tsa.api import VAR
from statsmodels.tsa.ar_model import AutoReg, ar_select_order

from regattn.series import autoregression, lag_matrix, lag_scores

DATES = pd.period_range("1990-01", periods=150, freq="M")
RNG = np.random.default_rng(8)
NOISE = RNG.normal(size=(150, 2))
for t in range(2, 150):
    NOISE[t] += 0.5 * NOISE[t - 1] - 0.4 * NOISE[t - 2][::-1]
TABLE = pd.DataFrame(NOISE, DATES, ["a", "b"])
SERIES = TABLE["a"]


def test_a_series_is_lagged_and_regressed_as_a_table_of_one_column():
    pd.testing.assert_frame_equal(lag_matrix(SERIES, max_lag=2), lag_matrix(SERIES.to_frame(), max_lag=2))
    ours, theirs = (autoregression(x, max_lag=2) for x in (SERIES, SERIES.to_frame()))
    pd.testing.assert_frame_equal(ours.weights(), theirs.weights())
    pd.testing.assert_frame_equal(ours.continuation(SERIES, steps=3), theirs.continuation(SERIES, steps=3))


def test_chosen_lags_are_those_columns_and_nothing_between():
    whole, chosen = lag_matrix(TABLE, max_lag=12), lag_matrix(TABLE, lags=[1, 12])
    names = ["a", "b", "a, 1 back", "b, 1 back", "a, 12 back", "b, 12 back"]
    pd.testing.assert_frame_equal(chosen, whole[names])


def test_an_autoregression_at_chosen_lags_is_statsmodels():
    model, theirs = autoregression(SERIES, lags=[1, 12]), AutoReg(SERIES.to_numpy(), lags=[1, 12]).fit()
    np.testing.assert_allclose(model.average()["a"], theirs.fittedvalues, atol=1e-9)
    ahead = model.continuation(SERIES, steps=15)
    np.testing.assert_allclose(ahead["a"], theirs.forecast(15), atol=1e-9)
    assert str(ahead.index[0]) == "2002-07"
    assert model.lags == (1, 12)
    assert model.max_lag == 12
    weights = model.weights_after(SERIES)
    assert weights @ SERIES[weights.index] == pytest.approx(ahead["a"].iloc[0])


def test_akaikes_criterion_differs_between_orders_as_statsmodels_does():
    found = lag_scores(SERIES, most=5)
    theirs = ar_select_order(SERIES.to_numpy(), maxlag=5, ic="aic")
    expected = [AutoReg(SERIES.to_numpy(), p, hold_back=5).fit() for p in range(1, 6)]
    likelihood = [-2 * each.llf + 2 * (p + 1) for p, each in enumerate(expected, 1)]
    np.testing.assert_allclose(found - found[1], np.array(likelihood) - likelihood[0], atol=1e-8)
    assert found.idxmin() == len(theirs.ar_lags)


def test_akaikes_criterion_of_several_series_is_that_of_a_vector_autoregression():
    found = lag_scores(TABLE, most=4)
    theirs = np.array(VAR(TABLE.to_numpy()).select_order(4, trend="c").ics["aic"])[1:] * 146
    np.testing.assert_allclose(found - found[1], theirs - theirs[0], atol=1e-7)
    assert found.idxmin() == 2


@pytest.mark.parametrize("horizon", [1, 3])
def test_scores_by_windows_are_those_of_a_loop_of_fits(horizon):
    found = lag_scores(SERIES, most=2, by="windows", start="1999-01", horizon=horizon)
    y = SERIES.to_numpy()
    for p in (1, 2):
        errors = []
        for t in range(108, 150):
            dates = range(1 + horizon, t - horizon + 1)
            X = np.array([[y[s - horizon - lag] for lag in range(p)] for s in dates])
            model = LinearRegression().fit(X, y[list(dates)])
            errors.append(y[t] - model.predict([[y[t - horizon - lag] for lag in range(p)]])[0])
        assert found[p] == pytest.approx(np.mean(np.square(errors)) / y[1 + horizon :].var())
    placed = lag_scores(SERIES, most=2, by="windows", start=108, horizon=horizon)
    pd.testing.assert_series_equal(placed, found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lag_matrix(SERIES), "max_lag=None and lags=None"),
        (lambda: lag_matrix(SERIES, max_lag=2, lags=[1]), r"max_lag=2 and lags=\[1\]"),
        (lambda: lag_matrix(SERIES, lags=[12, 1]), r"lags must rise.* got \[12, 1\]"),
        (lambda: lag_matrix(SERIES, lags=[]), r"got \[\]"),
        (lambda: lag_matrix(SERIES, lags="12"), "lags must be a list of whole numbers, got '12'"),
        (lambda: lag_matrix(SERIES, lags=[0, 1]), "a lag must be ≥ 1, got 0"),
        (lambda: autoregression(SERIES, lags=[1, 150]), "a lag must be ≤ 149"),
        (lambda: autoregression(SERIES, lags=[1, 148]), "max_lag 148 leaves 2 of 150 dates for 3 coefficients"),
        (lambda: lag_scores(SERIES, most=80), "most 80 leaves 70 of 150 dates for 81 coefficients"),
        (lambda: lag_scores(SERIES, most=2, by="bic"), "by must be aic or windows, got 'bic'"),
        (lambda: lag_scores(SERIES, most=2, start="1999-01"), "start and horizon are for by='windows'"),
        (lambda: lag_scores(SERIES, most=2, by="windows", start=1), "start must be ≥ 2, got 1"),
    ],
)
def test_lags_that_cannot_be_are_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
