"""The LagExplorer equals statsmodels, names what it refuses, and draws the map that it reports."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from statsmodels.tsa.api import VAR, AutoReg

from regattn.data import load_macro
from regattn.series import autoregression
from regattn.widgets import LagExplorer
from tests.explorers.lag import example, expected
from tests.widgets.harness import FIGURE, SET, assert_same, opened

SERIES = load_macro()[["inflation", "unemployment", "bill_rate"]]


@pytest.mark.parametrize(("intercept", "trend"), [(True, "c"), (False, "n")])
@pytest.mark.parametrize("max_lag", [1, 4])
def test_the_fit_is_that_of_statsmodels(max_lag, intercept, trend):
    explorer = LagExplorer(SERIES, max_lag=max_lag, intercept=intercept, query="1981Q4")
    found = explorer.result()
    theirs = AutoReg(SERIES["inflation"].to_numpy(), max_lag, trend=trend).fit()
    np.testing.assert_allclose(found["fitted"], theirs.fittedvalues, atol=1e-10)
    assert found["prediction"] == pytest.approx(sum(found["contributions"]))
    assert found["observed"] == SERIES["inflation"]["1981Q4"]
    assert found["rank"] == max_lag + intercept
    explorer.variables = "inflation, unemployment, bill_rate"
    theirs = VAR(SERIES.to_numpy()).fit(max_lag, trend=trend)
    np.testing.assert_allclose(explorer.result()["fitted"], theirs.fittedvalues[:, 0], atol=1e-10)
    explorer.variables = "inflation, bill_rate"
    theirs = VAR(SERIES[["inflation", "bill_rate"]].to_numpy()).fit(max_lag, trend=trend)
    np.testing.assert_allclose(explorer.result()["fitted"], theirs.fittedvalues[:, 0], atol=1e-10)


def test_weights_on_a_stretch_and_after_a_rise_are_those_of_the_row():
    found = LagExplorer(SERIES, max_lag=2, query="1981Q4", stretch=("1974Q1", "1975Q4")).result()
    row = autoregression(SERIES[["inflation"]], max_lag=2).weights_at("1981Q4")
    assert found["stretch"] == pytest.approx(row["1974Q1":"1975Q4"].sum())
    before, inflation = {}, SERIES["inflation"]
    for quarter in row.index:
        before[quarter] = inflation[quarter - 1] > inflation[quarter - 2]
    assert found["rising"] == pytest.approx(row[pd.Series(before)].sum())
    assert "stretch" not in LagExplorer(SERIES).result()


def test_the_date_that_asks_stays_when_the_number_of_lags_changes():
    explorer = example()
    observed = {p: LagExplorer(SERIES, query="1981Q4", max_lag=p).result()["observed"] for p in (1, 3, 8)}
    assert set(observed.values()) == {SERIES["inflation"]["1981Q4"]}
    assert explorer.data["labels"][explorer.query] == "1981Q4"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LagExplorer(SERIES, query="1958Q1"), "'1958Q1' is not one of the 195 dates 1961Q1 to 2009Q3"),
        (lambda: LagExplorer(SERIES, query="1960Q4"), "'1960Q4' is not one of the 195 dates"),
        (lambda: LagExplorer(SERIES, query="1981"), "'1981' names more than one"),
        (lambda: LagExplorer(SERIES, query=195), "query must be ≤ 194"),
        (lambda: LagExplorer(SERIES, max_lag=9), "max_lag must be ≤ 8"),
        (lambda: LagExplorer(SERIES, longest=51), "leaves 152 of 203 dates for 154 coefficients"),
        (lambda: LagExplorer(SERIES.drop(SERIES.index[40])), "1969Q2 follows 1968Q4: a gap"),
        (lambda: LagExplorer(SERIES["inflation"].to_numpy()), "must be a DataFrame"),
        (lambda: LagExplorer(load_macro().iloc[1:, :5]), "series has 5 columns; an explorer has room for 4"),
        (lambda: LagExplorer(SERIES, variables="unemployment"), "variables must be one of the 4 choices"),
        (lambda: LagExplorer(SERIES, stretch="1974Q1"), "stretch must be a pair of dates, .*, got '1974Q1'"),
        (lambda: LagExplorer(SERIES, stretch=("1975Q4", "1974Q1")), "from an earlier date to a later one, got"),
        (lambda: LagExplorer(SERIES, stretch=("1974Q1", "2010Q1")), "'2010Q1' is not one of the 203 dates"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.browser
def test_numbers_equal_the_packages_over_a_grid(browser, tmp_path):
    explorer = example()
    with opened(browser, tmp_path, explorer) as page:
        for variables, lags, intercept in product(explorer.sets, (1, 5), (True, False)):
            values = {"variables": variables, "max_lag": lags, "intercept": intercept, "query": 31}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}))


@pytest.mark.browser
@pytest.mark.parametrize("twin", [False, True])
def test_a_series_that_repeats_another_changes_no_weight(browser, tmp_path, twin):
    series = SERIES.loc["1975Q1":"1985Q4", ["inflation", "bill_rate"]]
    series = series.assign(again=2 * series["bill_rate"]) if twin else series
    with opened(browser, tmp_path, LagExplorer(series, longest=2, max_lag=2)) as page:
        found = page.evaluate(SET, [{"variables": ", ".join(series)}, 0])
        assert found["rank"] == 5
        wanted = LagExplorer(series.iloc[:, :2], longest=2, max_lag=2, variables="inflation, bill_rate").result()
        np.testing.assert_allclose(found["map"], wanted["map"], atol=1e-9)


# The opacity of each pixel of the mask of the layer with this role.
OPACITY = """async (role) => {
  const style = document.querySelector(`.ra-raster.ra-${role}`).style;
  const image = new Image();
  image.src = style.maskImage.slice(5, -2);
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
  canvas.getContext("2d").drawImage(image, 0, 0);
  const data = canvas.getContext("2d").getImageData(0, 0, image.width, image.height).data;
  return Array.from({length: image.width * image.height}, (_, k) => data[4 * k + 3]);
}"""


@pytest.mark.browser
def test_the_map_is_drawn_as_reported(browser, tmp_path):
    explorer = example()
    weights = np.array(explorer.result()["map"])
    with opened(browser, tmp_path, explorer) as page:
        for role, sign in (("positive", 1), ("negative", -1)):
            shade = np.array(page.evaluate(OPACITY, role)).reshape(weights.shape)
            sizes = np.sort(np.abs(weights).ravel())
            limit = sizes[int(0.98 * (weights.size - 1))]
            np.testing.assert_allclose(shade / 255, np.clip(sign * weights / limit, 0, 1), atol=1.01 / 255)


@pytest.mark.browser
def test_a_click_on_a_row_of_the_map_lets_it_ask(browser, tmp_path):
    with opened(browser, tmp_path, example(query=0)) as page:
        page.locator("[data-panel=map] svg").click(position={"x": 150, "y": 200})
        chosen = page.evaluate(f"{FIGURE}.model.get('query')")
        assert chosen > 0
        assert page.locator('[data-output="query"]').inner_text() in page.locator(".ra-live strong").inner_text()


def test_periods_and_places_name_the_same_date():
    assert LagExplorer(SERIES, query=pd.Period("1981Q4")).query == LagExplorer(SERIES, query="1981Q4").query == 83


@pytest.mark.browser
@pytest.mark.parametrize("max_lag", [1, 2])
def test_the_weight_on_dates_after_a_rise_is_printed(browser, tmp_path, max_lag):
    explorer = LagExplorer(SERIES, max_lag=max_lag, query="1981Q4")
    rose = (SERIES["inflation"].diff().shift(1) > 0)[max_lag:]
    with opened(browser, tmp_path, explorer) as page:
        printed = page.locator("dd[data-output=rising]").inner_text()
    assert float(printed) == pytest.approx(np.array(explorer.result()["weights"])[rose].sum(), abs=5e-4)
