"""Decks from chapters: what stands on slides, that everything fits and moves, and that the notes hold the rest."""

from __future__ import annotations

import re
import subprocess
import sys
from copy import copy

import pytest
from docutils import nodes
from pypdf import PdfReader

from teach.slides import guide, pictures, rule
from tests.built import ROOT, soup
from tests.teach.conftest import ALL
from tests.teach.decks import HEIGHT, MEASURE, TEXTS, WIDTH, opened_deck
from tools.slides import PAGES

ONE = "book/part2-proximity/03_ols_proximity"
DECKS = PAGES if ALL else [ONE, "book/part5-transformer/18_language_model"]
SMALLEST = 15.0  # pixels of a letter on a slide of 1280 by 800; 22 on a projector of 1920
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
    """Return the folder of the decks, made once from the built book, and how many slides each has."""
    folder = tmp_path_factory.mktemp("decks")
    before = written(built_book)
    done = run_tool(*DECKS, "--book", built_book, "--folder", folder)
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


def texts(shown: list) -> list[str]:
    """Return what the points of a slide say."""
    return [rule.point(group).node.astext() for group in shown]


def test_a_sentence_ends_with_its_stop_also_behind_words_in_bold():
    bold = nodes.strong("", "Which one?")
    every = rule.sentences(
        paragraph("See eq. (7) of it. ", bold, " The first. It has a ", nodes.math("", "x."), " End.")
    )
    assert [rule.said(sentence).strip() for sentence in every] == [
        "See eq. (7) of it.",
        "Which one?",
        "The first.",
        "It has a x.",
        "End.",
    ]


def test_of_prose_a_slide_shows_the_opening_what_is_bold_and_what_leads_on():
    one, two, three = (
        "The first says enough to stand on a slide alone.",
        "Two.",
        "The third row, far from all of the others, has a leverage",
    )
    text = paragraph(f"{one} {two} {three[:-8]}", nodes.strong("", "leverage"), ". Four. We get: ")
    assert texts(rule.key_sentences(text, True, False, "")) == [one, f"{three}."]
    assert texts(rule.key_sentences(text, False, False, "picture")) == [f"{three}.", "We get: "]
    long = paragraph("Long. " * 60 + "It reads")
    assert texts(rule.key_sentences(long, False, False, "equation")) == ["Long. It reads"]
    assert texts(rule.key_sentences(paragraph("Short. It reads"), False, False, "equation")) == ["Short. It reads"]


def test_a_sentence_of_a_few_words_brings_the_next_and_no_more():
    text = paragraph("Look at it. The third panel has no peak. Nor has the fourth.")
    assert texts(rule.key_sentences(text, False, True, "")) == ["Look at it. The third panel has no peak."]
    bold = paragraph("Plain. ", nodes.strong("", "Only differences count."), " Add seven to all scores. Nothing moves.")
    assert texts(rule.key_sentences(bold, False, False, "")) == ["Only differences count. Add seven to all scores."]
    assert texts(rule.key_sentences(paragraph("Who asks? All ask."), True, False, "")) == ["Who asks? All ask."]


def test_no_sentence_hangs():
    def shown(*told, following="", first=True, after=False):
        return texts(rule.key_sentences(paragraph(*told), first, after, following))

    whole = "One kind takes all prices as they are, and only those. The other takes the mean of the last four of them."
    bold = nodes.strong("", "mean of four")
    assert shown(whole.partition("mean")[0], bold, first=False) == [whole.partition("mean")[0] + "mean of four"]
    assert shown("Here is a picture of all the quarters of the sample:") == []
    assert shown("Here is a picture of all the quarters of the sample:", following="picture") != []
    assert shown("Here is a picture of all the quarters of the sample:", following="explorer") == []
    assert shown("That makes good sense for any line, however it is drawn.") == []
    assert shown("That makes good sense for any line, however it is drawn.", after=True) != []
    assert shown("Is it an average of the outcomes, then, or something else?") == []
    assert shown("Is it an average of the outcomes, then, or something else?", following="vote") != []
    assert shown("Where does it come from? Split it. Then go on.") == ["Where does it come from? Split it."]
    length = "The length of the query changes no comparison. The length of a training code does."
    assert shown(length, first=False) == []
    told = length.partition("length of a training")
    assert shown(told[0], nodes.strong("", "length of a training"), told[2], first=False) == [length]


def test_a_sentence_in_brackets_brings_the_one_before():
    text = "That is the attention of transformers. (The word is older than they are.)"
    long = paragraph(f"{'Long. ' * 60}{text}")
    assert texts(rule.key_sentences(long, False, False, "equation")) == [f"Long. {text}"]  # which "That" takes up


