"""Every explorer in a real browser, on a phone, with labels that try to be more than text."""

import pytest

from tests.bad_inputs.test_explorers import HOSTILE, MAKERS, N
from tests.browser import open_offline
from tests.widgets.pages import write_page

pytestmark = pytest.mark.browser

BOMB = (
    '</script></title></svg><img src=x onerror="window.ran = 1">'
    '<svg onload="window.ran = 2"><script>window.ran = 3</script>'
)
WORDS = [BOMB, "<b>bold</b>", "\"'><i onfocus='window.ran = 4' autofocus>", "javascript:window.ran=5", *HOSTILE][:N]

# Every control moved through its range as a hand would, so that every label comes to stand somewhere.
MOVE_ALL = """(figure) => {
  for (const control of figure.querySelectorAll("[data-control]")) {
    for (const part of [0, 0.5, 1]) {
      if (control.tagName === "SELECT") control.selectedIndex = Math.round(part * (control.options.length - 1));
      else if (control.type === "range") {
        const [low, high] = [Number(control.min), Number(control.max)];
        control.value = String(low + part * (high - low));
      } else control.click();
      control.dispatchEvent(new Event("input", {bubbles: true}));
      control.dispatchEvent(new Event("change", {bubbles: true}));
    }
  }
}"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
OVERFLOWING = """(figure) => [...figure.querySelectorAll(".ra-numbers dd, .ra-control-value, .ra-live, .ra-title")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.tagName}: ${e.textContent.slice(0, 60)}`)"""
FOREIGN = "figure.regattn :is(img, b, i, iframe, object, [onload], [onerror])"


@pytest.mark.parametrize("name", MAKERS)
def test_hostile_labels_are_shown_as_text_and_never_run(name, browser, tmp_path):
    explorer = MAKERS[name](WORDS)
    with open_offline(browser, write_page(tmp_path, explorer), width=390, height=844) as page:
        figure = page.query_selector("figure.regattn")
        page.wait_for_function("(figure) => figure.model && figure.model.result()", arg=figure)
        figure.evaluate(MOVE_ALL)
        assert page.evaluate("window.ran ?? null") is None
        assert page.locator(FOREIGN).count() == 0
        assert page.locator("script").count() == 2
        assert page.title() == "An explorer"
        page.evaluate(SETTLED)
        shown = figure.evaluate("(figure) => figure.outerHTML")
        assert "&lt;img" in shown or "&lt;b&gt;" in shown, "no hostile label is shown"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert figure.evaluate(OVERFLOWING) == []
        assert page.errors == []
        assert page.requests == []
