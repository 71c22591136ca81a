"""Give each student numbers and statements of their own: `python -m tools.variants COURSE graded_masks STUDENTS.txt`.

A question may say `{"window": "2 to 6"}` in its text, its tests and its answers. Everybody's notebook then has a whole
number of their own in its place, 2 to 6, wherever it says the same. Where it says `{variant}`, as in
`np.random.default_rng({variant})`, that is a number below a million. Where a question has a bank of statements, five
are drawn (`tools.statements`). All is drawn from the salt that REGATTN_SALT holds, the student's name and that of the
assignment; the notebooks are written to the folder `release_to`. Marking puts the same into the tests. Without a salt
when assignments are made, everybody gets the first number of each range and the first five statements.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from tools.statements import PLACE, Bank, as_key, as_list, drawn, kept_banks

TOKEN = "{variant}"
RANGE = re.compile(r'\{"(\w+)": "(\d+) to (\d+)"\}')  # in Python a dictionary, which every editor takes for code
MOST = 10**6  # numbers from which one is drawn
Draw = Callable[[str, int, int], int]  # of a name and the two ends of its range


def variant(salt: str, student: str, assignment: str, *names: str) -> int:
    """Return the number of a student in an assignment, 0 to 999,999, the same whenever it is asked for.

    Raises
    ------
    ValueError
        If there is no salt: then everybody could work out the numbers of all.

    Examples
    --------
    >>> variant("a secret", "ada", "graded_masks") == variant("a secret", "ada", "graded_masks")
    True
    """
    if not salt:
        raise ValueError(f"{assignment} has numbers or statements of each student's own, and REGATTN_SALT is not set")
    text = "\0".join((salt, student, assignment, *names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") % MOST


def varies(text: str) -> bool:
    """Return whether a text has a place for a number or for statements of each student's own."""
    return TOKEN in text or RANGE.search(text) is not None or PLACE.search(text) is not None


def settled(text: str, draw: Draw) -> str:
    """Return a text with numbers in the place of its ranges, given what draws one by its name and the two ends.

    Raises
    ------
    ValueError
        If a range ends below its beginning.
    """

    def number(found: re.Match) -> str:
        low, high = int(found[2]), int(found[3])
        if high < low:
            raise ValueError(f"the range {found[0]} ends below its beginning")
        return str(draw(found[1], low, high))

    return RANGE.sub(number, text)


def first(name: str, low: int, high: int) -> int:
    """Return the first number of a range, which everybody has where there is no salt."""
    return low


def is_test(cell: nbformat.NotebookNode, name: str) -> bool:
    """Return whether a cell is a test of a question, which marking has put back as it was."""
    return cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith(f"{name}-")


def personal(
    notebook: nbformat.NotebookNode,
    salt: str,
    student: str,
    assignment: str,
    banks: Mapping[str, Bank] = MappingProxyType({}),
) -> nbformat.NotebookNode:
    """Return a notebook with a student's numbers and statements in every place for them.

    Raises
    ------
    ValueError
        If there is no salt, or a question has a place for statements and no bank.
    """

    def draw(name: str, low: int, high: int) -> int:
        return low + variant(salt, student, assignment, name) % (high - low + 1)

    own = deepcopy(notebook)
    for cell in own.cells:

        def five(found: re.Match, cell: nbformat.NotebookNode = cell) -> str:
            name = found[1]
            if cell.cell_type == "code" and not is_test(cell, name):
                return found[0]  # a cell of the student's own that asks for the key
            if name not in banks:
                raise ValueError(f"the bank of {name} is not in the course: make the assignment {assignment} again")
            asked = drawn(banks[name], lambda *words: variant(salt, student, assignment, name, *words))
            return as_list(asked) if cell.cell_type == "markdown" else as_key(asked)

        cell.source = PLACE.sub(five, cell.source)
        if TOKEN in cell.source:
            cell.source = cell.source.replace(TOKEN, str(variant(salt, student, assignment)))
        cell.source = settled(cell.source, draw)
    return own


def hand_out(course: Path, assignment: str, students: Iterable[str], salt: str) -> list[Path]:
    """Write the notebook of each student, below `release_to` in the folder of a course; return where they are.

    Raises
    ------
    ValueError
        If the assignment was not made, does not vary, there is no salt, or two students have one name.
    """
    released = course / "release" / assignment / f"{assignment}.ipynb"
    if not released.is_file():
        raise ValueError(f"{released} is not there: `make assignments` writes it")
    notebook, names = nbformat.read(released, as_version=4), list(students)
    if not any(varies(cell.source) for cell in notebook.cells):
        raise ValueError(
            f"no cell of {assignment} has a number or statements of each student's own: all get the same. "
            "Was REGATTN_SALT set when `make assignments` wrote it?"
        )
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"these students are named twice: {', '.join(twice)}")
    written, banks = [], kept_banks(course, assignment)
    for student in names:
        path = course / "release_to" / student / assignment / f"{assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(personal(notebook, salt, student, assignment, banks), path)
        written.append(path)
    return written


def varying(course: Path, assignment: str) -> list[str]:
    """Return the names of the questions of an assignment that are each student's own, in its order."""
    notebook = nbformat.read(course / "release" / assignment / f"{assignment}.ipynb", as_version=4)
    return [
        answer.metadata.nbgrader.grade_id
        for text, answer in pairwise(notebook.cells)
        if answer.metadata.get("nbgrader", {}).get("solution") and varies(text.source + answer.source)
    ]


class PutVariant(NbGraderPreprocessor):
    """Put a student's numbers and statements into the cells that marking put back as they were given out."""

    def preprocess(self, nb: nbformat.NotebookNode, resources: dict) -> tuple[nbformat.NotebookNode, dict]:
        """Return the notebook with both in its tests."""
        place, salt = resources["nbgrader"], os.environ.get("REGATTN_SALT", "")
        banks = kept_banks(Path(self.parent.parent.coursedir.root), place["assignment"])
        return personal(nb, salt, place["student"], place["assignment"], banks), resources


def main() -> None:
    """Write the notebooks of a class, whose names stand in a file, one a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("course", type=Path, help="the folder of the course")
    parser.add_argument("assignment", help="such as graded_masks")
    parser.add_argument("students", type=Path, help="a file with the names of the class, one a line")
    given = parser.parse_args()
    names = [name for line in given.students.read_text(encoding="utf-8").splitlines() if (name := line.strip())]
    try:
        written = hand_out(given.course, given.assignment, names, os.environ.get("REGATTN_SALT", ""))
    except ValueError as error:
        sys.exit(str(error))
    print(f"{len(written)} notebooks below {given.course / 'release_to'}")
    print(f"numbers and statements are each student's own in {', '.join(varying(given.course, given.assignment))}")


if __name__ == "__main__":
    main()
