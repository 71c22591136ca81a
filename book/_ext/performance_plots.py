"""The plots of the page of benchmarks: plain HTML, so that names and numbers stay readable on a phone."""

from __future__ import annotations

import html
import re

import performance_words as words
from performance_numbers import Axis, linear_axis, log_axis
from performance_words import Row, anchor, text

KINDS = {"faster": "faster than ours", "level": "level with ours", "slower": "slower than ours"}


def plots(case: dict) -> list[str]:
    """Return the plots of a case: the ratios, the digits, or, where there is no ratio, times and memory."""
    rows, found = case["rows"], []
    if words.peers(case):
        with_ratio = [row for row in rows if row.get("ratio") is not None]
        axis = log_axis([end for row in with_ratio for end in words.quartiles(row)])
        told = "the bar spans the quartiles; left of ours is faster"
        found.append(plot(case, "ratio", with_ratio, axis, f"Times as long as ours, logarithmic; {told}"))
    elif len(rows) > 2 and all("seconds" in row for row in rows):
        found.append(plot(case, "seconds", rows, linear_axis([row["seconds"] for row in rows]), "Time"))
    for field in words.judged(case):
        known = [row for row in rows if row.get(field) is not None]
        if len(known) > 1 and (words.measure_of(field) is words.DIGITS or not words.peers(case)):
            axis = linear_axis([end for row in known for end in words.quartiles(row, field)])
            more = {1: "more", -1: "less"}[words.measure_of(field).better]
            found.append(plot(case, field, known, axis, f"{text(field[0].upper() + field[1:])}; {more} is better"))
    return found


def overview(results: dict[str, dict]) -> str:
    """Return one picture and a line for each benchmark: the library that comes nearest to ours."""
    rows, lines = [], []
    for name, result in results.items():
        found = words.nearest(result)
        if found is None:
            continue
        place, row = found
        rows.append({**row, "contender": result["question"]})
        lines.append(
            f'<li data-benchmark-line="{name}"><a href="#{anchor(name, place)}">{text(result["question"])}</a>: '
            f"{words.who(row)} takes {words.number(row['ratio'])} times as long as ours "
            f"({text(result['cases'][place]['case'])}).</li>"
        )
    if not rows:
        return '<p class="bench-overview">There is no library to compare with.</p>'
    axis = log_axis([end for row in rows for end in words.quartiles(row)])
    told = "Times as long as ours, logarithmic, of the library nearest to ours; left of ours is faster"
    picture = plot({"case": "the nearest libraries", "rows": rows}, "ratio", rows, axis, told)
    return f'<div class="bench bench-overview">{picture}<ul>{"".join(lines)}</ul></div>'


def kind_of(case: dict, field: str, row: Row) -> str:
    """Return the role of a row in a plot: "ours", "faster", "level" or "slower" (better, level or worse)."""
    if row["ours"]:
        return "ours"
    if words.measure_of(field) is None:  # "ratio", "times one pass"
        return words.relation(row, field)
    return "faster" if row in words.better(case, field) else "slower"


def plot(case: dict, field: str, rows: list[Row], axis: Axis, told: str) -> str:
    """Return a plot with a line for each row: a dot at the value, a bar from quartile to quartile, a stem to it."""
    lines = "".join(plot_line(row, field, axis, kind_of(case, field, row)) for row in rows)
    ticks = "".join(
        f'<span class="bench-tick" style="left:{axis.position(tick):.2f}%">{tick_text(field, tick)}</span>'
        for tick in axis.ticks
    )
    return (
        f'<figure class="bench-figure"><div class="bench-plot" role="img" data-field="{html.escape(field)}" '
        f'aria-label="{html.escape(alternative(case, field, rows))}">{lines}'
        f'<div class="bench-line bench-axis"><span></span><span class="bench-track">{ticks}</span><span></span></div>'
        f"</div><figcaption>{told}.</figcaption></figure>"
    )


def tick_text(field: str, tick: float) -> str:
    """Return a tick as it is written: no more digits than it has."""
    if tick == 0:
        return "0"
    written = words.shown(field, tick) if field == "seconds" or "bytes" in field else f"{tick:,g}"
    return re.sub(r"\.0+(?= |$)|(?<=\.\d)0+(?= |$)", "", written)


def plot_line(row: Row, field: str, axis: Axis, kind: str) -> str:
    """Return one line of a plot."""
    value, start = row[field], 1.0 if field == "ratio" else 0.0
    low, high = words.quartiles(row, field)
    left, right = sorted((axis.position(start), axis.position(value)))
    grid = "".join(
        f'<span class="bench-grid{" bench-one" * (tick == start)}" style="left:{axis.position(tick):.2f}%"></span>'
        for tick in axis.ticks
    )
    bar = f"left:{axis.position(low):.2f}%;width:{axis.position(high) - axis.position(low):.2f}%"
    return (
        f'<div class="bench-line bench-{kind}"><span class="bench-name">{text(row["contender"])}</span>'
        f'<span class="bench-track">{grid}<span class="bench-stem" style="left:{left:.2f}%;width:{right - left:.2f}%">'
        f'</span><span class="bench-bar" style="{bar}"></span>'
        f'<span class="bench-dot" style="left:{axis.position(value):.2f}%"></span></span>'
        f'<span class="bench-value">{words.cell(field, value)}</span></div>'
    )


def alternative(case: dict, field: str, rows: list[Row]) -> str:
    """Return what a plot shows, in words, for those who do not see it."""

    def told(row: Row) -> str:
        about = [] if row["ours"] or field != "ratio" else [KINDS[words.relation(row)]]
        if f"{field}_low" in row and not (row is words.reference(case) and field == "ratio"):
            about.append("quartiles " + " to ".join(words.shown(field, end) for end in words.quartiles(row, field)))
        return f"{row['contender']} {words.shown(field, row[field])}" + (f" ({', '.join(about)})" if about else "")

    what = {"ratio": "times as long as ours on a logarithmic axis", "seconds": "times"}.get(field, field)
    return f"Dots for {case['case']}, {what}: {'; '.join(told(row) for row in rows)}."
