"""Assignments: what they ask, and the marks that nbgrader gives to right, wrong, blank and broken submissions."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import jupytext
import nbformat
import numpy as np
import pandas as pd
import pytest
from nbgrader.api import Gradebook

from regattn.exercises._marking import package_call
from tools import assignments
from tools.assignments import (
    BEGIN,
    CHAPTERS,
    END,
    PUBLIC,
    build,
    open_course,
    questions,
    read_question,
)
from tools.marking import grade_id

pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # how nbgrader uses its database
TOOLS = [f"tools/{name}.py" for name in ("assignments", "choice", "marking", "statements", "variants")]
CONCERNS = (
    *TOOLS,
    "teach/questions/",
    "teach/requirements.txt",
    "requirements",
    "regattn/exercises/",
    *(f"tests/teach/test_{name}.py" for name in ("assignments", "statements", "variants")),
)
grading = pytest.mark.weekly(*CONCERNS)  # in kernels of its own

EXAMPLE = assignments.ROOT / "teach" / "example_private"
QUICK = "ols_proximity"  # the chapter that `make test` looks at
PATIENCE = 900  # seconds for a cell of any other, on a machine that is busy: the answer to 2.6 trains twelve networks
SECONDS = 3  # a cell of a broken submission may run: what is asked there takes a thousandth of one
EVERY = [pytest.param(name, marks=[] if name == QUICK else pytest.mark.long) for name in CHAPTERS]
ASKED = [*sorted((EXAMPLE / "questions").glob("*/*.py")), *sorted(PUBLIC.glob("*/*.py"))]
FORM = """\
# %% [markdown]
# Double a number.

# %% tags=["answer"]
def double(number):
    ### BEGIN SOLUTION
    return 2 * number
    ### END SOLUTION

