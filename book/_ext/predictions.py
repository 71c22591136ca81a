"""Sphinx extension: a question to predict is a step on the page: choose, see the explorer set, read why.

In a notebook it is a quotation before what answers it, and the answer is another one behind that::

    > **Predict 2.** A step just below the limit: along which axis of the valley does the path jump?
    >
    > - along the valley
    > - across it
    >
    > Press *1: just below the limit*.

    > **Answer 2: across it.** The steep direction has the factor …

The title of the answer is one of the options. *Press* names buttons of the explorer that follows in the section, and
may be left out. The page brings the answer to its question; without scripts it opens on a click, on paper it is open.
A picture or table that answers a question without *Press* comes from a cell tagged `predicted`, and stays covered until
an option is pressed.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import ExtensionError

FOLDER = Path(__file__).parent
ASKED, ANSWERED = re.compile(r"Predict (\d+)\."), re.compile(r"Answer (\d+): (.+)\.", re.DOTALL)
STYLE = (FOLDER / "predictions.css").read_text(encoding="utf-8")
SCRIPT = (FOLDER / "predictions.js").read_text(encoding="utf-8")


def title_of(node: nodes.Node) -> str:
    """Return the words in bold with which a quotation begins, or nothing."""
    first = node.next_node(nodes.paragraph) if isinstance(node, nodes.block_quote) else None
    begins = [part for part in first.children if part.astext()] if first else []  # what is empty may stand before it
    return begins[0].astext() if begins and isinstance(begins[0], nodes.strong) else ""


def options_of(question: nodes.block_quote) -> list[str]:
    """Return the options of a question."""
    return [option.astext().strip() for option in question.findall(nodes.list_item)]


def pairs(doctree: nodes.document) -> list[tuple[nodes.block_quote, nodes.block_quote]]:
    """Return the questions of a page, each with its answer, or say what is wrong with them."""
    quotes = list(doctree.findall(nodes.block_quote))
    asked = {int(found[1]): node for node in quotes if (found := ASKED.fullmatch(title_of(node)))}
    told = {int(found[1]): (node, found[2]) for node in quotes if (found := ANSWERED.fullmatch(title_of(node)))}
    if not list(asked) == list(told) == list(range(1, len(asked) + 1)):
        raise ExtensionError(f"{doctree['source']}: questions {list(asked)} have answers {list(told)}")
    for number, question in asked.items():
        options = [option.casefold() for option in options_of(question)]
        if len(options) < 2 or options.count(told[number][1].casefold()) != 1:
            raise ExtensionError(f"{doctree['source']}: answer {number} is {told[number][1]!r}, options {options}")
    return [(question, told[number][0]) for number, question in asked.items()]


def pressed(question: nodes.block_quote) -> list[str]:
    """Return the buttons that a question names, in order."""
    last = question[-1]
    presses = isinstance(last, nodes.paragraph) and last.astext().startswith("Press ")
    return [word.astext() for word in last.findall(nodes.emphasis)] if presses else []


def raw(text: str) -> nodes.raw:
    """Return HTML as a node."""
    return nodes.raw("", text, format="html")


def step(question: nodes.block_quote, answer: nodes.block_quote) -> nodes.container:
    """Return a question with its answer as one box, and take the answer from where it stood."""
    buttons = pressed(question)
    answer.parent.remove(answer)
    box = nodes.container(classes=["predict"])
    box += list(question.children)
    if buttons:
        box[-1]["classes"].append("press")
    box += [raw('<details class="predict-answer"><summary>Answer</summary>'), *answer.children, raw("</details>")]
    return box


def bring_together(app, doctree, docname) -> None:
    """Make each question and its answer a step, and steps that follow one another one box."""
    if not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    for question, answer in pairs(doctree):
        box = step(question, answer)
        place = question.parent.index(question)
        before = question.parent[place - 1] if place else None
        if isinstance(before, nodes.container) and "predictions" in before["classes"]:
            before += box
            question.parent.remove(question)
        else:
            question.replace_self(nodes.container("", box, classes=["predictions"]))


def add_parts(app, pagename, templatename, context, doctree) -> None:
    """Put style and script into the pages with questions."""
    if 'class="predict ' in context.get("body", ""):
        context["metatags"] = context.get("metatags", "") + f"<style>\n{STYLE}</style>"
        context["body"] += f"<script>\n{SCRIPT}</script>"


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-resolved", bring_together)
    app.connect("html-page-context", add_parts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
