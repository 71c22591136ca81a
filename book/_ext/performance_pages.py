"""Sphinx extension: tables and a picture of what the scripts in benchmarks/ measured, made from their JSON.

``{benchmark} ridge_path`` shows benchmarks/results/ridge_path.json, a table for each case. Where there are no results
it is a warning, and so fails a build that takes warnings for errors; with the option ``needs``, which names what few
machines have, the page then says that this was not measured. ``{benchmarks} goals`` is a table of all benchmarks of
its page; so are ``losses``, ``machines``, and ``nearest``, which has a picture.
"""

from __future__ import annotations

import html
import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from regattn._colours import ROLES
from sphinx.addnodes import download_reference
from sphinx.util.docutils import SphinxDirective

Row = dict[str, Any]
SHOWN = re.compile(r"^`{3,}\{benchmark\} +(\w+)", re.MULTILINE)
AWAITED = "awaited_results"  # files that a page would show if they were there
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
SECONDS = ((1e-9, "ns"), (1e-6, "µs"), (1e-3, "ms"), (1.0, "s"))
BYTES = ((1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"))
BESIDE = "ratio beside a busy core"
HEADS = {"seconds": "median time", "ratio": "times as long as ours", BESIDE: "beside a busy core"}
BETTER = {"ratio": -1, "digits": 1, "R²": 1, "memory": -1, "bytes": -1}  # whether more is better, or less
COLOURS = {"slower": ROLES["positive"], "faster": ROLES["negative"]}  # on a light page and on a dark one
FLOORS = (  # no libraries but the part of the work that nobody can avoid, and nothing else
    "Q (KᵀV)",
    "QR of X beside y, then SVD of R",
    "QR, then SVD of R",
    "the matrix products alone",
    "numpy, the last product alone",
    "reading the weights once a token",
)
BY_HAND = (  # no libraries either: a few lines, written down for the comparison
    "(Q Kᵀ) V",
    "by hand: fused projection and SDPA",
    "numpy X'X, chunk by chunk",
    "numpy solve, X'X kept",
    "regattn, without",
    "regattn, rows",
    "seasonal naive with drift",
)


def significant(value: float) -> str:
    """Return a count in full, any other number to three digits."""
    if isinstance(value, int) or value == 0:
        return f"{value:,.0f}".replace("-", "−")
    places = 2 - math.floor(math.log10(abs(float(f"{value:.3g}"))))
    if places > 6:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}".replace("-", "−")
    return f"{float(f'{value:.3g}'):,.{max(places, 0)}f}".replace("-", "−")


def with_unit(value: float, units: tuple[tuple[float, str], ...]) -> str:
    """Return a size in the largest unit of which it is at least one."""
    factor, unit = max((pair for pair in units if pair[0] <= float(f"{value:.3g}")), default=units[0])
    return f"{significant(float(value / factor))} {unit}"


def text(words: str) -> str:
    """Return a text of the JSON in a page; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(words))


def shown(field: str, value: Any) -> str:
    """Return what was measured, as the page shows it."""
    if value is None or isinstance(value, bool | str):
        return text(value) if isinstance(value, str) else {None: "–", True: "yes", False: "no"}[value]
    if field == "seconds" or "bytes" in field:
        return with_unit(value, SECONDS if field == "seconds" else BYTES)
    return f"{value:.1f}" if field == "digits" else significant(value)


def cell(row: Row, field: str) -> str:
    """Return what was measured, with its quartiles where they differ."""
    ends = [shown(field, row[name]) for name in (f"{field}_low", f"{field}_high") if name in row]
    middle = shown(field, row.get(field))
    return middle if set(ends) <= {middle} else f"{middle} ({' to '.join(ends)})"


def table(caption: str, heads: list[str], rows: list[list[str]]) -> str:
    """Return a table that scrolls by itself where the screen is narrow; the first cell of a row is its head."""
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    body = "".join(f'<tr><th scope="row">{row[0]}</th><td>{"</td><td>".join(row[1:])}</td></tr>' for row in rows)
    return (
        '<div class="bench pst-scrollable-table-container" tabindex="0" role="region" '
        f'aria-label="{html.escape(caption)}"><table class="table"><caption>{text(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def case_table(case: dict) -> str:
    """Return all that was measured in a case, and the note on it."""
    fields = list(dict.fromkeys(field for row in case["rows"] for field in row))
    compared = any(not row["ours"] and "ratio" in row for row in case["rows"])
    left_out = {"contender", "ours"} | (set() if compared else {"ratio", BESIDE})
    fields = [name for name in fields if not (name in left_out or name.endswith(("_low", "_high")))]
    alone = all(row["ours"] for row in case["rows"])
    names = [text(row["contender"]) + (" (ours)" if row["ours"] and not alone else "") for row in case["rows"]]
    rows = [[name, *(cell(row, field) for field in fields)] for name, row in zip(names, case["rows"], strict=True)]
    note = f'<p class="bench-note">{text(case["note"])}</p>' if case.get("note") else ""
    return table(case["case"], ["contender", *(HEADS.get(field, text(field)) for field in fields)], rows) + note


def cases(results: dict[str, dict]) -> Iterator[tuple[str, dict]]:
    """Yield every case, after a link to it."""
    for name, result in results.items():
        for place, case in enumerate(result["cases"]):
            told = text(f"{result['question']}: {case['case']}")
            yield f'<a href="#benchmark-{name}-{place}">{told}</a>', case


def goals(results: dict[str, dict]) -> str:
    """Return the table of goals; those that are missed come first."""
    found = sorted(
        ((goal, link) for link, case in cases(results) for goal in case.get("goals", [])),
        key=lambda pair: pair[0]["met"],
    )
    rows = []
    for goal, link in found:
        bound, most = (goal["most"], "at most") if goal["least"] is None else (goal["least"], "at least")
        field = "bytes" if " MB" in goal["goal"] and bound >= 1e6 else ""
        met = '<span class="bench-met">✓ met</span>' if goal["met"] else '<span class="bench-missed">✗ missed</span>'
        rows.append([text(goal["goal"]), shown(field, goal["measured"]), f"{most} {shown(field, bound)}", met, link])
    told = f"{sum(goal['met'] for goal, _ in found)} of {len(rows)} goals are met"
    content = table("Goals", ["goal", "measured", "wanted", "met or missed", "where"], rows)
    return f"<details><summary>{told}</summary>{content}</details>"


def losses(results: dict[str, dict]) -> str:
    """Return a table of who is better than ours among libraries, and one among floors."""
    found: dict[bool, list[list[str]]] = {False: [], True: []}
    for link, case in cases(results):
        ours = {"ratio": 1.0} | next(row for row in case["rows"] if row["ours"])
        for row in case["rows"]:
            for field in (field for field in row if is_better(field, row, ours)):
                told = [HEADS.get(field, text(field)), cell(row, field), cell(ours, field), link]
                found[row["contender"].startswith(FLOORS)].append([text(row["contender"]), *told])
    heads = ["contender", "measure", "theirs", "ours", "where"]
    captions = {False: "To a library", True: "To a floor, the part of the work that nobody can avoid"}
    return "".join(table(captions[floor], heads, rows) for floor, rows in found.items() if rows)


def is_better(field: str, row: Row, ours: Row) -> bool:
    """Return whether a field of a row is better than ours, as far as the page shows it."""
    sign = next((sign for name, sign in BETTER.items() if name in field), 0)
    known = sign and not field.endswith(("_low", "_high")) and None not in (row[field], ours.get(field))
    return (
        bool(known) and sign * (row[field] - ours[field]) > 0 and shown(field, row[field]) != shown(field, ours[field])
    )


def nearest(results: dict[str, dict]) -> str:
    """Return, as a picture and a table, the library of each benchmark that comes nearest to ours or leads by most."""
    found: dict[str, tuple[str, Row]] = {}
    for link, case in cases(results):
        name = re.search(r"benchmark-(\w+)-", link)[1]
        for row in case["rows"]:
            library = not row["ours"] and "ratio" in row and not row["contender"].startswith(FLOORS + BY_HAND)
            if library and (name not in found or row["ratio"] < found[name][1]["ratio"]):
                found[name] = link, row
    rows = [[text(row["contender"]), cell(row, "ratio"), cell(row, BESIDE), link] for link, row in found.values()]
    drawn = picture([(results[name]["question"], row) for name, (_, row) in found.items()])
    return drawn + table("The library nearest to ours", ["library", HEADS["ratio"], HEADS[BESIDE], "where"], rows)


def picture(found: list[tuple[str, Row]]) -> str:
    """Return ratios on a logarithmic axis, with a bar from quartile to quartile, as an SVG in the page's colours."""
    import matplotlib as mpl  # here, since a build that does not read the page need not wait for it
    from matplotlib.figure import Figure

    told = "Times as long as ours, logarithmic, of the library nearest to ours; left of the line it is ahead"
    height = 0.42 * len(found) + 0.3  # inches
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "", "font.size": 9}):
        figure = Figure(figsize=(4.4, height))
        axes = figure.add_axes((0.02, 0.3 / height, 0.96, 1 - 0.3 / height), xscale="log", yticks=[])
        for place, (question, row) in enumerate(found):
            colour = COLOURS["slower" if row["ratio"] > 1 else "faster"][0]
            axes.plot([row["ratio_low"], row["ratio_high"]], [place, place], color=colour, linewidth=6, alpha=0.45)
            axes.plot([1, 1], [place - 0.2, place + 0.45], color="#000000", linewidth=1, alpha=0.5)  # not across words
            axes.plot(row["ratio"], place, "o", color=colour, markersize=6)
            label = f"{re.split('[,;:]', question)[0]}: {significant(row['ratio'])}"
            axes.annotate(label, (0, place), (0, 7), xycoords=("axes fraction", "data"), textcoords="offset points")
        axes.set(ylim=(len(found) - 0.5, -0.8))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.spines[["left", "right", "top"]].set_visible(False)
        written = io.StringIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    drawing = written.getvalue().partition("<svg ")[2].replace("#000000", "currentColor")
    for name, (colour, _) in COLOURS.items():
        drawing = drawing.replace(colour.lower(), f"var(--bench-{name})")
    drawing = f'<svg role="img" aria-label="{told}" {drawing}'
    return f'<figure class="bench-picture">{drawing}<figcaption>{told}.</figcaption></figure>'


