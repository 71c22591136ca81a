"""Lines of Markdown, as the pages for teachers have them, as nodes of a deck."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

MARKDOWN = MarkdownIt("commonmark").use(dollarmath_plugin, double_inline=True)
ELEMENTS = {"em_open": nodes.emphasis, "strong_open": nodes.strong}


def inline(text: str) -> list[nodes.Node]:
    """Return a line of Markdown as nodes; a link is its words, since it leads into the book."""
    root = nodes.paragraph()
    stack: list[nodes.Element] = [root]
    for token in MARKDOWN.parseInline(text)[0].children:
        if token.type in ELEMENTS:
            stack.append(ELEMENTS[token.type]())
            stack[-2].append(stack[-1])
        elif token.type in ("em_close", "strong_close"):
            stack.pop()
        elif token.type.startswith("math_inline"):
            stack[-1].append(nodes.math(token.content, token.content))
        elif token.type == "code_inline":
            stack[-1].append(nodes.literal(token.content, token.content))
        elif token.type == "softbreak":
            stack[-1].append(nodes.Text(" "))
        elif token.content:
            stack[-1].append(nodes.Text(token.content))
    return root.children


def paragraph(text: str, head: str = "", **options) -> nodes.paragraph:
    """Return a line of Markdown as a paragraph, with words in bold before it."""
    begin = [nodes.strong("", head), nodes.Text(" ")] if head else []
    return nodes.paragraph("", "", *begin, *inline(text), **options)


def listed(texts: Iterable[str], kind: type[nodes.Element] = nodes.bullet_list) -> nodes.Element:
    """Return lines of Markdown as a list."""
    return kind("", *(nodes.list_item("", paragraph(text)) for text in texts))