def test_what_leads_into_a_table_stands_on_its_slide_and_goes_with_it():
    made = nodes.section("", nodes.title("", "2 · A chapter"), paragraph("So. ", nodes.strong("", "Why?")))
    part = nodes.section("", nodes.title("", "A section"))
    part += nodes.literal_block("x\n" * 14, "x\n" * 14)
    part += paragraph("These are the numbers of all the years:")
    part += cell(output=nodes.raw("", "<table>" + "<tr></tr>" * 9 + "</table>", format="html"))
    made += part
    last = rule.slides_of(made)[-1].items
    assert [item.kind for item in last] == ["table"]
    assert last[0].lead.node.astext() == "These are the numbers of all the years:"


def test_what_follows_the_question_of_a_chapter_stands_after_it():
    asks = paragraph("Before. ", nodes.strong("", "Why?"), " (For one thing. For another.)")
    assert [part.astext().strip() for part in rule.question_of(asks).children] == [
        "Before.",
        "Why?",
        "(For one thing. For another.)",
    ]


def test_what_stands_before_the_question_of_a_chapter_stands_on_its_title_where_there_is_room():
    def title(words: str) -> list[str]:
        asks = paragraph("Yet it is right. ", nodes.strong("", "Why?"))
        section = nodes.section("", nodes.title("", "1 · A chapter"), paragraph(words), asks)
        return [part.astext().strip() for part in rule.slides_of(section)[0].items[0].node.children]

    assert title("A model says so.") == ["A model says so.", "Yet it is right.", "Why?"]
    assert title("A model says so. " * 40) == ["Yet it is right.", "Why?"]


def test_of_a_long_list_each_entry_keeps_its_question():
    entry = "Untick the box, so that all rows listen to all the others. " + "More is said. " * 20 + "What is added?"
    shown = rule.bullets(nodes.enumerated_list("", *(nodes.list_item("", paragraph(entry)) for _ in range(5))))
    first = "Untick the box, so that all rows listen to all the others. What is added?"
    assert [part.astext() for part in shown.node.children] == [first] * 5


def test_before_an_explorer_stand_the_questions():
    text = paragraph("Predict first. Will it grow? The menu helps.")
    assert texts(rule.key_sentences(text, False, False, "explorer")) == ["Will it grow?"]


def quotation(title: str, *parts: nodes.Node) -> nodes.block_quote:
    """Return a quotation whose first words are in bold."""
    return nodes.block_quote("", paragraph("", nodes.strong("", title), " Why so?"), *parts)


def test_a_question_to_predict_is_a_vote_and_its_answer_is_in_the_notes():
    options = nodes.bullet_list("", *(nodes.list_item("", paragraph(word)) for word in ("up", "down")))
    asked = quotation("Predict 1.", options, paragraph("Press ", nodes.emphasis("", "far"), "."))
    section = nodes.section("", nodes.title("", "Here"), asked, quotation("Answer 1: down."))
    reader = rule.Reader("Chapter")
    reader.read(section, "Chapter", [nodes.Text("Here")])
    (slide,) = reader.sections[0].slides()
    assert [item.kind for item in slide.items] == ["vote"]
    assert slide.items[0].node.astext().split() == ["Predict", "1.", "Why", "so?", "up", "down"]
    assert [note.astext() for note in slide.notes] == ["Answer 1: down. Why so?"]


def cell(*tags: str, output: nodes.Node | None = None) -> nodes.container:
    """Return a cell of code with those tags."""
    made = nodes.container(classes=["cell", *(f"tag_{tag}" for tag in tags)], nb_element="cell_code")
    made += nodes.container("", nodes.literal_block("x = 1\ny = 2", "x = 1\ny = 2"), nb_element="cell_code_source")
    if output is not None:
        made += nodes.container("", output, nb_element="cell_code_output")
    return made


def test_tags_show_the_code_of_a_cell_and_keep_a_cell_out():
    picture = nodes.image(uri="a.svg", alt="A picture")
    assert [item.kind for item in rule.cell_items(cell(output=picture))] == ["picture"]
    assert [item.kind for item in rule.cell_items(cell("slide-code", output=picture))] == ["told", "picture"]
    assert rule.cell_items(cell("no-slide", output=picture)) == []
    assert rule.cell_items(cell("checks", "slide-code")) == []
    assert rule.cell_items(cell(output=nodes.literal_block("", "printed", classes=["output", "stream"]))) == []


