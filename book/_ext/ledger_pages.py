"""Sphinx extension: the ledger and the errata, made from book/ledger.yml.

- ``{ledger}`` lists every entry, with a filter that works in the browser without a network.
- ``{ledger-counts}`` is a table of verdicts by source.
- ``{errata} GC`` lists what does not plainly hold in one source. What shows it is read from the names of the tests and
  from the notebooks that name the entry.

An entry can be linked to from every page by its id in lower case, as in ``[GC-07](../reference/ledger.md#gc-07)``.
"""

from __future__ import annotations

import ast
import html
import json
import os
import re
from collections import Counter, defaultdict
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.docutils import SphinxDirective

import launch
from chapters import Chapter, chapters
from ledger_names import read_name

VERDICTS = (
    "holds",
    "holds with a condition",
    "misprint",
    "does not hold as stated",
    "empirical",
)
NOT_PLAIN = VERDICTS[1:]
PLANNED = "planned"
SOURCES = {
    "GC": "Goulet Coulombe",
    "RK": "Rankine",
    "MH": "Mehta",
    "BR": "Breeden",
    "BP": "the blog post",
}
FOLDER = Path(__file__).parent


@cache
def _read(path: Path, changed: int) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def read_ledger(root: Path) -> dict:
    """Return the ledger below a root."""
    path = root / "book" / "ledger.yml"
    return _read(path, path.stat().st_mtime_ns)


def badge_of(entry: dict) -> str:
    """Return the verdict of an entry, or "planned" while no test stands behind it."""
    return PLANNED if entry.get("planned") else entry["verdict"]


@cache
def lines_of(path: Path) -> dict[str, int]:
    """Return the line on which each test of a file starts."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node.lineno for node in tree.body if isinstance(node, ast.FunctionDef)}


class Passage(NamedTuple):
    """A section of a chapter, or a box in it, that names an entry of the ledger."""

    chapter: str
    label: str
    box: str


@cache
def _passages(path: Path, chapter: str, changed: int) -> dict[str, list[Passage]]:
    found, label, box = defaultdict(list), "", ""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    for line in "\n\n".join(texts).splitlines():
        label = next(iter(re.findall(r'<a id="([^"]+)"></a>', line)), label)
        title = re.match(r"> \*\*(.+)\*\*\s*$", line)
        box = title[1] if title else box if line.startswith(">") else ""
        for name in re.findall(r"reference/ledger\.md#([\w.-]+)\)", line):
            passage = Passage(chapter, label, box)
            if passage not in found[name]:
                found[name].append(passage)
    return found


def passages(root: Path) -> dict[str, list[Passage]]:
    """Return where the chapters name each entry, by its id in lower case."""
    together = defaultdict(list)
    for chapter in chapters(root):
        path = root / f"{chapter.page}.ipynb"
        for name, found in _passages(path, chapter.slug, path.stat().st_mtime_ns).items():
            together[name] += found
    return together


def state(root: Path) -> frozenset[tuple[str, int]]:
    """Return what the pages of the ledger are made of besides its entries, each file with when it changed."""
    files = [root / "_toc.yml", *(root / "book").glob("part*/*.ipynb"), *(root / "tests").rglob("test_*.py")]
    return frozenset((str(path), path.stat().st_mtime_ns) for path in files)


def inside_a_sentence(title: str) -> str:
    """Return a title as it stands within a sentence: "A closer look" is "a closer look", and "OLS again" stays."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def slug(text: str) -> str:
    """Return a text as a class name: "holds with a condition" is "holds-with-a-condition"."""
    return text.lower().replace(" ", "-").replace(".", "-")


