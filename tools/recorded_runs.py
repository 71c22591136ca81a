"""What long runs found: files of regattn/recorded_runs, each a card that says how, then a line of JSON for each run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from regattn._files import write_whole

FOLDER = Path(__file__).resolve().parent.parent / "regattn" / "recorded_runs"


def read_runs(path: Path) -> dict[str, Any]:
    """Return the card and the ``runs`` that a file holds; none of either if there is no such file."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"runs": []}


def write_runs(
    path: Path, runs: list[dict[str, Any]], *, script: str, libraries: Iterable[str], minutes: float, **more: Any
) -> None:
    """Write runs, with their script, its minutes, the versions of libraries and what else tells how they were made."""
    made_by = {"script": f"tools/{Path(script).name}", "minutes": round(minutes, 1)}
    card = made_by | {"libraries": {name: version(name) for name in libraries}} | more
    lines = ",\n  ".join(json.dumps(run, ensure_ascii=False) for run in runs)
    text = f'{json.dumps(card, ensure_ascii=False)[:-1]}, "runs": [\n  {lines}\n]}}\n'
    write_whole(path, text)  # who interrupts it loses nothing


def minutes_of(runs: list[dict[str, Any]]) -> float:
    """Return the minutes that the runs say they took."""
    return sum(run.get("seconds", 0) for run in runs) / 60
