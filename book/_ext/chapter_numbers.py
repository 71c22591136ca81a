"""Sphinx extension: a page says the number of its chapter where its file does not, in its title and its exercises.

In a notebook ``# Least squares as proximity`` and ``> **Exercise 2**`` stand without it: a chapter that moves changes
its file's name and nothing else. Here they become "3 · Least squares as proximity" and "Exercise 3.2", and the labels
of one page, ``#ex-2`` and ``#open-question``, become those of the book, ``#ex-03-2`` and ``#open-question-03``.
"""

from __future__ import annotations

import json
import re

from chapters import Chapter, chapter_of

NAMED = re.compile(r"\b([Ee]xercises?) (\d+)(?: and (\d+))?(?![\d.]*\d)")
ANCHOR = re.compile(r"(?P<file>(\d\d)_\w+\.ipynb)?#(?P<label>ex(?=-\d)|open-question)(?P<rest>[-\d]*)(?=\))")
SHORT = re.compile(r"\[(\d+)\](?=\([^)]*#ex-(\d\d)-)")
OPEN = '<a id="open-question"></a>'


def title(text: str, chapter: Chapter) -> str:
    """Return a text whose title has the number: "3 · Tokens" for a chapter, "Solutions 3 · Tokens" beside it."""
    own = chapter.page.startswith("book/part")
    pattern, replacement = (r"^# ", f"# {chapter.number} · ") if own else (r"^(# \w+) · ", rf"\1 {chapter.number} · ")
    return re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)


def exercises(text: str, chapter: Chapter) -> str:
    """Return a text whose exercises, and links to those of any chapter, have the number."""

    def anchor(found: re.Match) -> str:
        return f"{found['file'] or ''}#{found['label']}-{found[2] or f'{chapter.number:02d}'}{found['rest']}"

    def name(found: re.Match) -> str:
        numbers = [f"{chapter.number}.{number}" for number in found.groups()[1:] if number]
        return f"{found[1]} {' and '.join(numbers)}"

    text = ANCHOR.sub(anchor, text.replace(OPEN, f'<a id="open-question-{chapter.number:02d}"></a>'))
    return NAMED.sub(name, SHORT.sub(lambda found: f"[{int(found[2])}.{found[1]}]", text))


def number(app, docname: str, source: list[str]) -> None:
    """Put the number into a page of a chapter, before its Markdown is put into MyST."""
    chapter = chapter_of(docname)
    if chapter is None:
        return
    if not app.env.doc2path(docname).endswith(".ipynb"):
        source[0] = exercises(title(source[0], chapter), chapter)
        return
    notebook = json.loads(source[0])
    texts = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    for cell in texts:
        cell["source"] = exercises("".join(cell["source"]), chapter)
    texts[0]["source"] = title(texts[0]["source"], chapter)
    source[0] = json.dumps(notebook)


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("source-read", number, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