# %% tags=["test"] points=1 why="three"
assert double(3) == 6
"""

Change = Callable[[nbformat.NotebookNode], object]


class Course:
    """A course in a folder, with some chapters, whose submissions can be graded."""

    def __init__(self, folder: Path, chapters: list[str], *, varied: bool = False, public: bool = False) -> None:
        self.folder = folder
        self.names = build(folder, chapters, None if public else EXAMPLE, varied=varied)

    def released(self, name: str) -> nbformat.NotebookNode:
        return nbformat.read(self.folder / "release" / name / f"{name}.ipynb", as_version=4)

    def source(self, name: str) -> nbformat.NotebookNode:
        return nbformat.read(self.folder / "source" / name / f"{name}.ipynb", as_version=4)

    def hand_in(self, name: str, student: str, change: Change) -> None:
        """Hand in an assignment after a change of what students were given."""
        notebook = self.released(name)
        change(notebook)
        path = self.folder / "submitted" / student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)

    def marks(self, name: str, student: str) -> dict[str, float]:
        """Return the marks of a student by the name of the test."""
        with Gradebook(open_course(self.folder).coursedir.db_url, "regattn") as gradebook:
            found = gradebook.find_submission_notebook(name, name, student)
            return {grade.name: grade.score for grade in found.grades}

    def score(self, name: str, student: str, change: Change, *, package: bool = False) -> tuple[float, float]:
        """Return the marks that a submission gets, which may call the package or not, and the most one could get."""
        self.hand_in(name, student, change)
        nbgrader = open_course(self.folder)
        nbgrader.config.RefusePackage.enabled = not package
        nbgrader.config.Execute.timeout = PATIENCE
        result = nbgrader.autograde(name, student)
        assert result["success"], result
        return self.graded(name, student)

    def graded(self, name: str, student: str) -> tuple[float, float]:
        """Return the marks in the gradebook and the most that one could get."""
        with Gradebook(open_course(self.folder).coursedir.db_url, "regattn") as gradebook:
            found = gradebook.find_submission(name, student)
            return found.score, found.max_score


def exercises(chapter: str) -> dict:
    """Return the exercises of a chapter, without waiting for what those of the others import."""
    return import_module(f"regattn.exercises.{chapter}").EXERCISES


def nothing(notebook: nbformat.NotebookNode) -> None:
    """Hand in what was given out."""


def answers(sources: dict[str, str]) -> Change:
    """Return what puts code into the cells of these names."""

    def change(notebook: nbformat.NotebookNode) -> None:
        put = [cell for cell in notebook.cells if grade_id(cell) in sources]
        assert len(put) == len(sources)
        for cell in put:
            cell.source = sources[grade_id(cell)]

    return change


def solved(course: Course, name: str) -> Change:
    """Return what puts the model answers in."""
    cells = course.source(name).cells
    return answers({grade_id(cell): cell.source for cell in cells if cell.metadata.get("nbgrader", {}).get("solution")})


def mistaken(chapter: str, which: int) -> tuple[Change, int]:
    """Return what gives the right answer to every exercise but those with that many typical mistakes, and the marks."""
    given, marks = {}, 0
    for number, exercise in exercises(chapter).items():
        sheet = exercise.sheet
        right = sheet["right"] if sheet["kind"] == "words" else sheet["targets"]
        wrong = [each["option"] if sheet["kind"] == "words" else each["values"] for each in sheet["mistakes"]]
        alternate = len(given) % 2 == which % 2 or which >= len(wrong)  # every other exercise, in turn
        given[f"ex-{number}"] = f"answer = {right if alternate else wrong[which]!r}"
        marks += alternate
    return answers(given), marks


@pytest.fixture(scope="module")
def courses(tmp_path_factory) -> Callable[[str], Course]:
    """Return the course with one chapter, built when it is first asked for."""
    known: dict[str, Course] = {}

    def with_chapter(name: str) -> Course:
        if name not in known:
            known[name] = Course(tmp_path_factory.mktemp(f"course_{name}"), [name])
        return known[name]

    return with_chapter


@pytest.fixture(scope="module")
def course(courses) -> Course:
    """Return a course with the chapter that is looked at quickly."""
    return courses(QUICK)


@pytest.fixture
def chapter(request, courses) -> Course:
    """Return a course with one chapter."""
    return courses(request.param)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_practice_assignment_asks_every_exercise_of_its_chapter_and_answers_none(name):
    module = (assignments.ROOT / "regattn" / "exercises" / f"{name}.py").read_text(encoding="utf-8")
    asked = re.findall(r"(?m)^    (\d+): Exercise", module)
    assert asked
    source = assignments.practice(name)
    labels = [grade_id(cell) for cell in source.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    assert labels == [f"ex-{number}-test" for number in sorted(asked)]
    text = "\n".join(cell.source for cell in source.cells if cell.cell_type == "markdown")
    assert re.findall(r"\]\((?!https?:)", text) == []  # a link into the book leads nowhere from here
    assert "> " not in text.splitlines()


def test_what_students_get_holds_no_answer_and_no_hidden_test(course):
    assert course.names == [f"practice_{QUICK}", f"graded_{QUICK}"]
    for name in course.names:
        given = "\n".join(cell.source for cell in course.released(name).cells)
        assert "SOLUTION" not in given
        assert "HIDDEN" not in given
        for cell in course.source(name).cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                answer = re.search(f"{assignments.BEGIN}\n(.*){assignments.END}", cell.source, re.DOTALL)[1]
                assert answer.strip() not in given
    (question,) = questions(QUICK, EXAMPLE)
    hidden = [test.source for test in question.tests if test.hidden]
    assert hidden
    assert [test for test in hidden if test in given] == []
    assert all(test.why in given for test in question.tests)


def test_the_imports_that_students_get_are_those_of_the_chapter(course):
    (setup,) = [cell.source for cell in course.released(f"practice_{QUICK}").cells if grade_id(cell) == "setup"]
    assert "from regattn.exercises import check" in setup
    assert "use_style()" not in setup


def test_what_is_built_is_the_same_whenever_it_is_built(course):
    assert assignments.practice(QUICK) == course.source(f"practice_{QUICK}")
    assert assignments.graded(QUICK, questions(QUICK, EXAMPLE)) == course.source(f"graded_{QUICK}")


@grading
@pytest.mark.parametrize("chapter", EVERY, indirect=True)
def test_practice_gives_model_answers_full_marks_and_blank_ones_none(chapter):
    name = chapter.names[0]
    asked = len(exercises(name.partition("_")[2]))
    assert chapter.score(name, "model", solved(chapter, name)) == (asked, asked)
    assert chapter.score(name, "blank", nothing) == (0, asked)


@pytest.mark.long
@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("chapter", EVERY, indirect=True)
def test_practice_takes_the_mark_of_each_typical_mistake_and_of_nothing_else(chapter, which):
    name = chapter.names[0]
    change, marks = mistaken(name.partition("_")[2], which)
    score, most = chapter.score(name, f"mistake-{which}", change)
    assert score == marks < most


def marked(question: assignments.Question, answer: str, space: dict | None = None) -> int:
    """Return the marks of an answer by the tests of its question, each run as nbgrader does but in this process.

    `space` holds the names of the notebook beforehand, and afterwards those that answer and tests left there.
    """
    space, marks = {"np": np} if space is None else space, 0
    with np.errstate(all="ignore"), redirect_stderr(StringIO()):
        run(answer, space)
        for test in question.tests:
            marks += test.points if run(assignments.as_run(test), space) else 0
    return marks


def run(source: str, space: dict) -> bool:
    """Return whether a cell runs without an error."""
    try:
        exec(source, space)
    except Exception:
        return False
    return True


def test_every_chapter_asks_for_a_function_and_for_numbers():
    found = Counter(path.parent.name for path in PUBLIC.glob("*/*.py"))
    assert set(found) == {path.parent.name for path in ASKED} == set(CHAPTERS)
    assert min(found.values()) >= 2
    kinds = {
        (path.parent.name, "():" in read_question(path).answer.partition(BEGIN)[0]) for path in PUBLIC.glob("*/*.py")
    }
    assert kinds == {(name, numbers) for name in CHAPTERS for numbers in (True, False)}  # and two kinds of them


def test_the_marks_of_a_sheet_are_as_many_as_the_pages_say():
    sums = [sum(question.points for question in questions(name, None)) for name in CHAPTERS]
    for page in ("teach/guide/grading.md", "book/reference/teaching.md"):
        assert f"from {min(sums)} to {max(sums)} marks" in (assignments.ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ASKED, ids=lambda path: path.stem)
def test_the_tests_of_a_question_mark_model_blank_and_typical_mistakes_as_its_rubric_says(path):
    question = read_question(path).settled()
    assert marked(question, question.answer) == question.points
    assert marked(question, re.sub(f"{BEGIN}.*{END}", "...", question.answer, flags=re.DOTALL)) == 0
    assert len(question.wrong) >= 3
    assert {wrong.why: marked(question, wrong.source) for wrong in question.wrong} == {
        wrong.why: wrong.marks for wrong in question.wrong
    }
    assert any(test.hidden for test in question.tests)
    assert not any(package_call(test.source) for test in question.tests if not test.hidden)
    cured = [wrong.marks for wrong in question.wrong if wrong.misconception]
    assert cured
    assert max(cured) <= 1


def rows_of(text: str) -> list[list[str | float]]:
    """Return the rows of the tables in a text, below their heads, with numbers as numbers."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    bodies = [line for line, after in pairwise([*lines, ""]) if "---" not in line + after]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in bodies]
    return [[float(cell) if re.fullmatch(r"-?\d*\.?\d+", cell) else cell for cell in row] for row in cells]


