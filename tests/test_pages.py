"""What a reader meets: every page opened from disk in a real browser with the network cut off, every explorer moved.

A page is opened once for all its tests, one after the other; each leaves the screen and the theme as it found them.
Only what must be fast is measured apart and alone (`make timed`).
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from importlib import import_module
from statistics import median

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser import open_offline
from tests.built import label, source, toc_pages

pytestmark = [pytest.mark.book, pytest.mark.browser]

PAGES = toc_pages()
MOVING = [page for page in PAGES if re.search(r"\w+Explorer\(", source(page).read_text(encoding="utf-8"))]
FRAME = 16.0  # milliseconds: a control moves at 60 frames a second
FRAMES = {"LagExplorer": 2, "ProjectionExplorer": 2}  # large maps and tables still take up to two

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
STILL = "() => Promise.all(document.getAnimations().map((a) => a.finished.catch(() => null))).then(() => true)"
TYPESET = "() => window.MathJax ? MathJax.startup.promise.then(() => true) : true"

# Moves one control to a given part (0 to 1) of its range as a hand would, and returns how long it took until drawn.
MOVE = """([figure, name, part]) => {
  const control = figure.querySelector(`[data-control="${name}"]`);
  const start = performance.now();
  if (control.tagName === "SELECT") {
    control.selectedIndex = Math.round(part * (control.options.length - 1));
  } else if (control.type === "checkbox" || control.tagName === "BUTTON") {
    control.click();
  } else if (control.type === "radio") {
    const group = [...figure.querySelectorAll(`input[type=radio][name="${control.name}"]`)];
    group[Math.round(part * (group.length - 1))].click();
  } else if (control.type === "range" || control.type === "number") {
    const [low, high] = [Number(control.min), Number(control.max)];
    control.value = String(low + part * (high - low));
  } else if (control.type === "text") {  // the first words of what stood there at the beginning
    const words = control.defaultValue.split(" ");
    control.value = words.slice(0, Math.round(part * words.length)).join(" ");
  } else {
    throw new Error(`no hand for ${name}: ${control.outerHTML}`);
  }
  control.dispatchEvent(new Event("input", {bubbles: true}));
  control.dispatchEvent(new Event("change", {bubbles: true}));
  figure.getBoundingClientRect();
  return performance.now() - start;
}"""

# Everything an explorer shows: the numbers it reports, the numbers it prints, what it draws.
SHOWN = """(figure) => JSON.stringify([
  figure.model.result(),
  [...figure.querySelectorAll("[data-output]")].map((output) => output.textContent),
  [...figure.querySelectorAll("svg")].map((drawing) => drawing.outerHTML),
  [...figure.querySelectorAll("canvas")].map((drawing) => drawing.toDataURL()),
])"""

STATE = """(figure) => {
  const state = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  for (const key of Object.keys(state)) state[key] = figure.model.get(key);
  return state;
}"""


@pytest.fixture(scope="module", params=PAGES, ids=label)
def opened(request, browser, built_book):
    """Yield a page of the book, opened and its equations set."""
    with page_of(browser, built_book, request.param) as page:
        yield page


@contextmanager
def page_of(browser, folder, page):
    with open_offline(browser, folder / f"{page}.html") as opened:
        opened.wait_for_load_state("load")
        opened.evaluate(TYPESET)
        opened.name = page
        opened.written = (folder / f"{page}.html").read_text(encoding="utf-8").count('<figure class="regattn"')
        yield opened


def explorers(opened) -> list:
    """Return the explorers of a page, awake; all that are written in it are there."""
    figures = opened.query_selector_all("figure.regattn")
    assert len(figures) == opened.written
    for figure in figures:
        opened.wait_for_function("(figure) => figure.model && figure.model.result()", arg=figure)
    return figures


def controls(figure) -> list[str]:
    """Return the names of an explorer's controls, each once."""
    found = figure.evaluate("(figure) => [...figure.querySelectorAll('[data-control]')].map((c) => c.dataset.control)")
    return list(dict.fromkeys(found))


@contextmanager
def phone(opened, width):
    """Have the page on the screen of a phone of that width."""
    before = opened.viewport_size
    opened.set_viewport_size({"width": width, "height": 844})
    try:
        opened.evaluate(SETTLED)
        yield
    finally:
        opened.set_viewport_size(before)
        opened.evaluate(SETTLED)


@contextmanager
def dark_theme(opened):
    """Have the page in the colours of the night."""
    before = opened.evaluate("document.documentElement.dataset.theme")
    opened.emulate_media(color_scheme="dark")
    opened.evaluate("document.documentElement.dataset.theme = 'dark'")
    try:
        opened.evaluate(SETTLED)
        yield
    finally:
        opened.emulate_media(color_scheme="light")
        opened.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", before)
        opened.evaluate(SETTLED)


def test_page_asks_nothing_of_the_network_logs_no_error_and_sets_its_equations(opened):
    asked = opened.locator("article .math").count()
    assert opened.locator("article .math mjx-container").count() >= asked
    assert opened.locator("mjx-merror, [data-mml-node=merror]").count() == 0
    assert opened.requests == []
    assert opened.errors == []


