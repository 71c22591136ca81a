"""A drawing of Matplotlib that looks the same and weighs half: what nobody sees of it does not travel with a page.

Letters are outlines in whole units of their font, each with a name of one or two signs. Paths say how far it is to the
next point, to a hundredth of a point, and a dot is a circle and not eight curves. A style that several things have is
said once. Of names and groups those stay by which slides cut a picture into its panels.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree as Tree

SVG, HREF = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
LETTER = re.compile(r"scale\(0\.015625\)")  # of letters: a unit of their outlines is a 64th of one outside
GIVEN = re.compile(r"M [MLQCz\d.\s-]+")  # with spaces, as Matplotlib gives them
PART = re.compile(r"([MLQCz])([^MLQCz]*)")
DOT = "MCCCCCCCCz"  # from its lowest point around
SHIFT = re.compile(r"translate\((\S+) (\S+)\)")
NAME = re.compile(r"#([\w.-]+)")
FOR_SLIDES = re.compile(r"(?:axes|matplotlib\.axis|xtick|text|patch)_\d+")
FEW = 5  # points of a path, such as a frame, whose places stay as they are


def short_name(k: int) -> str:
    """Return a name for the k-th thing: a to z, then ba to zz."""
    head, tail = divmod(k, 26)
    return (short_name(head) if head else "") + chr(ord("a") + tail)


def short(number: float, places: int = 2) -> str:
    """Return a number rounded to some places, without zeros that say nothing."""
    told = f"{number:.{places}f}"
    told = told.rstrip("0").rstrip(".") if places else told
    return re.sub(r"^(-?)0\.", r"\1.", "0" if told == "-0" else told)


def as_circle(parts: list[tuple[str, str]]) -> dict[str, str] | None:
    """Return centre and radius of a dot; None of any other path, also of a closed one of eight curves."""
    if "".join(command for command, _ in parts) != DOT:
        return None
    ends = [[float(place) for place in places.split()[-2:]] for _, places in parts[:-1]]
    (x, low), (right, _), (_, high), (left, _) = ends[0], ends[2], ends[4], ends[6]
    radius = (low - high) / 2
    if max(abs(right - x - radius), abs(x - left - radius)) > 1e-3:
        return None
    return {"cx": short(x), "cy": short((low + high) / 2), "r": short(radius)}


def shorter_path(parts: list[tuple[str, str]], places: int) -> str:
    """Return a path of absolute commands in fewer signs: each point from the last, unless there are few."""
    unit = 10**places
    few = sum(command != "z" for command, _ in parts) <= FEW
    told, last = [], ""
    here = start = [0, 0]
    for command, given in parts:
        points = [round(float(number) * unit) for number in given.split()]
        absolute = few or command == "M"
        steps = points if absolute else [n - here[k % 2] for k, n in enumerate(points)]
        letter = command if absolute else command.lower()
        if letter == "l" and 0 in steps:
            letter, steps = ("v", steps[1:]) if steps[0] == 0 else ("h", steps[:1])
        words = (" " if letter == last else letter) + " ".join(short(n / unit, places) for n in steps)
        told.append(words.replace(" -", "-"))
        last = letter
        here = points[-2:] or start
        start = here if command == "M" else start
    return "".join(told)


def draw_shorter(element: Tree.Element) -> None:
    """Write the path of an element in fewer signs, a dot as a circle."""
    drawn = element.get("d", "")
    if not GIVEN.fullmatch(drawn):
        return
    parts = PART.findall(drawn)
    circle = as_circle(parts)
    if circle:
        del element.attrib["d"]
        element.tag = f"{{{SVG}}}circle"
        element.attrib.update(circle)
    else:
        element.set("d", shorter_path(parts, 0 if LETTER.fullmatch(element.get("transform", "")) else 2))


def place_shorter(element: Tree.Element) -> None:
    """Write where an element stands in fewer signs, and what it shows again by a plain reference."""
    moved = element.get("transform", "")
    alone = SHIFT.fullmatch(moved)
    if alone and element.tag == f"{{{SVG}}}use":
        del element.attrib["transform"]
        element.attrib.update({axis: short(float(n), 1) for axis, n in zip("xy", alone.groups(), strict=True)})
    elif moved:
        element.set("transform", SHIFT.sub(lambda to: f"translate({float(to[1]):.5g} {float(to[2]):.5g})", moved))
    if HREF in element.attrib:
        element.set("href", "".join(element.attrib.pop(HREF).split()))
    for axis in "xy":
        if element.tag == f"{{{SVG}}}use" and axis in element.attrib:
            told = short(float(element.get(axis)))
            element.attrib.pop(axis) if told == "0" else element.set(axis, told)


def rename(root: Tree.Element) -> None:
    """Give short names to what is named elsewhere in the drawing, and none to what nobody names."""
    asked = {name for each in root.iter() for value in each.attrib.values() for name in NAME.findall(value)}
    given = [each.get("id") for each in root.iter() if each.get("id") in asked]
    names = {old: short_name(k) for k, old in enumerate(given)}
    for each in root.iter():
        for key, value in list(each.attrib.items()):
            if key != "id":
                each.set(key, NAME.sub(lambda found: f"#{names.get(found[1], found[1])}", value))
            elif value in names:
                each.set(key, names[value])
            elif not FOR_SLIDES.fullmatch(value):
                del each.attrib[key]


def share_styles(root: Tree.Element) -> None:
    """Say once, as a class, what several elements have as a style."""
    for each in root.iter():
        if "style" in each.attrib:
            each.set("style", re.sub(r"([:;])\s+", r"\1", each.get("style")))
    often = [
        style for style, times in Counter(each.get("style") for each in root.iter()).items() if style and times > 1
    ]
    classes = {style: short_name(k) for k, style in enumerate(often)}
    for each in root.iter():
        if each.get("style") in classes:
            each.set("class", classes[each.attrib.pop("style")])
    if classes:
        sheet = Tree.Element(f"{{{SVG}}}style")
        sheet.text = "".join(f".{name}{{{style}}}" for style, name in classes.items())
        root.insert(1, sheet)


def unwrap(element: Tree.Element) -> None:
    """Put the content of groups that say nothing in their place."""
    for child in list(element):
        unwrap(child)
        if child.tag == f"{{{SVG}}}g" and not child.attrib:
            place = list(element).index(child)
            element[place : place + 1] = list(child)


def lighter(drawing: str) -> str:
    """Return a drawing of Matplotlib that looks the same and weighs less."""
    Tree.register_namespace("", SVG)  # for the whole process, so that another library may have registered others
    root = Tree.fromstring(drawing)
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    for each in root.iter():
        each.text = None if not (each.text or "").strip() else each.text
        each.tail = None
        draw_shorter(each)
        place_shorter(each)
    rename(root)
    share_styles(root)
    unwrap(root)
    for before, panel in pairwise(root):
        if (panel.get("id") or "").startswith("axes_"):
            before.tail, panel.text = "\n  ", "\n"
    return Tree.tostring(root, encoding="unicode").replace(" />", "/>")
