"""The rule by which a chapter becomes slides: what a class looks at stands on them, what the teacher says in the notes.

A chapter that Sphinx has resolved goes in, its slides come out, in the order of the page:

- the title with the paragraph that asks the chapter's question, which then stands over the first pictures;
- of each section its equations, pictures, tables, explorers and lists, one picture or explorer a slide;
- of its prose the sentence that opens the section, those with words in bold, the one that leads into an equation and
  the one that reads a picture; each *Closer look* by its title. What leads into something stays with it, a sentence
  that takes up the one before brings it, a question its answer, and what would hang alone stays in the notes;
- each question to predict with its options, as a vote on a slide of its own; its answer is in the notes;
- the exercises for the class, what carries over and, at the end, the quiz.

All prose, what cells print and the boxes are in the speaker's notes of the slide they belong to. Above them stands what
the page for teachers has to say there: minutes, replies to a vote, pitfalls; what its plan leaves out is marked *if
time*. A cell tagged `slide-code` shows its code, one tagged `no-slide` stays out, and so does the section *In depth*.
Where a chapter would have more than `MOST` slides, what is worth least goes first, from the section that has most:
sentences alone, then tables and code, votes for which there is no time, equations, pictures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from docutils import nodes

from teach.slides import guide as guides
from teach.slides.guide import Guide, Vote

MOST = 30  # slides of a chapter
ROOM = 15.0  # lines of text that fit on a slide below its title
LITTLE = 2.0  # lines of sentences that make no slide alone
BRIEF = 45  # characters of a sentence that says too little without the next
CROWD = 2.5  # lines more that a slide takes when else they would stand alone
WIDE = 88  # characters of a line
TITLED = 520  # characters that a title slide has room for, with the question
SHORT = 280  # characters of a paragraph that is shown whole where it leads into an equation
PICTURE, EXPLORER = 8.5, 11.0  # lines that a picture and an explorer want at least; they fill what is left
WORTH = {
    "text": 1, "table": 2, "code": 2, "equation": 3, "spare vote": 3, "list": 4, "picture": 5,
    "told": 8, "vote": 8, "quiz": 9, "explorer": 9,
}  # fmt: skip
OPENING_DROPS = {False: ("text",), True: ("text", "table")}  # before the first section; when it has a picture
ALONE = {"picture"}  # one on a slide
VOTES = {"vote", "spare vote"}
SOLE = {"explorer", *VOTES}  # nothing else on a slide
SLIGHT = 3.5  # lines of sentences for which a vote or an explorer does not wait
SENTENCE = re.compile(
    r"(?<=[.?!:])\s+(?=[A-Z“‘\"])|(?<=[.?!][)”\"])\s+(?=[A-Z“‘\"(])"
    r"|(?<=[.?!])(?<!\beq\.)(?<!\beqs\.)(?<!\bSec\.)(?<!\bcf\.)(?<!\bal\.)\s+(?=\()"
)
STOPPED = re.compile(r"(?<!\beq)(?<!\beqs)(?<!\bSec)(?<!\bcf)[.?!][)”\"]?\s+$")  # before something set in its own way
ROW = re.compile(r"<tr\b")
TAKEN_UP = re.compile(
    r"(?:Such|Both|That|This|These|Those|It|Its|They|Their|He|She|His|Her|So|But|And|Then|Nor|Neither|Either|Another|"
    r"Otherwise|Hence|Instead|Yet|Still|Thus|The (?:others?|latter|same)|In it|Of these|One of them)\b"
)
LEFT_OPEN = re.compile(r"\b(?:does|do|did|is|are|has|have|so|not|too|can|cannot)\.$")
POINTS_ON = re.compile(r"Here (?:is|are|it is)\b")
ASKED, ANSWERED = re.compile(r"Predict \d+\."), re.compile(r"Answer \d+: ")
EXERCISE = re.compile(r"Exercise (?:\d+\.)?(\d+)")
NUMBERED = re.compile(r"^Exercise\s*\(?([\d.]+)\)?\s*")
ENDING = ("Exercises", "What carries over")
DEPTH = "In depth"  # a section that stays on the page


@dataclass
class Item:
    """Something that stands on a slide, and how many lines it takes.

    `lead` is what leads into it, `top` what the notes say first where it stands.
    """

    kind: str
    node: nodes.Element
    lines: float
    lead: Item | None = None
    top: list[nodes.Element] = field(default_factory=list)

    @property
    def worth(self) -> int:
        """Return what the slide would lose without it."""
        return WORTH[self.kind]

    def parts(self) -> list[Item]:
        """Return it with its lead before it."""
        return [self.lead, self] if self.lead else [self]

    def room(self) -> float:
        """Return how many lines it takes with its lead."""
        return sum(part.lines for part in self.parts())


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

    def said_first(self) -> list[nodes.Element]:
        """Return what the notes say above all else."""
        return [*self.top, *(node for item in self.items for node in item.top)]

    def held(self) -> float:
        """Return how many lines it shows."""
        return sum(item.room() for item in self.items)

    def takes(self, item: Item) -> bool:
        """Return whether there is room for an item."""
        held = self.held()
        if item.kind in SOLE or SOLE & kinds(self):
            return not self.items
        alone = item.kind in ALONE and any(kept.kind in ALONE for kept in self.items)
        return not self.items or not (alone or held + item.room() > ROOM)


@dataclass
class Section:
    """A section of a chapter, or the part before the first one: what may be shown and what is said, in order.

    `around` are its own title and those of the sections that hold it.
    """

    title: list[nodes.Node]
    above: str
    stream: list[Item | nodes.Element] = field(default_factory=list)
    around: tuple[str, ...] = ()
    top: list[nodes.Element] = field(default_factory=list)
    spare: bool = False

    def poured(self) -> list[Slide]:
        """Return slides onto which what may be shown is put in order, each as full as it can be."""
        made, since = [Slide(self.title, self.above)], 0
        for part in self.stream:
            if not isinstance(part, Item):
                made[-1].notes.append(part)
                continue
            shown = part
            if not made[-1].takes(part):
                shown = begun(part, made[-1])
                made.append(Slide(self.title, self.above))
                if kinds(made[-2]) & VOTES:  # what is said after a vote leads to what it is about
                    made[-2].notes, made[-1].notes = made[-2].notes[:since], made[-2].notes[since:]
            made[-1].items.append(shown)
            since = len(made[-1].notes)
        return made

    def slides(self) -> list[Slide]:
        """Return the slides of the section."""
        made = self.poured()
        made = drawn_up(made) if made[0].items else []
        if len(made) == 1 and kinds(made[0]) == {"text"} and made[0].held() < LITTLE:
            return []
        for slide in made:
            slide.spare = self.spare or "spare vote" in kinds(slide)
        if made:
            made[0].top = self.top
        return made


def begun(item: Item, before: Slide) -> Item:
    """Return an item that begins a slide: the rest of a sentence that began before goes to the notes there."""
    if item.lead is None or not item.lead.node.astext()[:1].islower():
        return item
    before.notes.append(item.lead.node)
    return replace(item, lead=None)


def drawn_up(slides: list[Slide]) -> list[Slide]:
    """Return slides of which none but the first has sentences alone: they go to the slide before, or to its notes.

    The first has them only where they say enough to wait for.
    """
    if len(slides) > 1 and kinds(slides[0]) == {"text"} and slides[0].held() < SLIGHT:
        slides[1].notes[:0] = slides[0].notes
        slides = slides[1:]
    kept = slides[:1]
    for slide in slides[1:]:
        held = kept[-1].held() + slide.held()
        if all(item.kind == "text" for item in slide.items):
            crowded = held > ROOM + CROWD or kinds(kept[-1]) & SOLE
            kept[-1].items += [] if crowded else slide.items
            kept[-1].notes += slide.notes
        else:
            kept.append(slide)
    return kept


def kinds(slide: Slide) -> set[str]:
    """Return the kinds of things that a slide shows."""
    return {item.kind for item in slide.items}


# --- prose ------------------------------------------------------------------------------------------------------------


def sentences(paragraph: nodes.Element) -> list[list[nodes.Node]]:
    """Return the sentences of a paragraph, each as its nodes."""
    found: list[list[nodes.Node]] = [[]]
    before = ""
    for child in paragraph.children:
        if not isinstance(child, nodes.Text):
            found += [[]] if STOPPED.search(before) else []
            found[-1].append(child.deepcopy())
        else:
            text = str(child)
            opens = re.match(r"\s+(?=[A-Z“‘\"(])", text)
            if opens and before and before.rstrip(')”"')[-1:] in ".?!:":
                found.append([])
                text = text[opens.end() :]
            pieces = SENTENCE.split(text)
            for k, piece in enumerate(pieces):
                found += [[]] if k else []
                found[-1].append(nodes.Text(piece))
        before = child.astext()
    return [sentence for sentence in found if sentence]


def said(nodes_: list[nodes.Node]) -> str:
    """Return what nodes say."""
    return "".join(node.astext() for node in nodes_)


def lines_of(text: str) -> float:
    """Return how many lines a text takes; the TeX of formulas is about twice as long as what it sets."""
    return ceil(len(text) / WIDE) + 0.4


def point(chosen: list[list[nodes.Node]]) -> Item:
    """Return sentences as one point of a slide."""
    paragraph = nodes.paragraph(classes=["point"])
    for k, sentence in enumerate(chosen):
        paragraph += [nodes.Text(" ")] if k else []
        paragraph += sentence
    return Item("text", paragraph, lines_of(paragraph.astext()))


def is_bold(sentence: list[nodes.Node]) -> bool:
    """Return whether a sentence has words in bold; the short name of a source is none."""
    return any(isinstance(node, nodes.strong) and len(node.astext()) > 3 for node in sentence)


def brief(sentence: list[nodes.Node]) -> bool:
    """Return whether a sentence says too little without the next."""
    text = said(sentence).strip()
    return len(text) < BRIEF and text[-1:] not in ":?"


def leans(text: str) -> bool:
    """Return whether a sentence says nothing without the one before it."""
    return TAKEN_UP.match(text) is not None or (len(text) < SHORT / 4 and LEFT_OPEN.search(text) is not None)


def with_its_like(every: list[list[nodes.Node]], shown: set[int], answers: bool) -> list[int]:
    """Return the sentences shown with those they need: what they take up, what completes them, a question's answer."""
    texts = [said(sentence).strip() for sentence in every]
    first = shown
    while True:
        before = {k - 1 for k in shown if k and (texts[k].startswith("(") or leans(texts[k]))}
        behind = {k + 1 for k in shown if texts[k].endswith(("?", ":") if answers else ":")}
        behind |= {k + 1 for k in first if brief(every[k])}
        more = (before | {k for k in behind if k < len(every)}) - shown
        if not more:
            return sorted(shown)
        shown = shown | more


