"""What a hand does to an explorer, what is then shown, and whether two sets of numbers are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

# Moves one control to a given part (0 to 1) of its range as a hand would, and returns how long it took until drawn.
MOVE = """([figure, name, part]) => {
  const control = figure.querySelector(`[data-control="${name}"]`);
  const more = control.closest("details");
  if (more) more.open = true;
  const start = performance.now();
  if (control.tagName === "SELECT") {
    control.selectedIndex = Math.round(part * (control.options.length - 1));
  } else if (control.type === "checkbox" || control.tagName === "BUTTON") {
    control.click();
  } else if (control.type === "radio") {
    const group = [...figure.querySelectorAll(`input[type=radio][name="${control.name}"]`)];
    group[Math.round(part * (group.length - 1))].click();
  } else if (control.type === "range" || control.type === "number") {
    const [low, high] = [Number(control.min), Number(control.max)];
    control.value = String(low + part * (high - low));
  } else if (control.type === "text") {  // the first words of what stood there at the beginning, or a word proposed
    if (!control.defaultValue && control.list) {
      control.value = "a";
      control.dispatchEvent(new Event("input", {bubbles: true}));
    }
    const words = (control.defaultValue || control.list?.options[0]?.value || "").split(" ");
    control.value = words.slice(0, Math.round(part * words.length)).join(" ");
  } else {
    throw new Error(`no hand for ${name}: ${control.outerHTML}`);
  }
  if (control.type !== "checkbox") {  // whose click has told both already
    control.dispatchEvent(new Event("input", {bubbles: true}));
    control.dispatchEvent(new Event("change", {bubbles: true}));
  }
  figure.getBoundingClientRect();
  return performance.now() - start;
}"""

# A fixed piece of the work a move makes: numbers computed, marks drawn and laid out. Returns how long it took.
YARDSTICK = """() => {
  const start = performance.now();
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (let k = 0; k < 150; k += 1) {
    let sum = 0;
    for (let j = 0; j < 200; j += 1) sum += Math.exp(-((k - j) ** 2) / 999);
    for (const kind of ["rect", "text"]) {
      const mark = document.createElementNS("http://www.w3.org/2000/svg", kind);
      for (const name of ["x", "y", "width", "height"]) mark.setAttribute(name, (sum + k).toFixed(2));
      if (kind === "text") mark.textContent = sum.toFixed(2);
      svg.append(mark);
    }
  }
  document.body.append(svg);
  svg.getBoundingClientRect();
  svg.lastChild.getBBox();
  svg.remove();
  return performance.now() - start;
}"""
YARDSTICKS = 3.5  # in a frame of 16 ms: one takes some 4.5 ms where nothing else runs
AT_ONCE = 15  # frames, a quarter of a second: many times what a move takes, and still felt as the hand's own doing

# Everything an explorer shows: the numbers it reports, the numbers it prints, what it draws.
SHOWN = """(figure) => JSON.stringify([
  figure.model.result(),
  [...figure.querySelectorAll("[data-output]")].map((output) => output.textContent),
  [...figure.querySelectorAll("svg, table")].map((drawing) => drawing.outerHTML),
  [...figure.querySelectorAll("canvas")].map((drawing) => drawing.toDataURL()),
])"""

STATE = """(figure) => {
  const state = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  for (const key of Object.keys(state)) state[key] = figure.model.get(key);
  return state;
}"""


def frames(page, move: str, *arguments: Any, places: int = 5) -> float:
    """Return how many frames a control takes to move, the median of places spread over its whole range.

    The yardstick is laid beside every move, so that a slower or busier machine slows both.
    """
    taken, yardstick = measured(page, move, *arguments, places=places)
    return taken / (YARDSTICKS * yardstick)


def measured(page, move: str, *arguments: Any, places: int) -> tuple[float, float]:
    """Return how many milliseconds a move takes, and the yardstick beside it: medians over a control's range."""
    parts = np.linspace(0, 1, places).tolist()
    pairs = [(page.evaluate(move, [*arguments, part]), page.evaluate(YARDSTICK)) for part in parts]
    taken, yardstick = np.median(pairs, axis=0)
    return float(taken), float(yardstick)


def controls(figure) -> list[str]:
    """Return the names of an explorer's controls, each once; pages to write are filled by tests of their explorer."""
    moved = "[data-control]:not(textarea)"
    found = figure.evaluate(f"(figure) => [...figure.querySelectorAll('{moved}')].map((c) => c.dataset.control)")
    return list(dict.fromkeys(found))


def assert_same(found: Any, wanted: Any, where: str = "result") -> None:
    """Assert that nested numbers agree to 1e-9 of the largest of each list, and everything else exactly."""
    if isinstance(wanted, dict):
        assert set(found) == set(wanted), where
        for key in wanted:
            assert_same(found[key], wanted[key], f"{where}: {key}")
    elif wanted is None or isinstance(wanted, str | bool) or _are_words(wanted):
        assert found == wanted, where
    else:
        wanted, found = np.asarray(wanted, dtype=float), np.asarray(found, dtype=float)
        assert found.shape == wanted.shape, where
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max(initial=0), err_msg=where)


def _are_words(wanted: Any) -> bool:
    return isinstance(wanted, list) and bool(wanted) and all(isinstance(each, str) for each in wanted)
