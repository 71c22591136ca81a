"""Sphinx extension: an answer field in each exercise of a page, with the checks and hints of `regattn.exercises`.

An exercise is what has the id ``ex-03-2`` in the resolved page of a chapter. What it takes to judge an answer is
computed when the page is written and stands in it as base64, so that nobody reads the answer by accident. The notebook
keeps its cell with ``check``; the page shows the field in its place.
"""

from __future__ import annotations

import base64
import html
import json
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from regattn.exercises import exercises
from regattn.exercises._judging import MESSAGES, NEAR, NEGATIONS
from regattn.exercises._reading import TABLES

from chapters import Chapter, chapter_of

FOLDER = Path(__file__).parent
LABEL = re.compile(r"ex-\d\d-(\d+)")
CHECK = re.compile(r"\s*answer = \.\.\.\s*check\(\s*[\"'][\w.]+[\"'],\s*answer\s*\)\s*")
TEMPLATE = """\
<div class="exercise-answer" data-exercise="{name}" data-sheet="{sheet}">
<form hidden><label><span>Your answer<span class="visually-hidden"> to exercise {number}</span></span>
<input type="text" name="answer" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="400"></label>
<button type="submit">Check<span class="visually-hidden"> exercise {number}</span></button>
<output role="status" aria-live="polite"></output></form>
<noscript><p>Without scripts this page cannot check an answer. Open it as a notebook and run
<code>check("{name}", answer)</code>.</p></noscript>
</div>"""


@cache
def sheet_of(name: str) -> str:
    """Return what it takes to judge an answer, as base64 of JSON."""
    return base64.b64encode(json.dumps(exercises()[name].sheet).encode()).decode("ascii")


@cache
def script() -> str:
    """Return the script of a page with exercises: the tables, how an answer is read and judged, and the fields."""
    tables = {"TABLES": TABLES, "MESSAGES": MESSAGES, "NEGATIONS": NEGATIONS, "NEAR": NEAR}
    lines = [f"const {name} = {json.dumps(value)};" for name, value in tables.items()]
    parts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("exercise_reading.js", "exercise_answers.js")]
    return "(() => {\n" + "\n".join([*lines, *parts]) + "})();\n"


def field(chapter: Chapter, number: str) -> nodes.raw:
    """Return the answer field of an exercise."""
    name = f"{chapter.slug}.{number}"
    text = TEMPLATE.format(name=html.escape(name), number=f"{chapter.number}.{number}", sheet=sheet_of(name))
    return nodes.raw("", text, format="html")


def exercises_of(doctree: nodes.document) -> dict[str, nodes.Element]:
    """Return the exercises of a page by number, such as "2"; the box itself where an id stands before it."""
    found = {}
    for node in doctree.findall(nodes.Element):
        for name in filter(None, map(LABEL.fullmatch, node.get("ids", []))):
            box = node.next_node(descend=False, siblings=True) if isinstance(node, nodes.target) else node
            found[name[1]] = box
    return found


def is_check(node: nodes.Node) -> bool:
    """Return whether a node is a code cell that only waits for an answer."""
    if not isinstance(node, nodes.container) or node.get("nb_element") != "cell_code":
        return False
    code = node.next_node(nodes.literal_block)
    return code is not None and CHECK.fullmatch(code.astext()) is not None


def add_fields(app, doctree, docname) -> None:
    """Put a field at the end of each exercise, and take away the cell that checks an answer in the notebook."""
    chapter = chapter_of(docname)
    found = exercises_of(doctree) if chapter and app.builder.format == "html" else {}
    known = exercises(chapter.slug) if found else {}
    for number, box in found.items():
        if f"{chapter.slug}.{number}" not in known:
            raise ValueError(f"{docname} has an exercise {number} that regattn.exercises.{chapter.slug} does not know")
        (box.next_node(nodes.section, siblings=False) or box).append(field(chapter, number))
    if found:
        for cell in list(doctree.findall(is_check)):
            cell.parent.remove(cell)


def add_parts(app, pagename, templatename, context, doctree) -> None:
    """Put style and script into the pages with exercises."""
    if 'data-exercise="' in context.get("body", ""):
        style = (FOLDER / "exercise_answers.css").read_text(encoding="utf-8")
        context["metatags"] = context.get("metatags", "") + f"<style>\n{style}</style>"
        context["body"] += f"<script>\n{script()}</script>"


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-resolved", add_fields)
    app.connect("html-page-context", add_parts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
