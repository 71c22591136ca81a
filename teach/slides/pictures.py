"""Pictures of a deck: a drawing of Matplotlib stands in the deck itself, so that its letters can be made large enough.

One whose panels stand below one another, as a narrow page needs them, is cut between them: on a slide they stand side
by side. A drawing of one panel, of panels that already do, or of panels that share the numbers of the lowest, stays
whole.
"""

from __future__ import annotations

import html
import re
from itertools import count, pairwise
from pathlib import Path
from typing import NamedTuple

LOW = 300.0  # units: what is not higher than this can be read whole
BOX = re.compile(r'<svg\b[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"')
AXES = re.compile(r'(?m)^  <g id="axes_\d+">$')
FRAME = re.compile(r'<g id="patch_\d+">\s*<path d="([^"]+)"')
ACROSS = re.compile(
    r'(?s)<g id="matplotlib\.axis_\d*[13579]">(.*?)<g id="matplotlib\.axis_'
)  # each second is an x-axis
WRITTEN = re.compile(r'transform="translate\([-\d.]+ ([-\d.]+)\) scale\(([\d.]+) -')
NAMES = re.compile(r'(\bid="|\bclass="|href="#|url\(#)')
SHEET = re.compile(r"<style>(.*?)</style>", re.DOTALL)  # what several parts have in common, by class
NUMBER = re.compile(r"-?[\d.]+")
_made = count(1)


class Row(NamedTuple):
    """Where a row of panels begins and ends, in units of the picture, and whether its ticks have their own numbers."""

    top: float
    foot: float
    numbered: bool


def rows(drawing: str) -> list[Row]:
    """Return the rows of panels of a drawing of Matplotlib, from top to bottom."""
    found: list[Row] = []
    for part in AXES.split(drawing)[1:]:
        frame = FRAME.search(part)
        if frame is None:
            continue
        edges = [float(number) for number in NUMBER.findall(frame[1])][1::2]
        heights = [(float(y), 100 * float(size)) for y, size in WRITTEN.findall(part)]
        outer = [(y - size, y) for y, size in heights]
        own = not any('"xtick_' in axis and '"text_' not in axis for axis in ACROSS.findall(part))
        row = Row(min([min(edges), *(top for top, _ in outer)]), max([max(edges), *(foot for _, foot in outer)]), own)
        beside = next((k for k, other in enumerate(found) if row.top < other.foot and other.top < row.foot), None)
        if beside is None:
            found.append(row)
        else:
            other = found[beside]
            found[beside] = Row(min(row.top, other.top), max(row.foot, other.foot), row.numbered or other.numbered)
    return sorted(found)


def cuts(drawing: str) -> list[tuple[float, float]]:
    """Return where each piece of a drawing begins and ends: one piece, or one for each row of panels."""
    height = float(BOX.search(drawing)[2])
    there = rows(drawing)
    if height <= LOW or len(there) < 2:
        return [(0.0, height)]
    middles = [(above.foot + below.top) / 2 for above, below in pairwise(there) if above.numbered]
    return list(pairwise([0.0, *middles, height]))


def piece(drawing: str, top: float, foot: float, alt: str) -> str:
    """Return a piece of a drawing as an element of a page, with names of its own inside."""
    mark = f"p{next(_made)}-"
    width = BOX.search(drawing)[1]
    told = f'role="img" aria-label="{html.escape(alt)}"' if alt else 'aria-hidden="true"'
    inner = NAMES.sub(lambda found: found[1] + mark, drawing[drawing.index(">", drawing.index("<svg")) + 1 :])
    inner = re.sub(r"(?s)<metadata>.*?</metadata>", "", inner)
    inner = SHEET.sub(lambda sheet: f"<style>{re.sub(r'[.](?=[a-z]+[{])', f'.{mark}', sheet[1])}</style>", inner)
    inner = re.sub(r"<style type=\"text/css\">\*\{(.*?)\}</style>", "", inner)
    size = f"{width} {foot - top:g}"
    cut = f'<svg x="0" y="0" width="{width}" height="{foot - top:g}" viewBox="0 {top:g} {size}" overflow="hidden">'
    return f'<svg viewBox="0 0 {size}" class="drawing" {told}>{cut}{inner.strip()}</svg>\n'


def inline(path: Path, alt: str) -> str | None:
    """Return a picture as elements of a page, or None where it is no drawing of Matplotlib."""
    drawing = path.read_text(encoding="utf-8") if path.suffix == ".svg" else ""
    if BOX.search(drawing) is None or not AXES.search(drawing):
        return None
    pieces = cuts(drawing)
    return "".join(piece(drawing, *cut, alt if k == 0 else "") for k, cut in enumerate(pieces))
