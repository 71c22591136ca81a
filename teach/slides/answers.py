"""The answers to the exercises of a chapter for the speaker's notes: what its check expects, and how one gets there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import nbformat
from docutils import nodes

from regattn.exercises import exercises
from regattn.exercises._judging import Sheet
from teach.slides import markdown

SOLUTIONS = Path(__file__).parents[2] / "book" / "solutions"
EQUATION = re.compile(r"\[\(([\w-]+)\)\]\([^)]*\)")  # a link by the label, which a page writes as the number
SOLVED = re.compile(
    r"(?m)^\*\*(?:\[Exercise (\d+)\]\([^)]*\)\.|\d+\.(\d+))\*\*(?: \(\[Exercise\]\([^)]*\)\))? ([^\n]+)$"
)


def said(sheet: Sheet) -> str:
    """Return the right answer of an exercise as a teacher says it, numbers with three digits, large ones whole.

    Examples
    --------
    >>> said({"kind": "numbers", "targets": [-0.0952381, 314.159]}), said({"kind": "words", "right": "the mean"})
    ('−0.0952, 314', 'the mean')
    >>> said({"kind": "numbers", "targets": [4096]})
    '4,096'
    """
    if sheet["kind"] == "words":
        return sheet["right"]
    return ", ".join(
        f"{value:{',.0f' if abs(value) >= 1000 else '.3g'}}".replace("-", "−") for value in sheet["targets"]
    )


@cache
def solved(name: str) -> dict[str, str]:
    """Return the first paragraph of each solution of a chapter, such as ``03_ols_proximity``, by its number."""
    cells = nbformat.read(SOLUTIONS / f"{name}.ipynb", as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return {one or other: how for one, other, how in SOLVED.findall(text)}


def answers_of(page: str, numbers: Iterable[str], equations: Mapping[str, str]) -> dict[str, nodes.paragraph]:
    """Return the answers to exercises of a chapter by their numbers, each a paragraph for the notes.

    ``equations`` gives the numbers of equations by their labels. A page without solutions has no answers.
    """
    name = Path(page).name
    if not (SOLUTIONS / f"{name}.ipynb").exists():
        return {}
    slug = name.partition("_")[2]
    asked, how = exercises(slug), solved(name)
    how = {number: EQUATION.sub(lambda link: equations[link[1]], way) for number, way in how.items()}
    return {
        number: markdown.paragraph(f"{said(asked[f'{slug}.{number}'].sheet)}. {how[number]}", "Answer:")
        for number in numbers
    }
