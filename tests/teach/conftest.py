"""The teaching kit has packages of its own: `make suite` sets them up, and without them its tests are left out."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ALL = os.environ.get("REGATTN_TEACH") == "all"
SHAPING = (
    "chapter",
    "equation_numbers",
    "exercise",
    "folded_boxes",
    "formulas",
    "ledger",
    "margin_notes",
    "predictions",
    "section_code",
    "tex",
)
OF_DECKS = (
    "tools/slides.py",
    "tools/choice.py",
    "teach/",
    "requirements",
    "_toc.yml",
    "book/part",
    "book/ledger.yml",
    *(f"book/_ext/{name}" for name in SHAPING),  # the extensions that a chapter is shaped by
    "regattn/exercises/",
    "regattn/widgets/",
    "tests/teach/decks.py",
    "tests/teach/test_slides.py",
)
NEEDED = ("jupyterhub", "nbgrader", "pptx", "pypdf", "sphinx_revealjs")

if not all(map(find_spec, NEEDED)):
    collect_ignore_glob = ["test_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what takes minutes, unless REGATTN_TEACH=all asks for it, as `make test-teach` does.

    Decks are made when their tools, a chapter or its guide, or an explorer differs from main, and once a week.
    """
    for item in (item for item in items if item.path.is_relative_to(HERE)):
        if not ALL and item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip("takes minutes: `make test-teach` runs it"))
        if "decks" in item.fixturenames:
            item.add_marker(pytest.mark.weekly(*OF_DECKS))
