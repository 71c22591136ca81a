"""Act, see, then the rest: how every explorer is laid out, measured on a page of its own at two widths."""

from __future__ import annotations

import pytest

from tests.widgets.harness import EXPLORERS, opened, oracle

pytestmark = pytest.mark.browser
every = pytest.mark.parametrize("name", EXPLORERS)
DRAWN = "new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(f)))"
COLUMN = "(width) => { document.querySelector('main').style.maxWidth = `${width}px`; }"
WIDTHS = [(1280, 688, 480), (1280, 856, 480), (390, 390, 520)]  # of the screen, of the column; how near the picture is

# Where the first control begins and the first panel ends, below the figure's top, and what stands above that panel.
LAID_OUT = """() => {
  const figure = document.querySelector("figure.regattn");
  const { top } = figure.getBoundingClientRect();
  const first = figure.querySelector(".ra-first");
  const rows = [...first.children].map((row) => row.getBoundingClientRect());
  return {
    act: Math.min(...rows.map((row) => row.top)) - top,
    seen: figure.querySelector("[data-panel]").getBoundingClientRect().bottom - top,
    above: first.childElementCount + figure.querySelectorAll(".ra-presets").length,
    panels: [...figure.querySelectorAll("[data-panel]")].map((panel) => panel.dataset.panel),
    parts: [...figure.querySelector(".ra-body").children].map((part) => part.className.split(" ").at(-1)),
  };
}"""
PARTS = ["ra-presets", "ra-first", "ra-lead", "ra-readout", "ra-panels", "ra-more"]

# Of the places at which Tab stops, those pairs that the eye meets the other way round: a part of the explorer before an
# earlier one; or, above the pictures, one that stands above the stop before it, or to its left in the same row.
BACKWARDS = """() => {
  const body = document.querySelector(".ra-body");
  const stops = [...body.querySelectorAll("input, select, button, summary, [tabindex='0']")]
    .filter((e) => e.checkVisibility() && !e.disabled);
  const part = (e) => [...body.children].findIndex((each) => each.contains(e));
  const back = (a, b) => {
    if (part(a) !== part(b)) return part(a) > part(b);
    if (!a.closest(".ra-first, .ra-presets")) return false;
    const [before, after] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
    return after.bottom <= before.top || (after.top < before.bottom && after.left < before.left);
  };
  return stops.slice(1).filter((stop, k) => back(stops[k], stop)).map((stop) => stop.outerHTML);
}"""

# What keeps to the upper edge while the page moves: how high it is, and whether it holds an input or button.
STUCK = """() => {
  const { top } = document.querySelector("main").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".ra-first, .ra-first > *")];
  const stuck = rows.filter((row) => getComputedStyle(row).position === "sticky");
  return stuck.map((row) => [row.offsetHeight, row.querySelectorAll("[data-control], [data-play]").length > 0]);
}"""
BESIDE = """(panel) => {
  const row = [...document.querySelectorAll(".ra-first, .ra-first > *")]
    .find((each) => getComputedStyle(each).position === "sticky").getBoundingClientRect();
  const { top, bottom } = panel.getBoundingClientRect();
  return { row: [row.top, row.bottom], panel: [top, bottom] };
}"""

# The sizes of the words of pictures and tables as they are seen, drawings that are scaled included.
SIZES = """() => {
  const words = document.querySelectorAll("[data-panel] :is(text, td, th, p, li, button, span)");
  const own = (e) => [...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...words].filter((e) => e.checkVisibility() && own(e)).map((e) => {
    const scale = e.getScreenCTM ? e.getScreenCTM().a : 1;
    return scale * parseFloat(getComputedStyle(e).fontSize);
  });
}"""


@every
def test_first_come_one_or_two_controls_then_the_panel_that_answers(browser, tmp_path, name):
    explorer = oracle(name).example()
    shown = [spec for spec in explorer.kit["controls"] if spec["name"] not in explorer.hidden]
    declared = [spec["name"] for spec in shown if spec.get("first")]
    assert 1 <= len(declared) <= 2
    with opened(browser, tmp_path, explorer, more=False, width=1280, height=800) as page:
        for width, column, near in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(COLUMN, column)
            page.evaluate(DRAWN)
            found = page.evaluate(LAID_OUT)
            assert found["seen"] - found["act"] <= near, column
            assert found["seen"] <= 640, column
            assert found["above"] <= 4
        assert found["panels"] == [panel for panel in explorer.panels if panel not in explorer.hidden]
        assert found["parts"] == [part for part in PARTS if part in found["parts"]]
        assert {"ra-first", "ra-lead", "ra-readout", "ra-panels"} <= {*found["parts"]}


@every
def test_tab_goes_the_way_of_the_eye(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example(), width=1280, height=800) as page:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(DRAWN)
            assert page.evaluate(BACKWARDS) == []


@every
def test_on_a_phone_what_is_pressed_first_stays_with_every_panel(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example(), more=False, width=390, height=844) as page:
        (height, holds), *others = page.evaluate(STUCK)
        assert others == []
        assert height <= 96
        assert holds
        for panel in page.locator("[data-panel]").all():
            for block in ("start", "center", "end"):
                panel.evaluate("(panel, block) => panel.scrollIntoView({ block })", block)
                found = panel.evaluate(BESIDE)
                assert found["row"][0] >= -1, block
                assert found["row"][1] <= 844, block


@every
def test_on_a_phone_a_control_of_more_stays_at_the_lower_edge_while_it_is_in_use(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example(), width=390, height=844) as page:
        control = page.locator(".ra-rest [data-control]:enabled").first
        if not control.count():
            return
        control.focus()
        page.locator("[data-panel]").first.evaluate("(panel) => panel.scrollIntoView({ block: 'start' })")
        page.evaluate(DRAWN)
        box = control.bounding_box()
        assert 0 <= box["y"] <= 844 - box["height"]


@every
def test_words_of_pictures_are_as_large_as_they_are_read(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example(), width=1280, height=800) as page:
        page.evaluate(COLUMN, 856)
        page.evaluate(DRAWN)
        sizes = page.evaluate(SIZES)
        assert round(min(sizes), 1) >= 11
        assert round(max(sizes), 1) <= 15
        page.set_viewport_size({"width": 390, "height": 844})
        page.evaluate(DRAWN)
        assert min(page.evaluate(SIZES)) >= 9
