"""Sphinx extension: the pages of benchmarks, made from the JSON that the scripts in benchmarks/ write.

- ``{benchmark-overview}`` is the page in one picture and a line for each benchmark: the nearest library.
- ``{benchmark} ridge_path`` shows benchmarks/results/ridge_path.json: tables, plots, goals, and who is faster in words.
- ``{benchmark-summary}`` is the table of all goals, folded, ``{benchmark-losses}`` the list of where we lose, to
  libraries first and then to floors.
- ``{benchmark-machine}`` says what it was measured on.

All but the second look at every benchmark that their page shows, in its order. A benchmark without results is a
warning, and so fails a build that takes warnings for errors; one with the option ``needs``, which names what few
machines have, is then said not to be measured here.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.addnodes import download_reference
from sphinx.util.docutils import SphinxDirective

import performance_words as words
from performance_plots import overview, plots
from performance_words import Row, anchor, text

PAGES = ("book/reference/performance", "book/reference/scaling")
SHOWN = re.compile(r"^`{3,}\{benchmark\} +(\w+)", re.MULTILINE)


def scrolling(label: str, table: str) -> str:
    """Return a table that scrolls by itself where the screen is narrow."""
    return (
        '<div class="pst-scrollable-table-container" tabindex="0" role="region" '
        f'aria-label="{html.escape(label)}">{table}</div>'
    )


def table(label: str, heads: list[str], rows: list[list[str]], *, classes: str) -> str:
    """Return a table; the first cell of a row is its head."""
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    caption = f'<caption class="visually-hidden">{html.escape(label)}</caption>'
    return scrolling(
        label, f'<table class="table {classes}">{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
    )


def columns(case: dict) -> dict[str, str]:
    """Return the fields of a case's rows that are shown, with their heads."""
    found = {}
    if any("seconds" in row for row in case["rows"]):
        found["seconds"] = "median time" if any(row.get("runs", 1) > 1 for row in case["rows"]) else "time"
    shown = (["ratio"] if words.peers(case) else []) + words.extras(case)
    for field in shown:
        found[field] = "times as long as ours" if field == "ratio" else text(field)
        if any(f"{field}_low" in row for row in case["rows"]):
            found[f"quartiles of {field}"] = "quartiles"
    return found


def row_cells(row: Row, fields: dict[str, str], *, reference: bool) -> list[str]:
    """Return the cells of a row; ``reference`` says that all are compared with it."""
    mark = ' <span class="bench-mark">ours</span>' if row["ours"] else ""
    cells = [text(row["contender"]) + mark]
    for field in fields:
        name = field.removeprefix("quartiles of ")
        if name == field:
            cells.append(words.cell(field, row.get(field)))
        else:
            constant = reference and name == "ratio"  # ours beside ours
            known = f"{name}_low" in row and not constant
            cells.append(" to ".join(words.cell(name, end) for end in words.quartiles(row, name)) if known else "–")
    return cells


def case_table(case: dict) -> str:
    """Return the table of a case."""
    fields = columns(case)
    one = all(row["ours"] for row in case["rows"])
    rows = [row_cells(row, fields, reference=row is words.reference(case)) for row in case["rows"]]
    if one:
        rows = [[text(row["contender"]), *cells[1:]] for row, cells in zip(case["rows"], rows, strict=True)]
    return table(case["case"], ["name" if one else "contender", *fields.values()], rows, classes="bench-table")


def runs(case: dict) -> str:
    """Return how often each contender ran."""
    counts = sorted({row["runs"] for row in case["rows"] if "runs" in row})
    if not counts:
        return ""
    times = words.in_order([words.number(count) for count in counts])
    return f"Each ran {times} time{'' if counts == [1] else 's'}."


def goals_met(goals: list[dict]) -> str:
    """Return how many of some goals are met."""
    met, count = sum(goal["met"] for goal in goals), len(goals)
    if count == 1:
        return f"The goal is {'met' if met else 'missed'}."
    return f"{words.figure(met, str(met))} of {words.figure(count, str(count))} goals are met."


