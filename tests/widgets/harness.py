"""What drives any explorer: on a page of its own, from a file, offline, by hand, against an oracle in Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

from axe_playwright_python.sync_playwright import Axe

from regattn.widgets._kit import Explorer
from tests import ui_actions
from tests.browser import open_offline
from tests.ui_actions import assert_same
from tests.widgets.pages import write_page

EXPLORERS = sorted(path.stem for path in (Path(__file__).parents[1] / "explorers").glob("[a-z]*.py"))
WITH_AXES = ["average", "descent", "kernel", "lag", "mask", "spectral"]
FIGURE = "document.querySelector('figure.regattn')"

SET = """([values, nth]) => {
  const figure = document.querySelectorAll("figure.regattn")[nth];
  for (const [name, value] of Object.entries(values)) figure.model.set(name, value);
  figure.model.save_changes();
  return figure.model.result();
}"""
MOVE = f"([name, part]) => ({ui_actions.MOVE})([{FIGURE}, name, part])"
PICTURE = """() => [...document.querySelectorAll("figure.regattn :is(svg, table)")].map((s) => s.outerHTML).join("")"""
SHOWN = f"() => ({ui_actions.SHOWN})({FIGURE})"
STATE = f"() => ({ui_actions.STATE})({FIGURE})"
CONTROLS = "() => [...document.querySelectorAll('figure.regattn [data-control]')].map((c) => c.dataset.control)"
IN_USE = CONTROLS.replace("[data-control]", "[data-control]:enabled")


def oracle(name: str) -> ModuleType:
    """Return the module of an explorer's example and of what it should report."""
    return import_module(f"tests.explorers.{name}")


@contextmanager
def opened(browser, folder: Path, *explorers: Explorer, hash: str = "", more: bool = True, **options) -> Iterator:
    """Yield the page of these explorers, awake and with More open; at the end it has logged and asked for nothing."""
    path = write_page(folder, *explorers)
    with open_offline(browser, path, **options) as page:
        if hash:
            page.goto("about:blank")
            page.goto(path.resolve().as_uri() + hash)
        if options.get("javascript", True):
            page.wait_for_function("[...document.querySelectorAll('figure.regattn')].every((f) => f.model)")
            page.evaluate(f"for (const more of document.querySelectorAll('.ra-more')) more.open ||= {json.dumps(more)}")
        yield page
        assert page.errors == []
        assert page.requests == []


def sweep(page, expected, parts=(0.3, 0.9, 0.6)) -> list[str]:
    """Move every control through its range and compare the numbers with the oracle's after each move.

    Returns the controls that changed nothing that is shown on the way.
    """
    idle = []
    for control in [None, *page.evaluate(CONTROLS)]:
        seen = {page.evaluate(SHOWN)}
        for part in parts if control else (0,):
            if control:
                page.evaluate(MOVE, [control, part])
                seen.add(page.evaluate(SHOWN))
            found = page.evaluate(f"{FIGURE}.model.result()")
            assert_same(found, expected(page.evaluate(STATE)), f"after {control} at {part}")
        idle += [control] if control and len(seen) < 2 else []
    return idle


def idle_controls(page) -> list[str]:
    """Return the controls that change nothing that is shown, wherever they stand."""
    idle = []
    for control in page.evaluate(CONTROLS):
        seen = set()
        for part in (0, 0.25, 0.5, 0.75, 1):
            page.evaluate(MOVE, [control, part])
            seen.add(page.evaluate(SHOWN))
        if len(seen) < 2:
            idle.append(control)
    return idle


def reached_by_tab(page) -> set[str]:
    """Return the controls that the Tab key reaches, and "menu" for the menu."""
    names = page.evaluate(CONTROLS)
    reached = set()
    for _ in range(len(names) + 17):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.control ?? document.activeElement.tagName"))
    return reached


def answers_to_keys(page, control: str) -> bool:
    """Return whether some key changes what is shown while a control has the focus."""
    page.locator(f"[data-control='{control}']").first.focus()
    before = page.evaluate(SHOWN)
    for key in ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Space", "x"):
        page.keyboard.press(key)
        if page.evaluate(SHOWN) != before:
            return True
    return False


def barriers(page, *rules: str) -> list[str]:
    """Return what axe finds serious in the explorer; without ``rules`` all of axe's are asked."""
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = Axe().run(page, context="figure.regattn", options=options).response["violations"]
    return [issue["id"] for issue in found if issue["impact"] in ("serious", "critical")]


# Renders an explorer's module in an empty page as a notebook does, with a model that counts what is left behind.
LIVE = """async ([code, traits]) => {
  const log = {observers: 0, listeners: 0, saved: 0};
  const listeners = new Map();
  window.live = {
    log, listeners,
    model: {
      get: (name) => traits[name],
      set: (name, value) => {
        traits[name] = value;
        for (const f of [...(listeners.get(`change:${name}`) ?? [])]) f();
      },
      on: (event, f) => { listeners.set(event, [...(listeners.get(event) ?? []), f]); },
      off: (event, f) => { listeners.set(event, listeners.get(event).filter((g) => g !== f)); },
      save_changes: () => { log.saved += 1; },
    },
  };
  const Observer = window.ResizeObserver;
  window.ResizeObserver = class extends Observer {
    constructor(...a) { super(...a); this.on = false; }
    observe(...a) { log.observers += !this.on; this.on = true; super.observe(...a); }
    disconnect() { log.observers -= this.on; this.on = false; super.disconnect(); }
  };
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (kind, f, options) {
    if (this instanceof Node || this === window) {
      log.listeners += 1;
      add.call(options.signal, "abort", () => { log.listeners -= 1; });
    }
    add.call(this, kind, f, options);
  };
  const el = document.body.appendChild(document.createElement("div"));
  live.el = el;
  const module = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(code));
  live.done = module.default.render({model: live.model, el});
  return el.querySelectorAll("figure.regattn").length;
}"""


@contextmanager
def live(browser, folder: Path, explorer: Explorer) -> Iterator:
    """Open an empty page and render an explorer in it as a notebook would, with a kernel's model."""
    (folder / "bare.html").write_text('<!doctype html><html lang="en"><title>notebook</title><body>')
    with open_offline(browser, folder / "bare.html") as page:
        assert page.evaluate(LIVE, [explorer._esm, json.loads(json.dumps(explorer.state()))]) == 1
        yield page
        assert page.errors == []
