"""TeX as MathML, which browsers show without a script.

KaTeX makes it, in a JavaScript engine that comes as a wheel. What it writes for MathJax and for readers of MathML 3 is
put here into what browsers show: letters of an alphabet of their own, the sides of columns as a style, thin spaces.
"""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

import quickjs

RENDER = """(tex, display) => {
  const options = {displayMode: display, output: "mathml", strict: "ignore"};
  try { return JSON.stringify([katex.renderToString(tex, options), ""]); }
  catch (error) { return JSON.stringify(["", error.message]); }
}"""
APPLIED = "\u2061"  # what stands, unseen, between a function and its argument
ROWS = ("mrow", "mstyle", "mtd")
INDEXED = ("msub", "msup", "msubsup", "munder", "munderover")
PAIRS = ("mover", "mfrac", "mroot")
OPENING = set(APPLIED + "([{⟨⌊⌈|‖∣∥")
BARS = {"|": "|", "∣": "|", "∥": "‖"}  # KaTeX writes relations, beside which browsers leave room


@cache
def renderer():
    """Return KaTeX's function; its answers are JSON, since the engine hands over long strings only in one piece."""
    engine = quickjs.Context()
    engine.eval(Path(find_spec("sphinxcontrib.katex").origin).with_name("katex.min.js").read_text(encoding="utf-8"))
    return engine.eval(RENDER)


def letter(character: str, alphabet: str) -> str:
    """Return a letter or digit of an alphabet of Unicode, or the character itself where that has none such."""
    said = unicodedata.name(character)
    for part in ("LATIN ", "GREEK ", "LETTER "):
        said = said.replace(part, "")
    for kind in (f"MATHEMATICAL {alphabet}", alphabet.replace("FRAKTUR", "BLACK-LETTER")):
        try:
            return unicodedata.lookup(f"{kind} {said}")
        except KeyError:
            continue
    return character


def set_alphabets(math: ET.Element) -> None:
    """Write letters in bold, script and the like as characters of their own; what holds more than one is a row."""
    for part in math.iter():
        if part.tag in ("mi", "mo") and len(part):
            part.tag = "mrow"
        if part.get("mathvariant", "normal") != "normal":
            alphabet = part.attrib.pop("mathvariant").upper()
            alphabet = alphabet if alphabet in ("DOUBLE-STRUCK", "SANS-SERIF") else alphabet.replace("-", " ")
            part.text = "".join(letter(character, alphabet) for character in part.text)


def set_scripts(math: ET.Element) -> None:
    """Take what is unseen after a function out of a script that is its name, where it were a child too many."""
    for part in math.iter():
        for child in list(part) if part.tag in (*INDEXED, *PAIRS) else ():
            if child.text == APPLIED:
                part.remove(child)


def set_columns(math: ET.Element) -> None:
    """Say on which side the cells of a table stand; a relation that opens a cell stands after nothing, as in TeX."""
    for table in math.iter("mtable"):
        sides = table.get("columnalign", "center").split()
        joined = table.get("columnspacing") == "0em"
        if not table.get("columnspacing", "as usual"):
            del table.attrib["columnspacing"]  # an empty one is refused aloud by Firefox
        for row in table:
            for place, cell in enumerate(row):
                side = sides[min(place, len(sides) - 1)]
                cell.set("style", f"text-align: {side}" + ("; padding-inline: 0" if joined else ""))
    for cell in math.iter("mtd"):
        for empty in cell.iter("mrow"):
            if not len(empty):
                empty.tag = "mi"


def set_spaces(math: ET.Element) -> None:
    """Put a thin space, whose width is a matter of style, behind a function without bracket; and none beside a bar."""
    for bar in math.iter("mo"):
        if bar.text in BARS and bar.get("stretchy"):
            bar.text = BARS[bar.text]
            bar.attrib |= {"lspace": "0", "rspace": "0"}
    for row in [part for part in math.iter() if part.tag in ROWS]:
        for place, part in reversed(list(enumerate(row[:-1]))):
            said = "".join((part[0] if part.tag in INDEXED else part).itertext())
            behind = "".join(row[place + 1].itertext())
            if said.endswith(APPLIED) and behind and behind[0] not in OPENING:
                row.insert(place + 1, ET.Element("mspace", {"class": "thin"}))


def mathml(tex: str, *, display: bool = False) -> str:
    """Return a formula as a MathML element that carries its TeX.

    Parameters
    ----------
    tex : str
        The formula, without what encloses it.
    display : bool, default False
        Whether it stands on a line of its own.

    Returns
    -------
    str
        An element `math`.

    Raises
    ------
    ValueError
        If the formula has a command that KaTeX does not know, or a bracket that is not closed.

    Examples
    --------
    >>> mathml("x^2").partition("<annotation")[0]
    '<math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>'
    """
    made, error = json.loads(renderer()(tex.strip(), display))
    if error:
        raise ValueError(f"{error}, in the formula {tex.strip()!r}")
    math = ET.fromstring(made.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")).find("math")
    set_alphabets(math)
    set_scripts(math)
    set_columns(math)
    set_spaces(math)
    return ET.tostring(math, encoding="unicode", short_empty_elements=False)
