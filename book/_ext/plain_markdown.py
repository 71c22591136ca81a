"""Sphinx extension: pages are written in plain Markdown, and put into MyST just before they are read.

Notebooks are also read outside the book, in editors that know Markdown and ``$$`` and nothing else. So a page says:

- ``<a id="label"></a>``, on a line of its own: what follows has that label.
- ``> **Closer look: …**``, a quotation whose first line is bold: a box, an exercise or a theorem (see `BOXES`).
  `folded_boxes` closes a *Closer look* on the page until it is opened.
- ``[text](../part/chapter.ipynb#label)``: a reference to a label, of a section, a box or an entry of the ledger.
- ``[(label)](#label)``: the number of the equation with that label, which is written ``$$ … $$ (label)``.
- ``[Breiman [2001]](../reference/bibliography.md#Breiman2001)``: a citation; in brackets of its own, a parenthesis.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from sphinx.errors import ExtensionError

ADDRESS = r"\((?:[\w./-]+\.(?:ipynb|md))?#(?P<{0}>[\w.-]+)\)"
WORDS = r"(?:[^][]|\[[^][]*\])+"  # brackets in pairs
CITED = rf"\[{WORDS}\]\([\w./-]*bibliography\.md#[\w-]+\)"
CITATIONS = re.compile(rf"\[(?P<several>{CITED}(?:, {CITED})*)\]|(?P<one>{CITED})")
KEY = re.compile(r"bibliography\.md#([\w-]+)\)")
EQUATION = re.compile(r"\[\((?P<name>[\w-]+)\)\]" + ADDRESS.format("label"))
ELSEWHERE = re.compile(r"\[(?P<text>[^][]+)\]\([\w./-]+\.(?:ipynb|md)#(?P<label>[\w.-]+)\)")
ANCHOR = re.compile(r'<a id="([\w.-]+)"></a>')
TITLE = re.compile(r"> \*\*(.+)\*\*")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


def admonition(classes: str) -> Callable[[re.Match], list[str]]:
    """Return what opens a box of those classes."""
    return lambda title: [f"{{admonition}} {title[0]}", f":class: {classes}"]


def exercise(title: re.Match) -> list[str]:
    """Return what opens an exercise; "Exercise 3.2" has the label ``ex-03-2``."""
    chapter, number = title.groups()
    return [f"{{exercise}} {chapter}.{number}", f":label: ex-{int(chapter):02d}-{number}", ":nonumber:"]


def theorem(title: re.Match) -> list[str]:
    """Return what opens a theorem; "Theorem (No leak)" has the label ``thm-no-leak``."""
    return [f"{{prf:theorem}} {title[1]}", f":label: thm-{title[1].lower().replace(' ', '-')}"]


BOXES: dict[str, Callable[[re.Match], list[str]]] = {
    r"Closer look: .+": admonition("tip closer-look"),
    r"Open question": admonition("note"),
    r"Exercise (\d+)\.(\d+)": exercise,
    r"Theorem \((.+)\)": theorem,
}


def box(lines: list[str]) -> list[str]:
    """Return a quotation as the box that its title names, or as it is when it has no title."""
    title = TITLE.fullmatch(lines[0])
    if title is None:
        return [refer(line) for line in lines]
    for kind, head in BOXES.items():
        if found := re.fullmatch(kind, title[1]):
            body = to_myst("\n".join(re.sub(r"^> ?", "", line) for line in lines[1:]).strip())
            first, *options = head(found)
            return [f"````{first}", *options, "", *body.split("\n"), "````"]
    raise ExtensionError(f"no box is called {title[1]!r}; the kinds are {', '.join(BOXES)}")


def cite(found: re.Match) -> str:
    """Return one citation in the text, or several in a parenthesis."""
    keys = ",".join(KEY.findall(found[0]))
    return f"{{cite:p}}`{keys}`" if found["several"] else f"{{cite:t}}`{keys}`"


def number(found: re.Match) -> str:
    """Return the number of an equation where a link says its label, and anything else as it is."""
    return f"{{eq}}`{found['label']}`" if found["name"] == found["label"] else found[0]


def refer(line: str) -> str:
    """Return a line of text with its links to labels as references; code stays."""
    done, end = [], 0
    for code in [*CODE.finditer(line), None]:
        text = line[end : code.start() if code else None]
        text = EQUATION.sub(number, CITATIONS.sub(cite, text))
        done.append(ELSEWHERE.sub(r"{ref}`\g<text> <\g<label>>`", text))
        if code:
            done.append(code[0])
            end = code.end()
    return "".join(done)


def to_myst(text: str) -> str:
    """Return plain Markdown as MyST."""
    lines, done = text.split("\n"), []
    while lines:
        line = lines.pop(0)
        if fence := FENCE.match(line):
            done.append(line)
            while lines and not lines[0].strip().startswith(fence[1]):
                done.append(lines.pop(0))
            done += [lines.pop(0)] if lines else []
        elif line.startswith(">"):
            quoted = [line]
            while lines and lines[0].startswith(">"):
                quoted.append(lines.pop(0))
            done += box(quoted)
        elif anchor := ANCHOR.fullmatch(line):
            done.append(f"({anchor[1]})=")
        else:
            done.append(refer(line))
    return "\n".join(done)


def read(app, docname: str, source: list[str]) -> None:
    """Put a page into MyST: a text as a whole, a notebook cell by cell."""
    if Path(app.env.doc2path(docname)).suffix != ".ipynb":
        source[0] = to_myst(source[0])
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = to_myst("".join(cell["source"]))
    source[0] = json.dumps(notebook)


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
