"""How fast every explorer of the book redraws: its slowest control, in milliseconds and in frames.

Each control is moved as a hand would, over its whole range. Beside every move a yardstick is laid, a fixed piece of
the same kind of work (numbers, marks, layout), so that the frames do not depend on how busy the machine is.

It needs the built book, and builds it where it is missing or old (see explorer.py).
"""

import sys
from pathlib import Path

from explorer import built_book, chapters, opened
from measure import goal, write

sys.path.append(str(Path(__file__).parents[1]))
from tests.browser import launch
from tests.hands import MOVE, YARDSTICKS, controls, measured

FRAME = 16  # ms
PLACES = 21  # of a control, over its range
AWAKE = "(figure) => figure.model && figure.model.result()"


def slowest(page, figure, *, places):
    """Return a row for an explorer: the control that takes longest."""
    taken = {}
    for control in controls(figure):
        milliseconds, yardstick = measured(page, MOVE, figure, control, places=places)
        taken[control] = milliseconds, milliseconds / (YARDSTICKS * yardstick)
    control, (milliseconds, frames) = max(taken.items(), key=lambda item: item[1][1])
    name = f"{figure.get_attribute('data-widget')}, its {control.replace('_', ' ')}"
    return {"contender": name, "ours": True, "seconds": milliseconds / 1e3, "frames": frames, "runs": places}


def measure(book, pages, *, places=PLACES):
    """Return one case: a row for each explorer of the pages, an explorer that several have where it is slowest."""
    rows = {}
    with launch() as browser:
        for name in pages:
            with opened(browser, book / f"{name}.html") as page:
                for figure in page.query_selector_all("figure.regattn"):
                    page.wait_for_function(AWAKE, arg=figure)
                    row = slowest(page, figure, places=places)
                    widget = figure.get_attribute("data-widget")
                    rows[widget] = max(rows.get(widget, row), row, key=lambda each: each["frames"])
    worst = max(row["frames"] for row in rows.values())
    aim = goal(f"≤ 1 frame of {FRAME} ms for the slowest move of any explorer", worst, most=1.0)
    note = f"A frame is {FRAME} ms where {YARDSTICKS:g} yardsticks take as long."
    ordered = sorted(rows.values(), key=lambda row: -row["frames"])
    return [{"case": "the slowest control of each explorer", "rows": ordered, "goals": [aim], "note": note}]


def main():
    pages = chapters()
    write("redraws", "How long each explorer takes to redraw", measure(built_book(pages), pages), "playwright")


if __name__ == "__main__":
    main()
