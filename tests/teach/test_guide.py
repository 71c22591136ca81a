"""The guide for teachers: each chapter has its page, its numbers are the chapter's, and its quiz has keys."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from teach.slides.guide import Guide, likeness, plain, read
from tests.built import GIT_FILES, ROOT, read_notebook, toc_pages
from tests.teach.decks import ELSEWHERE, LEANS
from tools.archive import LIMIT
from tools.asked import predicted
from tools.book import ZIP
from tools.chapters import PARTS

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from chapters import chapters

GUIDE = ROOT / "teach" / "guide"
TEACHING = ROOT / "book" / "reference" / "teaching.md"
BANK = ROOT / "teach" / "quizzes"
EXAMPLE = ROOT / "teach" / "example_private" / "quizzes" / "example.yml"
PRIVATE = os.environ.get("REGATTN_PRIVATE")
CHAPTERS = {chapter.name: ROOT / f"{chapter.page}.ipynb" for chapter in chapters()}
SESSION = 90  # minutes of a session in the courses of five and twelve weeks
READ = 2000  # words that students read before a session
PACE = 75  # words of a chapter that a minute of the plan takes: half of what one reads aloud
LONG = 330  # characters of a line of a slide
LONGEST = 4  # chapters that no session can teach whole
SAME = 0.4  # share of their words that a vote and the step that asks it have in common
COURSES = ("half-day", "five-weeks", "one-a-week", "twelve-weeks", "economists")
HALF_DAY = {"ols_proximity": 50, "attention": 50, "transformer_block": 40, "full_circle": 25}
ITEM = re.compile(r"(?m)^- (\d+) min( \(half day\))?: (.+)$")
VOTE = re.compile(r"\*Expected, of 100:\* (.+)\.$", re.MULTILINE)
QUESTION = re.compile(r"(?m)^\d+\. (.+) \((\d)\)$")
WORDS = re.compile(r"[^\s,]+")
READING = re.compile(
    r"\*([^*]+)\*((?:, from \"([^\"]+)\")?)((?:,? to (?:its first question|\"([^\"]+)\"))?)"
)  # a section, from which words on, to which
NUMBER = re.compile(r"(?<![\w.])(?:\d[\d,]*)?\.?\d+(?![\w])")
every_chapter = pytest.mark.parametrize("name", CHAPTERS)


@cache
def page(name: str) -> str:
    """Return the page of a chapter."""
    return (GUIDE / f"{name}.md").read_text(encoding="utf-8")


@cache
def ledger() -> list[dict]:
    """Return the entries of the ledger."""
    return yaml.safe_load((ROOT / "book" / "ledger.yml").read_text(encoding="utf-8"))["entries"]


SETS_EXERCISES = (
    "01_linear_regression",
    "03_ols_proximity",
    "04_shrinkage_and_rank",
    "08_time_series",
    "09_masks",
    "10_panels",
    "15_tokens",
    "18_language_model",
    "20_forecasting",
)


@cache
def chapter(name: str) -> list:
    """Return the cells of a chapter."""
    return read_notebook(CHAPTERS[name]).cells


def parts_of(text: str) -> dict[str, str]:
    """Return the parts of a page by their headings."""
    found = re.split(r"(?m)^## (.+)\n", text)
    return dict(zip(found[1::2], found[2::2], strict=True))


def numbers(text: str) -> set[str]:
    """Return the numbers of a text that say something: all but whole numbers of one digit."""
    bare = re.sub(r"\]\([^)]*\)|`[^`]*`", "]", text).replace("−", "-")
    return {found.strip(",").replace(",", "") for found in NUMBER.findall(bare)} - set("0123456789")


@cache
def said(name: str) -> set[str]:
    """Return the numbers that a reader of a chapter sees: those of its text and of its open code."""
    closed = {"hide-input", "remove-input", "checks"}
    cells = [cell.source for cell in chapter(name) if not closed & set(cell.metadata.get("tags", []))]
    return numbers(re.sub(r"Exercise \d+", "", "\n".join(cells)))


def value(number: str) -> float:
    """Return a number as a quantity, so that .50 is .5."""
    return float(number)


def quiz(name: str) -> list[tuple[str, int]]:
    """Return the questions of a chapter's quiz with their marks."""
    return [(question, int(marks)) for question, marks in QUESTION.findall(parts_of(page(name))["Quiz"])]


