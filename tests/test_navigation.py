"""The side bar is a map: parts folded but the one at hand, no solution among the chapters, nothing lost."""

from __future__ import annotations

import sys

import pytest
from bs4 import BeautifulSoup

from tests.built import ROOT, label, soup, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from folded_navigation import MOST, folded

BESIDE = ("book/solutions", "book/reference/teaching", "teach/guide")  # a page for each chapter stands beside them
PAGES = toc_pages()
SIDE_BAR = """<div><ul class="nav"><li><a href="#">Book</a></li></ul>
<p aria-level="2" class="caption" role="heading"><span class="caption-text">Lines</span></p>
<ul class="nav"><li><a href="1.html">1</a></li></ul>
<p aria-level="2" class="caption" role="heading"><span class="caption-text">Proximity</span></p>
<ul class="current nav"><li class="current"><a href="#">3</a></li></ul>
<p aria-level="2" class="caption" role="heading"><span class="caption-text">Solutions</span></p>
<ul class="nav"><li><a href="s.html">s</a></li></ul></div>"""


def open_links(bar):
    """Return the links of a side bar that stand open."""
    return [a for a in bar.select("a") if all(part.has_attr("open") for part in a.find_parents("details"))]


def test_every_part_is_folded_but_the_one_at_hand_and_solutions_stay_with_their_exercises():
    parts = BeautifulSoup(folded(SIDE_BAR), "html.parser").select("details")
    assert [(part.summary.get_text(), part.has_attr("open")) for part in parts] == [
        ("Lines", False),
        ("Proximity", True),
    ]
    assert [part.a["href"] for part in parts] == ["1.html", "#"]
    assert parts[0].select_one("[role=heading]").name == "span"


def contents(count: int) -> str:
    """Return the table of contents of a page with that many sections, of which the first has one inside."""
    inner = '<ul><li><a href="#inside">inside</a></li></ul>'
    items = "".join(f'<li><a href="#s{k}">section {k}</a>{"" if k else inner}</li>' for k in range(count))
    return f'<ul><li><a href="#">title</a><ul>{items}</ul></li></ul>'


def test_below_the_current_page_stand_its_sections_and_none_inside_them():
    here = BeautifulSoup(folded(SIDE_BAR, contents(3)), "html.parser").select_one("li.current")
    assert [a["href"] for a in here.select("ul.nav-sections a")] == ["#s0", "#s1", "#s2"]


def test_many_sections_fold_the_other_pages_of_the_part_and_too_many_themselves():
    other = '<li class="current"><a href="#">3</a></li><li><a href="4.html">4</a></li>'
    bar = SIDE_BAR.replace('<li class="current"><a href="#">3</a></li>', other)
    few, many, most = (BeautifulSoup(folded(bar, contents(n)), "html.parser") for n in (16, 17, 18))
    assert few.select("details details") == []
    assert [a["href"] for a in many.select("details details a")] == ["4.html"]
    assert [s.get_text() for s in most.select("details details > summary")] == ["Other chapters", "On this page"]
    for page in (few, many, most):
        assert len(open_links(page)) <= MOST


def test_on_a_solution_the_other_solutions_stand_beside_it():
    there = SIDE_BAR.replace("current ", "").replace(
        '<ul class="nav"><li><a href="s', '<ul class="current nav"><li><a href="s'
    )
    parts = BeautifulSoup(folded(there), "html.parser").select("details")
    assert [part.summary.get_text() for part in parts if part.has_attr("open")] == ["Solutions"]


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES, ids=label)
def test_the_side_bar_of_a_page_is_short_and_leads_everywhere(built_book, page):
    bar = soup(built_book / f"{page}.html").select_one("nav.bd-links")
    most = MOST if not page.startswith(BESIDE) else len(PAGES)
    assert len(open_links(bar)) <= most
    wanted = sum(not other.startswith("book/solutions") for other in PAGES)
    assert len(bar.select("a")) >= wanted
