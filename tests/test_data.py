"""The data sets are what their docstrings say, without the network."""

import numpy as np
import statsmodels.api as sm

from regattn.data import load_diabetes, load_grunfeld, load_macro


def test_macro_is_the_statsmodels_table_by_quarter():
    macro, raw = load_macro(), sm.datasets.macrodata.load_pandas().data
    np.testing.assert_array_equal(macro["inflation"], raw["infl"])
    np.testing.assert_array_equal(macro["bill_rate"], raw["tbilrate"])
    assert macro.index.freqstr.startswith("Q")
    assert [str(q) for q in macro.index[[0, 1, -1]]] == ["1959Q1", "1959Q2", "2009Q3"]


def test_gdp_growth_is_the_annualised_change_of_the_logarithm():
    macro = load_macro()
    assert macro["gdp_growth"].isna().sum() == 1
    np.testing.assert_allclose(macro["gdp_growth"].iloc[1], 400 * np.log(macro["gdp"].iloc[1] / macro["gdp"].iloc[0]))


def test_diabetes_is_in_original_units():
    X, y = load_diabetes()
    assert list(X.columns) == ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
    assert X["age"].between(19, 79).all()
    assert y.name == "progression"


def test_grunfeld_is_the_statsmodels_panel_by_firm_and_year():
    panel, raw = load_grunfeld(), sm.datasets.grunfeld.load_pandas().data
    np.testing.assert_array_equal(panel["investment"], raw["invest"])
    assert panel.groupby("firm").size().to_dict() == dict.fromkeys(raw["firm"], 20)
    assert panel.index.get_level_values("year")[:20].tolist() == list(range(1935, 1955))
