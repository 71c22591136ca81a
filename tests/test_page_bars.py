"""The page steps back before what it says: few lines of furniture, answers that wait for a choice, a grid, a short map.

Explorers have bars of their own. Every page is the one that tests/pages.py has opened; each test leaves it as it was.
"""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.browser import open_offline
from tests.built import ROOT, label
from tests.pages import CHAPTERS, phone

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from folded_navigation import MOST

pytestmark = [pytest.mark.book, pytest.mark.browser]

LINES_PER_SCREEN = 0.8 / 1000  # of furniture, a pixel of a chapter's length
MOVEMENT = 0.01  # the sum of what Chromium calls layout shifts
FURNITURE = """() => {
  const lines = [...document.querySelectorAll("article details.section-code:not(.in-depth *)")];
  const sections = new Map();
  for (const line of lines) sections.set(line.parentElement, (sections.get(line.parentElement) ?? 0) + 1);
  const article = document.querySelector("article.bd-article").getBoundingClientRect();
  return { lines: lines.length, most: Math.max(0, ...sections.values()), length: article.height };
}"""
# Code that a reader sees and that is directly before an explorer, or above it in its own cell.
CODE_BEFORE = """() => [...document.querySelectorAll("article figure.regattn")].map((figure) => {
  const cell = figure.closest("div.cell");
  const seen = (part) => part && part.getBoundingClientRect().height > 0 && !part.closest("details:not([open])");
  const own = [...cell.querySelectorAll(".cell_input")].filter(seen);
  const before = cell.previousElementSibling;
  const bare = before?.matches("div.cell:not(:has(.cell_output))") && seen(before) ? [before] : [];
  return [...own, ...bare].map((part) => part.textContent.slice(0, 60));
}).flat()"""
# Where the words of Press say what to watch, no verdict is told until then, or until something else is pressed.
ANSWERS = """async () => {
  const closed = [...document.querySelectorAll("details.in-depth:not([open])")];
  closed.forEach((part) => { part.open = true; });
  const found = [];
  for (const box of document.querySelectorAll(".predict")) {
  const answer = box.querySelector("details.predict-answer");
  const seen = () => answer.querySelector("p").checkVisibility({ contentVisibilityAuto: true });
  const said = () => box.querySelector(".predict-said").textContent;
  const group = box.parentElement, aside = box.classList.contains("predict-waits");
  box.classList.remove("predict-waits");
  const before = answer.checkVisibility();
  const chosen = box.querySelector(".predict-options button");
  chosen.click();
  const waits = /Watch .* until step/.test(box.querySelector(":scope > .press")?.textContent);
  const silent = () => answer.hidden && !box.querySelector(".predict-right") && said().startsWith("Pressed: ");
  const held = !waits || silent();
  if (waits) {
    box.closest("section").querySelector("figure.regattn [data-preset][aria-pressed=false]").click();
    await new Promise((done) => setTimeout(done, 600));
  }
  const after = answer.open && seen(), several = box.querySelectorAll("details").length;
  const right = [...box.querySelectorAll(".predict-right")];
  const told = held && new RegExp(right[0] === chosen ? "^Right[.:]" : "^Not this time[.:]").test(said());
  right.forEach((button) => button.classList.remove("predict-right"));
  answer.hidden = true;
  answer.open = false;
  box.querySelectorAll("[aria-pressed]").forEach((button) => button.setAttribute("aria-pressed", "false"));
  box.classList.toggle("predict-waits", aside);
  found.push([before, after, several, right.length, told]);
  }
  closed.forEach((part) => { part.open = false; });
  return found;
}"""
UNPRESSED = """() => [...document.querySelectorAll(".predict > .press")].flatMap((line) => {
  const box = line.parentElement, figures = [...box.closest("section").querySelectorAll("figure.regattn")];
  const figure = figures.find((one) => box.compareDocumentPosition(one) & 4) ?? figures.at(-1);
  return [...line.querySelectorAll("em")].map((word) => word.textContent).filter((word) => !figure
    || ![...figure.querySelectorAll("[data-preset]")].some((button) => button.dataset.preset === word)
    && !figure.querySelector(`[data-play="${CSS.escape(word.toLowerCase())}"]`));
})"""
# Letters to a line of a paragraph, and their size: a long text is set in its place and its lines are counted.
MEASURE = """() => {
  const long = (p) => !p.className && p.textContent.length > 200;
  const found = [...document.querySelectorAll("article section > p")].find(long);
  if (!found) return null;
  const probe = found.cloneNode(false), style = getComputedStyle(found);
  probe.textContent = "the weight of a past case is an inner product, and it may be below zero ".repeat(30);
  found.after(probe);
  const lines = probe.getBoundingClientRect().height / parseFloat(style.lineHeight);
  const letters = probe.textContent.length / lines;
  probe.remove();
  return [letters, parseFloat(style.fontSize)];
}"""
HEADINGS = """() => [1, 2, 3].map((k) => document.querySelector(`article h${k}:not(summary > *)`))
  .map((heading) => heading && parseFloat(getComputedStyle(heading).fontSize))"""
