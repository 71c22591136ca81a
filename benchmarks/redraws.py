"""How fast every explorer of the book redraws: its slowest control, in milliseconds and in frames.

Each control is moved as a hand would, over its whole range. Beside every move a yardstick is laid, a fixed piece of
the same kind of work (numbers, marks, layout), so that the frames do not depend on how busy the machine is.

It needs the built book, and builds it where it is missing or old (see explorer.py).

All of them take about ten minutes. Each is written when it is done, so that a run that was stopped loses nothing:
`redraws.py --missing` measures those that the result has no row of, `redraws.py TokenExplorer` one again.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from explorer import built_book, chapters, opened
from measure import RESULTS, goal, write

sys.path.append(str(Path(__file__).parents[1]))
from tests.browser import launch
from tests.ui_actions import MOVE, YARDSTICKS, controls, measured

FRAME = 16  # ms
PLACES = 21  # of a control, over its range
AWAKE = "(figure) => figure.model && figure.model.result()"
NAME = "redraws"


def slowest(page, figure, *, places):
    """Return a row for an explorer: the control that takes longest."""
    taken = {}
    for control in controls(figure):
        milliseconds, yardstick = measured(page, MOVE, figure, control, places=places)
        taken[control] = milliseconds, milliseconds / (YARDSTICKS * yardstick)
    control, (milliseconds, frames) = max(taken.items(), key=lambda item: item[1][1])
    name = f"{figure.get_attribute('data-widget')}, its {control.replace('_', ' ')}"
    return {"contender": name, "ours": True, "seconds": milliseconds / 1e3, "frames": frames, "runs": places}


def widget_of(row):
    """Return the explorer that a row tells of."""
    return row["contender"].partition(", its ")[0]


def written(book, name):
    """Return the explorers that a page of the built book has."""
    return re.findall(r'<figure [^>]*data-widget="(\w+)"', (book / f"{name}.html").read_text(encoding="utf-8"))


def kept():
    """Return the rows of an earlier result, by explorer."""
    path = RESULTS / f"{NAME}.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["cases"][0]["rows"] if path.exists() else []
    return {widget_of(row): row for row in rows}


def measure(book, pages, *, places=PLACES, wanted=None, rows=None):
    """Return one case: a row for each explorer of the pages, an explorer that several have where it is slowest.

    Of ``wanted`` alone, if given; ``rows``, by explorer, are those that were measured before.
    """
    before, rows = dict(rows or {}), {}
    with launch() as browser:
        for name in pages:
            if wanted is not None and not set(written(book, name)) & set(wanted):
                continue
            with opened(browser, book / f"{name}.html") as page:
                for figure in page.query_selector_all("figure.regattn"):
                    widget = figure.get_attribute("data-widget")
                    if wanted is not None and widget not in wanted:
                        continue
                    page.wait_for_function(AWAKE, arg=figure)
                    row = slowest(page, figure, places=places)
                    rows[widget] = max(rows.get(widget, row), row, key=lambda each: each["frames"])
                    print(f"{row['seconds'] * 1e3:7.1f} ms  {row['contender']} ({name})", file=sys.stderr)
    rows = before | rows
    worst = max(row["frames"] for row in rows.values())
    aim = goal(f"≤ 1 frame of {FRAME} ms for the slowest move of any explorer", worst, most=1.0)
    note = f"A frame is {FRAME} ms where {YARDSTICKS:g} yardsticks take as long."
    ordered = sorted(rows.values(), key=lambda row: -row["frames"])
    return [{"case": "the slowest control of each explorer", "rows": ordered, "goals": [aim], "note": note}]


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Measure how long explorers take to redraw.")
    parser.add_argument("explorers", nargs="*", help="their names; all of them, if none is named")
    parser.add_argument("--missing", action="store_true", help="those that the result has no row of")
    given = parser.parse_args(arguments)
    pages = chapters()
    book = built_book(pages)
    there = sorted({widget for name in pages for widget in written(book, name)})
    if unknown := sorted(set(given.explorers) - set(there)):
        parser.error(f"no page has {', '.join(unknown)}; there are {', '.join(there)}")
    rows = {widget: row for widget, row in kept().items() if widget in there}
    named = given.explorers + [widget for widget in there if given.missing and widget not in rows]
    for widget in named if named or given.missing else there:
        (case,) = measure(book, pages, wanted=[widget], rows=rows)
        write(NAME, "How long each explorer takes to redraw", [case], "playwright")
        rows = kept()


if __name__ == "__main__":
    main()