def typeset(text: str) -> list[nodes.Node]:
    """Return a text with its indices and exponents: X_test, Y_{s,p}, N^(−1), Λ^{L}."""
    found, end = [], 0
    for index in re.finditer(r"([_^])(?:\{([^}]*)\}|\(([^)]*)\)|([A-Za-z0-9λ∞]+))", text):
        found.append(nodes.Text(text[end : index.start()]))
        inside = next(part for part in index.groups()[1:] if part is not None)
        found.append((nodes.subscript if index[1] == "_" else nodes.superscript)("", inside))
        end = index.end()
    return [*found, nodes.Text(text[end:])]


def words(*parts: nodes.Node | str, classes: str) -> nodes.paragraph:
    """Return a paragraph of text and inline nodes."""
    children = [nodes.Text(part) if isinstance(part, str) else part for part in parts]
    return nodes.paragraph("", "", *children, classes=[classes])


class LedgerDirective(SphinxDirective):
    """What the directives share: the data, the links and the list items."""

    has_content = False
    prefix = ""

    @property
    def ledger(self) -> dict:
        """The data; the page is read again whenever they change."""
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / "book" / "ledger.yml"))
        read_from = getattr(self.env, "ledger_states", {})
        self.env.ledger_states = read_from | {self.env.docname: state(root)}
        return read_ledger(root)

    @cached_property
    def chapters(self) -> dict[str, Chapter]:
        """The chapters of the book by name."""
        return {chapter.slug: chapter for chapter in chapters(Path(self.env.srcdir))}

    def chapter(self, name: str) -> list[nodes.Node]:
        """Return a link to a chapter."""
        chapter = self.chapters[name]
        link = pending_xref(
            "",
            nodes.inline("", f"{chapter.number} · {chapter.title(Path(self.env.srcdir))}"),
            refdomain="std",
            reftype="doc",
            reftarget="/" + chapter.page,
            refexplicit=True,
            refdoc=self.env.docname,
        )
        return [link]

    @property
    def repository(self) -> str | None:
        """The repository of the book on GitHub, where it is known."""
        return launch.repository(os.environ, launch.git_remote(Path(self.env.srcdir)))

    def test(self, node_id: str, text: str) -> nodes.Node:
        """Return a text as code that leads to the lines of a test, where the repository is known."""
        shown = nodes.literal("", text)
        if self.repository is None:
            return shown
        path, name = node_id.split("::")
        line = lines_of(Path(self.env.srcdir) / path)[name]
        address = f"https://github.com/{self.repository}/blob/{launch.BRANCH}/{path}#L{line}"
        return nodes.reference("", "", shown, refuri=address)

    def checks(self, entry: dict) -> nodes.Node:
        """Return what stands behind an entry."""
        if entry.get("planned"):
            return words("Test: planned", classes="entry-test")
        names = entry.get("tests", [])
        said = [f"Not computed: {entry['not_computed']}"] if "not_computed" in entry else []
        said += [" "] if said and names else []
        said += [f"Test{'s' * (len(names) > 1)}:"] if names else []
        tests = [part for test in names for part in (nodes.Text(" "), self.test(test, test))]
        return words(*said, *tests, classes="entry-test")

    def verdict(self, entry: dict) -> nodes.paragraph:
        """Return the badge of an entry."""
        badge = badge_of(entry)
        return words(
            nodes.inline("", badge, classes=["badge-verdict", f"verdict-{slug(badge)}"]), classes="entry-verdict"
        )

    def found_by(self, entry: dict) -> list[nodes.paragraph]:
        """Return the few words of the source by which a reader finds the passage, where the entry quotes some."""
        if "source_words" not in entry:
            return []
        return [words(f"“{entry['source_words']}”", classes="entry-source-words")]

    def version(self, entry: dict) -> list[nodes.paragraph]:
        """Return whether an entry concerns one version of its source alone, where that is known."""
        return [words(entry["version"], classes="entry-version")] if "version" in entry else []

    def item(self, entry: dict, *content: nodes.Node) -> nodes.list_item:
        """Return one entry as a list item that can be linked to and filtered."""
        name = (self.prefix + entry["id"]).lower()
        classes = [
            "ledger-entry",
            f"source-{entry['source'].lower()}",
            f"verdict-{slug(badge_of(entry))}",
        ]
        head = words(
            nodes.strong("", entry["id"]),
            " ",
            nodes.inline("", entry["location"], classes=["entry-location"]),
            classes="entry-name",
        )
        item = nodes.list_item(
            "",
            head,
            *content,
            classes=[*classes, f"chapter-{entry['chapter']}"],
            names=[name],
        )
        self.state.document.note_explicit_target(item)
        return item