@pytest.mark.parametrize("path", ASKED, ids=lambda path: path.stem)
def test_what_a_question_prints_is_what_the_package_says(path):
    text = read_question(path).settled().text
    cells = jupytext.read(path, fmt="py:percent").cells
    checks = [cell.source for cell in cells if "checks" in cell.metadata.get("tags", [])]
    assert checks or not rows_of(text)
    for check in checks:
        space: dict = {}
        exec(check, space)
        space["agrees"](text, rows_of(text))


FILLED = """

def as_constant(given, fill):
    if isinstance(given, dict):
        return {key: as_constant(value, fill) for key, value in given.items()}
    if isinstance(given, tuple):
        return tuple(as_constant(value, fill) for value in given)
    if isinstance(given, set | str):
        return type(given)("ABCDEFG" if fill == "one" else "")
    shape = np.shape(given)
    share = 1 / max(1, shape[-1]) if shape else 0.5
    constant = np.full(shape, {"zero": 0.0, "one": 1.0, "share": share}[fill])
    return constant if shape else float(constant)


of_the_model = NAME
NAME = lambda *given: as_constant(of_the_model(*given), FILL)
"""


@pytest.mark.parametrize("fill", ["zero", "one", "share"])
@pytest.mark.parametrize("path", ASKED, ids=lambda path: path.stem)
def test_a_constant_of_the_right_form_gets_one_mark_at_most(path, fill):
    question = read_question(path).settled()
    name = [node.name for node in ast.parse(question.answer).body if isinstance(node, ast.FunctionDef)][-1]
    constant = question.answer + FILLED.replace("NAME", name).replace("FILL", repr(fill))
    assert marked(question, constant) <= 1


