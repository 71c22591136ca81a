"""What a reader meets: every page opened from disk in a real browser with the network cut off, every explorer moved.

A page is opened once for all tests that look at it (tests/pages.py); each leaves the screen and the theme as it found
them. That an explorer redraws at once is tested in tests/widgets/test_speed.py.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import TimeoutError

from tests.browser import open_offline
from tests.built import label, source
from tests.pages import MOVEMENT, PAGES, SHIFTS, dark_theme, page_of, phone
from tests.ui_actions import MOVE, SHOWN, STATE, assert_same, controls

pytestmark = [pytest.mark.book, pytest.mark.browser]


def shows_an_explorer(text: str) -> bool:
    """Say whether a source shows an explorer: calls one for more than a number or a file, or names it on a line."""
    while text != (text := re.sub(r"(?<!Explorer)\([^()]*\)", "", text)):  # brackets inside its own
        pass
    for name in re.findall(r"(\w+) = \w+Explorer\(", text):
        if not re.search(rf'^\s*"{name}"$', text, re.MULTILINE):
            text = re.sub(rf"\b{name} = \w+Explorer\(", "", text)
    return re.search(r"\w+Explorer\([^()]*\)(?!\.(?:result|to_html))", text) is not None


MOVING = [page for page in PAGES if shows_an_explorer(source(page).read_text(encoding="utf-8"))]

# Brings what moves to its end at once: to wait for it may be to wait for ever, where nothing more is drawn.
STILL = """() => {
  for (const moving of document.getAnimations()) {
    try {
      moving.finish();
    } catch {
      moving.cancel();  // it has no end
    }
  }
}"""

# Whether the keyboard can scroll all that is wider or higher than its place: the theme sees to it when the page has not
# changed for a third of a second.
SCROLLED_BY_KEYS = """() => [...document.querySelectorAll(
  "article.bd-article :is(pre, .cell_output > .output, .pst-scrollable-table-container)"
)].every((e) => e.tabIndex === 0 || (e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight))"""

# Marks what is of one kind with something earlier: every element in it, with its parent, has the name, classes, style
# and attributes of a pair before it. What is true of the first is true of them.
ALIKE = """() => {
  const seen = new Set();
  const names = (e) => e.getAttributeNames().filter((name) => name !== "data-coloured-alike").sort();
  const bare = (e) => e.tagName.startsWith("MJX-");  // whose styles are widths of letters
  const kind = (e) => [e.tagName, e.className, bare(e) || e.getAttribute("style"), names(e),
    !e.textContent.trim()].join("|");
  const parts = "dl.py, dt, dd, p, pre, tr, li, mjx-container";
  for (const part of document.querySelectorAll(`article.bd-article :is(${parts})`)) {
    if (part.closest("[data-alike], summary, button, label, a")) continue;  // whose names are what is in them
    const found = [part, ...part.querySelectorAll("*")].map((e) => `${kind(e.parentElement)}>${kind(e)}`);
    if (found.every((one) => seen.has(one))) part.dataset.alike = "";
    found.forEach((one) => seen.add(one));
  }
}"""
# The same for colours, of every element: where what bears it has the name, classes and style of an earlier one, and so
# have what is around it and what is in it. Pages share their style sheet, so an earlier one may be on an earlier page:
# what they had is handed on as numbers.
COLOURED_ALIKE = """(known) => {
  const seen = new Set(known);
  const number = (text) => {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i);
      [a, b] = [Math.imul(a ^ code, 2654435761), Math.imul(b ^ code, 1597334677)];
    }
    return 4294967296 * (2097151 & (b ^ (b >>> 15))) + ((a ^ (a >>> 16)) >>> 0);
  };
  const kind = (e) => [e.tagName, e.getAttribute("class"), e.getAttribute("style"),
    [...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim())].join("|");
  const visit = (e, above) => {
    const here = number(`${above}>${kind(e)}`);
    const known = seen.has(here);
    seen.add(here);
    const inside = [...e.children].map((child) => visit(child, here));
    if (known && !inside.includes(false)) e.dataset.colouredAlike = "";
    return "colouredAlike" in e.dataset;
  };
  document.querySelectorAll("article.bd-article").forEach((article) => visit(article, ""));
  return [...seen];
}"""
SEEN: dict[str, list[int]] = {}  # of this process, by theme: the kinds whose colours were looked at
OURS = {"include": [["article.bd-article"]]}
AXE = {"resultTypes": ["violations"], "preload": False}  # it would ask a file for its style sheets, which is an error
WORDS = {**OURS, "exclude": [["figure.regattn"]]}  # the colours of explorers are looked at in tests/widgets


def explorers(opened) -> list:
    """Return the explorers of a page, awake; all that are written in it are there."""
    figures = opened.query_selector_all("figure.regattn")
    assert len(figures) == opened.written
    for figure in figures:
        opened.wait_for_function("(figure) => figure.model && figure.model.result()", arg=figure)
    return figures


def test_page_asks_nothing_of_the_network_logs_no_error_and_sets_its_equations(opened):
    asked = opened.locator("article .math").count()
    assert opened.locator("article .math mjx-container").count() >= asked
    assert opened.locator("mjx-merror, [data-mml-node=merror]").count() == 0
    assert opened.requests == []
    assert opened.errors == []


# What is wider than its place on a phone: formulas, what a cell prints, tables whose first column goes out of sight.
WIDE = """() => {
  const inside = (e) => e.closest("figure.regattn") === null && e.getBoundingClientRect().width > 0;
  const found = (selector) => [...document.querySelectorAll(`article ${selector}`)].filter(inside);
  const wide = (e) => e.scrollWidth > e.clientWidth + 1;
  const frame = (e) => (!e || ["auto", "scroll"].includes(getComputedStyle(e).overflowX) ? e : frame(e.parentElement));
  const loose = (table) => {
    const key = table.querySelector("tbody :is(th, td):first-child");
    return key && wide(frame(table.parentElement) ?? table) && getComputedStyle(key).position !== "sticky";
  };
  const printed = found(".cell_output .output:is(.stream, .text_plain) pre");
  return [...found("div.math").filter(wide), ...printed.filter(wide), ...found("table").filter(loose)]
    .map((e) => `${e.tagName} ${e.id} ${e.textContent.trim().slice(0, 60)}`);
}"""


# What sticks out of the page, so that all of it scrolls sideways.
STICKING_OUT = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [document.documentElement, ...document.querySelectorAll("article *")]
    .filter((e) => e.scrollWidth > innerWidth || e.getBoundingClientRect().right > innerWidth + 1)
    .map((e) => `${e.tagName}.${e.className}`).slice(0, 6)"""


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_on_a_phone_a_page_stands_still_and_nothing_is_wider_than_its_place(browser, built_book, page):
    """Formulas fit, printed lines wrap, tables keep their first column, nothing scrolls sideways."""
    with page_of(browser, built_book, page, width=390) as opened:
        assert opened.evaluate(SHIFTS) <= MOVEMENT
        for width in (390, 320):
            with phone(opened, width):
                assert opened.evaluate(STICKING_OUT) == []
                assert opened.evaluate(WIDE) == []