WIDE_CODE = """() => [...document.querySelectorAll("article div.highlight pre")]
  .filter((pre) => pre.getBoundingClientRect().width > 0 && pre.scrollWidth > pre.clientWidth + 1)
  .map((pre) => pre.textContent.slice(0, 60))"""
SCALES = """() => [...document.querySelectorAll('article .cell_output img[src$=".svg"]')]
  .map((img) => img.getBoundingClientRect().width / img.getAttribute("width"))"""
DRAWINGS = """() => [...document.querySelectorAll('article .cell_output img[src$=".svg"]')]
  .map((img) => [img.getAttribute("src"), img.alt.slice(0, 60), img.getBoundingClientRect().width])
  .filter(([source, alt, width]) => width > 0)"""
LETTERS = re.compile(r"scale\((0\.\d+) -")  # as matplotlib draws them: in hundredths of a point, upside down
# Notes in the margin, and those that lie over anything or reach into the column of words, which is 36.5 rem wide.
NOTES = """() => {
  const notes = [...document.querySelectorAll("article .cited-beside")];
  const box = (part) => part.getBoundingClientRect();
  const others = [...document.querySelectorAll("article section > :not(section, .cited-beside), .cited-beside")];
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const amiss = (note) => box(note).left < box(note.parentElement).left + 36.5 * 16
    || others.some((part) => part !== note && over(box(part), box(note)));
  const seen = notes.filter((note) => note.checkVisibility());
  return [seen.length, seen.filter(amiss).map((note) => note.textContent)];
}"""
LINKS = """() => [...document.querySelectorAll("nav.bd-links a")]
  .filter((a) => !a.closest("details:not([open])") && a.getBoundingClientRect().height > 0).length"""


@pytest.mark.parametrize("opened", CHAPTERS, ids=label, indirect=True)
def test_furniture_is_one_line_a_section_and_rare(opened):
    found = opened.evaluate(FURNITURE)
    assert found["most"] <= 1
    assert found["lines"] <= math.ceil(LINES_PER_SCREEN * found["length"])  # fonts make it longer or shorter


def test_no_code_stands_before_an_explorer(opened):
    assert opened.evaluate(CODE_BEFORE) == []


def test_an_answer_waits_for_a_choice_and_each_question_has_its_own(opened):
    assert opened.evaluate(UNPRESSED) == []
    assert {tuple(one) for one in opened.evaluate(ANSWERS)} <= {(False, True, 1, 1, True)}
    for figure in opened.query_selector_all("figure.regattn"):
        figure.eval_on_selector("[data-menu=Reset]", "(button) => button.click()")
    assert opened.errors == []


def test_answers_are_open_on_paper(opened):
    opened.emulate_media(media="print")
    try:
        heights = opened.evaluate(
            "[...document.querySelectorAll('.predict-answer > p')].map((p) => p.getBoundingClientRect().height)"
        )
    finally:
        opened.emulate_media(media="screen")
    assert all(heights)


def test_lines_hold_62_to_75_letters_and_headings_are_large(opened):
    letters, size = opened.evaluate(MEASURE) or (70, 17)
    assert 62 <= letters <= 75
    assert 17 <= size <= 19
    found = opened.evaluate(HEADINGS)
    assert found == [size if seen else None for seen, size in zip(found, (40, 26, 20), strict=True)]


def test_letters_of_a_drawing_are_as_large_as_they_were_drawn_or_a_little_smaller(opened):
    letters = [11 * 96 / 72 * scale for scale in opened.evaluate(SCALES)]  # drawn at 11 points
    assert all(11 <= size <= 15.1 for size in letters)


