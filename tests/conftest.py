"""Fixtures shared by all tests, and the order in which tests run."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from threadpoolctl import threadpool_limits

from tests.browser import launch
from tests.built import build
from tests.changes import left_for_the_week
from tests.looks import left_for_later, of_file
from tests.pages import opened  # noqa: F401
from tests.xdist_schedule import Stretches, page_of, phase

RERUNS = 2  # of a test that drives a browser and fails: tools/checks.py lists those that needed one
gc.set_threshold(100_000, 20, 50)  # trees of pages are made by the thousand, and looking for garbage takes a sixth
PATIENCE = 2400  # seconds for a test that may have to wait until the book is built, or that says that it takes long


def give_back_threads() -> None:
    """Use as many threads as tests are allowed: benchmarks take two, which wait for each other on busy cores."""
    number = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    threadpool_limits(number)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(number)


@pytest.fixture(scope="module", autouse=True)
def threads() -> Iterator[None]:
    """Give back the threads that a file of tests took."""
    yield
    give_back_threads()


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """Return a headless Chromium; without one the test fails and says how to get one."""
    with launch() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def built_book(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the folder of the book's HTML, built afresh once for all tests of all processes.

    `make test` names a folder in REGATTN_CHECKS that its parts share, so that they share the book too.
    """
    folder = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        folder = folder.parent  # which the processes share
    folder = Path(os.environ.get("REGATTN_CHECKS", folder))
    with FileLock(folder / "book.lock"):
        return build(folder / "book")


def pytest_collection_finish() -> None:
    """Leave what the collection has made out of every later search for garbage: a quarter of the time of some tests."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator:
    """Put what needs the book after what does not, and give it time; tests of one file or page stay together."""
    result = yield
    shared = hasattr(config, "workerinput")
    needs = {item: "built_book" in getattr(item, "fixturenames", ()) for item in items}
    for item in items:
        if needs[item] or item.get_closest_marker("long"):
            item.add_marker(pytest.mark.timeout(PATIENCE))
        if item.get_closest_marker("browser") and config.pluginmanager.has_plugin("rerunfailures"):
            item.add_marker(pytest.mark.flaky(reruns=RERUNS))
    pages = {page: place for place, page in enumerate(dict.fromkeys(page_of(item.nodeid) for item in items))}
    items.sort(
        key=lambda item: (phase(item.nodeid, needs_book=needs[item], shared=shared), pages[page_of(item.nodeid)])
    )
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave a test for the week, or for later; only the process that has the test asks what its outcome depends on."""
    marker = item.get_closest_marker("weekly")
    if why := (marker and left_for_the_week(*(marker.args or of_file(item.path)))) or left_for_later(item):
        pytest.skip(why)


def pytest_xdist_make_scheduler(config: pytest.Config, log) -> Stretches | None:
    """Spread tests over processes in stretches, unless another way is asked for."""
    return Stretches(config, log) if config.getvalue("dist") == "load" else None
