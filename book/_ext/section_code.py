"""Sphinx extension: the code of a section that a reader can pass by stands at its end, behind one quiet line.

That is: cells of imports, data and styling (tag `hide-input`), cells that check what the text says (tag `checks`), and
the call of an explorer. Opened, the line shows them in order, each under the name of what it made. What a cell makes
stays where it was; code that is the argument stands open. In a notebook every cell is an ordinary one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder

CHECKS, HIDDEN = "tag_checks", "tag_hide-input"  # the classes that myst-nb gives to cells with these tags
INPUT, OUTPUT = "cell_input", "cell_output"
EXPLORER, PREPARATION = "explorer", "preparation"


class Piece(NamedTuple):
    """What goes to the end of a section: the name over it, its code, and how many facts it checks."""

    name: str
    code: list[nodes.Node]
    facts: int = 0


def facts(source: str) -> int:
    """Return how many assertions a cell makes."""
    return sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source)))


def checked(count: int) -> str:
    """Return how one says that so many facts are checked."""
    return f"{count} fact{'' if count == 1 else 's'} checked"


def is_cell(node: nodes.Node) -> bool:
    """Return whether a node is a cell of code."""
    return isinstance(node, nodes.Element) and node.get("nb_element") == "cell_code"


def parts(cell: nodes.Element, kind: str) -> list[nodes.Element]:
    """Return the inputs, or the outputs, of a cell."""
    return list(cell.findall(lambda node: isinstance(node, nodes.container) and kind in node["classes"]))


def made(cell: nodes.Element) -> str:
    """Return what a cell makes, as a reader would call it."""
    for output in parts(cell, OUTPUT):
        raw = [node.astext() for node in output.findall(nodes.raw)]
        if any('<figure class="regattn"' in text for text in raw):
            return EXPLORER
        if next(output.findall(nodes.image), None) is not None:
            return "figure"
        if any("<table" in text for text in raw):
            return "table"
        return "result"
    return PREPARATION


def take(cell: nodes.Element) -> Piece | None:
    """Take the code out of a cell that a reader can pass by, and the cell away when nothing is left of it."""
    inputs = parts(cell, INPUT)
    if not inputs:
        return None
    what = made(cell)
    if CHECKS in cell["classes"]:
        count = sum(facts(code.astext()) for code in inputs)
        cell.parent.remove(cell)
        return Piece(f"✓ {checked(count)}", [cell], count)
    if what != EXPLORER and HIDDEN not in cell["classes"]:
        return None
    outputs = parts(cell, OUTPUT)
    cell.children = []
    cell += outputs
    if not outputs:
        cell.parent.remove(cell)
    return Piece("Preparation" if what == PREPARATION else f"Code of the {what}", inputs)


def joined(pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the pieces, those of preparation that follow one another as one."""
    last: Piece | None = None
    for piece in pieces:
        if last and last.name == piece.name == "Preparation":
            last.code.extend(piece.code)
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last


def line(pieces: list[Piece]) -> list[nodes.Node]:
    """Return the folded line of a section."""
    count = sum(piece.facts for piece in pieces)
    said = ["Code"] if any(not piece.facts for piece in pieces) else []
    said += [checked(count)] if count else []
    found = [nodes.raw("", f'<details class="section-code"><summary>{" · ".join(said)}</summary>', format="html")]
    for piece in joined(pieces):
        found.append(nodes.paragraph("", piece.name, classes=["code-of"]))
        found += [cell if is_cell(cell) else nodes.container("", cell, classes=["cell"]) for cell in piece.code]
    return [*found, nodes.raw("", "</details>", format="html")]


def gather(app, doctree, docname) -> None:
    """Put what a reader can pass by to the end of each section, before the sections inside it."""
    if not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    for section in list(doctree.findall(nodes.section)):
        pieces = [piece for cell in list(section.children) if is_cell(cell) and (piece := take(cell))]
        if pieces:
            inside = [place for place, node in enumerate(section.children) if isinstance(node, nodes.section)]
            place = inside[0] if inside else len(section.children)
            section.children[place:place] = line(pieces)
            for node in section.children:
                node.parent = section


def setup(app) -> dict[str, bool]:
    """Register the extension, after the one that takes away the cells that only wait for an answer."""
    app.connect("doctree-resolved", gather, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
