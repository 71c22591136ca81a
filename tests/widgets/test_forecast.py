"""The ForecastExplorer: a forecaster in the page against the package, with months deleted, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.data import load_employment
from regattn.series.forecaster import Forecaster, ForecasterDesign
from regattn.series.forecasting import PooledLinear, load_forecaster
from regattn.series.in_numpy import forecast_pass
from regattn.transformer._halves import in_halves, travelling
from regattn.widgets import ForecastExplorer
from tests.explorers.forecast import example, shaken, table, untrained
from tests.node import in_node
from tests.widgets.harness import FIGURE, SET, assert_same, opened

PASS = """const model = { ...openForecaster(given.model), layers: given.layers };
const may = (h, t) => given.keep[h][t];
say(given.windows.map(({ x, months }) => {
  const { outputs, cross } = decoded(model, encoded(model, x, months.slice(0, x.length)), months.slice(x.length), may);
  return [outputs.map((row) => Array.from(row)), cross.map((head) => head.map((row) => Array.from(row)))];
}));"""
DELETIONS = [("lags", {"lag": 12}), ("lags", {"lag": 1}), ("lags", {"lag": 24}), ("span", {"start": 26, "length": 25}),
             ("span", {"start": 3, "length": 20}), ("span", {"start": 1, "length": 1})]  # fmt: skip


@pytest.mark.parametrize(("layers", "heads"), [(0, 1), (1, 4), (2, 2)])
def test_the_page_and_numpy_agree_on_quantiles_and_weights(tmp_path, layers, heads):
    sizes = {"context": 36, "horizon": 12, "width": 16, "hidden": 20, "layers": layers, "n_heads": heads}
    model = in_halves(shaken(Forecaster(ForecasterDesign(**sizes))))
    rng = np.random.default_rng(5)
    past, keep, first = rng.normal(size=(6, 36)), rng.random((12, 36)) < 0.5, [0, 3, 5, 8, 10, 11]
    months = [((month + np.arange(-36, 12)) % 12).tolist() for month in first]
    windows = [{"x": x, "months": calendar} for x, calendar in zip(past.tolist(), months, strict=True)]
    given = {"model": travelling(model) | {"width": 16, "heads": heads}, "layers": layers, "keep": keep.tolist()}
    found = in_node(tmp_path, "forecast/model.js", PASS, given | {"windows": windows})
    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    for (outputs, cross), x, month in zip(found, past, first, strict=True):
        wanted = forecast_pass(weights, x, month, design=model.design, keep=keep)
        np.testing.assert_allclose(outputs, wanted.outputs, rtol=0, atol=1e-9)
        np.testing.assert_allclose(cross, wanted.cross, rtol=0, atol=1e-12)


@pytest.mark.browser
def test_the_shipped_model_in_the_page_is_the_packages_and_weighs_little(browser, tmp_path):
    logs = np.log(load_employment().iloc[:, ::19])
    rival = PooledLinear(load_forecaster()[0].design)
    explorer = ForecastExplorer(load_forecaster()[0], logs, rival=rival, head=4, query="2014-03")
    assert len(explorer.to_html()) < 3e5
    with opened(browser, tmp_path, explorer) as page:
        for kind, cut in [("nothing", {}), ("lags", {"lag": 12}), ("span", {"start": 30, "length": 20})]:
            values = {"deleted": kind, "series": logs.columns[3], "query": 95, **cut}
            for name, value in values.items():
                setattr(explorer, name, value)
            assert_same(page.evaluate(SET, [values, 0]), explorer.result())


@pytest.mark.parametrize(("kind", "cut"), DELETIONS)
def test_what_is_deleted_has_no_weight_and_nothing_else_is_deleted(kind, cut):
    explorer = example(deleted=kind, **cut)
    for month in range(1, 6):
        explorer.horizon = month
        back = np.arange(26, 0, -1)  # from the last month read, which is 1
        gone = {"lags": np.isin(back + month - 1, explorer.lag + np.array([0, 12, 24]))}
        gone["span"] = (back <= explorer.start) & (back > explorer.start - explorer.length)
        weights = np.array(explorer.result()["weights"])
        assert np.array_equal(weights == 0, gone[kind])
        assert weights.sum() == pytest.approx(1)


def test_masses_lags_and_errors_say_one_thing():
    explorer = example()
    found = explorer.result()
    by_month = [example(horizon=month).result()["mass"] for month in range(1, 6)]
    assert found["masses"][0] == pytest.approx(np.mean(by_month))
    assert found["by_lag"][11] + found["by_lag"][23] == pytest.approx(found["masses"][0])
    assert found["mase"] == found["mase_before"]
    y = np.log(np.array(found["before"]))
    came = table().iloc[48 + 7 :, 0].to_numpy()[:5]  # the eighth window begins in August 2010
    assert found["mase"] == pytest.approx(np.abs(y - came).mean() / table().iloc[:48, 0].diff(12).abs().mean())


@pytest.mark.browser
def test_words_presets_a_drag_and_a_month_in_the_picture(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        words = page.locator("[data-output=message]")
        assert words.inner_text().startswith("Nothing deleted: the error is ")
        assert page.locator("[data-panel=errors] tr").count() == 4
        assert page.locator("[data-panel=errors] th", has_text="nothing deleted").is_hidden()
        asks = page.locator("[data-output=horizon]")
        assert asks.inner_text() == "October 2010"
        assert page.locator("[data-panel=heads] table").is_visible()
        assert not page.locator("[data-panel=heads] p", has_text="they are deleted").is_visible()
        page.evaluate(SET, [{"query": 8}, 0])
        assert asks.inner_text() == "November 2010"
        page.evaluate(SET, [{"query": 7}, 0])
        page.locator("[data-preset='delete 12, 24, 36']").click()
        assert page.evaluate(f"{FIGURE}.model.get('deleted')") == "lags"
        assert "For October 2010, head 1 hears none of the lags 12, 24 and 36." in words.inner_text()
        assert "they are deleted" in page.locator("[data-panel=heads]").inner_text()
        assert not page.locator("[data-panel=heads] table").is_visible()
        assert words.inner_text().startswith("Without lags 12, 24 and 36: the error goes from ")
        assert page.locator("[data-panel=errors] th", has_text="nothing deleted").is_visible()
        page.evaluate(SET, [{"deleted": "span", "start": 12, "length": 4}, 0])  # lag 12 lies ten months back
        assert "Without \u20682009-08\u2069 to \u20682009-11\u2069: the error goes" in words.inner_text()
        assert "of its weight to lag 24 (12 deleted)." in words.inner_text()
        plot = page.locator("[data-panel=weights] svg")
        plot.focus()
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        cut = f"['deleted', 'lag'].map((name) => {FIGURE}.model.get(name))"
        assert page.evaluate(cut) == ["lags", 4]  # of 4, 16 and 28 before the third month ahead
        page.keyboard.press("Enter")
        assert page.evaluate(cut) == ["nothing", 4]
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        assert page.evaluate(f"{FIGURE}.model.get('horizon')") == 5
        handle = page.locator("[data-panel=fan] .ra-handle").bounding_box()
        page.mouse.move(handle["x"] + 18, handle["y"] + 18)
        page.mouse.down()
        page.mouse.move(handle["x"] - 22, handle["y"] + 18)
        page.mouse.up()
        assert page.evaluate(f"{FIGURE}.model.get('horizon')") < 5


@pytest.mark.browser
def test_two_lags_deleted_show_what_each_costs_also_of_the_next_window(browser, tmp_path):
    # how many bars are faint, were deleted by a hand, and are deleted now
    bars = """[...document.querySelectorAll('[data-panel=costs] path.ra-bar')].map(
        (p) => p.getAttribute('d').split('M').length - 1)"""
    cost = f"{FIGURE}.querySelector('[data-panel=costs] svg').getAttribute('aria-valuetext')"
    with opened(browser, tmp_path, example()) as page:
        assert page.evaluate(bars) == [0, 0, 0]
        plot = page.locator("[data-panel=costs] svg")
        plot.focus()
        assert "not tried" in plot.get_attribute("aria-valuetext")
        page.keyboard.press("Enter")
        assert page.evaluate(bars) == [0, 0, 1]
        for key in ("ArrowLeft", "Enter"):
            page.keyboard.press(key)
        assert page.evaluate(f"['deleted', 'lag'].map((name) => {FIGURE}.model.get(name))") == ["lags", 11]
        assert page.evaluate(bars) == [22, 1, 1]
        for lag in (10, 24):
            page.keyboard.press("Home" if lag < 12 else "End")
            for _ in range(lag - 1 if lag < 12 else 0):
                page.keyboard.press("ArrowRight")
            mase = example(deleted="lags", lag=lag).result()["mase"]
            assert page.evaluate(cost) == f"lags {lag}, {lag + 12}, {lag + 24}\nMASE {mase:.3g}"
        handle = page.locator("[data-panel=costs] .ra-handle").bounding_box()
        page.mouse.move(handle["x"] + 18, handle["y"] + 18)
        page.mouse.down()
        page.mouse.move(handle["x"] - 42, handle["y"] + 18)
        page.mouse.up()
        assert page.evaluate(f"{FIGURE}.model.get('lag')") < 11
        page.evaluate(SET, [{"deleted": "nothing"}, 0])
        assert page.evaluate(bars)[0] + page.evaluate(bars)[1] == 24
        page.evaluate(SET, [{"query": 8}, 0])
        page.wait_for_function(f"({bars})[0] === 24")
        assert page.evaluate(bars) == [24, 0, 0]


@pytest.mark.browser
def test_a_rival_draws_its_line_when_its_name_is_pressed_and_more_stays_closed(browser, tmp_path):
    line = "document.querySelector('[data-panel=fan] path.ra-test').getAttribute('d')"
    with opened(browser, tmp_path, example(), more=False) as page:
        assert page.evaluate(line) == ""
        sceptic = page.locator("[data-panel=errors] button", has_text="sceptic")
        for pressed in (True, False):
            sceptic.click()
            assert sceptic.get_attribute("aria-pressed") == str(pressed).lower()
            assert bool(page.evaluate(line)) == pressed
        page.locator("[data-preset='delete the last year']").click()
        assert not page.evaluate("document.querySelector('.ra-more').open")
        words = page.locator("[data-output=message]").inner_text()
        before, now = (np.array(example(**cut).result()["quantiles"])[:, 2] for cut in ({}, {"deleted": "span"}))
        low = [["August", "September", "October", "November", "December"][path.argmin()] for path in (before, now)]
        low = f"stays in {low[0]}" if low[0] == low[1] else f"moves from {low[0]} to {low[1]}"
        change = 100 * (now.mean() / before.mean() - 1)
        level = f"{'rises' if change > 0 else 'falls'} by {abs(change):.1f}" if abs(change) > 0.2 else "hardly moves"
        assert f"the low {low}, the mean {level}" in words


@pytest.mark.browser
def test_bars_bear_the_names_of_their_months_and_heads_of_what_they_hear(browser, tmp_path):
    logs = np.log(load_employment()[["Government: Local Government"]])
    explorer = ForecastExplorer(load_forecaster()[0], logs, head=4, horizon=7, query="2012-12")
    named = "[...document.querySelectorAll('[data-panel=weights] .ra-note.ra-cursor')].map((note) => note.textContent)"
    with opened(browser, tmp_path, explorer) as page:
        assert page.locator("[data-output=head]").inner_text() == "4 of 4: the season"
        assert {"Jul 2012", "Jul 2011"} < {*page.evaluate(named)}
        page.evaluate(SET, [{"head": 1}, 0])
        assert page.locator("[data-output=head]").inner_text() == "1 of 4: the change"
        assert {*page.evaluate(named)} == {"Dec 2011", "Dec 2010", ""}


@pytest.mark.browser
def test_without_a_rival_there_is_no_number_of_one(browser, tmp_path):
    explorer = ForecastExplorer(untrained(), table())
    assert explorer.result()["mase_rival"] is None
    with opened(browser, tmp_path, explorer) as page:
        assert page.locator("[data-output=mase-rival]").count() == 0
        assert page.evaluate(SET, [{"query": 3}, 0])["mase_rival"] is None


WORSE = table()


@pytest.mark.parametrize(("call", "message"), [
    (lambda: ForecastExplorer("a", WORSE), "model must be a Forecaster, got str"),
    (lambda: ForecastExplorer(untrained(period=4), WORSE), "months, period 12.*got period 4"),
    (lambda: ForecastExplorer(untrained(levels=(0.1, 0.5)), WORSE), r"0.5 in their middle, got \(0.1, 0.5\)"),
    (lambda: ForecastExplorer(untrained(), WORSE.to_numpy()), "logs must be a DataFrame.*got ndarray"),
    (lambda: ForecastExplorer(untrained(), WORSE.reset_index(drop=True)), "indexed by months, got an index of int64"),
    (lambda: ForecastExplorer(untrained(), WORSE[["Schools", "Schools"]]), "columns of logs must differ"),
    (lambda: ForecastExplorer(untrained(), np.exp(WORSE)), "logs must be logarithms, of at most 50 in size, got"),
    (lambda: ForecastExplorer(untrained(), 0 * WORSE), "vary from year to year before 2010-01, got none in 'Retail"),
    (lambda: ForecastExplorer(untrained(), WORSE, first="2012-12"), "26 months before 2012-12 and 5.*got 83 and 1"),
    (lambda: ForecastExplorer(untrained(), WORSE, first="2020-01"), "2020-01.* is not one of the 84 dates"),
    (lambda: ForecastExplorer(untrained(), WORSE, query="2005-01"), "2005-01.* is not one of the"),
    (lambda: example(rival="a"), "rival must be a PooledLinear, got str"),
    (lambda: example(rival=PooledLinear(ForecasterDesign(context=26, horizon=4))), "model's horizon, 5, got 4"),
    (lambda: example(series="Cars"), "series must be one of the 3 series, got 'Cars'"),
    (lambda: example(horizon=6), "horizon must be ≤ 5"),
    (lambda: example(head=4), "head must be ≤ 3"),
    (lambda: example(lag=25), "lag must be ≤ 24"),
    (lambda: example(length=26), "length must be ≤ 25"),
    (lambda: example(query=32), "query must be ≤ 31"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
