"""The built book: it builds without a warning, and every page of it is whole."""

from __future__ import annotations

import re
from copy import copy
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.built import ROOT, article, label, soup, source, toc_pages

pytestmark = pytest.mark.book

PAGES = toc_pages()
every_page = pytest.mark.parametrize("page", PAGES, ids=label)
LOADS = {
    "script": "src",
    "link": "href",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
}
ID = re.compile(r'<[a-z][^<>]*?\sid="([^"]*)"')  # parsing every linked page costs seventy times as much
ALT_WORDS = 12  # fewer cannot say what a figure shows
WEIGHT = 1_500_000  # bytes of one page without the theme
HEAVIER = {
    "book/reference/library": 2_100_000,  # some 290 names with their formulas and examples
    "book/part5-transformer/18_language_model": 1_650_000,  # an explorer with the weights of a model
    "book/part5-transformer/19_language_model_heads": 1_750_000,  # the same, twice
}


def ids_of(path: Path) -> set[str]:
    return _ids_of(path, path.stat().st_mtime_ns)


@cache
def _ids_of(path: Path, changed: int) -> set[str]:
    return {unescape(name) for name in ID.findall(path.read_text(encoding="utf-8"))}


def test_every_page_of_the_book_is_in_the_table_of_contents_once():
    written = {
        path.relative_to(ROOT).with_suffix("").as_posix()
        for path in [*(ROOT / "book").rglob("*"), *(ROOT / "teach" / "guide").glob("[0-9]*")]
        if path.suffix in (".md", ".ipynb") and not any(part.startswith((".", "_")) for part in path.parts)
    }
    assert written == {*PAGES, "book/start"}  # where JupyterLab opens
    assert len(PAGES) == len(set(PAGES))


def test_the_root_index_leads_to_the_first_page(built_book):
    refresh = soup(built_book / "index.html").find("meta", attrs={"http-equiv": "Refresh"})
    assert refresh["content"].endswith(f"url={PAGES[0]}.html")


@every_page
def test_page_exists_and_has_one_title(built_book, page):
    titles = article(built_book / f"{page}.html").find_all("h1")
    assert len(titles) == 1


@pytest.mark.parametrize("page", [page for page in PAGES if re.match(r"\d\d_", Path(page).name)], ids=label)
def test_chapter_title_carries_the_number_of_its_file(built_book, page):
    number = int(Path(page).name[:2])
    title = article(built_book / f"{page}.html").find("h1").get_text()
    assert re.search(rf"(?<!\d){number}(?!\d)", title), f"{page} is titled {title!r}"


@every_page
def test_no_equation_is_left_as_source(built_book, page):
    content = copy(article(built_book / f"{page}.html"))
    for tag in content.select("pre, code, script, style, noscript, .math, figure.regattn"):
        tag.decompose()
    left = re.findall(r".{0,40}(?:\$|\\\(|\\\[|\\begin\{|\\frac|\\mathbf).{0,40}", content.get_text(" "))
    assert left == []
    assert not re.search(r"\$|\\\(", soup(built_book / f"{page}.html").title.get_text())


@every_page
def test_every_image_says_in_words_what_it_shows(built_book, page):
    seen = set()
    for image in article(built_book / f"{page}.html").find_all("img"):
        words = image.get("alt", "").strip()
        assert len(words.split()) >= ALT_WORDS, f"{image['src'][:80]} has the alternative text {words!r}"
        assert not re.search(r"\.(png|svg|jpe?g)$|_images/|^/|^\S+$", words), f"{words!r} is the name of a file"
        assert words not in seen, f"{image['src'][:80]} is described as another image of the page is: {words!r}"
        seen.add(words)


@every_page
def test_every_explorer_says_in_words_what_it_shows(built_book, page):
    for explorer in article(built_book / f"{page}.html").select("figure.regattn"):
        words = explorer.get("aria-label", "").strip()
        assert len(words.split()) >= ALT_WORDS, f"{explorer['data-widget']} is called {words!r}"
        assert explorer.select_one("noscript").get_text().strip().startswith(words)


@every_page
def test_every_internal_link_leads_somewhere(built_book, page):
    here = built_book / f"{page}.html"
    dead = []
    for tag in soup(here).find_all(["a", "link", "script", "img"]):
        address = urlsplit(tag.get("href") or tag.get("src") or "")
        if address.scheme or address.netloc or not (address.path or address.fragment):
            continue
        there = (here.parent / unquote(address.path)).resolve() if address.path else here
        anchor = unquote(address.fragment)
        if not there.exists() or (anchor and there.suffix == ".html" and anchor not in ids_of(there)):
            dead.append(address.geturl())
    assert dead == []


@every_page
def test_page_loads_nothing_from_another_host(built_book, page):
    tags = soup(built_book / f"{page}.html").find_all(list(LOADS))
    assert [tag[LOADS[tag.name]] for tag in tags if re.match(r"(https?:)?//", tag.get(LOADS[tag.name], ""))] == []


def test_style_sheets_load_nothing_from_another_host(built_book):
    sheets = [path for path in (built_book / "_static").rglob("*.css") if "mathjax" not in path.parts]
    assert sheets
    for path in sheets:
        assert not re.search(r"(url\(\s*['\"]?|@import\s+['\"])(https?:)?//", path.read_text(encoding="utf-8")), path


@every_page
def test_no_cell_left_an_error_or_a_warning_in_the_page(built_book, page):
    content = article(built_book / f"{page}.html")
    assert content.select(".output.traceback, .output.stderr, .system-message, .problematic") == []
    outputs = [output.get_text() for output in content.select(".cell_output")]
    assert [text for text in outputs if "Traceback (most recent call last)" in text] == []


@pytest.mark.parametrize("page", [page for page in PAGES if source(page).suffix == ".ipynb"], ids=label)
def test_notebook_was_executed(built_book, page):
    content = article(built_book / f"{page}.html")
    assert content.select(".cell_output"), f"no cell of {page} shows a result"


def weight(path: Path) -> int:
    """Return the bytes of a page and its pictures, without the theme."""
    addresses = [tag["src"] for tag in article(path).find_all("img")]  # a data: address is part of the page itself
    images = {(path.parent / unquote(src)).resolve() for src in addresses if not src.startswith("data:")}
    return path.stat().st_size + sum(image.stat().st_size for image in images)


@every_page
def test_page_is_light_enough_for_a_slow_line(built_book, page):
    assert weight(built_book / f"{page}.html") <= HEAVIER.get(page, WEIGHT)


def test_a_language_model_and_its_explorer_add_at_most_what_was_allowed_to_the_weight_of_a_chapter(built_book):
    figure, *borrowing = article(built_book / "book/part5-transformer/18_language_model.html").select(
        "figure.regattn[data-widget=ModelExplorer]"
    )
    assert all(len(str(other).encode()) <= 100_000 for other in borrowing)  # the weights of the first
    assert 850_000 < len(str(figure).encode()) <= 1_200_000  # the weights alone take more than the first
    # and so much heavier than the mean chapter is the whole page
    chapters = [page for page in PAGES if re.match(r"book/part", page)]
    weights = {page: weight(built_book / f"{page}.html") for page in chapters}
    heaviest = weights.pop("book/part5-transformer/18_language_model")
    assert heaviest - sum(weights.values()) / len(weights) <= 1_200_000


def test_there_is_no_launch_button_when_the_repository_is_unknown(built_book):
    for page in PAGES:
        assert "mybinder.org/v2" not in (built_book / f"{page}.html").read_text(encoding="utf-8")
