"""A syllabus for students: a course of the page for teachers with dates, titles and what is due, and no link."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date, datetime
from itertools import chain

import pytest

from tests.built import ROOT
from tests.teach.test_guide import at_home, chapters, course, taught
from tools.syllabus import COURSES, syllabus

START = date(2026, 11, 30)  # a Monday
ROW = re.compile(r"(?m)^\| (\w{3} \d\d \w{3} \d{4}) \| (.+?) \| (.*?) ?\|$")


@pytest.mark.parametrize("name", COURSES)
def test_a_session_has_its_date_and_its_title_and_no_link(name):
    text, wanted = syllabus(name, START), course(name)
    rows = ROW.findall(text)
    days = [(datetime.strptime(day, "%a %d %b %Y").date() - START).days for day, *_ in rows]
    assert days == [int(day) for _, day, _ in wanted]
    assert {day[:3] for day, *_ in rows} == {"Mon", "Thu"}
    assert not re.search(r"\]\(|\.md|guide", text)
    known = {chapter.slug: f"{chapter.number} · {chapter.title()}" for chapter in chapters()}
    for (_, title, _), row in zip(rows, wanted, strict=True):
        assert title == (known[taught(row)[0]] if taught(row) else row[-1])


@pytest.mark.parametrize("name", COURSES)
def test_what_is_due_is_what_was_set_until_then_and_each_exercise_once(name):
    home = {chapter.slug: [f"{chapter.number}.{one}" for one in at_home(chapter.name)] for chapter in chapters()}
    owed = [re.findall(r"\d+\.\d+", due) for *_, due in ROW.findall(syllabus(name, START))]
    given = [home[taught(row)[0]] if taught(row) else [] for row in course(name)]
    assert [*chain(*owed)] == [*chain(*given)]
    for at in range(len(given)):
        assert set(owed[at]) <= set(chain(*given[:at]))
    assert name == "economists" or owed[1:] == given[:-1]


def test_an_unknown_course_and_a_day_that_is_none_are_named():
    with pytest.raises(ValueError, match="there is no course 'half-day'; there are twelve-weeks, "):
        syllabus("half-day", START)
    done = subprocess.run(
        [sys.executable, "-m", "tools.syllabus", "30.11.2026"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "30.11.2026" in done.stderr
