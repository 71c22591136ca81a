"""Pages under strain: a thousand moves in a row, a tab asleep while it trains, a second page opened meanwhile."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.looks import explorers
from tests.ui_actions import STATE as STATE_IN
from tests.widgets.harness import FIGURE, STATE, assert_same, opened, oracle
from tests.widgets.pages import write_page

pytestmark = pytest.mark.browser

PLAY = "[data-play=play]"
ENOUGH = 40  # steps of a training that are surely more than one frame's
# Drawn in different ways: codes, pixels, contours, a curve, a map of weights, rows of bars, lists, pieces of text.
DRAWN = ["codebook", "convolution", "descent", "kernel", "lag", "model", "neighbour", "token"]
OTHERS = [
    pytest.param(name, marks=pytest.mark.weekly(f"regattn/widgets/{name}/")) for name in sorted(explorers() - {*DRAWN})
]

# Every control again and again, to places that jump about, without waiting for a picture; as fast as events can come.
HAMMER = """([moves, seed]) => {
  const figure = document.querySelector("figure.regattn");
  let state = seed;
  const chance = () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (let k = 0; k < moves; k += 1) {
    const controls = [...figure.querySelectorAll("[data-control]")].filter((c) => !c.disabled);
    const control = controls[Math.floor(chance() * controls.length)];
    if (control.tagName === "SELECT") control.selectedIndex = Math.floor(chance() * control.options.length);
    else if (["range", "number"].includes(control.type)) {
      control.value = String(Number(control.min) + chance() * (Number(control.max) - Number(control.min)));
    } else if (control.type === "text") control.value = control.defaultValue.slice(0, Math.floor(chance() * 40));
    else control.click();
    for (const kind of ["input", "change"]) control.dispatchEvent(new Event(kind, { bubbles: true }));
  }
}"""
TOLD = """() => [...document.querySelectorAll("figure.regattn :is([data-output], .ra-live)")]
  .map((part) => part.textContent)"""
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
PARTS = "() => document.querySelectorAll('figure.regattn *').length"

# Makes the tab sleep as a browser does when another comes in front: it says so, and gives no frames until it wakes.
DOZE = """() => {
  const real = window.requestAnimationFrame.bind(window);
  let asleep = false;
  const waiting = [];
  window.requestAnimationFrame = (frame) => real((time) => (asleep ? waiting.push(frame) : frame(time)));
  window.sleep = (on) => {
    asleep = on;
    Object.defineProperty(document, "hidden", { configurable: true, get: () => on });
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (on ? "hidden" : "visible") });
    document.dispatchEvent(new Event("visibilitychange"));
    if (!on) for (const frame of waiting.splice(0)) window.requestAnimationFrame(frame);
  };
}"""

# The step at which a training stands in every frame.
LISTEN = f"""() => {{
  window.steps = [];
  const look = () => {{
    window.steps.push({FIGURE}.model.get("step"));
    requestAnimationFrame(look);
  }};
  requestAnimationFrame(look);
}}"""


def step_of(page) -> int:
    return page.evaluate(f"{FIGURE}.model.get('step')")


def wait_for_steps(page, more: int) -> None:
    page.wait_for_function(f"(least) => {FIGURE}.model.get('step') >= least", arg=step_of(page) + more)


@pytest.mark.parametrize("name", DRAWN + OTHERS)
def test_after_a_thousand_quick_moves_the_page_says_what_a_fresh_one_says(browser, tmp_path, name):
    module = oracle(name)
    with opened(browser, tmp_path, module.example()) as page:
        page.evaluate(HAMMER, [1000, 7])
        page.evaluate(FRAMES)
        state = page.evaluate(STATE)
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), module.expected(state))
        told, parts = page.evaluate(TOLD), page.evaluate(PARTS)
        shown = set(module.example().controls) - set(state["kit"]["hide"])  # what is hidden says what a page is for
        moved = {control: state[control] for control in shown}
    with opened(browser, tmp_path, module.example(**moved)) as page:
        fresh = page.evaluate(STATE)
        del fresh["kit"], state["kit"]  # its buttons go back to where this one began
        assert fresh == state
        assert page.evaluate(TOLD) == told
        assert parts < 1.5 * page.evaluate(
            PARTS
        )  # pools of ticks keep the most they needed; else nothing is left behind


@pytest.mark.parametrize("name", ["network", "context"])
def test_a_tab_put_to_sleep_while_it_trains_goes_on_with_the_next_step(browser, tmp_path, name):
    module = oracle(name)
    with opened(browser, tmp_path, module.example(step=0, steps=600)) as page:
        page.evaluate(DOZE)
        page.evaluate(LISTEN)
        page.locator(PLAY).click()
        wait_for_steps(page, ENOUGH)
        page.evaluate("window.sleep(true)")
        asleep = step_of(page)
        page.wait_for_timeout(400)  # at 60 steps a second and more, ten times what one frame may take
        assert step_of(page) == asleep
        page.evaluate("window.sleep(false)")
        wait_for_steps(page, ENOUGH)
        page.locator(PLAY).click()
        steps = page.evaluate("window.steps")
        assert steps == sorted(steps)
        # of 120 a second, what the longest pause that counts, a tenth of one, may bring
        assert max(after - before for before, after in pairwise(steps)) <= 12
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), module.expected(page.evaluate(STATE)))


def test_a_page_opened_while_another_trains_leaves_its_numbers_alone(browser, tmp_path):
    network, spectral = oracle("network"), oracle("lag")
    with opened(browser, tmp_path, network.example(step=0)) as page:
        page.locator(PLAY).click()
        wait_for_steps(page, ENOUGH)
        (tmp_path / "other").mkdir()
        path = write_page(tmp_path / "other", spectral.example(), network.example(seed=5, step=0))
        other, errors = page.context.new_page(), []
        other.on("pageerror", lambda error: errors.append(str(error)))
        other.goto(path.resolve().as_uri())
        other.wait_for_function("[...document.querySelectorAll('figure.regattn')].every((f) => f.model)")
        first, second = other.query_selector_all("figure.regattn")
        second.query_selector(PLAY).click()
        other.wait_for_function(f"(figure) => figure.model.get('step') >= {ENOUGH}", arg=second)
        second.query_selector(PLAY).click()
        for figure, module in ((first, spectral), (second, network)):
            assert_same(
                figure.evaluate("(figure) => figure.model.result()"), module.expected(figure.evaluate(STATE_IN))
            )
        page.bring_to_front()
        wait_for_steps(page, 1)
        page.locator(PLAY).click()
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), network.expected(page.evaluate(STATE)))
        assert errors == []