class Ledger(LedgerDirective):
    """Every entry, and the form that filters them."""

    def run(self) -> list[nodes.Node]:
        """Return the form, the list and the script."""
        ledger = self.ledger
        items = [self.row(entry) for entry in ledger["entries"]]
        script = (FOLDER / "ledger_pages.js").read_text(encoding="utf-8")
        return [
            nodes.raw("", form(Path(self.env.srcdir)), format="html"),
            nodes.bullet_list("", *items, classes=["ledger"]),
            nodes.raw("", f"<script>\n{script}</script>", format="html"),
        ]

    def row(self, entry: dict) -> nodes.list_item:
        """Return one entry: what is stated, the verdict, what is true, where it is taught and tested."""
        said = [words(*typeset(entry["statement"]), classes="entry-statement")]
        said += [*self.found_by(entry), *self.version(entry)]
        for key in ("correction", "remark", "measure"):
            if key in entry:
                said.append(words(*typeset(entry[key]), classes=f"entry-{key}"))
        where = words("Chapter: ", *self.chapter(entry["chapter"]), classes="entry-chapter")
        return self.item(entry, self.verdict(entry), *said, where, self.checks(entry))


class Errata(LedgerDirective):
    """What does not plainly hold in one source, or in all."""

    required_arguments = 1
    prefix = "erratum-"
    parts = (("Stated", "statement"), ("True", "correction"), ("To be measured", "measure"))

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        source = self.arguments[0]
        if source not in SOURCES:
            raise self.error(f"errata of which source? one of {', '.join(SOURCES)}, got {source!r}")
        found = [e for e in self.ledger["entries"] if e["source"] == source and e["verdict"] in NOT_PLAIN]
        return [nodes.bullet_list("", *map(self.erratum, found), classes=["ledger", "errata"])]

    def passage(self, passage: Passage) -> list[nodes.Node]:
        """Return a link to where a chapter names an entry, with the title of the box if it is one."""
        box = f", {inside_a_sentence(passage.box)}" if passage.box else ""
        text = f"chapter {self.chapters[passage.chapter].number}{box}"
        link = pending_xref(
            "",
            nodes.inline("", text),
            refdomain="std",
            reftype="ref",
            reftarget=passage.label,
            refexplicit=True,
            refdoc=self.env.docname,
        )
        return [link]

    def shown_by(self, entry: dict) -> list[nodes.Node]:
        """Return what shows that an entry is right: its figures, the facts of its tests, and the chapters' passages."""
        shown = [nodes.paragraph("", "", *typeset(entry["evidence"]))] if "evidence" in entry else []
        if "not_computed" in entry:
            shown.append(nodes.paragraph("", f"Not computed: {entry['not_computed']}"))
        if entry.get("planned"):
            shown.append(nodes.paragraph("", "Nothing yet."))
        lines = []
        for test in entry.get("tests", []):
            path, name = test.split("::")
            _, fact = read_name(name, [e["id"] for e in self.ledger["entries"]])
            lines.append([nodes.Text(f"a test: {fact} "), self.test(test, path)])
        lines += map(self.passage, passages(Path(self.env.srcdir))[entry["id"].lower()])
        if lines:
            items = [nodes.list_item("", nodes.paragraph("", "", *line)) for line in lines]
            shown.append(nodes.bullet_list("", *items, classes=["entry-shown"]))
        return shown

    def erratum(self, entry: dict) -> nodes.list_item:
        """Return one entry: stated, true, shown by, lesson, and where."""
        parts = [(term, [nodes.paragraph("", "", *typeset(entry[key]))]) for term, key in self.parts if key in entry]
        parts[0][1].extend([*self.found_by(entry), *self.version(entry)])
        parts.append(("Shown by", self.shown_by(entry)))
        parts.append(("Lesson", [nodes.paragraph("", "", *typeset(entry["lesson"]))]))
        pairs = [
            nodes.definition_list_item("", nodes.term("", term), nodes.definition("", *content))
            for term, content in parts
        ]
        where = words("Chapter: ", *self.chapter(entry["chapter"]), classes="entry-chapter")
        return self.item(entry, self.verdict(entry), nodes.definition_list("", *pairs), where)


