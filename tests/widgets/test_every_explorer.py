"""What every explorer must do, each on a page of its own: a new one is tested by its file in tests/explorers."""

from __future__ import annotations

import base64
import io
import json
from itertools import combinations

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from regattn.figures import COLOURS
from regattn.widgets._kit import Explorer
from regattn.widgets._kit.still import encode
from tests.browser import open_offline
from tests.widgets.harness import (
    CONTROLS,
    EXPLORERS,
    FIGURE,
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
    still,
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


@in_browser
@every
def test_every_control_is_reached_by_tab_and_answers_to_keys(browser, tmp_path, name):
    explorer = oracle(name).example()
    start = {control: json.loads(json.dumps(getattr(explorer, control))) for control in explorer.controls}
    with opened(browser, tmp_path, explorer) as page:
        assert {*page.evaluate(CONTROLS), "SUMMARY"} <= reached_by_tab(page)
        for control in page.evaluate(CONTROLS):
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
FIRST_SCREEN = """document.querySelector("[data-panel]").getBoundingClientRect().bottom
  - document.querySelector("figure.regattn").getBoundingClientRect().top"""
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
def test_the_first_picture_is_on_the_screen_of_its_controls_and_stands_still_while_a_slider_moves(
    browser, tmp_path, name
):
    """In a column of the book on a screen of 1280 × 800, then on a phone."""
    column = "document.querySelector('main').style.maxWidth = '688px'"
    with opened(browser, tmp_path, oracle(name).example(), width=1280, height=800) as page:
        page.evaluate(column)
        page.evaluate(DRAWN)
        assert page.evaluate(FIRST_SCREEN) <= 800
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


@in_browser
@every
def test_on_a_phone_the_control_in_use_stays_beside_its_picture(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example(), width=390, height=844) as page:
        control = page.locator(f"[data-control='{page.evaluate(CONTROLS)[0]}']")
        control.focus()
        page.evaluate(DRAWN)
        first = page.locator("[data-panel]").first
        first.evaluate("(panel) => panel.scrollIntoView({block: 'end'})")
        row, panel = page.locator(".ra-active").bounding_box(), first.bounding_box()
        assert row["y"] >= 0
        assert row["y"] + row["height"] <= panel["y"] + 1
        assert panel["y"] + panel["height"] <= 845
        page.set_viewport_size({"width": 390, "height": 500})
        page.locator("[data-panel]").last.evaluate("(panel) => panel.scrollIntoView({block: 'start'})")
        box = control.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 120
        first = page.locator(".ra-control").first.bounding_box()
        assert abs(first["y"] - box["y"]) < 60


@in_browser
@every
def test_paper_and_pages_without_javascript_get_a_plain_picture(browser, tmp_path, name):
    explorer = oracle(name).example()
    with opened(browser, tmp_path, explorer, picture=True) as page:
        still = page.locator("img.ra-still")
        assert not still.is_visible()
        page.emulate_media(media="print")
        assert still.is_visible()
        assert not page.locator(".ra-body").is_visible()
        assert still.evaluate("(image) => image.naturalWidth") > 600
    with open_offline(browser, tmp_path / "page.html", javascript=False) as page:
        assert page.locator("img.ra-still").is_visible()


@every
def test_the_plain_picture_is_small_and_drawn_from_what_is_shown(name):
    explorer, figure = still(name)
    html = explorer.to_html()
    assert len(html) - len(explorer.to_html(picture=False)) < 40_000
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert len(titles) == sum(map(len, explorer.picture_rows)) - len(
        [panel for row in explorer.picture_rows for panel in row if panel in explorer.hidden]
    )
    assert all(titles)


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


@in_browser
@pytest.mark.parametrize(("value", "text"), [
    (1234567, "1.23 × 10⁶"), (1e6, "10⁶"), (-2e7, "−2 × 10⁷"), (3.1e-7, "3.1 × 10⁻⁷"), (0.00123, "0.00123"),
    (-0.5, "−0.500"), (0, "0"), (999999, "999999"), (None, "–"),
])  # fmt: skip
def test_numbers_are_written_as_people_write_them(browser, tmp_path, value, text):
    code = """async ([code, value]) => {
      const module = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(code));
      return module.formatNumber(value);
    }"""
    explorer = oracle("average").example()
    with opened(browser, tmp_path, explorer) as page:
        assert page.evaluate(code, [explorer._esm, value]) == text


@in_browser
@pytest.mark.parametrize(("value", "text"), [
    (3.1e-7, "< 0.00001"), (-2e-9, "> −0.00001"), (0, "0"), (1e-5, "0.0000100"), (2.5e6, "2.5 × 10⁶"), (None, "–"),
])  # fmt: skip
def test_what_is_measured_and_tiny_is_said_to_be_small(browser, tmp_path, value, text):
    code = """async ([code, value]) => {
      const module = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(code));
      return module.formatResult(value);
    }"""
    explorer = oracle("average").example()
    with opened(browser, tmp_path, explorer) as page:
        assert page.evaluate(code, [explorer._esm, value]) == text


@every
def test_the_plain_picture_writes_no_mathematics_of_others_and_its_own_powers_of_ten(name):
    figure = still(name)[1]
    figure.canvas.draw()
    parsed = [text.get_text() for text in figure.findobj(Text) if "$" in text.get_text() and text.get_parse_math()]
    shown = [text.get_text() for text in figure.findobj(Text) if "$" in text.get_text() and not text.get_parse_math()]
    assert all(words.startswith("$\\mathdefault{10^{") for words in parsed)
    assert shown == []
    assert (len(parsed) > 0) == (name in {"descent", "embedding", "neighbour", "position", "spectral"})


def written(axis):
    """Return the texts of an axis: its label and those of the ticks in view."""
    low, high = sorted(axis.get_view_interval())
    ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [axis.label, *(text for tick in ticks for text in (tick.label1, tick.label2) if text.get_visible())]


@every
def test_no_two_texts_of_the_plain_picture_cover_each_other(name):
    figure = still(name)[1]
    figure.canvas.draw()
    texts = [text for ax in figure.axes for text in ax.get_children() if isinstance(text, Text)]
    texts += [text for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for text in written(axis)]
    texts += [text for ax in figure.axes if ax.get_legend() for text in ax.get_legend().get_texts()]
    boxes = [(text.get_text(), Text.get_window_extent(text).padded(-0.5)) for text in texts if text.get_text().strip()]
    assert len(boxes) > 3
    assert [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)] == []


@every
def test_the_plain_picture_keeps_the_colours_of_the_roles(name):
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(encode(still(name)[1])))).convert("RGB"))
    found = {"#{:02X}{:02X}{:02X}".format(*colour) for colour in np.unique(pixels.reshape(-1, 3), axis=0)}
    assert "#FFFFFF" in found
    wanted = {"average": ["query", "key"], "descent": ["query", "key"], "kernel": ["query"], "sampling": ["key"]}
    wanted["spectral"] = ["positive", "negative", "prediction"]
    assert {COLOURS[role].upper() for role in wanted.get(name, [])} <= found