def machines(results: dict[str, dict]) -> str:
    """Return the table of what was measured where, and with which versions."""
    found: dict[tuple[str, ...], tuple[list[str], set[str]]] = {}
    for result in results.values():
        key = tuple(text(str(result[name])) for name in ("machine", "threads", "python"))
        questions, versions = found.setdefault(key, ([], set()))
        questions.append(text(result["question"]))
        versions.update(text(f"{package} {version}") for package, version in result["versions"].items())
    rows = [[*key, ", ".join(sorted(versions)), "; ".join(told)] for key, (told, versions) in found.items()]
    return table("Machines and versions", ["machine", "threads", "Python", "packages", "what was measured"], rows)


class Benchmarks(SphinxDirective):
    """A table of all benchmarks of the page."""

    required_arguments = 1
    tables: ClassVar = {"nearest": nearest, "goals": goals, "losses": losses, "machines": machines}

    def result(self, name: str) -> dict | None:
        """Return the results of a benchmark, or None where it has not been run; the page depends on them."""
        path = Path(self.env.srcdir) / "benchmarks" / "results" / f"{name}.json"
        if not path.exists():  # as a dependency, what is missing would be new each time
            self.env.metadata[self.env.docname].setdefault(AWAITED, []).append(path)
            return None
        self.env.note_dependency(str(path))
        self.env.note_dependency(__file__)
        return json.loads(path.read_text(encoding="utf-8"))

    def run(self) -> list[nodes.Node]:
        """Return the table that the argument names."""
        source = Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8")
        results = {name: result for name in SHOWN.findall(source) if (result := self.result(name))}
        return [nodes.raw("", self.tables[self.arguments[0]](results), format="html")]


