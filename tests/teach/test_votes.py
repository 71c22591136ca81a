"""Votes and quizzes for other systems: what is asked, which answer is right, and that readers by others take it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import pytest

from tests.teach.test_guide import CHAPTERS, page, parts_of, quiz, unanswered
from tools import votes
from tools.votes import QTI, Option, Question

SCHEMA = os.environ.get("REGATTN_QTI_SCHEMA")  # imsqti_v2p1.xsd of 1EdTech, which is not ours to give on
SPACE = {"q": QTI}
KEYS = """\
chapter: ols_proximity
quiz:
- question: {question}
  marks: 1
  key: 1/3, 1/3 and 1/3 {{sic}}
"""


@pytest.fixture(scope="module")
def asked() -> dict[str, dict[str, list[Question]]]:
    """Return what every chapter asks."""
    return {chapter.name: votes.questions(chapter) for chapter in votes.chapters()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder with everything written, and the key of one question."""
    private = tmp_path_factory.mktemp("private")
    (private / "quizzes").mkdir()
    first = quiz("03_ols_proximity")[0][0]
    (private / "quizzes" / "ols_proximity.yml").write_text(KEYS.format(question=repr(first)), encoding="utf-8")
    target = tmp_path_factory.mktemp("votes")
    votes.write(target, private=private)
    return target


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_step_vote_and_question_is_there(name, asked):
    found = asked[name]
    cells = votes.nbformat.read(CHAPTERS[name], as_version=4).cells
    assert len(found["predictions"]) == sum(cell.source.count("> **Predict ") for cell in cells) > 0
    assert [(one.text, one.marks) for one in found["quiz"]] == quiz(name)
    for one in found["predictions"]:
        assert any(f".** {one.text}\n" in cell.source for cell in cells)
        right = one.options[one.right].text
        assert any(re.search(rf"Answer \d+: {re.escape(right)}\.", cell.source, re.I) for cell in cells)
    split = re.split(r"(?m)^- (?=\*\*)", parts_of(page(name))["Predictions"])[1:]
    wanted = [answers for vote in split if len(answers := unanswered(vote)) == 1]
    assert [[one.options[one.right].text] for one in found["votes"]] == wanted
    assert all(option.reply for one in found["votes"] for at, option in enumerate(one.options) if at != one.right)


def test_maths_stays_maths_and_what_gift_means_by_a_sign_is_escaped():
    assert votes.html("a *b* [c](d.md) $x_*<y$ `e`") == r"a <em>b</em> c \(x_*&lt;y\) <code>e</code>"
    text = votes.gift_text(r"is $\nabla f = {x}$: # ~")
    assert text == r"is \\(\\nabla f \= &\#123;x&\#125;\\)\: \# \~"
    read = re.sub(r"\\([\\~=#:])", r"\1", text)  # as Moodle reads it
    assert votes.html(r"is $\nabla f = {x}$: # ~") == read.replace("&#123;", "{").replace("&#125;", "}")


def test_a_step_without_its_answer_is_named():
    text = "> **Predict 1.** Which?\n>\n> - one\n> - two\n\n> **Answer 1: three.** No."
    with pytest.raises(ValueError, match=r"step 1 of chapter 'x' has the answer 'three', options \['one', 'two'\]"):
        votes.predicted("x", text)
    with pytest.raises(ValueError, match=r"the reply to 'three' fits \[\]"):
        votes.replied(["one", "two"], "To *three*: no.")


def test_another_parser_reads_every_file_of_gift(folder, asked):
    parser = pytest.importorskip("pygiftparser.parser", reason="pygiftparser, which has no wheel to pin, is not there")
    for name, groups in asked.items():
        with open(folder / f"{name}.gift.txt", encoding="utf-8") as file:
            read = parser.parseFile(file)
        wanted = [question for group in groups.values() for question in group]
        assert [one.title for one in read] == [question.name for question in wanted]
        for one, question in zip(read, wanted, strict=True):
            assert one.valid
            options = getattr(one.answers, "answers", [])
            assert [option.fraction == 100 for option in options] == [
                at == question.right for at in range(len(question.options))
            ]
            assert [bool(option.feedback) for option in options] == [bool(option.reply) for option in question.options]
    with open(folder / "03_ols_proximity.gift.txt", encoding="utf-8") as file:
        assert "1/3, 1/3 and 1/3" in parser.parseFile(file)[-len(quiz("03_ols_proximity"))].generalFeedback


def test_the_package_lists_its_items_and_each_can_be_answered(folder):
    with ZipFile(folder / "regattn-qti.zip") as package:
        files = {name: ET.fromstring(package.read(name)) for name in package.namelist()}
    listed = [one.get("href") for one in files.pop("imsmanifest.xml").iter(f"{{{votes.PACKAGE}}}resource")]
    assert listed == list(files)
    assert len(set(listed)) == len(listed)
    for name, root in files.items():
        assert root.get("identifier") == name.removesuffix(".xml")
        options = [one.get("identifier") for one in root.iterfind(".//q:simpleChoice", SPACE)]
        right = [one.text for one in root.iterfind(".//q:correctResponse/q:value", SPACE)]
        words = root.findall(".//q:extendedTextInteraction", SPACE)
        assert (len(right), len(words)) == ((1, 0) if options else (0, 1))
        assert set(right) <= set(options)
        assert "".join(root.find(".//q:prompt", SPACE).itertext()).strip()
    keys = ["".join(one.itertext()) for root in files.values() for one in root.iterfind(".//q:rubricBlock", SPACE)]
    assert "1/3, 1/3 and 1/3 {sic}" in keys  # a private sheet takes the place of the public one of its chapter
    assert len(keys) == sum(len(quiz(name)) for name in CHAPTERS) - len(quiz("03_ols_proximity")) + 1


def test_an_item_replies_to_what_was_chosen():
    root = votes.item(Question("n", "Which?", (Option("*a*"), Option("b", "no: $x$")), 0, "because"))
    said = {one.get("identifier"): "".join(one.itertext()) for one in root.iterfind("q:modalFeedback", SPACE)}
    assert said == {"A": "because", "B": r"no: \(x\) because"}


@pytest.mark.skipif(not SCHEMA, reason="REGATTN_QTI_SCHEMA names no imsqti_v2p1.xsd")
def test_every_item_follows_the_schema_of_qti(folder):
    etree = pytest.importorskip("lxml.etree")
    schema = etree.XMLSchema(etree.parse(SCHEMA))
    with ZipFile(folder / "regattn-qti.zip") as package:
        for name in package.namelist()[1:]:
            schema.assertValid(etree.fromstring(package.read(name)))