def chapter(sections: int, equations: int) -> nodes.section:
    """Return a chapter of as many sections, each with as many equations and one picture."""
    made = nodes.section("", nodes.title("", "1 · A chapter"), paragraph("So. ", nodes.strong("", "Why?")))
    for k in range(sections):
        part = nodes.section("", nodes.title("", f"Section {k}"))
        for n in range(equations):
            part += [paragraph(f"Equation {n} reads"), nodes.math_block("", "a \\\\ b \\\\ c \\\\ d \\\\ e", number=n)]
        part += cell(output=nodes.image(uri=f"{k}.svg", alt=f"Picture {k}"))
        made += part
    return made


def test_a_chapter_that_is_too_long_keeps_its_pictures_and_loses_equations():
    short, long = rule.slides_of(chapter(3, 2)), rule.slides_of(chapter(12, 5))
    count = [sum(item.kind == "equation" for slide in slides for item in slide.items) for slides in (short, long)]
    assert count[0] == 6
    assert len(short) < len(long) <= rule.MOST
    assert count[1] < 60
    assert sum(item.kind == "picture" for slide in long for item in slide.items) == 12
    told = [node for slide in long for node in slide.notes if isinstance(node, nodes.math_block)]
    assert len(told) == 60 - count[1]  # the notes have what the slides lost


def test_without_a_built_book_it_says_what_to_do(tmp_path):
    done = run_tool("--book", tmp_path / "_build" / "html", "--folder", tmp_path / "decks")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("run `make book` first")


PLAN = """
## Outcomes

- Split it.

## Minutes

- 10 min: The question.
- 20 min (half day): Read *it*; then move it. → *Here*; *Don't*
- 5 min: Quiz.

## On the board

- A line at $x$ = 2.

## Predictions

The shares say what to expect; nobody has measured them. Ninety minutes have room for three: the first and third.

- **Why do dots go up?** *Expected, of 100:* all go up 60 · dots go down 40.
  To *all go up*: look at the first dot.
- **Will the [line](a.md) bend?** *Expected, of 100:* yes 50 · no 50.
  Before *Elsewhere*. To *yes*: lines are straight.
- **Who wins?** *Expected, of 100:* we 10 · they 90.

## Pitfalls

- A zebra is no horse.

## Discussion

None.

## Quiz

1. Is $x$ two? (1)

## Exercises

In class [1](a.ipynb#ex-1); at home [2](a.ipynb#ex-2).
"""


def planned() -> list[rule.Slide]:
    """Return the slides of a small chapter with that page for teachers."""
    options = nodes.bullet_list("", *(nodes.list_item("", paragraph(word)) for word in ("dots go up", "dots go down")))
    made = nodes.section("", nodes.title("", "1 · A chapter"), paragraph("So. ", nodes.strong("", "Why?")))
    for title, parts in {
        "Here": [paragraph("A zebra is read."), quotation("Predict 1.", options), quotation("Answer 1: dots go up.")],
        "Don’t": [nodes.math_block("", "a", number=1)],
        "Elsewhere": [nodes.math_block("", "b", number=2)],
    }.items():
        made += nodes.section("", nodes.title("", title), *parts)
    return rule.slides_of(made, guide.read(PLAN))


def test_a_deck_reads_the_page_for_teachers():
    slides = planned()
    titles = [(rule.said(slide.title), slide.spare, sorted(rule.kinds(slide))) for slide in slides]
    assert titles == [
        ("1 · A chapter", False, ["text"]),
        ("Why?", False, ["vote"]),  # "Who wins?" stands before all, for it asks what no step of the chapter asks
        ("Here", False, ["vote"]),
        ("Don’t", False, ["equation"]),
        ("Elsewhere", True, ["spare vote"]),
        ("Elsewhere", True, ["equation"]),
        ("Quiz", False, ["quiz"]),
    ]
    top = [" | ".join(node.astext() for node in slide.said_first()) for slide in slides]
    assert "20 min: Read it; then move it." in top[0]
    assert "A line at x = 2." in top[0]
    assert "10 min. The question." in top[1]
    assert "Votes to expect, of 100: we 10 · they 90." in top[1]
    assert top[2].startswith("20 min. Read it; then move it. | Pitfall: A zebra is no horse. | Votes to expect")
    assert top[2].endswith("Reply: To all go up: look at the first dot.")
    assert top[4].endswith("Reply: To yes: lines are straight.")
    assert slides[4].items[0].node.astext().split() == ["Vote.", "Will", "the", "line", "bend?", "yes", "no"]
    assert slides[-1].items[0].node.astext() == "Is x two? (1)"


