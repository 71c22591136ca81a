"""Print a course as a syllabus for students: `make syllabus START=2026-11-30`, with dates, reading and what is due.

Courses are those of book/reference/teaching.md that count days: twelve-weeks, one-a-week, economists, five-weeks.
COURSE names one, with its project and the marks of that. CHAPTERS="3 8 14 20" makes one of chapters of your own choice,
in that order, by number or by a part of the name, and says what a chapter needs that is not among those before it.
DAYS="Mon Wed" are the days of the week on which a course meets, otherwise those on which it is planned: from a Monday
on Monday and Thursday, or Monday.
SKIP=2026-12-24,2026-12-28..2027-01-03 names days without a session, one by one or from the first to the last: sessions
move to the next day of the week on which the course meets, and what is due moves with them. What is printed is Markdown
without a link: a page for teachers is no page for students.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from datetime import date, timedelta
from itertools import count, pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import Chapter, chapters  # noqa: E402, where the extensions of the book are

from tools.choice import chosen  # noqa: E402

COURSES = ("twelve-weeks", "one-a-week", "economists", "five-weeks")
LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
ROW = re.compile(r"(?m)^\| \d+ \| (\d+) \| (.+) \|$")
HOME = re.compile(r"at home (.+?)\.\n")
READ = re.compile(r"(?m)^\*Read before\*: (.+)\.$")
INSTEAD = re.compile(r"(?m)^- Before (.+?), without (\d+): its (.+)\.")
SHEETS = re.compile(r"(?m)^\| day (\d+) \| (.+?) \| (.+?) \|$")
MARKS = re.compile(r"Sheets count \d+, the project \d+ of 100[^.]*\.")
PROJECT = re.compile(r"handed out on day (\d+), proposed on day (\d+), reported on day (\d+)")
ABLE = re.compile(r"\*Afterwards\* a student can (?:also )?(.+?)\. ")
ASSUMED = re.compile(r"(?m)^\*Before all of them\*: (.+?\.) (Who has .+)$")  # the second for a course without chapter 1
WAYS = re.compile(r"which of two ways they need: (.+)\.")
PROMISE = re.compile(r"(?m)^\| (\d+) \| \[[^]]+\]\([^)]+\) \| (.+) \|$")
ELSEWHERE = "README"  # where the page for teachers only says where the outcomes of a course stand
STAGES = ("the project is handed out", "**proposal** of the project", "**report** on the project")
PROJECTS = re.compile(r"#project-(\d)\)")
NEEDS = re.compile(r"(?m)^Before it: (.+)$")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
LAST = "questions"  # the session after the last chapter, at which its sheet is due
PLANNED = 0, 3  # days of the week on which a course of one's own is planned, from that of the first session on
SPAN = ".."
LEGEND = """\
*Read before* names parts of the chapter; *to its first question* ends where the page says *Predict*. What is due is
handed in when the session begins. Sheets, one for each chapter, are for marks; exercises are on the page of their
chapter, 3.4 is exercise 4 of chapter 3, and are for practice."""


class Session(NamedTuple):
    """A session of a course: the day on which it is planned, counted from the first, and its title."""

    day: int
    title: str

    @property
    def chapter(self) -> str:
        """The number of its chapter, nothing where it has none."""
        number, dot, _ = self.title.partition(" · ")
        return number if dot else ""


def part(name: str) -> str:
    """Return what the page for teachers says of a course, without its links.

    Raises
    ------
    ValueError
        If there is no course of that name which counts days.
    """
    if name not in COURSES:
        raise ValueError(f"there is no course {name!r}; there are {', '.join(COURSES)}")
    return LINK.sub(r"\1", course_text(teaching(), name))


def teaching() -> str:
    """Return the page for teachers."""
    return (ROOT / "book" / "reference" / "teaching.md").read_text(encoding="utf-8")


def course_text(text: str, name: str) -> str:
    """Return what a text says of a course, to the next anchor or heading."""
    return re.split(r"<a id=|\n## ", text.partition(f'<a id="{name}"></a>')[2])[0]


def projects(name: str) -> str:
    """Return the text of the projects of a course and the marks for one, without links."""
    text = teaching()
    own = set(PROJECTS.findall(course_text(text, name)))
    said = re.split(r"\n## ", text.partition("\n## Two projects\n")[2])[0]
    about, *parts = re.split(r'<a id="project-(\d)"></a>\n', said.partition("### Marks for a project")[0])
    texts = [what for number, what in zip(parts[::2], parts[1::2], strict=True) if number in own]
    marks = "### Marks for a project" + said.partition("### Marks for a project")[2]
    return LINK.sub(r"\1", "\n\n".join(["## The project", *map(str.strip, [about, *texts, marks])]))


def guides() -> dict[str, str]:
    """Return the pages for teachers by the number of their chapter."""
    folder = ROOT / "teach" / "guide"
    return {str(one.number): (folder / f"{one.name}.md").read_text(encoding="utf-8") for one in chapters(ROOT)}


def at_home(pages: dict[str, str]) -> dict[str, str]:
    """Return the exercises that the pages for teachers set for home, by the number of the chapter."""
    found = {number: re.findall(r"#ex-(\d+)\)", HOME.search(text)[1]) for number, text in pages.items()}
    return {number: ", ".join(f"{number}.{one}" for one in exercises) for number, exercises in found.items()}


def opening(text: str, taught: Collection[str]) -> list[str]:
    """Return what a course begins with: what students will be able to do, what they need before, what they install.

    Outcomes are the sentence of the page for teachers or, where it has none of its own, the promise of each chapter.
    """
    said, whole = ABLE.search(text), LINK.sub(r"\1", teaching())
    promises = dict(PROMISE.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    own = f" {said[1]}.".replace("her own", "your own") if said and ELSEWHERE not in said[1] else ""
    able = [f"*Afterwards* you can{own or ':'}", ""]
    able += [] if own else [*(f"- chapter {number}: {promises[number]}" for number in taught), ""]
    needed, first = ASSUMED.search(whole).groups()
    before = needed if "1" in taught else f"{needed} {first}"
    return [*able, f"*Needed before*: {before}", "", f"*To install*, as you are told: {WAYS.search(whole)[1]}.", ""]


def reading(text: str, pages: dict[str, str], taught: Collection[str]) -> dict[str, str]:
    """Return what is read before each chapter that a course teaches, also of the chapters that it leaves out."""
    found = {number: READ.search(pages[number])[1] for number in taught}
    for ahead, without, what in INSTEAD.findall(text):
        for number in re.findall(r"\d+", ahead):
            if number in found and without not in found:
                found[number] += f"; of chapter {without} {what}"
    return found


def due(text: str, sessions: list[Session], home: dict[str, str]) -> dict[int, list[str]]:
    """Return what is due on which day: as the course says or, where it does not, at the session after a chapter."""
    found: dict[int, list[str]] = {}
    if told := SHEETS.findall(text):
        found = {int(day): [f"**sheets** {sheets}", f"exercises {some}"] for day, sheets, some in told}
    else:
        for before, session in pairwise(sessions):
            if number := before.chapter:
                found[session.day] = [f"**sheet** {number}", f"exercises {home[number]}"]
    if stages := PROJECT.search(text):
        for day, stage in zip(stages.groups(), STAGES, strict=True):
            found.setdefault(int(day), []).append(stage)
    return found


# --- dates ------------------------------------------------------------------------------------------------------------


def day_of(text: str) -> date:
    """Return a date from its text.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no date: write year, month and day, such as 2026-11-30") from error


