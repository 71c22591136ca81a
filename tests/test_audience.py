"""The book for students: no page for teachers in contents, search, index or files, and no link to one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.built import ROOT, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import audience

CONF = """
import sys
sys.path.insert(0, {path!r})
extensions = ["myst_nb", "sphinx_external_toc", "audience"]
external_toc_path = {toc!r}
external_toc_exclude_missing = True
suppress_warnings = ["etoc.toctree"]
"""
PAGES = {
    "book/index.md": "# Book\n\nSee [the *plans*](reference/teaching.md) and [1](part1-lines/01_lines.ipynb).\n",
    "book/reference/teaching.md": "# Teaching\n\nzebra\n",
    "teach/guide/01_lines.md": "# Teaching lines\n\n```{index} okapi\n```\n\nExpected, of 100: giraffe\n",
}
CONTENTS = {
    "format": "jb-book",
    "root": "book/index",
    "parts": [
        {"caption": "Part 1", "chapters": [{"file": "book/part1-lines/01_lines"}]},
        {
            "caption": "For teachers",
            "chapters": [{"file": "book/reference/teaching", "sections": [{"file": "teach/guide/01_lines"}]}],
        },
    ],
}
NOTEBOOK = (
    '{"cells": [{"cell_type": "markdown", "id": "a", "metadata": {}, "source": '
    '["# Lines\\n", "\\n", "As [the page](../../teach/guide/01_lines.md) says: gnu, [top](../index.md)."]}], '
    '"metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
)
SECRET = ("zebra", "okapi", "giraff", "teach/guide", "reference/teaching")


@pytest.fixture
def small(tmp_path):
    """Return what builds a book of four pages, for whom it is told, and returns the folder of its HTML."""
    for name, text in {**PAGES, "book/part1-lines/01_lines.ipynb": NOTEBOOK}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "_toc.yml").write_text(yaml.safe_dump(CONTENTS), encoding="utf-8")

    def build(whom: str) -> Path:
        toc = audience.write_contents(tmp_path, tmp_path / "_build" / "toc.yml") if whom else tmp_path / "_toc.yml"
        (tmp_path / "conf.py").write_text(CONF.format(path=str(ROOT / "book" / "_ext"), toc=str(toc)))
        command = [sys.executable, "-m", "sphinx", "-q", "-W", str(tmp_path), str(tmp_path / "_build" / "html")]
        environment = {**os.environ, "AUDIENCE": whom}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return tmp_path / "_build" / "html"

    return build


def holding(html: Path, words: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the files of a built book in which some words stand, or which are called so."""
    found = {}
    for path in html.rglob("*"):
        if path.suffix in (".html", ".js", ".txt", ".md", ".ipynb"):
            text = path.relative_to(html).as_posix() + path.read_text(encoding="utf-8")
            found |= {path.name: held} if (held := [word for word in words if word in text]) else {}
    return found


@pytest.mark.weekly("book/_ext/audience.py", "tools/book.py", "requirements.txt", "tests/test_audience.py")
def test_a_book_for_students_holds_nothing_of_the_pages_for_teachers_also_after_one_for_everybody(small):
    html = small("")
    whole = holding(html, SECRET)
    assert {"teaching.html", "searchindex.js", "genindex.html", "01_lines.html", "index.html"} <= set(whole)
    assert sorted({word for held in whole.values() for word in held}) == sorted(SECRET)
    html = small("students")
    assert holding(html, SECRET) == {}
    index = (html / "book" / "index.html").read_text(encoding="utf-8")
    assert "See the <em>plans</em> and <a" in index
    chapter = (html / "book" / "part1-lines" / "01_lines.html").read_text(encoding="utf-8")
    assert "As the page says: gnu, <a" in chapter
    assert "gnu" in (html / "searchindex.js").read_text(encoding="utf-8")
    assert "zebra" in (small("") / "book" / "reference" / "teaching.html").read_text(encoding="utf-8")


def test_the_contents_for_students_are_all_pages_but_those_for_teachers_in_their_order(tmp_path):
    toc = yaml.safe_load(audience.write_contents(ROOT, tmp_path / "toc.yml").read_text(encoding="utf-8"))
    pages = [entry["file"] for part in toc["parts"] for entry in part["chapters"]]
    kept = [page for page in toc_pages() if not page.startswith(("teach/", "book/reference/teaching"))]
    assert [toc["root"], *pages] == kept
    assert "For teachers" not in [part.get("caption") for part in toc["parts"]]
    assert toc["defaults"] == {"numbered": False}


@pytest.mark.parametrize(("text", "read"), [
    ("[a](../../teach/guide/09_masks.md)", "a"), ("[a [b]](teaching.md#x) c", "a [b] c"),
    ("[a](../../teach/guide/grading.md)", "a"), ("[a](library.md)", "[a](library.md)"),
    ("[a](https://x.org/teaching.md)", "[a](https://x.org/teaching.md)"), ("[a](#teaching)", "[a](#teaching)"),
])  # fmt: skip
def test_a_link_to_a_page_for_teachers_becomes_its_words_and_no_other(text, read):
    assert audience.unlinked(text, "book/reference/ledger") == read


def test_another_audience_is_named(monkeypatch):
    monkeypatch.setenv("AUDIENCE", "pupils")
    with pytest.raises(ValueError, match="AUDIENCE is 'students' or not set, got 'pupils'"):
        audience.audience()


def test_make_and_the_launcher_build_what_is_asked_for(monkeypatch):
    from tools import book

    monkeypatch.delenv("AUDIENCE", raising=False)
    assert book.contents() == ()
    monkeypatch.setenv("AUDIENCE", "students")
    option, path = book.contents()
    assert (option, Path(path).is_file()) == ("--toc", True)
