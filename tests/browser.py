"""A real browser for the tests: Chromium found on this machine, driven by Playwright, with the network cut off."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
COMMAND = "python -m playwright install chromium"
SHOWN = "() => !document.documentElement.classList.contains('waits-for-formulas')"  # nothing hidden takes the focus


_LENT: list[Playwright] = []  # one entry for each that holds it; all are the same


@contextmanager
def driver() -> Iterator[Playwright]:
    """Yield the one Playwright of this process: while its loop runs, a second one does not start beside it."""
    shared = _LENT[0] if _LENT else sync_playwright().start()
    _LENT.append(shared)
    try:
        yield shared
    finally:
        _LENT.pop()
        if not _LENT:
            shared.stop()


def find_browser() -> str | None:
    """Return the path of a Chromium: REGATTN_CHROMIUM, then the system's, then Playwright's own; None without one.

    The system's shell, the same engine without windows of its own, spends little more than half of the time.
    """
    wanted = os.environ.get("REGATTN_CHROMIUM")
    system = ["chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "google-chrome"]
    candidates = [wanted] if wanted else system
    for candidate in candidates:
        found = shutil.which(candidate)
        if found:
            return found
    if wanted:
        return None
    with driver() as playwright:
        own = playwright.chromium.executable_path
    return own if own and Path(own).exists() else None


def require_browser() -> str:
    """Return the path of a Chromium, or fail the test with the command that installs one."""
    wanted = os.environ.get("REGATTN_CHROMIUM")
    path = find_browser()
    if path is None:
        where = f"REGATTN_CHROMIUM names {wanted!r}, which is not a program" if wanted else "no Chromium found"
        pytest.fail(f"{where}; install one (apt-get install chromium, or {COMMAND}) or set REGATTN_CHROMIUM")
    return path


@contextmanager
def launch() -> Iterator[Browser]:
    """Yield a headless Chromium and close it afterwards."""
    path = require_browser()
    with driver() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield chromium
        finally:
            chromium.close()


@contextmanager
def open_offline(
    browser: Browser,
    path: str | Path,
    *,
    width: int = 1280,
    height: int = 900,
    dark: bool = False,
    javascript: bool = True,
    touch: bool = False,
) -> Iterator[Page]:
    """Yield a page opened from disk with the network cut off.

    ``page.errors`` lists what the page logged as an error (exceptions, failed loads, ``console.error``), and
    ``page.requests`` every address it asked for that is not on this disk, ``page.loaded`` every file that it asked for.
    ``dark`` sets the reader's colour preference and the ``data-theme`` that sphinx-book-theme would set from it;
    ``touch`` makes it a screen for fingers.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        java_script_enabled=javascript,
        offline=True,
        has_touch=touch,
    )
    page = context.new_page()
    page.errors, page.requests, page.loaded = [], [], set()

    def leave_or_stay(route):
        if route.request.url.startswith(("file:", "data:", "blob:")):
            page.loaded |= {route.request.url} if route.request.url.startswith("file:") else set()
            route.continue_()
        else:
            page.requests.append(route.request.url)
            route.abort()

    context.route("**/*", leave_or_stay)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    try:
        page.goto(Path(path).resolve().as_uri(), timeout=120_000)
        if javascript:
            page.wait_for_function(SHOWN, timeout=120_000)
        if dark and javascript:
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
        yield page
    finally:
        context.close()