def course(anchor: str) -> list[list[str]]:
    """Return the rows of the table of a course, without its head."""
    text = TEACHING.read_text(encoding="utf-8").partition(f'<a id="{anchor}"></a>')[2]
    table = re.search(r"(?m)(?:^\|.*\n)+", text)[0].splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[2:]]


def taught(cells: list[str]) -> list[str]:
    """Return the chapters that a row of a course leads to."""
    return re.findall(r"guide/\d\d_(\w+)", " ".join(cells))


def test_every_chapter_has_a_page_and_every_page_a_chapter():
    assert {path.stem for path in GUIDE.glob("[0-9][0-9]_*.md")} == set(CHAPTERS)
    assert [Path(p).name for p in toc_pages() if re.match(r"teach/guide/\d\d_", p)] == list(CHAPTERS)


@every_chapter
def test_page_has_its_parts_in_order(name):
    text = page(name)
    assert tuple(parts_of(text)) == PARTS
    assert all(part.strip() for part in parts_of(text).values())


@every_chapter
def test_page_leads_to_its_chapter_its_solutions_and_its_slides(name):
    source = CHAPTERS[name].relative_to(ROOT).as_posix()
    assert f"[the chapter](../../{source})" in page(name)
    assert f"(../../book/solutions/{name}.ipynb)" in page(name)
    assert f"`_build/revealjs/{source.removesuffix('.ipynb')}.html`" in page(name)
    assert f"(../../{source}#open-question)" in page(name)


@every_chapter
def test_page_sets_exercises_of_its_own_chapter_only(name):
    links = re.findall(r"\[(\d+)\]\(([^)#]+)#ex-(\d+)\)", parts_of(page(name))["Exercises"])
    assert len(links) >= 4
    for number, address, anchor in links:
        assert number == anchor
        assert Path(address).stem == name
    written = "\n".join(c.source for c in chapter(name) if c.cell_type == "markdown")
    mentioned = set(re.findall(r"Exercises? (\d+)", page(name)))
    assert {number for number, *_ in links} | mentioned <= set(re.findall(r"Exercise (\d+)\*\*", written))


@every_chapter
def test_rows_for_debate_are_rows_that_one_can_debate(name):
    verdicts = {entry["id"].lower(): entry["verdict"] for entry in ledger()}
    rows = re.findall(r"\[([\w.-]+)\]\(\S+ledger\.md#([\w.-]+)\)", parts_of(page(name))["Discussion"])
    assert len(rows) >= 3
    for shown, anchor in rows:
        assert shown.lower() == anchor
        holds_plainly = verdicts[anchor] == "holds"
        named_in_chapter = f"#{anchor})" in "\n".join(c.source for c in chapter(name))
        assert not holds_plainly or named_in_chapter, shown


@every_chapter
def test_minutes_fill_one_session_and_half_a_day_takes_its_share(name):
    plan = ITEM.findall(parts_of(page(name))["Minutes"])
    assert len(plan) == len(parts_of(page(name))["Minutes"].strip().splitlines())
    assert sum(int(minutes) for minutes, *_ in plan) == SESSION
    assert sum(int(minutes) for minutes, half, _ in plan if half) == HALF_DAY.get(name[3:], 0)
    assert plan[-1][::2] == ("5", "Quiz.")


def test_half_a_day_adds_up_and_takes_from_each_page_what_it_marks():
    at, rows = 0, course("half-day")
    for start, minutes, *what in rows:
        assert int(start) == at
        at += int(minutes)
        for name in taught(what):
            assert int(minutes) == HALF_DAY[name]
    assert [name for row in rows for name in taught(row)] == list(HALF_DAY)
    assert at == 210


