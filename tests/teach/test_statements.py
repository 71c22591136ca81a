"""Banks of statements: what a file must have, who is asked which five, and what is said to whoever misjudges some."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest

from tests.teach.test_assignments import CONCERNS, Course, answers, marked
from tools import statements, variants
from tools.assignments import PUBLIC, open_course, questions, read_question, sheet
from tools.marking import grade_id

NAME, SALT, ASKED = "graded_time_series", "a sentence", "a_map_and_a_row"
PATH = PUBLIC / "time_series" / f"{ASKED}.py"
BANKED = [path for path in sorted(PUBLIC.glob("*/*.py")) if read_question(path).bank]
STUDENTS = [f"student{number}" for number in range(200)]
pytestmark = [
    pytest.mark.weekly(*CONCERNS),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]


def bank_of(truths: str) -> str:
    """Return the source of a bank whose statements hold or fail as the letters H and F say."""
    words = {"H": "Holds", "F": "Fails"}
    return "\n".join(f"- {words[each]}: number {at}.\n  Because: so {at}." for at, each in enumerate(truths))


def written(bank: str, points: str = "points=2", test: str = "double()", asked: str = "{statements}") -> str:
    """Return the file of a question with a bank."""
    lines = "".join(f"# {line}\n" for line in bank.splitlines())
    return (
        f'# %% [markdown]\n# What holds?\n#\n# {asked}\n\n# %% [markdown] tags=["statements"]\n{lines}\n'
        '# %% tags=["answer"]\ndef double():\n    ### BEGIN SOLUTION\n    return {letters}\n    ### END SOLUTION\n\n'
        f'# %% tags=["test", "hidden", "statements"] {points} why="what holds"\n{test}\n'
    )


def own(student: str, bank: statements.Bank) -> statements.Bank:
    """Return the five statements of a student."""
    return statements.drawn(bank, lambda *words: variants.variant(SALT, student, NAME, ASKED, *words))


def holding(five: statements.Bank) -> set[str]:
    """Return the letters of those that hold."""
    return {letter for letter, each in zip("ABCDE", five, strict=True) if each.holds}


def test_a_bank_is_read_over_several_lines_and_without_full_stops():
    source = bank_of("HFHFHFHF").replace("number 0.", "a row\n  that goes on.")
    assert statements.read_bank(source, "x.py")[:2] == [
        statements.Statement(True, "a row that goes on", "so 0"),
        statements.Statement(False, "number 1", "so 1"),
    ]


@pytest.mark.parametrize(("bank", "said"), [
    (bank_of("HFHFHFH"), "double.py has 7 statements; a bank has 8 or more"),
    (bank_of("HFHFHFHF").replace("- Holds: number 2", "- number 2"), "double.py: a statement begins with '- Holds: '"),
    (bank_of("HFHFHFHF").replace("  Because: so 3.", ""), "has no 'Because: ' with a reason: '- Fails: number 3.'"),
    (bank_of("HFHFHFHF").replace("number 3.", "number 1."), "double.py has this statement twice: 'number 1'"),
    (bank_of("HFHFFFFF"), "double.py has 2 statements that hold; a bank has 3 or more"),
    (bank_of("FHFHHHHH"), "double.py has 2 statements that do not hold"),
    (bank_of("HFFFFHHH"), "double.py: of the first five statements two or three hold; here 1 do"),
    (bank_of("HHHHFFFF"), "double.py: of the first five statements two or three hold; here 4 do"),
])  # fmt: skip
def test_a_bank_that_lacks_something_is_refused(tmp_path, bank, said):
    path = tmp_path / "double.py"
    path.write_text(written(bank))
    with pytest.raises(ValueError, match=re.escape(said)):
        read_question(path)


@pytest.mark.parametrize(("old", "new", "said"), [
    ("# {statements}", "# A list.", "its text has one line {statements}"),
    ("# {statements}", "# Judge {statements}", "its text has one line {statements}"),
    ("{letters}", '{"A", "C"}', "its model answer has {letters}"),
    ("points=2", "points=3", "is hidden and has 2 points"),
    ('"hidden", ', "", "is hidden and has 2 points"),
    ("\ndouble()\n", "\nx = double()\n", "is one expression, the student's set of letters: 'x = double()'"),
    ("\ndouble()\n", "\ndouble()\ndouble()\n", "is one expression"),
    ('"hidden", "statements"', '"hidden"', "one of its tests is tagged 'statements'; here 0 are"),
    ('[markdown] tags=["statements"]', "[markdown]", "has a test tagged 'statements' and no bank"),
])  # fmt: skip
def test_a_question_that_does_not_go_with_its_bank_is_refused(tmp_path, old, new, said):
    path = tmp_path / "double.py"
    path.write_text(written(bank_of("HFHFHFHF")))
    assert read_question(path).varies()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ValueError, match=re.escape(said)) as refused:
        read_question(path)
    assert "double.py" in str(refused.value)


@pytest.mark.parametrize("path", BANKED, ids=lambda path: path.stem)
def test_every_student_judges_five_of_which_two_or_three_hold(path):
    bank = read_question(path).bank
    drawn = [own(student, bank) for student in STUDENTS]
    assert [own(student, bank) for student in STUDENTS] == drawn
    assert {len({each.words for each in five}) for five in drawn} == {5}
    count = Counter(len(holding(five)) for five in drawn)
    assert set(count) == {2, 3}
    assert min(count.values()) > 70  # half of 200, less four standard errors
    letters = Counter("".join(sorted(holding(five))) for five in drawn)
    assert len(letters) == 20  # every pair and every three of five letters
    assert max(letters.values()) < 30
    asked = Counter(each.words for five in drawn for each in five)
    assert set(asked) == {each.words for each in bank}
    first = Counter(five[0].words for five in drawn)
    assert set(first) == set(asked)  # each of them may stand first


@pytest.mark.parametrize("path", BANKED, ids=lambda path: path.stem)
def test_whatever_is_drawn_a_key_gets_two_marks_and_a_neighbours_or_a_constant_none(path):
    question = read_question(path)
    assert question.settled().text.count("\n- A: ") == 1
    by_letters = {}
    for student in STUDENTS[:20]:
        five = own(student, question.bank)
        by_letters["".join(sorted(holding(five)))] = question.settled(pick=lambda name, bank, five=five: five)
    (one, other) = list(by_letters.values())[:2]
    assert marked(one, one.answer) == marked(other, other.answer) == question.points
    assert marked(other, one.answer) < question.points
    judged = other._replace(tests=[test for test in other.tests if test.judges])
    assert judged.points == 2
    for constant in ("set()", "set('ABCDE')"):
        assert marked(judged, question.numbered(variants.first).answer.replace("{letters}", constant)) == 0


def test_the_numbers_of_a_statement_are_the_students_too(tmp_path):
    path = tmp_path / "double.py"
    path.write_text(
        written(bank_of("HFHFHFHF").replace("so 1", 'it\'s {"size": "3 to 9"}').replace("r 1", 'r {"size": "3 to 9"}'))
    )
    question = read_question(path)
    settled = question.settled(lambda name, low, high: high)
    assert "- B: number 9;" in settled.text
    assert settled.bank[1].because == "it's 9"
    assert all("it's 9" in test.source or r"it\'s 9" in test.source for test in settled.tests)


def test_the_rubric_lists_the_whole_bank_with_its_reasons():
    question = read_question(PATH).settled()
    page = sheet([question])
    assert len(question.bank) == 9
    for each in question.bank:
        assert f"| {each.words} | {'holds' if each.holds else 'does not hold'} | {each.because} |" in page


def test_without_a_salt_everybody_judges_the_first_five(tmp_path):
    course = Course(tmp_path, ["time_series"], public=True)
    bank = read_question(PATH).settled().bank
    text = next(cell.source for cell in course.released(NAME).cells if "A map and one of its rows" in cell.source)
    assert statements.as_list(bank[:5]) in text
    assert not statements.banks_file(tmp_path, NAME).exists()


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    """Return a course whose statements are each student's own, as it was handed out."""
    course = Course(tmp_path_factory.mktemp("course"), ["time_series"], varied=True, public=True)
    variants.hand_out(course.folder, NAME, ["ada", "ben", "cem", "dora", "eve"], SALT)
    return course


