"""Run every check to the end, say how each part went, and list what took longest and what was run again.

The parts are targets of the Makefile, so that each can be run alone. The last line counts the tests of all parts; the
exit status is 1 when a part failed.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

PARTS = {
    "lint": "style and format",
    "notebooks": "every notebook from top to bottom",
    "suite": "the package, the book, its pages, JupyterLab, the teaching kit",
}
SLOWEST = 40


def run(part: str, make: list[str], folder: Path) -> tuple[bool, float]:
    """Run a part, its output passed on, and return whether it went well and how many seconds it took."""
    print(f"\n=== {part}: {PARTS[part]} ===", flush=True)
    start = time.monotonic()
    environment = {**os.environ, "REGATTN_CHECKS": str(folder)}
    done = subprocess.run([*make, "--no-print-directory", part], env=environment, check=False)
    seconds = time.monotonic() - start
    print(f"=== {part} {'failed' if done.returncode else 'passed'} in {clock(seconds)} ===", flush=True)
    return done.returncode == 0, seconds


def clock(seconds: float) -> str:
    """Return a time as minutes and seconds."""
    return f"{seconds // 60:.0f}:{seconds % 60:02.0f}"


class Told(NamedTuple):
    """What all parts told: seconds by file and test, tests by outcome, and how often each test was run again."""

    files: Counter[str]
    tests: Counter[str]
    outcomes: Counter[str]
    reruns: Counter[str]


def told(folder: Path) -> Told:
    """Return what the parts wrote, taken together."""
    found = Told(*(Counter() for _ in Told._fields))
    for path in folder.glob("*.json"):
        part = json.loads(path.read_text(encoding="utf-8"))
        for name, counts in found._asdict().items():
            counts.update(part[name])
    return found


def summary(results: dict[str, tuple[bool, float]], tests: Told) -> list[str]:
    """Return the lines at the end: the slowest parts and files, tests run again, the parts and the number of tests."""
    lines = ["", "=== the slowest parts, and files of tests (their time in all processes) ==="]
    spent = Counter({f"make {part}": seconds for part, (_, seconds) in results.items()}) + tests.files
    lines += [f"{clock(seconds):>7}  {name}" for name, seconds in spent.most_common(SLOWEST)]
    lines += ["=== the slowest tests ==="]
    lines += [f"{clock(seconds):>7}  {name}" for name, seconds in tests.tests.most_common(SLOWEST)]
    if tests.reruns:
        lines += ["=== run again because they failed in the browser; look into those that come back ==="]
        lines += [f"{times:>7}  {name}" for name, times in sorted(tests.reruns.items())]
    bad = [part for part, (well, _) in results.items() if not well]
    total = clock(sum(seconds for _, seconds in results.values()))
    lines.append(f"=== {'failed: ' + ', '.join(bad) if bad else 'every part passed'}, in {total} ===")
    failed = tests.outcomes["failed"] + tests.outcomes["errors"]
    return [*lines, f"{tests.outcomes['passed']} passed, {failed} failed, {tests.outcomes['skipped']} skipped"]


def main(make: list[str]) -> int:
    """Run the parts one after the other, print what they say, and return the exit status."""
    with TemporaryDirectory() as folder:
        results = {part: run(part, make, Path(folder)) for part in PARTS}
        print("\n".join(summary(results, told(Path(folder)))), flush=True)
    return 0 if all(well for well, _ in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main(shlex.split(" ".join(sys.argv[1:])) or ["make"]))
