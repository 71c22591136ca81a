"""Fixtures shared by all tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # so that a test in any folder can `from browser import open_offline`


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """Return a headless Chromium; without one the test fails and says how to get one."""
    from browser import launch

    with launch() as chromium:
        yield chromium
