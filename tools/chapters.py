"""Number the chapters as the contents order them, begin a new one, and find numbers in the text that are wrong.

    .venv/bin/python -m tools.chapters renumber
    .venv/bin/python -m tools.chapters new state_space --after panels_and_filters --title "A state that moves"
    .venv/bin/python -m tools.chapters check

Of all names only those of a chapter's three files carry its number. `renumber` gives them the numbers that their order
in _toc.yml says, and puts the new ones wherever a text leads to such a file or says "chapter 7". `new` begins the three
files and the module of exercises and renumbers what follows; `check` names every link whose words say another number
than its file, and every "chapter 7" on a page that is no link.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import Chapter, chapters  # noqa: E402, where the extensions of the book are

TEXTS = {".py", ".pyi", ".md", ".ipynb", ".yml", ".toml", ".txt", ".css", ".js"}
HISTORY = "CHANGELOG.md"  # says what numbers were
FOLDERS = ("book/solutions", "teach/guide")  # where a chapter has a file of its own name
SPOKEN = re.compile(r"\b(chapters?[ _])(\d+(?:(?:, | and |, and | to )\d+)*)", re.IGNORECASE)
LINK = re.compile(r"\[(?:chapter )?(\d+)\]\([\w./-]*?(\d\d)_\w+\.ipynb(?:#[\w.-]+)?\)", re.IGNORECASE)
ROW = re.compile(r"^\| (\d+) \| \[[^]]+\]\([\w./-]*?(\d\d)_\w+\.ipynb\)", re.MULTILINE)
REFERENCE = re.compile(r"\{ref\}`chapter (\d+) <([\w-]+)>`")
ANCHOR = re.compile(r'<a id=\\?"([\w-]+)\\?"></a>|\(label\) \(([\w-]+)\)')
SOLVED = """\
Answer each exercise before you look.
"""
GUIDE = """\
# Teaching · {title}

Read [the chapter](../../{page}.ipynb) and its [solutions](../../book/solutions/{name}.ipynb). \
Slides, after `make slides`: `_build/revealjs/{page}.html`.

"""
PARTS = ("Outcomes", "Minutes", "On the board", "Predictions", "Pitfalls", "Discussion", "Quiz", "Exercises")
