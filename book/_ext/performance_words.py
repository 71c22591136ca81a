"""What the page of benchmarks says of a result: who is faster, who is better, and where we lose.

Pure functions of what benchmarks/measure.py writes; performance_pages puts what they return into the page. Every number
that is shown is a ``<span data-value="…">`` with the value as it stands in the JSON.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any

from performance_numbers import beside, duration, significant, size

KNOWN = ("contender", "ours", "seconds", "ratio", "ratio_low", "ratio_high", "runs")

FLOORS = (
    "Q (KᵀV)",
    "QR of X beside y, then SVD of R",
    "QR, then SVD of R",
    "the matrix products alone",
    "numpy, the last product alone",
    "reading the weights once a token",
)
"""Contenders that are no libraries: the part of the work that nobody can avoid, and nothing else."""

BY_HAND = (
    "(Q Kᵀ) V",
    "by hand: fused projection and SDPA",
    "numpy X'X, chunk by chunk",
    "numpy solve, X'X kept",
    "regattn, without",
    "regattn, rows",
)
"""Contenders that are no libraries either: the same work, written down another way for the comparison."""

Row = dict[str, Any]


def figure(value: Any, words: str) -> str:
    """Return a number in a page, with the value as it was measured."""
    return f'<span class="bench-number" data-value="{html.escape(repr(value))}">{html.escape(words)}</span>'


def number(value: float) -> str:
    """Return a number in a page to three digits."""
    return figure(value, significant(value))


def text(words: str) -> str:
    """Return a text of the JSON in a page; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(words))


def anchor(name: str, place: int | None = None) -> str:
    """Return where a benchmark, or a case of it, stands in the page."""
    return f"benchmark-{name}" + ("" if place is None else f"-{place + 1}")


def cell(field: str, value: Any) -> str:
    """Return one field of a row in a page."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return text(value)
    return figure(value, shown(field, value))


def shown(field: str, value: float) -> str:
    """Return a number of a field as it is shown."""
    if field == "seconds":
        return duration(value)
    if "bytes" in field:
        return size(value)
    return f"{value:.1f}" if measure_of(field) is DIGITS else significant(value)


@dataclass(frozen=True)
class Measure:
    """What else than time can be better than ours: the sign of better, and how that is said."""

    better: int
    says: str


DIGITS = Measure(1, "keeps more digits")
MEMORY = Measure(-1, "needs less memory")
FIT = Measure(1, "predicts better")


def measure_of(field: str) -> Measure | None:
    """Return by what measure a field of a row is judged, if by any: "digits", "peak memory MB", "test R²"."""
    if field.startswith("digits"):
        return DIGITS
    if re.search("memory|bytes|MB", field):
        return MEMORY
    return FIT if "R²" in field else None


def extras(case: dict) -> list[str]:
    """Return the fields of a case's rows that not every benchmark has, in the order they appear in, less quartiles."""
    found = list(dict.fromkeys(field for row in case["rows"] for field in row if field not in KNOWN))
    ends = {f"{field}_{end}" for field in found for end in ("low", "high")}
    return [field for field in found if field not in ends]


def judged(case: dict) -> list[str]:
    """Return the fields beside time by which a contender can be better than ours."""
    return [field for field in extras(case) if measure_of(field)]


def reference(case: dict) -> Row | None:
    """Return the row that all are compared with: ours, the first if there are several."""
    return next((row for row in case["rows"] if row["ours"]), None)


def peers(case: dict, field: str = "ratio") -> list[Row]:
    """Return the rows of others in which a field was measured."""
    return [row for row in case["rows"] if not row["ours"] and row.get(field) is not None]


def is_floor(row: Row) -> bool:
    """Return whether a contender is a floor; a size or a number of times may follow its name."""
    return row["contender"].startswith(FLOORS)


def split(case: dict) -> tuple[dict, dict]:
    """Return a case without its floors, and with ours and its floors alone, where no goals are."""
    libraries = {**case, "rows": [row for row in case["rows"] if not is_floor(row)]}
    return libraries, {**case, "rows": [row for row in case["rows"] if row["ours"] or is_floor(row)], "goals": []}


def nearest(result: dict) -> tuple[int, Row] | None:
    """Return the library that comes nearest to ours, or leaves it furthest behind, and the place of the case."""
    rows = [
        (place, row)
        for place, case in enumerate(result["cases"])
        for row in peers(case)
        if not is_floor(row) and not row["contender"].startswith(BY_HAND)
    ]
    return min(rows, key=lambda found: found[1]["ratio"], default=None)


def quartiles(row: Row, field: str = "ratio") -> tuple[float, float]:
    """Return the quartiles of a field; where none were measured, its value twice."""
    return row.get(f"{field}_low", row[field]), row.get(f"{field}_high", row[field])


def relation(row: Row, field: str = "ratio") -> str:
    """Return whether a contender is "faster" or "slower" than ours; "level" when its quartiles hold 1 between them.

    The field says how many times as long as ours it took.
    """
    low, high = quartiles(row, field)
    if high < 1:
        return "faster"
    return "slower" if low > 1 else "level"


