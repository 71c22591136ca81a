"""The leak test finds what knows the future, clears what does not, and says which date is wrong."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn

from regattn import attend, causal_mask
from regattn.data import load_macro
from regattn.regression import NetworkClassifier
from regattn.series import autoregression, expanding_least_squares, future_leak, lagged_forecaster

INFLATION = load_macro()[["inflation"]]
SHORT = pd.DataFrame(
    {"x": np.arange(20.0) % 7, "z": np.arange(20.0) % 3}, pd.period_range("2000Q1", periods=20, freq="Q")
)


def leak(forecaster, table=SHORT, **options):
    return future_leak(forecaster, table, rng=np.random.default_rng(1), **options)


def honest(series):
    model = autoregression(series, max_lag=1)
    return expanding_least_squares(model.past, model.present["inflation"], start="1963Q1").forecasts


def test_a_running_mean_knows_nothing_ahead_and_a_centred_one_does():
    assert leak(lambda table: table["x"].rolling(4, min_periods=1).mean()).max() == 0
    assert leak(lambda table: table["x"].rolling(5, center=True, min_periods=1).mean()).max() > 0.1


def test_the_horizon_decides_what_counts_as_ahead():
    def itself(table):
        return table["x"]

    assert leak(itself, horizon=0).max() == 0
    assert leak(itself, horizon=1).max() > 0.1
    assert leak(lambda table: table["x"].shift(1).dropna(), horizon=1).max() == 0
    assert leak(lambda table: table["x"].shift(1).dropna(), horizon=2).max() > 0.1


@pytest.mark.parametrize("seed", range(5))
def test_expanding_least_squares_is_clean_and_fitted_values_are_not(seed):
    options = {"rng": np.random.default_rng(seed), "horizon": 1}
    assert future_leak(honest, INFLATION, **options).max() < 1e-10  # rounding: the blocks are other ones
    assert future_leak(lambda s: autoregression(s, max_lag=1).average(), INFLATION, **options).max() > 0.1


def test_a_mask_with_fixed_codes_is_clean_and_with_fitted_codes_it_is_not():
    def fixed(series):
        F = series.to_numpy() / 10
        return attend(F, F, series["inflation"].to_numpy(), mask=causal_mask(len(F)))

    def fitted(series):
        F = (series / series.std()).to_numpy()
        return attend(F, F, series["inflation"].to_numpy(), mask=causal_mask(len(F)))

    assert leak(fixed, INFLATION).max() < 1e-12
    assert leak(fitted, INFLATION).max() > 0.1


def test_the_largest_move_over_columns_and_cuts_is_reported_where_a_cut_is_late_enough():
    def sums(table):
        return pd.DataFrame({"none": 0.0, "all": table["x"].sum()}, table.index)

    found = leak(sums, cuts=["2001Q1", "2003Q1"])
    assert found[:"2001Q1"].nunique() == 1
    assert (found[:"2003Q1"] > 0).all()
    assert found["2003Q2":].isna().all()
    twice = leak(sums, cuts=["2001Q1", "2003Q1"], size=6.0)
    np.testing.assert_allclose(twice[:"2003Q1"], 2 * found[:"2003Q1"])  # the same noise, twice as large


def test_lagged_forecasts_in_order_are_those_of_fits_to_what_was_known():
    made = lagged_forecaster(LinearRegression(), max_lag=2, start=7)(SHORT)
    x = SHORT["x"].to_numpy()
    rows = np.array([[1.0, *SHORT.iloc[t - 2 : t].to_numpy().ravel()] for t in range(2, 20)])
    expected = [rows[t] @ np.linalg.lstsq(rows[:t], x[2 : t + 2])[0] for t in range(7, 18)]
    np.testing.assert_allclose(made, expected)
    assert made.index[0] == SHORT.index[9]
    assert made.index[-1] == SHORT.index[-1]


def test_lagged_forecasts_without_a_start_are_fitted_values():
    fitted = lagged_forecaster(LinearRegression(), max_lag=2)(INFLATION)
    expected = autoregression(INFLATION, max_lag=2).average()["inflation"]
    pd.testing.assert_series_equal(fitted, expected, check_names=False)


def test_a_scaler_that_is_fitted_once_leaks_and_one_in_the_pipeline_does_not():
    def scaled_before(X, y):
        return make_pipeline(FrozenEstimator(StandardScaler().fit(X)), Ridge(10))

    options = {"max_lag": 2, "start": 40, "refit_every": 8}
    honest_one = lagged_forecaster(make_pipeline(StandardScaler(), Ridge(10)), **options)
    assert leak(honest_one, INFLATION, horizon=1).max() == 0
    assert leak(lagged_forecaster(scaled_before, **options), INFLATION, horizon=1).max() > 0.01


class Above(RegressorMixin, BaseEstimator):
    """The chance that inflation is above 4 per cent, by a classifier."""

    def __init__(self, classifier=None):
        self.classifier = classifier

    def fit(self, X, y):
        self.fitted_ = clone(self.classifier).fit(X, (y > 4).astype(int))
        return self

    def predict(self, X):
        return self.fitted_.predict_proba(X)[:, 1]


@pytest.mark.parametrize(
    "model",
    [
        GaussianProcessRegressor(RBF(5.0), alpha=1.0, optimizer=None),
        Above(LogisticRegression()),
        Above(KNeighborsClassifier(5)),
        Above(NetworkClassifier(nn.Sequential(nn.Linear(2, 2)), epochs=30)),
    ],
    ids=["Gaussian process", "logistic regression", "neighbours that vote", "network that chooses"],
)
def test_the_books_other_estimators_leak_fitted_to_all_dates_and_not_fitted_in_order(model):
    """Chapter 9 tries nine; these are the posterior mean of chapter 5 and the classifiers of chapter 2."""
    options = {"horizon": 1, "cuts": ["1974Q4", "1985Q4"]}
    in_order = lagged_forecaster(model, max_lag=2, start=60, refit_every=40)
    assert leak(in_order, INFLATION, **options).max() < 1e-9
    assert leak(lagged_forecaster(model, max_lag=2), INFLATION, **options).max() > 0.01


def test_the_table_of_the_caller_stays_as_it_is():
    table = SHORT.copy()

    def spoils(given):
        given["x"] = 0.0
        return given["x"]

    leak(spoils, table)
    pd.testing.assert_frame_equal(table, SHORT)


CHANCE = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leak(lambda t: CHANCE.normal(size=len(t))), "different answers to the same table"),
        (lambda: leak(lambda t: t["x"].to_numpy()[1:]), r"shape \(19,\), need a row for each of 20 dates"),
        (lambda: leak(lambda t: 1.0), r"shape \(\), need a row"),
        (lambda: leak(lambda t: t["x"].shift(1)), "output for 2000Q1 is not finite"),
        (lambda: leak(lambda t: t["x"].shift(1, freq="Q")), "answers for 2005Q1, not in the table"),
        (lambda: leak(lambda t: t["x"][:0]), "returns nothing"),
        (lambda: leak(lambda t: t["x"][t["x"] <= t["x"].mean()]), "answers for other dates once what lies after"),
        (lambda: leak(lambda t: t["x"], SHORT.drop(SHORT.index[7])), "2002Q1 follows 2001Q3: a gap"),
        (lambda: leak(lambda t: t["x"], SHORT[:1]), "table has 1 date"),
        (lambda: leak(lambda t: t["x"], cuts=["1999Q4"]), "'1999Q4' is not one of the 20 dates"),
        (lambda: leak(lambda t: t["x"], cuts=["2004Q4"]), "nothing lies ahead of the last date, 2004Q4"),
        (lambda: leak(lambda t: t["x"], cuts=[]), r"cuts must be a list of dates, got \[\]"),
        (lambda: leak(lambda t: t["x"], horizon=-1), "horizon must be ≥ 0"),
        (lambda: leak(lambda t: t["x"], size=0.0), "size must be > 0"),
    ],
)
def test_what_cannot_be_tested_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