def hangs(group: list[list[nodes.Node]], place: tuple[bool, bool], reads: bool, following: str) -> bool:
    """Return whether sentences lead to or take up what is not on their slide.

    `place` says whether they begin and whether they end their paragraph, `reads` whether it reads a picture above it.
    """
    begins, ends = place
    first, last = said(group[0]).strip(), said(group[-1]).strip()
    beside = ends and following not in ("", "explorer", "vote")
    if not beside and (last.endswith(":") or POINTS_ON.match(first)):
        return True
    if last.endswith("?") and not beside and following not in ("explorer", "vote"):
        return True
    return begins and not reads and not beside and leans(first) and not any(map(is_bold, group))


def key_sentences(paragraph: nodes.paragraph, first: bool, after: bool, following: str) -> list[list[list[nodes.Node]]]:
    """Return the sentences of a paragraph that a slide shows, each group as one point."""
    every = sentences(paragraph)
    if following == "equation" and len(paragraph.astext()) <= SHORT:
        return [every]
    shown = set()
    for k, sentence in enumerate(every):
        text = said(sentence).rstrip()
        leads = k == len(every) - 1 and (following == "equation" or (following and text.endswith(":")))
        asks = following in ("explorer", "vote") and text.endswith("?")
        if (k == 0 and (first or after)) or is_bold(sentence) or leads or asks:
            shown.add(k)
    together: list[list[int]] = []
    for k in with_its_like(every, shown, following not in ("explorer", "vote")):
        if together and k - 1 == together[-1][-1]:  # sentences that stand beside one another stay together
            together[-1].append(k)
        else:
            together.append([k])
    groups = [((group[0] == 0, group[-1] == len(every) - 1), [every[k] for k in group]) for group in together]
    return [group for place, group in groups if not hangs(group, place, after, following)]


