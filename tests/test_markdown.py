"""The text of the notebooks outside the book: plain Markdown, links that can be followed, and the same boxes inside."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter
from pybtex.database import parse_file
from sphinx.errors import ExtensionError

from tests.built import ROOT, article, label, notebooks, read_notebook, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapter_numbers import exercises
from chapters import chapter_of
from plain_markdown import to_myst

every_notebook = pytest.mark.parametrize("path", notebooks(), ids=label)
PAGES = {ROOT / f"{page}.ipynb" for page in toc_pages()}  # the notebook in which JupyterLab opens is none of them
every_shown = pytest.mark.parametrize("path", [path for path in notebooks() if path in PAGES], ids=label)
WRITTEN = [*(ROOT / "book").rglob("*.md"), *sorted((ROOT / "teach" / "guide").glob("[0-9]*.md"))]
every_page = pytest.mark.parametrize(
    "path", [*notebooks(), *(path for path in WRITTEN if path.parent.name[0] != ".")], ids=label
)
EQUATION = r"(?m)\$\$ \(([\w-]+)\)$"  # its label, after its last line or in a box after its only one
LINK = re.compile(r"\[((?:[^][]|\[[^][]*\])+)\]\(([^()\s]*)\)")
BIBLIOGRAPHY = parse_file(str(ROOT / "book" / "references.bib"))


@cache
def texts(path: Path) -> list[str]:
    """Return the Markdown of a page, cell by cell; of a text without its fenced blocks."""
    if path.suffix == ".md":
        return [re.sub(r"(?ms)^(`{3,}).*?^\1$", "", path.read_text(encoding="utf-8"))]
    return [cell.source for cell in read_notebook(path).cells if cell.cell_type == "markdown"]


@cache
def rendered(path: Path) -> BeautifulSoup:
    """Return the text cells of a notebook as nbconvert shows them, which knows Markdown and nothing of MyST."""
    cells = [nbformat.v4.new_markdown_cell(text) for text in texts(path)]
    page, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=cells))
    return BeautifulSoup(page, "html.parser").select_one("main")


@every_notebook
def test_no_role_and_no_directive_is_left_in_the_text(path):
    content = str(rendered(path))
    assert re.findall(r"\{[\w:+-]+\}\s*<code>[^<]*", content) == []
    assert re.findall(r"(?m)^\s*(?:[`~:]{3,}.*|\([\w.-]+\)=)$", rendered(path).get_text()) == []
    assert [line for text in texts(path) for line in re.findall(r"(?m)^[> ]*[`~:]{3,} *\{.*", text)] == []


@every_notebook
def test_all_markup_is_understood(path):
    content = rendered(path)
    for tag in content.select("code, pre, script, style"):
        tag.decompose()
    assert re.findall(r".{0,30}(?:\]\(|\*\*|<a |^> ).{0,30}", content.get_text()) == []


@every_notebook
def test_display_mathematics_in_a_box_stands_on_one_line(path):
    # JupyterLab takes mathematics out of the text before it takes the marks of a quotation off the lines
    quoted = [line for text in texts(path) for line in text.split("\n") if line.startswith(">")]
    assert [line for line in quoted if line.count("$$") % 2] == []


@cache
def labels_of(path: Path) -> set[str]:
    """Return what a link may lead to on a page: its labels, equations and exercises, entries or sources."""
    if path.name == "bibliography.md":
        return set(BIBLIOGRAPHY.entries)
    if path.name == "ledger.md":
        entries = yaml.safe_load((ROOT / "book" / "ledger.yml").read_text(encoding="utf-8"))["entries"]
        return {entry["id"].lower() for entry in entries}
    text = "\n".join(texts(path))
    exercises = re.findall(r"(?m)^> \*\*Exercise (\d+)\*\*$", text)
    found = re.findall(r'(?m)^<a id="([^"]+)"></a>$|^\$\$ \(([\w-]+)\)$', text)
    return {anchor or equation for anchor, equation in found} | {f"ex-{number}" for number in exercises}


@every_page
def test_every_link_leads_to_a_file_and_a_label_in_it(path):
    links = [address for text in texts(path) for _, address in LINK.findall(text) if not address.startswith("http")]
    for address in links:
        file, _, name = address.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.is_file(), address
        assert not name or name in labels_of(there), address


@every_page
def test_a_link_to_an_equation_says_its_label(path):
    for text, address in LINK.findall("\n".join(texts(path))):
        if re.fullmatch(r"\(.*\)", text):
            assert address.partition("#")[2] == text[1:-1]


def name_of(key: str) -> str:
    """Return how a source is called: its author, both authors, or the first of several."""
    entry = BIBLIOGRAPHY.entries[key]
    authors = [" ".join([*person.prelast_names, *person.last_names]) for person in entry.persons.get("author", [])]
    if not authors:
        return entry.fields["key"]
    return f"{authors[0]} et al." if len(authors) > 2 else " and ".join(authors)


@every_page
def test_a_citation_names_authors_and_year(path):
    for text, address in LINK.findall("\n".join(texts(path))):
        file, _, key = address.partition("#")
        if key and file.endswith("bibliography.md"):
            year = BIBLIOGRAPHY.entries[key].fields["year"]
            assert text in (f"{name_of(key)} [{year}]", f"{name_of(key)}, {year}")


def numbered(path: Path, text: str) -> str:
    """Return a text of a notebook with the number of its chapter, as its page has it."""
    chapter = chapter_of(path.relative_to(ROOT).with_suffix("").as_posix())
    return exercises(text, chapter) if chapter else text


def bare(title: str) -> str:
    """Return the letters and digits of a box's title, set with others on the page; theorems count there."""
    return re.sub(r"\W+", "", re.sub(r"^Theorem \d+", "Theorem", title.strip()))


