"""The pages of the built book in a browser: each opened once for all tests that look at it, wide, by day, offline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import open_offline
from tests.built import label, toc_pages

ALIKE = ("teach/guide/", "book/solutions/")  # of one form each: the first speaks for them, once a week each for itself
EVERY = os.environ.get("REGATTN_NOTEBOOKS") == "all"
FIRST = [next(page for page in toc_pages() if page.startswith(kind)) for kind in ALIKE]
PAGES = [page for page in toc_pages() if EVERY or page in FIRST or not page.startswith(ALIKE)]
CHAPTERS = [page for page in PAGES if page.startswith("book/part")]

SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
TYPESET = "() => window.MathJax ? MathJax.startup.promise.then(() => true) : true"
MOVEMENT = 0.05  # the sum of what Chromium calls layout shifts; below 0.1 is called good
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  const note = (list) => { for (const shift of list.getEntries()) sum += shift.value; };
  new PerformanceObserver(note).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 500);  // what comes last: fonts
})"""


@contextmanager
def page_of(browser: Browser, folder: Path, page: str, **options) -> Iterator[Page]:
    """Yield a page of the book, opened and its equations set.

    ``page.name`` is its place in the table of contents, ``page.path`` its file, ``page.written`` the number of
    explorers written in it.
    """
    path = folder / f"{page}.html"
    with open_offline(browser, path, **options) as opened:
        opened.wait_for_load_state("load")
        if options.get("javascript", True):
            opened.evaluate(TYPESET)
        opened.name, opened.path = page, path
        opened.written = path.read_text(encoding="utf-8").count('<figure class="regattn"')
        yield opened


@pytest.fixture(scope="session", params=PAGES, ids=label)
def opened(request, browser, built_book) -> Iterator[Page]:
    """Yield a page of the book; tests leave its screen and its theme as they found them.

    ``page.shifts`` is the sum of what moved while it arrived, ``page.files`` what it had loaded by then.
    """
    with page_of(browser, built_book, request.param) as page:
        page.shifts = page.evaluate(SHIFTS)
        page.files = {Path(unquote(urlsplit(address).path)) for address in page.loaded}
        yield page


@contextmanager
def phone(opened: Page, width: int) -> Iterator[None]:
    """Have the page on the screen of a phone of that width."""
    before = opened.viewport_size
    opened.set_viewport_size({"width": width, "height": 844})
    try:
        opened.evaluate(SETTLED)
        yield
    finally:
        opened.set_viewport_size(before)
        opened.evaluate(SETTLED)


@contextmanager
def dark_theme(opened: Page) -> Iterator[None]:
    """Have the page in the colours of the night."""
    before = opened.evaluate("document.documentElement.dataset.theme")
    opened.emulate_media(color_scheme="dark")
    opened.evaluate("document.documentElement.dataset.theme = 'dark'")
    try:
        opened.evaluate(SETTLED)
        yield
    finally:
        opened.emulate_media(color_scheme="light")
        opened.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", before)
        opened.evaluate(SETTLED)