# --- what else stands in a chapter ------------------------------------------------------------------------------------


def equation(node: nodes.math_block) -> Item:
    """Return a displayed formula."""
    tex = node.astext()
    rows = tex.count("\\\\") + 1
    braces = 1.4 * (("\\underbrace" in tex) + ("\\overbrace" in tex))
    return Item("equation", node, 1.0 + 1.5 * rows + braces)


def rich(cell: nodes.Element) -> Iterator[tuple[str, nodes.Element]]:
    """Yield the outputs of a cell that are no mere text, with their kinds."""
    for output in cell.findall(lambda node: isinstance(node, nodes.Element) and node.get("nb_element") == OUTPUT):
        for node in output.findall(lambda node: isinstance(node, nodes.image | nodes.raw | nodes.literal_block)):
            classes = [*node["classes"], *node.parent["classes"]]
            if isinstance(node, nodes.image):
                yield "picture", node
            elif isinstance(node, nodes.raw):
                yield ("explorer" if 'class="regattn"' in node.astext() else "table"), node
            elif not {"stream", "text_plain"} & set(classes):
                yield "code", node


OUTPUT = "cell_code_output"


def cell_items(cell: nodes.Element) -> list[Item]:
    """Return what a slide shows of a cell."""
    if "tag_no-slide" in cell["classes"] or "tag_checks" in cell["classes"]:
        return []
    found = []
    if "tag_slide-code" in cell["classes"]:
        block = cell.next_node(nodes.literal_block)
        found.append(Item("told", block, 0.8 * len(block.astext().splitlines()) + 0.6))
    for kind, node in rich(cell):
        if kind == "picture":
            lines = PICTURE
        elif kind == "explorer":
            lines = EXPLORER
        elif kind == "table":
            lines = min(0.9 * len(ROW.findall(node.astext())) + 1, ROOM) if "<tr" in node.astext() else 7.0
        else:
            lines = 0.8 * len(node.astext().splitlines()) + 0.6
        found.append(Item(kind, node, lines))
    return found


