"""Write questions as a package of QTI 2.1: an item for each, a test that asks them all, and the list of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from xml.etree import ElementTree as ET

from tools.asked import Question, html

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
TEST = "assessment"


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
    number = question.number
    kind = "identifier" if question.options else "string" if number is None else "float"
    declared = tag(root, "responseDeclaration", identifier="RESPONSE", cardinality="single", baseType=kind)
    if question.options:
        tag(tag(declared, "correctResponse"), "value").text = letter(question.right)
    elif number is not None:
        tag(tag(declared, "correctResponse"), "value").text = decimal(number)
    score = {"identifier": "SCORE", "cardinality": "single", "baseType": "float", "normalMaximum": str(question.marks)}
    tag(root, "outcomeDeclaration", **score)
    if question.options or number is not None:
        tag(root, "outcomeDeclaration", identifier="FEEDBACK", cardinality="single", baseType="identifier")
    body = tag(root, "itemBody")
    (choice if question.options else in_words if number is None else as_number)(question, root, body)
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
    marks = tag(tag(hit, "setOutcomeValue", identifier="SCORE"), "baseValue", baseType="float")
    marks.text = str(question.marks)
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


def as_number(question: Question, root: ET.Element, body: ET.Element) -> None:
    """Ask for a number, mark it, a whole one as it is, another within half a hundredth, and tell the key."""
    if question.why:
        tag(tag(body, "rubricBlock", view="scorer"), "p", question.why)
    tag(body, "p", f"{question.text} Give a number, as a decimal.")
    tag(tag(body, "p"), "textEntryInteraction", responseIdentifier="RESPONSE", expectedLength="8")
    steps = tag(root, "responseProcessing")
    hit = tag(tag(steps, "responseCondition"), "responseIf")
    within = "0" if question.number.denominator == 1 else "0.005"
    match = tag(hit, "equal", toleranceMode="absolute", tolerance=f"{within} {within}")
    tag(match, "variable", identifier="RESPONSE")
    tag(match, "correct", identifier="RESPONSE")
    marks = tag(tag(hit, "setOutcomeValue", identifier="SCORE"), "baseValue", baseType="float")
    marks.text = str(question.marks)
    if question.why:
        told = tag(tag(steps, "setOutcomeValue", identifier="FEEDBACK"), "baseValue", baseType="identifier")
        told.text = "KEY"
        shown = {"outcomeIdentifier": "FEEDBACK", "identifier": "KEY", "showHide": "show"}
        tag(tag(root, "modalFeedback", **shown), "p", question.why)


def decimal(number: Fraction) -> str:
    """Return a number as a decimal: a whole one as it is, another with four digits, as GIFT has it."""
    return str(number) if number.denominator == 1 else f"{float(number):.4f}"


def letter(at: int) -> str:
    """Return the name of an option by its place."""
    return chr(ord("A") + at)


def identifier(question: Question) -> str:
    """Return the name of a question as QTI allows it."""
    return f"q_{plain(question.name)}"


def plain(name: str) -> str:
    """Return a name without signs."""
    return re.sub(r"\W", "_", name)


def assessment(asked: Iterable[Question]) -> ET.Element:
    """Return the test that asks all questions of a package, a section for each chapter and kind of question."""
    root = ET.Element(f"{{{QTI}}}assessmentTest", {"identifier": TEST, "title": "Regression Is Attention"})
    part = tag(root, "testPart", identifier="part", navigationMode="nonlinear", submissionMode="individual")
    for name, group in groupby(asked, key=lambda question: question.name.rpartition(" ")[0]):
        section = tag(part, "assessmentSection", identifier=f"s_{plain(name)}", title=name, visible="true")
        for question in group:
            tag(section, "assessmentItemRef", identifier=identifier(question), href=f"{identifier(question)}.xml")
    return root


def manifest(asked: Sequence[Question]) -> ET.Element:
    """Return the list of what a package has: its test, and the items on which that depends."""
    root = ET.Element(f"{{{PACKAGE}}}manifest", {"identifier": "regattn"})
    about = tag(root, "metadata")
    tag(about, "schema").text = "QTIv2.1 Package"
    tag(about, "schemaversion").text = "1.0.0"
    tag(root, "organizations")
    resources = tag(root, "resources")
    names = [identifier(question) for question in asked]
    test = resource(resources, TEST, "imsqti_test_xmlv2p1")
    for name in names:
        tag(test, "dependency", identifierref=f"r_{name}")
    for name in names:
        resource(resources, name, "imsqti_item_xmlv2p1")
    return root


def resource(parent: ET.Element, name: str, kind: str) -> ET.Element:
    """Add a file of a package to the list of those it has."""
    made = tag(parent, "resource", identifier=f"r_{name}", type=kind, href=f"{name}.xml")
    tag(made, "file", href=f"{name}.xml")
    return made


def written(root: ET.Element) -> bytes:
    """Return an element as a file, without prefixes."""
    ET.register_namespace("", root.tag[1:].partition("}")[0])
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def members(asked: Sequence[Question]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a package by their names."""
    yield "imsmanifest.xml", written(manifest(asked))
    yield f"{TEST}.xml", written(assessment(asked))
    for question in asked:
        yield f"{identifier(question)}.xml", written(item(question))
