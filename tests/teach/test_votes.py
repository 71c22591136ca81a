"""Votes and quizzes for other systems: what is asked, which answer is right, and that readers by others take it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from math import isfinite
from pathlib import Path
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import pytest
import yaml

from teach.slides.guide import likeness
from tests.teach.test_guide import CHAPTERS, chapter, page, parts_of, quiz, unanswered
from tools import asked as reading, qti, sheets, votes
from tools.asked import Option, Question
from tools.qti import PACKAGE, QTI

SCHEMA = os.environ.get("REGATTN_QTI_SCHEMA")  # imsqti_v2p1.xsd of 1EdTech, which is not ours to give on
NOT_THE_SAME = {  # in many of the same words
    ("07_attention_regression vote 1", "07_attention_regression vote 2"),
    ("09_masks vote 1", "09_masks vote 4"),
    ("13_a_real_corpus vote 2", "13_a_real_corpus vote 3"),
    ("16_transformer_block vote 3", "16_transformer_block vote 4"),
}
SPACE = {"q": QTI}
TO_THE_TEACHER = re.compile(r"\b(?:show the|in depth|Before the|A question for)\b|To all:")
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
    return {chapter.name: reading.questions(chapter) for chapter in votes.chapters()}


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
    text = "\n\n".join(cell.source for cell in chapter(name) if cell.cell_type == "markdown")
    steps = reading.predicted(name, text)
    assert len(steps) == text.count("> **Predict ") > 0
    for one in steps:
        assert f".** {one.text}\n" in text
        right = one.options[one.right].text
        assert re.search(rf"Answer \d+: {re.escape(right)}\.", text, re.I)
    assert [(one.text, one.marks) for one in found["quiz"]] == quiz(name)
    split = re.split(r"(?m)^- (?=\*\*)", parts_of(page(name))["Predictions"])[1:]
    wanted = [answers for vote in split if len(answers := unanswered(vote)) == 1 and answers[0] not in "ABC"]
    assert [[one.options[one.right].text] for one in found["votes"]] == wanted
    assert all(option.reply for one in found["votes"] for at, option in enumerate(one.options) if at != one.right)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_question_is_asked_once(name, asked):
    found = asked[name]
    every = [(one.name, " ".join([one.text, *(option.text for option in one.options)])) for one in found["votes"]]
    alike = {(a, b): likeness(one, other) for (a, one), (b, other) in combinations(every, 2)}
    assert {pair for pair, share in alike.items() if share > 0.6} <= NOT_THE_SAME


@pytest.mark.parametrize(("options", "least", "most"), [(2, 0.35, 0.65), (3, 0.22, 0.45)])
def test_the_first_option_is_right_about_as_often_as_by_chance(options, least, most, asked):
    every = [one for found in asked.values() for one in found["votes"] if len(one.options) == options]
    assert least <= sum(one.right == 0 for one in every) / len(every) <= most


@pytest.mark.parametrize("name", CHAPTERS)
def test_students_read_no_directions_to_the_teacher(name, asked):
    for one in [one for group in asked[name].values() for one in group]:
        told = [one.text, one.why, *(words for option in one.options for words in option)]
        assert [words for words in told if TO_THE_TEACHER.search(words)] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_question_of_a_quiz_is_marked_by_the_machine_and_replies_to_each_wrong_option(name, asked):
    for one in asked[name]["quiz"]:
        assert bool(one.options) != (one.number is not None), one.text
        assert one.why, one.text
        replies = [option.reply for at, option in enumerate(one.options) if at != one.right]
        assert not one.options or len(replies) >= 2, one.text
        assert [reply for reply in replies if len(reply.split()) < 4 or not reply.endswith(".")] == []
        assert len(set(replies)) == len(replies)


def test_neither_length_nor_place_gives_the_right_option_of_a_quiz_away(asked):
    every = [one for found in asked.values() for one in found["quiz"] if one.options]
    sizes = [([len(option.text) for option in one.options], one.right) for one in every]
    longest = [all(size[right] > other for at, other in enumerate(size) if at != right) for size, right in sizes]
    shortest = [all(size[right] < other for at, other in enumerate(size) if at != right) for size, right in sizes]
    assert all(len(every) / 12 <= sum(extreme) <= len(every) / 3 for extreme in (longest, shortest))
    places = [sum(one.right == place for one in every) for place in range(3)]
    assert min(places) >= len(every) / 8
    assert max(places) <= len(every) / 2


def test_a_quiz_has_the_options_of_its_key_by_the_alphabet_and_faults_are_named(tmp_path):
    page, path = "1. Which? (2)\n", tmp_path / "x.yml"

    def read(**key: object) -> Question:
        path.write_text(yaml.safe_dump({"quiz": [{"question": "Which?", "key": "b", **key}]}), encoding="utf-8")
        return reading.quiz("x", page, path)[0]

    one = read(right="b", wrong={"C": "look there", "a": "look here"})
    assert one.options == (Option("a", "look here"), Option("b"), Option("C", "look there"))
    assert (one.right, one.why, one.marks, dict(one.sheet)) == (1, "b", 2, {"question": "Which?", "key": "b"})
    assert "(2 marks){~a#look here" in votes.gift(one)
    assert qti.item(one).find(".//q:setOutcomeValue/q:baseValue", SPACE).text == "2"
    assert read().options == ()  # a private key may leave a question in words
    for key, fault in {
        "both, `wrong` with replies": {"right": "b"},
        "`right` is ''": {"wrong": {"a": "look here"}},
        r"the wrong options \['a'\] have no reply": {"right": "b", "wrong": {"a": None}},
        "'b' is both right and wrong": {"right": "b", "wrong": {"b": "look here"}},
    }.items():
        with pytest.raises(ValueError, match=rf"x\.yml, question 1 \('Which\?'\): .*{key}"):
            read(**fault)


def test_a_number_is_one_in_gift_and_everything_else_is_words():
    third = Question("n", "Which share?", why="a third", sheet={"number": "-1/3"})
    assert votes.gift(third) == "::n::[html]Which share? Give a number, as a decimal.{#-0.3333:0.005\n####a third}\n"
    assert "{#55:0\n" in votes.gift(third._replace(sheet={"number": "55"}))
    assert "{####a third}" in votes.gift(third._replace(sheet={}))


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_number_of_a_key_is_the_one_its_words_say(name, asked):
    for one in asked[name]["quiz"]:
        if one.number is not None:
            said = f"{one.why} {one.sheet.get('accept', '')}".replace("−", "-").replace("A quarter", "1/4")
            assert one.number in [Fraction(number) for number in re.findall(r"(?<![\w.])-?\d*\.?\d+(?:/\d+)?", said)]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_sheet_has_every_question_and_no_key_and_needs_no_network(name, asked, folder):
    blank, key = ((folder / "print" / f"{name}{kind}.html").read_text(encoding="utf-8") for kind in ("", "_key"))
    for text in (blank, key):
        assert text.count("<li>") == len(quiz(name))
        assert re.findall(r"(?:src|href|url\()", text) == []
        assert r"\(" not in text
    assert blank.count('class="room"') == len(quiz(name))
    for one in asked[name]["quiz"]:
        assert sheets.asked(one) in blank
        known = name != "03_ols_proximity"  # whose private sheet has the key of one question
        assert (sheets.shown(one.why) in key) == known
        assert sheets.shown(one.why) not in blank or len(one.why) < 3


def test_maths_stays_maths_and_what_gift_means_by_a_sign_is_escaped():
    assert reading.html("a *b* [c](d.md) $x_*<y$ `e`") == r"a <em>b</em> c \(x_*&lt;y\) <code>e</code>"
    text = votes.gift_text(r"is $\nabla f = {x}$: # ~")
    assert text == r"is \\(\\nabla f \= &\#123;x&\#125;\\)\: \# \~"
    read = re.sub(r"\\([\\~=#:])", r"\1", text)  # as Moodle reads it
    assert reading.html(r"is $\nabla f = {x}$: # ~") == read.replace("&#123;", "{").replace("&#125;", "}")


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_reply_begins_with_a_capital(name, asked):
    every = asked[name]["votes"] + asked[name]["quiz"]
    replies = [option.reply for one in every for option in one.options if option.reply]
    assert replies
    assert [reply for reply in replies if reply[0].islower()] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_question_needs_neither_the_one_before_it_nor_a_picture(name, asked):
    for one in [one for group in asked[name].values() for one in group]:
        assert not re.match(r"(?:Now|Then|And|It|They|Both|Which change) |Let \*", one.text), one.text
        assert not re.search(r"\bthe (?:four|two|three)(?: become)?\?|\bnow\?", one.text), one.text
        assert not any(re.fullmatch("[A-Z]", option.text) for option in one.options), one.text


def test_help_is_printed_and_nothing_is_written():
    before = sorted(votes.TARGET.rglob("*")) if votes.TARGET.is_dir() else []
    command = [sys.executable, "tools/votes.py", "--help"]
    done = subprocess.run(command, cwd=votes.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: votes.py [-h]")
    assert "GIFT" in done.stdout
    assert (sorted(votes.TARGET.rglob("*")) if votes.TARGET.is_dir() else []) == before


def test_a_step_without_its_answer_is_named():
    text = "> **Predict 1.** Which?\n>\n> - one\n> - two\n\n> **Answer 1: three.** No."
    with pytest.raises(ValueError, match=r"step 1 of chapter 'x' has the answer 'three', options \['one', 'two'\]"):
        reading.predicted("x", text)
    with pytest.raises(ValueError, match=r"the reply to 'three' fits \[\]"):
        reading.replied(["one", "two"], "To *three*: no.")


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
            if name == "03_ols_proximity" and question in groups["quiz"]:  # whose private sheet asks for words
                continue
            if question.number is not None:
                assert type(one.answers).__name__ == "NumericAnswerSet"
                (number,) = options
                assert abs(number.value - question.number) <= number.tolerance
                continue
            assert [option.fraction == 100 for option in options] == [
                at == question.right for at in range(len(question.options))
            ]
            assert [bool(option.feedback) for option in options] == [bool(option.reply) for option in question.options]
    with open(folder / "03_ols_proximity.gift.txt", encoding="utf-8") as file:
        assert "1/3, 1/3 and 1/3" in parser.parseFile(file)[-len(quiz("03_ols_proximity"))].generalFeedback


def test_the_package_lists_its_items_and_each_can_be_answered(folder, asked):
    with ZipFile(folder / "regattn-qti.zip") as package:
        files = {name: ET.fromstring(package.read(name)) for name in package.namelist()}
    listed = [one.get("href") for one in files.pop("imsmanifest.xml").iter(f"{{{PACKAGE}}}resource")]
    test = files.pop("assessment.xml")
    assert listed == ["assessment.xml", *files]
    assert len(set(listed)) == len(listed)
    for name, root in files.items():
        assert root.get("identifier") == name.removesuffix(".xml")
        options = [one.get("identifier") for one in root.iterfind(".//q:simpleChoice", SPACE)]
        right = [one.text for one in root.iterfind(".//q:correctResponse/q:value", SPACE)]
        words = root.findall(".//q:extendedTextInteraction", SPACE)
        typed = root.findall(".//q:textEntryInteraction", SPACE)
        assert (len(right), len(words)) == ((1, 0) if options or typed else (0, 1))
        assert set(right) <= set(options) or (len(typed) == 1 and not options and isfinite(float(right[0])))
        assert "".join(root.find(".//q:p" if typed else ".//q:prompt", SPACE).itertext()).strip()
    asked_in_turn = [one.get("href") for one in test.iterfind(".//q:assessmentItemRef", SPACE)]
    assert asked_in_turn == list(files)
    assert len(test.findall(".//q:assessmentSection", SPACE)) >= 2 * len(CHAPTERS)
    keys = ["".join(one.itertext()) for root in files.values() for one in root.iterfind(".//q:rubricBlock", SPACE)]
    assert "1/3, 1/3 and 1/3 {sic}" in keys  # a private sheet takes the place of the public one of its chapter
    numbers = [one for name, found in asked.items() if name[:2] != "03" for one in found["quiz"] if not one.options]
    assert len(keys) == len(numbers) + 1


@pytest.mark.parametrize(
    ("number", "right", "within"),
    [("-2/3", "-0.6667", "0.005 0.005"), ("7", "7", "0 0"), ("1.25", "1.2500", "0.005 0.005")],
)
def test_a_number_is_marked_by_the_system_that_asks_for_it(number, right, within):
    root = qti.item(Question("n", "Which?", why="so", marks=2, sheet={"number": number}))
    assert root.find("q:responseDeclaration", SPACE).get("baseType") == "float"
    assert root.find(".//q:correctResponse/q:value", SPACE).text == right
    assert abs(Fraction(number) - Fraction(right)) <= 0.005
    assert root.find(".//q:equal", SPACE).get("tolerance") == within
    assert root.find(".//q:setOutcomeValue/q:baseValue", SPACE).text == "2"
    (said,) = root.findall("q:modalFeedback", SPACE)
    assert "".join(said.itertext()) == "so"
    (told,) = root.findall("q:responseProcessing/q:setOutcomeValue/q:baseValue", SPACE)
    assert said.get("identifier") == told.text


def test_votes_of_some_chapters_go_where_one_says_and_an_unknown_chapter_is_named(tmp_path):
    command = [sys.executable, "tools/votes.py", "--folder", tmp_path / "here", "--chapters"]
    done = subprocess.run([*command, "8", "ols_prox"], cwd=votes.ROOT, capture_output=True, text=True, check=True)
    assert "here/print: the quizzes" in done.stdout
    written = {path.name for path in (tmp_path / "here").iterdir()}
    assert written == {"03_ols_proximity.gift.txt", "08_time_series.gift.txt", "regattn-qti.zip", "print"}
    done = subprocess.run([*command, "24"], cwd=votes.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("no chapter is '24'; there are 01_linear_regression, ")


def test_an_item_replies_to_what_was_chosen():
    root = qti.item(Question("n", "Which?", (Option("*a*"), Option("b", "no: $x$")), 0, "because"))
    said = {one.get("identifier"): "".join(one.itertext()) for one in root.iterfind("q:modalFeedback", SPACE)}
    assert said == {"A": "because", "B": r"no: \(x\) because"}


@pytest.mark.skipif(not SCHEMA, reason="REGATTN_QTI_SCHEMA names no imsqti_v2p1.xsd")
def test_every_item_follows_the_schema_of_qti(folder):
    etree = pytest.importorskip("lxml.etree")
    schema = etree.XMLSchema(etree.parse(SCHEMA))
    with ZipFile(folder / "regattn-qti.zip") as package:
        for name in package.namelist()[1:]:  # the test and the items
            schema.assertValid(etree.fromstring(package.read(name)))