def printed(cell: nodes.Element) -> list[nodes.Element]:
    """Return what a cell prints, for the notes."""
    return [node for node in cell.findall(nodes.literal_block) if "stream" in node["classes"]]


def bullets(node: nodes.Element) -> Item:
    """Return a list; where it is long, of each entry the sentences in bold, or else the first."""
    lines = sum(lines_of(entry.astext()) for entry in node.children)
    if lines > ROOM - 4:
        node, lines = node.deepcopy(), 0.0
        for entry in node.children:
            paragraph = entry.next_node(nodes.paragraph)
            if paragraph is not None:
                every = sentences(paragraph)
                kept = [k for k, sentence in enumerate(every) if is_bold(sentence)] or [0]
                kept += [kept[0] + 1] if brief(every[kept[0]]) else []
                asked = [k for k, sentence in enumerate(every) if said(sentence).rstrip().endswith("?")][:1]
                entry.children = []
                entry += point([every[k] for k in sorted({*kept, *asked}) if k < len(every)]).node
            lines += lines_of(entry.astext())
    return Item("list", node, lines)


def task(node: nodes.Element) -> Item:
    """Return an exercise, a theorem or an open question as a box: a `section` inside would end the slide."""
    box = nodes.container(classes=["task"])
    heading, *rest = node.children
    box += nodes.paragraph("", "", nodes.strong("", NUMBERED.sub(r"Exercise \1", heading.astext())))
    for child in rest:
        inside = child.children if isinstance(child, nodes.section) else [child]
        box += [part.deepcopy() for part in inside if not isinstance(part, nodes.raw)]
    lines = sum(lines_of(part.astext()) for part in box.children) + 0.6
    return Item("list", box, lines)


