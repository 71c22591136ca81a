"""A book of two pages, built in seconds: what its decks keep of a second build, and how its tall characters print."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pypdf import PdfReader

from tests.built import ROOT, soup
from tests.teach.paper import PIECES, beyond

pytestmark = pytest.mark.weekly(
    "tools/slides.py",
    "teach/slides/",
    "teach/requirements.txt",
    "requirements",
    "book/_ext/formulas",
    "book/_ext/tex_to_mathml.py",
    "tests/teach/test_small.py",
    "tests/teach/paper.py",
)

SETTINGS = f"""
only_build_toc_files: true
execute: {{execute_notebooks: "off"}}
sphinx:
  local_extensions: {{formulas: {ROOT / "book" / "_ext"}}}
  config: {{html_math_renderer: formulas}}
"""
CONTENTS = """
format: jb-book
root: index
parts:
  - caption: Pages
    chapters: [{file: one/page}, {file: two/page}]
"""
COLUMN = r"\begin{matrix} 1 \\ 2 \\ 3 \\ 4 \end{matrix}"
SIGNS = [
    rf"$$ \left{left} {COLUMN} \right{right} $$" for left, right in [(r"\lVert", r"\rVert"), ("|", "|"), ("(", ")")]
]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><desc>{}</desc></svg>'


@pytest.fixture(scope="module")
def small_book(tmp_path_factory):
    """Return the HTML of a book of two pages with a picture each, built, and built again after one of them changed."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "_config.yml").write_text(SETTINGS, encoding="utf-8")
    (folder / "_toc.yml").write_text(CONTENTS, encoding="utf-8")
    (folder / "index.md").write_text("\n\n".join(["# A book", *SIGNS * 2, ""]), encoding="utf-8")
    for page in ("one", "two"):
        (folder / page).mkdir()
        (folder / page / "picture.svg").write_text(SVG.format(page), encoding="utf-8")
        write_small(folder, page, "A sentence.")
    build_small(folder)
    write_small(folder, "two", "Another sentence.")
    assert "updating environment: 0 added, 1 changed, 0 removed" in build_small(folder)
    return folder / "_build" / "html"


def write_small(folder, page: str, text: str) -> None:
    """Write a page of the small book."""
    part = f"# {page}\n\n{text} **Why?**\n\n## A section\n\n{text}\n\n![A square](picture.svg)\n"
    (folder / page / "page.md").write_text(part, encoding="utf-8")


def build_small(folder) -> str:
    """Build the small book; return what the build said."""
    program = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "build", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    return re.sub(r"\x1b\[[\d;]*m", "", done.stdout)


def pictures_of(folder) -> list[str]:
    """Return what the pictures of the decks of the small book show, each as its deck leads to it."""
    decks = [folder / page / "page.html" for page in ("one", "two")]
    sources = [deck.parent / picture["src"] for deck in decks for picture in soup(deck).select("section img")]
    return [re.search("<desc>(.*)</desc>", path.read_text(encoding="utf-8"))[1] for path in sources]


def small_decks(book, folder) -> list[str]:
    """Write the decks of the small book in a process of their own; return their pictures, or what was wrong."""
    program = "import sys; from pathlib import Path; from teach.slides.builder import write; "
    program += "write(Path(sys.argv[1]), Path(sys.argv[2]), ['one/page', 'two/page'])"
    command = [sys.executable, "-c", program, book, folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=240)
    return pictures_of(folder) if done.returncode == 0 else done.stderr.strip().splitlines()[-1:]


def test_decks_of_a_second_build_have_the_pictures_of_pages_that_it_did_not_write_again(small_book, tmp_path):
    assert small_decks(small_book, tmp_path / "decks") == ["one", "two"]
    assert small_decks(small_book, tmp_path / "decks") == ["one", "two"]  # and again into the same folder


@contextmanager
def changed(path) -> Iterator[None]:
    """Let a test change or remove a file; afterwards it is as it was."""
    before = path.read_bytes()
    try:
        yield
    finally:
        path.write_bytes(before)


def test_a_picture_of_which_the_environment_has_no_record_stands_in_its_deck(small_book, tmp_path):
    read = small_book.parent / ".doctrees" / "environment.pickle"
    with changed(read):
        env = pickle.loads(read.read_bytes())
        env.images.purge_doc("two/page")
        read.write_bytes(pickle.dumps(env, pickle.HIGHEST_PROTOCOL))
        assert small_decks(small_book, tmp_path / "decks") == ["one", "two"]


def test_a_picture_that_only_the_built_book_has_is_taken_from_there_and_one_that_is_nowhere_is_named(
    small_book, tmp_path
):
    made, kept = small_book.parents[1] / "one" / "picture.svg", small_book / "_images" / "picture.svg"
    with changed(made), changed(kept):
        made.unlink()
        assert small_decks(small_book, tmp_path / "decks") == ["one", "two"]
        kept.unlink()
        problem = "ValueError: the picture one/picture.svg of a deck is not there: run `make book` first"
        assert small_decks(small_book, tmp_path / "decks") == [problem]


@pytest.mark.browser
def test_of_what_a_browser_puts_together_from_pieces_nothing_is_taken_for_words_beyond_the_margin(small_book, tmp_path):
    target = tmp_path / "book.pdf"
    command = [sys.executable, ROOT / "tools" / "pdf.py", "--book", small_book, "--target", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    page = PdfReader(target).pages[0]
    found = {character for words, *_ in beyond(page, re.compile(" ")) for character in words}
    assert {"⎛", "⎠"} <= found  # KaTeX draws its bars whole
    assert beyond(page, PIECES) == []