@pytest.mark.parametrize(
    ("anchor", "weeks", "days"),
    [("five-weeks", 5, (0, 3)), ("twelve-weeks", 12, (0, 3)), ("economists", 12, (0, 3)), ("one-a-week", 12, (0,))],
)
def test_a_course_has_its_sessions_a_week_on_days_that_count_from_its_start(anchor, weeks, days):
    rows = course(anchor)
    assert [(int(week), int(day)) for week, day, _ in rows] == [
        (week, 7 * (week - 1) + day) for week in range(1, weeks + 1) for day in days
    ]
    order = [chapter.slug for chapter in chapters()]
    places = [order.index(name) for row in rows for name in taught(row)]
    assert places == sorted(set(places))
    assert all(len(taught(row)) <= 1 for row in rows)


def test_twelve_weeks_teach_every_chapter():
    assert [name for row in course("twelve-weeks") for name in taught(row)] == [chapter.slug for chapter in chapters()]


def needed(number: int) -> set[int]:
    """Return the chapters that a chapter's page asks for."""
    (one,) = [chapter for chapter in chapters() if chapter.number == number]
    return {int(before) for before in re.findall(r"\[(\d+)\]\(", re.search(r"(?m)^Before it: .+$", page(one.name))[0])}


def gaps(order: list[int]) -> set[tuple[int, int]]:
    """Return the pairs of a chapter and one that it asks for and that a course has not taught by then."""
    return {(each, before) for at, each in enumerate(order) for before in needed(each) - set(order[:at])}


def part_of_course(anchor: str) -> str:
    """Return what the page says of a course."""
    return TEACHING.read_text(encoding="utf-8").partition(f'<a id="{anchor}"></a>')[2].partition("<a id=")[0]


def test_a_row_of_a_course_has_the_title_of_its_chapter_and_leads_to_it():
    known = {chapter.slug: chapter for chapter in chapters()}
    rows = [row[-1] for anchor in COURSES for row in course(anchor)]
    chosen = [row for row in rows if taught([row])]
    assert len(chosen) > 50
    for row in chosen:
        one = known[taught([row])[0]]
        leads = f"../../teach/guide/{one.name}.md", f"../{one.page.removeprefix('book/')}.ipynb"
        assert row == f"[{one.number}]({leads[0]}) · [{one.title()}]({leads[1]})"


@pytest.mark.parametrize(
    ("anchor", "instead"),
    [*((anchor, {}) for anchor in COURSES), ("five-weeks", {8: 12, 9: 14})],
)
def test_a_course_teaches_what_its_chapters_ask_for_or_says_what_to_do_instead(anchor, instead):
    numbers_of = {chapter.slug: chapter.number for chapter in chapters()}
    order = [numbers_of[name] for row in course(anchor) for name in taught(row)]
    said = re.findall(r"(?m)^- Before (.+?), without \[(\d+)\]\([^)]+\)(.+)$", part_of_course(anchor))
    told = {(int(each), int(without)) for ahead, without, _ in said for each in re.findall(r"\[(\d+)\]", ahead)}
    found = gaps(sorted(instead.get(number, number) for number in order))
    assert found <= told
    if instead:
        assert told == found | gaps(order)
    names = {chapter.number: chapter.name for chapter in chapters()}
    for _, without, what in said:  # sections are those of the chapter that is left out, and as long as it says
        titles = re.findall(r"\*([^*]+)\*", what)
        assert set(titles) <= set(sections(names[int(without)]))
        if words := re.search(r"(\d+) words", what):
            texts = [sections(names[int(without)])[title].partition("> **Predict")[0] for title in titles]
            assert abs(sum(len(text.split()) for text in texts) - int(words[1])) < 60


