"""The SpectralExplorer in a real browser, from a file, with the network cut off."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.widgets import SpectralExplorer
from tests.browser import open_offline
from tests.node import in_node
from tests.widgets.harness import MOVE, PICTURE, SET, live, opened
from tests.widgets.pages import inflation_explorer, made_up_explorer, write_page

pytestmark = pytest.mark.browser

CONTROLS = ["ridge", "rank", "query", "root", "angle"]
# Imports the assembled module, as a live notebook does.


def assert_same_numbers(found: dict, explorer: SpectralExplorer) -> None:
    expected = explorer.result()
    assert set(found) == set(expected)
    for key, value in expected.items():
        if value is None:
            assert found[key] is None, key
            continue
        tolerance = 1e-9 * np.abs(value).max()  # of the largest of its list: a weight may pass through zero
        if key.endswith("error"):
            tolerance += 1e-13 * np.abs(explorer.y).max()  # a perfect fit leaves only rounding
        np.testing.assert_allclose(found[key], value, rtol=1e-9, atol=tolerance, err_msg=key)


# ---- numbers --------------------------------------------------------------------------------------------------------


def test_numbers_equal_the_packages_over_a_grid(browser, tmp_path):
    explorer = inflation_explorer()
    with opened(browser, tmp_path, explorer) as page:
        for ridge in (0.0, 1e-3, 2.0, 977.0, 1e7):
            for rank in (1, 2, 3):
                for query in (0, 59, 156, 157, 198):
                    values = {"ridge": ridge, "rank": rank, "query": query}
                    explorer.set_trait("ridge", ridge)
                    explorer.rank, explorer.query = rank, query
                    assert_same_numbers(page.evaluate(SET, [values, 0]), explorer)


@pytest.mark.parametrize(
    "explorer",
    [
        made_up_explorer(7, 1, 0),
        made_up_explorer(3, 2, 2),  # as many rows as coefficients: every leverage is 1
        made_up_explorer(5, 11, 2, ridge=0.5),  # more columns than rows
        made_up_explorer(13, 2, 0, panels=["path"], query=12),
        SpectralExplorer([[1.0], [2.0], [4.0]], [1.0, 1.0, 1.0], [[3.0]], panels=["sum"], query=3),
        SpectralExplorer([[1e-8, 3e6], [2e-8, 1e6], [5e-8, 2e6], [1e-8, 0.0]], [1.0, 2.0, 4.0, 5.0]),
    ],
    ids=["one column", "leverage 1", "wide", "only the path", "constant target", "odd units"],
)
def test_numbers_equal_the_packages_for_odd_shapes(browser, tmp_path, explorer):
    with opened(browser, tmp_path, explorer) as page:
        assert_same_numbers(page.evaluate(SET, [{}, 0]), explorer)
        assert "NaN" not in page.evaluate(PICTURE)
        assert "Infinity" not in page.evaluate(PICTURE)


def test_every_printed_number_is_the_one_that_result_returns(browser, tmp_path):
    explorer = inflation_explorer(ridge=2.0, rank=2, query="2008Q4")
    with opened(browser, tmp_path, explorer) as page:
        for key in ("prediction", "dof", "train_error", "loo_error", "test_error"):
            printed = page.locator(f'[data-output="{key}"]').inner_text().replace("−", "-")
            assert float(printed) == pytest.approx(explorer.result()[key], rel=5e-3)
        assert page.locator('[data-output="observed"]').inner_text() == "−8.79"
        assert page.locator('[data-output="ridge"]').inner_text() == "2.00"
        assert page.locator('[data-output="rank"]').inner_text() == "2 of 3"
        assert "2008Q4" in page.locator('[data-output="query"]').inner_text()


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_every_root_gives_the_same_weights_and_the_codes_of_its_name(tmp_path, rank):
    explorer = inflation_explorer(ridge=3.0, rank=rank)
    spectrum, n = explorer.spectrum, len(explorer.y)
    code = """const problem = spectralProblem(given.data);
      const state = spectralState(problem, {ridge: 3, rank: given.rank, query: 5});
      say(["spectral", "cholesky", "rotated"].map((root) =>
        spectralCodes(problem, state, root, 25).map((row) => Array.from(row))));"""
    given = {"data": explorer.data, "rank": rank}
    codes = [np.array(c) for c in in_node(tmp_path, "spectral/numbers.js", code, given)]
    expected = spectrum.weights(ridge=3.0, rank=rank) - 1 / n
    for F in codes:
        np.testing.assert_allclose(F[:n] @ F[:n].T, expected, atol=1e-12)
    spectral, cholesky, rotated = codes
    np.testing.assert_allclose(spectral[:n, :rank], spectrum.codes(ridge=3.0, rank=rank), atol=1e-12)
    turn = np.deg2rad(25)
    np.testing.assert_allclose(rotated[:, 0], spectral[:, :2] @ [np.cos(turn), -np.sin(turn)], atol=1e-12)
    if rank == 3:  # only then is Ω definite, with a Cholesky factor NumPy can find
        centred = (spectrum.scores * spectrum.singular_values) @ spectrum.directions.T
        root = np.linalg.cholesky(spectrum.omega(ridge=3.0))
        np.testing.assert_allclose(cholesky[:n], centred @ root, atol=1e-10)


def test_softmax_is_safe_and_sums_to_one(tmp_path):
    found = in_node(tmp_path, "_numbers/maths.js", "say(Array.from(softmax([1e4, 1e4 - 1, -1e4])));", None)
    np.testing.assert_allclose(found, [1 / (1 + np.exp(-1)), 1 / (1 + np.e), 0.0], atol=1e-15)


# ---- moving ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("control", CONTROLS)
def test_a_control_moves_the_picture(browser, tmp_path, control):
    with opened(browser, tmp_path, inflation_explorer(query="1974Q1")) as page:
        pictures = set()
        for part in np.linspace(0, 1, 41).tolist():
            page.evaluate(MOVE, [control, part])
            pictures.add(page.evaluate(PICTURE))
        assert len(pictures) >= 3


def test_the_left_end_of_the_penalty_is_exactly_zero_and_the_rest_is_logarithmic(browser, tmp_path):
    with opened(browser, tmp_path, inflation_explorer(ridge=2.0)) as page:
        get = "document.querySelector('figure.regattn').model.get('ridge')"
        page.evaluate(MOVE, ["ridge", 0])
        assert page.evaluate(get) == 0
        values = []
        for part in (0.25, 0.5, 0.75, 1):
            page.evaluate(MOVE, ["ridge", part])
            values.append(page.evaluate(get))
        steps = np.diff(np.log10(values))
        np.testing.assert_allclose(steps, steps.mean(), atol=0.03)  # half a step of the slider


def test_turning_the_codes_leaves_the_weights_where_they_are(browser, tmp_path):
    bars = "() => [...document.querySelectorAll('[data-panel=weights] .ra-bar')].map((p) => p.getAttribute('d')).join()"
    dots = bars.replace("weights", "codes").replace(".ra-bar", ".ra-dot")
    with opened(browser, tmp_path, inflation_explorer(query="1974Q1")) as page:
        weights, codes = page.evaluate(bars), {page.evaluate(dots)}
        for control, part in (("root", 0.5), ("angle", 0.2), ("angle", 0.7)):
            page.evaluate(MOVE, [control, part])
            codes.add(page.evaluate(dots))
            assert page.evaluate(bars) == weights
        assert len(codes) == 4


def test_what_is_small_beside_the_query_of_the_start_looks_small_and_what_is_larger_has_room(tmp_path):
    code = """const problem = spectralProblem(given.data);
      const bounds = (query, start) => spectralOfQuery(problem, query, start).bounds;
      const all = problem.all.map((_, k) => k);
      say({alone: all.map((k) => bounds(k)), together: all.map((k) => bounds(k, given.start))});"""
    explorer, start = inflation_explorer(), 59
    found = in_node(tmp_path, "spectral/numbers.js", code, {"data": explorer.data, "start": start})
    for part in ("weight", "sum"):
        alone, together = (np.array([bounds[part] for bounds in found[key]]) for key in ("alone", "together"))
        np.testing.assert_array_equal(together[:, 0], np.minimum(alone[:, 0], alone[start, 0]))
        np.testing.assert_array_equal(together[:, 1], np.maximum(alone[:, 1], alone[start, 1]))
    scales = [np.array([bounds["scale"] for bounds in found[key]]) for key in ("alone", "together")]
    np.testing.assert_array_equal(scales[1], np.maximum(scales[0], scales[0][start]))


def test_the_running_sum_leads_from_the_mean_to_the_prediction(tmp_path):
    code = """const problem = spectralProblem(given.data);
      say(given.settings.map((setting) => Array.from(spectralState(problem, setting).sums)));"""
    settings = [{"ridge": ridge, "rank": rank, "query": 59} for ridge, rank in ((0.0, 3), (40.0, 3), (0.0, 1))]
    given = {"data": inflation_explorer().data, "settings": settings}
    for setting, sums in zip(settings, in_node(tmp_path, "spectral/numbers.js", code, given), strict=True):
        explorer = inflation_explorer(**setting)
        told, away = explorer.result(), explorer.y - explorer.y.mean()
        added = (np.array(told["weights"]) - 1 / len(away)) * away
        np.testing.assert_allclose(sums, explorer.y.mean() + np.cumsum(added), atol=1e-9)
        np.testing.assert_allclose(sums[-1], told["prediction"], atol=1e-9)


def test_a_test_row_asks_from_the_place_after_the_last_bar(browser, tmp_path):
    explorer = inflation_explorer(query="1974Q1")
    n = len(explorer.y)
    handle = "() => document.querySelector('[data-panel=weights] .ra-handle').getBoundingClientRect().x"
    with opened(browser, tmp_path, explorer) as page:
        places = []
        for query in (n - 2, n - 1, n, n + 1):
            page.evaluate(SET, [{"query": query}, 0])
            places.append(page.evaluate(handle))
    np.testing.assert_allclose(np.diff(places), places[1] - places[0], atol=0.1)
    assert places[1] > places[0]


def test_the_query_can_be_dragged_among_the_codes(browser, tmp_path):
    panels = ["codes", "split"]
    with opened(browser, tmp_path, inflation_explorer(query="1974Q1", panels=panels)) as page:
        lead = page.locator(".ra-lead .ra-panel").evaluate_all("(all) => all.map((box) => box.dataset.panel)")
        assert lead == panels  # beside each other
        box = page.locator("[data-panel=codes] .ra-handle").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60, y, steps=3)
        page.mouse.up()
        moved = page.locator("[data-panel=codes] .ra-handle").bounding_box()
        assert -90 < moved["x"] - box["x"] < -20  # to the dot that is nearest


def test_a_row_has_its_place_by_weight_and_by_nearness(tmp_path):
    explorer = inflation_explorer(query="2008Q4")
    code = """const problem = spectralProblem(given.data);
      const state = spectralState(problem, {ridge: 0, rank: 3, query: given.query});
      say(problem.scores.map((_, k) => ranks(problem, state, k)));"""
    found = in_node(tmp_path, "spectral/numbers.js", code, {"data": explorer.data, "query": explorer.query})
    weights = np.array(explorer.result()["weights"])
    s, n = explorer.spectrum, len(weights)
    away = np.linalg.norm(s.codes() - s.codes(explorer.X_new)[explorer.query - n], axis=1)
    for key, values in (("heavy", -weights), ("near", away)):
        np.testing.assert_array_equal([row[key] for row in found], 1 + (values[:, None] > values).sum(axis=1))


RINGED = """() => ["codes", "split"].map((panel) => {
  const box = document.querySelector(`[data-panel=${panel}]`);
  const points = (text) => [...text.matchAll(/([-\\d.]+),([-\\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
  const [ring, level] = ["ring", "dashed"].map((mark) => box.querySelector(`.ra-${mark}.ra-truth`).getAttribute("d"));
  const words = document.querySelector(".ra-ringed strong").textContent;
  return {ring: points(ring)[0], level: points(level), words};
})"""


def test_what_is_as_heavy_as_the_ringed_row_lies_on_a_line_and_on_a_curve(browser, tmp_path):
    X = np.random.default_rng(7).normal(size=(13, 2))
    explorer = SpectralExplorer(
        X, X[:, 0], query=3, named=["5"], labels=list("0123456789abc"), panels=["codes", "split"]
    )
    with opened(browser, tmp_path, explorer) as page:
        seen = set()
        for key in (None, "ArrowRight", "End"):
            if key:
                page.locator("[data-panel=codes] svg").focus()
                page.keyboard.press(key)
            plane, split = page.evaluate(RINGED)
            (x, y), (start, end) = plane["ring"], np.array(plane["level"])
            along, across = end - start, np.array([x, y]) - start
            assert abs(along[0] * across[1] - along[1] * across[0]) / np.linalg.norm(along) < 0.1  # in pixels
            assert np.abs(np.array(split["level"]) - split["ring"]).sum(axis=1).min() < 8  # it is drawn in 80 steps
            seen.add(plane["words"].replace("\u2068", "").replace("\u2069", ""))
    assert {"5: ", "c: "} < seen
    assert len(seen) == 3


LEGEND = """() => [...document.querySelectorAll("[data-panel=codes] .ra-legend li")]
  .filter((item) => item.style.display !== "none").map((item) => item.textContent)"""


def test_what_is_as_near_as_the_ringed_row_lies_on_a_circle_and_on_a_curve(tmp_path):
    X = np.random.default_rng(11).normal(size=(23, 2))
    explorer = SpectralExplorer(X, X[:, 0], query=3)
    code = """const problem = spectralProblem(given.data);
      const state = spectralState(problem, {ridge: 0, rank: 2, query: 3});
      say(given.rows.map((k) => equallyNear(problem, state, k, given.most)));"""
    rows, most = [0, 5, 22], explorer.result()["scale"]
    given = {"data": explorer.data, "rows": rows, "most": max(most)}
    codes = explorer.spectrum.codes()
    own = np.linalg.norm(codes[3])
    for k, curve in zip(rows, in_node(tmp_path, "spectral/numbers.js", code, given), strict=True):
        scale, cosine = np.array(curve)
        away = np.sqrt(own**2 + (scale / own) ** 2 - 2 * scale * cosine)
        np.testing.assert_allclose(away, np.linalg.norm(codes[k] - codes[3]), atol=1e-9)
        assert scale[0] < most[k] <= scale[-1] + 1e-12


def test_one_guide_at_a_time_goes_through_the_ring_and_its_circle_is_whole(browser, tmp_path):
    X = np.random.default_rng(7).normal(size=(13, 2))
    explorer = SpectralExplorer(X, X[:, 0], query=3, named=["5"], labels=range(13), panels=["codes", "split"])
    guides = """() => ["codes", "split"].map((panel) => ["dashed", "line:not(.ra-dashed)"].map((mark) =>
      document.querySelector(`[data-panel=${panel}] .ra-${mark}.ra-truth`).getAttribute("d")))"""
    with opened(browser, tmp_path, explorer) as page:
        assert all(line and not circle for line, circle in page.evaluate(guides))
        assert page.evaluate(LEGEND) == ["the query (drag it)", "as heavy as the ring"]
        page.evaluate(SET, [{"guide": "near"}, 0])
        drawn = page.evaluate(guides)
        assert all(circle and not line for line, circle in drawn)
        assert drawn[0][1].count("M") == 180  # none of its steps leaves the frame
        assert page.evaluate(LEGEND) == ["the query (drag it)", "as near as the ring"]


def test_what_a_stretch_of_rows_adds_is_told_beside_the_running_sum(browser, tmp_path):
    stretches = {"the seventies": ("1979Q4", "1970Q1"), "one": ("1960Q1", "1960Q1")}
    explorer = inflation_explorer(query="2008Q4", panels=["weights", "sum"], stretches=stretches)
    at = [explorer.data["labels"].index(label) for label in ("1970Q1", "1979Q4")]
    part = slice(at[0], at[1] + 1)
    y, weights = explorer.y, np.array(explorer.result()["weights"])
    added = ((weights - 1 / len(y)) * (y - y.mean()))[part].sum()
    with opened(browser, tmp_path, explorer) as page:
        notes = page.locator("[data-panel=sum] .ra-note.ra-neutral").all_text_contents()
    words, number = next(filter(None, notes)).split(": ")
    assert words == "the seventies"
    assert float(number.replace("−", "-")) == pytest.approx(added, rel=5e-3)
    assert notes[1] == ""  # too little to be seen
    with pytest.raises(ValueError, match=r"stretches must be a row or a label, and no row is called '1899Q1'"):
        inflation_explorer(stretches={"old": ("1899Q1", "1970Q1")})


COVERED = """(panel) => {
  const box = document.querySelector(`[data-panel=${panel}]`);
  const tip = box.querySelector(".ra-tip").getBoundingClientRect();
  const marks = [...box.querySelectorAll(".ra-cursor, .ra-handle")].map((mark) => mark.getBoundingClientRect());
  return marks.map((m) => m.left < tip.right && tip.left < m.right && m.top < tip.bottom && tip.top < m.bottom);
}"""


@pytest.mark.parametrize("width", [900, 390])
@pytest.mark.parametrize("panel", ["codes", "weights"])
def test_the_tip_leaves_what_it_is_about_in_sight(browser, tmp_path, panel, width):
    X = np.random.default_rng(3).normal(size=(60, 2))
    explorer = SpectralExplorer(X, X[:, 0], [[-3.0, 1.0]], labels_new=["new"], query="new", panels=[panel, "split"])
    with opened(browser, tmp_path, explorer, width=width) as page:
        page.locator(f"[data-panel={panel}] svg").focus()
        page.keyboard.press("Home")
        for _ in range(59):
            assert page.evaluate(COVERED, panel) == [False, False]
            page.keyboard.press("ArrowRight")


def test_of_a_training_row_that_asks_its_weight_on_itself_is_drawn_and_said(browser, tmp_path):
    explorer = inflation_explorer(query="1984Q2", panels=["weights"], hide=["ridge", "rank"])
    weights = np.array(explorer.result()["weights"])
    own = 1 + (weights > weights[explorer.query]).sum()
    level = "() => document.querySelector('[data-panel=weights] .ra-dotted.ra-query').getAttribute('d')"
    with opened(browser, tmp_path, explorer) as page:
        assert f"; itself {own}th of {len(weights)} (" in page.locator(".ra-live").first.inner_text()
        assert page.evaluate(level)
        page.evaluate(SET, [{"query": len(weights)}, 0])  # a row to be tested has no weight on itself
        assert page.evaluate(level) == ""


def test_bars_are_as_high_as_their_weights(browser, tmp_path):
    explorer = inflation_explorer(query="1974Q1")
    with opened(browser, tmp_path, explorer) as page:
        path = page.locator("[data-panel=weights] .ra-bar.ra-positive").get_attribute("d")
    bars = [piece.replace("V", ",").split(",") for piece in path.split("M")[1:]]
    heights = np.array([float(bottom) - float(top) for _, bottom, top in bars])
    weights = np.array(explorer.result()["weights"])
    positive = weights[weights >= 0]
    assert len(heights) == len(positive)
    np.testing.assert_allclose(heights / heights.max(), positive / positive.max(), atol=1e-3)  # to 1/100 pixel


def test_a_click_on_a_bar_makes_it_the_query(browser, tmp_path):
    with opened(browser, tmp_path, inflation_explorer(query="2008Q4")) as page:
        page.locator("[data-panel=weights] svg").click(position={"x": 300, "y": 120})
        chosen = page.evaluate("document.querySelector('figure.regattn').model.get('query')")
        assert 0 < chosen < 156
        quarter = f"{1959 + (chosen + 1) // 4}Q{(chosen + 1) % 4 + 1}"
        assert page.locator(".ra-live strong").inner_text().startswith(f"\u2068{quarter}\u2069 asks: ")


def test_the_pointer_reads_a_bar_and_marks_it_in_every_panel(browser, tmp_path):
    with opened(browser, tmp_path, inflation_explorer(query="1974Q1")) as page:
        page.locator("[data-panel=weights] svg").hover(position={"x": 300, "y": 120})
        tip = page.locator("[data-panel=weights] .ra-tip")
        assert len(tip.inner_text().split("\n")) == 2  # more would hide what it is about
        quarter, _, weight = tip.inner_text().split("\n")[0].partition(": weight ")
        line = page.locator(".ra-ringed").inner_text()
        assert line.startswith(f"{quarter}: ")
        assert f"; weight {weight} = 1/157 " in line
        assert ", adds " in line
        marks = "[...document.querySelectorAll('.ra-cursor')].filter((mark) => mark.getAttribute('d')).length"
        assert page.evaluate(marks) == 4
        page.mouse.move(5, 5)
        assert tip.is_hidden()
        assert page.evaluate(marks) == 0


def test_arrow_keys_read_the_weights_and_enter_asks(browser, tmp_path):
    explorer = inflation_explorer(query="1974Q1")
    with opened(browser, tmp_path, explorer) as page:
        plot = page.locator("[data-panel=weights] svg")
        assert plot.get_attribute("role") == "slider"
        page.locator('[data-control="rank"]').focus()
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        assert plot.get_attribute("aria-valuenow") == "60"
        assert "1974Q2" in plot.get_attribute("aria-valuetext")
        weight = float(plot.get_attribute("aria-valuetext").split("weight ")[1].split("\n")[0].replace("−", "-"))
        assert weight == pytest.approx(explorer.result()["weights"][60], rel=5e-2)
        page.keyboard.press("Enter")
        assert page.evaluate("document.querySelector('figure.regattn').model.get('query')") == 60
        page.keyboard.press("Home")
        assert "1959Q2" in plot.get_attribute("aria-valuetext")
        page.keyboard.press("Escape")
        assert page.locator(".ra-tip:visible").count() == 0


def test_the_curves_read_out_the_packages_errors_and_set_the_penalty(browser, tmp_path):
    explorer = inflation_explorer(panels=["weights", "path"], rank=2)
    with opened(browser, tmp_path, explorer) as page:
        plot = page.locator("[data-panel=path] svg").first
        plot.focus()
        page.keyboard.press("End")
        page.keyboard.press("PageDown")
        words = plot.get_attribute("aria-valuetext").replace("−", "-")
        page.keyboard.press("Enter")
        explorer.ridge = page.evaluate("document.querySelector('figure.regattn').model.get('ridge')")
    assert explorer.ridge > 1000
    expected = explorer.result()
    for name, key in (("training", "train_error"), ("leave-one-out", "loo_error"), ("test", "test_error")):
        assert float(words.split(f"\n{name} ")[1].split("\n")[0]) == pytest.approx(expected[key], rel=5e-3)


def test_two_explorers_of_a_page_do_not_disturb_each_other(browser, tmp_path):
    first, second = inflation_explorer(query="1974Q1"), made_up_explorer(17, 3, 5, panels=["weights", "path"])
    with opened(browser, tmp_path, first, second) as page:
        page.evaluate(SET, [{"ridge": 40.0, "query": 3}, 1])
        second.ridge, second.query = 40.0, 3
        assert_same_numbers(page.evaluate(SET, [{}, 0]), first)
        assert_same_numbers(page.evaluate(SET, [{}, 1]), second)


def test_nothing_leaks_into_the_pages_globals(browser, tmp_path):
    globals_of = "() => Object.keys(window).length"
    (tmp_path / "bare.html").write_text("<!doctype html><title>bare</title>")
    with open_offline(browser, tmp_path / "bare.html") as page:
        bare = page.evaluate(globals_of)
    with opened(browser, tmp_path, inflation_explorer(), inflation_explorer()) as page:
        assert page.evaluate(globals_of) == bare


# ---- in a notebook --------------------------------------------------------------------------------------------------


def test_a_hand_on_the_slider_reaches_the_kernel(browser, tmp_path):
    with live(browser, tmp_path, inflation_explorer()) as page:
        page.evaluate(MOVE, ["ridge", 0.5])
        assert page.evaluate("live.log.saved") == 1
        assert page.evaluate("live.model.get('ridge')") > 0


def test_a_trait_set_by_the_kernel_moves_slider_and_picture(browser, tmp_path):
    explorer = inflation_explorer()
    with live(browser, tmp_path, explorer) as page:
        before = page.evaluate(PICTURE)
        page.evaluate("live.model.set('ridge', 250); live.model.set('rank', 2)")
        assert page.evaluate(PICTURE) != before
        assert page.locator('[data-control="rank"]').input_value() == "2"
        assert page.locator('[data-output="ridge"]').inner_text() == "250"
        assert page.evaluate("live.log.saved") == 0  # what the kernel said is not said back to it
        explorer.ridge, explorer.rank = 250.0, 2
        assert_same_numbers(page.evaluate(SET, [{}, 0]), explorer)


# ---- looks ----------------------------------------------------------------------------------------------------------


def test_a_phone_needs_no_sideways_scroll_and_texts_stay_readable(browser, tmp_path):
    with opened(browser, tmp_path, inflation_explorer(query="2008Q4"), width=390) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        sizes = page.evaluate(
            """[...document.querySelectorAll("svg text")].filter((t) => t.textContent && t.style.display !== "none")
            .map((t) => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a)"""
        )
        assert min(sizes) >= 11
        boxes = page.evaluate("[...document.querySelectorAll('.ra-panel')].map((p) => p.getBoundingClientRect().left)")
        assert len(set(boxes)) == 1


def test_the_picture_follows_the_width_of_its_column(browser, tmp_path):
    with opened(browser, tmp_path, inflation_explorer()) as page:
        page.set_viewport_size({"width": 500, "height": 800})
        page.wait_for_function("document.querySelector('[data-panel=weights] svg').viewBox.baseVal.width < 500")
        assert page.evaluate("document.documentElement.scrollWidth") <= 500


@pytest.mark.parametrize(
    ("preference", "page_says", "dark"),
    [
        ("light", "", False),
        ("dark", "", True),
        ("dark", "document.documentElement.dataset.theme = 'light'", False),
        ("light", "document.documentElement.dataset.theme = 'dark'", True),
        ("dark", "document.body.dataset.jpThemeLight = 'true'", False),
        ("light", "document.body.dataset.jpThemeLight = 'false'", True),
    ],
)
def test_the_page_decides_the_theme_and_the_readers_preference_only_where_it_says_nothing(
    browser, tmp_path, preference, page_says, dark
):
    with opened(browser, tmp_path, made_up_explorer(7, 2, 0)) as page:
        page.emulate_media(color_scheme=preference)
        page.evaluate(f"() => {{ {page_says} }}")
        surface = page.evaluate("getComputedStyle(document.querySelector('.ra-body')).backgroundColor")
    assert surface == ("rgb(25, 30, 37)" if dark else "rgb(255, 255, 255)")


def test_without_javascript_the_page_says_what_it_would_show(browser, tmp_path):
    page_of = write_page(tmp_path, made_up_explorer(7, 2, 0))
    with open_offline(browser, page_of, javascript=False) as page:
        assert page.locator("noscript p").is_visible()
        assert "7 training rows" in page.locator("noscript p").inner_text()


def test_hostile_labels_are_shown_and_not_run(browser, tmp_path):
    label = '</script><img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script>'
    words = [label, "שלום", "🦊 “quoted”", "a" * 300, "&amp;"]
    explorer = made_up_explorer(5, 2, 0, labels=words, units="<b>%</b>", alt=label)
    with opened(browser, tmp_path, explorer, width=390) as page:
        assert page.locator(".ra-live strong").inner_text().startswith(f"\u2068{label}\u2069 asks: ")
        for query in range(5):
            page.evaluate(SET, [{"query": query}, 0])
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("window.hacked") is None
        assert page.locator("figure.regattn img, figure.regattn b").count() == 0


def test_the_bars_of_named_rows_carry_their_names(browser, tmp_path):
    explorer = inflation_explorer(panels=["weights"], named=["1974Q1", "1960Q2"])
    with opened(browser, tmp_path, explorer) as page:
        words = page.locator("[data-panel=weights] .ra-note.ra-neutral").all_text_contents()
    assert [word.strip("↖↗↘↙") for word in words] == ["1974Q1", "1960Q2"]  # an arrow where the end is not beside


MEETING = """(panel) => {
  const all = [...document.querySelectorAll(`[data-panel=${panel}] .ra-note.ra-neutral`)];
  const notes = all.filter((note) => note.textContent);
  const boxes = notes.map((note) => note.getBBox());
  const across = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width;
  const meet = (a, b) => across(a, b) && a.y + 4 < b.y + b.height && b.y + 4 < a.y + a.height;
  return [notes.map((n) => n.textContent), boxes.some((a, k) => boxes.slice(k + 1).some((b) => meet(a, b)))];
}"""


@pytest.mark.parametrize("width", [900, 390])
def test_the_dots_of_named_rows_carry_their_names_and_no_two_meet(browser, tmp_path, width):
    named = ["1986Q1", "1979Q4", "1982Q4", "1975Q1"]
    explorer = inflation_explorer(query="2008Q4", panels=["codes", "split"], named=named)
    with opened(browser, tmp_path, explorer, width=width) as page:
        for panel in ("codes", "split"):
            words, meet = page.evaluate(MEETING, panel)
            assert sorted(words) == sorted(named)
            assert not meet


@pytest.mark.parametrize(("heights", "count"), [([4.0, 9.0], 2), ([8.8, 9.0], 1)])
def test_of_two_names_that_meet_both_stand_only_at_two_heights(browser, tmp_path, heights, count):
    y = np.array([1.0, 2.0] * 8 + heights)
    labels = [f"quarter {k}" for k in range(18)]
    asked = SpectralExplorer(y[:, None], y, labels=labels, query=17, panels=["weights"], named=labels[:-3:-1])
    with opened(browser, tmp_path, asked, width=390) as page:
        words = page.locator("[data-panel=weights] .ra-note.ra-neutral").all_text_contents()
    assert [word.strip("↖↗↘↙") for word in words if word] == labels[:-3:-1][:count]


def test_no_penalty_is_least_squares_only_at_full_rank(browser, tmp_path):
    with opened(browser, tmp_path, inflation_explorer()) as page:
        printed = page.locator('[data-output="ridge"]')
        for values, words in (({"ridge": 0.0, "rank": 3}, "0 (least squares)"), ({"rank": 2}, "0 (no penalty)")):
            page.evaluate(SET, [values, 0])
            assert printed.inner_text() == words


def test_a_target_that_is_observed_later_is_said_to_be(browser, tmp_path):
    with opened(browser, tmp_path, inflation_explorer(query="1974Q1", later="a quarter later")) as page:
        assert " came \u2068a quarter later\u2069. " in page.locator(".ra-live").first.inner_text()
    with pytest.raises(ValueError, match=r"later must be a string, got 5"):
        inflation_explorer(later=5)


def test_a_name_of_no_row_is_refused():
    with pytest.raises(ValueError, match=r"named must be a row or a label, and no row is called '1899Q1'"):
        inflation_explorer(named=["1899Q1"])


ENDS = """() => {
  const paths = (kind) => [...document.querySelectorAll(`[data-panel="weights"] .ra-${kind}`)];
  const drawn = (kind) => paths(kind).map((path) => path.getAttribute("d")).join("");
  const places = (text, mark) => [...text.matchAll(mark)].map((m) => [Number(m[1]), Number(m[2])]).sort(first);
  const first = (a, b) => a[0] - b[0];
  return [
    places(drawn("hollow"), /M([-\\d.]+),([-\\d.]+)m/g),
    places(drawn("bar"), /M([-\\d.]+),[-\\d.]+V([-\\d.]+)/g),
  ];
}"""


def test_while_a_dial_is_turned_rings_stay_where_least_squares_had_its_bars(browser, tmp_path):
    with opened(browser, tmp_path, inflation_explorer(query="2008Q4")) as page:
        none, bars = page.evaluate(ENDS)
        assert none == []
        for values in ({"ridge": 5.0}, {"ridge": 500.0}, {"ridge": 0.0, "rank": 1}):
            page.evaluate(SET, [values, 0])
            rings, shrunk = page.evaluate(ENDS)
            np.testing.assert_allclose(rings, bars, atol=0.011)  # both are written with two decimals
            assert np.abs(np.subtract(shrunk, bars)).max() > 0.1
    fixed = inflation_explorer(query="2008Q4", ridge=5.0, hide=["ridge", "rank"])
    with opened(browser, tmp_path, fixed) as page:
        assert page.evaluate(ENDS)[0] == []
        assert "dial" not in page.locator('[data-panel="weights"] .ra-legend').inner_text()


STRUCK = """() => {
  const panel = document.querySelector('[data-panel="weights"]');
  const names = [...panel.querySelectorAll(".ra-note.ra-neutral")].filter((note) => note.textContent);
  const ends = [...panel.querySelectorAll(".ra-hollow")].flatMap((path) =>
    [...path.getAttribute("d").matchAll(/M([-\\d.]+),([-\\d.]+)m/g)].map((m) => [Number(m[1]), Number(m[2])]));
  const boxes = names.map((note) => note.getBBox());
  const within = (box, [x, y]) =>
    x > box.x && x < box.x + box.width && y > box.y + 3 && y < box.y + box.height - 3;
  return [names.length, boxes.filter((box) => ends.some((end) => within(box, end))).length, ends.length];
}"""


@pytest.mark.parametrize("width", [900, 390])
def test_no_ring_strikes_a_name(browser, tmp_path, width):
    explorer = inflation_explorer(query="2008Q4", panels=["weights"], named=["1979Q4", "1986Q1", "1974Q3"])
    with opened(browser, tmp_path, explorer) as page:
        page.set_viewport_size({"width": width, "height": 900})
        for values in ({"ridge": 5.0}, {"ridge": 500.0}, {"ridge": 0.0, "rank": 1}):
            page.evaluate(SET, [values, 0])
            named, struck, rings = page.evaluate(STRUCK)
            assert named >= 2
            assert rings > 100
            assert struck == 0


def test_errors_keep_one_axis_for_every_rank(browser, tmp_path):
    read = "() => [...document.querySelectorAll('[data-panel=path] svg text')].map((text) => text.textContent)"
    with opened(browser, tmp_path, made_up_explorer(40, 12, 5, panels=["path"])) as page:
        seen = set()
        for rank in (1, 6, 12):
            page.evaluate(SET, [{"rank": rank}, 0])
            seen.add(tuple(page.evaluate(read)))
        assert len(seen) == 1
