"""Sphinx extension: with AUDIENCE=students, as in `make book AUDIENCE=students`, a book without the pages for teachers.

Those pages hold the plans, the votes with their shares and the quizzes. They are not read, so neither the contents nor
the search nor the index knows them; a link to one becomes its words, and what an earlier build wrote of them goes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import yaml

STUDENTS = "students"
FOR_TEACHERS = re.compile(r"teach/.+|book/reference/teaching")
LINK = re.compile(r"(?<!!)\[((?:[^][]|\[[^][]*\])+)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def audience() -> str:
    """Return for whom the book is built: "students", or "" for everybody.

    Raises
    ------
    ValueError
        If AUDIENCE names anybody else.
    """
    named = os.environ.get("AUDIENCE", "")
    if named not in ("", STUDENTS):
        raise ValueError(f"AUDIENCE is {STUDENTS!r} or not set, got {named!r}")
    return named


def left_out(page: str) -> bool:
    """Return whether a page of the contents, such as "teach/guide/09_masks", is for teachers."""
    return bool(FOR_TEACHERS.fullmatch(page))


def for_students(contents: dict[str, Any]) -> dict[str, Any]:
    """Return the contents of a book without the pages for teachers, and without a part that had no others."""
    kept = dict(contents)
    for name in ("parts", "chapters", "sections"):
        if name in contents:
            entries = [for_students(entry) for entry in contents[name] if not left_out(entry.get("file", ""))]
            kept[name] = [entry for entry in entries if entry.get("chapters", True)]
    return {name: value for name, value in kept.items() if name != "sections" or value}


def write_contents(root: Path, target: Path) -> Path:
    """Write the contents of the students' book of a checkout to a file, and return where it is."""
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(yaml.safe_dump(for_students(contents), allow_unicode=True, sort_keys=False), encoding="utf-8")
    return target


def unlinked(text: str, page: str) -> str:
    """Return the source of a page in which a link to a page for teachers is only its words."""

    def words(found: re.Match) -> str:
        target = normpath(join(dirname(page), found[2])).rpartition(".")[0]
        return found[1] if left_out(target) else found[0]

    return LINK.sub(words, text)


def unlink(app, docname: str, source: list[str]) -> None:
    """Take the links to pages for teachers out of a page that is about to be read."""
    source[0] = unlinked(source[0], docname)


def forget(app) -> list:
    """Take out of the index of the search the words that only pages for teachers had in an earlier build."""
    if (indexer := app.builder.indexer) is not None:
        indexer.prune(app.env.found_docs)
        for mapping in (indexer._mapping, indexer._title_mapping):
            for word in [word for word, pages in mapping.items() if not pages]:
                del mapping[word]
    return []


def remove(app, exception) -> None:
    """Remove what an earlier build wrote of the pages for teachers, and links to them from the sources of others."""
    if exception is not None:
        return
    out, sources = Path(app.outdir), Path(app.outdir) / "_sources"
    for path in [path for path in out.rglob("*") if path.suffix in (".html", ".txt", ".md", ".ipynb")]:
        file = path.relative_to(sources if path.is_relative_to(sources) else out)
        page = file.with_name(file.name.partition(".")[0]).as_posix()
        if left_out(page):
            path.unlink()
        elif path.is_relative_to(sources):
            path.write_text(unlinked(path.read_text(encoding="utf-8"), page), encoding="utf-8")


def setup(app) -> dict[str, bool]:
    """Register the extension, which does nothing in a book for everybody."""
    if audience() == STUDENTS:
        app.connect("source-read", unlink)
        app.connect("html-collect-pages", forget)
        app.connect("build-finished", remove, priority=100)  # before the texts of the search are gathered
    return {"parallel_read_safe": True, "parallel_write_safe": True}
