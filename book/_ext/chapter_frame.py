"""Sphinx extension: a chapter opens with its part, its question, what it makes you able to do, its minutes and needs.

What a reader will be able to do and what comes before are those of the page for teachers (`teach/guide`); the minutes
are counted. Below *Exercises* stands the way to the solutions. In a notebook none of this is there.
"""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath

import yaml
from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder

from chapters import ROOT, Chapter, chapter_of, chapters
from folded_boxes import DEPTH, KIND

OUTCOMES = re.compile(r"(?m)^## Outcomes\n\n((?:- .+\n)+)")
NEEDS = re.compile(r"(?m)^Before it: (.+)$")
INLINE = re.compile(r"\$(?P<math>[^$]+)\$|\[(?P<words>[^]]+)\]\((?P<page>[^)#]+)\.\w+\)|\*(?P<stressed>[^*]+)\*")
# Words a minute, minutes for an explorer and a formula: so that chapters 3 to 5 take what a student said they took.
WORDS, EXPLORER, FORMULA = 80.0, 4.0, 0.25
ROUND = 5  # minutes


def guide_of(chapter: Chapter) -> str:
    """Return the name of the page for teachers of a chapter."""
    return f"teach/guide/{chapter.name}"


def part_of(chapter: Chapter) -> str:
    """Return the caption of the part of a chapter."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    return next(part["caption"] for part in parts if {"file": chapter.page} in part["chapters"])


def stands_open(node: nodes.Node) -> bool:
    """Return whether a reader sees a node without opening anything."""
    while (node := node.parent) is not None:
        if isinstance(node, nodes.section) and (title := node.first_child_matching_class(nodes.title)) is not None:
            if node[title].astext().endswith(DEPTH):
                return False
        elif isinstance(node, nodes.admonition) and KIND in node["classes"]:
            return False
    return True


def minutes(doctree: nodes.document) -> int:
    """Return how long a page takes: its open words, its explorers and its formulas."""
    words = sum(len(text.astext().split()) for text in doctree.findall(nodes.paragraph) if stands_open(text))
    moved = sum('<figure class="regattn"' in raw.astext() for raw in doctree.findall(nodes.raw))
    formulas = sum(stands_open(formula) for formula in doctree.findall(nodes.math_block))
    return max(ROUND, round((words / WORDS + EXPLORER * moved + FORMULA * formulas) / ROUND) * ROUND)


def line(app, docname: str, chapter: Chapter, text: str) -> nodes.paragraph:
    """Return a line of the page for teachers, whose links lead from the chapter."""
    made, end = nodes.paragraph(), 0
    for found in INLINE.finditer(text):
        made += nodes.Text(text[end : found.start()])
        end = found.end()
        if found["math"]:
            made += nodes.math("", found["math"])
        elif found["stressed"]:
            made += nodes.emphasis("", found["stressed"])
        else:
            page = normpath(join(dirname(guide_of(chapter)), found["page"]))
            made += nodes.reference("", found["words"], refuri=app.builder.get_relative_uri(docname, page))
    made += nodes.Text(text[end:])
    return made


def opener(app, doctree: nodes.document, docname: str, chapter: Chapter) -> list[nodes.Element]:
    """Return what a reader will be able to do, the minutes and what comes before, as far as somebody has said it."""
    guide = (ROOT / f"{guide_of(chapter)}.md").read_text(encoding="utf-8")
    outcomes, needs = OUTCOMES.search(guide), NEEDS.search(guide)
    if outcomes is None or needs is None:
        return []
    able = [nodes.list_item("", line(app, docname, chapter, text[2:])) for text in outcomes[1].splitlines()]
    told = nodes.paragraph("", "You will be able to", classes=["of"])
    takes = nodes.paragraph("", f"About {minutes(doctree)} minutes", classes=["of"])
    before = line(app, docname, chapter, f"Before it: {needs[1]}")
    halves = nodes.container("", told, nodes.bullet_list("", *able)), nodes.container("", takes, before)
    return [nodes.container("", *halves, classes=["opener"])]


def lead_of(section: nodes.section) -> nodes.paragraph | None:
    """Return the paragraph that asks the chapter's question, or else its first."""
    own = [node for node in section.children if isinstance(node, nodes.paragraph)]
    asks = (p for p in own if any(bold.astext().endswith("?") for bold in p.findall(nodes.strong)))
    return next(asks, own[0] if own else None)


def frame(app, doctree, docname) -> None:
    """Put the opening around a chapter's first words, and the way to the solutions below its exercises."""
    chapter = chapter_of(docname)
    if chapter is None or not docname.startswith("book/part") or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    section = doctree.next_node(nodes.section)
    lead = lead_of(section)
    if lead is not None:
        lead["classes"].append("lead-question")
        place = section.index(lead) + 1
        section[place:place] = opener(app, doctree, docname, chapter)
    part = f"{part_of(chapter)} · chapter {chapter.number} of {len(chapters())}"
    section.insert(0, nodes.paragraph("", part, classes=["kicker"]))
    for inner in section.findall(nodes.section):
        if inner[0].astext() == "Exercises":
            page = app.builder.get_relative_uri(docname, f"book/solutions/{chapter.name}")
            link = nodes.reference("", "Solutions", refuri=page)
            told = nodes.Text(" stand on a page of their own.")
            inner.insert(1, nodes.paragraph("", "", link, told, classes=["to-solutions"]))


def setup(app) -> dict[str, bool]:
    """Register the extension, before others close or move what is counted."""
    app.connect("doctree-resolved", frame, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