def boxed(node: nodes.Element) -> list[nodes.Element]:
    """Return a box for the notes: its title in bold, then what it says."""
    heading, *rest = node.children
    title = nodes.paragraph("", "", nodes.strong("", heading.astext()))
    return [title, *(part for part in rest if not isinstance(part, nodes.raw))]


def begins(node: nodes.Node, pattern: re.Pattern[str]) -> bool:
    """Return whether a node is a quotation whose words begin like this."""
    return isinstance(node, nodes.block_quote) and pattern.match(node.astext().strip()) is not None


def vote(node: nodes.Element) -> Item:
    """Return a question to predict with its options, without the buttons that the page presses."""
    kept = [part.deepcopy() for part in node.children if not part.astext().startswith("Press ")]
    box = nodes.container("", *kept, classes=["vote"])
    return Item("vote", box, lines_of(kept[0].astext()) + 1.1 * len(list(node.findall(nodes.list_item))))


def own_vote(asked: Vote) -> Item:
    """Return a vote that only the page for teachers has."""
    options = guides.listed(asked.options)
    box = nodes.container("", guides.paragraph(asked.question, "Vote."), options, classes=["vote"])
    return Item("vote", box, lines_of(asked.question) + 1.1 * len(asked.options), top=replies(asked))


def replies(asked: Vote) -> list[nodes.Element]:
    """Return what the notes say of a vote: what to expect, and what to reply."""
    expected = guides.paragraph(asked.expected + ".", "Votes to expect, of 100:")
    return [expected, guides.paragraph(asked.reply, "Reply:")] if asked.reply else [expected]


def quiz(questions: tuple[str, ...], chapter: str) -> Slide:
    """Return the slide with the quiz."""
    shown = guides.listed(questions, nodes.enumerated_list)
    item = Item("quiz", shown, sum(map(lines_of, questions)))
    keys = "On paper, five marks, one minute a mark. The keys are in `teach/quizzes` of the repository."
    return Slide([nodes.Text("Quiz")], chapter, [item], kind="quiz", top=[guides.paragraph(keys)])


def plain_item(node: nodes.Node) -> list[Item]:
    """Return what a slide shows of a box, a quotation or a piece of code."""
    if begins(node, ASKED):
        return [vote(node)]
    if type(node).__name__ in ("exercise_node", "theorem_node", "admonition"):
        return [task(node)]
    if isinstance(node, nodes.block_quote):
        return [Item("list", node, lines_of(node.astext()))]
    if isinstance(node, nodes.literal_block):
        return [Item("code", node, 0.8 * len(node.astext().splitlines()) + 0.6)]
    return []


def kind_of(node: nodes.Node | None) -> str:
    """Return what kind of thing follows a paragraph, or nothing where it is prose or not shown."""
    if isinstance(node, nodes.math_block):
        return "equation"
    if isinstance(node, nodes.table):
        return "table"
    if isinstance(node, nodes.bullet_list | nodes.enumerated_list):
        return "list"
    if begins(node, ASKED):
        return "vote"
    items = cell_items(node) if is_cell(node) else []
    return items[0].kind if items else ""


