"""Sphinx extension: on the page for teachers what a release carries is a link to it, when the repository is known.

The names of the table *What comes with the book* lead to the files of the newest release of the repository that
:mod:`launch` finds. Without one they are words, rather than dead links.
"""

from __future__ import annotations

import os
from pathlib import Path

from launch import git_remote, repository

PAGE = "book/reference/teaching"
FILES = {
    "site on a stick": "regattn-book.zip",
    "slides": "regattn-slides.zip",
    "hand-out": "regattn-book.pdf",
    "assignments": "regattn-assignments.zip",
    "votes and quizzes": "regattn-votes.zip",
}


def linked(text: str, name: str) -> str:
    """Return the source of the page with links to the files of the newest release of a repository, `owner/name`."""
    for what, file in FILES.items():
        address = f"https://github.com/{name}/releases/latest/download/{file}"
        text = text.replace(f"\n| {what} |", f"\n| [{what}]({address}) |")
    return text


def link(app, docname: str, source: list[str]) -> None:
    """Link what a release carries on the page for teachers."""
    name = repository(os.environ, git_remote(Path(app.srcdir))) if docname == PAGE else None
    if name is not None:
        source[0] = linked(source[0], name)


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("source-read", link)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
