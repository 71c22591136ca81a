"""Sphinx extension: neighbouring cells whose code is folded away share one toggle.

A notebook keeps its imports in cells of a screen each; on the page they would be a row of toggles that say the same.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder

TAG = "tag_hide-input"  # the class that myst-nb gives to a cell with the tag


def folded(node: nodes.Node) -> bool:
    """Return whether a node is a cell with its code folded away."""
    return isinstance(node, nodes.container) and TAG in node["classes"] and len(node) > 0


def join(app, doctree, docname) -> None:
    """Move the code of a folded cell without output to the head of the folded cell that follows it."""
    if not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    for cell in list(doctree.findall(folded)):
        following = cell.next_node(descend=False, siblings=True)
        if len(cell) == 1 and folded(following):
            toggle, longer = cell[0], following[0]
            for place, code in enumerate(list(toggle.children)):
                toggle.remove(code)
                longer.insert(place, code)
            cell.parent.remove(cell)


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-resolved", join)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