def is_cell(node: nodes.Node | None) -> bool:
    """Return whether a node is a cell of code."""
    return isinstance(node, nodes.Element) and node.get("nb_element") == "cell_code"


# --- a chapter --------------------------------------------------------------------------------------------------------


class Reader:
    """Reads the parts of a chapter in order."""

    def __init__(self, chapter: str, in_class: frozenset[str] = frozenset()):
        """Begin with the title of the chapter, and the numbers of the exercises for the class: all without one."""
        self.chapter = chapter
        self.in_class = in_class
        self.sections: list[Section] = []
        self.looks: list[str] = []

    def read(self, section: nodes.Element, above: str, title: list[nodes.Node], around: tuple[str, ...] = ()) -> None:
        """Read a section and those inside it."""
        here = Section(title, above, around=around)
        self.sections.append(here)
        children = [c for c in section.children if not isinstance(c, nodes.target | nodes.title | nodes.comment)]
        first, after = True, False
        for k, child in enumerate(children):
            if isinstance(child, nodes.section):
                own = child.next_node(nodes.title).children
                if said(own) == DEPTH:
                    continue
                over = said(title) if isinstance(section.parent, nodes.section) else self.chapter
                self.read(child, over, own, (said(own), *around))
                continue
            following = next((c for c in children[k + 1 :] if not self.silent(c)), None)
            if isinstance(child, nodes.paragraph):
                here.stream.append(child)
                if said(title) != ENDING[1]:
                    here.stream += map(point, key_sentences(child, first, after, kind_of(following)))
                first = after = False
                continue
            items = self.items(child, here)
            items = [item for item in items if self.is_for_class(item, here)]
            after = any(item.kind in ("picture", "table") for item in items) or (after and self.silent(child))
            for item in items:
                self.join(here, item)

    def is_for_class(self, item: Item, here: Section) -> bool:
        """Return whether an item is shown: an exercise for home is only in the notes."""
        number = EXERCISE.match(item.node.astext()) if self.in_class else None
        at_home = number is not None and number[1] not in self.in_class
        here.stream += [item.node] if at_home else []
        return not at_home

    def silent(self, node: nodes.Node) -> bool:
        """Return whether a slide shows nothing of a node that stands between two others."""
        return is_cell(node) and not cell_items(node)

    def items(self, node: nodes.Node, here: Section) -> list[Item]:
        """Return what a slide shows of a node that is no paragraph; what it does not show goes into the notes."""
        if isinstance(node, nodes.math_block):
            return [equation(node)]
        if is_cell(node):
            here.stream += printed(node)
            return cell_items(node)
        if isinstance(node, nodes.bullet_list | nodes.enumerated_list):
            here.stream.append(node)
            return [bullets(node)]
        if isinstance(node, nodes.table):
            return [Item("table", node, min(0.9 * len(list(node.findall(nodes.row))) + 1, ROOM))]
        if begins(node, ANSWERED):
            here.stream += node.children
            return []
        if isinstance(node, nodes.admonition) and "closer-look" in node["classes"]:
            self.looks.append(node.next_node(nodes.title).astext().removeprefix("Closer look: "))
            here.stream += boxed(node)
            return []
        return plain_item(node)

    @staticmethod
    def join(here: Section, item: Item) -> None:
        """Add an item; a sentence before an equation stays with it, and so does one that leads into something else."""
        last = next((k for k in range(len(here.stream) - 1, -1, -1) if isinstance(here.stream[k], Item)), None)
        if last is not None and here.stream[last].kind == "text" and item.kind != "explorer":
            leads = here.stream[last].node.astext().rstrip().endswith(":")
            if item.kind == "equation" or (leads and item.kind != "text"):
                item.lead = here.stream.pop(last)
        here.stream.append(item)