def test_economists_hand_in_what_they_were_taught_and_have_two_spare_sessions():
    days = {int(day): what for _, day, what in course("economists")}
    assert list(days.values()).count("spare") == 2
    text = part_of_course("economists")
    handed_in = [int(day) for day in re.findall(r"\d+", re.search(r"on days ([\d, and]+),", text)[1])]
    assert set(handed_in) <= set(days)
    assert {late - soon for soon, late in pairwise(handed_in)} == {14}
    due = {int(day): cells for day, *cells in re.findall(r"(?m)^\| day (\d+) \| (.+) \| (.+) \|$", text)}
    assert list(due) == handed_in
    known = {chapter.slug: chapter for chapter in chapters()}
    for soon, late in pairwise([-1, *handed_in]):
        now = [known[name] for day, what in days.items() if soon <= day < late for name in taught([what])]
        assert re.findall(r"(\d\d_\w+)\.ipynb", due[late][0]) == [one.name for one in now]
        home = [f"{one.number}.{exercise}" for one in now for exercise in at_home(one.name)]
        assert due[late][1].split(", ") == home


def at_home(name: str) -> list[str]:
    """Return the exercises that a page sets for home."""
    line = parts_of(page(name))["Exercises"].partition("at home ")[2].partition(".\n")[0]
    return re.findall(r"#ex-(\d+)\)", line)


def sections(name: str) -> dict[str, str]:
    """Return the text of a chapter by its sections; what stands before the first is the opening."""
    text = "\n\n".join(cell.source for cell in chapter(name) if cell.cell_type == "markdown")
    found = re.split(r"(?m)^## (.+)\n?", text)
    return {"opening": found[0]} | dict(zip(found[1::2], found[2::2], strict=True))


class Reading(NamedTuple):
    """A part of a chapter that students read before: its section, from which words on, up to which."""

    title: str
    begin: str
    end: str


def read_before(name: str) -> tuple[bool, list[Reading]]:
    """Return whether students read the first paragraph of a chapter beforehand, and which parts of its sections."""
    (line,) = re.findall(r"(?m)^\*Read before\*: (.+)\.$", page(name).partition("## Outcomes")[0])
    first, said = "the first paragraph; ", line.removeprefix("the first paragraph; ")
    found = READING.findall(said)
    written = [f"*{title}*{begin}{end}" for title, begin, _, end, _ in found]
    assert said == "; ".join(written)
    return line.startswith(first), [
        Reading(title, begin, "> **Predict" if end.endswith("question") else words)
        for title, _, begin, end, words in found
    ]


def kept(name: str, part: Reading) -> str:
    """Return the text of a part that students read before; the words at which it begins and ends stand there once."""
    text = sections(name)[part.title]
    assert all(text.count(words) == 1 for words in (part.begin, part.end) if words and not words.startswith("> "))
    assert part.end in text
    text = text[text.index(part.begin) :]
    return text[: text.index(part.end)] if part.end else text


def spoils(text: str, votes: str) -> set[str]:
    """Return the numbers with decimals that a text tells and a reply to a vote tells, too."""
    return {number for number in numbers(text) & numbers(VOTE.sub("", votes)) if "." in number}


@every_chapter
def test_what_is_read_before_is_in_the_chapter_and_spoils_no_vote(name):
    opening, named = read_before(name)
    there = sections(name)
    places = [list(there).index(part.title) for part in named]
    assert places == sorted(set(places))
    assert {"opening", "In depth", "Exercises", "What carries over"}.isdisjoint(part.title for part in named)
    texts = [kept(name, part) for part in named]
    if opening:  # the question of the chapter; the rest of the opening answers it
        texts.append(re.split(r"\n\n", re.split(r"(?m)^# .+\n\n", there["opening"])[1])[0])
        assert re.search(r"\?(?:\*\*)?$", texts[-1])
    assert 250 <= sum(len(text.split()) for text in texts) <= READ
    assert [text for text in texts if "**Predict" in text or "**Answer" in text] == []
    assert {vote.before for vote in planned(name).votes}.isdisjoint(part.title for part in named)
    assert [found for text in texts if (found := spoils(text, parts_of(page(name))["Predictions"]))] == []


def test_a_text_that_tells_what_a_reply_tells_is_noticed():
    asked = "- **How much?** *Expected, of 100:* .50 60 · 2 40.\n  To *2*: it is 3.7 of 12."
    assert spoils("The two are 3.7 and 12 apart, not .50.", asked) == {"3.7"}
    assert spoils("The two are 12 apart.", asked) == set()


