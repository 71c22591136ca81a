"""The two pages before the parts: ten minutes, a scroll of seven steps with one control each, and ten questions."""

from __future__ import annotations

import math
import re

import pytest

from regattn.grammar import Grammar
from regattn.widgets import AverageExplorer, BlockExplorer, ModelExplorer
from tests.built import ROOT, read_notebook, toc_pages
from tests.explorers import model as models
from tests.pages import page_of
from tests.test_site import results
from tests.ui_actions import MOVE, SHOWN
from tests.widgets.harness import assert_same, opened

MINUTES, QUESTIONS = "book/ten_minutes", "book/ten_questions"
CELLS = read_notebook(ROOT / f"{MINUTES}.ipynb").cells
ASKED = read_notebook(ROOT / f"{QUESTIONS}.ipynb").cells
TEXT = "\n\n".join(cell.source for cell in ASKED if cell.cell_type == "markdown")
WORDS = 900
PHRASES = [
    "why three matrices and not one",
    "why a value at all",
    "row of the attention map",
    "attention weights as an explanation",
    "divide by the square root of d",
    "why several heads",
    "positions be added to word vectors",
    "what does the mask hide",
    "is attention kernel smoothing",
    "difference between self- and cross-attention",
    "does attention learn least squares",
]


def steps() -> list[list]:
    """Return the cells of each step, from its heading to its link."""
    found = []
    for cell in CELLS:
        if re.search(r"(?m)^## \d · ", cell.source):
            found.append([])
        elif re.search(r"(?m)^## ", cell.source):
            break
        if found:
            found[-1].append(cell)
    return found


def prose(cell) -> str:
    """Return what a reader reads of a cell of text."""
    return re.sub(r"\]\([^)]*\)|<a [^>]*></a>|^#.*$|[*\[`]", " ", cell.source, flags=re.MULTILINE)


def test_the_pages_stand_between_the_first_page_and_the_first_part():
    assert toc_pages()[1:3] == [MINUTES, QUESTIONS]


def test_each_of_seven_steps_is_a_few_sentences_an_explorer_some_lines_and_a_link_to_its_chapter():
    assert len(steps()) == 7
    for step in steps():
        said, link = step[0], [cell for cell in step if cell.cell_type == "markdown"][-1]
        assert len(re.findall(r"[.?:;](?=\s|$)", prose(said).strip())) <= 7
        assert len(prose(said).split()) <= 60
        assert re.search(r"\[chapter \d+\]\(part\d-\w+/\d\d_\w+\.ipynb#[\w-]+\)\.$", link.source)
        code = [cell for cell in step if cell.cell_type == "code" and not {"hide-input", "checks"} & set(tags(cell))]
        (shown,) = [cell for cell in code if "Explorer(" in cell.source]
        (lines,) = [cell.source.splitlines() for cell in code if cell is not shown]
        assert 3 <= len(lines) <= 6
        (folded,) = [cell.metadata.get("mystnb", {}).get("code_prompt_show") for cell in code if cell is not shown]
        assert folded == f"Python · {len(lines)} lines"
        assert any("attend(" in line for line in lines) or step is steps()[-1] or "next_words" in "".join(lines)
        assert any("checks" in tags(cell) for cell in step)


def tags(cell) -> list[str]:
    return cell.metadata.get("tags", [])


def test_ten_minutes_are_few_words():
    assert sum(len(prose(cell).split()) for cell in CELLS if cell.cell_type == "markdown") <= WORDS


def test_each_of_ten_questions_is_answered_in_few_words_and_leads_to_a_chapter():
    answers = re.split(r"(?m)^## .+\?$", TEXT)[1:]
    assert len(answers) == 10
    for answer in answers:
        assert re.search(r"\(part\d-\w+/\d\d_\w+\.ipynb#[\w-]+\)", answer)
        assert len(re.sub(r"\]\([^)]*\)", " ", answer).split()) <= 90


