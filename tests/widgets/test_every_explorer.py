"""What every explorer must do, each on a page of its own: a new one is tested by its file in tests/explorers."""

from __future__ import annotations

import json

import pytest

from regattn.widgets._kit import Explorer
from tests.node import in_node
from tests.widgets.harness import (
    CONTROLS,
    EXPLORERS,
    FIGURE,
    IN_USE,
    MOVE,
    PICTURE,
    SET,
    STATE,
    WITH_AXES,
    answers_to_keys,
    assert_same,
    barriers,
    idle_controls,
    live,
    opened,
    oracle,
    reached_by_tab,
    sweep,
)

every = pytest.mark.parametrize("name", EXPLORERS)
in_browser = pytest.mark.browser
OVERLAPS = """() => [...document.querySelectorAll("svg .ra-grid")].flatMap((grid) => {
  const shown = [...grid.querySelectorAll("text")].filter((t) => t.style.display !== "none");
  const boxes = shown.map((t) => t.getBoundingClientRect());
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
    a.left < b.right && b.left < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom));
}).length"""


def test_every_explorer_of_the_package_has_its_oracle_and_example():
    tested = {type(oracle(name).example()).__name__ for name in EXPLORERS}
    assert tested == {cls.__name__ for cls in Explorer.__subclasses__() if cls.__module__.startswith("regattn.")}


# ---- numbers and hands ----------------------------------------------------------------------------------------------


@in_browser
@every
def test_every_control_moves_and_every_number_is_the_packages(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example()) as page:
        idle = sweep(page, oracle(name).expected)
        assert idle == [] or idle_controls(page) == []  # one may wait for where another stands
        assert "NaN" not in page.evaluate(PICTURE)


# What is shown but for the words of the controls themselves.
SHOWN_BY_OTHERS = f"""() => {{
  const figure = {FIGURE};
  const outputs = [...figure.querySelectorAll("[data-output]")].filter((o) => !o.closest(".ra-controls"));
  const drawings = figure.querySelectorAll("[data-panel] :is(svg, table)");
  return JSON.stringify([
    figure.model.result(), outputs.map((o) => o.textContent), [...drawings].map((d) => d.outerHTML),
  ]);
}}"""
SILENT = f"""(name) => {{
  const control = {FIGURE}.querySelector(`[data-control="${{name}}"]`);
  return !control.disabled && !/\\((not in use|acts once it plays)\\)/.test(control.parentElement.textContent);
}}"""


@in_browser
@every
def test_a_control_that_can_change_nothing_says_so(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example()) as page:
        start = page.evaluate(f"{FIGURE}.model.get('kit').controls.map((c) => [c.name, {FIGURE}.model.get(c.name)])")
        for control in page.evaluate(CONTROLS):
            seen = {page.evaluate(SHOWN_BY_OTHERS)}
            silent = page.evaluate(SILENT, control)
            for part in (0, 0.45, 1):
                page.evaluate(MOVE, [control, part])
                seen.add(page.evaluate(SHOWN_BY_OTHERS))
            assert len(seen) > 1 or not silent, control
            page.evaluate(SET, [dict(start), 0])


@in_browser
def test_a_control_that_is_off_says_what_it_takes(browser, tmp_path):
    with opened(browser, tmp_path, oracle("embedding").example(teacher="listed", start="zero")) as page:
        seed = page.locator("[data-control=seed]")
        assert seed.is_disabled()
        why = "Only with “Targets” at real, in mixed order or pure noise, or with “Start” at Ω at random or W_Q, W_K"
        assert seed.get_attribute("title").startswith(why)
        assert seed.get_attribute("aria-description") == seed.get_attribute("title")
        page.evaluate(SET, [{"start": "random"}, 0])
        assert seed.is_enabled()
        assert seed.get_attribute("title") == ""