@every_chapter
def test_what_is_dropped_first_is_a_step_of_the_plan_and_frees_ten_minutes(name):
    (line,) = re.findall(r"(?m)^\*Drop first\*: (.+)\.$", page(name).partition("## Outcomes")[0])
    dropped = re.findall(r"\*([^*]+)\*, (\d+) min", line)
    assert line == "; ".join(f"*{step}*, {minutes} min" for step, minutes in dropped)
    plan = ITEM.findall(parts_of(page(name))["Minutes"])
    for step, minutes in dropped:
        assert [(m, half) for m, half, what in plan if what.startswith(step)] == [(minutes, "")]
    assert 10 <= sum(int(minutes) for _, minutes in dropped) <= 20
    assert "Quiz." not in dict(dropped)


@cache
def planned(name: str) -> Guide:
    """Return the plan of a chapter as its deck reads it."""
    return read(page(name))


def story(name: str) -> dict[tuple[str, str], int]:
    """Return how many words each section of a chapter's story has, by its title and that of the one which holds it."""
    text = "\n".join(cell.source for cell in chapter(name) if cell.cell_type == "markdown")
    found = re.split(r"(?m)^(##+) (.+)\n?", re.split(r"(?m)^## (?:In depth|Exercises)$", text)[0])
    told, over = {}, ""
    for level, title, body in zip(found[1::3], found[2::3], found[3::3], strict=True):
        over = title if level == "##" else over
        told[title, over] = len(body.split())
    return told


def left_out(name: str) -> list[str]:
    """Return the sections of a chapter's story that no step of its plan takes."""
    return [title for title, over in story(name) if planned(name).step_of([title, over]) is None]


@every_chapter
def test_a_step_names_sections_of_the_story_each_once_and_has_the_time_for_them(name):
    own = planned(name)
    assert [(str(step.minutes), step.what) for step in own.steps] == [
        (minutes, what.partition(" → ")[0]) for minutes, _, what in ITEM.findall(parts_of(page(name))["Minutes"])
    ]
    named = [title for step in own.steps for title in step.sections]
    assert len(named) == len(set(named)) >= 3
    assert set(plain(named)) <= set(plain(title for title, _ in story(name)))
    places = {*plain(sections_and_title(name)), *(slide.place for slide in own.slides)}
    assert set(plain(vote.before for vote in own.votes if vote.before)) <= places
    taken = [0] * len(own.steps)
    for (title, over), words in story(name).items():
        if (place := own.step_of([title, over])) is not None:
            taken[place] += words
    paces = {step.what: words / step.minutes for step, words in zip(own.steps, taken, strict=True)}
    assert {what: pace for what, pace in paces.items() if pace > PACE} == {}


def sections_and_title(name: str) -> list[str]:
    """Return the title of a chapter and those of its sections."""
    text = "\n".join(cell.source for cell in chapter(name) if cell.cell_type == "markdown")
    return re.findall(r"(?m)^#+ (.+)$", text)


@pytest.mark.parametrize("name", SETS_EXERCISES)
def test_these_plans_set_exercises_in_their_ninety_minutes(name):
    parts = parts_of(page(name))
    in_class = re.findall(r"#ex-(\d+)\)", parts["Exercises"].partition("; at home")[0])
    told = " ".join(re.findall(r"Exercises? ([\d and]+\d|\d)", parts["Minutes"]))
    assert told
    assert set(re.findall(r"\d", told)) <= set(in_class)


def test_the_plans_of_the_longest_chapters_leave_sections_out():
    longest = sorted(CHAPTERS, key=lambda name: -sum(story(name).values()))[:LONGEST]
    assert [name for name in longest if not left_out(name)] == []
    assert sum(map(len, map(left_out, CHAPTERS))) >= LONGEST
    for name in longest:
        plan = ITEM.findall(parts_of(page(name))["Minutes"])
        assert sum(int(minutes) for minutes, *_ in plan) == SESSION
        assert len(planned(name).steps) <= 9


