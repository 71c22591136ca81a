"""A chapter opens with its part, its question, what one will be able to do, its minutes and what comes before."""

from __future__ import annotations

import sys
from posixpath import dirname, join, normpath

import pytest
from docutils import nodes
from docutils.utils import new_document

from tests.built import ROOT, article

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import chapter_frame
from chapters import chapters

every_chapter = pytest.mark.parametrize("chapter", chapters(), ids=lambda chapter: chapter.name)


def test_minutes_count_words_explorers_and_formulas():
    page = new_document("page")
    page += nodes.section("", *(nodes.paragraph("", "word " * 400) for _ in range(2)))
    assert chapter_frame.minutes(page) == 10
    page += nodes.raw("", '<figure class="regattn"></figure>', format="html")
    page += [nodes.math_block("", "x") for _ in range(24)]
    assert chapter_frame.minutes(page) == 20
    closed = nodes.paragraph("", "word " * 4000)
    page += nodes.section("", nodes.title("", "In depth"), nodes.section("", nodes.title("", "A part"), closed))
    page += nodes.admonition("", nodes.title("", "Closer look: it"), closed.deepcopy(), classes=["closer-look"])
    assert chapter_frame.minutes(page) == 20


def test_the_question_leads_and_without_one_the_first_paragraph_does():
    first, asks = nodes.paragraph("", "calm"), nodes.paragraph("", "", nodes.strong("", "Why?"))
    assert chapter_frame.lead_of(nodes.section("", first, asks)) is asks
    assert chapter_frame.lead_of(nodes.section("", first)) is first
    assert chapter_frame.lead_of(nodes.section()) is None


@every_chapter
def test_the_page_for_teachers_says_outcomes_and_what_comes_before(chapter):
    guide = (ROOT / f"{chapter_frame.guide_of(chapter)}.md").read_text(encoding="utf-8")
    assert len(chapter_frame.OUTCOMES.search(guide)[1].splitlines()) >= 3
    assert chapter_frame.NEEDS.search(guide)[1].endswith(".")


@pytest.mark.book
@every_chapter
def test_a_chapter_opens_with_its_part_its_aims_and_its_needs_and_leads_to_its_solutions(built_book, chapter):
    shown = article(built_book / f"{chapter.page}.html")
    assert shown.select_one("p.kicker").get_text() == (
        f"{chapter_frame.part_of(chapter)} · chapter {chapter.number} of {len(chapters())}"
    )
    (opener,) = shown.select(".opener")
    assert opener.find_previous_sibling("p")["class"] == ["lead-question"]
    assert len(opener.select("li")) >= 3
    for link in opener.select("a"):
        assert link.get_text() == str(int(link["href"].rpartition("/")[2][:2]))
        assert (built_book / normpath(join(dirname(chapter.page), link["href"]))).exists()
    solutions = shown.select_one("section#exercises > p.to-solutions > a")
    assert normpath(join(dirname(chapter.page), solutions["href"])) == f"book/solutions/{chapter.name}.html"
