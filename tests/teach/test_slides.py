"""Decks from chapters: what stands on slides, that everything fits and moves, and that the notes hold the rest."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from copy import copy
from unicodedata import normalize

import pytest
from docutils import nodes
from pypdf import PdfReader

from teach.slides import chapter, guide, pictures, rule
from teach.slides.answers import answers_of
from teach.slides.builder import AHEAD, IN_VIEW, ON_SLIDES, as_noted, bind
from tests.built import ROOT, soup
from tests.teach.conftest import ALL
from tests.teach.decks import ELSEWHERE, HEIGHT, LEANS, MEASURE, PRESSED, TEXTS, WIDTH, opened_deck
from tools.choice import chapters

ONE = "book/part2-proximity/03_ols_proximity"
PAGES = [chapter.page for chapter in chapters(ROOT)]
DECKS = PAGES if ALL else [ONE, "book/part5-transformer/18_language_model"]
SMALLEST = 15.0  # pixels of a letter on a slide of 1280 by 800; 22 on a projector of 1920
SLIDES = "[...document.querySelectorAll('.slides section.slide')]"
ROUNDING = 1.5  # pixels: boxes end between pixels
# By explorer of a deck that is printed: its slide, the title of its first panel, and whether its panels stand there,
# within their slide, with nothing to press beside them.
PRINTED = """() => [...document.querySelectorAll(".slides section.slide")].flatMap((slide, at) =>
  [...slide.querySelectorAll(".body figure.regattn")].map((figure) => {
    const box = figure.querySelector(".deck-right").getBoundingClientRect();
    const frame = slide.getBoundingClientRect();
    const within = box.top >= frame.top && box.bottom <= frame.bottom && box.right <= frame.right && box.height > 200;
    const pressed = [...figure.querySelectorAll(".ra-tool, .ra-menu, input[type=range]")];
    const title = figure.querySelector(".ra-panel:not(.deck-away) .ra-title").textContent;
    return [at, title, within && !pressed.some((part) => part.getClientRects().length)];
  }))"""


@pytest.fixture(scope="session")
def decks(built_book, tmp_path_factory):
    """Return the folder of all decks, made once from the built book, and how many slides each has.

    One that names what its chapter no longer has is not made, and the tool says which.
    """
    folder = tmp_path_factory.mktemp("decks")
    before = written(built_book)
    done = run_tool("--book", built_book, "--folder", folder)
    assert done.returncode == 0, done.stderr
    counts = re.findall(r'<li><a href="(.*?)\.html">.*?<small>(\d+) slides', (folder / "index.html").read_text("utf-8"))
    sizes = {page: int(count) for page, count in counts}
    assert written(built_book) == before  # nothing was read, executed or written there
    return folder, sizes


def run_tool(*options) -> subprocess.CompletedProcess:
    """Return what the tool that makes decks says."""
    command = [sys.executable, ROOT / "tools" / "slides.py", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def written(book) -> dict:
    """Return when each file of what the book has read was written."""
    read = [path for path in (book.parent / ".doctrees").rglob("*") if path.is_file()]
    return {path: path.stat().st_mtime_ns for path in read}


@pytest.fixture(scope="session")
def measured(browser, decks):
    """Return what was measured of a deck, each opened once."""
    known = {}

    def measure(page: str) -> dict:
        if page not in known:
            with opened_deck(browser, decks[0] / f"{page}.html") as opened:
                slides = opened.evaluate(MEASURE)
                texts = opened.evaluate(TEXTS, ALL)
                known[page] = {"slides": slides, "texts": texts, "errors": opened.errors, "requests": opened.requests}
        return known[page]

    return measure


# --- the rule ---------------------------------------------------------------------------------------------------------


def paragraph(*parts: str | nodes.Node) -> nodes.paragraph:
    """Return a paragraph."""
    return nodes.paragraph("", "", *[nodes.Text(part) if isinstance(part, str) else part for part in parts])


def quotation(title: str, *parts: nodes.Node) -> nodes.block_quote:
    """Return a quotation whose first words are in bold."""
    return nodes.block_quote("", paragraph("", nodes.strong("", title), " Why so?"), *parts)


def cell(*tags: str, output: nodes.Node | None = None) -> nodes.container:
    """Return a cell of code with those tags."""
    made = nodes.container(classes=["cell", *(f"tag_{tag}" for tag in tags)], nb_element="cell_code")
    made += nodes.container("", nodes.literal_block("x = 1\ny = 2", "x = 1\ny = 2"), nb_element="cell_code_source")
    if output is not None:
        made += nodes.container("", output, nb_element="cell_code_output")
    return made


def picture(name: str) -> nodes.container:
    """Return a cell that draws a picture."""
    return cell(output=nodes.image(uri=f"{name}.svg", alt=f"Picture {name}"))


def explorer() -> nodes.container:
    """Return a cell that shows an explorer."""
    return cell(output=nodes.raw("", '<figure class="regattn"></figure>', format="html"))


def options(*words: str) -> nodes.bullet_list:
    """Return the options of a question."""
    return nodes.bullet_list("", *(nodes.list_item("", paragraph(word)) for word in words))


def test_tags_show_the_code_of_a_cell_and_keep_a_cell_out():
    drawn = nodes.image(uri="a.svg", alt="A picture")
    assert [item.kind for item in chapter.shown(cell(output=drawn))] == ["picture"]
    assert [item.kind for item in chapter.shown(cell("slide-code", output=drawn))] == ["code", "picture"]
    assert chapter.shown(cell("no-slide", output=drawn)) == []
    assert chapter.shown(cell("checks", "slide-code")) == []
    assert chapter.shown(cell(output=nodes.literal_block("", "printed", classes=["output", "stream"]))) == []


def test_the_question_of_a_chapter_is_the_first_in_bold_or_else_the_first():
    def asked(*parts: nodes.Node) -> str:
        made = nodes.section("", nodes.title("", "1 · A chapter"), *parts)
        return chapter.said(chapter.question(made))

    bold = paragraph("It is right. Is it? ", nodes.strong("", "Why?"))
    assert asked(bold) == "Why?"
    assert asked(paragraph("Dots rise. How fast? By 3."), bold) == "Why?"
    assert asked(paragraph("Dots rise. How fast? By 3.")) == "How fast?"
    assert asked(nodes.section("", nodes.title("", "A section"), bold)) == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  - A line.", guide.Line("A line.")),
        ("  - A line. → picture", guide.Line("A line.", "picture", 1)),
        ("  - A $x → y$ line. → equation 2", guide.Line("A $x → y$ line.", "equation", 2)),
        ("  - A line. → picture 3 of *Not here*", guide.Line("A line.", "picture", 3, "Not here")),
        ("  - → vote", guide.Line("", "vote", 1)),
    ],
)
def test_a_line_names_what_it_shows(text, line):
    assert guide.line(text) == line


PLAN = """
## Outcomes