@every_chapter
def test_three_votes_are_for_ninety_minutes_and_are_votes_of_the_page(name):
    part = parts_of(page(name))["Predictions"]
    (said,) = re.findall(r"Ninety minutes have room for ([^.]+)\.", part)
    asked = len(VOTE.findall(part))
    if asked == 3:
        assert said == "all three"
        return
    numbers = [int(number) for number in re.fullmatch(r"three: Predict (\d), (\d) and (\d)", said).groups()]
    assert numbers == sorted(set(numbers))
    assert [vote.page for vote in planned(name).votes if vote.counts] == numbers


@every_chapter
def test_a_vote_names_the_step_of_the_page_that_asks_it_and_each_step_has_its_vote(name):
    text = "\n\n".join(cell.source for cell in chapter(name) if cell.cell_type == "markdown")
    steps = [" ".join([one.text, *(option.text for option in one.options)]) for one in predicted(name, text)]
    votes = planned(name).votes
    assert len(votes) == len(VOTE.findall(parts_of(page(name))["Predictions"]))
    assert [vote.page for vote in votes if vote.page] == list(range(1, len(steps) + 1))
    for vote in votes:
        alike = [likeness(" ".join([vote.question, *vote.options]), step) for step in steps]
        assert vote.page == 0 or max(alike) == alike[vote.page - 1] >= SAME, vote.question
        assert vote.page or vote.before, vote.question


@every_chapter
def test_expected_votes_are_shares_of_a_hundred_and_are_called_expectations(name):
    part = parts_of(page(name))["Predictions"]
    assert "nobody has measured them" in part
    asked = re.findall(r"(?m)^- \*\*.+\*\*|^- \*\*\*.+", part)
    votes = VOTE.findall(part)
    assert 3 <= len(asked) == len(votes) <= 8
    for vote in votes:
        shares = [int(option.rsplit(" ", 1)[1]) for option in vote.split(" · ")]
        assert len(shares) >= 2
        assert sum(shares) == 100, vote


def meant(name: str, options: list[str]) -> str:
    """Return the answer that a reply is for: the one of that name, or the only one that has all of its words."""
    if name in options:
        return name
    (found,) = [option for option in options if set(WORDS.findall(name)) <= set(WORDS.findall(option))]
    return found


def unanswered(question: str) -> list[str]:
    """Return the answers to a question for which its text has no reply of at least three words."""
    votes, text = VOTE.search(question)[1], question.partition("\n")[2]
    options = [option.rsplit(" ", 1)[0].replace("*", "") for option in votes.split(" · ")]
    replies = re.findall(r"To (\*[^*]+\*(?:(?: and|,) \*[^*]+\*)*): (.+?)(?=To \*|$)", text, re.DOTALL)
    told = [(name, reply) for names, reply in replies for name in re.findall(r"\*([^*]+)\*", names)]
    return [o for o in options if not any(meant(name, options) == o and len(r.split()) > 2 for name, r in told)]


@every_chapter
def test_every_wrong_answer_has_a_reply(name):
    questions = re.split(r"(?m)^- (?=\*\*)", parts_of(page(name))["Predictions"])[1:]
    without = [unanswered(question) for question in questions]
    assert [answers for answers in without if len(answers) > 1] == []


def test_a_wrong_answer_without_a_reply_is_noticed():
    asked = "**Which?** *Expected, of 100:* the first 50 · the second 30 · neither 20.\n"
    assert unanswered(asked + "  It is the first.") == ["the first", "the second", "neither"]
    assert unanswered(asked + "  To *second*: look at the first. To *neither*: no.") == ["the first", "neither"]
    assert unanswered(asked + "  To *second* and *neither*: look at the first.") == ["the first"]
    with pytest.raises(ValueError, match="values to unpack"):
        unanswered(asked + "  To *the*: look at the first.")


