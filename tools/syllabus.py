"""Print a course as a syllabus for students: `make syllabus START=2026-11-30`, with dates, titles and what is due.

Courses are those of book/reference/teaching.md that count days: twelve-weeks, economists, five-weeks. COURSE names one.
What is printed is Markdown without a link: a page for teachers is no page for students.
"""

from __future__ import annotations

import argparse
import re
import sys
from datetime import date, timedelta
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import chapters  # noqa: E402, where the extensions of the book are

COURSES = ("twelve-weeks", "economists", "five-weeks")
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
HOME = re.compile(r"at home (.+?)\.\n")


def part(name: str) -> str:
    """Return what the page for teachers says of a course.

    Raises
    ------
    ValueError
        If there is no course of that name which counts days.
    """
    if name not in COURSES:
        raise ValueError(f"there is no course {name!r}; there are {', '.join(COURSES)}")
    text = (ROOT / "book" / "reference" / "teaching.md").read_text(encoding="utf-8")
    return re.split(r"<a id=|\n## ", text.partition(f'<a id="{name}"></a>')[2])[0]


def at_home() -> dict[str, str]:
    """Return the exercises that the pages for teachers set for home, by the number of the chapter."""
    found = {}
    for chapter in chapters(ROOT):
        text = (ROOT / "teach" / "guide" / f"{chapter.name}.md").read_text(encoding="utf-8")
        exercises = re.findall(r"#ex-(\d+)\)", HOME.search(text)[1])
        found[str(chapter.number)] = ", ".join(f"{chapter.number}.{exercise}" for exercise in exercises)
    return found


def due(text: str, sessions: list[tuple[int, str]]) -> dict[int, str]:
    """Return what is due on which day: as the course says or, where it does not, at the session after a chapter."""
    told = re.findall(r"(?m)^\| day (\d+) \| (.+?) \| (.+?) \|$", LINK.sub(r"\1", text))
    if told:
        return {int(day): f"for marks: chapters {sheets}; exercises {home}" for day, sheets, home in told}
    home = at_home()
    asked = [home.get(what.partition(" · ")[0], "") for _, what in sessions]
    return {day: f"exercises {last}" for (day, _), last in zip(sessions[1:], asked, strict=False) if last}


def syllabus(name: str, start: date) -> str:
    """Return a course as Markdown, given its name and the day of its first session."""
    text = part(name)
    rows = re.findall(r"(?m)^\| \d+ \| (\d+) \| (.+) \|$", text)
    sessions = [(int(day), LINK.sub(r"\1", what)) for day, what in rows]
    owed = due(text, sessions)
    lines = ["# Regression Is Attention", "", "| date | session | due |", "|---|---|---|"]
    lines += [f"| {start + timedelta(day):%a %d %b %Y} | {what} | {owed.get(day, '')} |" for day, what in sessions]
    return "\n".join(lines)


def main() -> None:
    """Print the syllabus."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start", help="the day of the first session, such as 2026-11-30")
    parser.add_argument("course", nargs="?", default=COURSES[0], help=f"one of {', '.join(COURSES)}")
    given = parser.parse_args()
    try:
        print(syllabus(given.course, date.fromisoformat(given.start)))
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