- Split it.

## Minutes

- 10 min: The question. Guess.
- 20 min (half day): Look *further*; Exercise 2. → *Don't*; *Here*
- 10 min: Debate.
- 5 min: Quiz.

## On the board

- A line at $x$ = 2.

## Predictions

The shares say what to expect; nobody has measured them. Ninety minutes have room for two: Predict 1 and 2.

- **Why do dots go up?** (Predict 1) *Expected, of 100:* all go up 60 · dots go down 40.
  To *all go up*: look at the first dot.
- **Will the [line](a.md) bend?** (not on the page) *Expected, of 100:* yes 50 · no 50.
  Before *Elsewhere*. To *yes*: lines are straight.
- **Who wins?** (Predict 2) *Expected, of 100:* we 10 · they 90.

## Pitfalls

- A zebra is no horse.

## Discussion

Is it so? For debate: [GC-1a](../../book/reference/ledger.md#gc-1a).

## Quiz

1. Is $x$ two? (1)

## Exercises

In class [1](a.ipynb#ex-1) and [2](a.ipynb#ex-2); at home [3](a.ipynb#ex-3).

## Slides

- *The question*
  - Write down a guess.
- *The question*
  - Dots rise. → picture
- *Here*
  - Zebras are read. → equation 2
  - Horses are not. → picture of *In depth too*
- *Here*
  - → vote
- *Don't*
  - A formula. → equation
- *What carries over*
  - All of it.
"""


def built(plan: str = PLAN, answers: dict[str, nodes.Element] | None = None) -> list[rule.Slide]:
    """Return the slides of a small chapter with that page for teachers and those answers to its exercises."""
    made = nodes.section(
        "", nodes.title("", "1 · A chapter"), paragraph("So. ", nodes.strong("", "Why?")), picture("a")
    )
    asked = quotation("Predict 1.", options("dots go up", "dots go down"), paragraph("Press ", "far", "."))
    formulas = [nodes.math_block("", letter, number=k) for k, letter in enumerate("abc")]
    parts = {
        "Here": [
            paragraph("A zebra is read."),
            formulas[0],
            asked,
            quotation("Answer 1: up."),
            formulas[1],
            explorer(),
        ],
        "Don’t": [formulas[2]],
        "Elsewhere": [paragraph("More."), picture("b")],
        "In depth": [nodes.section("", nodes.title("", "In depth too"), paragraph("Deep."), picture("c"))],
        "Exercises": [exercise(k) for k in (1, 2, 3)],
        "What carries over": [paragraph("All of it, and more.")],
    }
    for title, inside in parts.items():
        made += nodes.section("", nodes.title("", title), *inside)
    return rule.slides_of(made, guide.read(plan), answers)


class exercise_node(nodes.Element):
    """An exercise."""


def exercise(number: int) -> exercise_node:
    """Return an exercise."""
    heading = nodes.title("", f"Exercise (1.{number})")
    return exercise_node("", heading, nodes.section("", paragraph("By hand.")))


def test_a_deck_follows_the_plan_of_the_page_for_teachers():
    slides = built()
    shown = [(chapter.said(slide.title), slide.spare, [item.kind for item in slide.items]) for slide in slides]
    assert shown == [
        ("1 · A chapter", False, ["text"]),
        ("Why?", False, ["text"]),
        ("Why?", False, ["vote"]),  # "Who wins?", of a part in depth, names no section: before the first picture
        ("Why?", False, ["text", "picture"]),
        ("Don’t", False, ["text", "equation"]),  # which the plan names first
        ("Here", False, ["text", "equation", "text", "picture"]),
        ("Here", False, ["vote"]),
        ("Here", False, ["explorer"]),
        ("Your turn", False, ["exercise"]),
        ("Debate", False, ["text", "list"]),
        ("What carries over", False, ["text"]),
        ("Quiz", False, ["quiz"]),
        ("Elsewhere", True, ["spare vote"]),
        ("Your turn", True, ["exercise"]),
    ]
    assert slides[0].items[0].node.astext() == "Why?"
    assert slides[5].items[1].node.astext() == "b"
    assert [slides[k].items[0].node.children[0].astext() for k in (8, 13)] == ["Exercise 1.2", "Exercise 1.1"]


def test_a_title_asks_what_the_page_for_teachers_says_where_it_does():
    slides = built(PLAN.replace("## Slides\n", "## Slides\n\nThe title asks: Why do dots *rise*?\n"))
    assert slides[0].items[0].node.astext() == chapter.said(slides[1].title) == "Why do dots rise?"


def test_notes_begin_with_the_minutes_and_hold_what_no_slide_shows():
    slides = built()
    top = [" | ".join(node.astext() for node in slide.said_first()) for slide in slides]
    assert [re.match(r"\d+ min, from \d+ to \d+\.", text)[0] for text in top[1:12]] == (
        ["10 min, from 0 to 10."] * 3 + ["20 min, from 10 to 30."] * 5 + ["10 min, from 30 to 40."]
    ) + ["5 min, from 40 to 45."] * 2
    assert "20 min: Look further; Exercise 2." in top[0]
    assert "A line at x = 2." in top[0]
    assert "Pitfall: A zebra is no horse." in top[5]
    assert top[6].endswith("of 100: all go up 60 · dots go down 40. | Reply: To all go up: look at the first dot.")
    notes = [" | ".join(node.astext() for node in slide.notes) for slide in slides]
    assert (notes[1], notes[3]) == ("", "So. Why?")  # a paragraph goes with the picture to which it leads
    assert notes[5].startswith("A zebra is read. | a")  # a formula that no slide shows
    assert "b" in notes[5].split(" | ")  # one that the slide shows, so that no sentence of the notes ends in the air
    (said,) = [node for node in slides[5].notes if node.astext() == "b"]
    assert (said["number"], slides[5].items[1].node.astext(), slides[5].items[1].kind) == (None, "b", "equation")
    assert notes[6].startswith("On the page:  | Predict 1. Why so?")
    assert notes[9].startswith("GC-1a holds with a condition. Inner products")
    assert "The page also shows: Picture b" in notes[12]
    assert not any("Deep." in note for note in notes)


def test_notes_of_an_exercise_have_its_answer_and_of_a_vote_the_reply_before_pitfalls():
    plan = PLAN.replace("- A zebra is no horse.", '- At *Elsewhere*: "a horse" is no zebra.')
    slides = built(plan, {"2": paragraph("Answer: two.")})
    assert [slide.said_first()[-1].astext() for slide in slides[8:9]] == ["Answer: two."]
    told = [node.astext() for node in slides[12].said_first()]
    assert [text.partition(":")[0] for text in told] == ["Votes to expect, of 100", "Reply", "Pitfall"]
    assert told[-1] == 'Pitfall: "A horse" is no zebra.'
    with pytest.raises(ValueError, match=r"a pitfall of '1 · A chapter' stands at \*Nowhere\*, which is no section"):
        built(PLAN.replace("- A zebra", "- At *Nowhere*: a zebra"))


@pytest.mark.parametrize("page", DECKS)
def test_every_exercise_for_the_class_has_its_answer(page):
    numbers = guide.guide_of(page).set_in_class()
    told = {number: node.astext() for number, node in answers_of(page, numbers, defaultdict(lambda: "(1.2)")).items()}
    assert list(told) == numbers
    for text in told.values():
        assert re.match(r"Answer: \S+.*?\. \S", text)
        assert len(text.split()) <= 120
        assert "](" not in text


def test_a_sign_stays_beside_the_formula_before_it():
    body = nodes.container("", paragraph("Is ", nodes.math("x", "x"), "? And ", nodes.math("y", "y"), " too."))
    bind(body)
    (bound,) = body.findall(lambda node: isinstance(node, nodes.inline))
    assert (bound.astext(), bound["classes"], body.astext()) == ("x?", ["bound"], "Is x? And y too.")


def test_a_vote_on_a_slide_is_the_vote_of_its_notes():
    for slide in built():
        for item in slide.items:
            if "vote" in item.kind:
                on_slide = [option.astext() for option in item.node.findall(nodes.list_item)]
                assert [share.rsplit(" ", 1)[0] for share in item.top[0].astext()[25:-1].split(" · ")] == on_slide


def test_a_vote_has_a_heading_of_its_own_where_that_of_its_section_would_tell():
    slides = built(PLAN.replace("  - → vote", "  - What *will* happen? → vote"))
    heads = [chapter.said(slide.title) for slide in slides if "vote" in {item.kind for item in slide.items}]
    assert heads == ["Why?", "What will happen?"]
    assert [chapter.said(slide.title) for slide in slides].count("Here") == 2


def test_a_vote_may_stand_in_a_step_that_takes_no_section():
    own = "- *Debate*\n  - Two sides speak.\n- *Debate*\n  - → vote\n"
    plan = PLAN.replace("Before *Elsewhere*", "Before *Debate*").replace("- *What c", f"{own}- *What c")
    shown = [(chapter.said(slide.title), [item.kind for item in slide.items]) for slide in built(plan)]
    at = shown.index(("Debate", ["text"]))
    assert shown[at : at + 3] == [("Debate", ["text"]), ("Debate", ["spare vote"]), ("Debate", ["text", "list"])]
    assert sum("spare vote" in kinds for _, kinds in shown) == 1


def test_notes_count_panels_and_let_nobody_skip():
    said = "You may skip this section. In the lower picture lines land."
    assert as_noted(said) == "In the second picture lines land."
    assert as_noted("You may skip how.") == "You may skip how."
    assert as_noted(IN_VIEW) == ON_SLIDES != IN_VIEW
    assert IN_VIEW in (ROOT / "book/part5-transformer/18_language_model.ipynb").read_text(encoding="utf-8")


def test_what_only_the_chapter_asks_is_a_vote_for_spare_time_before_an_explorer():
    plan = PLAN.replace("up?** (Predict 1)", "up?** (not on the page)")
    shown = [(item.kind, item.node.astext()) for slide in built(plan) for item in slide.items]
    (asked,) = [text for kind, text in shown if kind == "spare vote" and "Predict" in text]
    assert asked.split() == ["Predict", "1.", "Why", "so?", "dots", "go", "up", "dots", "go", "down"]  # no button


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("→ equation 2", "→ equation 3", r"shows equation 3 of \*Here\*, which has 2"),
        ("Dots rise. → picture", "Dots rise. → table", r"shows table 1 of \*the opening\*, which has 0"),
        ("→ equation 2", "→ sound", r"shows sound 1 of \*Here\*, which has 0"),
        ("*In depth too*", "*Nowhere*", r"shows something of \*Nowhere\*, which is no section of it"),
        ("Exercise 2", "Exercise 7", r"sets exercise 7, which it does not have"),
        ("- *Here*\n  - Z", "- *Hear*\n  - Z", r"\*Hear\* is neither a section of '1 · A chapter' nor a step"),
    ],
)
def test_a_page_that_names_what_the_chapter_has_not_is_refused(old, new, said):
    with pytest.raises(ValueError, match=said):
        built(PLAN.replace(old, new))


def test_without_a_built_book_it_says_what_to_do(tmp_path):
    done = run_tool("--book", tmp_path / "_build" / "html", "--folder", tmp_path / "decks")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("run `make book` first")


def drawing(*frames: tuple[float, float], height: float) -> str:
    """Return a drawing as Matplotlib writes it, whose panels have frames from top to foot and a title above each."""
    axes = [
        f'  <g id="axes_{k}">\n   <g id="patch_{k}">\n    <path d="M 9 {foot} \nL 90 {foot} \nL 90 {top} \nz\n"/>\n'
        f'   </g>\n   <g id="text_{k}"><g transform="translate(9 {top - 4}) scale(0.11 -0.11)"><use/></g></g>\n'
        "  </g>\n"
        for k, (top, foot) in enumerate(frames, 1)
    ]
    return f'<?xml?>\n<svg width="9pt" viewBox="0 0 411 {height}">\n <g id="figure_1">\n{"".join(axes)} </g>\n</svg>\n'


def test_panels_that_a_page_stacks_are_cut_where_nothing_stands():
    assert pictures.cuts(drawing((22, 135), (188, 358), height=397)) == [(0, 154), (154, 397)]
    assert pictures.cuts(drawing((22, 135), (22, 135), height=397)) == [(0, 397)]
    assert pictures.cuts(drawing((22, 95), (119, 192), height=220)) == [(0, 220)]  # low enough to be read whole
    ticks = '<g id="matplotlib.axis_1"><g id="xtick_1"/></g><g id="matplotlib.axis_2">'
    shared = drawing((22, 135), (188, 358), height=397).replace('<g id="axes_2">', f'{ticks}\n  <g id="axes_2">')
    assert pictures.cuts(shared) == [(0, 397)]  # the upper panel has the numbers of the lower one
    text = pictures.piece(drawing((22, 135), (188, 358), height=397), 154, 397, "A <picture>")
    assert 'viewBox="0 154 411 243" overflow="hidden"' in text
    assert 'aria-label="A &lt;picture&gt;"' in text
    assert len(re.findall(r'id="p\d+-axes_[12]"', text)) == 2
    assert text.count("<svg") == text.count("</svg>") == 2


# --- the decks --------------------------------------------------------------------------------------------------------


@pytest.mark.book
def test_every_chapter_has_a_deck_of_at_most_32_slides(decks):
    assert list(decks[1]) == sorted(PAGES)
    assert {page: size for page, size in decks[1].items() if not 18 <= size <= rule.MOST} == {}


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("page", DECKS)
def test_nothing_stands_out_of_a_slide(page, measured):
    slides = measured(page)["slides"]
    bad = [slide for slide in slides if max(slide["right"], slide["foot"], slide["over"]) > ROUNDING]
    assert [{key: slide[key] for key in ("title", "right", "foot", "over")} for slide in bad] == []


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("page", DECKS)
def test_every_text_of_every_slide_can_be_read_whatever_panels_are_chosen(page, measured):
    states = [
        (slide, k, state) for slide, each in enumerate(measured(page)["texts"], 1) for k, state in enumerate(each)
    ]
    assert min(state["count"] for *_, state in states) >= 3  # the line above, the title, what is shown
    assert [(slide, k, state["least"]) for slide, k, state in states if state["least"][0][0] < SMALLEST] == []
    assert [(slide, k, state["out"]) for slide, k, state in states if state["out"] > ROUNDING] == []


def taught_explorers(built_book, page: str) -> int:
    """Return how many explorers a page has that are not in depth and not kept off slides."""
    figures = soup(built_book / f"{page}.html").select("figure.regattn")
    left = ["section#in-depth figure.regattn", ".tag_no-slide figure.regattn"]
    return len(figures) - len(soup(built_book / f"{page}.html").select(", ".join(left)))


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("page", DECKS)
def test_pictures_are_loaded_and_large_and_explorers_awake(page, measured, built_book):
    slides = measured(page)["slides"]
    pictures = [picture for slide in slides for picture in slide["pictures"]]
    explorers = [explorer for slide in slides for explorer in slide["explorers"]]
    assert pictures
    assert len(explorers) == taught_explorers(built_book, page)
    assert all(width > 0 and height >= HEIGHT / 5 for width, height in pictures)
    assert all(awake and panels in (1, 2) for awake, panels in explorers)


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("page", DECKS)
def test_a_deck_logs_no_error_and_asks_nobody(page, measured):
    assert measured(page)["errors"] == []
    assert measured(page)["requests"] == []


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_equations_have_the_numbers_of_the_page(page, decks, built_book):
    def numbers(text) -> list[str]:
        return [found.get_text(strip=True).rstrip("#") for found in text.select(".eqno")]

    of_deck = numbers(soup(decks[0] / f"{page}.html"))
    of_page = [re.match(r"\([\d.]+\)", number)[0] for number in numbers(soup(built_book / f"{page}.html"))]
    assert of_deck or page != ONE
    assert [number for number in of_deck if number not in of_page] == []


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_the_notes_hold_the_prose_of_the_page(page, decks, built_book):
    def words(part) -> str:
        part = copy(part)
        for gone in part.select(".math, .headerlink, script, style"):
            gone.decompose()
        return " ".join(part.get_text(" ").split())

    notes = " ".join(words(part) for part in soup(decks[0] / f"{page}.html").select("aside.notes, .slide-title"))
    article = soup(built_book / f"{page}.html").select_one("article.bd-article")
    of_page = article.select("section > p:not(.kicker, .to-solutions)")
    prose = [as_noted(words(p)) for p in of_page if not p.find_parent(class_=["exercise", "admonition"])]
    assert len(prose) > 10
    assert [text for text in prose if text not in notes and text != ""] == []


@pytest.mark.book
@pytest.mark.parametrize("page", PAGES)
def test_the_notes_name_equations_by_their_numbers(page, decks):
    said = " ".join(text_of(note) for note in soup(decks[0] / f"{page}.html").select("aside.notes"))
    assert re.findall(r"\([a-z]+(?:-[a-z]+)+\)", said) == []


def kind(slide) -> str:
    """Return what a slide of a written deck shows."""
    return next(name for name in slide["class"] if name.startswith("slide-"))[6:]


def text_of(part) -> str:
    """Return the text of a part of a written deck without its formulas."""
    part = copy(part)
    for gone in part.select(".math, math"):
        gone.replace_with("x")
    return " ".join(part.get_text().split())


def slides_in(decks, page: str) -> list:
    """Return the slides of a written deck."""
    return soup(decks[0] / f"{page}.html").select("section.slide")


def clock(slide) -> list[str]:
    """Return the minutes with which the notes of a slide begin: how many, from which, to which."""
    found = re.match(r"(\d+) min, from (\d+) to (\d+)\. ", text_of(slide.select_one("aside.notes")))
    return list(found.groups()) if found else []


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_a_deck_follows_the_plan_and_every_slide_of_a_step_says_its_minutes(page, decks):
    own, slides = guide.guide_of(page), slides_in(decks, page)[1:]
    starts = [sum(step.minutes for step in own.steps[:k]) for k in range(len(own.steps))]
    planned = [
        [str(m) for m in (step.minutes, at, at + step.minutes)] for step, at in zip(own.steps, starts, strict=True)
    ]
    taught = [slide for slide in slides if clock(slide)]
    places = [planned.index(clock(slide)) for slide in taught]
    assert sorted(set(places)) == list(range(len(own.steps)))  # no step is without a slide
    assert places == sorted(places)
    assert taught == slides[: len(taught)]
    assert kind(taught[-1]) == "quiz"
    assert all(slide.select_one(".if-time") or kind(slide) == "explorer" for slide in slides[len(taught) :])
    for place, slide in zip(places, taught, strict=True):
        named = own.step_of([text_of(slide.select_one("h2")), text_of(slide.select_one(".above"))])
        assert named in (None, place)
        sets = re.match(r"Exercise \d+\.(\d+)", text_of(slide.select_one(".body")))
        assert not sets or sets[1] in own.steps[place].exercises()
    titles = {text_of(slide.select_one(part)) for slide in slides for part in ("h2", ".above")}
    assert set(guide.plain(title for step in own.steps for title in step.sections)) <= set(guide.plain(titles))
    assert [kind(slide) for slide in slides].count("debate") == 1
    assert (kind(slides[-1]) == "debate") != any(step.debates() for step in own.steps)


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_a_title_shows_the_question_and_nothing_else(page, decks):
    (body,) = slides_in(decks, page)[0].select(".body")
    assert len(body.select("p")) == 1
    assert text_of(body).endswith("?")
    assert not body.select("svg, img, figure, table")


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_who_is_to_guess_sees_no_picture_yet(page, decks):
    for slide in slides_in(decks, page):
        if re.search(r"\b(?:[Ww]rite down|[Gg]uess|Vote)\b", text_of(slide.select_one(".body"))):
            assert not slide.select(".body .picture, .body .explorer")


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_a_vote_is_asked_once_with_the_options_and_the_replies_of_its_notes(page, decks):
    slides = slides_in(decks, page)
    votes = [slide for slide in slides if kind(slide) == "vote"]
    asked = [text_of(slide.select_one(".vote > p")) for slide in votes]
    own = guide.guide_of(page)
    assert len(set(asked)) == len(asked)
    assert sum(text.startswith("Vote. ") for text in asked) == len(own.votes)
    for slide, question in zip(votes, asked, strict=True):
        given = [text_of(option) for option in slide.select(".vote li")]
        assert len(given) >= 2
        assert len(slide.select(".body > *")) == 1
        if question.startswith("Vote. "):
            expected = re.search(r"Votes to expect, of 100: (.+?)\. Reply: To ", text_of(slide.select_one(".notes")))[1]
            assert [share.rsplit(" ", 1)[0] for share in expected.split(" · ")] == given
    assert 1 <= sum(slide.select_one(".if-time") is None for slide in votes) <= 3


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_lines_of_a_deck_stand_on_their_own(page, decks):
    for slide in slides_in(decks, page):
        numbers = {found.get_text(strip=True).rstrip("#") for found in slide.select(".eqno")}
        for line in slide.select(".body > p.point, .body > ul > li"):
            text = text_of(line)
            assert not LEANS.match(text), text
            assert text.endswith((".", "?", "!", "…")), text
            assert not ELSEWHERE.search(text), text
            assert set(re.findall(r"\(\d+\.\d+\)", text)) <= numbers, text


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_before_an_explorer_stands_a_vote_of_its_section(page, decks):
    voted = set()
    for slide in soup(decks[0] / f"{page}.html").select("section.slide"):
        title = slide.select_one("h1, h2").get_text(" ", strip=True)
        voted |= {title} if kind(slide) == "vote" else set()
        assert kind(slide) != "explorer" or title in voted


@pytest.mark.book
@pytest.mark.browser
def test_an_explorer_of_a_deck_answers(browser, decks):
    with opened_deck(browser, decks[0] / f"{ONE}.html") as page:
        kinds = [slide["kind"] for slide in page.evaluate(MEASURE)]
        page.evaluate(f"Reveal.slide({kinds.index('explorer')})")
        figure = page.locator("section.present figure.regattn")
        before = figure.locator(".ra-live").inner_text()
        figure.get_by_role("button", name="average economy").click()
        assert figure.locator(".ra-live").inner_text() != before
        assert page.errors == page.requests == []


@pytest.mark.book
@pytest.mark.browser
def test_keys_move_slides_after_a_pointer_and_the_explorer_after_a_key(browser, decks):
    with opened_deck(browser, decks[0] / f"{ONE}.html") as page:
        at = [slide["kind"] for slide in page.evaluate(MEASURE)].index("explorer")
        for press in (".ra-presets button", ".deck-panels button", "input[type=range]"):
            page.evaluate(f"Reveal.slide({at})")
            page.locator(f"section.present {press}").first.click()
            page.wait_for_function("document.activeElement === document.body")
            page.keyboard.press("ArrowRight")
            page.wait_for_function(f"Reveal.getIndices().h === {at + 1}")
        page.evaluate(f"Reveal.slide({at})")
        slider = page.locator("section.slide").nth(at).locator("input[type=range]").first
        slider.focus()
        before = slider.input_value()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        assert slider.input_value() != before
        assert page.evaluate("Reveal.getIndices().h") == at
        before = slider.input_value()
        page.keyboard.press("PageDown")  # as a presenter sends it
        page.wait_for_function(f"Reveal.getIndices().h === {at + 1}")
        assert slider.input_value() == before


@pytest.mark.book
@pytest.mark.browser
def test_what_was_typed_into_an_explorer_is_read_at_enter_and_the_keys_are_the_decks_again(browser, decks):
    with opened_deck(browser, decks[0] / "book/part5-transformer/18_language_model.html") as page:
        field = "section.slide figure.regattn input[type=text]"
        at = page.evaluate(f"{SLIDES}.indexOf(document.querySelector({field!r}).closest('section.slide'))")
        page.evaluate(f"Reveal.slide({at})")
        typed = page.locator("section.present figure.regattn input[type=text]").first
        shown = page.locator("section.present figure.regattn .ra-live").first
        before = shown.inner_text()
        typed.click()
        typed.fill("anna called clara because")
        page.keyboard.press("Enter")
        page.wait_for_function("document.activeElement === document.body")
        assert shown.inner_text() != before
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"Reveal.getIndices().h === {at + 1}")


@pytest.mark.book
@pytest.mark.browser
def test_a_model_trains_on_while_the_debate_is_on_the_wall_as_slide_and_notes_say(browser, decks):
    deck = decks[0] / "book/part5-transformer/18_language_model.html"
    slides = soup(deck).select("section.slide")
    (at,) = [k for k, slide in enumerate(slides) if slide.select(".body [data-widget=TrainingExplorer]")]
    assert "also while the next two slides are shown" in slides[at].select_one(".body p.point").get_text()
    notes = " ".join(slide.select_one(".notes").get_text() for slide in slides)
    assert ON_SLIDES in notes
    assert "in view" not in notes
    assert kind(slides[at + 1]) == "debate"
    with opened_deck(browser, deck) as page:
        page.evaluate(f"Reveal.slide({at})")
        page.locator("section.present button[data-play=play]").click()
        taken = "document.querySelector('[data-widget=TrainingExplorer] progress').value"
        for ahead in range(AHEAD + 1):
            page.evaluate(f"Reveal.slide({at + ahead})")
            page.wait_for_function(f"{taken} > {page.evaluate(taken)}")


@pytest.mark.book
@pytest.mark.browser
def test_a_deck_shows_a_slide_part_by_part_where_one_asks_for_it(browser, decks):
    path = decks[0] / f"{ONE}.html"
    first = """[...document.querySelectorAll("section.slide")].findIndex(
        (slide) => slide.querySelectorAll(".body > ul > li").length > 1)"""
    shown = "[...document.querySelectorAll('section.present .body li')].map((e) => getComputedStyle(e).visibility)"
    with opened_deck(browser, path) as page:
        assert page.locator(".fragment").count() == 0
        at = page.evaluate(first)
    with opened_deck(browser, path, "?steps") as page:
        page.evaluate(f"Reveal.slide({at})")
        before = page.evaluate(shown)
        page.keyboard.press("ArrowRight")
        page.wait_for_function(f"({shown}).join() !== {','.join(before)!r}")
        assert page.evaluate("Reveal.getIndices().h") == at
        assert page.evaluate(shown).count("visible") == before.count("visible") + 1


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("page", PAGES if ALL else [ONE])
def test_what_a_preset_draws_stays_within_its_slide(page, browser, decks):
    with opened_deck(browser, decks[0] / f"{page}.html") as opened:
        for width in (WIDTH, 640):
            opened.set_viewport_size({"width": width, "height": width * HEIGHT // WIDTH})
            opened.wait_for_function(f"Math.abs(Reveal.getScale() - {width / WIDTH}) < 0.02")
            states = opened.evaluate(PRESSED)
            assert states
            assert [state for state in states if not state[2] or state[3] > ROUNDING] == []


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize(
    ("page", "press", "name", "number"),
    [
        ("book/part3-attention/08_time_series", "one lag", "weight on dates after a rise", ".67"),
        ("book/part3-attention/08_time_series", "two lags", "weight on dates after a rise", ".17"),
        ("book/part3-attention/08_time_series", "three series", "1974Q1", ".056"),
        ("book/part5-transformer/19_language_model_heads", "both silent", "together", "3.83"),
    ],
)
def test_the_number_that_answers_a_vote_stands_on_its_slide(page, press, name, number, browser, decks):
    with opened_deck(browser, decks[0] / f"{page}.html") as opened:
        at = opened.evaluate(f"{SLIDES}.findIndex((slide) => slide.querySelector('.body figure.regattn'))")
        opened.evaluate(f"Reveal.slide({at})")
        figure = opened.locator("section.present figure.regattn")
        figure.locator(".ra-presets button", has_text=press).click()
        opened.wait_for_selector("section.present figure.regattn:not([data-busy])")
        told = figure.locator(".ra-readout").locator(".ra-numbers > div, .ra-live")
        told.filter(has_text=name).filter(has_text=number).locator("visible=true").first.wait_for()
        assert figure.locator(".ra-panel:not(.deck-away)").count() == 2


@pytest.mark.book
@pytest.mark.browser
def test_an_explorer_finds_the_pointer_on_a_screen_of_any_size(browser, decks):
    found = []
    with opened_deck(browser, decks[0] / f"{ONE}.html") as page:
        kinds = [slide["kind"] for slide in page.evaluate(MEASURE)]
        page.evaluate(f"Reveal.slide({kinds.index('explorer')})")
        plot = page.locator("section.present figure.regattn svg.ra-plot[role=slider]").first
        for width in (WIDTH, 1920, 800):
            page.set_viewport_size({"width": width, "height": width * HEIGHT // WIDTH})
            page.wait_for_function(f"Math.abs(Reveal.getScale() - {width / WIDTH}) < 0.02")
            box = plot.bounding_box()
            page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"])
            found.append(int(plot.get_attribute("aria-valuenow")))
    assert found[0] > 0
    assert max(found) - min(found) <= 1  # a pointer stands on whole pixels


# Of the page number and the arrows of a slide in the middle: how far each stands out of the margins at its sides.
OUT_OF_MARGIN = """() => {
  const slide = Reveal.getCurrentSlide(), frame = slide.getBoundingClientRect(), scale = Reveal.getScale();
  const style = getComputedStyle(slide);
  const left = frame.left + scale * parseFloat(style.paddingLeft);
  const right = frame.right - scale * parseFloat(style.paddingRight);
  return [...document.querySelectorAll(".reveal .slide-number, .reveal .controls button.enabled")].map((part) => {
    const box = part.getBoundingClientRect();
    return box.width ? Math.max(0, Math.min(box.right - left, right - box.left)) : 999;
  });
}"""


@pytest.mark.book
@pytest.mark.browser
def test_page_number_and_arrows_stand_off_the_words_on_a_screen_of_any_size(browser, decks):
    with opened_deck(browser, decks[0] / f"{ONE}.html") as page:
        page.evaluate("Reveal.slide(11)")
        for width in (WIDTH, 1920, 640):
            page.set_viewport_size({"width": width, "height": width * HEIGHT // WIDTH})
            page.wait_for_function(f"Math.abs(Reveal.getScale() - {width / WIDTH}) < 0.02")
            out = page.evaluate(OUT_OF_MARGIN)
            assert len(out) == 3  # the number, back and on
            assert max(out) <= 1


@pytest.mark.book
@pytest.mark.browser
def test_the_speakers_window_shows_the_notes(browser, decks):
    with opened_deck(browser, decks[0] / f"{ONE}.html") as page:
        page.evaluate("Reveal.slide(2)")
        note = page.evaluate("Reveal.getCurrentSlide().querySelector('aside.notes').textContent.trim()")
        assert len(note) > 60
        with page.expect_popup() as popup:
            page.keyboard.press("s")
        shown = popup.value.locator(".speaker-controls-notes:not(.hidden) .value")
        shown.wait_for(timeout=60_000)
        assert shown.evaluate("(part) => part.textContent.trim()") == note


def on_paper(browser, deck, query: str, folder) -> tuple[PdfReader, list]:
    """Return a deck as a PDF, and of each explorer: its slide, its first title, whether it is shown whole."""
    with opened_deck(browser, deck, query) as page:
        page.wait_for_selector("html.print-pdf .pdf-page", state="attached")
        page.emulate_media(media="print")
        explorers = page.evaluate(PRINTED)
        page.pdf(path=folder / "deck.pdf", prefer_css_page_size=True, print_background=True)
        assert page.errors == page.requests == []
    return PdfReader(folder / "deck.pdf"), explorers


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("page", DECKS)
def test_a_deck_prints_a_page_for_each_slide_and_each_explorer_as_it_stands(page, browser, decks, built_book, tmp_path):
    pdf, explorers = on_paper(browser, decks[0] / f"{page}.html", "?print-pdf", tmp_path)
    assert len(pdf.pages) == decks[1][page]
    assert float(pdf.pages[0].mediabox.width) == pytest.approx(WIDTH * 0.75, abs=1.5)  # 96 pixels are 72 points
    assert len(explorers) == taught_explorers(built_book, page)
    for slide, title, whole in explorers:
        assert whole, f"slide {slide + 1}"
        written = normalize("NFKC", " ".join(pdf.pages[slide].extract_text().split()))  # fi and fl may be one letter
        assert normalize("NFKC", title) in written, f"slide {slide + 1}"


@pytest.mark.book
@pytest.mark.browser
def test_a_deck_prints_its_notes_on_pages_of_their_own(browser, decks, tmp_path):
    pdf, _ = on_paper(browser, decks[0] / f"{ONE}.html", "?print-pdf&showNotes=separate-page", tmp_path)
    assert decks[1][ONE] < len(pdf.pages) <= 3 * decks[1][ONE]  # notes with a plan take two


@pytest.mark.book
def test_the_first_page_lists_every_deck(decks):
    folder, sizes = decks
    links = [link["href"] for link in soup(folder / "index.html").select("li > a")]
    assert links == [f"{page}.html" for page in sorted(sizes)]
    assert all((folder / link).exists() for link in links)
