"""The claims that a class debates, as the ledger of the book has them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import yaml
from docutils import nodes

LEDGER = Path(__file__).parents[2] / "book" / "ledger.yml"


@cache
def ledger() -> dict[str, dict]:
    """Return the entries of the ledger by their names."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    entries = yaml.load(LEDGER.read_text(encoding="utf-8"), loader)["entries"]
    return {entry["id"].lower(): entry for entry in entries}


def claims_of(names: Iterable[str]) -> tuple[nodes.bullet_list, list[nodes.paragraph]]:
    """Return the claims of these names for a slide, and their verdicts for the notes."""
    claims, verdicts = nodes.bullet_list(), []
    for name in names:
        entry = ledger()[name.lower()]
        head = [nodes.strong("", entry["id"]), nodes.Text(" ")]
        claims += nodes.list_item("", nodes.paragraph("", "", *head, nodes.Text(entry["statement"])))
        verdict = f"{entry['verdict']}. {entry.get('correction', '')}".strip()
        verdicts.append(nodes.paragraph("", "", *[node.deepcopy() for node in head], nodes.Text(verdict)))
    return claims, verdicts