def handed_out(course: Course, student: str) -> nbformat.NotebookNode:
    """Return the notebook of a student."""
    return nbformat.read(course.folder / "release_to" / student / NAME / f"{NAME}.ipynb", as_version=4)


def test_what_is_handed_out_asks_five_and_tells_of_none_whether_it_holds(course):
    (question,) = [each for each in questions("time_series", None) if each.name == ASKED]
    texts = {}
    for student in ("ada", "ben"):
        sources = "\n".join(cell.source for cell in handed_out(course, student).cells)
        assert not variants.varies(sources)
        assert statements.as_list(own(student, question.bank)) in sources
        assert not any(each.because in sources for each in question.bank)
        texts[student] = sources
    assert texts["ada"] != texts["ben"]
    released = "\n".join(cell.source for cell in course.released(NAME).cells)
    assert not any(each.words in released or each.because in released for each in question.bank)
    assert ASKED in variants.varying(course.folder, NAME)


def said_to(course: Course, student: str, letters: str, monkeypatch) -> tuple[float, str]:
    """Return the marks for the statements of a student who hands in these letters, and what the feedback says."""
    monkeypatch.setenv("REGATTN_SALT", SALT)
    given = answers({ASKED: f"def map_and_row():\n    return 1, 2, 3, {letters}"})

    def hand_in(notebook: nbformat.NotebookNode) -> None:
        notebook.cells = handed_out(course, student).cells
        given(notebook)

    course.score(NAME, student, hand_in)
    marks = course.marks(NAME, student)
    last = sorted(name for name in marks if name.startswith(f"{ASKED}-"))[-2:]
    path = Path(open_course(course.folder).coursedir.format_path("autograded", student, NAME)) / f"{NAME}.ipynb"
    tests = [cell for cell in nbformat.read(path, as_version=4).cells if grade_id(cell) in last]
    errors = [output["evalue"] for cell in tests for output in cell.outputs if output.output_type == "error"]
    return sum(marks[name] for name in last), "\n".join(errors)