def test_drawings_are_as_wide_as_the_text(opened):
    narrow = opened.evaluate(
        """() => [...document.querySelectorAll('article .cell_output img[src$=".svg"]')]
        .map((img) => [img.getBoundingClientRect().width, img.closest(".cell_output").getBoundingClientRect().width])
        .filter(([drawing, text]) => drawing < 0.95 * text)"""
    )
    assert narrow == []


# Takes what is in formulas and code that are alike out of the page, and keeps it: axe reads every element, seen
# or not, and on a chapter three of four are these.
THINNED = """(name) => {
  const alike = (e) => e.matches(`[${name}]`) || e.closest(`[${name}]`) !== null;
  window.thinned = [...document.querySelectorAll("article.bd-article :is(mjx-container, .highlight pre)")]
    .filter(alike).map((e) => [e, [...e.childNodes]]);
  window.thinned.forEach(([e]) => e.replaceChildren());
}"""
WHOLE = "() => window.thinned.forEach(([e, inside]) => e.replaceChildren(...inside))"


@contextmanager
def hidden(opened, name) -> Iterator[None]:
    """Hide what is marked as alike, in its place, from who looks at the page: axe passes by what nobody sees."""
    style = opened.add_style_tag(content=f"[{name}], [{name}] * {{ visibility: hidden !important; }}")
    opened.evaluate(THINNED, name)
    try:
        yield
    finally:
        opened.evaluate(WHOLE)
        style.evaluate("(style) => style.remove()")


def serious(opened, context=OURS, **options) -> set[tuple[str, str, str]]:
    """Return what axe calls serious or critical in our content: the rule, the element, and what to do."""
    told = Axe().run(opened, context=context, options={**AXE, **options}).response
    return {
        (issue["id"], node["html"][:200], node["failureSummary"][:300])
        for issue in told["violations"]
        if issue["impact"] in ("serious", "critical")
        for node in issue["nodes"]
    }