@every_chapter
def test_a_number_on_a_page_is_a_number_of_its_chapter(name):
    parts = parts_of(page(name))
    minutes = re.sub(r"(?m)^- \d+ min", "-", parts["Minutes"])
    quoted = [minutes, *(parts[part] for part in ("Outcomes", "On the board", "Pitfalls", "Discussion"))]
    quoted += [VOTE.sub("", parts["Predictions"]), re.sub(r" → .+", "", parts["Slides"])]
    quoted.append(re.split(r"(?m)^The \[open question\]", parts["Exercises"])[1].partition("Full marks:")[2])
    own = {value(number) for number in said(name)} | {float(name[:2])}
    found = {number for text in quoted for number in numbers(re.sub(r"Exercises? [\d.]+( and [\d.]+)?", "", text))}
    assert sorted(number for number in found if value(number) not in own) == []


@every_chapter
def test_a_slide_has_three_lines_at_most_that_stand_on_their_own(name):
    text = parts_of(page(name))["Slides"].strip()
    slides, question = planned(name).slides, planned(name).question
    assert sum(len(slide.lines) + 1 for slide in slides) == len(text.splitlines()) - (2 if question else 0)
    assert question == "" or (question.endswith("?") and not LEANS.match(question))
    for slide in slides:
        assert 1 <= len(slide.lines) <= 3
        for line in slide.lines:
            assert not LEANS.match(line.text.replace("*", "")), line.text
            assert not ELSEWHERE.search(line.text), line.text
            assert line.text.endswith((".", "?", ".**", "?**", "…*")) or (line.kind and not line.text), line.text
            assert len(line.text) <= LONG, line.text


@every_chapter
def test_every_section_that_a_step_takes_is_on_a_slide(name):
    own = planned(name)
    asked = {section for section, text in read_sections(name) if "Predict " in text}
    shown = set(plain(slide.place for slide in own.slides)) | set(plain(asked))
    over = dict(story(name))
    for step in own.steps:
        for title in step.sections:
            inside = [each for each, parent in over.items() if parent == title]
            assert {*plain([title]), *plain(inside)} & shown, title
    assert "What carries over" in shown


def read_sections(name: str) -> list[tuple[str, str]]:
    """Return the sections of a chapter of any level with their texts."""
    text = "\n".join(cell.source for cell in chapter(name) if cell.cell_type == "markdown")
    found = re.split(r"(?m)^##+ (.+)\n?", text)
    return list(zip(found[1::2], found[2::2], strict=True))


@every_chapter
def test_quiz_has_five_marks_and_no_key(name):
    text = parts_of(page(name))["Quiz"]
    assert sum(marks for _, marks in quiz(name)) == 5
    assert len(quiz(name)) == len(text.strip().splitlines()), "the quiz holds something besides questions"


def sheet_of(name: str) -> dict:
    """Return the open sheet of keys of a chapter."""
    return yaml.safe_load((BANK / f"{name[3:]}.yml").read_text(encoding="utf-8"))


@every_chapter
def test_the_open_bank_has_a_key_to_every_question_and_the_page_has_none(name):
    sheet = sheet_of(name)
    assert sheet["chapter"] == name[3:]
    assert problems_of(sheet, quiz(name)) == []
    assert [item["key"] for item in sheet["quiz"] if len(item["key"]) > 20 and item["key"] in page(name)] == []


