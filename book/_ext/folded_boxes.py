"""Sphinx extension: what proves and what leads aside is a line with its title that opens on a click.

That is each *Closer look*, and each section inside the one that is called *In depth*. Both are a `details`: it opens
without scripts, when a search of the browser finds a word in it, and when a link leads to a label inside; a link to the
section itself opens it by a script. In a notebook the one is a quotation and the other a section, and both are open.
"""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder

KIND = "closer-look"  # the class that plain_markdown gives to such a box
SCRIPT = Path(__file__).with_suffix(".js")
DEPTH = "In depth"  # the section whose parts are folded


def close(element: nodes.Element, kind: str = "") -> None:
    """Put what is inside an element, from its title on, into details whose summary is the title."""
    place = element.first_child_matching_class(nodes.title)
    given = f' class="{kind}"' if kind else ""
    element.insert(place, nodes.raw("", f"<details{given}><summary>", format="html"))
    element.insert(place + 2, nodes.raw("", "</summary>", format="html"))
    element.append(nodes.raw("", "</details>", format="html"))


def fold(app, doctree, docname) -> None:
    """Close every such box and every part of what is in depth."""
    if not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    for box in doctree.findall(lambda node: isinstance(node, nodes.admonition) and KIND in node["classes"]):
        close(box)
    for section in doctree.findall(nodes.section):
        place = section.first_child_matching_class(nodes.title)  # what an exercise asks has none
        if place is not None and section[place].astext().endswith(DEPTH):
            for part in section.children:
                if isinstance(part, nodes.section):
                    close(part, "in-depth")


def setup(app) -> dict[str, bool]:
    """Register the extension, after the one that puts code to the end of its section."""
    app.connect("doctree-resolved", fold, priority=700)
    app.add_js_file(None, body=SCRIPT.read_text(encoding="utf-8"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
