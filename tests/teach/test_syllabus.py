"""A syllabus for students: a course of the page for teachers with dates, titles, reading and what is due, no link."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date, datetime, timedelta
from itertools import chain

import pytest

from tests.built import ROOT
from tests.teach.test_guide import TEACHING, at_home, chapters, course, needed, page, part_of_course, taught
from tools.choice import chosen
from tools.syllabus import COURSES, skipped, syllabus, weekdays

START = date(2026, 11, 30)  # a Monday
ROW = re.compile(r"(?m)^\| (\w{3} \d\d \w{3} \d{4}) \| (.*) \| (.*) \| (.*) \|$")
PROJECT = {"the project is handed out": 0, "**proposal** of the project": 1, "**report** on the project": 2}


def rows_of(text: str) -> list[tuple[date, str, str, str]]:
    """Return the rows of a syllabus: the date, the session, what is read before and what is due."""
    return [(datetime.strptime(day, "%a %d %b %Y").date(), *rest) for day, *rest in ROW.findall(text)]


def meets(name: str) -> set[str]:
    """Return the days of the week on which a course meets that begins on a Monday."""
    return {f"{START + timedelta(int(day)):%a}" for _, day, _ in course(name)}


def sessions_of(text: str) -> list[tuple[date, str, str, str]]:
    """Return the rows of a syllabus that have a session."""
    return [row for row in rows_of(text) if row[1]]


@pytest.mark.parametrize("name", COURSES)
def test_a_session_has_its_date_its_title_and_its_reading_and_no_link(name):
    text, wanted = syllabus(name, START), course(name)
    rows = sessions_of(text)
    assert [(day - START).days for day, *_ in rows] == [int(day) for _, day, _ in wanted]
    assert {f"{day:%a}" for day, *_ in rows} == meets(name)
    assert "12 weeks, from Mon 30 Nov 2026 to " in text or name == "five-weeks"
    assert not re.search(r"\]\(|\.md|guide", text)
    known = {chapter.slug: chapter for chapter in chapters()}
    for (_, title, read, _), row in zip(rows, wanted, strict=True):
        if not taught(row):
            assert (title, read) == (row[-1], "")
            continue
        one = known[taught(row)[0]]
        assert title == f"{one.number} · {one.title()}"
        (line,) = re.findall(r"(?m)^\*Read before\*: (.+)\.$", page(one.name))
        assert read.partition("; of chapter")[0] == line


def test_what_is_left_out_is_read_before_the_chapter_that_asks_for_it():
    read = {title.partition(" ")[0]: read for _, title, read, _ in sessions_of(syllabus("five-weeks", START))}
    told = {number: text.split("; of chapter ")[1:] for number, text in read.items()}
    assert {number: [text[:2].strip() for text in texts] for number, texts in told.items() if texts} == {
        "16": ["14"],
        "18": ["15"],
        "22": ["6"],
    }
    assert all("; of chapter" not in read for *_, read, _ in sessions_of(syllabus("twelve-weeks", START)))


@pytest.mark.parametrize("name", COURSES)
def test_what_is_due_is_what_was_set_until_then_and_each_exercise_once(name):
    home = {chapter.slug: [f"{chapter.number}.{one}" for one in at_home(chapter.name)] for chapter in chapters()}
    owed = [re.findall(r"\d+\.\d+", due) for *_, due in sessions_of(syllabus(name, START))]
    given = [home[taught(row)[0]] if taught(row) else [] for row in course(name)]
    assert [*chain(*owed)] == [*chain(*given)]
    for at in range(len(given)):
        assert set(owed[at]) <= set(chain(*given[:at]))
    assert name == "economists" or owed[1:] == given[:-1]


@pytest.mark.parametrize("name", COURSES)
def test_every_chapter_has_a_sheet_for_marks_on_the_day_of_its_exercises(name):
    numbers = {chapter.slug: str(chapter.number) for chapter in chapters()}
    dues = [due for *_, due in sessions_of(syllabus(name, START))]
    sheets = [re.findall(r"\d+", "".join(re.findall(r"\*\*sheets?\*\* ([\d, ]+)", due))) for due in dues]
    assert [*chain(*sheets)] == [numbers[taught(row)[0]] for row in course(name) if taught(row)]
    for some, due in zip(sheets, dues, strict=True):
        assert set(some) == {one.partition(".")[0] for one in re.findall(r"\d+\.\d+", due)}


@pytest.mark.parametrize("name", COURSES)
def test_the_project_and_what_counts_stand_as_the_course_says(name):
    text, told = syllabus(name, START), part_of_course(name)
    days = re.search(r"handed out on day (\d+), proposed on day (\d+), reported on day (\d+)", told).groups()
    found = {stage: [day for day, *_, due in rows_of(text) if stage in due] for stage in PROJECT}
    assert found == {stage: [START + timedelta(int(days[at]))] for stage, at in PROJECT.items()}
    shares = re.search(r"Sheets count (\d+), the project (\d+) of 100", told)
    assert text.count(shares[0]) == 1
    assert sum(map(int, shares.groups())) == 100


@pytest.mark.parametrize("name", COURSES)
def test_sessions_pass_over_holidays_and_lose_nothing(name):
    skip = skipped("2026-12-10,2026-12-24..2027-01-03")
    before, after = (rows_of(syllabus(name, START, without)) for without in ((), skip))
    assert not skip & {day for day, *_ in after}
    assert [row[1:] for row in after] == [row[1:] for row in before]
    moved = [(late[0] - soon[0]).days for soon, late in zip(before, after, strict=True) if soon[1]]
    off = ["Thu 10 Dec 2026", "Thu 24 Dec 2026", "Mon 28 Dec 2026", "Thu 31 Dec 2026"]
    assert f"No session on {', '.join(day for day in off if day[:3] in meets(name))}." in syllabus(name, START, skip)
    # from a Thursday to the Monday after it; once a week from the fifth Monday, the 28th, to the one after
    assert moved[:5] == ([0, 0, 0, 0, 7] if name == "one-a-week" else [0, 0, 0, 4, 3])
    assert {f"{row[0]:%a}" for row in after if row[1]} == meets(name)
    assert "No session" not in syllabus(name, START)


def test_a_day_without_session_before_which_a_report_is_due_moves_it_forward():
    presentations = date(2026, 12, 31)
    assert rows_of(syllabus("five-weeks", START))[-2:][0][0] == presentations - timedelta(1)
    days = {due: day for day, *_, due in rows_of(syllabus("five-weeks", START, {presentations - timedelta(1)}))}
    assert days["**report** on the project"] == presentations - timedelta(2)


@pytest.mark.parametrize("name", COURSES)
def test_a_course_meets_on_the_days_that_one_names(name):
    before, after = (sessions_of(syllabus(name, START, on=weekdays(days))) for days in ("", "Wed fri"))
    assert [row[1:] for row in after] == [row[1:] for row in before]
    assert [f"{row[0]:%a}" for row in after[:4]] == ["Wed", "Fri"] * 2
    assert f" {-(-len(after) // 2)} weeks, from " in " " + syllabus(name, START, on=weekdays("Wed fri")).replace(
        "\n", " "
    )
    weekly = [(late[0] - soon[0]).days for soon, late in zip(after, after[2:], strict=False)]
    assert set(weekly) == {7}


@pytest.mark.parametrize("name", COURSES)
def test_students_get_the_project_of_their_course_and_its_marks(name):
    told = syllabus(name, START).partition("\n## The project\n")[2]
    numbers = re.findall(r"(?m)^### Project (\d): ", told)
    assert numbers == sorted(set(re.findall(r"#project-(\d)\)", part_of_course(name))))
    source = TEACHING.read_text(encoding="utf-8").partition("\n## Two projects\n")[2].partition("\n## ")[0]
    rows = [line for line in source.splitlines() if line.startswith("| ")]
    assert len(rows) == 7
    assert set(rows) <= set(told.splitlines())
    assert "Two projects" not in told


@pytest.mark.parametrize("name", [*COURSES, "own"])
def test_it_begins_with_what_students_will_be_able_to_do_what_they_need_and_what_they_install(name):
    own = chosen(["3", "8"]) if name == "own" else []
    title, able, *rest = syllabus("" if own else name, START, own=own).split("\n\n")
    assert title == "# Regression Is Attention"
    assert able.startswith("*Afterwards* you can")
    if name in ("own", "twelve-weeks"):
        promises, *rest = rest
        numbers = re.findall(r"(?m)^- chapter (\d+): \w", promises)
        assert numbers == (["3", "8"] if own else [str(number) for number in range(1, 24)])
    else:
        assert able.removeprefix("*Afterwards* you can ").split(", ")[0] in part_of_course(name)
    assert rest[0].startswith("*Needed before*: least squares with several predictors")
    first = not own and "linear_regression" in {taught(row)[0] for row in course(name) if taught(row)}
    assert ("reads chapter 1 beforehand" in rest[0]) != first
    assert rest[1].startswith("*To install*")
    assert "any browser, nothing to install" in rest[1]
    assert re.search(r"Python 3\.\d+ to 3\.\d+, \d GB of disk", rest[1])


def test_a_course_of_ones_own_has_its_order_its_dues_and_says_what_is_missing():
    own = chosen(["3", "8", "order_and", "20"])
    text = syllabus("", START, skipped("2026-12-07"), own=own, on=[0])
    rows = rows_of(text)
    assert [title.partition(" ")[0] for _, title, *_ in rows] == ["3", "8", "14", "20", "questions"]
    assert [(day - START).days for day, *_ in rows] == [0, 14, 21, 28, 35]
    assert [re.findall(r"\*\*sheet\*\* (\d+)", due) for *_, due in rows] == [[], ["3"], ["8"], ["14"], ["20"]]
    assert "exercises 3.3, 3.4, 3.5" in rows[1][-1]
    assert "project" not in text
    gaps = {int(one): rest for one, rest in re.findall(r"(?m)^Chapter (\d+) needs (.+)$", text)}
    assert {one: set(map(int, re.findall(r"of chapter (\d+)", rest))) for one, rest in gaps.items()} == {
        8: needed(8) - {3},
        14: needed(14) - {3, 8},
        20: needed(20) - {3, 8, 14},
    }
    assert "Chapter 8 needs" in syllabus("", START, own=own[1:])
    assert "\n1 week, from Mon 30 Nov 2026 to Thu 03 Dec 2026.\n" in syllabus("", START, own=own[:1])
    assert "of chapter 12 *A table of counts* and " in gaps[14]  # as a course that leaves it out has it


def test_an_unknown_course_and_a_day_that_is_none_are_named():
    with pytest.raises(ValueError, match="there is no course 'half-day'; there are twelve-weeks, "):
        syllabus("half-day", START)
    with pytest.raises(ValueError, match=r"'24\.12\.' is no date: write year, month and day, such as 2026-11-30"):
        skipped("2026-12-31,24.12.")
    with pytest.raises(ValueError, match=r"'2026-12-31\.\.2026-12-24' ends before it begins"):
        skipped("2026-12-31..2026-12-24")
    with pytest.raises(ValueError, match="'Mo' is no day of the week; they are Mon, Tue, "):
        weekdays("Wed Mo")
    with pytest.raises(ValueError, match="no chapter is '24'; there are 01_linear_regression, "):
        chosen(["3", "24"])
    done = subprocess.run(
        [sys.executable, "-m", "tools.syllabus", "30.11.2026"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "'30.11.2026' is no date: write year, month and day, such as 2026-11-30\n"
