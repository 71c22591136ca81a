"""Fixtures shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import launch
from tests.built import build


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """Return a headless Chromium; without one the test fails and says how to get one."""
    with launch() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def built_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the book's HTML, built afresh once for all tests."""
    return build(tmp_path_factory.mktemp("book"))
