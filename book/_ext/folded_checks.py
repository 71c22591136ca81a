"""Sphinx extension: a cell that only checks what the text says becomes one quiet line that opens on a click.

The cell carries the tag `checks`. In a notebook it is an ordinary cell, and every test run executes it.
"""

from __future__ import annotations

import ast

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder

TAG = "tag_checks"  # the class that myst-nb gives to a cell with the tag


def facts(source: str) -> int:
    """Return how many assertions a cell makes."""
    return sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source)))


def summary(count: int) -> str:
    """Return the line that stands for the cell."""
    return f"✓ {count} fact{'' if count == 1 else 's'} checked"


def fold(app, doctree, docname) -> None:
    """Put every cell of checks into a box that is closed at first."""
    if not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    for cell in list(doctree.findall(lambda node: TAG in getattr(node, "attributes", {}).get("classes", []))):
        count = sum(facts(code.astext()) for code in cell.findall(nodes.literal_block) if "output" not in classes(code))
        opening = f'<details class="ra-checks"><summary>{summary(count)}</summary>'
        place = cell.parent.index(cell)
        cell.parent.insert(place, nodes.raw("", opening, format="html"))
        cell.parent.insert(place + 2, nodes.raw("", "</details>", format="html"))


def classes(code: nodes.literal_block) -> list[str]:
    """Return the classes of a block and of what holds it."""
    return [*code.get("classes", []), *code.parent.get("classes", [])]


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("doctree-resolved", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
