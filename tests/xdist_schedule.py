"""How tests are spread over processes: in stretches, those that need the built book after those that do not.

The book is built by the process that needs it first, and the others go on with what needs no book meanwhile. Tests of
one file stay together, because they share what they set up; of the files in `APART`, those of one page do, which is
opened and parsed once for them all, or those of one notebook.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from xdist.scheduler.loadscope import LoadScopeScheduling

from tests.built import label, notebooks, toc_pages

PAGES = (
    "tests/test_pages.py",
    "tests/test_page_bars.py",
    "tests/test_loading.py",
    "tests/test_book.py",
    "tests/test_site.py",
    "tests/test_formulas.py",
    "tests/test_markdown.py",
    "tests/test_folding.py",
    "tests/test_predictions.py",
)
APART = {**dict.fromkeys(PAGES, "pages"), "tests/test_notebooks.py": "notebooks"}
FIRST = "tests/test_clean_machine.py"


@cache
def labels() -> frozenset[str]:
    """Return the names that a page or a notebook has in the name of a test."""
    return frozenset(label(page) for page in [*toc_pages(), *notebooks()])


def place(nodeid: str) -> str:
    """Return the file of a test or, if it is one of those apart, the page or notebook in its name."""
    file, _, name = nodeid.partition("::")
    found = re.search(r"\[(.*)\]$", name) if file in APART else None
    if not found:
        return file
    name = "-".join(part for part in found[1].split("-") if not part.isdigit())  # not the width of a screen
    return f"{APART[file]} {name}" if name in labels() else file


def page_of(nodeid: str) -> str:
    """Return the page that a test looks at, if it is one of those that share an opened page; "" otherwise."""
    found = place(nodeid)
    return found if found.startswith("pages ") else ""


def stretches(nodeids: Iterable[str]) -> dict[str, str]:
    """Return for each test the stretch it belongs to: tests of one place that follow each other."""
    found: dict[str, str] = {}
    number, last = 0, None
    for nodeid in nodeids:
        here = place(nodeid)
        number += here != last
        last = here
        found[nodeid] = f"{number:05d} {here}"
    return found


def phase(nodeid: str, *, needs_book: bool, shared: bool) -> int:
    """Return when a test has its turn; with several processes, one of them begins to build at once."""
    if not needs_book:
        return 1
    return 0 if shared and nodeid.startswith(FIRST) else 2


class Stretches(LoadScopeScheduling):
    """Hands out stretch after stretch, in order, to whichever process is free."""

    def __init__(self, config, log=None):
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self._stretches: dict[str, str] = {}

    def _split_scope(self, nodeid: str) -> str:
        if not self._stretches:
            self._stretches = stretches(next(iter(self.registered_collections.values())))
        return self._stretches[nodeid]