def folded(told: str, content: str) -> str:
    """Return content that opens when the line that tells of it is chosen."""
    return f'<details class="bench-more"><summary>{told}</summary>{content}</details>'


def badge(goal: dict) -> str:
    """Return whether a goal is met."""
    word, sign = ("met", "✓") if goal["met"] else ("missed", "✗")
    return f'<span class="bench-badge bench-{word}"><span aria-hidden="true">{sign} </span>{word}</span>'


def goal_cells(goal: dict) -> list[str]:
    """Return a goal as cells: what, how much was measured, met or missed, how much is wanted."""
    return [text(goal["goal"]), words.measured(goal), badge(goal), words.wanted(goal)]


def case_html(name: str, place: int, case: dict) -> str:
    """Return a case in a page."""
    parts = [f'<section class="bench-case" id="{anchor(name, place)}"><h3>{text(case["case"])}</h3>']
    said = words.sentences(case)
    if said:
        parts.append(f'<p class="bench-words">{" ".join(said)}</p>')
    parts += [*plots(case), case_table(case)]
    notes = [*([text(case["note"])] if case.get("note") else []), *([runs(case)] if runs(case) else [])]
    if notes:
        parts.append(f'<p class="bench-note">{" ".join(notes)}</p>')
    if case.get("goals"):
        heads = ["goal", "measured", "met or missed", "wanted"]
        rows = [goal_cells(goal) for goal in case["goals"]]
        parts.append(
            folded(goals_met(case["goals"]), table(f"Goals for {case['case']}", heads, rows, classes="bench-goals"))
        )
    return "".join([*parts, "</section>"])


class BenchmarkDirective(SphinxDirective):
    """What the directives share: the results, which the page depends on."""

    has_content = False

    def result(self, name: str) -> dict | None:
        """Return the results of a benchmark, or None where it has not been run."""
        path = Path(self.env.srcdir) / "benchmarks" / "results" / f"{name}.json"
        self.env.note_dependency(str(path))
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def results(self) -> dict[str, dict]:
        """Return the results of every benchmark of the page that has been run, in the order of the page."""
        source = Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8")
        found = {name: self.result(name) for name in SHOWN.findall(source)}
        return {name: result for name, result in found.items() if result is not None}

    def raw(self, content: str) -> list[nodes.Node]:
        """Return HTML as a node."""
        return [nodes.raw("", content, format="html")]


class Overview(BenchmarkDirective):
    """The nearest library of every benchmark that has one."""

    def run(self) -> list[nodes.Node]:
        """Return a picture and a line for each."""
        return self.raw(overview(self.results()))