def without_imports(answer: str) -> str:
    """Return a model answer with the names of the package as they are, and nothing that imports them."""
    return re.sub(r"(?m)^ +(?:from|import) (?:regattn|torch).*\n", "", answer)


@pytest.mark.parametrize("path", ASKED, ids=lambda path: path.stem)
def test_tests_leave_no_name_of_the_package_and_an_answer_in_bare_names_gets_no_mark(path):
    question, space = read_question(path).settled(), {}
    exec(assignments.SETUP, space)
    assert marked(question, question.answer, space) == question.points
    assert [name for name, value in space.items() if "regattn" in f"{getattr(value, '__module__', '')}{value!r}"] == []
    assert "hidden_test" not in space
    if package_call(question.answer):
        bare = without_imports(question.answer)
        assert not package_call(bare)
        assert [marked(question, bare, space) for _ in range(2)] == [0, 0]
        assert "hidden_test" not in space


def test_the_check_for_bare_names_notices_a_test_that_is_not_alone(monkeypatch):
    question = read_question(PUBLIC / "language_model" / "the_next_token.py")
    monkeypatch.setattr(assignments, "alone", lambda source: source)
    assert marked(question, without_imports(question.answer), {"np": np}) > 0


@pytest.mark.parametrize("path", ASKED, ids=lambda path: path.stem)
def test_a_hidden_test_that_fails_says_in_words_what_was_expected(path):
    question = read_question(path).settled()
    code = set(re.findall(r"\w+_\w+", question.answer)) - {"W_O"}
    for test in (test for test in question.tests if test.hidden and not test.judges):
        checks = [node for node in ast.walk(ast.parse(test.source)) if isinstance(node, ast.Assert)]
        assert checks
        for check in checks:
            said = "".join(part.value for part in ast.walk(check.msg) if isinstance(part, ast.Constant)
                           and isinstance(part.value, str))  # fmt: skip
            assert said.startswith("expected ")
            assert len(said.split()) >= 5
            assert [word for word in re.findall(r"\w+", said) if word in code] == []
            assert re.findall(r"[=@\[\]]|np\.|\w\(", said) == []