def test_a_key_gets_two_marks(course, monkeypatch):
    bank = read_question(PATH).bank
    assert said_to(course, "ada", repr(holding(own("ada", bank))), monkeypatch) == (2, "")


def test_four_of_five_get_one_mark_and_the_fifth_is_named_with_its_reason(course, monkeypatch):
    five = own("ben", read_question(PATH).bank)
    marks, said = said_to(course, "ben", repr(holding(five) ^ {"C"}), monkeypatch)
    assert marks == 1
    assert said == f"judged wrong: C ({'holds' if five[2].holds else 'does not hold'}: {five[2].because})"


def test_all_letters_get_no_mark_and_every_one_that_fails_is_named(course, monkeypatch):
    five = own("cem", read_question(PATH).bank)
    marks, said = said_to(course, "cem", "set('ABCDE')", monkeypatch)
    failing = sorted(set("ABCDE") - holding(five))
    told = [f"{letter} (does not hold: {five['ABCDE'.index(letter)].because})" for letter in failing]
    assert (marks, said) == (0, "\n".join([f"judged wrong: {', '.join(told)}"] * 2))


def test_an_answer_without_a_set_gets_no_mark_and_is_told_so_in_words(course, monkeypatch):
    marks, said = said_to(course, "dora", "'ABD'", monkeypatch)
    assert marks == 0
    assert said.splitlines()[0].startswith("expected a set of the letters of statements, from A to E")
    assert said.splitlines()[0].endswith("the answer has 'ABD'")


def test_a_cell_of_a_students_own_that_asks_for_the_key_does_not_get_it(course):
    bank = read_question(PATH).bank
    asking = statements.place(ASKED)
    cells = [nbformat.v4.new_code_cell(f"key = {asking}"), nbformat.v4.new_code_cell(f"key = {asking}")]
    cells[1].metadata["nbgrader"] = {"grade_id": ASKED}
    cells.append(nbformat.v4.new_markdown_cell(f"here: {asking}"))
    own_cells = variants.personal(nbformat.v4.new_notebook(cells=cells), SALT, "eve", NAME, {ASKED: bank}).cells
    assert not any(each.because in cell.source for each in bank for cell in own_cells)
    with pytest.raises(ValueError, match="the bank of a_map_and_a_row is not in the course"):
        variants.personal(nbformat.v4.new_notebook(cells=cells), SALT, "eve", NAME)
