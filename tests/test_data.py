"""The data sets are what their docstrings say, without the network."""

import numpy as np
import pytest
import statsmodels.api as sm

from regattn.data import load_diabetes, load_grunfeld, load_macro
from regattn.recorded_runs import load_runs
from tests.built import ROOT
from tools.recorded_runs import FOLDER, minutes_of, read_runs, write_runs


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


EXPERIMENTS = ["circle", "codes", "coverage", "forecasts", "heads", "leak", "lengths", "news", "race"]
KEPT = sorted([*EXPERIMENTS, "monte_carlo"])


@pytest.mark.parametrize("name", KEPT)
def test_recorded_runs_name_a_script_that_exists_and_every_run_is_in_one_part(name):
    whole = load_runs(name)
    assert (ROOT / whole.card["script"]).is_file()
    parts = whole.runs["part"].unique() if "part" in whole.runs else []
    assert sum(len(load_runs(name, part).runs) for part in parts) == len(whole.runs) * bool(len(parts))
    for part in parts:
        assert not load_runs(name, part).runs.isna().all().any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_runs("weather"), rf"name must be one of {', '.join(KEPT)}, got 'weather'"),
        (
            lambda: load_runs("heads", "tails"),
            "part must be one of deeper, heads, induction, longer, parts, roles, got 'tails'",
        ),
        (lambda: load_runs("news", "half"), "part must be None, for news has no parts, got 'half'"),
    ],
)
def test_recorded_runs_that_do_not_exist_are_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_script_writes_its_runs_as_they_are_kept(name, tmp_path):
    card = read_runs(FOLDER / f"{name}.json")
    runs, told = card["runs"], ("runs", "script", "minutes", "libraries")
    made_by = {key: card[key] for key in card if key not in told}
    minutes = card["minutes"] if name == "codes" else minutes_of(runs)  # codes count them by part
    write_runs(tmp_path / "again.json", runs, script=card["script"], libraries=["numpy"], minutes=minutes, **made_by)
    again = read_runs(tmp_path / "again.json")
    assert again["runs"] == runs
    assert list(again["libraries"]) == ["numpy"]
    assert again["minutes"] == pytest.approx(card["minutes"], abs=0.06)  # once some were made again
    assert {key: again[key] for key in made_by} == made_by
    assert read_runs(tmp_path / "nothing.json") == {"runs": []}
