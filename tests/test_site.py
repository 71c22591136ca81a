"""What a published copy needs besides its pages: descriptions, a first page, a page for wrong addresses, a search."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
import yaml

from tests.browser import open_offline
from tests.built import ROOT, head, label, soup, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import published
import search_offline

LISTED = (ROOT / "book" / "reference" / "terms.yml").read_text(encoding="utf-8")
TERMS = yaml.safe_load(LISTED)
ENTRY = re.compile(r"@\w+\{(\w+),\n(.*?)\n\}", re.DOTALL)
FIELD = re.compile(r"^  (\w+) *= \{(.*)\},$", re.MULTILINE)
every_page = pytest.mark.parametrize("page", toc_pages(), ids=label)


@pytest.mark.book
@every_page
def test_page_has_a_title_and_a_description_for_those_who_link_to_it(built_book, page):
    top = head(built_book / f"{page}.html")
    described = top.find("meta", attrs={"name": "description"})["content"]
    shared = {tag["property"]: tag["content"] for tag in top.find_all("meta", property=True)}
    assert 20 <= len(described) <= 220
    assert shared["og:title"]
    assert shared["og:title"] in top.title.get_text()
    assert shared["og:site_name"] == "Regression Is Attention"


def test_no_name_of_the_search_is_listed_twice_for_only_the_last_would_lead_anywhere():
    assert sorted(re.findall(r'^"(.+?)": ', LISTED, re.MULTILINE)) == sorted(TERMS)


@pytest.mark.book
def test_descriptions_differ(built_book):
    found = [head(built_book / f"{page}.html").find("meta", {"name": "description"})["content"] for page in PAGES]
    assert len(set(found)) == len(found)


PAGES = [page for page in toc_pages() if not page.startswith("book/solutions")]


@pytest.mark.book
def test_the_folder_of_the_site_leads_to_the_first_page(built_book):
    first = soup(built_book / "index.html")
    assert first.html["lang"] == "en"
    assert len(first.find_all("title")) == 1
    assert (built_book / first.find("a")["href"]).exists()


@pytest.mark.book
def test_a_wrong_address_gets_a_page_with_the_list_of_chapters(built_book):
    lost = soup(built_book / "404.html")
    assert "not in the book" in lost.select_one("article").get_text()
    assert len(lost.select(".bd-sidebar-primary a[href$='.html']")) >= len(PAGES)


@pytest.mark.book
def test_a_copy_without_an_address_promises_none(built_book):
    assert not (built_book / "sitemap.xml").exists()
    assert soup(built_book / f"{PAGES[0]}.html").find("link", rel="canonical") is None


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"REGATTN_REPOSITORY": ""}, ""),
        ({"REGATTN_REPOSITORY": "Owner/name"}, "https://owner.github.io/name/"),
        ({"REGATTN_REPOSITORY": "Owner/name", "REGATTN_SITE": "https://example.org/book"}, "https://example.org/book/"),
        ({"REGATTN_SITE": "https://example.org/book/"}, "https://example.org/book/"),
    ],
    ids=["unknown", "pages", "named", "with a slash"],
)
def test_the_address_of_the_site_comes_from_the_environment(monkeypatch, environment, expected):
    monkeypatch.delenv("REGATTN_SITE", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert published.address(ROOT) == expected


def test_an_address_that_is_none_is_named(monkeypatch):
    monkeypatch.setenv("REGATTN_SITE", "example.org")
    with pytest.raises(ValueError, match=r"got 'example\.org'"):
        published.address(ROOT)


@pytest.mark.parametrize(
    ("now", "written"),
    [
        ({"hat": "a"}, []),
        ({"hat": "a", "cap": "b"}, ["b"]),
        ({}, ["a"]),
        ({"hat": "b"}, ["a", "b"]),
        ({"hat": "a#brim"}, ["a"]),
    ],
)
def test_pages_whose_other_names_have_changed_are_written_again(tmp_path, now, written):
    (tmp_path / search_offline.TERMS).parent.mkdir(parents=True)
    (tmp_path / search_offline.TERMS).write_text(yaml.safe_dump(now), encoding="utf-8")
    std = SimpleNamespace(anonlabels={"brim": ("a", "brim")})
    env = SimpleNamespace(get_domain=lambda _: std, found_docs={"a", "b"}, search_terms={"hat": "a"})
    app = SimpleNamespace(srcdir=tmp_path, builder=SimpleNamespace(name="html"))
    assert search_offline.check_terms(app, env) == written
    assert search_offline.check_terms(app, env) == []


def results(browser, folder, query):
    """Return the first result of a search from disk, its excerpt, and what the page logged as errors."""
    with open_offline(browser, folder / "search.html") as page:
        page.goto(f"{(folder / 'search.html').resolve().as_uri()}?q={query}")
        page.wait_for_selector("#search-results li a")
        links = page.locator("#search-results li a").evaluate_all("(links) => links.map((a) => a.getAttribute('href'))")
        page.wait_for_selector("#search-results li p.context")
        excerpt = page.locator("#search-results li p.context").first.inner_text()
        return links, excerpt, page.errors


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(
    "name",
    [
        *("LayerNorm", "backpropagation", "hat matrix", "dot product", "GPT"),
        *("induction head", "rotary position", "RoPE", "unembedding"),
    ],
)
def test_another_name_finds_the_page_that_explains_it(browser, built_book, name):
    links, excerpt, errors = results(browser, built_book, name)
    assert any(link.startswith(TERMS[name].partition("#")[0]) for link in links[:2])
    assert len(excerpt) > 60
    assert errors == []


@pytest.mark.book
@pytest.mark.browser
def test_the_search_shows_the_words_around_what_was_found_though_pages_are_files(browser, built_book):
    _, excerpt, errors = results(browser, built_book, "leverage")
    assert "leverage" in excerpt.lower()
    assert errors == []


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(("name", "place"), [("search", "main"), (PAGES[0], "dialog")], ids=["page", "dialog"])
def test_the_glass_of_the_search_stands_beside_the_words_that_are_searched_for(browser, built_book, name, place):
    with open_offline(browser, built_book / f"{name}.html") as page:
        page.wait_for_load_state("load")
        if place == "dialog":
            page.keyboard.press("Control+k")
        field = page.locator(f"{place} form.bd-search:visible")
        glass, words = (field.locator(part).bounding_box() for part in (".fa-magnifying-glass", "input"))
        assert glass["width"] > 8
        assert glass["x"] + glass["width"] <= words["x"] + 1


BROKEN = """() => [...document.querySelectorAll("article table :is(th, td) a")].flatMap((link) => {
  const text = document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode();
  return [...text.data.matchAll(/\\p{Letter}+/gu)].filter((word) => {
    const range = document.createRange();
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    return range.getClientRects().length > 1;
  }).map(String);
})"""


@pytest.mark.book
@pytest.mark.browser
def test_on_a_phone_no_word_of_the_table_of_names_is_cut_and_the_table_fits(browser, built_book):
    with open_offline(browser, built_book / "book/reference/glossary.html", width=390, height=844) as page:
        assert page.locator("article table :is(th, td) a").count() > 20
        assert page.evaluate(BROKEN) == []
        place = page.locator("article .pst-scrollable-table-container").first
        assert place.evaluate("(box) => box.scrollWidth <= box.clientWidth")


# Why an entry has no link.
UNLINKED = {
    "RK": "a manuscript that was never published",
    "BR": "a working paper whose address is not known for certain",
    "BP": "a blog post whose author and address are not known",
    "Firth1957": "a chapter of a book that has no address of its own",
    "Gage1994": "an article of a magazine that has ended and has no address",
    "Grunfeld1958": "a thesis on paper",
}
ADDRESS = {
    "doi": re.compile(r"10\.\d{4,5}/\S+"),
    "eprint": re.compile(r"\d{4}\.\d{4,5}"),
    "url": re.compile(r"https://\S+"),
}
HOSTS = {"doi": "https://doi.org/", "eprint": "https://arxiv.org/abs/", "url": ""}


def entries():
    """Return the fields of each entry of the bibliography by its key."""
    text = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    return {key: dict(FIELD.findall(body)) for key, body in ENTRY.findall(text)}


def test_every_entry_of_the_bibliography_has_an_address_or_is_known_to_have_none():
    for key, fields in entries().items():
        assert bool(ADDRESS.keys() & fields) == (key not in UNLINKED), key
    assert set(entries()) >= UNLINKED.keys()


def test_addresses_of_the_bibliography_have_their_form_and_differ():
    found = [(name, fields[name]) for fields in entries().values() for name in ADDRESS.keys() & fields]
    for name, address in found:
        assert ADDRESS[name].fullmatch(address), address
    assert len(set(found)) == len(found)


@pytest.mark.book
def test_the_bibliography_links_to_what_it_cites(built_book):
    page = soup(built_book / "book/reference/bibliography.html")
    links = {link["href"] for link in page.select(".citation-list a.reference.external, .citation a.external")}
    expected = {HOSTS[name] + fields[name] for fields in entries().values() for name in ADDRESS.keys() & fields}
    assert expected <= links


def published_book(folder, second, **environment):
    """Build a book of three pages as ours is: in a process of its own, since the map's extension forks one.

    The fork would keep this process's pipes open to the end.
    """
    chapters = "\n.. toctree::\n   :hidden:\n\n   part/second\n   third\n"
    line = f"Lines\n=====\n\nA line through a cloud of points is a weighted average.\n{chapters}"
    (folder / "part").mkdir(exist_ok=True)
    for name, text in {"first": line, "part/second": f"Rows\n====\n\n{second}\n", "third": "C\n=\n\nA.\n"}.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    command = [sys.executable, "-m", "sphinx", "-C", "-q", "-D", "extensions=published", "-D", "html_title=A book"]
    command += ["-D", "master_doc=first", folder, folder / "out"]
    environment = {**os.environ, **environment, "PYTHONPATH": str(ROOT / "book" / "_ext")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def links_of(page):
    """Return the addresses that a page leads to or loads, without parts of pages and versions."""
    found = [tag.get("href") or tag.get("src") for tag in page.select("[href], [src]")]
    return {re.split("[?#]", address)[0] for address in found if not address.startswith(("#", "http"))}


def test_a_page_for_wrong_addresses_leads_into_the_folder_it_lies_in_where_the_address_is_unknown(tmp_path):
    published_book(tmp_path, "A row.", REGATTN_SITE="", REGATTN_REPOSITORY="")
    links = links_of(soup(tmp_path / "out" / "404.html"))
    assert {"first.html", "part/second.html", "third.html"} <= links
    assert [link for link in links if not (tmp_path / "out" / link).is_file()] == []  # "/first.html" is none


def test_a_page_for_wrong_addresses_leads_from_the_root_of_a_site_in_a_subfolder(tmp_path):
    published_book(tmp_path, "A row.", REGATTN_SITE="https://example.org/book")
    links = links_of(soup(tmp_path / "out" / "404.html"))
    assert {"/book/first.html", "/book/part/second.html", "/book/third.html"} <= links
    assert [link for link in links if not (tmp_path / "out" / link.removeprefix("/book/")).is_file()] == []


def test_a_site_with_an_address_has_a_canonical_link_a_picture_a_description_and_a_map(tmp_path):
    """Where the address is known; then one page changes."""
    for text in ("A row.", "Another row."):
        published_book(tmp_path, text, REGATTN_SITE="https://example.org/book")
    head = soup(tmp_path / "out" / "first.html")
    page = soup(tmp_path / "out" / "404.html")
    assert page.select_one("title").get_text().startswith("Not found")
    assert head.find("link", rel="canonical")["href"] == "https://example.org/book/first.html"
    shared = {tag["property"]: tag["content"] for tag in head.find_all("meta", property=True)}
    assert shared["og:url"] == "https://example.org/book/first.html"
    assert shared["og:image"] == f"https://example.org/book/{published.PICTURE}"
    assert (ROOT / "book" / published.PICTURE).exists()
    assert shared["og:description"] == "A line through a cloud of points is a weighted average."
    places = re.findall(r"<loc>(.*?)</loc>", (tmp_path / "out" / "sitemap.xml").read_text(encoding="utf-8"))
    assert sorted(places) == [f"https://example.org/book/{name}.html" for name in ("first", "part/second", "third")]


SMALL_BOOK = {
    "first.rst": "Lines\n=====\n\nA line.\n\n.. toctree::\n\n   second\n   third\n",
    "second.rst": "Models\n======\n\n.. _reach:\n\nReach\n-----\n\nA sentence.\n",
    "third.rst": "Rows\n====\n\n.. index:: least squares\n\nA row.\n",
}
SMALL_TERMS = {"hat matrix": "first", "GPT": "second#reach", "LayerNorm": "second", "query row": "third"}


@pytest.fixture
def small_book(tmp_path):
    """Return a function that lists names, builds a book of three pages, and returns what its search index lists.

    The build is in a process of its own, as a reader's is.
    """
    for name, text in SMALL_BOOK.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "book" / "reference").mkdir(parents=True)
    command = [sys.executable, "-m", "sphinx", "-C", "-q", "-W", "-D", "extensions=search_offline"]
    command += ["-D", "master_doc=first", "-D", "html_theme=pydata_sphinx_theme", tmp_path, tmp_path / "out"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "book" / "_ext")}

    def build(terms):
        (tmp_path / "book" / "reference" / "terms.yml").write_text(json.dumps(terms), encoding="utf-8")
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "out" / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
        listed = {name: [index["docnames"][at] for at, *_ in places] for name, places in index["indexentries"].items()}
        return listed, {name: (tmp_path / "out" / f"{name[:-4]}.html").stat().st_mtime_ns for name in SMALL_BOOK}

    build.folder = tmp_path
    return build


EXPECTED = {
    "least squares": ["third"],
    "hat matrix": ["first"],
    "gpt": ["second"],
    "layernorm": ["second"],
    "query row": ["third"],
}


def test_a_build_that_writes_one_page_again_keeps_the_other_names_of_all(small_book):
    listed, before = small_book(SMALL_TERMS)
    assert listed == EXPECTED
    page = small_book.folder / "second.rst"
    page.write_text(page.read_text(encoding="utf-8") + "\nAnother.\n", encoding="utf-8")
    again, after = small_book(SMALL_TERMS)
    assert after["third.rst"] == before["third.rst"]
    assert after["second.rst"] != before["second.rst"]
    assert again == EXPECTED


def test_a_name_that_is_taken_off_the_list_leaves_the_search_and_a_new_one_enters_though_no_page_has_changed(
    small_book,
):
    small_book(SMALL_TERMS)
    terms, expected = dict(SMALL_TERMS), dict(EXPECTED)
    del terms["query row"], expected["query row"]
    fewer, _ = small_book(terms | {"OLS": "first"})
    assert fewer == expected | {"ols": ["first"]}
    moved, _ = small_book(SMALL_TERMS | {"GPT": "third"})
    assert moved == EXPECTED | {"gpt": ["third"]}
