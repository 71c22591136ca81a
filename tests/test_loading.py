"""How a page arrives: what it weighs, whether it moves under the reader's eyes, and what is there without scripts."""

from __future__ import annotations

import sys

import pytest

from tests.browser import open_offline
from tests.built import ROOT, article, label
from tests.pages import CHAPTERS, MOVEMENT, PAGES, dark_theme, page_of

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import light_pages

pytestmark = [pytest.mark.book, pytest.mark.browser]

every_page = pytest.mark.parametrize("page", PAGES, ids=label)
every_chapter = pytest.mark.parametrize("opened", CHAPTERS, ids=label, indirect=True)

WEIGHT = 1_760_000  # bytes of a page with all that it loads from the site
HEAVIER = {
    "book/part5-transformer/18_language_model": 2_440_000,  # with a language model's weights: 0.9 MB
    "book/part5-transformer/19_language_model_heads": 2_360_000,  # with the weights of the same model
    "book/reference/library": 2_800_000,  # with every public name and its examples: 1.7 MB of text and marks
}
FROM_THE_TOP = """() => {
  const first = document.createElement("span");
  first.tabIndex = -1;
  document.body.prepend(first);
  first.focus();
}"""
OPENED = "(open) => document.querySelectorAll('details.in-depth').forEach((part) => { part.open = open; })"
FOLLOWED = """() => {
  window.tab = {inside: [], again: false};
  document.addEventListener("focusin", ({target}) => {
    if (target.dataset.tabbed) window.tab.again = true;
    target.dataset.tabbed = "yes";
    if (target.closest("mjx-container, math")) window.tab.inside.push(target.outerHTML.slice(0, 80));
  });
}"""
ENDED = "() => window.tab.again || document.activeElement === document.body"
MISSED = """() => [...document.querySelectorAll(".exercise-answer input, .exercise-answer button")]
  .filter((e) => !e.dataset.tabbed).map((e) => e.outerHTML.slice(0, 80))
  .concat([...document.querySelectorAll("figure.regattn")].flatMap((figure) => {
    const names = (which) => [...figure.querySelectorAll(which)].map((e) => e.dataset.control);
    const reached = new Set(names("[data-control][data-tabbed]"));
    return [...new Set(names("[data-control]:enabled"))].filter((name) => !reached.has(name));
  }))"""
EMPTY = """() => [...document.querySelectorAll("article :is(.cell_input, .cell_output, .highlight, pre, .admonition)")]
  .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height > 0)
  .filter((e) => !e.innerText.trim() && ![...e.querySelectorAll("img, svg, canvas")].some((i) => i.checkVisibility()))
  .map((e) => e.outerHTML.slice(0, 120))"""
INK = """() => [getComputedStyle(document.body), getComputedStyle(document.querySelector("article p"))]
  .map((style, place) => place ? style.color : style.backgroundColor)
  .map((colour) => colour.match(/[\\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765)"""
TORN = """() => [...document.querySelectorAll("article :is(h1, h2, h3, .admonition-title)")]
  .filter((e) => e.checkVisibility() && getComputedStyle(e).breakAfter !== "avoid")
  .map((e) => e.outerHTML.slice(0, 80))"""
WHOLE = """() => [...document.querySelectorAll("article :is(figure.regattn, .cell_input, .cell_output img)")]
  .filter((e) => e.checkVisibility() && getComputedStyle(e).breakInside !== "avoid").length"""
COLOURS = """() => [...document.querySelectorAll("figure.regattn *")].map((e) => {
  const style = getComputedStyle(e);
  return [style.color, style.backgroundColor, style.fill, style.stroke, style.borderTopColor].join();
})"""
PICTURES = """() => [...document.querySelectorAll("article img[src*='_images/']")]
  .map((e) => [e.src, e.getAttribute("width"), e.getAttribute("height"), e.naturalWidth, e.naturalHeight])"""
SHARE = 0.2  # of the height of a chapter, at most, is code that stands open
HEIGHTS = """() => {
  const height = (element) => element.getBoundingClientRect().height;
  const open = (cell) => !cell.closest("details") || cell.closest("details").open;
  const cells = [...document.querySelectorAll("article.bd-article .cell_input")].filter(open);
  return cells.reduce((sum, cell) => sum + height(cell), 0) / height(document.querySelector("article.bd-article"));
}"""
# of everything but the place of a banner, which a script of the theme closes some time after the page has come
LOOKS = """() => [...document.querySelectorAll("body *")].filter((e) => !e.closest(".pst-async-banner-revealer"))
.map((e) => {
  const style = getComputedStyle(e);
  const asked = ["display", "position", "visibility", "opacity", "zIndex", "color", "backgroundColor", "width",
    "height", "marginTop", "marginLeft", "paddingTop", "paddingLeft", "borderTopWidth", "borderTopColor", "fontSize",
    "fontWeight", "fontFamily", "textDecorationLine", "listStyleType", "overflowX", "gridTemplateColumns"];
  return `${e.outerHTML.slice(0, 80)} ${asked.map((name) => style[name]).join()}`;
})"""
EXCHANGED = """async (sheet) => {
  const full = document.createElement("style");
  full.textContent = sheet;
  document.querySelector("link[href*='pydata-sphinx-theme.css']").replaceWith(full);
  document.body.getBoundingClientRect();
  await document.fonts.ready;
}"""
SIZES = """(selector) => [...document.querySelectorAll(selector)].map((e) => {
  const box = e.getBoundingClientRect();
  return [box.width, box.height];
})"""


