"""What a reader can pass by steps back: code of a section that is no argument is one quiet line at its end."""

from __future__ import annotations

import ast
import re
import sys

import pytest

from tests.browser import open_offline
from tests.built import ROOT, article, label, notebooks, read_notebook, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import section_code
from exercise_answers import CHECK

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
                assert section_code.facts(cell.source) > 0, f"{path.name}: {cell.source}"


def test_facts_are_counted_wherever_they_stand():
    assert section_code.facts("assert a\nfor x in y:\n    assert x\nz = 1") == 2
    assert section_code.checked(1) == "1 fact checked"
    assert section_code.checked(2) == "2 facts checked"


def squeezed(code: str) -> str:
    """Return code without spaces, which the page sets in its own way."""
    return re.sub(r"\s+", "", code)


@pytest.mark.book
@every_chapter
def test_a_section_has_one_closed_line_at_its_end_that_counts_its_facts(built_book, page):
    lines = article(built_book / f"{page}.html").select("details.section-code")
    assert not any(line.has_attr("open") for line in lines)
    for line in lines:
        assert line.parent.name == "section" or line.parent["class"] == ["in-depth"]
        assert all(after.name == "section" for after in line.find_next_siblings())
        assert re.fullmatch(r"(Code)?( · )?(\d+ facts? checked)?", line.summary.get_text())
    counted = [int(found[0]) for line in lines if (found := re.search(r"\d+", line.summary.get_text()))]
    assert sum(counted) == sum(section_code.facts(source) for tags, source in code_of(page) if "checks" in tags)


@pytest.mark.book
@every_chapter
def test_no_code_is_lost_and_imports_checks_and_explorers_are_behind_the_line(built_book, page):
    shown = article(built_book / f"{page}.html")
    cells = [(tags, squeezed(source)) for tags, source in code_of(page) if not CHECK.fullmatch(source)]
    written = [source for tags, source in cells if not tags & {"remove-cell", "remove-input"}]
    blocks = [(squeezed(pre.get_text()), pre) for pre in shown.select(".cell_input pre")]
    assert sorted(code for code, _ in blocks) == sorted(written)
    behind = {code for code, pre in blocks if pre.find_parent("details", class_="section-code")}
    assert {source for tags, source in cells if tags & {"checks", "hide-input"}} <= behind
    assert not shown.select(".cell:has(figure.regattn) > .cell_input")


BOXES = [page for page in CHAPTERS if "> **Closer look" in (ROOT / f"{page}.ipynb").read_text(encoding="utf-8")]


@pytest.mark.book
@pytest.mark.parametrize("page", BOXES, ids=label)
def test_each_closer_look_is_closed_and_shows_its_title(built_book, page):
    for box in article(built_book / f"{page}.html").select("div.closer-look"):
        (details,) = box.find_all("details", recursive=False)
        assert not details.has_attr("open")
        assert details.summary.get_text().strip().startswith("Closer look: ")
        assert details.find_all("p", recursive=False)


def deep(page) -> list[str]:
    """Return the titles of the parts of a chapter's section In depth."""
    text = "\n\n".join(
        cell.source for cell in read_notebook(ROOT / f"{page}.ipynb").cells if cell.cell_type == "markdown"
    )
    section = re.search(r"(?ms)^## In depth$(.*?)(?=^## |\Z)", text)
    return re.findall(r"(?m)^### (.+)$", section[1]) if section else []


@pytest.mark.book
@pytest.mark.parametrize("page", [page for page in CHAPTERS if deep(page)], ids=label)
def test_each_part_of_what_is_in_depth_is_closed_and_shows_its_title(built_book, page):
    parts = article(built_book / f"{page}.html").select("section > details.in-depth")
    assert not any(part.has_attr("open") for part in parts)
    assert [bool(part.summary.find("h3")) for part in parts] == [True] * len(deep(page))


@pytest.mark.book
@pytest.mark.browser
def test_a_link_to_a_part_of_what_is_in_depth_opens_it(browser, built_book):
    page = next(page for page in CHAPTERS if deep(page))
    with open_offline(browser, built_book / f"{page}.html") as opened:
        parts = opened.locator("section:has(> details.in-depth)")
        names = parts.evaluate_all("(parts) => parts.map((part) => part.id)")
        go = """(name) => {
            const link = Object.assign(document.createElement("a"), {href: `#${name}`, textContent: "go"});
            document.querySelector("article").append(link);
            link.click();
            const part = document.getElementById(name).querySelector("details.in-depth");
            return new Promise((done) => setTimeout(() => { done(part.open); part.open = false; }, 100));
        }"""
        for name in (names[-1], names[0], names[0]):  # and once more, to where one is
            assert opened.evaluate(go, name)


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
