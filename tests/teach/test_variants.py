"""Numbers of each student's own: handed out, marked with the same number, and never to be guessed without the salt."""

from __future__ import annotations

import re
from collections import Counter

import nbformat
import pytest

from tests.teach.test_assignments import CONCERNS, Course, answers, marked
from tools import variants
from tools.assignments import PUBLIC, ROOT, read_question

QUESTION = """\
# %% [markdown]
# What is the mean of `np.random.default_rng({variant}).normal(size={"size": "3 to 90"})`? Put it into `mean`.

# %% tags=["answer"]
### BEGIN SOLUTION
mean = np.random.default_rng({variant}).normal(size={"size": "3 to 90"}).mean()
### END SOLUTION

# %% tags=["test", "hidden"] points=2 why="the mean of your own numbers"
assert np.isclose(mean, np.random.default_rng({variant}).normal(size={"size": "3 to 90"}).mean())
"""
pytestmark = [
    pytest.mark.weekly(*CONCERNS),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]
NAME, SALT = "graded_masks", "a sentence"


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    """Return a course with a question that varies."""
    private = tmp_path_factory.mktemp("private")
    (private / "questions" / "masks").mkdir(parents=True)
    (private / "questions" / "masks" / "own.py").write_text(QUESTION, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.teach.test_assignments.EXAMPLE", private)
        return Course(tmp_path_factory.mktemp("course"), ["masks"], varied=True)


def own(student: str) -> tuple[int, int]:
    """Return the numbers of a student in the question: a seed, and how many are drawn."""
    return variants.variant(SALT, student, NAME), 3 + variants.variant(SALT, student, NAME, "size") % 88


def test_every_number_of_a_range_is_drawn_and_no_other():
    cell = nbformat.v4.new_code_cell('x = {"width": "5 to 9"} + {"width": "5 to 9"} * {"depth": "3 to 3"}')
    notebook = nbformat.v4.new_notebook(cells=[cell])
    drawn = Counter(variants.personal(notebook, SALT, str(each), NAME).cells[0].source for each in range(100))
    assert set(drawn) == {f"x = {width} + {width} * 3" for width in range(5, 10)}
    assert min(drawn.values()) > 5
    assert variants.settled(cell.source, variants.first) == "x = 5 + 5 * 3"
    with pytest.raises(ValueError, match=r'the range \{"a": "3 to 2"\} ends below its beginning'):
        variants.settled('{"a": "3 to 2"}', variants.first)
    assert not variants.varies('{"a": 3}')


VARIED = [path for path in sorted(PUBLIC.glob("*/*.py")) if read_question(path).varies()]
NUMBERED = [path for path in VARIED if variants.RANGE.search(path.read_text(encoding="utf-8"))]


def test_the_guide_names_the_public_questions_that_vary():
    guide = (ROOT / "teach" / "guide" / "grading.md").read_text(encoding="utf-8")
    line = next(line for line in guide.splitlines() if "public questions vary" in line)
    assert sorted(re.findall(r"`(\w+)`", line.partition("public questions vary")[2])) == sorted(p.stem for p in VARIED)


@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)
def test_a_question_that_varies_is_marked_by_its_rubric_whatever_is_drawn(path):
    written = read_question(path)
    texts = [written.text, written.answer, *(test.source for test in written.tests)]
    assert all(variants.varies(text) for text in (texts[0], texts[1], "".join(texts[2:])))
    ranges = {found for text in [*texts, repr(written.bank)] for found in variants.RANGE.findall(text)}
    assert len(ranges) == 1  # one number, everywhere the same
    for draw in (lambda _, low, high: high, lambda _, low, high: (low + high) // 2):
        question = written.settled(draw)
        assert not variants.varies(question.text + question.answer)
        assert marked(question, question.answer) == question.points
        assert [marked(question, wrong.source) for wrong in question.wrong] == [w.marks for w in question.wrong]
    low, high = written.settled(), written.settled(lambda _, low, high: high)
    assert marked(high, low.answer) < high.points  # a neighbour's answer


def test_a_number_is_the_students_the_assignments_and_the_salts():
    asked = ["s ada x", "s ben x", "s ada y", "t ada x", "s adax ", "sa da x"]
    drawn = [variants.variant(*each.split(" ")) for each in asked]
    assert len(set(drawn)) == len(drawn)
    assert all(0 <= number < variants.MOST for number in drawn)
    many = [variants.variant("s", str(number), "x") for number in range(400)]
    assert abs(sum(many) / 400 / variants.MOST - 0.5) < 0.06  # four standard errors


def test_what_is_handed_out_holds_numbers_and_no_token(course):
    paths = variants.hand_out(course.folder, NAME, ["ada", "ben"], SALT)
    texts = [path.read_text(encoding="utf-8") for path in paths]
    assert [variants.varies(text) for text in texts] == [False, False]
    assert variants.varying(course.folder, NAME) == ["own"]
    assert variants.varying(course.folder, "practice_masks") == []
    for student, text in zip(("ada", "ben"), texts, strict=True):
        number, size = own(student)
        assert f"default_rng({number}).normal(size={size})" in text
    assert texts[0] != texts[1]


def test_marking_puts_the_students_own_number_into_the_tests(course, monkeypatch):
    monkeypatch.setenv("REGATTN_SALT", SALT)
    number, size = own("ada")
    right = answers({"own": f"mean = np.random.default_rng({number}).normal(size={size}).mean()"})
    assert course.score(NAME, "ada", right) == (2, 2)
    assert course.score(NAME, "ben", right) == (0, 2)


def test_what_cannot_be_handed_out_is_said(course, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="REGATTN_SALT is not set"):
        variants.hand_out(course.folder, NAME, ["ada"], "")
    with pytest.raises(ValueError, match="named twice: ada"):
        variants.hand_out(course.folder, NAME, ["ada", "ben", "ada"], SALT)
    with pytest.raises(ValueError, match="no cell of practice_masks has a number or statements"):
        variants.hand_out(course.folder, "practice_masks", ["ada"], SALT)
    with pytest.raises(ValueError, match="`make assignments` writes it"):
        variants.hand_out(tmp_path, NAME, ["ada"], SALT)