KINDS = {"Closer": {"tip", "closer-look"}, "Open": {"note"}, "Exercise": {"exercise"}, "Theorem": {"proof", "theorem"}}


@pytest.mark.book
@every_shown
def test_page_of_the_book_has_the_boxes_of_the_notebook(built_book, path):
    boxes = article(built_book / path.relative_to(ROOT).with_suffix(".html")).select("div.admonition")
    shown = [box.select_one(".admonition-title").get_text().strip() for box in boxes]
    written = re.findall(r"(?m)^> \*\*(.+)\*\*$", numbered(path, "\n".join(texts(path))))
    assert [bare(title) for title in shown] == [bare(title) for title in written]
    for title, box in zip(shown, boxes, strict=True):
        assert set(box["class"]) == KINDS[title.split()[0].strip(":")] | {"admonition"}


@pytest.mark.book
@every_shown
def test_page_of_the_book_has_the_labels_of_the_notebook(built_book, path):
    found = article(built_book / path.relative_to(ROOT).with_suffix(".html")).find_all(id=True)
    equations = set(re.findall(EQUATION, "\n".join(texts(path))))
    own = {numbered(path, f"(#{name})")[2:-1] for name in labels_of(path) - equations}
    wanted = own | {f"equation-{name}" for name in equations}
    assert wanted <= {tag["id"] for tag in found}


@cache
def numbers(page: Path) -> dict[str, str]:
    """Return the numbers of the equations of a built page by their ids."""
    found = article(page).select("div.math[id]:has(.eqno)")
    return {equation["id"]: equation.select_one(".eqno").next_element.get_text() for equation in found}


@pytest.mark.book
@every_shown
def test_equations_are_numbered_by_the_chapter(built_book, path):
    names = re.findall(EQUATION, "\n".join(texts(path)))
    expected = {f"equation-{name}": f"({int(path.name[:2])}.{i})" for i, name in enumerate(names, start=1)}
    assert numbers(built_book / path.relative_to(ROOT).with_suffix(".html")) == expected


@pytest.mark.book
@pytest.mark.parametrize("page", toc_pages(), ids=label)
def test_a_reference_to_an_equation_shows_its_number(built_book, page):
    here = built_book / f"{page}.html"
    for link in article(here).select('a[href*="#equation-"]:not(.headerlink)'):
        file, _, name = link["href"].partition("#")
        assert link.get_text() == numbers((here.parent / file).resolve() if file else here)[name]


@pytest.mark.book
@pytest.mark.parametrize("page", toc_pages(), ids=label)
def test_no_page_calls_an_equation_by_its_label(built_book, page):
    text = article(built_book / f"{page}.html").get_text(" ")
    notebooks_text = "\n".join("\n".join(texts(path)) for path in notebooks())
    names = {name for name in re.findall(r"(?m)^\$\$ \(([\w-]+)\)$", notebooks_text) if "-" in name}
    assert names
    assert [name for name in names if re.search(rf"\(\s*{name}\s*\)", text)] == []


@pytest.mark.parametrize(
    ("plain", "myst"),
    [
        ('<a id="here"></a>\n## Title', "(here)=\n## Title"),
        ("> said *so*\n> twice", "> said *so*\n> twice"),
        ("> by [(tau)](#tau),\n> [it](a.md#y)", "> by {eq}`tau`,\n> {ref}`it <y>`"),
        (
            "> **Closer look: why $d$**\n>\n> One.\n>\n> - Two [GC-1](../reference/ledger.md#gc-1)\n\nThree",
            "````{admonition} Closer look: why $d$\n:class: tip closer-look\n\nOne.\n\n- Two {ref}`GC-1 <gc-1>`\n````"
            "\n\nThree",
        ),
        ("> **Open question**\n>\n> Why?", "````{admonition} Open question\n:class: note\n\nWhy?\n````"),
        ("> **Exercise 3.12**\n>\n> How?", "````{exercise} 3.12\n:label: ex-03-12\n:nonumber:\n\nHow?\n````"),
        ("> **Theorem (No leak)**\n>\n> So.", "````{prf:theorem} No leak\n:label: thm-no-leak\n\nSo.\n````"),
        ("by [(omega)](../a/b.ipynb#omega) and [(tau)](#tau)", "by {eq}`omega` and {eq}`tau`"),
        ("[He et al. [2015]](../reference/bibliography.md#He2015).", "{cite:t}`He2015`."),
        (
            "so [[A, 1](../reference/bibliography.md#A1), [B and C, 2](../reference/bibliography.md#B2)].",
            "so {cite:p}`A1,B2`.",
        ),
        ("[codes](../a/b.ipynb#codes-section), [page](b.ipynb)", "{ref}`codes <codes-section>`, [page](b.ipynb)"),
        ("`[x](a.ipynb#y)` and ``a ` [x](a.md#y)``", "`[x](a.ipynb#y)` and ``a ` [x](a.md#y)``"),
        ("```python\n> **not a box**\n[x](a.md#y)\n```\n> a", "```python\n> **not a box**\n[x](a.md#y)\n```\n> a"),
        ("~~~\n[x](a.md#y)\n~~~\n[x](a.md#y)", "~~~\n[x](a.md#y)\n~~~\n{ref}`x <y>`"),
        ("$$\nx > y\n$$ (big)", "$$\nx > y\n$$ (big)"),
    ],
)
def test_plain_markdown_becomes_myst(plain, myst):
    assert to_myst(plain) == myst


def test_a_box_of_no_known_kind_is_refused():
    with pytest.raises(ExtensionError, match="no box is called 'Closer Look: d'"):
        to_myst("> **Closer Look: d**\n>\n> Text.")
