"""Decks as PowerPoint files: what a deck says can be edited, what it shows is there, and nothing leaves a slide."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import zip_longest
from unicodedata import decomposition, digit

import pytest
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE

from tests.built import ROOT, soup
from tests.teach.conftest import ALL
from tests.teach.decks import HEIGHT, WIDTH
from tools.choice import chapters

ONE = "book/part2-proximity/03_ols_proximity"
PIXEL = 9525
PAGES = [chapter.page for chapter in chapters(ROOT)] if ALL else [ONE]

pytestmark = [
    pytest.mark.book,
    pytest.mark.browser,
    pytest.mark.weekly(
        "tools/powerpoint.py",
        "tools/slides.py",
        "teach/slides/",
        "teach/requirements.txt",
        "tests/teach/test_powerpoint.py",
        f"{ONE}.ipynb",
    ),
]


def run(tool, *options) -> subprocess.CompletedProcess:
    """Return what a tool says."""
    command = [sys.executable, ROOT / "tools" / f"{tool}.py", *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)


@pytest.fixture(scope="session")
def shows(built_book, tmp_path_factory):
    """Return for each chapter its deck's slides and the file's."""
    decks, folder = tmp_path_factory.mktemp("decks"), tmp_path_factory.mktemp("powerpoint")
    names = [page.rpartition("/")[2] for page in PAGES]
    for tool, options in (("slides", ["--book", built_book, "--folder", decks]), ("powerpoint", ["--decks", decks])):
        done = run(tool, *options, *(["--folder", folder] if tool == "powerpoint" else []), *names)
        assert done.returncode == 0, done.stderr
    return {
        page: (
            soup(decks / f"{page}.html").select(".slides > section.slide"),
            list(Presentation(folder / f"{name}.pptx").slides),
        )
        for page, name in zip(PAGES, names, strict=True)
    }


def squeezed(text: str) -> str:
    """Return a text without spaces."""
    return "".join(text.split()).replace("\u202f", "")


def written(slide) -> str:
    """Return what can be edited on a slide of a file."""
    return squeezed("".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame))


@pytest.mark.parametrize("page", PAGES)
def test_what_a_deck_says_can_be_edited_with_its_notes(shows, page):
    for there, here in zip_longest(*shows[page]):
        said = written(here)
        for part in there.select(".head h1, .head h2, .body p.point, .vote li > p, .task p"):
            if not part.select(".math"):
                assert squeezed(part.get_text()) in said
        for letter, option in zip("ABCDEFGH", there.select(".vote li > p"), strict=False):
            assert letter + squeezed(option.get_text())[:9] in said or option.select(".math")
        notes = squeezed(here.notes_slide.notes_text_frame.text)
        for part in there.select("aside.notes p"):
            if not part.select(".math"):
                assert squeezed(part.get_text()) in notes


@pytest.mark.parametrize("page", PAGES)
def test_indices_and_powers_of_the_notes_stand_lower_and_higher(shows, page):
    found = 0
    for there, here in zip_longest(*shows[page]):
        runs = [run for line in here.notes_slide.notes_text_frame.paragraphs for run in line.runs]
        moved = "".join(run.text for run in runs if run._r.rPr is not None and run._r.rPr.get("baseline"))
        letters = [letter for run in runs for letter in run.text]
        moved += "".join(letter for letter in letters if decomposition(letter).startswith(("<super>", "<sub>")))
        scripts = []
        for formula in there.select("aside.notes p .math, aside.notes li .math"):
            for part in formula.select("msub, msup, msubsup"):
                inner = [each for each in part.find_all(recursive=False)[1:] if not each.select("msub, msup, msubsup")]
                scripts += [letter for each in inner for letter in squeezed(each.get_text()) if letter.isdigit()]
        shown = Counter(str(digit(letter, 0)) for letter in moved if letter.isdigit())
        assert Counter(scripts) <= shown, here.notes_slide.notes_text_frame.text
        found += len(scripts)
    assert found or page != ONE


@pytest.mark.parametrize("page", PAGES)
def test_formulas_within_a_line_are_letters_and_indices(shows, page):
    found = 0
    for there, here in zip_longest(*shows[page]):
        for formula in there.select(".body p.point .math"):
            if {part.name for part in formula.select("math *")} <= {"semantics", "mrow", "mi", "mn", "annotation"}:
                letters = "".join(part.get_text() for part in formula.select("mi, mn"))
                assert squeezed(letters) in written(here)
                found += 1
    assert found or page != ONE


@pytest.mark.parametrize("page", PAGES)
def test_pictures_explorers_and_formulas_are_sharp_pictures_that_say_what_they_show(shows, page):
    for there, here in zip_longest(*shows[page]):
        pictures = [shape for shape in here.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE]
        assert len(pictures) == len(there.select(".body > .visual, .body > div.math"))
        for picture in pictures:
            assert picture._element.nvPicPr.cNvPr.get("descr")
            assert picture.image.size[0] >= 1.9 * picture.width / PIXEL  # two pixels for each of the slide
        for figure in there.select(".body figure.regattn"):
            assert figure["aria-label"][:200] in pictures[0]._element.nvPicPr.cNvPr.get("descr")


@pytest.mark.parametrize("page", PAGES)
def test_nothing_leaves_a_slide(shows, page):
    for _, here in zip_longest(*shows[page]):
        for shape in here.shapes:
            assert min(shape.left, shape.top) >= 0
            assert shape.left + shape.width <= (WIDTH + 1) * PIXEL
            assert shape.top + shape.height <= (HEIGHT + 1) * PIXEL


def test_without_decks_it_says_what_makes_them(tmp_path):
    done = run("powerpoint", "--decks", tmp_path, "--folder", tmp_path / "out", "3")
    assert done.returncode != 0
    assert "make slides" in done.stderr
    assert not list(tmp_path.rglob("*.pptx"))
