"""Make the assignments of the book and the folder in which they are graded: `make assignments`.

Every chapter gives a practice assignment: its exercises, with the book's own checks as tests and the code of its
solutions as model answers; nothing is written a second time. Beside it stands a graded one. Its questions are those of
the private folder that REGATTN_PRIVATE names, or, for a chapter to which it has none, those of teach/questions: their
hidden tests and their model answers call the package, and a student's answers may not. REGATTN_COURSE names the folder
of the course, otherwise _build/assignments. `make assignments CHAPTERS="masks panels"` writes those of some chapters.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import json
import logging
import os
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

import jupytext
import nbformat
from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    Execute,
    IgnorePattern,
    LimitOutput,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from traitlets.config import Config

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tools import statements  # noqa: E402
from tools.choice import Chapter, chapters, chosen  # noqa: E402
from tools.marking import ForgetErrorStream, RefusePackage, RestoreCells  # noqa: E402
from tools.variants import Draw, PutVariant, first, settled, varies  # noqa: E402

PUBLIC = ROOT / "teach" / "questions"  # for chapters to which a private folder has none
COURSE = ROOT / "_build" / "assignments"
SECONDS = 120  # that a cell may run before it is stopped
PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
STUBS = {"practice": "answer = ...", "graded": "...  # your answer"}
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

EXERCISE = re.compile(r"> \*\*Exercise (\d+)\*\*\n>\n((?:>.*(?:\n|$))+)")
OPEN = re.compile(r"> \*\*Open question\*\*\n>\n((?:>.*(?:\n|$))+)")
RULES = """\
Write your answer where it says `...`, run the cell, then the tests below it. The questions are marked by tests, of
which some are hidden: they call your function on numbers that you have not seen. What each test is for stands above it.
Your notebook is run afresh, from top to bottom; a cell that takes longer than {seconds} seconds is stopped and its mark
lost, and a cell that ends Python takes the marks of the whole notebook with it. Tests that were changed or deleted are
put back. Use NumPy and not the package: a cell of yours that imports `regattn`, or imports in a way that hides what, is
refused when you run it, and emptied before marking."""
SETUP = """\
import numpy as np

from regattn.exercises import refuse_package

refuse_package()  # a cell that would get no marks says so when it is run
del refuse_package"""
PRACTICE = """\
The exercises of chapter {number} as an assignment to practise on. Put your answer where it says `...`; the cell below
says right, or gives a hint. The chapter is beside you: use what it computes."""

CONFIG = """\
# Written by `make assignments`: with it, nbgrader run in this folder grades as the guide of the book says.
import sys
from pathlib import Path
from textwrap import indent

sys.path.insert(0, {root!r})
from tools.assignments import settings

c = get_config()
c.merge(settings(Path(__file__).parent.resolve()))
"""


class Test(NamedTuple):
    """A test of an answer: its code, its marks, what they are for, whether students see it, or judges statements."""

    source: str
    points: int
    why: str
    hidden: bool
    judges: bool = False


class Wrong(NamedTuple):
    """A typical wrong answer, what is wrong with it, the marks that it gets, and whether it is what a chapter cures."""

    source: str
    marks: int
    why: str
    misconception: bool


class Question(NamedTuple):
    """A question of a graded assignment: `answer` holds the model answer between the marks of a solution.

    `bank` holds its statements where it has some, five of which are asked.
    """

    name: str
    text: str
    answer: str
    tests: list[Test]
    wrong: list[Wrong]
    bank: statements.Bank = ()

    @property
    def points(self) -> int:
        """The marks of a full answer."""
        return sum(test.points for test in self.tests)

    def varies(self) -> bool:
        """Return whether it has a place for a number or for statements of each student's own."""
        return varies("\n".join([self.text, self.answer, *(test.source for test in self.tests)]))

    def settled(self, draw: Draw = first, pick: statements.Pick = statements.first) -> Question:
        """Return the question with a number in the place of each range and five of its statements in theirs.

        Without a salt these are the first.
        """
        return (self.picked(pick) if self.bank else self).numbered(draw)

    def picked(self, pick: statements.Pick) -> Question:
        """Return the question with five statements of its bank in their places."""
        five, place = pick(self.name, self.bank), statements.place(self.name)
        return self._replace(
            text=self.text.replace(place, statements.as_list(five)),
            answer=self.answer.replace(statements.SET, statements.as_set(five)),
            tests=[test._replace(source=test.source.replace(place, statements.as_key(five))) for test in self.tests],
        )

    def numbered(self, draw: Draw) -> Question:
        """Return the question with a number in the place of each range."""
        return self._replace(
            text=settled(self.text, draw),
            answer=settled(self.answer, draw),
            tests=[test._replace(source=settled(test.source, draw)) for test in self.tests],
            wrong=[wrong._replace(source=settled(wrong.source, draw)) for wrong in self.wrong],
            bank=[
                each._replace(words=settled(each.words, draw), because=settled(each.because, draw))
                for each in self.bank
            ],
        )


