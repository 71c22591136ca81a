"""Exercises answered on the page: judged as in a notebook, with a keyboard, on a phone, and without scripts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from regattn.exercises import check, exercises
from regattn.exercises._judging import MESSAGES, NEAR, NEGATIONS, judge_text
from regattn.exercises._reading import TABLES, numbers_in, words_in
from tests.browser import open_offline
from tests.built import ROOT, label, soup, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import chapter_of

pytestmark = pytest.mark.browser
book = pytest.mark.book

ALL = exercises()
CHAPTERS = {
    chapter.slug: chapter for page in toc_pages() if page.startswith("book/part") and (chapter := chapter_of(page))
}
every_chapter = pytest.mark.parametrize("page", [chapter.page for chapter in CHAPTERS.values()], ids=label)
CONSTANTS = {"TABLES": TABLES, "MESSAGES": MESSAGES, "NEGATIONS": NEGATIONS, "NEAR": NEAR}
READING = "\n".join(
    [
        *(f"const {name} = {json.dumps(value)};" for name, value in CONSTANTS.items()),
        (ROOT / "book" / "_ext" / "exercise_reading.js").read_text(encoding="utf-8"),
    ]
)
ODD = ["½", "3½", "1e5e", "..5", "5..", "-", "(,)", "==", "a=", "1,000.5", "1.000,5", "2^3^2", "2^-1", "--3", "1--3"]
ODD += [
    "(((1+2)*3",
    "1)+(2",
    "İ",
    "log",
    "0x10",
    "1_000",
    "٣",
    "3,",
    "√2√2",
    "nan",
    "1- 2",
    "1 -2",
    "constructor",
    "🏦½",
]

LOCKED = """for (const name of ["getItem", "setItem"]) {
  const own = Storage.prototype[name];
  Storage.prototype[name] = function (key, ...rest) {
    if (key.startsWith("regattn:answer")) throw new DOMException("locked", "SecurityError");
    return own.call(this, key, ...rest);
  };
}"""


def cases() -> list[tuple[dict, str]]:
    """Return answers to judge in both languages: the spellings, odd ones, and right and wrong ones to each exercise."""
    groups = json.loads((Path(__file__).parent / "spellings.json").read_text(encoding="utf-8")).values()
    found = [(g["sheet"], text) for g in groups for outcome in g if outcome != "sheet" for text in g[outcome]]
    found += [(g["sheet"], text) for g in groups for text in ODD]
    for exercise in ALL.values():
        sheet = exercise.sheet
        answers = [sheet.get("targets"), sheet.get("right"), *(m.get("values") for m in sheet["mistakes"])]
        answers += [mistake.get("option") for mistake in sheet["mistakes"]]
        for answer in filter(None, answers):
            spelled = [answer] if isinstance(answer, str) else ["; ".join(f(v) for v in answer) for f in SPELL]
            found += [(sheet, text) for text in spelled]
    return found


SPELL = (repr, "{:.3g}".format, lambda v: f"{v:.5f}".replace(".", ","), lambda v: f"{100 * v:.4g} %".replace("-", "−"))


def field(page, name: str):
    """Return the answer field of an exercise."""
    return page.locator(f'[data-exercise="{name}"]')


def answer(page, name: str, text: str) -> str:
    """Type an answer, press Enter, and return what the page says."""
    root = field(page, name)
    root.locator("input").fill(text)
    root.locator("input").press("Enter")
    page.wait_for_function("(root) => root.querySelector('output').textContent", arg=root.element_handle())
    return root.locator("output").inner_text()


def spoken(message: str) -> str:
    """Return a message as the page shows it, without the marks of code and emphasis."""
    return message.replace("`", "").replace("*", "")


@pytest.fixture(scope="module")
def judged(browser) -> list:
    """Return what the browser makes of every case: verdict and message, ways to read the numbers, words."""
    page = browser.new_page()
    call = "(cases) => {" + READING + "; return cases.map(([s, t]) => [judge(s, t), numbersIn(t), wordsIn(t)]); }"
    try:
        return page.evaluate(call, cases())
    finally:
        page.close()


def test_page_and_notebook_judge_every_answer_alike(judged):
    differ = [
        (text, there[0], here)
        for (sheet, text), there in zip(cases(), judged, strict=True)
        if there[0] != (here := list(judge_text(sheet, text)))
    ]
    assert differ == []
    assert {right for (right, _), _, _ in judged} == {True, False}


def test_page_and_notebook_read_the_same_numbers_and_words(judged):
    for (_, text), (_, numbers, words) in zip(cases(), judged, strict=True):
        read = numbers_in(text)
        assert [len(values) for values in numbers] == [len(values) for values in read], text
        for there, here in zip(numbers, read, strict=True):
            assert there == pytest.approx(here, rel=1e-12), text
        assert words == words_in(text)


def exercises_of(chapter: str) -> list[str]:
    """Return the names of a chapter's exercises."""
    return [name for name in ALL if name.startswith(f"{chapter}.")]