def skipped(text: str) -> set[date]:
    """Return the days of a list such as ``2026-12-24,2026-12-28..2027-01-03``.

    Raises
    ------
    ValueError
        If an entry is no date, or ends before it begins.

    Examples
    --------
    >>> sorted(day.day for day in skipped("2026-12-24,2026-12-31..2027-01-02"))
    [1, 2, 24, 31]
    """
    found: set[date] = set()
    for entry in filter(None, text.replace(" ", "").split(",")):
        first, last = (day_of(part) for part in (entry.split(SPAN) if SPAN in entry else (entry, entry)))
        if last < first:
            raise ValueError(f"{entry!r} ends before it begins")
        found |= {first + timedelta(day) for day in range((last - first).days + 1)}
    return found


def weekdays(text: str) -> list[int]:
    """Return the days of the week of a list such as ``Mon Wed``, Monday as 0.

    Raises
    ------
    ValueError
        If a word is no day of the week.

    Examples
    --------
    >>> weekdays("Wed, monday")
    [0, 2]
    """
    words = text.replace(",", " ").split()
    if unknown := [word for word in words if word[:3].lower() not in DAYS]:
        raise ValueError(f"{unknown[0]!r} is no day of the week; they are {', '.join(map(str.capitalize, DAYS))}")
    return sorted({DAYS.index(word[:3].lower()) for word in words})


def slots(start: date, offsets: Collection[int]) -> Iterator[date]:
    """Yield the days on which a course meets, for ever: those of a week that are so many days after the first."""
    weekly = sorted({offset % 7 for offset in offsets})
    return (start + timedelta(7 * week + day) for week in count() for day in weekly)


def until(last: date, days: Iterator[date]) -> list[date]:
    """Return the days that are not after the last."""
    return list(takewhile(lambda day: day <= last, days))