def letters_of(drawing: Path) -> float:
    """Return how large the smallest letters of a drawing are, as a share of its width."""
    text = drawing.read_text(encoding="utf-8")
    width = float(re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', text)[1])
    return 100 * min(map(float, LETTERS.findall(text)), default=math.inf) / width  # some show pictures alone


def test_on_a_phone_letters_of_drawings_can_be_read_words_are_as_large_and_code_fits_its_box(opened):
    with phone(opened, 390):
        found = opened.evaluate(DRAWINGS)
        _, size = opened.evaluate(MEASURE) or (70, 17)
        wide, (notes, _) = opened.evaluate(WIDE_CODE), opened.evaluate(NOTES)
    sizes = {alt: width * letters_of(opened.path.parent / unquote(source)) for source, alt, width in found}
    assert {alt: letters for alt, letters in sizes.items() if letters < 9} == {}
    assert not sizes or min(sizes.values()) < 15  # letters were found
    assert 17 <= size <= 19
    assert wide == []
    assert notes == 0  # there is no margin


def test_the_side_bar_marks_the_section_that_is_read(opened):
    if opened.name in CHAPTERS:
        assert opened.evaluate(LINKS) <= MOST
    sections = opened.evaluate("[...document.querySelectorAll('.nav-sections a')].map((a) => a.hash.slice(1))")
    if sections:
        opened.evaluate("(id) => document.getElementById(decodeURIComponent(id)).scrollIntoView()", sections[0])
        opened.wait_for_function("document.querySelectorAll('.nav-sections [aria-current]').length === 1")
        opened.evaluate("scrollTo(0, 0)")


@pytest.mark.parametrize("opened", CHAPTERS, ids=label, indirect=True)
def test_what_is_cited_stands_in_the_margin_over_nothing(opened):
    written = opened.locator(".cited-beside").count()
    assert opened.evaluate(NOTES) == [written, []]


@pytest.mark.parametrize("opened", CHAPTERS, ids=label, indirect=True)
def test_a_page_does_not_move_while_it_arrives(opened):
    assert opened.shifts <= MOVEMENT


def test_without_scripts_an_answer_opens_on_a_click_and_no_button_is_dead(browser, built_book):
    with open_offline(browser, built_book / f"{CHAPTERS[2]}.html", javascript=False) as page:
        answer = page.locator(".predict-answer").first
        assert page.locator("article button:visible").count() == 0
        assert not answer.locator("p").first.is_visible()
        answer.locator("summary").click()
        assert answer.locator("p").first.is_visible()


def test_a_picture_that_answers_a_question_stays_covered_until_an_option_is_pressed(browser, built_book):
    with open_offline(browser, built_book / f"{CHAPTERS[3]}.html") as page:
        covered = page.locator(".predict-covered")
        count = covered.count()
        assert count >= 1
        assert covered.first.evaluate("(one) => [...one.children].slice(0, -1).every((part) => part.inert)")
        blurred = page.locator(".predict-covered-words").first
        for medium, words, over in (("screen", "blur(5px)", "blur(14px)"), ("print", "none", "none")):
            page.emulate_media(media=medium)
            assert blurred.evaluate("(one) => getComputedStyle(one).filter") == words
            assert covered.first.evaluate("(one) => getComputedStyle(one, '::after').backdropFilter") == over
            assert page.locator(".predict-lift").first.is_visible() == (medium == "screen")
        page.emulate_media(media="screen")
        asks = page.locator(".predictions:has(~ .cell .predict-covered)").last
        asks.locator(".predict-options button").first.click()
        assert covered.count() == count - 1
        for lift in page.locator(".predict-lift").all():
            lift.click()
        assert covered.count() == 0
        assert not page.locator("[inert], .predict-covered-words").count()


def test_on_a_phone_a_choice_shows_the_button_that_it_presses_and_the_picture_that_it_changes(browser, built_book):
    with open_offline(browser, built_book / f"{CHAPTERS[3]}.html", width=390, height=800, touch=True) as page:
        page.emulate_media(reduced_motion="reduce")
        page.locator(".predictions").first.scroll_into_view_if_needed()
        page.locator(".predict-options button").first.click()
        page.wait_for_function(
            """() => { const part = document.querySelector("figure.regattn .ra-lead").getBoundingClientRect();
            return part.top >= 0 && part.bottom <= innerHeight + 1; }""",
            timeout=5_000,
        )
        pressed = page.locator("figure.regattn [data-preset][aria-pressed=true]").bounding_box()
        assert pressed["x"] >= 0
        assert pressed["x"] + pressed["width"] <= 390


@pytest.mark.parametrize("page", [CHAPTERS[0], CHAPTERS[3]], ids=label)  # a high picture, and one that fits the screen
def test_on_a_phone_whether_a_choice_was_right_stands_above_the_picture(browser, built_book, page):
    with open_offline(browser, built_book / f"{page}.html", width=390, height=800, touch=True) as opened:
        opened.emulate_media(reduced_motion="reduce")
        opened.locator(".predict-options button").first.click()
        opened.wait_for_function(
            """() => { const line = document.querySelector(".predict-repeated");
            if (line?.textContent !== document.querySelector(".predict-said").textContent) return false;
            const { left, top, height } = line.getBoundingClientRect();
            return document.elementFromPoint(left + 9, top + height / 2) === line; }""",
            timeout=5_000,
        )
