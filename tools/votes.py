"""Write the votes and quizzes of the book for Moodle (GIFT) and for other systems (QTI 2.1): `make votes`.

There is one file of GIFT for each chapter and one package of QTI for all, below _build/votes. The votes are the steps
to predict of a chapter, and those of its page for teachers of which one option is right, each wrong one with its reply.
A question of a quiz is answered in words and marked by hand; its key goes with it, from teach/quizzes or, where the
private folder that REGATTN_PRIVATE names has keys for the chapter, from there. Formulas stay formulas of TeX between
the marks of MathJax.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import nbformat
import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_ext")]
from chapters import Chapter, chapters  # noqa: E402, where the extensions of the book are

from teach.slides.guide import BEFORE, parts  # noqa: E402
from tools.archive import DATE  # noqa: E402

TARGET = ROOT / "_build" / "votes"
QUOTED = re.compile(r"^> \*\*(Predict|Answer) (\d+)(?:\.|: (.+?)\.)\*\*(.*(?:\n>.*)*)", re.MULTILINE)
IN_CLASS = re.compile(r"^- (?=\*\*)", re.MULTILINE)
EXPECTED = re.compile(r"^\*\*(.+)\*\* \*Expected, of 100:\* (.+)\.$", re.MULTILINE)
REPLY = re.compile(r"To ((?:\*[^*]+\*(?:, | and )?)+): (.+?)(?=To \*|$)", re.DOTALL)
ASKED = re.compile(r"^\d+\. (.+) \((\d)\)$", re.MULTILINE)
WORDS = re.compile(r"[^\s,]+")
QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"


class Option(NamedTuple):
    """An answer that can be chosen, and what is said to whoever chose it."""

    text: str
    reply: str = ""


class Question(NamedTuple):
    """A question in Markdown: a vote with its options, of which `right` is one, or, without, one that asks for words.

    `why` is what is said to everybody afterwards: the answer of a vote, the key of a quiz where it is known.
    """

    name: str
    text: str
    options: tuple[Option, ...] = ()
    right: int = 0
    why: str = ""
    marks: int = 1


# --- reading ----------------------------------------------------------------------------------------------------------


def predicted(chapter: str, text: str) -> list[Question]:
    """Return the steps to predict of a chapter, given the text of its cells.

    Raises
    ------
    ValueError
        If a step has no answer, or an answer that is none of its options.
    """
    asked, told = {}, {}
    for kind, number, option, rest in QUOTED.findall(text):
        body = re.sub(r"(?m)^> ?", "", rest).strip()
        if kind == "Predict":
            asked[number] = body
        else:
            told[number] = option, body
    found = []
    for number, body in asked.items():
        options = re.findall(r"(?m)^- (.+)$", body)
        right, why = told.get(number, ("", ""))
        low = [option.casefold() for option in options]
        if right.casefold() not in low:
            raise ValueError(f"step {number} of chapter {chapter!r} has the answer {right!r}, options {options}")
        words = body.partition("\n")[0]
        choices = tuple(map(Option, options))
        found.append(Question(f"{chapter} predict {number}", words, choices, low.index(right.casefold()), why))
    return found


def replied(options: Sequence[str], text: str) -> tuple[Option, ...]:
    """Return options with the replies of a text: "To *first* and *third*: what is said to both"."""
    replies = {}
    for names, reply in REPLY.findall(text):
        for name in re.findall(r"\*([^*]+)\*", names):
            words = set(WORDS.findall(name))
            fit = [o for o in options if o == name] or [o for o in options if words <= set(WORDS.findall(o))]
            if len(fit) != 1:
                raise ValueError(f"the reply to {name!r} fits {fit} of the options {list(options)}")
            replies[fit[0]] = " ".join(reply.split())
    return tuple(Option(option, replies.get(option, "")) for option in options)


def in_class(chapter: str, text: str) -> list[Question]:
    """Return the votes of a page for teachers of which one option is right: the one without a reply."""
    found = []
    for number, vote in enumerate(IN_CLASS.split(text)[1:], start=1):
        asked, shares = EXPECTED.search(vote).groups()
        names = [share.rsplit(" ", 1)[0].replace("*", "") for share in shares.split(" · ")]
        options = replied(names, vote.partition("\n")[2])
        right = [at for at, option in enumerate(options) if not option.reply]
        if len(right) == 1:
            why = BEFORE.sub("", vote.partition("\n")[2].strip() + " ").partition("To *")[0].strip()
            found.append(Question(f"{chapter} vote {number}", asked, options, right[0], why))
    return found


def quiz(chapter: str, text: str, *keys: Path) -> list[Question]:
    """Return the quiz of a page for teachers, with the keys that the first file there is has to the same questions."""
    there = next((path for path in keys if path.is_file()), None)
    sheet = yaml.safe_load(there.read_text(encoding="utf-8"))["quiz"] if there else []
    known = {item["question"]: str(item["key"]) for item in sheet}
    return [
        Question(f"{chapter} quiz {number}", asked, why=known.get(asked, ""), marks=int(marks))
        for number, (asked, marks) in enumerate(ASKED.findall(text), start=1)
    ]


def questions(chapter: Chapter, root: Path = ROOT, private: Path | None = None) -> dict[str, list[Question]]:
    """Return what a chapter has to vote on and to ask: its steps, its votes in class, its quiz."""
    cells = nbformat.read(root / f"{chapter.page}.ipynb", as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    page = parts((root / "teach" / "guide" / f"{chapter.name}.md").read_text(encoding="utf-8"))
    keys = [folder / "quizzes" / f"{chapter.slug}.yml" for folder in (private, root / "teach") if folder]
    return {
        "predictions": predicted(chapter.name, text),
        "votes": in_class(chapter.name, page["Predictions"]),
        "quiz": quiz(chapter.name, page["Quiz"], *keys),
    }


# --- writing ----------------------------------------------------------------------------------------------------------


def html(text: str) -> str:
    r"""Return a line of Markdown as HTML, its formulas between \( and \), its links as their words."""
    parser = MarkdownIt("commonmark").use(dollarmath_plugin, renderer=lambda tex, _: tex, double_inline=True)
    for name in ("link_open", "link_close", "softbreak"):
        parser.add_render_rule(name, lambda _, tokens, at, *__: " " if tokens[at].type == "softbreak" else "")
    parser.add_render_rule("math_inline", lambda _, tokens, at, *__: rf"\({escape(tokens[at].content)}\)")
    parser.add_render_rule("math_inline_double", lambda _, tokens, at, *__: rf"\[{escape(tokens[at].content)}\]")
    return " ".join(parser.renderInline(text).split())


def escape(text: str) -> str:
    """Return text as HTML that shows it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def gift_text(text: str) -> str:
    """Return Markdown as GIFT writes it: HTML, in which backslashes and the signs of GIFT are escaped.

    Braces are entities: some readers of GIFT take an escaped one in an option for the end of the question.
    """
    return re.sub(r"([\\~=#:])", r"\\\1", html(text).replace("{", "&#123;").replace("}", "&#125;"))


