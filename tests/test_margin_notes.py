"""What a chapter cites stands in its margin: one note a work, at its first citation, none in closed parts or boxes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.built import ROOT

PAGE = """# A chapter

Said first [{cite:p}`Two`], then by {cite:t}`Many` and again by {cite:t}`Two`.

> A box cites {cite:t}`Boxed`.

## In depth

Here {cite:t}`Deep` is cited.
"""
WORKS = {
    "Two": "Ash, A. and Berg, B.",
    "Many": 'A, A. and B, B. and D{\\"o}ll, C.',
    "Boxed": "Box, B.",
    "Deep": "Low, D.",
}
ENTRIES = "\n".join(
    f"@misc{{{key}, author = {{{who}}}, title = {{On {{NLP}} by {key}}}, year = 2001}}" for key, who in WORKS.items()
)


def notes(folder, page: str, metadata: str = "") -> str:
    """Return the HTML of a page of a small book with that text."""
    source = folder / page
    source.parent.mkdir(parents=True)
    source.write_text(metadata + PAGE, encoding="utf-8")
    (folder / "works.md").write_text("# Works\n\n```{bibliography}\n```\n", encoding="utf-8")
    (folder / "works.bib").write_text(ENTRIES, encoding="utf-8")
    settings = {
        "extensions": ["myst_parser", "sphinxcontrib.bibtex", "margin_notes"],
        "root_doc": page.removesuffix(".md"),
        "bibtex_bibfiles": ["works.bib"],
        "bibtex_reference_style": "author_year",
    }
    (folder / "conf.py").write_text("\n".join(f"{k} = {v!r}" for k, v in settings.items()), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "book" / "_ext")}
    command = [sys.executable, "-m", "sphinx", "-q", folder, folder / "out"]
    subprocess.run(command, env=environment, check=True, timeout=120)
    return (folder / "out" / page).with_suffix(".html").read_text(encoding="utf-8")


def test_the_first_citation_of_a_work_in_the_story_has_a_note(tmp_path):
    found = notes(tmp_path, "book/part9-test/01_first.md").split('<div class="cited-beside')[1:]
    assert [note.partition("</div>")[0].count("<em>On NLP by ") for note in found] == [1, 1]
    assert "Ash and Berg, 2001" in found[0]
    assert "A et al., 2001" in found[1]


@pytest.mark.parametrize(
    ("page", "metadata"), [("book/other.md", ""), ("book/part9-test/01_first.md", "---\nmargin_notes: false\n---\n")]
)
def test_other_pages_and_a_page_that_says_no_have_none(page, metadata, tmp_path):
    assert "cited-beside" not in notes(tmp_path, page, metadata)
