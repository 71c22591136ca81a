"""Pytest plugin: how many tests passed, which ran again, how long files and tests took; written to REGATTN_CHECKS."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

SPENT: Counter[str] = Counter()  # seconds by file, set-up and taking down included
TESTS: Counter[str] = Counter()  # and by test
MOST = 100  # of them, the longest, are written
OUTCOMES: Counter[str] = Counter()
RERUNS: Counter[str] = Counter()  # how often each test failed and was run again


def pytest_runtest_logreport(report) -> None:
    """Count a phase of a test."""
    SPENT[report.nodeid.partition("::")[0]] += report.duration
    TESTS[report.nodeid] += report.duration
    if report.failed:
        OUTCOMES["failed" if report.when == "call" else "errors"] += 1
    elif report.skipped:
        OUTCOMES["skipped"] += 1
    elif report.outcome == "rerun":
        RERUNS[report.nodeid] += 1
    elif report.when == "call":
        OUTCOMES["passed"] += 1


def pytest_collectreport(report) -> None:
    """Count a file that could not be read."""
    OUTCOMES["errors"] += report.failed


def pytest_sessionfinish(session) -> None:
    """Write the counts; in a worker there is nothing to write, because the process that leads it sees all reports."""
    folder = os.environ.get("REGATTN_CHECKS")
    if folder and not hasattr(session.config, "workerinput"):
        longest = dict(TESTS.most_common(MOST))
        told = {"files": dict(SPENT), "tests": longest, "outcomes": dict(OUTCOMES), "reruns": dict(RERUNS)}
        (Path(folder) / f"{os.getpid()}.json").write_text(json.dumps(told), encoding="utf-8")