def gift(question: Question) -> str:
    """Return a question in GIFT."""
    lines = [
        f"{'=' if at == question.right else '~'}{gift_text(option.text)}"
        + (f"#{gift_text(option.reply)}" if option.reply else "")
        for at, option in enumerate(question.options)
    ]
    lines += [f"####{gift_text(question.why)}"] if question.why else []
    marks = "" if question.options or question.marks == 1 else f" ({question.marks} marks)"
    return f"::{question.name}::[html]{gift_text(question.text + marks)}{{{chr(10).join(lines)}}}\n"


def gift_file(chapter: Chapter, asked: dict[str, list[Question]]) -> str:
    """Return the file of a chapter: a category for each kind of question."""
    groups = [
        "\n".join([f"$CATEGORY: $course$/regattn/{chapter.name}/{kind}\n", *map(gift, group)])
        for kind, group in asked.items()
        if group
    ]
    return "\n".join(groups)


def tag(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    """Add an element of the namespace of its parent, with a line of Markdown in it, and return it."""
    space = parent.tag.partition("}")[0] + "}"
    made = ET.SubElement(parent, space + name, attributes)
    if text:
        inner = ET.fromstring(f"<x>{html(text)}</x>")
        for element in inner.iter():
            element.tag = space + element.tag
        made.text = inner.text
        made.extend(inner)
    return made


def item(question: Question) -> ET.Element:
    """Return a question as an item of QTI 2.1."""
    names = {"identifier": identifier(question), "title": question.name}
    root = ET.Element(f"{{{QTI}}}assessmentItem", names | {"adaptive": "false", "timeDependent": "false"})
    kind = "identifier" if question.options else "string"
    declared = tag(root, "responseDeclaration", identifier="RESPONSE", cardinality="single", baseType=kind)
    if question.options:
        tag(tag(declared, "correctResponse"), "value").text = letter(question.right)
    score = {"identifier": "SCORE", "cardinality": "single", "baseType": "float", "normalMaximum": str(question.marks)}
    tag(root, "outcomeDeclaration", **score)
    if question.options:
        tag(root, "outcomeDeclaration", identifier="FEEDBACK", cardinality="single", baseType="identifier")
    body = tag(root, "itemBody")
    (choice if question.options else in_words)(question, root, body)
    return root


def choice(question: Question, root: ET.Element, body: ET.Element) -> None:
    """Ask for one of the options, mark it, and reply to it."""
    asked = tag(body, "choiceInteraction", responseIdentifier="RESPONSE", shuffle="false", maxChoices="1")
    tag(asked, "prompt", question.text)
    for at, option in enumerate(question.options):
        tag(asked, "simpleChoice", option.text, identifier=letter(at))
    steps = tag(root, "responseProcessing")
    hit = tag(tag(steps, "responseCondition"), "responseIf")
    match = tag(hit, "match")
    tag(match, "variable", identifier="RESPONSE")
    tag(match, "correct", identifier="RESPONSE")
    tag(tag(hit, "setOutcomeValue", identifier="SCORE"), "baseValue", baseType="float").text = "1"
    tag(tag(steps, "setOutcomeValue", identifier="FEEDBACK"), "variable", identifier="RESPONSE")
    for at, option in enumerate(question.options):
        if said := " ".join(filter(None, [option.reply, question.why])):
            told = {"outcomeIdentifier": "FEEDBACK", "identifier": letter(at), "showHide": "show"}
            tag(tag(root, "modalFeedback", **told), "p", said)


def in_words(question: Question, root: ET.Element, body: ET.Element) -> None:
    """Ask for words, and show the key to whoever marks them."""
    if question.why:
        tag(tag(body, "rubricBlock", view="scorer"), "p", question.why)
    tag(tag(body, "extendedTextInteraction", responseIdentifier="RESPONSE"), "prompt", question.text)


def letter(at: int) -> str:
    """Return the name of an option by its place."""
    return chr(ord("A") + at)


def identifier(question: Question) -> str:
    """Return the name of a question as QTI allows it."""
    return "q_" + re.sub(r"\W", "_", question.name)


def manifest(asked: Iterable[Question]) -> ET.Element:
    """Return the list of the items of a package."""
    root = ET.Element(f"{{{PACKAGE}}}manifest", {"identifier": "regattn"})
    about = tag(root, "metadata")
    tag(about, "schema").text = "QTIv2.1 Package"
    tag(about, "schemaversion").text = "1.0.0"
    tag(root, "organizations")
    resources = tag(root, "resources")
    for question in asked:
        name = identifier(question)
        resource = {"identifier": f"r_{name}", "type": "imsqti_item_xmlv2p1", "href": f"{name}.xml"}
        tag(tag(resources, "resource", **resource), "file", href=f"{name}.xml")
    return root


def written(root: ET.Element) -> bytes:
    """Return an element as a file, without prefixes."""
    ET.register_namespace("", root.tag[1:].partition("}")[0])
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def members(asked: Sequence[Question]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a package by their names."""
    yield "imsmanifest.xml", written(manifest(asked))
    for question in asked:
        yield f"{identifier(question)}.xml", written(item(question))


def write(folder: Path, root: Path = ROOT, private: Path | None = None) -> dict[str, int]:
    """Write all votes and quizzes below a folder; return how many there are of each kind."""
    folder.mkdir(parents=True, exist_ok=True)
    counts, every = {}, []
    for chapter in chapters(root):
        asked = questions(chapter, root, private)
        (folder / f"{chapter.name}.gift.txt").write_text(gift_file(chapter, asked), encoding="utf-8")
        for kind, group in asked.items():
            counts[kind] = counts.get(kind, 0) + len(group)
            every += group
    with ZipFile(folder / "regattn-qti.zip", "w", ZIP_DEFLATED) as package:
        for name, content in members(every):
            package.writestr(ZipInfo(name, DATE), content, ZIP_DEFLATED)
    return counts


def main() -> None:
    """Write everything and say what there is."""
    named = os.environ.get("REGATTN_PRIVATE")
    counts = write(TARGET, private=Path(named) if named else None)
    print(f"{TARGET.relative_to(ROOT)}: " + ", ".join(f"{count} of {kind}" for kind, count in counts.items()))
    print("The quizzes hold their keys" + (": give these files to no student." if named else ", which are public."))


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(str(error))