def code_cell(source: str, name: str, **kind: Any) -> nbformat.NotebookNode:
    """Return a cell of code as nbgrader knows it: locked, unless `kind` says that it is a solution."""
    plain = {"grade": False, "solution": False, "task": False, "locked": not kind.get("solution")}
    return new_code_cell(source, metadata={"nbgrader": {"schema_version": 3, "grade_id": name} | plain | kind})


def notebook(cells: Sequence[nbformat.NotebookNode]) -> nbformat.NotebookNode:
    """Return a notebook whose cells are numbered, so that it is the same whenever it is made."""
    for place, cell in enumerate(cells):
        cell.id = f"cell-{place}"
    return new_notebook(cells=cells, metadata=PYTHON)


CHAPTERS = {chapter.slug: chapter for chapter in chapters(ROOT)}


@cache
def read(path: Path) -> nbformat.NotebookNode:
    """Return a notebook of the book."""
    return nbformat.read(path, as_version=4)


def code_of(cells: Iterable[nbformat.NotebookNode]) -> list[str]:
    """Return the sources of cells of code."""
    return [cell.source for cell in cells if cell.cell_type == "code"]


def check_call(source: str) -> ast.Call | None:
    """Return the call of `check` in the top level of a cell, or None where there is none."""
    for node in ast.parse(source).body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "check":
            return call
    return None


def model_answers(solutions: nbformat.NotebookNode) -> dict[str, str]:
    """Return for each exercise the code that answers it and leaves its value in `answer`.

    That is all code since the exercise before, or since the beginning; what is checked at its end is the answer.
    """
    found: dict[str, str] = {}
    since: list[str] = []
    for source in code_of(solutions.cells):
        call = check_call(source)
        if call is None:
            since.append(source)
            continue
        name, value = call.args
        answer = ast.get_source_segment(source, value)
        above = "\n".join(source.split("\n")[: call.lineno - 1])
        last = "" if answer == "answer" else f"answer = {answer}"
        found[name.value] = "\n".join([*since, above.strip("\n"), last]).strip()
        since = []
    return found


def imports(chapter: nbformat.NotebookNode) -> str:
    """Return the imports of a chapter: those of its solutions would tell how an exercise is solved."""
    first = next(source for source in code_of(chapter.cells) if "from regattn" in source)
    lines = [ast.get_source_segment(first, node) for node in ast.parse(first).body
             if isinstance(node, ast.Import | ast.ImportFrom)]  # fmt: skip
    return "\n".join(lines)


def unlinked(quoted: str) -> str:
    """Return a quotation as plain text whose links into the book, which do not lead from here, are their words."""
    text = re.sub(r"^> ?", "", quoted, flags=re.MULTILINE).strip()
    text = re.sub(r" \(The \[solutions\]\([^)]*\)[^)]*\)", "", text)
    return re.sub(r"\[((?:[^][]|\[[^][]*\])+)\]\((?!https?:)[^)]*\)", r"\1", text)


