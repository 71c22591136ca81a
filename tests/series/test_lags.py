"""Lags are shifted copies, aligned by date."""

import numpy as np
import pandas as pd
import pytest

from regattn.data import load_macro
from regattn.series import lag_matrix


def test_each_column_is_the_series_that_many_dates_earlier():
    macro = load_macro()[["inflation", "unemployment"]]
    lagged = lag_matrix(macro, max_lag=3)
    assert list(lagged.index) == list(macro.index[2:])
    np.testing.assert_array_equal(lagged["unemployment, 2 back"], macro["unemployment"].iloc[:-2])
    np.testing.assert_array_equal(lagged["inflation"], macro["inflation"].iloc[2:])


def test_dates_with_a_missing_past_drop_out():
    assert str(lag_matrix(load_macro()[["gdp_growth"]], max_lag=4).index[0]) == "1960Q1"


@pytest.mark.parametrize("lags", [0, 4])
def test_a_bad_number_of_lags_is_named(lags):
    with pytest.raises(ValueError, match=f"got {lags}"):
        lag_matrix(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), max_lag=lags)
