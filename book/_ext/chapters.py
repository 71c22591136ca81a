"""The chapters of the book: the contents say their order, and of all names only those of files carry their numbers.

A chapter is a notebook ``book/part…/03_ols_proximity.ipynb``; its solutions and its page for teachers have the same
name. What belongs to it elsewhere goes by the name without the number: ``ols_proximity``.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parents[2]
PAGE = re.compile(r"(book/part[^/]+|book/solutions|teach/guide)/(\d\d)_(\w+)")


class Chapter(NamedTuple):
    """A chapter: its number, its name without the number, and its page as in the table of contents."""

    number: int
    slug: str
    page: str

    @property
    def name(self) -> str:
        """The name of its files, such as "03_ols_proximity"."""
        return self.page.rpartition("/")[2]

    def title(self, root: Path = ROOT) -> str:
        """Return the title of its notebook, which has no number."""
        cells = json.loads((root / f"{self.page}.ipynb").read_text(encoding="utf-8"))["cells"]
        return re.search(r"^# (.+)$", "".join(cells[0]["source"]), re.MULTILINE)[1]


def chapter_of(page: str) -> Chapter | None:
    """Return the chapter to which a page of the contents belongs: it, its solutions, or its page for teachers."""
    found = PAGE.fullmatch(page)
    return Chapter(int(found[2]), found[3], page) if found else None


def chapters(root: Path = ROOT) -> list[Chapter]:
    """Return the chapters in the order of the contents below a root."""
    return list(_read((root / "_toc.yml").read_text(encoding="utf-8")))


@lru_cache(maxsize=2)  # the ledger asks some hundred times in one build
def _read(contents: str) -> tuple[Chapter, ...]:
    pages = [entry["file"] for part in yaml.safe_load(contents)["parts"] for entry in part["chapters"]]
    return tuple(chapter for page in pages if page.startswith("book/part") and (chapter := chapter_of(page)))