def names_in(code: str) -> set[str]:
    """Return the names that a piece of code uses or binds, except those of Python; none where it is no code."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return set()
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    found |= {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)
              for alias in node.names}  # fmt: skip
    return found - set(dir(builtins))


def of_the_chapter(texts: Iterable[str], chapter: nbformat.NotebookNode) -> list[str]:
    """Return the objects of the chapter that exercises name and its imports do not bring."""
    named = {name for text in texts for code in re.findall(r"`([^`]+)`", text) for name in names_in(code)}
    there = {name for source in code_of(chapter.cells) for name in names_in(source)}
    return sorted(named & there - names_in(imports(chapter)))


def title_of(chapter: Chapter) -> str:
    """Return the title of a chapter with its number."""
    return f"{chapter.number} · {chapter.title(ROOT)}"


def practice(name: str) -> nbformat.NotebookNode:
    """Return the source of a chapter's practice assignment."""
    of = CHAPTERS[name]
    chapter = read(ROOT / f"{of.page}.ipynb")
    solutions = read(ROOT / "book" / "solutions" / f"{of.name}.ipynb")
    text = "\n\n".join(cell.source for cell in chapter.cells if cell.cell_type == "markdown") + "\n"
    exercises = {f"{name}.{one}": unlinked(body) for one, body in EXERCISE.findall(text)}
    models = model_answers(solutions)
    if set(models) != set(exercises):
        raise ValueError(f"chapter {name!r} sets {sorted(exercises)}, but its solutions answer {sorted(models)}")
    cells = [new_markdown_cell(f"# Practice: {title_of(of)}\n\n{PRACTICE.format(number=of.number)}")]
    cells.append(code_cell(imports(chapter), "setup"))
    if wanted := of_the_chapter(exercises.values(), chapter):
        names = ", ".join(f"`{name}`" for name in wanted)
        cells += [new_markdown_cell(f"Copy here the cells of the chapter that make {names}."), new_code_cell("")]
    for exercise, body in exercises.items():
        one = exercise.partition(".")[2]
        label = f"ex-{one}"
        test = f'verdict = check("{exercise}", answer)\nassert verdict, verdict.message\nprint(verdict)'
        cells += [
            new_markdown_cell(f"**Exercise {one}**\n\n{body}"),
            code_cell(f"{BEGIN}\n{models[exercise]}\n{END}", label, solution=True),
            code_cell(test, f"{label}-test", grade=True, points=1),
        ]
    cells += [new_markdown_cell(f"**Open question**\n\n{unlinked(body)}") for body in OPEN.findall(text)]
    return notebook([*cells, new_markdown_cell("*Your thoughts on it:*")])


def private_folder() -> Path | None:
    """Return the folder of a teacher's own questions, or None where none is named: then all are the public ones."""
    named = os.environ.get("REGATTN_PRIVATE")
    if named and not (Path(named) / "questions").is_dir():
        raise ValueError(f"the private folder {named!r} has no folder 'questions'")
    return Path(named) if named else None


def read_tests(path: Path, cells: Iterable[tuple[nbformat.NotebookNode, set[str]]]) -> list[Test]:
    """Return the tests of a question, given its cells of code with their tags; that of the statements becomes two."""
    found = []
    for cell, tags in cells:
        if "test" not in tags:
            continue
        why, points = cell.metadata["why"], cell.metadata["points"]
        if "statements" in tags:
            both = statements.as_tests(cell.source, path.stem)
            found += [Test(source, 1, f"{why}: {asked}", hidden=True, judges=True) for source, asked in both]
        else:
            found.append(Test(cell.source, points, why, "hidden" in tags))
    return found


def read_bank(path: Path, cells: Sequence[nbformat.NotebookNode], text: str, answer: str) -> statements.Bank:
    """Return the bank of statements that a question has, none where it has none; all that goes with it is checked."""
    tagged = [(cell, cell.metadata.get("tags", [])) for cell in cells]
    banks = [cell.source for cell, tags in tagged if "statements" in tags and cell.cell_type == "markdown"]
    tests = [
        (cell.source, cell.metadata.get("points", 0), "hidden" in tags)
        for cell, tags in tagged
        if "statements" in tags and cell.cell_type == "code"
    ]
    solution = answer.partition(BEGIN)[2].partition(END)[0]
    statements.check_form(path.name, text, solution, tests, banked=bool(banks))
    return statements.read_bank("\n".join(banks), path.name) if banks else ()


def read_question(path: Path) -> Question:
    """Return a question from its file, whose cells say by their tags what they are.

    Raises
    ------
    ValueError
        If the file has no text, not one model answer, no test, or a wrong answer without its marks, or if its bank of
        statements lacks something.
    """
    cells = jupytext.read(path, fmt="py:percent").cells
    tagged = [(cell, set(cell.metadata.get("tags", []))) for cell in cells if cell.cell_type == "code"]
    text = "\n\n".join(
        cell.source
        for cell in cells
        if cell.cell_type == "markdown" and "statements" not in cell.metadata.get("tags", [])
    )
    answers = [cell.source for cell, tags in tagged if "answer" in tags]
    if not text or len(answers) != 1 or not any("test" in tags for _, tags in tagged):
        raise ValueError(f"{path.name} needs a text, one model answer and tests; it has {len(answers)} answers")
    if BEGIN not in answers[0] or END not in answers[0]:
        raise ValueError(f"the model answer of {path.name} must stand between {BEGIN!r} and {END!r}")
    bank = read_bank(path, cells, text, answers[0])
    text = text.replace(statements.LIST, statements.place(path.stem)) if bank else text
    wrong = [
        Wrong(cell.source, cell.metadata["marks"], cell.metadata["why"], "misconception" in tags)
        for cell, tags in tagged
        if "wrong" in tags
    ]
    question = Question(path.stem, text, answers[0], read_tests(path, tagged), wrong, bank)
    high = [each.why for each in wrong if each.marks >= question.points]
    if high:
        raise ValueError(f"wrong answers of {path.name} get full marks: {high}")
    return question