@pytest.mark.parametrize("width", [320, 390])
def test_page_fits_a_phone_without_scrolling_sideways(opened, width):
    with phone(opened, width):
        wide = opened.evaluate(
            """() => document.documentElement.scrollWidth <= innerWidth ? [] :
            [...document.querySelectorAll("article *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
            .map((e) => `${e.tagName}.${e.className}`).slice(0, 5)"""
        )
        assert wide == []
        assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_drawings_are_as_wide_as_the_text(opened):
    narrow = opened.evaluate(
        """() => [...document.querySelectorAll('article .cell_output img[src$=".svg"]')]
        .map((img) => [img.getBoundingClientRect().width, img.closest(".cell_output").getBoundingClientRect().width])
        .filter(([drawing, text]) => drawing < 0.95 * text)"""
    )
    assert narrow == []


def serious_barriers(opened) -> set[tuple[str, str, str]]:
    """Return what axe calls serious or critical in our content: the rule, the element, and what to do."""
    opened.evaluate(STILL)  # a colour on its way to another one is neither
    found = Axe().run(opened, context="article.bd-article").response["violations"]
    return {
        (issue["id"], node["html"][:200], node["failureSummary"][:300])
        for issue in found
        if issue["impact"] in ("serious", "critical")
        for node in issue["nodes"]
    }


def test_axe_finds_no_serious_barrier_in_our_content_by_day(opened):
    assert serious_barriers(opened) == set()


def test_axe_finds_no_serious_barrier_in_our_content_by_night(opened):
    with dark_theme(opened):
        assert serious_barriers(opened) == set()


def test_every_control_of_every_explorer_changes_what_is_shown(opened):
    before = len(opened.errors)
    for figure in explorers(opened):
        names = controls(figure)
        assert names
        for control in names:
            seen = set()
            for part in (0, 0.25, 0.5, 0.75, 1):
                opened.evaluate(MOVE, [figure, control, part])
                seen.add(figure.evaluate(SHOWN))
            assert len(seen) > 1, f"{control} moves nothing"
    assert opened.errors[before:] == []


def test_explorers_numbers_are_those_of_the_package(opened):
    for figure in explorers(opened):
        widget = figure.get_attribute("data-widget")
        oracle = import_module(f"tests.explorers.{widget.removesuffix('Explorer').lower()}")
        for control in [None, *controls(figure)]:
            for part in (0.3, 0.9, 0.6) if control else (0,):
                if control:
                    opened.evaluate(MOVE, [figure, control, part])
                state = figure.evaluate(STATE)
                where = f"{widget} after {control} at {part}"
                compare(figure.evaluate("(figure) => figure.model.result()"), oracle.expected(state), where)


def compare(found, expected, where):
    """Assert that nested numbers agree to 1e-9 of the largest of each array, and everything else exactly."""
    if isinstance(expected, dict):
        assert set(found) == set(expected), where
        for key in expected:
            compare(found[key], expected[key], f"{where}: {key}")
    elif expected is None or isinstance(expected, str | bool):
        assert found == expected, where
    else:
        expected = np.asarray(expected, dtype=float)
        found = np.asarray(found, dtype=float)
        assert found.shape == expected.shape, where
        np.testing.assert_allclose(
            found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max(initial=0), err_msg=where
        )


def test_explorers_answer_to_the_keyboard(opened):
    for figure in explorers(opened):
        reached = tab_through(opened, figure)
        for control in controls(figure):
            assert control in reached, f"Tab does not reach {control}"
            figure.eval_on_selector("[data-menu=Reset]", "(button) => button.click()")  # one may put another out of use
            assert press(opened, figure, control), f"{control} does not answer to the keyboard"


def tab_through(opened, figure) -> set[str]:
    """Return the controls that the Tab key reaches inside an explorer."""
    figure.evaluate("(figure) => { figure.tabIndex = -1; figure.focus(); figure.removeAttribute('tabindex'); }")
    reached = set()
    for _ in range(3 * len(controls(figure)) + 20):
        opened.keyboard.press("Tab")
        inside, control = figure.evaluate(
            "(figure) => [figure.contains(document.activeElement), document.activeElement.dataset.control ?? null]"
        )
        if not inside:
            return reached
        reached.add(control)
    pytest.fail("the Tab key does not leave the explorer")


def press(opened, figure, control) -> bool:
    """Return whether a key changes what the explorer shows when a control has the focus."""
    figure.query_selector(f'[data-control="{control}"]').focus()
    before = figure.evaluate(SHOWN)
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Space", "x"):
        opened.keyboard.press(key)
        if figure.evaluate(SHOWN) != before:
            return True
    return False


def test_a_page_has_explorers_when_its_source_calls_one(opened):
    assert (opened.written > 0) == (opened.name in MOVING)


@pytest.mark.parametrize("page", MOVING, ids=label)
def test_explorers_redraw_within_a_frame(browser, built_book, page):
    with page_of(browser, built_book, page) as opened:
        for figure in explorers(opened):
            for control in controls(figure):
                times = [opened.evaluate(MOVE, [figure, control, part]) for part in np.linspace(0, 1, 21).tolist()]
                limit = FRAME * FRAMES.get(figure.get_attribute("data-widget"), 1)
                assert median(times) < limit, f"{control} redraws in {median(times):.1f} ms"


def test_the_comparison_of_numbers_can_fail():
    with pytest.raises(AssertionError, match="here: weights"):
        compare({"weights": [1.0, 2.0]}, {"weights": [1.0, 2.00001]}, "here")
    with pytest.raises(AssertionError):
        compare(json.loads('{"dof": null}'), {"dof": 1.0}, "here")
