"""Lags are shifted copies, aligned by date."""

import numpy as np
import pandas as pd
import pytest

from regattn.data import load_macro
from regattn.series import lag_matrix


def test_each_column_is_the_series_that_many_dates_earlier():
    macro = load_macro()[["inflation", "unemployment"]]
    lagged = lag_matrix(macro, max_lag=2)
    assert list(lagged.index) == list(macro.index[2:])
    np.testing.assert_array_equal(lagged["unemployment, 2 back"], macro["unemployment"].iloc[:-2])
    np.testing.assert_array_equal(lagged["inflation"], macro["inflation"].iloc[2:])


def test_dates_with_a_missing_past_drop_out():
    assert str(lag_matrix(load_macro()[["gdp_growth"]], max_lag=3).index[0]) == "1960Q1"


@pytest.mark.parametrize("lags", [-1, 3])
def test_a_bad_number_of_lags_is_named(lags):
    with pytest.raises(ValueError, match=f"got {lags}"):
        lag_matrix(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), max_lag=lags)


def test_a_quarter_left_out_is_named_and_not_stepped_over():
    broken = load_macro()[["inflation"]].drop(index=pd.Period("1974Q2"))
    with pytest.raises(ValueError, match=r"series .* evenly spaced, but 1974Q3 follows 1974Q1: a gap, one of 1"):
        lag_matrix(broken, max_lag=2)


def test_dates_out_of_order_are_named():
    with pytest.raises(ValueError, match="must rise, but 1959Q1 follows 1959Q2"):
        lag_matrix(load_macro()[["inflation"]].iloc[[1, 0, 2]], max_lag=2)