def faint(opened) -> set[tuple[str, str, str]]:
    """Return what stands out too little from what is behind it."""
    opened.evaluate(STILL)  # a colour on its way to another one is neither
    theme = opened.evaluate("document.documentElement.dataset.theme ?? ''")
    known = SEEN.get(theme, [])
    opened.evaluate("document.querySelectorAll('[data-coloured-alike]').forEach((e) => delete e.dataset.colouredAlike)")
    seen = opened.evaluate(COLOURED_ALIKE, known)
    with hidden(opened, "data-coloured-alike"):
        found = serious(opened, WORDS, runOnly=["color-contrast"])
    if not found:
        SEEN[theme] = seen
    return found


def barriers(opened) -> set[tuple[str, str, str]]:
    """Return every other serious barrier."""
    with suppress(TimeoutError):  # what stays out of reach is named below
        opened.wait_for_function(SCROLLED_BY_KEYS, timeout=30_000)
    opened.evaluate(ALIKE)
    with hidden(opened, "data-alike"):
        return serious(opened, rules={"color-contrast": {"enabled": False}})


def test_a_barrier_of_a_new_kind_is_found_among_things_alike(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "SEEN", {})
    items = "<li><b>plain</b></li>" * 9
    odd = '<li><b style="color: #ddd">faint</b></li><li><button></button></li>'
    (tmp_path / "page.html").write_text(
        f'<!doctype html><html lang="en"><title>t</title><article class="bd-article"><ul>{items}{odd}</ul></article>'
    )
    with open_offline(browser, tmp_path / "page.html") as page:
        assert {html for _, html, _ in lasting(faint, page)} == {'<b style="color: #ddd">faint</b>'}
        assert page.locator("[data-coloured-alike]").count() == 8 * 2
        assert {rule for rule, *_ in lasting(barriers, page)} == {"button-name"}
        assert page.locator("[data-alike]").count() == 8
        assert page.locator("b").first.is_visible()
        assert page.locator("b").nth(3).is_visible()
        page.locator("li", has_text="faint").evaluate("(item) => item.remove()")
        assert faint(page) == set()
        assert page.locator("[data-coloured-alike]").count() == 8 * 2
        assert faint(page) == set()  # as on a second page of the same kinds
        assert page.locator("[data-coloured-alike]").count() == page.locator("article, article *").count()


def lasting(look, opened) -> set[tuple[str, str, str]]:
    """Return what is found at a second look too: a page that was still changing is no barrier."""
    found = look(opened)
    if found:
        opened.wait_for_timeout(2_000)
        found &= look(opened)
    return found


def test_axe_finds_no_serious_barrier_in_our_content_by_day(opened):
    assert lasting(barriers, opened) | lasting(faint, opened) == set()


def test_axe_finds_no_faint_letters_in_our_content_by_night(opened):
    with dark_theme(opened):
        assert lasting(faint, opened) == set()  # what else there is was seen by day


def test_every_control_of_every_explorer_changes_what_is_shown_and_the_numbers_are_the_packages(opened):
    """At the start and with all controls moved; the range of each is gone through in tests/widgets, on its own page."""
    before = len(opened.errors)
    for figure in explorers(opened):
        widget = figure.get_attribute("data-widget")
        oracle = import_module(f"tests.explorers.{widget.removesuffix('Explorer').lower()}")
        compare(figure, oracle, f"{widget} at the start")
        names = controls(figure)
        assert names
        for control in names:
            # one may put another out of use: those that move nothing at the start are tried with the others moved
            assert any(moves(opened, figure, control, others) for others in ([], names)), control
        compare(figure, oracle, f"{widget} with {names[-1]} moved")
    assert opened.errors[before:] == []


def moves(opened, figure, control, others) -> bool:
    """Return whether a control changes what is shown, from the start or with others moved."""
    figure.eval_on_selector("[data-menu=Reset]", "(button) => button.click()")
    for other in others:
        opened.evaluate(MOVE, [figure, other, 0.6])
    seen = {figure.evaluate(SHOWN)}
    for part in (0.9, 0.3, 0.6):
        opened.evaluate(MOVE, [figure, control, part])
        seen.add(figure.evaluate(SHOWN))
        if len(seen) > 1:
            return True
    return False


def compare(figure, oracle, where) -> None:
    """Assert that an explorer reports what the package says of the same state."""
    assert_same(figure.evaluate("(figure) => figure.model.result()"), oracle.expected(figure.evaluate(STATE)), where)


def test_a_page_has_explorers_when_its_source_calls_one(opened):
    assert (opened.written > 0) == (opened.name in MOVING)


def test_the_comparison_of_numbers_can_fail():
    with pytest.raises(AssertionError, match="here: weights"):
        assert_same({"weights": [1.0, 2.0]}, {"weights": [1.0, 2.00001]}, "here")
    with pytest.raises(AssertionError):
        assert_same(json.loads('{"dof": null}'), {"dof": 1.0}, "here")
