"""Write the quiz of a chapter for the printer: a sheet for students with room to answer, and its key for the teacher.

Both are a page of HTML that needs no network: formulas are MathML. `make votes` writes them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from regattn._files import write_whole
from tools.asked import ROOT, Question, escape, html

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import Chapter
from tex_to_mathml import mathml

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
@page {{ margin: 18mm }}
body {{ font: 12pt/1.5 Georgia, serif; max-width: 170mm; margin: 8mm auto }}
h1 {{ font-size: 15pt; margin: 0 }}
.name {{ margin: 6mm 0 }}
li {{ margin-bottom: 4mm; break-inside: avoid }}
.room {{ height: 26mm; border-bottom: 1px solid #888 }}
</style>
<h1>{title}</h1>
{head}
<ol>
{items}
</ol>
</html>
"""
NAME = '<p class="name">Name: ____________________________ · five minutes, {marks} marks, on paper</p>'
KEY = '<p class="name">Key, for the teacher</p>'
BESIDE = {"accept": "Right, too", "half": "Half of the marks"}


def shown(text: str) -> str:
    """Return a line of Markdown as HTML with MathML."""
    return html(text, lambda tex, display: mathml(tex, display=display))


def asked(question: Question) -> str:
    """Return a question with its marks."""
    return f"{shown(question.text)} ({question.marks})"


def told(question: Question) -> str:
    """Return a question with its key and what else is right or gets half."""
    lines = [f"<strong>{shown(question.why)}</strong>" if question.why else "No key: the private sheet has none."]
    lines += [f"{words}: {shown(question.sheet[name])}" for name, words in BESIDE.items() if name in question.sheet]
    return asked(question) + "".join(f"<br>{line}" for line in lines)


def sheets(title: str, quiz: Sequence[Question]) -> tuple[str, str]:
    """Return the page for students and the page with the key."""
    marks = sum(question.marks for question in quiz)
    blank = "\n".join(f'<li>{asked(question)}<div class="room"></div></li>' for question in quiz)
    key = "\n".join(f"<li>{told(question)}</li>" for question in quiz)
    name = escape(title)
    return (
        PAGE.format(title=f"Quiz · {name}", head=NAME.format(marks=marks), items=blank),
        PAGE.format(title=f"Quiz with key · {name}", head=KEY, items=key),
    )


def write(folder: Path, chapter: Chapter, quiz: Sequence[Question], root: Path = ROOT) -> None:
    """Write both pages of a chapter into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    blank, key = sheets(f"{chapter.number} · {chapter.title(root)}", quiz)
    write_whole(folder / f"{chapter.name}.html", blank)
    write_whole(folder / f"{chapter.name}_key.html", key)
