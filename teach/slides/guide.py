"""The page for teachers of a chapter, as a deck needs it: plan, slides, votes with replies, pitfalls, debate, quiz.

A step of the plan names behind an arrow the sections of the chapter that it takes; what no step names is *if time*.
Behind a vote stands which step to predict of the chapter asks it, `(Predict 6)`, or `(not on the page)`: that, or one
of a part in depth, stands before the section, step or chapter that its reply names first, or before all. A pitfall
stands at the section that it names first; one that names none, at the one whose words it has.

Each entry of *Slides* is a slide. It names a section of the chapter, or a step of the plan by its first words, and has
the lines that the slide says. Behind an arrow a line shows something of that section, such as *picture* or *equation 2*
in the order of the page, or of another section, which it then names. What stands before `→ vote` is the heading of the
vote. Where the question of the chapter needs the words before it, `The title asks` it in others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1] / "guide"
STEP = re.compile(r"(?m)^- (\d+) min(?: \(half day\))?: (.+?)(?: → (.+))?$")
VOTE = re.compile(
    r"(?m)^- \*\*(.+)\*\* \((?:Predict (\d+)|not on the page)\) \*Expected, of 100:\* (.+)\.\n((?:  .+\n?)*)"
)
BEFORE = re.compile(r"^Before \*([^*]+)\*\. ")
AT = re.compile(r"^At \*([^*]+)\*: (\W*)(\w)")
ROOM = re.compile(r"Ninety minutes have room for ([^.]+)\.")
QUESTION = re.compile(r"(?m)^\d+\. (.+ \(\d\))$")
ENTRY = re.compile(r"(?m)^- (.+)$")
IN_CLASS = re.compile(r"In class (.+?);")
TITLE = re.compile(r"\*([^*]+)\*")
ASKS = re.compile(r"(?m)^The title asks: (.+)$")
SLIDE = re.compile(r"(?m)^- \*(.+)\*\n((?:  - .+\n?)*)")
LINE = re.compile(r"  - (.*?) ?(?:→ (\w+)(?: (\d+))?(?: of \*(.+)\*)?)?")
CLAIM = re.compile(r"\[([\w.-]+)\]\(\S+ledger\.md")
DEBATE = re.compile(r"\bdebate\b", re.IGNORECASE)
SET = re.compile(r"\b[Ee]xercises? ((?:\d+(?:, | and )?)+)")
DULL = re.compile(
    r"\b(?:the|of|and|to|is|it|do|does|what|which|how|in|on|at|for|with|by|or|an|from|be|are|will|not|than|that|this|as|"
    r"its|you|your|one|two|where|there|would|when|no|yes|all|same|their|they|has|have|many|much|more|most)\b"
)


class Step(NamedTuple):
    """A step of the plan: its minutes, what is done, and the sections of the chapter that it takes."""

    minutes: int
    what: str
    sections: tuple[str, ...]

    def exercises(self) -> list[str]:
        """Return the numbers of the exercises that it sets."""
        return [number for some in SET.findall(self.what) for number in re.findall(r"\d+", some)]

    def debates(self) -> bool:
        """Return whether it has a debate."""
        return DEBATE.search(self.what) is not None


class Line(NamedTuple):
    """A line of a slide, and what it shows: a kind of thing, which of its kind, and of which section if not its own."""

    text: str
    kind: str = ""
    number: int = 1
    section: str = ""


class Entry(NamedTuple):
    """A slide that the page sets out: the section or the step that it belongs to, and its lines."""

    place: str
    lines: tuple[Line, ...]


class Debate(NamedTuple):
    """What is discussed: the questions, and the claims of the ledger for debate."""

    questions: str
    claims: tuple[str, ...]


class Vote(NamedTuple):
    """A vote in class: its question, the options, what votes to expect, what to reply, and before which section.

    `page` is the number of the step to predict of the chapter that asks it, 0 where none does; `counts` says whether it
    is one of the three for which ninety minutes have room.
    """

    question: str
    options: tuple[str, ...]
    expected: str
    reply: str
    before: str
    page: int
    counts: bool


class Guide(NamedTuple):
    """What the page for teachers of a chapter says; all texts are lines of Markdown."""

    steps: tuple[Step, ...] = ()
    votes: tuple[Vote, ...] = ()
    board: tuple[str, ...] = ()
    pitfalls: tuple[str, ...] = ()
    quiz: tuple[str, ...] = ()
    in_class: tuple[str, ...] = ()
    question: str = ""
    slides: tuple[Entry, ...] = ()
    debate: Debate = Debate("", ())

    def step_of(self, titles: Iterable[str]) -> int | None:
        """Return the place of the step that takes a section, given its title and those around it; None without one."""
        for title in plain(titles):
            for place, step in enumerate(self.steps):
                if title in plain(step.sections):
                    return place
        return None

    def set_in_class(self) -> list[str]:
        """Return the numbers of the exercises that a step sets or the page names for the class, each once."""
        return list(dict.fromkeys([number for step in self.steps for number in step.exercises()] + [*self.in_class]))

    def step_named(self, words: str) -> int | None:
        """Return the place of the step that begins with these words; None without one."""
        return next((place for place, step in enumerate(self.steps) if step.what.startswith(words)), None)


def placed(pitfall: str) -> tuple[str, str]:
    """Return the section that a pitfall names first, nothing where it names none, and what it says.

    Examples
    --------
    >>> placed('At *Here*: "the same" is not it.')
    ('Here', '"The same" is not it.')
    """
    found = AT.match(pitfall)
    return (found[1], found[2] + found[3].upper() + pitfall[found.end() :]) if found else ("", pitfall)


def plain(titles: Iterable[str]) -> list[str]:
    """Return titles as they are typed: Sphinx sets their apostrophes."""
    return [title.replace("’", "'") for title in titles]


def parts(text: str) -> dict[str, str]:
    """Return the parts of a page for teachers by their headings."""
    found = re.split(r"(?m)^## (.+)\n", text)
    return dict(zip(found[1::2], found[2::2], strict=True))


def votes(text: str) -> tuple[Vote, ...]:
    """Return the votes of a part *Predictions*."""
    room = set(re.findall(r"\d+", ROOM.search(text)[1]))  # none of all three
    made = []
    for question, page, expected, reply in VOTE.findall(text):
        options = tuple(share.rsplit(" ", 1)[0] for share in expected.split(" · "))
        said = " ".join(reply.split())
        before = BEFORE.match(said)
        said = BEFORE.sub("", said)
        named = before[1] if before else ""
        made.append(Vote(question, options, expected, said, named, int(page or 0), not room or page in room))
    return tuple(made)


def read(text: str) -> Guide:
    """Return the page for teachers of a chapter, given its Markdown."""
    part = parts(text)
    steps = STEP.findall(part["Minutes"])
    return Guide(
        steps=tuple(Step(int(minutes), what, tuple(TITLE.findall(named))) for minutes, what, named in steps),
        votes=votes(part["Predictions"]),
        board=tuple(ENTRY.findall(part["On the board"])),
        pitfalls=tuple(ENTRY.findall(part["Pitfalls"])),
        quiz=tuple(QUESTION.findall(part["Quiz"])),
        in_class=tuple(re.findall(r"\[(\d+)\]", IN_CLASS.search(part["Exercises"])[1])),
        question=(ASKS.findall(part["Slides"]) or [""])[0],
        slides=entries(part["Slides"]),
        debate=Debate(part["Discussion"].partition("For debate:")[0].strip(), tuple(CLAIM.findall(part["Discussion"]))),
    )


def entries(text: str) -> tuple[Entry, ...]:
    """Return the slides of a part *Slides*."""
    return tuple(Entry(place, tuple(map(line, body.splitlines()))) for place, body in SLIDE.findall(text))


def line(text: str) -> Line:
    """Return a line of a slide."""
    words, kind, number, section = LINE.fullmatch(text).groups(default="")
    return Line(words, kind, int(number or 1), section)


def guide_of(page: str, folder: Path = FOLDER) -> Guide:
    """Return the page for teachers of a chapter of the contents, such as ``book/part1-lines/01_linear_regression``."""
    path = folder / f"{Path(page).name}.md"
    return read(path.read_text(encoding="utf-8")) if path.is_file() else Guide()


# --- who asks the same ------------------------------------------------------------------------------------------------


def words(text: str) -> set[str]:
    """Return the words of a text that say something."""
    return set(re.findall(r"[a-z0-9]{2,}", DULL.sub(" ", text.lower())))


def likeness(one: str, other: str) -> float:
    """Return which share of the words of the shorter of two texts both have."""
    first, second = words(one), words(other)
    return len(first & second) / max(1, min(len(first), len(second)))


def nearest(text: str, sections: Sequence[str]) -> int | None:
    """Return the place of the section of which a text speaks, by the words that few sections have; None without one."""
    held = [words(section) for section in sections]
    spread = Counter(word for each in held for word in each)
    worth = [sum(1 / spread[word] for word in words(text) & each) for each in held]
    best = max(range(len(worth)), key=worth.__getitem__, default=None)
    return best if best is not None and worth[best] >= 1 else None