def test_the_bank_is_for_the_chapters_and_counts_for_no_marks():
    listed = subprocess.run(GIT_FILES, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    sheets = [path for path in listed if re.search(r"quiz[^/]*/[^/]*\.(ya?ml|json|md|txt)$", path)]
    bank = [(BANK / f"{name[3:]}.yml").relative_to(ROOT).as_posix() for name in CHAPTERS]
    assert sorted(sheets) == sorted([EXAMPLE.relative_to(ROOT).as_posix(), *bank])
    text = TEACHING.read_text(encoding="utf-8")
    assert "worth no marks" in text.partition("## Quizzes and their keys")[2].partition("\n## ")[0]
    counted = re.findall(r"Sheets count (\d+), the project (\d+) of 100", text)
    assert [sum(map(int, marks)) for marks in counted] == [100] * (len(COURSES) - 1)
    assert not any(page.startswith("teach/quizzes") for page in toc_pages())


def problems_of(sheet: dict, questions: list[tuple[str, int]] | None = None) -> list[str]:
    """Return what is wrong with the keys of a quiz, given the questions of its page."""
    found = []
    for place, item in enumerate(sheet["quiz"], start=1):
        unknown = set(item) - {"question", "marks", "key", "accept", "half", "number", "right", "wrong"}
        if unknown:
            found.append(f"question {place} has {sorted(unknown)}")
        if not str(item.get("key", "")).strip():
            found.append(f"question {place} has no key")
    marks = [item.get("marks") for item in sheet["quiz"]]
    if sum(marks) != 5:
        found.append(f"the marks {marks} do not sum to 5")
    if questions is not None and [(item["question"], item["marks"]) for item in sheet["quiz"]] != questions:
        found.append("questions or marks are not those of the page")
    return found


def test_example_of_keys_has_the_form_that_the_guide_describes():
    sheet = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    assert problems_of(sheet) == []
    assert {"accept", "half", "number", "right", "wrong"} <= {name for item in sheet["quiz"] for name in item}
    shown = TEACHING.read_text(encoding="utf-8")
    assert all(f"`{name}`" in shown for name in ("marks", "key", "accept", "half", "number", "right", "wrong"))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"key": " "}, "question 1 has no key"),
        ({"marks": 3}, r"the marks \[3, 2, 2\] do not sum to 5"),
        ({"answer": "3.4"}, r"question 1 has \['answer'\]"),
    ],
)
def test_faults_in_a_sheet_of_keys_are_named(change, problem):
    sheet = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    sheet["quiz"][0] |= change
    assert any(re.fullmatch(problem, found) for found in problems_of(sheet))


def test_a_sheet_that_asks_what_the_page_does_not_is_noticed():
    sheet = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    own = [(item["question"], item["marks"]) for item in sheet["quiz"]]
    assert problems_of(sheet, own) == []
    assert problems_of(sheet, own[::-1]) == ["questions or marks are not those of the page"]


@pytest.mark.skipif(
    not PRIVATE or not (Path(PRIVATE) / "quizzes").is_dir() or Path(PRIVATE).resolve() == EXAMPLE.parents[1],
    reason="REGATTN_PRIVATE names no private folder with quizzes",
)
@every_chapter
def test_private_keys_fit_the_page_and_stand_nowhere_else(name):
    sheet = yaml.safe_load((Path(PRIVATE) / "quizzes" / f"{name[3:]}.yml").read_text(encoding="utf-8"))
    assert sheet["chapter"] == name[3:]
    assert problems_of(sheet, quiz(name)) == []
    public = page(name) + TEACHING.read_text(encoding="utf-8")
    assert [item["key"] for item in sheet["quiz"] if len(str(item["key"])) > 20 and str(item["key"]) in public] == []


def test_index_and_readme_lead_teachers_to_the_guide():
    index = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    assert "(reference/teaching.md)" in index.partition("## For teachers")[2]
    assert "(book/reference/teaching.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_checklist_says_how_to_teach_from_a_stick_as_the_tool_does_it():
    monday = TEACHING.read_text(encoding="utf-8").partition("## Monday")[2].partition("\n## ")[0]
    (line,) = [line for line in monday.splitlines() if "`make zip`" in line]
    assert all(words in line for words in ("USB", "`index.html`", "network off", f"`_build/{ZIP.name}`"))
    assert f"under {LIMIT / 1e6:.0f} MB" in line


def test_projects_use_data_that_come_with_the_book():
    text = TEACHING.read_text(encoding="utf-8").partition("## Two projects")[2].partition("## Monday")[0]
    loaders = re.findall(r"`(load_\w+)\(\)`", text)
    import regattn.data

    assert len(loaders) == 4
    assert all(callable(getattr(regattn.data, loader)) for loader in loaders)
    assert [len(regattn.data.load_macro()), len(regattn.data.load_employment())] == [203, 357]
    marks = re.search(r"(?m)(?:^\| \w+ \| .+\n)+", text.partition("0 to 5 marks")[2])[0].splitlines()
    assert "Thirty marks" in text
    assert len(marks) * 5 == 30