@in_browser
@every
def test_every_control_is_reached_by_tab_and_answers_to_keys(browser, tmp_path, name):
    explorer = oracle(name).example()
    start = {control: json.loads(json.dumps(getattr(explorer, control))) for control in explorer.controls}
    with opened(browser, tmp_path, explorer) as page:
        assert {*page.evaluate(IN_USE), "SUMMARY"} <= reached_by_tab(page)
        for control in page.evaluate(IN_USE):
            page.evaluate(SET, [start, 0])  # what one control leaves behind may put another out of use
            assert answers_to_keys(page, control), control


@in_browser
@every
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_serious_barrier_on_a_phone_and_nothing_scrolls_sideways(browser, tmp_path, name, dark):
    with opened(browser, tmp_path, oracle(name).example(), width=390, height=844, dark=dark) as page:
        page.locator(".ra-menu summary").click()
        assert barriers(page, *(["color-contrast"] if dark else [])) == []  # what else there is was seen by day
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        small = """[...document.querySelectorAll("figure.regattn :is(input, select, button, summary)")]
          .filter((e) => e.checkVisibility()).map((e) => e.type === "checkbox" ? e.closest("label") : e)
          .filter((e) => e.getBoundingClientRect().height < 32).map((e) => e.outerHTML)"""
        assert page.evaluate(small) == []


@in_browser
@every
def test_ticks_do_not_touch_each_other(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example(), width=320) as page:
        for width in (320, 390, 700):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_timeout(50)
            assert page.evaluate(OVERLAPS) == 0, width


@in_browser
@every
def test_in_a_notebook_a_hand_reaches_the_kernel_and_cleaning_up_leaves_nothing(browser, tmp_path, name):
    with live(browser, tmp_path, oracle(name).example()) as page:
        assert page.evaluate("document.querySelectorAll('[data-menu=\"Copy link\"]').length") == 0
        page.evaluate(MOVE, [page.evaluate(CONTROLS)[0], 0.9])
        assert page.evaluate("live.log.saved") == 1
        count = "[live.log.observers, live.log.listeners, [...live.listeners.values()].flat().length]"
        assert min(page.evaluate(count)) > 0
        page.evaluate("live.done()")
        assert page.evaluate(count) == [0, 0, 0]
        assert page.evaluate("live.el.childElementCount") == 0


# ---- whatever the page looks like -----------------------------------------------------------------------------------

TOP = "document.querySelector('[data-panel]').offsetTop"
DRAWN = "new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))"
SLIDERS = """[...document.querySelectorAll("figure.regattn input[type=range][data-control]")]
  .filter((e) => e.checkVisibility()).map((e) => e.dataset.control)"""
COLOURS_SHOWN = """() => {
  const shown = (s) => [...document.querySelectorAll(`figure.regattn ${s}`)].filter((e) => e.checkVisibility());
  const of = (s, key) => [...new Set(shown(s).map((e) => getComputedStyle(e)[key]))];
  return {
    words: of(":is(.ra-title, .ra-live, .ra-control-name)", "color"),
    page: getComputedStyle(document.querySelector(".ra-body")).backgroundColor,
    marks: [["path.ra-line", "stroke"], ["path.ra-dot", "fill"], [":is(.ra-share-bar, .ra-raster)", "backgroundColor"]]
      .flatMap(([s, key]) =>
      shown(s).filter((e) => e.tagName !== "path" || e.getAttribute("d")).map((e) => getComputedStyle(e)[key])),
  };
}"""


@in_browser
@every
def test_the_first_picture_stands_still_while_a_slider_moves(browser, tmp_path, name):
    """In a column of the book on a screen of 1280 × 800, then on a phone."""
    column = "document.querySelector('main').style.maxWidth = '688px'"
    with opened(browser, tmp_path, oracle(name).example(), width=1280, height=800) as page:
        page.evaluate(column)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(DRAWN)
            sliders = page.evaluate(SLIDERS)
            assert sliders
            for control in sliders:
                # what one control leaves behind may have changed which lines are there at all
                page.evaluate(MOVE, [control, 0.3])
                page.evaluate(DRAWN)
                first = page.evaluate(TOP)
                for part in (0, 0.1, 0.5, 0.9, 1):
                    page.evaluate(MOVE, [control, part])
                    page.evaluate(DRAWN)
                    jump = page.evaluate(TOP) - first
                    assert abs(jump) <= 1, (width, control, part, jump)


