"""The book as PDF: contents, numbers, bookmarks and links agree with its pages, and nothing is cut."""

from __future__ import annotations

import re
import subprocess
import sys
from copy import copy
from itertools import pairwise

import pytest
from pypdf import PdfReader

from tests.built import ROOT, soup, toc_pages
from tests.teach.paper import beyond

ONE = "book/part2-proximity/03_ols_proximity"
PAGES = toc_pages()

pytestmark = [pytest.mark.book, pytest.mark.browser, pytest.mark.long]


@pytest.fixture(scope="session")
def bound(built_book, tmp_path_factory):
    """Return the PDF, and what the tool that made it said."""
    target = tmp_path_factory.mktemp("pdf") / "book.pdf"
    command = [sys.executable, ROOT / "tools" / "pdf.py", "--book", built_book, "--target", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr
    return PdfReader(target), done


@pytest.fixture(scope="session")
def texts(bound):
    """Return the text of each page, its spaces taken out."""
    return ["".join(page.extract_text().split()) for page in bound[0].pages]


@pytest.fixture(scope="session")
def bookmarks(bound):
    """Return the bookmarks in order: how deep, what they say, and the page they lead to."""

    def walk(entries, depth=0):
        for entry in entries:
            if isinstance(entry, list):
                yield from walk(entry, depth + 1)
            else:
                yield depth, entry.title, bound[0].get_destination_page_number(entry)

    return list(walk(bound[0].outline))


def title_of(built_book, page) -> str:
    """Return the title of a page, without its formulas."""
    heading = copy(soup(built_book / f"{page}.html").select_one("article.bd-article h1"))
    for gone in heading.select(".headerlink, .math"):
        gone.decompose()
    return " ".join(heading.get_text().split())


def links(pdf: PdfReader):
    """Yield the links of a PDF: the page they stand on, and the link."""
    for number, page in enumerate(pdf.pages):
        for entry in page.get("/Annots") or []:
            if entry.get_object().get("/Subtype") == "/Link":
                yield number, entry.get_object()


def test_nothing_is_larger_than_the_paper(bound):
    assert bound[1].stderr == ""


def test_on_every_page_words_stand_between_the_margins(bound):
    outside = [(number, *found) for number, page in enumerate(bound[0].pages, start=1) for found in beyond(page)]
    assert outside == []


def test_every_page_says_its_number(texts):
    assert len(texts) > len(PAGES)
    assert [
        n for n, text in enumerate(texts[1:], start=2) if not text.endswith(str(n)) and not text.startswith(str(n))
    ] == []


def test_every_page_of_the_book_has_a_bookmark_and_begins_there(bookmarks, texts, built_book):
    where = {title: page for _, title, page in reversed(bookmarks)}
    for page in PAGES:
        title = title_of(built_book, page)
        assert "".join(title.split()) in texts[where[title]], page


def test_bookmarks_stand_in_the_order_of_the_pages(bookmarks):
    assert all(first[2] <= second[2] for first, second in pairwise(bookmarks))
    assert {depth for depth, _, _ in bookmarks} >= {0, 1, 2}


def test_the_contents_name_the_pages_to_which_they_lead(bound):
    pages = bound[0].pages
    first = next(n for n, page in enumerate(pages) if "Contents" in page.extract_text().splitlines())
    named = [int(number) for number in re.findall(r"(\d+)\s*$", pages[first].extract_text(), re.MULTILINE)]
    leading = [page_of(bound[0], link) + 1 for number, link in links(bound[0]) if number == first]
    assert len(leading) > 20
    assert set(leading) <= set(named)


def page_of(pdf: PdfReader, link) -> int:
    """Return the page that a link inside the PDF leads to."""
    return pdf.get_page_number(link["/Dest"][0].get_object())


def test_no_link_leads_to_a_file_and_those_inside_lead_to_a_page(bound):
    inside = 0
    for number, link in links(bound[0]):
        address = str((link.get("/A") or {}).get("/URI", ""))
        assert not address.startswith("file:"), f"page {number + 1}: {address}"
        if not address:
            assert 0 <= page_of(bound[0], link) < len(bound[0].pages)
            inside += 1
    assert inside > 20


def test_links_to_other_sites_are_kept(bound, built_book):
    wanted = {
        link["href"].rstrip("/")
        for page in PAGES
        for link in soup(built_book / f"{page}.html").select('article.bd-article a[href^="http"]')
    }
    kept = {str((link.get("/A") or {}).get("/URI", "")).rstrip("/") for _, link in links(bound[0])}
    assert wanted - kept == set()


def test_a_reference_to_a_chapter_leads_to_its_first_page(bound, bookmarks, built_book):
    title = title_of(built_book, ONE)
    (start,) = [page for _, words, page in bookmarks if words == title]
    first = next(page for _, words, page in bookmarks if words == title_of(built_book, "book/index"))
    assert [
        number
        for number, link in links(bound[0])
        if "/Dest" in link and page_of(bound[0], link) == start and number <= first + 4
    ]


def test_explorers_stand_as_they_open_with_nothing_to_press(bound, bookmarks, built_book):
    title = title_of(built_book, ONE)
    start = next(k for k, (_, words, _) in enumerate(bookmarks) if words == title)
    depth = bookmarks[start][0]
    after = [page for level, _, page in bookmarks[start + 1 :] if level <= depth]
    pages = bound[0].pages[bookmarks[start][2] : after[0] if after else None]
    text = " ".join(word for page in pages for word in page.extract_text().split())
    assert "The weight of each training observation" in text
    assert "1/n: an equal share" in text  # its legend
    assert "Draw again" not in text


def test_without_a_built_book_it_says_what_to_do(tmp_path):
    command = [sys.executable, ROOT / "tools" / "pdf.py", "--book", tmp_path / "_build" / "html"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert "make book" in done.stderr
