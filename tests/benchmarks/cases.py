"""What every benchmark hands over: cases with a row for each contender and goals that follow from their numbers."""

import json
import math
import re
from pathlib import Path

from tests.built import ROOT


def concerns(tests):
    """Return what the tests of a file depend on: the scripts that they name, how these measure, and the tests."""
    named = {"measure", *re.findall(r'"(\w+)"', Path(tests).read_text(encoding="utf-8"))}
    scripts = (path for path in sorted((ROOT / "benchmarks").glob("*.py")) if path.stem in named)
    return (*(f"benchmarks/{path.name}" for path in scripts), "tests/benchmarks/")


def check_cases(cases):
    """Raise unless the cases can be written, each has ours and a peer, and each goal is met if its number says so."""
    assert cases
    assert len({case["case"] for case in cases}) == len(cases)
    json.dumps(cases, allow_nan=False)
    for case in cases:
        names = [row["contender"] for row in case["rows"]]
        assert len(set(names)) == len(names) >= 2
        assert {row["ours"] for row in case["rows"]} == {True, False}
        for row in case["rows"]:
            assert all(value >= 0 for value in row.values() if isinstance(value, int | float))
        for aim in case["goals"]:
            check_goal(aim)


def check_goal(aim):
    """Raise unless a goal has one bound, a finite measure, and is met exactly when the measure is within the bound."""
    assert math.isfinite(aim["measured"])
    assert (aim["least"] is None) != (aim["most"] is None)
    within = aim["measured"] >= aim["least"] if aim["most"] is None else aim["measured"] <= aim["most"]
    assert aim["met"] is within
    bound = aim["least"] if aim["most"] is None else aim["most"]
    assert any(f"{bound / unit:g}" in aim["goal"] for unit in (1, 1e6)), f"{aim['goal']!r} does not say {bound:g}"


def rows_of(case):
    """Return the rows of a case by the names of the contenders."""
    return {row["contender"]: row for row in case["rows"]}