@pytest.mark.parametrize("path", ASKED, ids=lambda path: path.stem)
def test_a_test_that_students_see_says_what_it_is_for_when_it_fails(path):
    for test in read_question(path).settled().tests:
        if not test.hidden:
            run = ast.parse(assignments.as_run(test))
            said = [ast.literal_eval(n.msg) for n in ast.walk(run) if isinstance(n, ast.Assert) and n.msg is not None]
            assert len(said) == sum(isinstance(node, ast.Assert) for node in ast.walk(run)) > 0
            assert f"expected: {test.why}" in said


def test_a_message_is_put_behind_an_assertion_and_before_what_follows_it():
    assert assignments.explained("assert (1 ==\n  2)  # é", "ü") == 'assert (1 ==\n  2), "expected: ü"  # é'
    assert assignments.explained('assert "é" in x, "said"', "three") == 'assert "é" in x, "said"'


def test_it_says_whose_the_numbers_are_and_in_which_questions():
    vary = [question.name for question in questions("time_series", EXAMPLE) if question.varies()]
    assert vary == ["a_map_and_a_row", "the_map_of_an_autoregression"]
    own = f"Numbers and statements are each student's own in {vary[0]}."
    assert assignments.numbers_line(vary[:1], True) == own
    assert f"with which {', '.join(vary)} would vary" in assignments.numbers_line(vary, False)
    assert "none of these questions vary" in assignments.numbers_line([], True)


@pytest.mark.parametrize("path", sorted(PUBLIC.glob("*/*.py")), ids=lambda path: path.stem)
def test_a_public_question_gives_no_answer_away(path):
    question = read_question(path).settled()
    assert package_call(question.answer)  # the package answers: whoever copies that gets no mark
    short = [line for line in question.answer.splitlines() if line.strip()]
    assert len(short) <= 20


@grading
@pytest.mark.parametrize("chapter", EVERY, indirect=True)
def test_a_graded_assignment_marks_model_blank_and_three_typical_mistakes_as_its_rubric_says(chapter):
    marked_as_the_rubric_says(chapter, questions(chapter.names[1].partition("_")[2], EXAMPLE))


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({path.parent.name for path in EXAMPLE.glob("questions/*/*.py")}))
def test_so_do_the_public_questions_of_a_chapter_that_has_an_example(name, tmp_path, monkeypatch):
    monkeypatch.delenv("REGATTN_PRIVATE", raising=False)
    marked_as_the_rubric_says(Course(tmp_path, [name], public=True), questions(name, None))


def marked_as_the_rubric_says(chapter: Course, written: list[assignments.Question]) -> None:
    """Have nbgrader mark the model answers, blank ones and each typical mistake of a sheet."""
    name, asked = chapter.names[1], [question.settled() for question in written]
    most = sum(question.points for question in asked)
    assert chapter.score(name, "model", solved(chapter, name), package=True) == (most, most)
    assert chapter.score(name, "blank", nothing) == (0, most)
    for question in asked:
        for place, wrong in enumerate(question.wrong):
            change = answers({question.name: wrong.source})
            given = chapter.score(name, f"wrong-{question.name}-{place}", change, package=True)
            assert given == (wrong.marks, most), wrong.why


@grading
@pytest.mark.parametrize("where", ["in the answer", "in a cell of its own"])
def test_an_answer_that_calls_the_package_gets_no_marks(course, where):
    name, question = f"graded_{QUICK}", questions(QUICK, EXAMPLE)[0]
    lines = "from regattn.regression import proximity_weights as inside\n"
    answer = f"def weights_without(X, row):\n    return borrowed(X, row)\n{lines if 'answer' in where else ''}"

    def call(notebook):
        answers({question.name: answer})(notebook)
        (model,) = [cell.source for cell in course.source(name).cells if grade_id(cell) == question.name]
        borrowed = model.replace("weights_without", "borrowed")
        own = nbformat.v4.new_code_cell(borrowed if "answer" in where else f"{borrowed}\n{lines}")
        notebook.cells.insert(2, own)

    student = where.replace(" ", "-")
    assert course.score(name, student, call) == (0, question.points)
    assert course.score(name, f"{student}-let", call, package=True) == (question.points, question.points)


