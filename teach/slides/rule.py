"""The rule by which a chapter becomes slides: its page for teachers says what stands on them and in which order.

The chapter that Sphinx has resolved and its page for teachers go in, slides come out, step by step of the plan:

- the title with the question, and nothing that gives the answer away;
- of each step the slides that the page sets out: its lines, with the equation, picture or table that a line shows;
- the votes of the page, with its options and replies, before the first picture or explorer of their section, or where
  a line `→ vote` stands, which may stand in a step, too, and whose words are the heading where the one of the section
  would give the answer away; then the explorer, alone on its slide;
- the exercises that the step sets, and the debate;
- the quiz and, behind it, *if time*: sections that no step takes, exercises for the class that no step sets, and the
  debate where the plan has none.

The notes of a slide begin with the minutes of its step, replies or the answer, and pitfalls. Below stands the
prose of the page that belongs there, with what cells print and all that is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile, zip_longest

from docutils import nodes

from teach.slides import guide as guides, markdown
from teach.slides.chapter import CLOSING, EXERCISES, Item, Section, numbered, read
from teach.slides.guide import Entry, Guide, Line, Vote
from teach.slides.ledger import claims_of

MOST = 32  # slides of a chapter, with its quiz
OPENING = "the opening"
LED_TO = {"picture", "table", "equation"}  # with which the paragraph before goes that leads to it
SPOKEN = 1 / 3  # of the words of a slide, in a paragraph that is said at it
SHOWS = {"picture", "table", "explorer"}  # what would give away the answer to a vote
NAMED = ("equation", "picture", "table", "list", "code", "box", "explorer")


@dataclass
class Slide:
    """A slide: its title, a line above it, what it shows, what the teacher says, and whether it is for spare time."""

    title: list[nodes.Node]
    above: str
    items: list[Item] = field(default_factory=list)
    notes: list[nodes.Element] = field(default_factory=list)
    kind: str = ""
    top: list[nodes.Element] = field(default_factory=list)
    spare: bool = False
    pitfalls: list[nodes.Element] = field(default_factory=list)

    def said_first(self) -> list[nodes.Element]:
        """Return what the notes say above all else."""
        return [*self.top, *(node for item in self.items for node in item.top), *self.pitfalls]


def kinds(slide: Slide) -> set[str]:
    """Return the kinds of things that a slide shows."""
    return {item.kind for item in slide.items}


def slides_of(chapter: nodes.section, guide: Guide, answers: Mapping[str, nodes.Element] | None = None) -> list[Slide]:
    """Return the slides of a chapter, in the order of the plan on its page for teachers; `answers` go into notes."""
    return Deck(chapter, guide, answers or {}).slides()


class Deck:
    """The deck of a chapter in the making."""

    def __init__(self, chapter: nodes.section, guide: Guide, answers: Mapping[str, nodes.Element]):
        """Read the chapter, and give each vote its section."""
        self.guide = guide
        self.answers = answers
        self.title = chapter.next_node(nodes.title).children
        self.name = chapter.next_node(nodes.title).astext()
        self.sections = read(chapter)
        if guide.question:
            self.sections[0].title = markdown.inline(guide.question)
        self.told = [s for s in self.sections if not s.deep and s.name != EXERCISES]
        self.votes: dict[str, list[Item]] = {section.name: [] for section in self.told}
        self.bring_votes()
        self.exercises = {numbered(item): item for s in self.sections for item in s.items("exercise")}

    def slides(self) -> list[Slide]:
        """Return all slides."""
        first = Slide(self.title, "Regression Is Attention", [question(self.sections[0].title)], kind="title")
        made = [first]
        for place in range(len(self.guide.steps)):
            made += self.of_step(place)
        made += self.spare()
        self.say(made)
        first.top += said_before(self.guide)
        return made

    # --- votes ---------------------------------------------------------------------------------------------------

    def bring_votes(self) -> None:
        """Give each vote of the page for teachers its section; what only the chapter asks is said, or asked if time."""
        asked = [(section, item) for section in self.told for item in section.items("predict")]
        same = {vote.page: vote for vote in self.guide.votes if 0 < vote.page <= len(asked)}
        for known in self.guide.votes:
            if known not in same.values():
                self.votes[self.home(known)].append(voted(known))
        for place, (section, item) in enumerate(asked, start=1):
            if place in same:
                self.votes[section.name].append(voted(same[place], item.node))
            elif section.items("explorer") and not self.votes[section.name] and item is section.items("predict")[-1]:
                self.votes[section.name].append(Item("spare vote", unpressed(item.node), page=item.node))

    def home(self, vote: Vote) -> str:
        """Return the section or the step before which a vote stands: the one that it names, or the opening."""
        names = dict(zip(guides.plain(self.votes), self.votes, strict=True))
        asks = [entry for entry in self.guide.slides if entry.place == vote.before and entry.lines[0].kind == "vote"]
        if any(self.step_of(entry) for entry in asks):
            self.votes.setdefault(vote.before, [])
            return vote.before
        return names.get(guides.plain([vote.before])[0], "")

    # --- steps ---------------------------------------------------------------------------------------------------

    def of_step(self, place: int) -> list[Slide]:
        """Return the slides of a step of the plan: its own, those of its sections, its exercises, its debate."""
        step, made = self.guide.steps[place], []
        own = [entry for entry in self.guide.slides if self.step_of(entry) == place]
        if place == 0:
            made += self.of_section(self.sections[0], own)
        else:
            for entry in own:
                title = [nodes.Text(entry.place)]
                asks = entry.lines[0].kind == "vote"
                made += self.asked(entry.place, title) if asks else [self.slide(title, entry, self.sections[0])]
        for section in self.taken(place):
            made += self.of_section(section, self.entries(section))
        made += [self.exercise(number) for number in step.exercises()]
        if step.debates():
            made.append(debate(self.guide, self.name))
        if place == len(self.guide.steps) - 1:
            made += [slide for s in self.told if s.name == CLOSING for slide in self.of_section(s, self.entries(s))]
            made.append(quiz(self.guide, self.name))
        for slide in made:
            slide.top.insert(0, self.clock(place))
        return made

    def step_of(self, entry: Entry) -> int | None:
        """Return the place of the step to which a slide belongs itself; None where it belongs to a section."""
        names = guides.plain(section.name for section in self.told)
        if guides.plain([entry.place])[0] in names:
            return None
        place = self.guide.step_named(entry.place)
        if place is None:
            raise ValueError(f"*{entry.place}* is neither a section of {self.name!r} nor a step of its plan")
        return place

    def taken(self, place: int) -> list[Section]:
        """Return the sections that a step takes, in its order; what is inside one follows it."""
        found = [s for s in self.told if s.around and self.guide.step_of(s.around) == place]
        order = guides.plain(self.guide.steps[place].sections)
        ranks = {id(s): min(order.index(n) for n in guides.plain(s.around) if n in order) for s in found}
        return sorted(found, key=lambda section: ranks[id(section)])

    def clock(self, place: int) -> nodes.Element:
        """Return what the notes of each slide of a step say first: from which minute to which, and what is done."""
        start = sum(step.minutes for step in self.guide.steps[:place])
        step = self.guide.steps[place]
        return markdown.paragraph(step.what, f"{step.minutes} min, from {start} to {start + step.minutes}.")

    def spare(self) -> list[Slide]:
        """Return the slides for which the plan has no time."""
        made = []
        for section in self.told:
            if section.around and section.name != CLOSING and self.guide.step_of(section.around) is None:
                made += self.of_section(section, self.entries(section))
        set_ = {number for step in self.guide.steps for number in step.exercises()}
        made += [self.exercise(number) for number in self.guide.in_class if number not in set_]
        if not any(step.debates() for step in self.guide.steps):
            made.append(debate(self.guide, self.name))
        for slide in made:
            slide.spare = True
        return made

    # --- a section -----------------------------------------------------------------------------------------------

    def entries(self, section: Section) -> list[Entry]:
        """Return the slides that the page for teachers sets out for a section."""
        name = guides.plain([section.name])
        return [entry for entry in self.guide.slides if guides.plain([entry.place]) == name]

    def of_section(self, section: Section, entries: Iterable[Entry]) -> list[Slide]:
        """Return the slides of a section with its votes and explorers, and its prose in their notes."""
        made, votes = [], self.asked(section.name, section.title, self.above(section))
        for entry in entries:
            asks = entry.lines[0].kind == "vote"
            if asks and (heading := entry.lines[0].text):
                votes = [replace(slide, title=markdown.inline(heading)) for slide in votes]
            made += votes if asks else [self.slide(section.title, entry, section)]
        if not any(slide.kind == "vote" for slide in made):
            first = next((k for k, slide in enumerate(made) if kinds(slide) & SHOWS), len(made))
            made[first:first] = votes
        shown = {id(item.node) for slide in made for item in slide.items}
        for item in section.items("explorer"):
            made += [] if id(item.node) in shown else [Slide(section.title, self.above(section), [item])]
        return made

    def asked(self, place: str, title: list[nodes.Node], above: str = "") -> list[Slide]:
        """Return the slides of the votes of a section, or of a step that takes none, under a title."""
        return [
            Slide(title, above or self.name, [item], kind="vote", spare=item.kind == "spare vote")
            for item in self.votes.get(place, [])
        ]

    def slide(self, title: list[nodes.Node], entry: Entry, section: Section) -> Slide:
        """Return a slide that the page for teachers sets out."""
        made = Slide(title, self.above(section))
        for line in entry.lines:
            made.items += [Item("text", markdown.paragraph(line.text, classes=["point"]))] if line.text else []
            made.items += [self.thing(line, section)] if line.kind else []
        return made

    def thing(self, line: Line, section: Section) -> Item:
        """Return what a line shows."""
        home = self.section_named(line.section) if line.section else section
        there = home.items(line.kind) if line.kind in NAMED else []
        if line.number > len(there):
            of = f"{line.kind} {line.number} of *{home.name or OPENING}*"
            raise ValueError(f"a slide of {self.name!r} shows {of}, which has {len(there)}")
        return there[line.number - 1]

    def section_named(self, name: str) -> Section:
        """Return the section of a name, the opening or one in depth too."""
        named = guides.plain(["" if name == OPENING else name])
        found = [section for section in self.sections if guides.plain([section.name]) == named]
        if not found:
            raise ValueError(f"a slide of {self.name!r} shows something of *{name}*, which is no section of it")
        return found[0]

    def above(self, section: Section) -> str:
        """Return the line above the title of a slide: the section that holds it, or the chapter."""
        return section.around[1] if len(section.around) > 1 else self.name

    def exercise(self, number: str) -> Slide:
        """Return the slide of an exercise."""
        if number not in self.exercises:
            raise ValueError(f"the plan of {self.name!r} sets exercise {number}, which it does not have")
        told = [self.answers[number]] if number in self.answers else []
        return Slide([nodes.Text("Your turn")], self.name, [self.exercises[number]], top=told)

    # --- notes ---------------------------------------------------------------------------------------------------

    def say(self, made: list[Slide]) -> None:
        """Put the prose of each section into the notes of its slides, of one without into those of the slide before."""
        holds = {id(node): slide for slide in reversed(made) for item in slide.items for node in (item.node, item.page)}
        firsts = {id(slide.title): slide for slide in reversed(made)}
        pitfalls = self.pitfalls()
        here = made[0]
        for section in self.told:
            here = firsts.get(id(section.title), here)
            here.pitfalls += pitfalls.get(section.name, [])
            for part, then in zip_longest(section.stream, section.stream[1:]):
                node = part.node if isinstance(part, Item) else part
                if isinstance(part, nodes.paragraph) and isinstance(then, Item) and then.kind in LED_TO:
                    here = holds.get(id(then.node), here)
                here = holds.get(id(node), here)
                if isinstance(part, nodes.paragraph):
                    here = spoken(part, here, following(here, made))
                here.notes += said_of(part, id(node) in holds)

    def pitfalls(self) -> dict[str, list[nodes.Element]]:
        """Return the pitfalls by the section that they name or of which they speak, or by the opening."""
        names = dict(zip(guides.plain(s.name for s in self.told), self.told, strict=True))
        taught = [s for s in self.told if self.guide.step_of(s.around) is not None]
        texts = [section.text() for section in taught]
        found: dict[str, list[nodes.Element]] = {}
        for named, pitfall in map(guides.placed, self.guide.pitfalls):
            if named and named not in names:
                raise ValueError(f"a pitfall of {self.name!r} stands at *{named}*, which is no section of its story")
            place = None if named else guides.nearest(pitfall, texts)
            name = names[named].name if named else "" if place is None else taught[place].name
            found.setdefault(name, []).append(markdown.paragraph(pitfall, "Pitfall:"))
        return found


def following(slide: Slide, made: list[Slide]) -> list[Slide]:
    """Return the slides of the same section behind one, up to the first that shows more than lines of text."""
    behind = made[next(k for k, each in enumerate(made) if each is slide) + 1 :]
    return list(takewhile(lambda each: each.title is slide.title and kinds(each) == {"text"}, behind))


def spoken(part: nodes.paragraph, here: Slide, behind: list[Slide]) -> Slide:
    """Return the slide at which a paragraph is said: one behind, where most of its words stand there and fewer here."""

    def told(slide: Slide) -> float:
        lines = guides.words(" ".join(item.node.astext() for item in slide.items if item.kind == "text"))
        return len(lines & guides.words(part.astext())) / max(1, len(lines))

    best = max(behind, key=told, default=here)
    return best if told(best) > max(SPOKEN, told(here)) else here


def said_of(part: Item | nodes.Element, shown: bool) -> list[nodes.Element]:
    """Return what the notes have of a part of a section, given whether a slide shows it."""
    if not isinstance(part, Item):
        return [part]
    if part.kind == "picture" and not shown:
        return [nodes.paragraph("", f"The page also shows: {part.node.get('alt', 'a picture')}")]
    if part.kind == "predict":
        return [markdown.paragraph("", "On the page:"), part.node]
    return [unnumbered(part.node) if shown else part.node] if part.kind == "equation" else []


def unnumbered(equation: nodes.Element) -> nodes.Element:
    """Return an equation as the notes have it, whose number and name stand on the slide that shows it."""
    copy = equation.deepcopy()
    copy["number"], copy["ids"] = None, []
    return copy


def said_before(guide: Guide) -> list[nodes.Element]:
    """Return what the notes of the first slide say: the plan, and what is drawn on the board."""
    steps = markdown.listed(f"{step.minutes} min: {step.what}" for step in guide.steps)
    board = markdown.listed(guide.board)
    return [markdown.paragraph("", "The plan:"), steps, markdown.paragraph("", "On the board:"), board]


# --- what only the page for teachers has ------------------------------------------------------------------------------


def question(words: list[nodes.Node]) -> Item:
    """Return the question of a chapter, for its first slide."""
    asked = nodes.paragraph("", "", *(node.deepcopy() for node in words), classes=["question"])
    return Item("text", nodes.container("", asked, classes=["opening"]))


def voted(vote: Vote, page: nodes.Element | None = None) -> Item:
    """Return a vote, with what to expect and to reply in the notes, and the step to predict that asks the same."""
    box = nodes.container(
        "", markdown.paragraph(vote.question, "Vote."), markdown.listed(vote.options), classes=["vote"]
    )
    top = [markdown.paragraph(vote.expected + ".", "Votes to expect, of 100:")]
    top += [markdown.paragraph(vote.reply, "Reply:")] if vote.reply else []
    return Item("vote" if vote.counts else "spare vote", box, top, page)


def unpressed(node: nodes.Element) -> nodes.container:
    """Return a question to predict with its options, without the buttons that the page presses."""
    kept = [part.deepcopy() for part in node.children if not part.astext().startswith("Press ")]
    return nodes.container("", *kept, classes=["vote"])


def debate(guide: Guide, chapter: str) -> Slide:
    """Return the slide of a debate: the questions, and the claims; their verdicts are in the notes."""
    claims, verdicts = claims_of(guide.debate.claims)
    items = [Item("text", markdown.paragraph(guide.debate.questions, classes=["point"])), Item("list", claims)]
    return Slide([nodes.Text("Debate")], chapter, items, verdicts, kind="debate")


def quiz(guide: Guide, chapter: str) -> Slide:
    """Return the slide with the quiz."""
    shown = markdown.listed(guide.quiz, nodes.enumerated_list)
    keys = "On paper, five marks, one minute a mark. The keys are in `teach/quizzes` of the repository."
    return Slide([nodes.Text("Quiz")], chapter, [Item("quiz", shown)], kind="quiz", top=[markdown.paragraph(keys)])
