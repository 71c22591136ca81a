"""Make a deck of slides of every chapter of the built book, below _build/revealjs, with a first page that lists them.

A deck opens from disk, with its explorers. The key S opens the speaker's notes, F fills the screen, Esc shows all
slides. With `?steps` after its name it shows a slide part by part, with `?print-pdf` it prints as hand-outs, with
`?print-pdf&showNotes=separate-page` with the notes too. `make slides CHAPTERS="9 panels"` makes those of some chapters.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from regattn._files import write_whole  # noqa: E402
from teach.slides.builder import write  # noqa: E402
from tools.choice import chapters, chosen  # noqa: E402

FIRST = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Regression Is Attention: slides</title>
<style>
body { max-width: 46rem; margin: 2.5rem auto; padding: 0 1rem; color: #1d2430; }
body { font: 400 1.0625rem/1.6 system-ui, sans-serif; }
h1 { line-height: 1.2; color: #0b3c5d; }
li { margin: 0.35rem 0; }
a { color: #0f5bc4; }
small { color: #5a5f66; white-space: nowrap; }
kbd { padding: 0.05em 0.4em; border: 1px solid #b9c0c8; border-radius: 4px; }
</style>
</head>
<body>
<h1>Slides</h1>
<p>A deck for each chapter, made from its page. <kbd>S</kbd> opens the speaker’s notes, <kbd>F</kbd> fills the screen,
<kbd>Esc</kbd> shows all slides. <em>Print</em> opens a deck as pages, to print or to save as PDF from the browser;
<em>with notes</em> adds what the teacher says. <em>Step by step</em> shows paragraphs, points and rows one after
another.</p>
<ol style="list-style: none; padding: 0">
ENTRIES
</ol>
</body>
</html>
"""
ENTRY = (
    '<li><a href="{page}.html">{title}</a> <small>{count} slides · <a href="{page}.html?steps">step by step</a> · '
    '<a href="{page}.html?print-pdf">print</a> · '
    '<a href="{page}.html?print-pdf&amp;showNotes=separate-page">with notes</a></small></li>'
)


def title_of(deck: Path) -> str:
    """Return the title of a deck."""
    found = re.search(r"<title>(.*?)</title>", deck.read_text(encoding="utf-8"), re.DOTALL)
    return html.escape(html.unescape(found[1])) if found else deck.stem


def make(book: Path, folder: Path, pages: Iterable[str]) -> dict[str, int]:
    """Write the decks of chapters and the page that lists them; return how many slides each has."""
    sizes = write(book, folder, list(pages))
    entries = [ENTRY.format(page=p, title=title_of(folder / f"{p}.html"), count=sizes[p]) for p in sorted(sizes)]
    write_whole(folder / "index.html", FIRST.replace("ENTRIES", "\n".join(entries)))
    return sizes


def main() -> None:
    """Make the decks of all chapters, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="a chapter by number, name or a part of it; all without one")
    parser.add_argument("--book", type=Path, default=ROOT / "_build" / "html", help="the built book")
    parser.add_argument("--folder", type=Path, default=ROOT / "_build" / "revealjs", help="where the decks go")
    given = parser.parse_args()
    try:
        pages = [chapter.page for chapter in chosen(given.pages) or chapters(ROOT)]
        sizes = make(given.book.resolve(), given.folder.resolve(), pages)
    except ValueError as error:
        sys.exit(str(error))
    print(os.path.relpath(given.folder / "index.html", Path.cwd()), f"({sum(sizes.values())} slides)", flush=True)


if __name__ == "__main__":
    main()