def better(case: dict, field: str) -> list[Row]:
    """Return the rows of others that are better than ours in a field, to the digits that are shown."""
    ours, sign = reference(case), measure_of(field).better
    if ours is None or ours.get(field) is None:
        return []
    return [row for row in peers(case, field) if sign * (_shown(field, row[field]) - _shown(field, ours[field])) > 0]


def _shown(field: str, value: float) -> float:
    return round(value, 1) if measure_of(field) is DIGITS else float(f"{value:.3g}")


def in_order(parts: list[str]) -> str:
    """Return parts as "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def who(row: Row) -> str:
    """Return a contender's name in a page."""
    return f"<b>{text(row['contender'])}</b>"


def faster_sentence(rows: list[Row]) -> str:
    """Return who is faster, and in how much of our time."""
    told = [f"{who(row)} in {number(row['ratio'])} of our time" for row in rows]
    return f"Faster here: {in_order(told)}."


def level_sentence(rows: list[Row]) -> str:
    """Return who takes about as long as ours."""

    def told(row: Row) -> str:
        low, high = quartiles(row)
        return f"{who(row)} ({number(row['ratio'])} of our time, quartiles {number(low)} to {number(high)})"

    return f"As fast as ours, within the spread: {in_order([told(row) for row in rows])}."


def slower_sentence(rows: list[Row], *, alone: bool) -> str:
    """Return how much longer the others take."""
    first, last = rows[0], rows[-1]
    if len(rows) == 1:
        return f"{who(first)} takes {number(first['ratio'])} times as long as ours."
    return (
        f"The {'others' if alone else 'rest'} take from {number(first['ratio'])} times ({who(first)}) "
        f"to {number(last['ratio'])} times ({who(last)}) as long as ours."
    )


def measure_sentence(case: dict, field: str) -> str:
    """Return who is better than ours in a field, and what is ours."""
    measure = measure_of(field)
    rows = sorted(better(case, field), key=lambda row: -measure.better * row[field])
    told = in_order([f"{who(row)} ({cell(field, row[field])})" for row in rows])
    verb, rest = measure.says.split(" ", 1)
    says = f"{verb if len(rows) == 1 else verb.removesuffix('s')} {rest}"
    return f"{told} {says}; ours: {cell(field, reference(case)[field])}{told_field(field)}."


def told_field(field: str) -> str:
    """Return the name of a field in brackets, where it says more than the measure."""
    return "" if field == "digits" else f" ({text(field)})"


def best_sentence(case: dict, field: str) -> str:
    """Return that nobody is better than ours in a field."""
    ours = reference(case)
    if ours is None or ours.get(field) is None or not peers(case, field):
        return ""
    return f"None {measure_of(field).says} than ours: {cell(field, ours[field])}{told_field(field)}."


def sentences(case: dict) -> list[str]:
    """Return a case in words: first where we lose, then who is level, then how much longer the others take."""
    rows = sorted(peers(case), key=lambda row: row["ratio"])
    kinds = {kind: [row for row in rows if relation(row) == kind] for kind in ("faster", "level", "slower")}
    said = []
    if kinds["faster"]:
        said.append(faster_sentence(kinds["faster"]))
    if kinds["level"]:
        said.append(level_sentence(kinds["level"]))
    if kinds["slower"]:
        said.append(slower_sentence(kinds["slower"], alone=len(kinds["slower"]) == len(rows)))
    for field in judged(case):
        said.append(measure_sentence(case, field) if better(case, field) else best_sentence(case, field))
    return [sentence for sentence in said if sentence]


def bound(goal: dict) -> float:
    """Return the bound of a goal."""
    return goal["most"] if goal["least"] is None else goal["least"]


def wanted(goal: dict) -> str:
    """Return the bound of a goal, in a page."""
    factor, unit = unit_of(goal)
    most = bound(goal) / factor
    told = figure(bound(goal), (f"{most:,g}" if most >= 1e-4 or most == 0 else significant(most, 1)) + unit)
    return f"{'at most' if goal['least'] is None else 'at least'} {told}"


def measured(goal: dict) -> str:
    """Return what was measured for a goal, in a page."""
    factor, unit = unit_of(goal)
    return figure(goal["measured"], beside(goal["measured"] / factor, bound(goal) / factor) + unit)


def unit_of(goal: dict) -> tuple[float, str]:
    """Return the unit of a goal: a goal that speaks of MB and counts in bytes is told in MB."""
    return (1e6, " MB") if " MB" in goal["goal"] and bound(goal) >= 1e6 else (1, "")


def losses(case: dict) -> list[tuple[str, str]]:
    """Return where we lose in a case: the kind of loss and a sentence for each.

    A contender whose median ratio is below 1 is listed even when its quartiles reach past 1; the sentence says so.
    """
    rows = sorted((row for row in peers(case) if row["ratio"] < 1), key=lambda row: row["ratio"])
    found = [("level", level_sentence([row])) for row in rows if relation(row) == "level"]
    found = [("faster", faster_sentence([row])) for row in rows if relation(row) == "faster"] + found
    found += [(field, measure_sentence(case, field)) for field in judged(case) if better(case, field)]
    missed = [goal for goal in case.get("goals", []) if not goal["met"]]
    return found + [("goal", f"Goal missed: {text(goal['goal'])}, measured {measured(goal)}.") for goal in missed]
