"""Questions to predict: a plain form in notebooks, a step on the page, one click without scripts, open on paper."""

from __future__ import annotations

import re
import sys

import pytest
from docutils import nodes
from sphinx.errors import ExtensionError

from tests.built import ROOT, article, label, notebooks, read_notebook

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import predictions

ASKED = re.compile(r"^> \*\*Predict (\d+)\.\*\* .+\?$", re.MULTILINE)
ANSWERED = re.compile(r"^> \*\*Answer (\d+): ", re.MULTILINE)
CHAPTERS = [path for path in notebooks() if path.parent.name.startswith("part")]
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=label)


def quote(title: str, *options: str, press: str = "") -> nodes.block_quote:
    """Return a quotation as Markdown makes it."""
    made = nodes.block_quote("", nodes.paragraph("", "", nodes.Text(""), nodes.strong("", title), nodes.Text(" Why?")))
    if options:
        made += nodes.bullet_list("", *(nodes.list_item("", nodes.paragraph("", option)) for option in options))
    if press:
        made += nodes.paragraph("", "", nodes.Text("Press "), nodes.emphasis("", press), nodes.Text("."))
    return made


def page(*parts: nodes.Node) -> nodes.document:
    """Return a page with those parts."""
    from docutils.utils import new_document

    made = new_document("page")
    made += nodes.section("", *parts)
    return made


def test_a_question_finds_its_answer_and_names_what_to_press():
    asked, told = quote("Predict 1.", "up", "down", press="far"), quote("Answer 1: down.")
    assert predictions.pairs(page(asked, nodes.paragraph("", "between"), told)) == [(asked, told)]
    assert predictions.options_of(asked) == ["up", "down"]
    assert predictions.pressed(asked) == ["far"]
    assert predictions.pressed(quote("Predict 1.", "up", "down")) == []


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([quote("Predict 1.", "up", "down")], r"questions \[1\] have answers \[\]"),
        ([quote("Predict 2.", "up", "down"), quote("Answer 2: up.")], r"questions \[2\]"),
        ([quote("Predict 1.", "up", "down"), quote("Answer 1: sideways.")], "answer 1 is 'sideways'"),
        ([quote("Predict 1.", "up"), quote("Answer 1: up.")], "options \\['up'\\]"),
    ],
)
def test_a_question_without_its_answer_among_its_options_is_an_error(parts, said):
    with pytest.raises(ExtensionError, match=said):
        predictions.pairs(page(*parts))


@every_chapter
def test_a_chapter_asks_and_answers_each_question_in_its_form_and_nothing_outside_it(path):
    text = "\n\n".join(cell.source for cell in read_notebook(path).cells if cell.cell_type == "markdown")
    numbers = [str(k) for k in range(1, len(ASKED.findall(text)) + 1)]
    assert numbers
    assert ASKED.findall(text) == numbers
    assert ANSWERED.findall(text) == numbers
    loose = re.sub(r"(?m)^>.*$", "", text)
    assert not re.search(r"\b[Pp]redict(\*\*)?( first|:| before)|\*\*Predict", loose)


@every_chapter
def test_what_a_page_covers_answers_a_question_of_its_section_that_presses_nothing(path):
    asked, covers = [], 0
    for cell in read_notebook(path).cells:
        if cell.cell_type == "markdown":
            *before, last = re.split(r"(?m)^##.*$", cell.source)  # a section begins with no question
            found = re.split(r"(?m)^(?=> \*\*Predict)", last)[1:]
            asked = found if before or found else asked
        elif "predicted" in cell.metadata.get("tags", []):
            covers += 1
            assert any("> Press *" not in question for question in asked), cell.source[:60]
    assert covers <= 4  # more would stop a reader at every picture


@pytest.mark.book
@every_chapter
def test_on_the_page_every_answer_stands_closed_in_the_box_of_its_question(built_book, path):
    shown = article(built_book / path.relative_to(ROOT).with_suffix(".html"))
    boxes = shown.select(".predictions > .predict")
    assert len(boxes) == len(ASKED.findall("\n".join(c.source for c in read_notebook(path).cells)))
    for number, box in enumerate(boxes, start=1):
        (answer,) = box.select("details.predict-answer")
        assert not answer.has_attr("open")
        assert answer.select_one("p").get_text().startswith(f"Answer {number}: ")
        assert not box.select("button")  # a script makes them