def test_page_weighs_little_with_all_that_it_loads(opened):
    assert sum(path.stat().st_size for path in opened.files) <= HEAVIER.get(opened.name, WEIGHT)


def test_place_is_kept_for_every_picture(opened):
    for source, *kept, wide, high in opened.evaluate(PICTURES):
        assert [float(side) for side in kept] == pytest.approx([wide, high], abs=1), source  # pixels are whole numbers


def test_page_does_not_move_while_it_arrives(opened):
    assert opened.shifts <= MOVEMENT


@every_chapter
def test_most_of_a_chapter_is_not_code(opened):
    assert opened.evaluate(HEIGHTS) <= SHARE


@every_chapter
def test_tab_key_passes_formulas_by_and_stops_at_every_control_and_exercise(opened):
    opened.wait_for_function("() => [...document.querySelectorAll('figure.regattn')].every((e) => e.model)")
    opened.evaluate("() => document.querySelectorAll('[data-menu=Reset]').forEach((button) => button.click())")
    opened.evaluate("() => document.querySelectorAll('.ra-more').forEach((more) => { more.open = true; })")
    opened.evaluate(OPENED, True)
    opened.evaluate(FROM_THE_TOP)
    opened.evaluate(FOLLOWED)
    for _ in range(150):
        for _ in range(10):
            opened.keyboard.press("Tab")
        if opened.evaluate(ENDED):
            break
    assert opened.evaluate(ENDED), "the Tab key does not come to the end of the page"
    opened.evaluate(OPENED, False)
    assert opened.evaluate("window.tab.inside") == []
    assert opened.evaluate(MISSED) == []


@every_page
def test_formulas_and_explorers_can_be_read_without_scripts(browser, built_book, page):
    content = article(built_book / f"{page}.html")
    with page_of(browser, built_book, page, javascript=False) as opened:
        words = opened.locator("article.bd-article").inner_text()
        assert "\\(" not in words
        assert "\\[" not in words
        sizes = opened.evaluate(SIZES, "article .math > math")
        opened.evaluate(OPENED, True)
        figures = opened.query_selector_all("figure.regattn")
        for figure in figures:
            assert figure.inner_text().strip().startswith(figure.get_attribute("aria-label").strip())
            assert [e for e in figure.query_selector_all("[data-control]") if e.is_visible()] == []
    assert len(figures) == len(content.select("figure.regattn"))
    assert len(sizes) == len(content.select(".math"))
    assert [size for size in sizes if min(size) < 4] == []  # pixels: nothing is hidden, nothing is a point


def test_page_is_printed_light_and_whole(opened):
    with dark_theme(opened):
        opened.wait_for_timeout(400)  # colours fade
        assert opened.evaluate(INK)[0] < 0.3
        opened.emulate_media(media="print")
        opened.wait_for_function("document.documentElement.dataset.theme === 'light'")
        opened.wait_for_timeout(400)
        paper, ink = opened.evaluate(INK)
        assert paper > 0.95
        assert ink < 0.35
        assert opened.evaluate(EMPTY) == []
        assert opened.evaluate(TORN) == []
        assert opened.evaluate(WHOLE) == 0
        opened.emulate_media(media="screen")
        opened.wait_for_function("document.documentElement.dataset.theme === 'dark'")


@pytest.mark.parametrize("dark", [False, True], ids=["day", "night"])
def test_browsers_without_light_dark_show_explorers_in_the_same_colours(browser, built_book, tmp_path, dark):
    page = built_book / f"{CHAPTERS[0]}.html"
    text = page.read_text(encoding="utf-8")
    assert "light-dark(" in text
    old = text.replace("light-dark(", "no-such-colours(").replace(
        "<head>", f'<head><base href="{page.resolve().as_uri()}">'
    )
    (tmp_path / "old.html").write_text(old, encoding="utf-8")
    shown = []
    for path in (page, tmp_path / "old.html"):
        with open_offline(browser, path, dark=dark) as opened:
            opened.wait_for_load_state("load")
            opened.wait_for_function("() => [...document.querySelectorAll('figure.regattn')].every((e) => e.model)")
            opened.wait_for_timeout(400)  # colours fade
            shown.append(opened.evaluate(COLOURS))
    assert len(shown[0]) > 50
    assert shown[0] == shown[1]


KINDS = ["book/index", CHAPTERS[0], "book/reference/library", "book/reference/ledger"]


@pytest.mark.weekly("book/_ext/light_pages.py", "book/_static/", "requirements.txt")
@pytest.mark.parametrize("page", [page for page in PAGES if page in KINDS], ids=label)
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)], ids=["wide", "phone"])
def test_the_rules_that_are_left_show_a_page_as_all_rules_do(browser, built_book, page, width, dark):
    folder = built_book / "_static"
    full = light_pages.FONT_URL.sub(r'url(\1.woff) format("woff")', (light_pages.THEME / light_pages.SHEET).read_text())
    assert (folder / light_pages.SHEET).stat().st_size < len(full) / 2
    with page_of(browser, built_book, page, width=width, dark=dark) as opened:
        opened.add_style_tag(content="* { transition: none !important; animation: none !important; }")
        before = opened.evaluate(LOOKS)
        opened.evaluate(EXCHANGED, full.replace("../vendor", (folder / "vendor").as_uri()))
        after = opened.evaluate(LOOKS)
    assert len(before) > 100
    assert [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]][:5] == []