class Counts(LedgerDirective):
    """How many entries of each source have each verdict."""

    def run(self) -> list[nodes.Node]:
        """Return a table with one row per verdict and one column per source."""
        counts = Counter((badge_of(entry), entry["source"]) for entry in self.ledger["entries"])
        rows = []
        for verdict in (*VERDICTS, PLANNED):
            numbers = [counts[verdict, source] for source in SOURCES]
            cells = "".join(f"<td>{number}</td>" for number in [*numbers, sum(numbers)])
            rows.append(f'<tr><th scope="row">{verdict}</th>{cells}</tr>')
        heads = "".join(f'<th scope="col">{source}</th>' for source in SOURCES)
        return [
            nodes.raw(
                "",
                '<div class="pst-scrollable-table-container" tabindex="0" role="region" '
                'aria-label="Entries by verdict">'
                '<table class="table ledger-counts"><caption class="visually-hidden">Entries by verdict and source'
                f'</caption><thead><tr><th scope="col">verdict</th>{heads}<th scope="col">all</th></tr></thead>'
                f"<tbody>{''.join(rows)}</tbody></table></div>",
                format="html",
            )
        ]


def choices(name: str, title: str, options: list[tuple[str, str]]) -> str:
    """Return a select with "all" first."""
    inside = "".join(f'<option value="{value}">{html.escape(text)}</option>' for value, text in options)
    return f'<label>{title} <select name="{name}"><option value="">all</option>{inside}</select></label>'


def form(root: Path) -> str:
    """Return the form of the filter; it stays hidden where scripts are off."""
    titles = [(chapter.slug, f"{chapter.number} · {chapter.title(root)}") for chapter in chapters(root)]
    selects = (
        choices(
            "source",
            "Source",
            [(key.lower(), f"{key} · {name}") for key, name in SOURCES.items()],
        )
        + choices(
            "verdict",
            "Verdict",
            [(slug(verdict), verdict) for verdict in (*VERDICTS, PLANNED)],
        )
        + choices("chapter", "Chapter", titles)
    )
    return (
        '<form class="ledger-filter" aria-label="Filter the ledger" hidden>'
        f"{selects}<label>Containing "
        '<input type="search" name="text" autocomplete="off" placeholder="words, or X\'X"></label>'
        '<button type="reset">Show all</button><p role="status"></p></form>'
    )


def outdated(app, env, added, changed, removed) -> set[str]:
    """Read the pages of the ledger again when the contents, a chapter or a test is another."""
    now = state(Path(app.srcdir))
    return {name for name, then in getattr(env, "ledger_states", {}).items() if then != now} - set(removed)


def add_style(app, pagename, templatename, context, doctree) -> None:
    """Put the style of the ledger into the pages that need it."""
    if pagename in getattr(app.env, "ledger_states", ()):
        style = (FOLDER / "ledger_pages.css").read_text(encoding="utf-8")
        context["metatags"] = context.get("metatags", "") + f"<style>\n{style}</style>"


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-counts", Counts)
    app.add_directive("errata", Errata)
    app.connect("env-get-outdated", outdated)
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
