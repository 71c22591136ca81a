"""What scripts of the folder `tools` found in runs that take longer than a page may, and how they were made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

__all__ = ["load_runs"]

HERE = Path(__file__).parent


class RecordedRuns(NamedTuple):
    """What a script kept of runs that take longer than a page may."""

    runs: pd.DataFrame
    """A row for each: its ``part`` where there are several, its settings and ``seed``, and what was measured."""
    card: dict[str, Any]
    """How they were made: the script, its minutes of processor time, the versions of libraries, and more."""


def load_runs(name: str, part: str | None = None) -> RecordedRuns:
    """Return what a script found.

    Parameters
    ----------
    name : {"circle", "codes", "coverage", "forecasts", "heads", "leak", "lengths", "monte_carlo", "news", "race"}
        Of chapters 22, 21, of the page *Twenty series*, of 20, 16 and 18, of the page *The race*, of 17, of
        *The race*, of 18 and 7.
    part : str, optional
        One part of them, such as "induction" of "heads"; all by default.

    Returns
    -------
    RecordedRuns
        Columns that no run of the part has are left out.

    Raises
    ------
    ValueError
        If there are no such runs, or no such part of them.

    Examples
    --------
    >>> found = load_runs("heads", "parts")
    >>> sorted(found.runs["lacks"].unique())[:2]
    ['attention', 'feed-forward']
    >>> found.card["script"]
    'tools/heads.py'
    """
    places = {path.stem: path for path in HERE.iterdir() if path.suffix in (".csv", ".json")}
    if name not in places:
        raise ValueError(f"name must be one of {', '.join(sorted(places))}, got {name!r}")
    if places[name].suffix == ".csv":
        runs, card = _table(places[name])
    else:
        card = json.loads(places[name].read_text(encoding="utf-8"))
        runs = card.pop("runs")
    parts = sorted({run["part"] for run in runs if "part" in run})
    if part is not None and part not in parts:
        which = f"one of {', '.join(parts)}" if parts else f"None, for {name} has no parts"
        raise ValueError(f"part must be {which}, got {part!r}")
    return RecordedRuns(pd.DataFrame([run for run in runs if part is None or run["part"] == part]), card)


def _table(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rows of a table to which a script adds, and its card: the first line, and the minutes so far."""
    with path.open(encoding="utf-8") as file:
        card = json.loads(file.readline().removeprefix("#"))
        runs = pd.read_csv(file, keep_default_na=False)
    return runs.to_dict("records"), card | {"minutes": round(float(runs["seconds"].sum()) / 60, 1)}