def thin(sections: list[Section]) -> bool:
    """Take out of a chapter what is worth least, from the section that has most slides; False when nothing is left."""
    count = Counter({k: len(section.slides()) for k, section in enumerate(sections)})
    choices = []
    for k, section in enumerate(sections):
        if said(section.title) in ENDING:
            continue
        for slide in section.slides():
            worth = max((item.worth for item in slide.items), default=9)
            choices.append((worth, -count[k], k, slide))
    worth, _, k, slide = min(choices, key=lambda choice: choice[:3])
    if worth >= WORTH["told"]:
        return False
    gone = slide.items[-1] if worth == WORTH["text"] else max(slide.items, key=lambda item: (item.worth, item.lines))
    place = next(i for i, part in enumerate(sections[k].stream) if isinstance(part, Item) and part.node is gone.node)
    kept = gone.lead if gone.kind == "equation" else None  # what leads into a table that is gone leads nowhere
    sections[k].stream[place : place + 1] = [missing(gone), *([kept] if kept else [])]
    return True


def missing(item: Item) -> nodes.Element:
    """Return what the notes say of something that found no room."""
    if item.kind == "text":
        return nodes.paragraph()
    if item.kind in ("equation", "spare vote"):
        return item.node
    words = item.node.get("alt") if isinstance(item.node, nodes.image) else ""
    return nodes.paragraph("", f"The page has here what these slides leave out: {words or 'a ' + item.kind}.")


def opening(section: nodes.Element) -> tuple[nodes.paragraph | None, list[nodes.Node]]:
    """Return the paragraph that asks the chapter's question, and the question."""
    for paragraph in section.children:
        if isinstance(paragraph, nodes.paragraph):
            for bold in paragraph.findall(nodes.strong):
                if bold.astext().endswith("?"):
                    return paragraph, bold.children
        if isinstance(paragraph, nodes.section):
            break
    first = section.next_node(nodes.paragraph)
    asked = [sentence for sentence in sentences(first) if said(sentence).rstrip().endswith("?")]
    return first, (asked[0] if asked else [])


def slides_of(section: nodes.section, guide: Guide = Guide()) -> list[Slide]:  # noqa: B008, which nothing changes
    """Return the slides of a chapter, with what its page for teachers says."""
    title = section.next_node(nodes.title)
    chapter = title.astext()
    asks, question = opening(section)
    reader = Reader(chapter, guide.in_class)
    reader.read(section, chapter, question or title.children)
    own = next(s for s in reader.sections)
    drawn = any(isinstance(part, Item) and part.kind == "picture" for part in own.stream)
    own.stream = [part for part in own.stream if not (isinstance(part, Item) and part.kind in OPENING_DROPS[drawn])]
    first = Slide(title.children, "Regression Is Attention", kind="title")
    first.items = [Item("text", question_of(asks, before_it(section, asks)), 3)]
    if guide.steps:
        bring_votes(reader.sections, guide)
        plan(reader.sections, guide)
        first.top = said_before(reader.sections, guide)
    if len(reader.looks) > 1:
        reader.sections.insert(last_of(reader.sections), looks(reader.looks, chapter))
    while 1 + sum(len(section.slides()) for section in reader.sections) > MOST and thin(reader.sections):
        pass
    made = [first]
    for part in reader.sections:
        slides = part.slides()
        if not slides:
            made[-1].top += part.top
            made[-1].notes += [node for node in part.stream if not isinstance(node, Item)]
        made += slides
    return [*folded(made), *([quiz(guide.quiz, chapter)] if guide.quiz else [])]


# --- what the page for teachers says ----------------------------------------------------------------------------------


