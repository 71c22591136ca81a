"""A chapter that Sphinx has resolved, as its sections: what a slide can show of each, and what is said around it.

What can be shown has a kind and is counted by kind within its section, so that the page for teachers can name it:
*equation 2*, *picture*. A cell tagged `slide-code` offers its code, one tagged `no-slide` and a check offer nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from docutils import nodes

QUESTION = re.compile(r"[A-Z][^.?!]*\?")
ASKED, ANSWERED = re.compile(r"Predict \d+\."), re.compile(r"Answer \d+: ")
NUMBERED = re.compile(r"^Exercise\s*\(?((?:\d+\.)?(\d+))\)?\s*")
BOXES = ("exercise_node", "theorem_node", "admonition")
EXERCISES, CLOSING, DEPTH = "Exercises", "What carries over", "In depth"
OUTPUT = "cell_code_output"


@dataclass
class Item:
    """Something that a slide can show, what the notes say first where it stands, and what it is on the page."""

    kind: str
    node: nodes.Element
    top: list[nodes.Element] = field(default_factory=list)
    page: nodes.Element | None = None


@dataclass
class Section:
    """A section of a chapter, or the part before the first one: what can be shown and what is said, in order.

    `around` are its own title and those of the sections that hold it, and `deep` says whether it is in depth.
    """

    title: list[nodes.Node]
    around: tuple[str, ...] = ()
    deep: bool = False
    stream: list[Item | nodes.Element] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Return its title as text, nothing for the part before the first section."""
        return self.around[0] if self.around else ""

    def items(self, *kinds: str) -> list[Item]:
        """Return what can be shown of these kinds, in order."""
        return [part for part in self.stream if isinstance(part, Item) and part.kind in kinds]

    def text(self) -> str:
        """Return all its words."""
        parts = (part.node if isinstance(part, Item) else part for part in self.stream)
        return " ".join([said(self.title), *(part.astext() for part in parts)])


def said(parts: list[nodes.Node]) -> str:
    """Return what nodes say."""
    return "".join(node.astext() for node in parts)


def read(chapter: nodes.section) -> list[Section]:
    """Return the sections of a chapter in order; the first is what stands before them, under the chapter's question."""
    title = chapter.next_node(nodes.title).children
    return list(sections(chapter, question(chapter) or title, (), False))


def question(chapter: nodes.section) -> list[nodes.Node]:
    """Return the question of a chapter: the first before its sections in bold, or else the first."""
    before = list(takewhile(lambda part: not isinstance(part, nodes.section), chapter.children))
    bold = [found for part in before for found in part.findall(nodes.strong) if found.astext().endswith("?")]
    asked = [QUESTION.search(part.astext()) for part in before if isinstance(part, nodes.paragraph)]
    return bold[0].children if bold else [nodes.Text(found[0]) for found in asked if found][:1]


def sections(section: nodes.section, title: list[nodes.Node], around: tuple[str, ...], deep: bool) -> Iterator[Section]:
    """Yield a section and those inside it."""
    here = Section(title, around, deep)
    yield here
    for child in section.children:
        if isinstance(child, nodes.section):
            own = child.next_node(nodes.title).children
            yield from sections(child, own, (said(own), *around), deep or said(own) == DEPTH)
        elif not isinstance(child, nodes.target | nodes.title | nodes.comment):
            here.stream += parts(child)


def parts(node: nodes.Element) -> list[Item | nodes.Element]:
    """Return what a node of a section gives: what can be shown, and what is said."""
    if isinstance(node, nodes.math_block):
        return [Item("equation", node)]
    if node.get("nb_element") == "cell_code":
        return [*printed(node), *shown(node)]
    if isinstance(node, nodes.bullet_list | nodes.enumerated_list):
        return [node, Item("list", node)]
    if isinstance(node, nodes.table):
        return [Item("table", node)]
    if isinstance(node, nodes.block_quote):
        return quoted(node)
    if type(node).__name__ in BOXES:
        return boxed(node)
    return [Item("code", node)] if isinstance(node, nodes.literal_block) else [node]


def quoted(node: nodes.block_quote) -> list[Item | nodes.Element]:
    """Return a step to predict, the answer to one, which is said, or a quotation."""
    text = node.astext().strip()
    if ASKED.match(text):
        return [Item("predict", node)]
    return list(node.children) if ANSWERED.match(text) else [Item("list", node)]


def boxed(node: nodes.Element) -> list[Item | nodes.Element]:
    """Return a box: an exercise or a theorem is shown, a closer look is said."""
    if "closer-look" in node["classes"]:
        heading, *rest = node.children
        title = nodes.paragraph("", "", nodes.strong("", heading.astext()))
        return [title, *(part for part in rest if not isinstance(part, nodes.raw))]
    kind = "exercise" if NUMBERED.match(node.astext()) else "box"
    return [Item(kind, task(node))]


def task(node: nodes.Element) -> nodes.container:
    """Return an exercise, a theorem or an open question as a box: a `section` inside would end the slide."""
    box = nodes.container(classes=["task"])
    heading, *rest = node.children
    box += nodes.paragraph("", "", nodes.strong("", NUMBERED.sub(r"Exercise \1", heading.astext())))
    for child in rest:
        inside = child.children if isinstance(child, nodes.section) else [child]
        box += [part.deepcopy() for part in inside if not isinstance(part, nodes.raw)]
    return box


def numbered(item: Item) -> str:
    """Return the number of an exercise within its chapter."""
    return NUMBERED.match(item.node.astext())[2]


# --- cells ------------------------------------------------------------------------------------------------------------


def shown(cell: nodes.Element) -> list[Item]:
    """Return what a slide can show of a cell."""
    if {"tag_no-slide", "tag_checks"} & set(cell["classes"]):
        return []
    told = [Item("code", cell.next_node(nodes.literal_block))] if "tag_slide-code" in cell["classes"] else []
    return [*told, *(Item(kind, node) for kind, node in rich(cell))]


def rich(cell: nodes.Element) -> Iterator[tuple[str, nodes.Element]]:
    """Yield the outputs of a cell that are no mere text, with their kinds."""
    for output in cell.findall(lambda node: isinstance(node, nodes.Element) and node.get("nb_element") == OUTPUT):
        for node in output.findall(lambda node: isinstance(node, nodes.image | nodes.raw | nodes.literal_block)):
            classes = {*node["classes"], *node.parent["classes"]}
            if isinstance(node, nodes.image):
                yield "picture", node
            elif isinstance(node, nodes.raw):
                yield ("explorer" if 'class="regattn"' in node.astext() else "table"), node
            elif not {"stream", "text_plain"} & classes:
                yield "code", node


def printed(cell: nodes.Element) -> list[nodes.Element]:
    """Return what a cell prints, for the notes."""
    return [node for node in cell.findall(nodes.literal_block) if "stream" in node["classes"]]
