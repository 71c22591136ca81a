"""Say which answers to a question of an assignment are alike: `python -m tools.similar COURSE graded_ols_proximity`.

Two answers are compared by their syntax trees, in which names are numbers in the order of their appearance and comments
and docstrings do not stand. What the assignment gave to everybody is compared like the rest, so the report says beside
each pair what two answers to that question have in common as a rule.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import NamedTuple

import nbformat

ABOVE = 0.9  # of two trees is the same: then a pair is told
SHORT = 40  # pieces of a tree: two right answers of this size may be the same by chance
BLIND = """\
What this cannot see: an idea taken over and written anew, statements put in another order or into other functions, code
outside the answers' own cells, a source that nobody here handed in, such as a web page or a language model. What it
cannot tell: who wrote first, and whether two worked together as they were allowed to. A short or much guided answer is
much the same in every notebook; the share is evidence to ask about, and no verdict."""


class Pair(NamedTuple):
    """Two students, a question, the share of their answers' trees that is the same, and the median of all pairs."""

    question: str
    students: tuple[str, str]
    share: float
    usual: float


class Numbered(ast.NodeTransformer):
    """Puts numbers in the place of names, in the order in which they appear, and takes docstrings out."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def number(self, name: str) -> str:
        """Return the number of a name."""
        return self.known.setdefault(name, str(len(self.known)))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Return a node in which names are numbers, like those of what is in it."""
        for field in ("id", "arg", "name", "asname"):
            if isinstance(name := getattr(node, field, None), str) and not isinstance(node, ast.alias | ast.keyword):
                setattr(node, field, self.number(name))
        if isinstance(node, ast.alias):
            self.number(node.asname or node.name.partition(".")[0])
            node.asname = None
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not is_text(each)] or [ast.Pass()]
        return super().generic_visit(node)


def is_text(node: ast.AST) -> bool:
    """Return whether a statement is a mere text, as a docstring is."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def pieces(node: ast.AST) -> Iterator[str]:
    """Yield what a tree consists of, from the top: kinds of nodes, and what they say of themselves."""
    own = [f"{name}={value!r}" for name, value in ast.iter_fields(node) if isinstance(value, str | int | float)]
    yield " ".join([type(node).__name__, *own])
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr_context):
            yield from pieces(child)


def read(source: str) -> list[str]:
    """Return the pieces of an answer; none where it is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    return list(pieces(Numbered().visit(tree)))


def alike(first: list[str], second: list[str], above: float = 0.0) -> float:
    """Return the share of two answers that is the same, 0 to 1; a share below `above` may be given too high."""
    match = SequenceMatcher(None, first, second, autojunk=False)
    quick = min(match.real_quick_ratio(), match.quick_ratio())
    return match.ratio() if quick >= above else quick


def answers(course: Path, assignment: str) -> dict[str, dict[str, list[str]]]:
    """Return the answers that were handed in: by question, by student, their pieces.

    Raises
    ------
    ValueError
        If nobody handed that assignment in.
    """
    found: dict[str, dict[str, list[str]]] = {}
    handed_in = sorted((course / "submitted").glob(f"*/{assignment}/{assignment}.ipynb"))
    if not handed_in:
        raise ValueError(f"no submission of {assignment!r} lies below {course / 'submitted'}")
    for path in handed_in:
        for cell in nbformat.read(path, as_version=4).cells:
            place = cell.metadata.get("nbgrader", {})
            if cell.cell_type == "code" and place.get("solution"):
                found.setdefault(place["grade_id"], {})[path.parts[-3]] = read(cell.source)
    return found


def compare(course: Path, assignment: str, above: float = ABOVE) -> tuple[list[Pair], list[str]]:
    """Return the pairs of which more than a share is the same, most first, and what was too short to compare."""
    told, short = [], []
    for question, given in answers(course, assignment).items():
        long = {student: answer for student, answer in given.items() if len(answer) >= SHORT}
        short += [f"{question}: {student}" for student in given if student not in long]
        shares = {pair: alike(long[pair[0]], long[pair[1]], above) for pair in combinations(long, 2)}
        usual = median(shares.values()) if shares else 0
        told += [Pair(question, pair, share, usual) for pair, share in shares.items() if share >= above]
    return sorted(told, key=lambda pair: pair.usual - pair.share), short


def report(course: Path, assignment: str, above: float = ABOVE) -> str:
    """Return what a teacher reads."""
    pairs, short = compare(course, assignment, above)
    lines = [f"{assignment}: {len(pairs)} pairs of answers are the same to {above:.0%} or more."]
    lines += [f"  {p.share:4.0%}  {p.question}: {' and '.join(p.students)} (half of all pairs: below {p.usual:.0%})"
              for p in pairs]  # fmt: skip
    lines += [f"Too short to compare, or no Python: {', '.join(short)}."] if short else []
    return "\n".join([*lines, "", BLIND])


def main() -> None:
    """Print the report on an assignment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("course", type=Path, help="the folder of the course")
    parser.add_argument("assignment", help="such as graded_ols_proximity")
    parser.add_argument("--above", type=float, default=ABOVE, help="the share from which a pair is told")
    given = parser.parse_args()
    try:
        print(report(given.course, given.assignment, given.above))
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
