"""Checks step back: a cell that only checks what the text says is one quiet line on the page, and runs as any other."""

from __future__ import annotations

import ast
import re
import sys

import pytest

from tests.browser import open_offline
from tests.built import ROOT, article, label, notebooks, read_notebook, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import folded_checks

CHAPTERS = [page for page in toc_pages() if page.split("/")[1].startswith("part")]
every_chapter = pytest.mark.parametrize("page", CHAPTERS, ids=label)


def code_of(page):
    """Return the tags and the source of each code cell of a chapter."""
    cells = read_notebook(ROOT / f"{page}.ipynb").cells
    return [(set(cell.metadata.get("tags", [])), cell.source) for cell in cells if cell.cell_type == "code"]


@every_chapter
def test_no_cell_that_stands_open_does_nothing_but_check(page):
    for tags, source in code_of(page):
        if not tags & {"checks", "hide-input", "remove-cell", "remove-input"}:
            assert not all(isinstance(node, ast.Assert) for node in ast.parse(source).body), source


def test_every_cell_of_checks_checks_something():
    for path in notebooks():
        for cell in read_notebook(path).cells:
            if "checks" in cell.metadata.get("tags", []):
                assert folded_checks.facts(cell.source) > 0, f"{path.name}: {cell.source}"


def test_facts_are_counted_wherever_they_stand():
    assert folded_checks.facts("assert a\nfor x in y:\n    assert x\nz = 1") == 2
    assert folded_checks.summary(1) == "✓ 1 fact checked"
    assert folded_checks.summary(2) == "✓ 2 facts checked"


@pytest.mark.book
@every_chapter
def test_each_cell_of_checks_is_one_closed_line_that_says_how_many_facts_it_holds(built_book, page):
    boxes = article(built_book / f"{page}.html").select("details.ra-checks")
    expected = [folded_checks.facts(source) for tags, source in code_of(page) if "checks" in tags]
    assert [int(re.search(r"\d+", box.summary.get_text())[0]) for box in boxes] == expected
    assert not any(box.has_attr("open") for box in boxes)
    assert all(box.select_one(".cell_input") for box in boxes)


BOXES = [page for page in CHAPTERS if "> **Closer look" in (ROOT / f"{page}.ipynb").read_text(encoding="utf-8")]


@pytest.mark.book
@pytest.mark.parametrize("page", BOXES, ids=label)
def test_each_closer_look_is_closed_and_shows_its_title(built_book, page):
    for box in article(built_book / f"{page}.html").select("div.closer-look"):
        (details,) = box.find_all("details", recursive=False)
        assert not details.has_attr("open")
        assert details.summary.get_text().strip().startswith("Closer look: ")
        assert details.find_all("p", recursive=False)


@pytest.mark.book
@pytest.mark.browser
def test_a_link_to_a_label_inside_a_closer_look_opens_it_and_print_shows_all(browser, built_book):
    with open_offline(browser, built_book / f"{BOXES[0]}.html") as opened:
        opened.evaluate(
            """() => {
            const box = document.querySelector(".closer-look > details");
            box.insertAdjacentHTML("beforeend", '<p id="label-inside">here</p>');
            document.querySelector("article").insertAdjacentHTML("beforeend", '<a id="go" href="#label-inside">go</a>');
            }"""
        )
        inside = opened.locator("#label-inside")
        assert not inside.is_visible()
        opened.emulate_media(media="print")
        assert inside.evaluate("(p) => p.getBoundingClientRect().height") > 0
        opened.emulate_media(media="screen")
        assert not inside.is_visible()
        opened.locator("#go").click()
        opened.wait_for_function("document.querySelector('.closer-look > details').open")
        assert inside.is_visible()


@pytest.mark.book
@every_chapter
def test_folded_cells_that_follow_each_other_share_a_toggle_and_lose_no_line(built_book, page):
    cells = article(built_book / f"{page}.html").select("div.tag_hide-input")
    shown = "\n".join(code.get_text() for cell in cells for code in cell.select("details .cell_input pre"))
    written = "\n".join(source for tags, source in code_of(page) if "hide-input" in tags)
    assert re.sub(r"\s+", "", shown) == re.sub(r"\s+", "", written)
    for cell in cells:
        following = cell.find_next_sibling()
        assert cell.select(".cell_output") or following not in cells, cell.get_text()[:200]