def path_of(book: Path, chapter: str) -> Path:
    """Return the file of a chapter in the built book."""
    return book / f"{CHAPTERS[chapter].page}.html"


@book
@every_chapter
def test_every_exercise_of_a_chapter_has_one_field_with_a_name_that_says_what_check_says(browser, built_book, page):
    chapter = chapter_of(page).slug
    with open_offline(browser, path_of(built_book, chapter), width=390, height=844) as page:
        shown = page.eval_on_selector_all("[data-exercise]", "(roots) => roots.map((root) => root.dataset.exercise)")
        assert shown == exercises_of(chapter)
        for name in shown:
            said = f"exercise {CHAPTERS[chapter].number}.{name.partition('.')[2]}"
            root = field(page, name)
            assert root.get_by_role("textbox", name=f"Your answer to {said}").count() == 1
            assert root.get_by_role("button", name=f"Check {said}").count() == 1
            assert root.locator('[aria-live="polite"]').count() == 1
            for control in (root.locator("input"), root.locator("button")):
                box = control.bounding_box()
                assert box["height"] >= 44
                assert 0 <= box["x"] <= box["x"] + box["width"] <= 390
            sheet = ALL[name].sheet
            right = sheet.get("right") or "; ".join(f"{value:.6g}" for value in sheet["targets"])
            slip = sheet["mistakes"][0]
            wrong = slip.get("option") or "; ".join(f"{value:.6g}" for value in slip["values"])
            for text in (right, wrong, "some words"):
                assert answer(page, name, text) == spoken(str(check(name, text)))
        assert page.errors == page.requests == []


@book
def test_the_keyboard_alone_answers_and_a_new_answer_takes_the_old_verdict_away(browser, built_book):
    with open_offline(browser, path_of(built_book, "ols_proximity")) as page:
        root = field(page, "ols_proximity.1")
        root.locator("input").focus()
        page.keyboard.type("about one third")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent").startswith("Check")
        page.keyboard.press("Space")
        page.wait_for_function("(root) => root.dataset.verdict === 'right'", arg=root.element_handle())
        root.locator("input").fill("5")
        assert root.locator("output").inner_text() == ""


@book
def test_what_was_typed_is_there_after_a_reload_and_nothing_is_checked_unasked(browser, built_book):
    with open_offline(browser, path_of(built_book, "ols_proximity")) as page:
        answer(page, "ols_proximity.2", "0 0 1")
        page.reload()
        assert field(page, "ols_proximity.2").locator("input").input_value() == "0 0 1"
        assert field(page, "ols_proximity.1").locator("input").input_value() == ""
        assert field(page, "ols_proximity.2").locator("output").inner_text() == ""


@book
def test_a_locked_storage_only_forgets(browser, built_book):
    with open_offline(browser, path_of(built_book, "ols_proximity")) as page:
        page.add_init_script(LOCKED)
        page.reload()
        assert answer(page, "ols_proximity.1", "1/3") == MESSAGES["right"]
        assert page.errors == []


@book
def test_without_scripts_no_dead_form_and_a_sentence_that_says_how(browser, built_book):
    with open_offline(browser, path_of(built_book, "ols_proximity"), javascript=False) as page:
        root = field(page, "ols_proximity.4")
        assert not root.locator("form").is_visible()
        assert 'check("ols_proximity.4", answer)' in root.inner_text()


@book
@every_chapter
def test_the_source_of_a_page_shows_no_hint_and_no_cell_that_waits_for_an_answer(built_book, page):
    chapter = chapter_of(page).slug
    path = path_of(built_book, chapter)
    text = path.read_text(encoding="utf-8")
    for name in exercises_of(chapter):
        assert ALL[name].hint not in text
        assert not [mistake for mistake in ALL[name].mistakes if mistake.hint in text]
    assert "answer = ..." not in soup(path).select_one("article").get_text()