def questions(name: str, folder: Path | None) -> list[Question]:
    """Return the questions that a private folder has for a chapter, or else the public ones."""
    own = sorted((folder / "questions" / name).glob("*.py")) if folder else []
    return [read_question(path) for path in own or sorted((PUBLIC / name).glob("*.py"))]


def rubric(question: Question) -> str:
    """Return what the marks of a question are for."""
    lines = [f"{test.points or 'none'} for {test.why}{' (hidden)' if test.hidden else ''}" for test in question.tests]
    return f"*{question.points} marks: {'; '.join(lines)}.*"


def alone(source: str) -> str:
    """Return a test as a function that is called and taken away: an answer finds nothing that the test imports."""
    return f"def hidden_test():\n{indent(source, '    ')}\n\n\ntry:\n    hidden_test()\nfinally:\n    del hidden_test"


def as_run(test: Test) -> str:
    """Return the code of a test as it stands in the cell that gives its marks."""
    if test.hidden:
        return f"### BEGIN HIDDEN TESTS\n{alone(test.source)}\n### END HIDDEN TESTS"
    return explained(test.source, test.why)


def explained(source: str, why: str) -> str:
    """Return a test whose assertions that say nothing when they fail say what the test is for.

    Examples
    --------
    >>> explained("assert double(3) == 6", "three")
    'assert double(3) == 6, "expected: three"'
    """
    lines = source.split("\n")
    silent = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assert) and node.msg is None]
    for node in silent:
        line = lines[node.end_lineno - 1].encode()
        before, after = line[: node.end_col_offset].decode(), line[node.end_col_offset :].decode()
        lines[node.end_lineno - 1] = f"{before}, {json.dumps(f'expected: {why}', ensure_ascii=False)}{after}"
    return "\n".join(lines)


def graded(name: str, asked: Sequence[Question]) -> nbformat.NotebookNode:
    """Return the source of a chapter's graded assignment."""
    cells = [new_markdown_cell(f"# For marks: {title_of(CHAPTERS[name])}\n\n{RULES.format(seconds=SECONDS)}")]
    cells.append(code_cell(SETUP, "setup"))
    for question in asked:
        cells.append(new_markdown_cell(f"{question.text}\n\n{rubric(question)}"))
        cells.append(code_cell(question.answer, question.name, solution=True))
        for place, test in enumerate(question.tests, 1):
            head = f"# {test.points or 'none'} of {question.points}: {test.why}"
            cells.append(
                code_cell(f"{head}\n{as_run(test)}", f"{question.name}-{place}", grade=True, points=test.points)
            )
    return notebook(cells)


def sheet(asked: Sequence[Question]) -> str:
    """Return the teacher's sheet on an assignment: what marks are for and what typical mistakes get."""
    lines = []
    for question in asked:
        lines += [f"## {question.name}", "", rubric(question), "", "| typical mistake | marks |", "|---|---|"]
        lines += [f"| {wrong.why} | {wrong.marks} of {question.points} |" for wrong in question.wrong]
        lines.append("")
        if question.bank:
            whose = "Each student judges five of these statements, without a salt the first five:"
            lines += [whose, "", *statements.as_rows(question.bank), ""]
    return "\n".join(lines)


def counted(course: Path) -> list[str]:
    """Return the sheets that count: those that somebody has handed in, all of them before the first hand-in."""
    every = sorted(path.name for path in (course / "source").glob("graded_*"))
    return [name for name in every if any((course / "submitted").glob(f"*/{name}"))] or every


