"""What the tests know of a page on paper: which words stand in its margins."""

from __future__ import annotations

import re

from pypdf import PageObject

EDGE = 40  # points: a little less than the margin, where nothing but the head and the number of a page may stand
PIECES = re.compile(
    "[\ue000-\uf8ff¯∣∥⎛-⎭]"
)  # of which a browser builds a wide brace, a high bar, single or double, a high bracket; each is moved afterwards


def beyond(page: PageObject, pieces: re.Pattern = PIECES) -> list[tuple[str, int, int]]:
    """Return the words that stand beyond the edges of a page, and where, pieces of larger characters left aside."""
    width, height = map(float, page.mediabox[2:])
    found = []

    def look(text, outer, inner, *_):
        x = inner[4] * outer[0] + inner[5] * outer[2] + outer[4]
        y = inner[4] * outer[1] + inner[5] * outer[3] + outer[5]
        words = pieces.sub("", text).strip()
        if words and not (EDGE < x < width - EDGE and EDGE / 2 < y < height - EDGE / 2):
            found.append((words[:40], round(x), round(y)))

    page.extract_text(visitor_text=look)
    return found
