"""What the pages of the ledger are made of, on entries and chapters that today's files do not have."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.built import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import ledger_pages
from ledger_pages import Ledger, Passage, badge_of, inside_a_sentence, passages, slug, typeset


def write_book(root: Path, *cells: tuple[str, str]) -> None:
    """Write a book below ``root`` whose only chapter, "one", consists of cells, (kind, text) each."""
    kinds = [{"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in cells]
    (root / "book/part1").mkdir(parents=True)
    (root / "book/part1/01_one.ipynb").write_text(json.dumps({"cells": kinds}))
    (root / "_toc.yml").write_text("parts: [{chapters: [{file: book/part1/01_one}]}]\n")


def link(name: str) -> str:
    return f"[there](../reference/ledger.md#{name})"


def test_a_passage_is_known_by_its_section_and_the_box_it_stands_in(tmp_path):
    write_book(
        tmp_path,
        ("markdown", f"# One\n\nFirst {link('gc-01')}, again {link('gc-01')}."),
        ("code", f"# {link('gc-02')} in code is no passage"),
        ("markdown", f'<a id="part"></a>\n## A part\n\n> **A title, of *two* words**\n>\n> Quoted {link("gc-01")}.'),
        (
            "markdown",
            f"> **Another box**\n> {link('gc-03')}\n> **bold** words {link('mh-4.2')}\n\nAfter it {link('gc-03')}.",
        ),
        ("markdown", f"> No title {link('br-2.1a')}."),
    )
    found = passages(tmp_path)
    box = "A title, of *two* words"
    assert found["gc-01"] == [Passage("one", "", ""), Passage("one", "part", box)]  # each place once
    assert found["gc-03"] == [Passage("one", "part", "Another box"), Passage("one", "part", "")]
    assert found["mh-4.2"] == [Passage("one", "part", "Another box")]  # bold words in a box are not its title
    assert found["br-2.1a"] == [Passage("one", "part", "")]
    assert "gc-02" not in found


@pytest.mark.parametrize(
    ("title", "inside"),
    [
        ("A closer look", "a closer look"),
        ("Closer look", "closer look"),
        ("OLS once more", "OLS once more"),
        ("É", "é"),
        ("x", "x"),
        ("2008 again", "2008 again"),
        ("", ""),
    ],
)
def test_a_title_inside_a_sentence_begins_small_unless_it_is_an_abbreviation(title, inside):
    assert inside_a_sentence(title) == inside


class Bare(Ledger):
    """The directive without Sphinx, of a repository that is not known."""

    repository = None

    def __init__(self) -> None:
        pass


ONE, TWO = "tests/a.py::test_one", "tests/b.py::test_two"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"tests": [ONE]}, f"Test: {ONE}"),
        ({"tests": [ONE, TWO]}, f"Tests: {ONE} {TWO}"),
        ({"not_computed": "no data"}, "Not computed: no data"),
        ({"not_computed": "no data", "tests": [ONE]}, f"Not computed: no data Test: {ONE}"),
        ({"planned": True}, "Test: planned"),
        ({"planned": True, "tests": [ONE]}, "Test: planned"),
    ],
)
def test_all_that_stands_behind_an_entry_is_said(entry, said):
    assert Bare().checks(entry).astext() == said


def test_the_version_is_told_of_an_entry_that_concerns_one_alone():
    (told,) = Bare().version({"version": "Working paper only: the later one differs."})
    assert told.astext() == "Working paper only: the later one differs."
    assert told["classes"] == ["entry-version"]
    assert Bare().version({}) == []


def test_a_test_leads_to_its_line_where_the_repository_is_known(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("import re\n\n\ndef helper():\n    pass\n\n\ndef test_one():\n    pass\n")

    class Known(Bare):
        repository = "owner/name"
        env = type("Env", (), {"srcdir": tmp_path})

    address = Known().test("a.py::test_one", "shown")["refuri"]
    assert address == f"https://github.com/owner/name/blob/{ledger_pages.launch.BRANCH}/a.py#L8"


def test_a_planned_entry_has_no_verdict_yet():
    assert badge_of({"planned": True, "verdict": "holds"}) == "planned"
    assert badge_of({"verdict": "misprint"}) == "misprint"
    assert slug("Holds with a condition. MH-4.2") == "holds-with-a-condition--mh-4-2"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("X_test", [("Text", "X"), ("subscript", "test"), ("Text", "")]),
        ("Y_{s,p} = 2", [("Text", "Y"), ("subscript", "s,p"), ("Text", " = 2")]),
        ("N^(−1)", [("Text", "N"), ("superscript", "−1"), ("Text", "")]),
        ("Λ^{L}_i", [("Text", "Λ"), ("superscript", "L"), ("Text", ""), ("subscript", "i"), ("Text", "")]),
        ("plain", [("Text", "plain")]),
    ],
)
def test_indices_and_exponents_are_set_as_such(text, parts):
    assert [(type(node).__name__, node.astext()) for node in typeset(text)] == parts
