"""Numbers of each student's own: handed out, marked with the same number, and never to be guessed without the salt."""

from __future__ import annotations

import pytest

from tests.teach.test_assignments import Course, answers
from tools import variants

QUESTION = """\
# %% [markdown]
# What is the mean of `np.random.default_rng({variant}).normal(size=3)`? Put it into `mean`.

# %% tags=["answer"]
### BEGIN SOLUTION
mean = np.random.default_rng({variant}).normal(size=3).mean()
### END SOLUTION

# %% tags=["test", "hidden"] points=2 why="the mean of your own three numbers"
assert np.isclose(mean, np.random.default_rng({variant}).normal(size=3).mean())
"""
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")  # how nbgrader uses its database
NAME, SALT = "graded_masks", "a sentence"


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    """Return a course with a question that varies."""
    private = tmp_path_factory.mktemp("private")
    (private / "questions" / "masks").mkdir(parents=True)
    (private / "questions" / "masks" / "own.py").write_text(QUESTION, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.teach.test_assignments.EXAMPLE", private)
        return Course(tmp_path_factory.mktemp("course"), ["masks"])


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
    assert [variants.TOKEN in text for text in texts] == [False, False]
    for student, text in zip(("ada", "ben"), texts, strict=True):
        assert f"default_rng({variants.variant(SALT, student, NAME)})" in text
    assert texts[0] != texts[1]


def test_marking_puts_the_students_own_number_into_the_tests(course, monkeypatch):
    monkeypatch.setenv("REGATTN_SALT", SALT)
    own = variants.variant(SALT, "ada", NAME)
    right = answers({"own": f"mean = np.random.default_rng({own}).normal(size=3).mean()"})
    assert course.score(NAME, "ada", right) == (2, 2)
    assert course.score(NAME, "ben", right) == (0, 2)


def test_what_cannot_be_handed_out_is_said(course, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="REGATTN_SALT is not set"):
        variants.hand_out(course.folder, NAME, ["ada"], "")
    with pytest.raises(ValueError, match="named twice: ada"):
        variants.hand_out(course.folder, NAME, ["ada", "ben", "ada"], SALT)
    with pytest.raises(ValueError, match="no cell of practice_masks has"):
        variants.hand_out(course.folder, "practice_masks", ["ada"], SALT)
    with pytest.raises(ValueError, match="`make assignments` writes it"):
        variants.hand_out(tmp_path, NAME, ["ada"], SALT)
