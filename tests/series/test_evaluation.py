"""Fair comparisons: forecasts that never see the future, and tests whose statistics a hand can check."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from statsmodels.stats.sandwich_covariance import S_hac_simple

from regattn.series import corrected_t_test, diebold_mariano, expanding_window_forecasts


class Witness(RegressorMixin, BaseEstimator):
    """Predicts how many rows it was fitted to."""

    def fit(self, X, y):
        self.seen_ = len(y)
        return self

    def predict(self, X):
        return np.full(len(X), float(self.seen_))


@pytest.mark.parametrize(
    ("horizon", "every", "expected"),
    [(1, 1, [4, 5, 6, 7, 8, 9, 10]), (3, 1, [2, 3, 4, 5, 6, 7, 8]), (1, 3, [4, 4, 4, 7, 7, 7, 10])],
)
def test_a_forecast_is_fitted_to_what_was_known_and_no_more(horizon, every, expected):
    seen = expanding_window_forecasts(
        Witness(), np.zeros((11, 2)), np.zeros(11), start=4, horizon=horizon, refit_every=every
    )
    assert seen.tolist() == expected


def test_the_forecasts_are_those_of_a_loop_written_out():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(29, 3)), rng.normal(size=29)
    expected = [LinearRegression().fit(X[:t], y[:t]).predict(X[t : t + 1])[0] for t in range(13, 29)]
    np.testing.assert_allclose(expanding_window_forecasts(LinearRegression(), X, y, start=13), expected, rtol=1e-12)


def test_diebold_mariano_by_hand():
    # squares 1 1 4 1 and 4 1 1 9: d = -3 0 3 -8, mean -2; about the mean -1 2 5 -6, with sum of squares 66
    result = diebold_mariano([1.0, -1.0, 2.0, 1.0], [2.0, 1.0, -1.0, 3.0], max_lag=1)
    variance = 66 / 4 + 2 * 0.5 * (-2 + 10 - 30) / 4
    corrected = np.sqrt((4 + 1 - 2) / 4)
    assert result.difference == -2
    assert result.statistic == pytest.approx(-2 / np.sqrt(variance / 4) * corrected)
    assert result.p_value == pytest.approx(2 * stats.t.cdf(result.statistic, 3))
    assert result.standard_error == pytest.approx(result.difference / result.statistic)


@pytest.mark.parametrize(("horizon", "lags"), [(1, 0), (1, 4), (5, 6)])
def test_diebold_mariano_uses_the_newey_west_variance_of_statsmodels(horizon, lags):
    rng = np.random.default_rng(7)
    first, second = rng.normal(size=97).cumsum() / 5, rng.normal(size=97)
    d = first**2 - second**2
    variance = S_hac_simple((d - d.mean())[:, None], nlags=lags)[0, 0] / 97
    factor = (97 + 1 - 2 * horizon + horizon * (horizon - 1) / 97) / 97
    result = diebold_mariano(first, second, horizon=horizon, max_lag=lags)
    assert result.statistic == pytest.approx(d.mean() / np.sqrt(variance / 97) * np.sqrt(factor))


def test_swapping_the_forecasts_changes_the_sign_only():
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=(2, 53))
    there, back = diebold_mariano(first, second), diebold_mariano(second, first)
    assert there.statistic == pytest.approx(-back.statistic)
    assert there.p_value == pytest.approx(back.p_value)


def test_two_equally_good_forecasts_are_told_apart_about_as_often_as_the_level_says():
    rng = np.random.default_rng(9)
    rejected = [diebold_mariano(*rng.normal(size=(2, 89))).p_value < 0.05 for _ in range(800)]
    assert 0.03 < np.mean(rejected) < 0.10  # nominal 0.05, four lags for 89 errors reject a little more


def test_the_corrected_t_test_by_hand():
    result = corrected_t_test([1.0, 2.0, 3.0, 6.0], [2.0, 4.0, 6.0, 8.0], test_share=0.2)
    # d = -1 -2 -3 -2: mean -2, variance 2/3; 1/4 + 0.2/0.8 = 1/2
    assert result.difference == -2
    assert result.standard_error == pytest.approx(np.sqrt(1 / 3))
    assert result.p_value == pytest.approx(2 * stats.t.cdf(-2 * np.sqrt(3), 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diebold_mariano([1.0, 2.0], [1.0]), r"\(2,\) and \(1,\)"),
        (lambda: diebold_mariano([1.0, 2.0, 3.0], [2.0, 3.0, 5.0], max_lag=3), "max_lag must be ≤ 2"),
        (lambda: diebold_mariano([1.0, 2.0], [-1.0, 2.0]), "does not vary"),
        (lambda: diebold_mariano([1.0, 2.0], [1.0, 3.0], horizon=0), "horizon must be ≥ 1, got 0"),
        (lambda: diebold_mariano([1.0, -2.0], [1.0, 3.0], squared=True), "squared errors cannot be negative, got -2"),
        (lambda: diebold_mariano([1.0, 2.0], [1.0, 3.0], squared=1), "squared must be True or False, got 1"),
        (lambda: corrected_t_test([1.0], [2.0], test_share=0.1), r"length ≥ 2"),
        (lambda: corrected_t_test([1.0, 2.0], [2.0, 3.0], test_share=0.1), "does not vary"),
        (lambda: corrected_t_test([1.0, 2.0], [2.0, 3.5], test_share=1.0), "got 1.0"),
        (lambda: expanding_window_forecasts(Witness(), np.zeros((5, 1)), np.zeros(5), start=1), "start must be ≥ 2"),
        (lambda: expanding_window_forecasts(Witness(), np.zeros((5, 1)), np.zeros(5), start=5), "start must be ≤ 4"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


FRAME = pd.DataFrame(
    np.random.default_rng(5).normal(size=(29, 2)), pd.period_range("1990Q1", periods=29, freq="Q"), ["a", "b"]
)
TARGET = pd.Series(np.random.default_rng(6).normal(size=29), FRAME.index, name="y")


def test_forecasts_of_a_table_keep_its_dates_and_find_targets_by_them():
    by_place = expanding_window_forecasts(LinearRegression(), FRAME.to_numpy(), TARGET.to_numpy(), start=11)
    found = expanding_window_forecasts(LinearRegression(), FRAME, TARGET[::-1], start=11)
    pd.testing.assert_series_equal(found, pd.Series(by_place, FRAME.index[11:], name="y"))
    pd.testing.assert_series_equal(
        expanding_window_forecasts(LinearRegression(), FRAME, TARGET.to_numpy(), start=11), found, check_names=False
    )


def test_a_model_may_look_columns_up_by_name():
    chosen = make_pipeline(ColumnTransformer([("one", "passthrough", ["b"])]), LinearRegression())
    found = expanding_window_forecasts(chosen, FRAME, TARGET, start=11)
    np.testing.assert_allclose(found, expanding_window_forecasts(LinearRegression(), FRAME[["b"]], TARGET, start=11))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expanding_window_forecasts(Witness(), FRAME[::-1], TARGET, start=9), "dates of X must rise"),
        (lambda: expanding_window_forecasts(Witness(), FRAME.drop("1993Q4"), TARGET.drop("1993Q4"), start=9), "a gap"),
        (lambda: expanding_window_forecasts(Witness(), FRAME, TARGET[1:], start=9), "rows of y .* 1990Q1 is missing"),
        (
            lambda: expanding_window_forecasts(Witness(), FRAME.to_numpy(), TARGET[::-1], start=9),
            "dates of y must rise",
        ),
        (lambda: diebold_mariano([1.0], [2.0]), "errors must have length ≥ 2, got 1"),
    ],
)
def test_what_is_not_in_order_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("horizon", "lags"), [(1, 3), (3, 3), (4, 3), (5, 4), (9, 8)])
def test_autocovariances_reach_as_far_as_forecasts_overlap_and_no_less_than_the_rule(horizon, lags):
    first, second = np.random.default_rng(5).normal(size=(2, 60))  # 4 (60/100)^(2/9) = 3.57
    found = diebold_mariano(first, second, horizon=horizon)
    assert found == diebold_mariano(first, second, horizon=horizon, max_lag=lags)
    assert found != diebold_mariano(first, second, horizon=horizon, max_lag=lags + 1)