def test_of_the_exercises_those_for_the_class_stand_on_slides():
    reader = rule.Reader("Chapter", frozenset({"1"}))
    here = rule.Section([], "Chapter")
    kept = [rule.Item("list", paragraph(f"Exercise 3.{k}"), 1.0) for k in (1, 2, 12)]
    assert [reader.is_for_class(item, here) for item in kept] == [True, False, False]
    assert [node.astext() for node in here.stream] == ["Exercise 3.2", "Exercise 3.12"]


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
    text = pictures.piece(drawing((22, 135), (188, 358), height=397), 154, 397, "A <picture>")
    assert 'viewBox="0 154 411 243" overflow="hidden"' in text
    assert 'aria-label="A &lt;picture&gt;"' in text
    assert len(re.findall(r'id="p\d+-axes_[12]"', text)) == 2
    assert text.count("<svg") == text.count("</svg>") == 2


# --- the decks --------------------------------------------------------------------------------------------------------


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_a_chapter_has_at_most_thirty_slides_and_a_quiz(page, decks):
    assert 12 <= decks[1][page] <= rule.MOST + 1  # and the quiz


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


@pytest.mark.book
@pytest.mark.browser
@pytest.mark.parametrize("page", DECKS)
def test_pictures_are_loaded_and_large_and_explorers_awake(page, measured, built_book):
    slides = measured(page)["slides"]
    pictures = [picture for slide in slides for picture in slide["pictures"]]
    explorers = [explorer for slide in slides for explorer in slide["explorers"]]
    assert pictures
    assert len(explorers) == len(soup(built_book / f"{page}.html").select("figure.regattn"))
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
    prose = [words(p) for p in of_page if not p.find_parent(class_=["exercise", "admonition"])]
    assert len(prose) > 10
    assert [text for text in prose if text not in notes and text != ""] == []


def kind(slide) -> str:
    """Return what a slide of a written deck shows."""
    return next(name for name in slide["class"] if name.startswith("slide-"))[6:]


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_a_deck_tells_a_story_with_votes_minutes_and_a_quiz(page, decks):
    slides = soup(decks[0] / f"{page}.html").select("section.slide")
    shown = [kind(slide) for slide in slides]
    told = [" ".join(slide.select_one("aside.notes").get_text(" ").split()) for slide in slides]
    own = guide.guide_of(page)
    assert shown[0] == "title"
    assert shown[-1] == "quiz"
    assert len(slides[-1].select(".body li")) == len(own.quiz)
    votes = [slide for slide, what in zip(slides, shown, strict=True) if what == "vote"]
    assert all(len(slide.select(".vote li")) >= 2 and len(slide.select(".body > *")) == 1 for slide in votes)
    in_time = [slide for slide in votes if slide.select_one(".if-time") is None]
    assert 1 <= len(in_time) <= 3
    assert all(slide.select_one("aside.notes > .first") for slide in in_time)
    for step in own.steps:
        assert f"{step.minutes} min: " in told[0]
    begun = [minutes for note in told[1:] for minutes in re.findall(r"^(\d+) min\. ", note)]
    taken = [str(step.minutes) for step in own.steps if step.sections]
    assert sorted(set(begun) - set(taken)) in ([], [str(own.steps[0].minutes)])
    assert len(begun) >= len(taken) - 1


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_before_an_explorer_stands_a_vote_of_its_section(page, decks):
    voted = set()
    for slide in soup(decks[0] / f"{page}.html").select("section.slide"):
        title = slide.select_one("h1, h2").get_text(" ", strip=True)
        voted |= {title} if kind(slide) == "vote" else set()
        assert kind(slide) != "explorer" or title in voted


@pytest.mark.book
@pytest.mark.parametrize("page", DECKS)
def test_no_line_of_a_deck_hangs(page, decks):
    for slide in soup(decks[0] / f"{page}.html").select("section.slide"):
        for point in slide.select(".body > p.point"):
            text, before, after = point.get_text().strip(), point.find_previous_sibling(), point.find_next_sibling()
            leads_on = after is not None and "point" not in after.get("class", [])
            assert leads_on or not text.endswith(":"), text
            assert before is not None or not text[:1].islower(), text


@pytest.mark.book
@pytest.mark.browser
def test_an_explorer_of_a_deck_answers(browser, decks):
    with opened_deck(browser, decks[0] / f"{ONE}.html") as page:
        kinds = [slide["kind"] for slide in page.evaluate(MEASURE)]
        page.evaluate(f"Reveal.slide({kinds.index('explorer')})")
        figure = page.locator("section.present figure.regattn")
        before = figure.locator(".ra-live").inner_text()
        figure.get_by_role("button", name="an average economy").click()
        assert figure.locator(".ra-live").inner_text() != before
        page.keyboard.press("Escape")
        assert page.errors == page.requests == []


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
    assert len(explorers) == len(soup(built_book / f"{page}.html").select("figure.regattn"))
    for slide, title, whole in explorers:
        assert whole, f"slide {slide + 1}"
        assert title in " ".join(pdf.pages[slide].extract_text().split()), f"slide {slide + 1}"


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
