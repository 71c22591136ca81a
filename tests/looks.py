"""Which tests in a browser wait for the weekly check: most of those of a page or an explorer that nobody has touched.

A page is its source; it shares with others what makes pages and what its notebook calls of the package. An explorer is
its folder and its oracle; it shares the kit. Where something of its own differs from main, all its tests run; where
only what it shares does, those of one page or explorer in five, others after every commit; otherwise none but the
tests in `EVERY_DAY`. Once a week all run.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import pytest

from tests.built import ROOT, source, toc_pages
from tests.changes import differing, git, package

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from dependencies import code_of

EVERY_DAY = (
    "test_page_asks_nothing_of_the_network_logs_no_error_and_sets_its_equations",
    "test_every_control_of_every_explorer_changes_what_is_shown_and_the_numbers_are_the_packages",
)
MAKE_PAGES = ("_config.yml", "_toc.yml", "requirements.txt", "book/_ext/", "book/_static/", "book/reference/terms.yml")
HELP_LOOKING = ("tests/browser.py", "tests/pages.py", "tests/ui_actions.py", "tests/widgets/harness.py")
ONE_IN = 5


class Sight(NamedTuple):
    """What a test looks at: its name, the paths that are its own, and those that it shares with others."""

    name: str
    own: tuple[str, ...]
    shared: tuple[str, ...]


def in_repository(path: Path) -> str:
    """Return a path as git has it."""
    return path.relative_to(ROOT).as_posix()


@cache
def of_file(path: Path) -> tuple[str, ...]:
    """Return what the outcome of a file of tests depends on: the pins, itself, and all of ours that it imports."""
    code = path.read_text(encoding="utf-8")
    helpers = package("tests").files(code) | package("tools").files(code)
    read = [code, *(helper.read_text(encoding="utf-8") for helper in helpers if helper.suffix == ".py")]
    called = set().union(*map(package().files, read))
    return (in_repository(path), "requirements", *map(in_repository, {*helpers, *called}))


@cache
def of_page(page: str) -> Sight:
    """Return what a page is made of."""
    path = source(page)
    called = package().files(code_of(path)) if path.suffix == ".ipynb" else ()
    return Sight(page, (in_repository(path),), (*MAKE_PAGES, *map(in_repository, called)))


@cache
def of_explorer(name: str) -> Sight:
    """Return what an explorer is made of."""
    own = (f"regattn/widgets/{name}/", f"tests/explorers/{name}.py", f"tests/widgets/test_{name}.py")
    called = package().files(f"import regattn.widgets.{name}")
    return Sight(name, own, ("requirements.txt", *map(in_repository, called)))


@cache
def pages() -> frozenset[str]:
    """Return the names of pages."""
    return frozenset(toc_pages())


@cache
def explorers() -> frozenset[str]:
    """Return the names of explorers: those that have an oracle."""
    return frozenset(path.stem for path in (ROOT / "tests" / "explorers").glob("[!_]*.py"))


def of_test(item: pytest.Item) -> Sight | None:
    """Return what a test in the browser looks at, if it is one page or explorer."""
    given = getattr(item, "callspec", None)
    named = {str(value) for value in given.params.values()} if given else set()
    if found := named & pages():
        return of_page(min(found))
    if item.path.parent.name not in ("widgets", "bad_inputs"):
        return None
    found = (named | {item.path.stem.removeprefix("test_")}) & explorers()
    return of_explorer(min(found)) if found else None


@cache
def untouched(sight: Sight, file: str) -> str:
    """Return why a test in a file does not look today; "" if it does."""
    since, paths = differing()
    if since is None or any(path.startswith((*sight.own, file)) for path in paths):
        return ""
    if any(path.startswith((*sight.shared, *HELP_LOOKING)) for path in paths):
        commit = (git("rev-parse", "HEAD") or [""])[0]
        if crc32(f"{commit} {sight.name}".encode()) % ONE_IN == 0:
            return ""
        return f"{sight.name} differs from {since.name} in what it shares: one in {ONE_IN} is looked at"
    return f"nothing of {sight.name} differs from {since.name}; the weekly check looks at it"


def left_for_later(item: pytest.Item) -> str:
    """Return why a test in the browser is not run today; "" if it is."""
    if not item.get_closest_marker("browser") or item.name.partition("[")[0] in EVERY_DAY:
        return ""
    sight = of_test(item)
    return untouched(sight, in_repository(item.path)) if sight else ""