@grading
def test_a_test_that_was_changed_is_put_back(course):
    name, question = f"graded_{QUICK}", questions(QUICK, EXAMPLE)[0]

    def cheat(notebook):
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("grade"):
                cell.source = "assert True"
                cell.metadata["nbgrader"]["points"] = 50

    assert course.score(name, "changed", cheat) == (0, question.points)


@grading
@pytest.mark.parametrize("kept", ["answers", "nothing"])
def test_cells_that_were_deleted_are_put_back(course, kept):
    name, question = f"graded_{QUICK}", questions(QUICK, EXAMPLE)[0]

    def delete(notebook):
        solved(course, name)(notebook)
        notebook.cells = [
            cell for cell in notebook.cells if kept == "answers" and cell.metadata.get("nbgrader", {}).get("solution")
        ]

    right = question.points if kept == "answers" else 0
    assert course.score(name, f"deleted-but-{kept}", delete) == (right, question.points)
    assert set(course.marks(name, f"deleted-but-{kept}")) == {f"{question.name}-{n}" for n in range(1, 5)}


@pytest.mark.long
@pytest.mark.parametrize("line", [
    'import warnings; warnings.warn("careful")', 'import sys; print("here", file=sys.stderr)',
    "# as regattn has it",
])  # fmt: skip
def test_what_a_right_answer_says_beside_costs_no_mark(course, line):
    name, question = f"graded_{QUICK}", questions(QUICK, EXAMPLE)[0]
    (model,) = [cell.source for cell in course.source(name).cells if grade_id(cell) == question.name]
    shown = model.replace(assignments.BEGIN, f"{assignments.BEGIN}\n    {line}")
    student = f"says-{len(line)}"
    assert course.score(name, student, answers({question.name: shown})) == (question.points, question.points)


@grading
def test_in_a_class_a_loop_without_end_costs_its_test_and_a_dead_kernel_all_while_the_others_are_graded(course):
    name, question = f"graded_{QUICK}", questions(QUICK, EXAMPLE)[0]
    (model,) = [cell.source for cell in course.source(name).cells if grade_id(cell) == question.name]
    stuck = model.replace(assignments.BEGIN, f"{assignments.BEGIN}\n    while len(X) == 13:\n        pass")
    lost = question.tests[-1]
    assert [test for test in question.tests if "size=(13, 2)" in test.source] == [lost]
    course.hand_in(name, "class-dead", answers({question.name: "import os\nos._exit(1)"}))
    course.hand_in(name, "class-loop", answers({question.name: stuck}))
    course.hand_in(name, "class-model", solved(course, name))
    # as a teacher calls it: in the folder of the course, with the settings that `make assignments` wrote there
    command = [sys.executable, "-m", "nbgrader", "autograde", name, "--student=class-*"]
    environment = {**os.environ, "REGATTN_SECONDS": str(SECONDS)}
    said = subprocess.run(command, cwd=course.folder, env=environment, capture_output=True, text=True, check=False)
    assert said.returncode != 0
    assert f"There was an error processing assignment '{name}' for student 'class-dead'" in said.stderr
    assert said.stderr.count("There was an error processing assignment '") == 1
    assert not (course.folder / "autograded" / "class-dead" / name).exists()
    assert course.graded(name, "class-dead") == (0, question.points)
    assert course.graded(name, "class-loop") == (question.points - lost.points, question.points)
    assert course.graded(name, "class-model") == (question.points, question.points)