def dates(days: list[int], meets: Iterator[date], skip: Collection[date]) -> dict[int, date]:
    """Return the dates of the planned days of sessions, which pass over what is skipped."""
    return dict(zip(days, (day for day in meets if day not in skip), strict=False))


def deadline(day: int, held: dict[int, date], skip: Collection[date]) -> date:
    """Return the date of a planned day: that of its session, or as long before the next one as planned."""
    after = min(planned for planned in held if planned >= day)
    found = held[after] - timedelta(after - day)
    while found in skip:
        found -= timedelta(1)
    return found


def own_course(asked: list[Chapter]) -> list[Session]:
    """Return the sessions of chapters of one's own choice, and a last one without a chapter, as if one a day."""
    titles = [f"{one.number} · {one.title(ROOT)}" for one in asked]
    return [Session(day, title) for day, title in enumerate([*titles, LAST])]


def missing(asked: list[Chapter], pages: dict[str, str]) -> list[str]:
    """Return a sentence for each chapter that needs others which do not come before it, with what to read of those.

    That is what a course which leaves the same out has instead, where there is one.
    """
    lines, instead = [], {}
    for ahead, without, what in INSTEAD.findall(LINK.sub(r"\1", teaching())):
        for number in re.findall(r"\d+", ahead):
            instead[number, without] = what
    for at, one in enumerate(asked):
        before = {str(other.number) for other in asked[:at]}
        needed = [n for n in re.findall(r"\[(\d+)\]", NEEDS.search(pages[str(one.number)])[1]) if n not in before]
        if needed:
            own = str(one.number)
            texts = {number: instead.get((own, number)) or READ.search(pages[number])[1] for number in needed}
            read = "; ".join(f"of chapter {number} {text}" for number, text in texts.items())
            lines.append(
                f"Chapter {one.number} needs what does not come before it here. Who has not met it reads {read}."
            )
    return lines


def syllabus(
    name: str,
    start: date,
    skip: Collection[date] = (),
    *,
    own: Sequence[Chapter] = (),
    on: Sequence[int] = (),
) -> str:
    """Return a course as Markdown, given its name, the day of its first session and days without one.

    Of chapters of one's `own` choice the name plays no part; `on` are the days of the week on which the course meets.
    """
    pages, asked = guides(), list(own)
    text = "" if asked else part(name)
    planned = [Session(int(day), title) for day, title in ROW.findall(text)]
    sessions = own_course(asked) if asked else planned
    offsets = [(day - start.weekday()) % 7 for day in on] or (PLANNED if asked else [one.day for one in planned])
    held = dates([session.day for session in sessions], slots(start, offsets), skip)
    owed = due(text, sessions, at_home(pages))
    taught = [session.chapter for session in sessions if session.chapter]
    read = reading(text, pages, taught)
    rows = {held[one.day]: [one.title, read.get(one.chapter, ""), ""] for one in sessions}
    for day, what in sorted(owed.items()):
        row = rows.setdefault(deadline(day, held, skip), ["", "", ""])
        row[2] = "; ".join(filter(None, [row[2], *what]))
    free = [f"{day:%a %d %b %Y}" for day in until(max(rows), slots(start, offsets)) if day in skip]
    lines = ["# Regression Is Attention", "", *opening(text, taught)]
    lines += ["Sheets count alike." if asked else MARKS.search(text)[0], "", LEGEND, ""]
    lines += [line for said in missing(asked, pages) for line in (said, "")]
    first, last = min(held.values()), max(held.values())
    weeks = (last - first).days // 7 + 1
    lines += [f"{weeks} week{'s' * (weeks > 1)}, from {first:%a %d %b %Y} to {last:%a %d %b %Y}.", ""]
    lines += [f"No session on {', '.join(free)}.", ""] if free else []
    lines += ["| date | session | read before | due |", "|---|---|---|---|"]
    lines += [f"| {day:%a %d %b %Y} | {' | '.join(rows[day])} |" for day in sorted(rows)]
    lines += [] if asked else ["", projects(name)]
    return "\n".join(lines)


def main() -> None:
    """Print the syllabus."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("start", help="the day of the first session, such as 2026-11-30")
    parser.add_argument("course", nargs="?", default=COURSES[0], help=f"one of {', '.join(COURSES)}")
    parser.add_argument("--skip", default="", help="days without a session: 2026-12-24,2026-12-28..2027-01-03")
    parser.add_argument("--chapters", default="", help="a course of your own choice, such as '3 8 14 20'")
    parser.add_argument("--days", default="", help="the days of the week on which it meets, such as 'Mon Wed'")
    given = parser.parse_args()
    try:
        own, on = chosen(given.chapters.replace(",", " ").split()), weekdays(given.days)
        print(syllabus(given.course, day_of(given.start), skipped(given.skip), own=own, on=on))
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
