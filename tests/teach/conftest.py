"""The teaching kit has packages of its own: `make suite` sets them up, and without them its tests are left out."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ALL = os.environ.get("REGATTN_TEACH") == "all"
NEEDED = ("jupyterhub", "nbgrader", "pptx", "pypdf", "sphinx_revealjs")

if not all(map(find_spec, NEEDED)):
    collect_ignore_glob = ["test_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what takes minutes, unless REGATTN_TEACH=all asks for it, as `make test-teach` does."""
    if not ALL:
        for item in items:
            if item.path.is_relative_to(HERE) and item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip("takes minutes: `make test-teach` runs it"))
