"""What has changed since main, and which tests `make quick` runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.built import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from dependencies import Package

A_WHILE = 3 * 3600  # seconds
MOST_NAMED = 8  # paths, in a reason
CORE = ["tests/test_attention.py", "tests/test_from_scratch.py", "tests/test_data.py", "tests/ledger/test_ledger.py"]


def git(*command: str) -> list[str] | None:
    """Return the parts of what git says, which stand between zeros or lines; None when it fails or is not there."""
    try:
        done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return [part for part in done.stdout.replace("\n", "\0").split("\0") if part] if done.returncode == 0 else None


class Base(NamedTuple):
    """A commit that changes are counted from, and how to name it to a reader."""

    commit: str
    name: str


def base(*, behind: bool = False) -> Base | None:
    """Return what changes are counted from: REGATTN_BASE, or where this branch left main; None when nobody knows.

    On main itself that is where one stands; with `behind` it is then what stood there three hours before: what
    is pushed together was written in hours, and nobody knows how many commits that was.
    """
    named = os.environ.get("REGATTN_BASE")
    if named:
        found = git("merge-base", "HEAD", named)
        if not found:
            raise ValueError(f"REGATTN_BASE names {named!r}, which is no commit of this repository")
        return Base(found[0], named)
    head = git("rev-parse", "HEAD")
    if not head:
        return None
    for main in ("origin/main", "main"):
        found = git("merge-base", "HEAD", main)
        if found and not (behind and found == head):
            return Base(found[0], main)
        if found:
            break
    committed = git("log", "-1", "--format=%ct") if behind else None
    before = git("rev-list", "-1", f"--before={int(committed[0]) - A_WHILE}", "HEAD") if committed else None
    return Base(before[0], "three hours before") if before else None


def changed(since: Base) -> set[str]:
    """Return the paths that differ from a commit, changes not committed yet and new files included."""
    tracked = git("diff", "--name-only", "--no-renames", "-z", since.commit) or []
    return {*tracked, *(git("ls-files", "--others", "--exclude-standard", "-z") or [])}


@cache
def package(name: str = "regattn") -> Package:
    """Return the files of the package, or of another folder of modules, and how they hang together."""
    return Package(ROOT, name)


@cache
def named_in(path: Path) -> set[str]:
    """Return the modules of the package that a file of tests imports by name."""
    return package().named(path.read_text(encoding="utf-8"))


@cache
def differing() -> tuple[Base | None, frozenset[str]]:
    """Return a base and the paths that differ from it; no base where all is tested, or nobody knows one."""
    since = None if os.environ.get("REGATTN_NOTEBOOKS") == "all" else base(behind=True)
    return since, frozenset() if since is None else frozenset(changed(since))


@cache
def left_for_the_week(*paths: str) -> str:
    """Return why what concerns these paths is not tested today; "" if it is: once a week, and after a change."""
    since, paths_changed = differing()
    if since is None or any(path.startswith(paths) for path in paths_changed):
        return ""
    said = ", ".join(paths) if len(paths) <= MOST_NAMED else f"{paths[0]} or what else it depends on"
    return f"nothing below {said} differs from {since.name}; the weekly check runs it"


def ledger_tests(paths: set[str]) -> list[str]:
    """Return the files of tests in the ledger that import a module of these paths by name."""
    modules = {name for name, file in package().modules.items() if file.relative_to(ROOT).as_posix() in paths}
    return [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests" / "ledger").glob("test_*.py"))
        if modules & named_in(path)
    ]


def tests_beside(path: str) -> list[str]:
    """Return the files of tests that stand where a changed file has its tests; a file of tests is its own."""
    file = Path(path)
    if file.parts[0] == "tests":
        return [path] if file.name.startswith("test_") and (ROOT / file).exists() else []
    if file.suffix == ".py" and file.parts[:-1] in (("tools",), ("book", "_ext")):
        named = {f"tests/test_{name}.py" for name in (file.stem, file.stem.partition("_")[0])}
        return [name for name in named if (ROOT / name).exists()]
    if file.parts[0] != "regattn" or file.suffix not in (".py", ".pyi"):
        return []
    inside = Path("tests", *file.parts[1:-1])
    own = inside / f"test_{file.stem.strip('_')}.py"
    if (ROOT / own).exists():
        return [own.as_posix()]
    room = sorted((ROOT / inside).glob("test_*.py")) if len(file.parts) > 2 else []
    found = [other.relative_to(ROOT).as_posix() for other in room]
    whole = f"tests/test_{inside.name}.py"  # a room whose tests stand in one file
    return found or ([whole] if (ROOT / whole).exists() else CORE)


def quick_tests() -> tuple[list[str], str]:
    """Return the files of tests for what has changed since main, nearest first, and a sentence that says which."""
    since = base()
    paths = set() if since is None else changed(since)
    own = {test for path in paths for test in tests_beside(path)}
    examples = {path for path in paths if re.fullmatch(r"regattn/.*\.py", path) and (ROOT / path).exists()}
    found = list(dict.fromkeys([*sorted(own), *ledger_tests(paths), *sorted(examples)]))
    if not found:
        return CORE, "No module and no test differs from main: a small core of tests."
    return found, f"What differs from {since.name} has these tests, with those of the ledger that import it:"