class Benchmark(BenchmarkDirective):
    """The results of one benchmark."""

    required_arguments = 1
    option_spec: ClassVar = {"needs": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the question, the cases and a link to the JSON."""
        name = self.arguments[0]
        result = self.result(name)
        if result is None and "needs" in self.options:
            told = f"Not measured here: it needs {text(self.options['needs'])}."
            how = f"<code>.venv/bin/python benchmarks/{html.escape(name)}.py</code> measures it where there is one."
            return self.raw(f'<p class="bench-absent" id="{anchor(name)}">{told} {how}</p>')
        if result is None:
            message = f"benchmarks/results/{name}.json is missing: run `make bench`, or benchmarks/{name}.py alone"
            return [self.state.document.reporter.warning(message, line=self.lineno)]
        cases = "".join(case_html(name, place, case) for place, case in enumerate(result["cases"]))
        start = f'<div class="bench" data-benchmark="{html.escape(name)}" id="{anchor(name)}">'
        question = f'<p class="bench-question">{text(result["question"])}.</p>'
        return [*self.raw(f"{start}{question}{cases}</div>"), self.download(name)]

    def download(self, name: str) -> nodes.Node:
        """Return a link to the JSON."""
        where = f"/benchmarks/results/{name}.json"
        link = download_reference("", f"{name}.json", refdoc=self.env.docname, reftarget=where, reftype="download")
        return nodes.paragraph("", "", nodes.Text("The numbers: "), link, classes=["bench-download"])


class Summary(BenchmarkDirective):
    """Every goal, and how many are met."""

    def run(self) -> list[nodes.Node]:
        """Return the count and the table."""
        rows, met = [], []
        for name, result in self.results().items():
            for place, case in enumerate(result["cases"]):
                for goal in case.get("goals", []):
                    where = f'<a href="#{anchor(name, place)}">{text(result["question"])}: {text(case["case"])}</a>'
                    rows.append([*goal_cells(goal), where])
                    met.append(goal)
        if not rows:
            return self.raw('<div class="bench bench-summary"><p class="bench-count">There are no goals.</p></div>')
        heads = ["goal", "measured", "met or missed", "wanted", "where"]
        told = f'<span class="bench-count">{goals_met(met)}</span>'
        goals = folded(told, table("All goals", heads, rows, classes="bench-goals"))
        return self.raw(f'<div class="bench bench-summary">{goals}</div>')


class Losses(BenchmarkDirective):
    """Every case in which a contender is better than ours or a goal is missed."""

    def run(self) -> list[nodes.Node]:
        """Return one list for libraries and one for floors."""
        lists: tuple[list[str], list[str]] = ([], [])
        for name, result in self.results().items():
            for place, case in enumerate(result["cases"]):
                for items, part in zip(lists, words.split(case), strict=True):
                    found = words.losses(part)
                    if found:
                        items.append(loss(name, place, result["question"], case, found))
        if not any(lists):
            return self.raw('<p class="bench-losses">Nowhere, by what is measured here.</p>')
        heads = ("To a library, or to a goal of ours", "To a floor: the part of the work that nobody can avoid")
        told = [
            f'<p class="bench-kind">{head}</p><ul class="bench bench-losses">{"".join(items)}</ul>'
            for head, items in zip(heads, lists, strict=True)
            if items
        ]
        return self.raw("".join(told))


def loss(name: str, place: int, question: str, case: dict, found: list[tuple[str, str]]) -> str:
    """Return where we lose in a case, as an item of a list."""
    told = " ".join(f'<span data-loss="{html.escape(kind)}">{sentence}</span>' for kind, sentence in found)
    where = f'<a href="#{anchor(name, place)}">{text(question)}: {text(case["case"])}</a>'
    note = f' <span class="bench-note">{text(case["note"])}</span>' if case.get("note") else ""
    return f'<li data-case="{anchor(name, place)}">{where}. {told}{note}</li>'


class Machine(BenchmarkDirective):
    """What the benchmarks were run on."""

    def run(self) -> list[nodes.Node]:
        """Return a sentence for each machine, usually one, and the versions."""
        settings, versions = {}, {}
        for result in self.results().values():
            key = (result["machine"], result["threads"], result["python"])
            settings.setdefault(key, []).append(f"<i>{text(result['question'])}</i>")
            for package, version in result["versions"].items():
                versions.setdefault(package, set()).add(version)
        told = [
            f"{text(machine)}, {words.number(threads)} threads, Python {text(python)}"
            + (f" ({in_questions})" if len(settings) > 1 else "")
            for (machine, threads, python), in_questions in ((k, "; ".join(v)) for k, v in settings.items())
        ]
        names = [f"{text(package)} {' and '.join(sorted(found))}" for package, found in sorted(versions.items())]
        content = "".join(f"<li>{line}.</li>" for line in [*told, *([", ".join(names)] if names else [])])
        return self.raw(f'<ul class="bench bench-machine">{content}</ul>')


def add_style(app, pagename, templatename, context, doctree) -> None:
    """Put the style of the benchmarks into their pages."""
    if pagename in PAGES:
        style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
        context["metatags"] = context.get("metatags", "") + f"<style>\n{style}</style>"


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.add_directive("benchmark", Benchmark)
    app.add_directive("benchmark-overview", Overview)
    app.add_directive("benchmark-summary", Summary)
    app.add_directive("benchmark-losses", Losses)
    app.add_directive("benchmark-machine", Machine)
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