class Benchmark(Benchmarks):
    """The results of one benchmark."""

    option_spec: ClassVar = {"needs": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the question, a table for each case and a link to the JSON."""
        name = self.arguments[0]
        where = f"benchmarks/results/{name}.json"
        result = self.result(name)
        if result is None and "needs" in self.options:
            return [nodes.paragraph("", f"Not measured here: it needs {self.options['needs']}.")]
        if result is None:
            message = f"{where} is missing: run `make bench`, or benchmarks/{name}.py alone"
            return [self.state.document.reporter.warning(message, line=self.lineno)]
        tables = [
            f'<div id="benchmark-{name}-{place}">{case_table(case)}</div>' for place, case in enumerate(result["cases"])
        ]
        question = f'<p class="bench-question">{text(result["question"])}.</p>'
        link = download_reference(
            "", f"{name}.json", refdoc=self.env.docname, reftarget=f"/{where}", reftype="download"
        )
        return [
            nodes.raw("", question + "".join(tables), format="html"),
            nodes.paragraph("", "", nodes.Text("The numbers: "), link),
        ]


def add_style(app, pagename, templatename, context, doctree) -> None:
    """Put the style of the benchmarks into their pages."""
    if 'class="bench' in context.get("body", ""):
        style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
        for theme, dark in (("light", 0), ("dark", 1)):
            told = "; ".join(f"--bench-{name}: {pair[dark]}" for name, pair in COLOURS.items())
            style += f'html[data-theme="{theme}"] .bench-picture {{ {told} }}\n'
        context["metatags"] = context.get("metatags", "") + f"<style>\n{style}</style>"


def outdated(app, env, added, changed, removed) -> list[str]:
    """Read a page again for which a result has come."""
    return [name for name in env.found_docs if any(path.exists() for path in env.metadata[name].get(AWAITED, ()))]


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("env-get-outdated", outdated)
    app.add_directive("benchmark", Benchmark)
    app.add_directive("benchmarks", Benchmarks)
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