@in_browser
@every
def test_in_the_readers_own_colours_words_and_marks_are_still_seen(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example()) as page:
        page.emulate_media(forced_colors="active")
        shown = page.evaluate(COLOURS_SHOWN)
        assert shown["page"] not in shown["words"]
        assert shown["page"] not in shown["marks"]
        assert "none" not in shown["marks"]
        assert barriers(page, "color-contrast") == []


# Words of a picture that leave the frame of their explorer; a pixel is what rounding may take.
LEAVING = """() => {
  const frame = document.querySelector(".ra-body").getBoundingClientRect();
  return [...document.querySelectorAll("svg.ra-plot text")].filter((e) => e.checkVisibility() && e.textContent)
    .filter((e) => e.getBoundingClientRect().left < frame.left - 1 || e.getBoundingClientRect().right > frame.right + 1)
    .map((e) => e.textContent);
}"""


@in_browser
@every
def test_from_right_to_left_nothing_is_cut_and_numbers_stay(browser, tmp_path, name):
    module = oracle(name)
    for width in (390, 1000):
        with opened(browser, tmp_path, module.example(), width=width) as page:
            before = page.evaluate(f"{FIGURE}.model.result()")
            page.evaluate("document.documentElement.dir = 'rtl'")
            page.wait_for_timeout(50)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            outside = """(width) => [...document.querySelectorAll(".ra-control, .ra-tools, .ra-live, .ra-panel")]
              .map((e) => e.getBoundingClientRect()).filter((box) => box.left < -1 || box.right > width + 1).length"""
            assert page.evaluate(outside, width) == 0
            assert page.evaluate(LEAVING) == []
            assert page.evaluate(f"{FIGURE}.model.result()") == before
            page.evaluate(MOVE, [page.evaluate(CONTROLS)[0], 0.7])
            assert_same(page.evaluate(f"{FIGURE}.model.result()"), module.expected(page.evaluate(STATE)))


# ---- on a phone, on paper, without JavaScript -----------------------------------------------------------------------


# What can be pressed on paper, and what leaves it on the side.
ON_PAPER = """() => {
  const figure = document.querySelector("figure.regattn");
  const seen = (part) => part.checkVisibility() && part.getBoundingClientRect().width > 0;
  const pressed = figure.querySelectorAll("button:not(.ra-word, .ra-part), input[type=range], summary, .ra-tip");
  const { right } = document.body.getBoundingClientRect();
  const parts = [...figure.querySelectorAll("svg, table, p, dl, select")].filter(seen);
  return {
    pressed: [...pressed].filter(seen).map((part) => part.className || part.tagName),
    wide: parts.filter((p) => p.getBoundingClientRect().right > right + 1).map((p) => p.outerHTML.slice(0, 60)),
    panels: [...figure.querySelectorAll(".ra-panel")].filter(seen).length,
    legends: [...figure.querySelectorAll(".ra-legend")].filter(seen).length,
    ink: getComputedStyle(figure).color,
  };
}"""


@in_browser
@every
def test_on_paper_stands_the_live_picture_whole_in_light_colours_and_nothing_to_press(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example(), dark=True) as page:
        legends, dark = (page.evaluate(ON_PAPER)[part] for part in ("legends", "ink"))
        page.emulate_media(media="print", color_scheme="dark")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.set_viewport_size({"width": 658, "height": 970})  # the column of a sheet
        found = page.evaluate(ON_PAPER)
        assert found["pressed"] == found["wide"] == []
        assert (found["panels"], found["legends"]) == (page.locator(".ra-panel").count(), legends)
        assert found["ink"] == "rgb(34, 34, 34)" != dark
        page.emulate_media(media="screen", color_scheme="dark")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.querySelector('figure.regattn').style.width") == ""


