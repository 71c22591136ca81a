"""Sphinx extension: a *Closer look* is a line with its title that opens on a click, so that the argument goes on.

The box is a `details`: it opens without scripts, when a search of the browser finds a word in it, and when a link leads
to a label inside. In a notebook it is a quotation, and open.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder

KIND = "closer-look"  # the class that plain_markdown gives to such a box


def fold(app, doctree, docname) -> None:
    """Put the inside of every such box into details whose summary is its title."""
    if not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    for box in doctree.findall(lambda node: isinstance(node, nodes.admonition) and KIND in node["classes"]):
        box.insert(0, nodes.raw("", "<details><summary>", format="html"))
        box.insert(2, nodes.raw("", "</summary>", format="html"))
        box.append(nodes.raw("", "</details>", format="html"))


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-resolved", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