def test_the_numbers_of_the_square_root_are_right():
    size, width, times = re.search(
        r"or (\d+) for (\d+) numbers\. A lead of \d+ makes one key ([\d,]+) times", TEXT
    ).groups()
    assert int(size) ** 2 == int(width)
    assert round(math.exp(int(size)), -3) == int(times.replace(",", ""))


def test_half_of_the_questions_have_something_to_see_on_the_page_and_what_is_to_see_is_checked():
    cell_tags = [set(tags(cell)) for cell in ASKED if cell.cell_type == "code"]
    assert sum("Explorer(" in cell.source and "checks" not in tags(cell) for cell in ASKED) == 3
    assert sum("checks" in each for each in cell_tags) == 7


@pytest.mark.parametrize("steps", ["queries", [], ["sums"]])
def test_steps_of_a_block_that_are_none_are_refused(steps):
    with pytest.raises(ValueError, match="steps must be a list of some of embedding"):
        BlockExplorer(["a"], steps=steps)


@pytest.mark.browser
def test_a_page_that_hides_more_has_neither_the_line_nor_the_numbers(browser, tmp_path):
    explorer = AverageExplorer([0.0, 1.0, 2.0], [1.0, 3.0, 4.0], hide=["more"])
    with opened(browser, tmp_path, explorer) as page:
        assert page.query_selector_all(".ra-more, .ra-numbers") == []
        assert len(page.query_selector_all(".ra-first .ra-control")) == 2


@pytest.mark.browser
def test_a_second_model_reads_the_weights_of_the_first_and_alone_it_has_its_own(browser, tmp_path):
    lender = models.example()
    borrower = ModelExplorer(models.untrained(), Grammar(), sentence="the bank was", borrow=True)
    assert len(borrower.to_html()) < len(lender.to_html()) / 1.1
    assert len(borrower.to_html(title="alone")) > len(borrower.to_html())
    with opened(browser, tmp_path, lender, borrower) as page:
        found = page.evaluate("document.querySelectorAll('figure.regattn')[1].model.result()")
        assert_same(found, borrower.result(), "the borrower")


@pytest.mark.book
@pytest.mark.browser
def test_each_step_shows_one_picture_and_one_control_that_moves_it(browser, built_book):
    with page_of(browser, built_book, MINUTES) as page:
        figures = page.query_selector_all("figure.regattn")
        assert len(figures) == 7
        page.wait_for_function("[...document.querySelectorAll('figure.regattn')].every((f) => f.model)")
        for figure in figures:
            assert len(figure.query_selector_all("[data-panel]")) == 1
            assert figure.query_selector(".ra-more") is None
            names = {part.get_attribute("data-control") for part in figure.query_selector_all("[data-control]")}
            (name,) = names
            before = figure.evaluate(SHOWN)
            shown = {page.evaluate(MOVE, [figure, name, part]) and figure.evaluate(SHOWN) for part in (0.9, 0.3)}
            assert shown - {before}


@pytest.mark.book
@pytest.mark.browser
def test_each_explorer_of_the_questions_shows_one_picture_and_moves(browser, built_book):
    with page_of(browser, built_book, QUESTIONS) as page:
        page.wait_for_function("[...document.querySelectorAll('figure.regattn')].every((f) => f.model)")
        figures = page.query_selector_all("figure.regattn")
        assert len(figures) == 3
        for figure in figures:
            assert len(figure.query_selector_all("[data-panel]")) == 1
            assert figure.query_selector(".ra-more") is None
            before = figure.evaluate(SHOWN)
            if presets := figure.query_selector_all("[data-preset]"):
                presets[-1].click()
            else:
                (control,) = figure.query_selector_all("[data-control]")
                page.evaluate(MOVE, [figure, control.get_attribute("data-control"), 0.9])
            assert figure.evaluate(SHOWN) != before


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("phrase", PHRASES)
def test_the_search_finds_each_question_in_the_words_that_one_types(browser, built_book, phrase):
    links, _, errors = results(browser, built_book, phrase)
    assert any(link.startswith(QUESTIONS) for link in links[:3])
    assert errors == []