@in_browser
def test_plots_are_drawn_again_for_the_width_of_a_sheet(browser, tmp_path):
    widths = "() => [...document.querySelectorAll('svg.ra-plot')].map((plot) => plot.viewBox.baseVal.width)"
    with opened(browser, tmp_path, oracle("lag").example()) as page:
        before = page.evaluate(widths)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert max(page.evaluate(widths)) < 672 < max(before)
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(widths) == before


@in_browser
def test_without_javascript_the_sentence_says_what_there_would_be(browser, tmp_path):
    explorer = oracle("average").example()
    with opened(browser, tmp_path, explorer, javascript=False) as page:
        assert explorer.alt in page.locator("figure.regattn").inner_text()


@in_browser
@pytest.mark.parametrize("name", [name for name in WITH_AXES if name != "descent"])  # there is nothing to choose
def test_a_tap_shows_a_point_and_keeps_it_and_a_second_tap_chooses(browser, tmp_path, name):
    tap = """([x, y]) => {
      const svg = document.querySelector(".ra-plot[role=slider]");
      const box = svg.getBoundingClientRect();
      const at = {clientX: box.left + x, clientY: box.top + y, bubbles: true, pointerType: "touch", pointerId: 7};
      for (const kind of ["pointerdown", "pointerup", "pointerleave", "click"])
        svg.dispatchEvent(new PointerEvent(kind, at));
    }"""
    with opened(browser, tmp_path, oracle(name).example(), width=390, height=844) as page:
        before = page.evaluate(f"{FIGURE}.model.get('query')")
        page.evaluate(tap, [250, 90])
        assert page.locator(".ra-tip:visible").count() == 1
        assert page.evaluate(f"{FIGURE}.model.get('query')") == before
        page.evaluate(tap, [250, 90])
        assert page.evaluate(f"{FIGURE}.model.get('query')") != before


@in_browser
@pytest.mark.parametrize("name", WITH_AXES)
def test_a_hand_can_drag_the_mark_in_the_picture(browser, tmp_path, name):
    trait = "start_1" if name == "descent" else "query"
    with opened(browser, tmp_path, oracle(name).example()) as page:
        page.locator(".ra-handle").first.scroll_into_view_if_needed()
        before = page.evaluate(f"{FIGURE}.model.get('{trait}')")
        box = page.locator(".ra-handle").first.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60 if name == "spectral" else x + 60, y)
        page.mouse.up()
        assert page.evaluate(f"{FIGURE}.model.get('{trait}')") != before


@in_browser
def test_texts_grow_with_the_pages(browser, tmp_path):
    size = "() => parseFloat(getComputedStyle(document.querySelector('svg.ra-plot')).fontSize)"
    with opened(browser, tmp_path, oracle("average").example()) as page:
        before = page.evaluate(size)
        page.evaluate("document.documentElement.style.fontSize = '24px'")
        assert page.evaluate(size) == pytest.approx(1.5 * before)


@pytest.mark.parametrize(("value", "text"), [
    (1234567, "1.23 × 10⁶"), (1e6, "10⁶"), (-2e7, "−2 × 10⁷"), (3.1e-7, "3.1 × 10⁻⁷"), (0.00123, "0.00123"),
    (-0.5, "−0.500"), (0, "0"), (999999, "999999"), (None, "–"),
])  # fmt: skip
def test_numbers_are_written_as_people_write_them(tmp_path, value, text):
    assert in_node(tmp_path, "_kit/format.js", "say(formatNumber(given));", value) == text


@pytest.mark.parametrize(("value", "text"), [
    (3.1e-7, "< 0.00001"), (-2e-9, "> −0.00001"), (0, "0"), (1e-5, "0.0000100"), (2.5e6, "2.5 × 10⁶"), (None, "–"),
])  # fmt: skip
def test_what_is_measured_and_tiny_is_said_to_be_small(tmp_path, value, text):
    assert in_node(tmp_path, "_kit/format.js", "say(formatResult(given));", value) == text