@grading
def test_marks_are_exported_of_the_sheets_alone_and_count_alike_in_the_course(course):
    name, question = f"graded_{QUICK}", questions(QUICK, EXAMPLE)[0]
    with Gradebook(open_course(course.folder).coursedir.db_url, "regattn") as gradebook:
        gradebook.update_or_create_student("nobody")
    command = [sys.executable, "-m", "nbgrader", "export", "--to=marks.csv"]
    subprocess.run(command, cwd=course.folder, env=dict(os.environ), capture_output=True, check=True)
    marks = pd.read_csv(course.folder / "marks.csv")
    assert set(marks.assignment) == {name}
    assert set(marks[marks.student_id == "nobody"].score) == {0}
    assert set(marks.max_score) == {question.points}


def test_a_sheet_that_nobody_handed_in_does_not_count(tmp_path):
    for name in ("graded_masks", "graded_panels", "practice_masks"):
        (tmp_path / "source" / name).mkdir(parents=True)
    assert assignments.counted(tmp_path) == ["graded_masks", "graded_panels"]
    (tmp_path / "submitted" / "ada" / "graded_panels").mkdir(parents=True)
    assert assignments.counted(tmp_path) == ["graded_panels"]


def test_the_sum_of_the_guide_gives_every_sheet_the_same_share_of_the_course(tmp_path, monkeypatch):
    guide = (assignments.ROOT / "teach" / "guide" / "grading.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"\n((?:    .*\n|\n)*    import pandas as pd\n(?:    .*\n|\n)*)", guide)
    rows = [("ada", 4, 4), ("ada", 6, 12), ("ada", 0, 5), ("ben", 2, 4), ("ben", 12, 12), ("ben", 5, 5)]
    pd.DataFrame(rows, columns=["student_id", "score", "max_score"]).to_csv(tmp_path / "grades.csv")
    monkeypatch.chdir(tmp_path)
    space: dict = {}
    exec(dedent(lines), space)
    assert dict(space["marks"].round(6)) == {"ada": 20, "ben": 33.333333}


def test_a_private_folder_of_ones_own_is_used_and_a_wrong_one_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("REGATTN_PRIVATE", str(tmp_path))
    with pytest.raises(ValueError, match=re.escape(f"{str(tmp_path)!r} has no folder 'questions'")):
        assignments.private_folder()
    (tmp_path / "questions" / "masks").mkdir(parents=True)
    (tmp_path / "questions" / "masks" / "double.py").write_text(FORM)
    assert assignments.private_folder() == tmp_path
    assert [question.name for question in questions("panels", tmp_path)] == [
        path.stem for path in sorted((PUBLIC / "panels").glob("*.py"))
    ]
    assert [question.name for question in questions("masks", tmp_path)] == ["double"]
    asked = assignments.graded("masks", questions("masks", assignments.private_folder()))
    assert [grade_id(cell) for cell in asked.cells if grade_id(cell)] == ["setup", "double", "double-1"]


def test_without_a_private_folder_all_questions_are_public_and_an_example_takes_no_place(tmp_path, monkeypatch):
    monkeypatch.delenv("REGATTN_PRIVATE", raising=False)
    assert assignments.private_folder() is None
    build(tmp_path, [QUICK])
    released = nbformat.read(tmp_path / "release" / f"graded_{QUICK}" / f"graded_{QUICK}.ipynb", as_version=4)
    asked = [grade_id(cell) for cell in released.cells if cell.metadata.get("nbgrader", {}).get("solution")]
    assert asked == [path.stem for path in sorted((PUBLIC / QUICK).glob("*.py"))]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("### BEGIN SOLUTION", "# here", "must stand between"),
        ('tags=["test"]', 'tags=["other"]', "a text, one model answer and tests"),
        ('tags=["answer"]', 'tags=["other"]', "it has 0 answers"),
        ("assert", '# %% tags=["wrong"] marks=1 why="none"\nassert', "get full marks: ['none']"),
    ],
)
def test_a_question_that_lacks_something_is_refused(tmp_path, old, new, said):
    path = tmp_path / "double.py"
    path.write_text(FORM.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(said)):
        assignments.read_question(path)