def settings(course: Path, kind: str = "graded") -> Config:
    """Return the settings of nbgrader for a course."""
    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.course_id = "regattn"
    config.Exchange.root = str(course / "exchange")
    config.ClearSolutions.code_stub = {"python": STUBS[kind]}
    config.Execute.timeout = int(os.environ.get("REGATTN_SECONDS", SECONDS))
    config.CsvExportPlugin.assignment = counted(course)
    config.Autograde.sanitize_preprocessors = [
        ClearOutput,
        DeduplicateIds,
        OverwriteKernelspec,
        RestoreCells,
        OverwriteCells,
        PutVariant,
        CheckCellMetadata,
        RefusePackage,
    ]
    config.Autograde.autograde_preprocessors = [
        Execute,
        ForgetErrorStream,
        IgnorePattern,
        ClearMetadataPreprocessor,
        LimitOutput,
        SaveAutoGrades,
        AssignLatePenalties,
        CheckCellMetadata,
    ]
    os.environ["REGATTN_MARKING"] = "1"  # for the kernels of this process: tests there call the package
    return config


def open_course(course: Path, kind: str = "graded") -> NbGraderAPI:
    """Return nbgrader for a course; `kind` says which assignments it gives out."""
    programs = str(Path(sys.executable).parent)  # nbgrader calls one by its name, also where none is activated
    if programs not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ["PATH"]])
    config = settings(course, kind)
    return NbGraderAPI(CourseDirectory(config=config), config=config)


def done(result: dict) -> None:
    """Leave with what nbgrader said if it did not do what it was asked for."""
    if not result["success"]:
        raise RuntimeError(result.get("error") or result.get("log"))


def write_assignment(course: Path, name: str, source: nbformat.NotebookNode) -> None:
    """Write the source of an assignment and what nbgrader makes of it for students."""
    path = course / "source" / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(source, path)
    api = open_course(course, name.partition("_")[0])
    with Gradebook(api.coursedir.db_url, "regattn") as gradebook:
        gradebook.update_or_create_assignment(name)
    done(api.generate_assignment(name))


def build(course: Path, names: Iterable[str] = (), private: Path | None = None, *, varied: bool = False) -> list[str]:
    """Write the assignments of some chapters, or of all, into the folder of a course; return their names.

    Where they are `varied`, a question keeps its ranges and its bank, and `tools.variants` gives each student a number
    and five statements.
    """
    (course / "exchange").mkdir(parents=True, exist_ok=True)
    (course / "nbgrader_config.py").write_text(CONFIG.format(root=str(ROOT)), encoding="utf-8")
    written = []
    for name in names or CHAPTERS:
        write_assignment(course, f"practice_{name}", practice(name))
        written.append(f"practice_{name}")
        asked = questions(name, private or private_folder())
        if asked := asked if varied else [question.settled() for question in asked]:
            banks = {question.name: question.bank for question in asked if question.bank} if varied else {}
            statements.write_banks(course, f"graded_{name}", banks)
            write_assignment(course, f"graded_{name}", graded(name, asked))
            written.append(f"graded_{name}")
            path = course / "rubrics" / f"graded_{name}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"# Chapter {title_of(CHAPTERS[name])}\n\n{sheet(asked)}", encoding="utf-8")
    return written


def numbers_line(vary: Sequence[str], varied: bool) -> str:
    """Return whose numbers and statements are, given the names of questions that vary and whether there is a salt."""
    if not vary:
        return "Numbers and statements are the same for all: none of these questions vary."
    if varied:
        return f"Numbers and statements are each student's own in {', '.join(vary)}."
    same = "Numbers and statements are the same for all: REGATTN_SALT is not set"
    return f"{same}, with which {', '.join(vary)} would vary."


def main(names: Sequence[str]) -> None:
    """Build the course, or what it has of the chapters that are named, and say what is where."""
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    course = Path(os.environ.get("REGATTN_COURSE") or COURSE).resolve()
    private, varied = private_folder(), bool(os.environ.get("REGATTN_SALT"))
    written = build(course, [chapter.slug for chapter in chosen(names)], private, varied=varied)
    marked = [name.removeprefix("graded_") for name in written if name.startswith("graded_")]
    own = [name for name in marked if private and any((private / "questions" / name).glob("*.py"))]
    print(f"{len(written) - len(marked)} practice assignments, {len(marked)} for marks")
    vary = [question.name for name in marked for question in questions(name, private) if question.varies()]
    print(numbers_line(vary, varied))
    if public := [name for name in marked if name not in own]:
        print(f"The questions of {', '.join(public)} are public: REGATTN_PRIVATE names a folder of your own.")
    print(f"for students: {course / 'release'}; with the answers, never to be published: {course / 'source'}")


if __name__ == "__main__":
    try:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("chapters", nargs="*", help="a chapter by number, name or a part of it; all without one")
        main(parser.parse_args().chapters)
    except ValueError as error:
        sys.exit(str(error))
