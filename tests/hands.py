"""What a hand does to an explorer, what is then shown, and whether two sets of numbers are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

# Moves one control to a given part (0 to 1) of its range as a hand would, and returns how long it took until drawn.
MOVE = """([figure, name, part]) => {
  const control = figure.querySelector(`[data-control="${name}"]`);
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
  } else if (control.type === "text") {  // the first words of what stood there at the beginning
    const words = control.defaultValue.split(" ");
    control.value = words.slice(0, Math.round(part * words.length)).join(" ");
  } else {
    throw new Error(`no hand for ${name}: ${control.outerHTML}`);
  }
  control.dispatchEvent(new Event("input", {bubbles: true}));
  control.dispatchEvent(new Event("change", {bubbles: true}));
  figure.getBoundingClientRect();
  return performance.now() - start;
}"""

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


def controls(figure) -> list[str]:
    """Return the names of an explorer's controls, each once."""
    found = figure.evaluate("(figure) => [...figure.querySelectorAll('[data-control]')].map((c) => c.dataset.control)")
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
