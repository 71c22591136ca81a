"""Write into book/ledger.yml which test checks which entry, read from the tests' names.

A test in tests/ledger is named after the entries it checks, dots as underscores, then says the fact:
`test_mh_2_5b_2_5i_the_displayed_copies_are_not_symmetric`, `test_gc_02_to_05_four_ways_to_write_one_prediction`. An
entry without a test is marked as planned, unless it says why nothing is computed.

Run `python tools/ledger.py`; it prints the tests that name no entry and fails if there are any.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_ext")]
from ledger_names import read_name  # noqa: E402, where the extensions of the book are

from regattn._files import write_whole  # noqa: E402

LEDGER = ROOT / "book" / "ledger.yml"
HEADER = """\
# Every numbered equation, worked example, proposition and checkable statement of the five sources, in our words.
# reference/ledger.md and reference/errata.md are made from this file. The lines `tests` and `planned` are written by
# tools/ledger.py from the names of the tests in tests/ledger.
"""


def test_names() -> dict[str, str]:
    """Return the node id of every test in tests/ledger that is named after a source, with its name."""
    found = {}
    for path in sorted((ROOT / "tests" / "ledger").glob("test_??_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found[f"{path.relative_to(ROOT).as_posix()}::{node.name}"] = node.name
    return found


def fill(ledger: dict, names: dict[str, str]) -> list[str]:
    """Put the tests into the entries of a ledger and return the tests that name no entry."""
    ids = [entry["id"] for entry in ledger["entries"]]
    tests: dict[str, list[str]] = {entry: [] for entry in ids}
    orphans = []
    for node, name in names.items():
        named, _ = read_name(name, ids)
        orphans += [] if named else [node]
        for entry in named:
            tests[entry].append(node)
    for entry in ledger["entries"]:
        entry.pop("planned", None)
        entry.pop("tests", None)
        if tests[entry["id"]]:
            entry["tests"] = tests[entry["id"]]
            entry.pop("not_computed", None)
        elif "not_computed" not in entry:
            entry["planned"] = True
    return orphans


def dump(ledger: dict) -> str:
    """Return the ledger as text."""
    return HEADER + yaml.safe_dump(ledger, sort_keys=False, allow_unicode=True, width=116)


def main() -> int:
    """Rewrite the ledger."""
    ledger = yaml.safe_load(LEDGER.read_text(encoding="utf-8"))
    orphans = fill(ledger, test_names())
    write_whole(LEDGER, dump(ledger))
    planned = sum("planned" in entry for entry in ledger["entries"])
    print(f"{len(ledger['entries'])} entries, {planned} planned")
    for node in orphans:
        print(f"names no entry: {node}")
    return int(bool(orphans))


if __name__ == "__main__":
    sys.exit(main())