def bring_votes(sections: list[Section], guide: Guide) -> None:
    """Put replies to the steps of a chapter, and the votes that only the page for teachers has where they belong."""
    steps = [item for section in sections for item in section.stream if isinstance(item, Item) and item.kind == "vote"]
    same = guides.pairs([step.node.astext() for step in steps], guide.votes)
    for place, step in enumerate(steps):
        known = same.get(place)
        step.top = replies(known) if known else []
        step.kind = "vote" if known and known.counts else "spare vote"
    for asked in reversed([vote for vote in guide.votes if vote not in same.values()]):
        item = own_vote(asked)
        item.kind = "vote" if asked.counts else "spare vote"
        where = next((s for s in sections if guides.plain(s.around[:1]) == guides.plain([asked.before])), sections[0])
        where.stream.insert(0, item)


def plan(sections: list[Section], guide: Guide) -> None:
    """Mark what the plan leaves out, and say where a step begins how long it is and what is done."""
    begun: set[int] = set()
    for section in sections:
        if said(section.title) in ENDING:
            continue
        step = guide.step_of(section.around) if section.around else 0
        section.spare = step is None
        if step is not None and step not in begun:
            begun.add(step)
            section.top = [guides.paragraph(guide.steps[step].what, f"{guide.steps[step].minutes} min.")]


def said_before(sections: list[Section], guide: Guide) -> list[nodes.Element]:
    """Return what the notes of the first slide say: the plan, the board; a pitfall goes to the section it speaks of."""
    taught = [section for section in sections if section.around and said(section.title) not in ENDING]
    texts = [" ".join([said(s.title), *(p.node.astext() if isinstance(p, Item) else p.astext() for p in s.stream)])
             for s in taught]  # fmt: skip
    kept = []
    for pitfall in guide.pitfalls:
        place = guides.nearest(pitfall, texts)
        (kept if place is None else taught[place].top).append(guides.paragraph(pitfall, "Pitfall:"))
    steps = guides.listed(f"{step.minutes} min: {step.what}" for step in guide.steps)
    board = guides.listed(guide.board)
    return [guides.paragraph("", "The plan:"), steps, guides.paragraph("", "On the board:"), board, *kept]


def folded(slides: list[Slide]) -> Iterator[Slide]:
    """Yield the slides that show something; the notes of the others go to the slide before."""
    kept: Slide | None = None
    for slide in slides:
        if slide.items:
            if kept:
                yield kept
            kept = slide
        elif kept:
            kept.top += slide.top
            kept.notes += slide.notes
    if kept:
        yield kept


def last_of(sections: list[Section]) -> int:
    """Return where the exercises begin."""
    return next((k for k, section in enumerate(sections) if said(section.title) == ENDING[0]), len(sections))


def looks(titles: list[str], chapter: str) -> Section:
    """Return the slide that names what the page looks at more closely."""
    entries = nodes.bullet_list()
    for title in titles:
        words = title[:1].upper() + title[1:]
        entries += nodes.list_item("", nodes.paragraph("", words))
    item = Item("list", entries, sum(lines_of(title) for title in titles))
    return Section([nodes.Text("A closer look")], chapter, [item])


def before_it(section: nodes.Element, asks: nodes.Element) -> list[nodes.Element]:
    """Return what a chapter says before the paragraph that asks its question, where a title slide has room for both."""
    place = section.index(asks) if asks.parent is section else 0
    before = [part for part in section.children[:place] if isinstance(part, nodes.paragraph | nodes.block_quote)]
    return before if sum(len(part.astext()) for part in [*before, asks]) <= TITLED else []


def question_of(paragraph: nodes.paragraph, before: Sequence[nodes.Element] = ()) -> nodes.container:
    """Return the opening paragraph with its question on lines of its own, and what stands before and after it."""
    box = nodes.container(classes=["opening"])
    box += [part.deepcopy() for part in before]
    calm, asked, after = nodes.paragraph(), nodes.paragraph(classes=["question"]), nodes.paragraph()
    for sentence in sentences(paragraph):
        place = asked if is_bold(sentence) else after if asked.children else calm
        place += [*sentence, nodes.Text(" ")]
    box += [part for part in (calm, asked, after) if part.children]
    return box
