"""The HeadExplorer: its traits in Python, and its numbers and words in a real browser, offline."""

from __future__ import annotations

from contextlib import contextmanager
from statistics import median

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from regattn.widgets import HeadExplorer
from tests.browser import open_offline
from tests.explorers.head import expected
from tests.widgets.pages import write_page

HOSTILE = ['<img src=x onerror="document.title=1">', "שלום", "🦊", "x" * 200, "two words", "&amp;", "'\""]
FIGURE = "document.querySelector('figure.regattn')"
SET = """(values) => {
  const figure = document.querySelector("figure.regattn");
  for (const [name, value] of Object.entries(values)) figure.model.set(name, value);
  figure.model.save_changes();
  return figure.model.result();
}"""
STATE = f"Object.fromEntries(['data', 'layer', 'head', 'query', 'key'].map((n) => [n, {FIGURE}.model.get(n)]))"


def causal_weights(layers: int = 2, heads: int = 3, tokens: int = 7) -> np.ndarray:
    weights = np.tril(np.random.default_rng(12).random((layers, heads, tokens, tokens)) ** 3)
    return weights / weights.sum(-1, keepdims=True)


def explorer(words=tuple("abcdefg"), **options) -> HeadExplorer:
    return HeadExplorer(causal_weights(), words=list(words), **options)


@contextmanager
def opened(browser, folder, made, **options):
    with open_offline(browser, write_page(folder, made), **options) as page:
        page.wait_for_function(f"{FIGURE}.model")
        yield page
        assert page.errors == []
        assert page.requests == []


def test_the_result_reads_the_weights_off_to_six_decimals():
    weights = causal_weights()
    result = explorer(layer=1, head=2, query=5, key=3).result()
    np.testing.assert_allclose(result["weights"], weights[1, 2], atol=5e-7)
    np.testing.assert_allclose(result["row"], weights[1, 2, 5], atol=5e-7)
    np.testing.assert_allclose(result["heads"], weights[:, :, 5, 3], atol=5e-7)
    assert result["strongest"] == "abcdefg"[weights[1, 2, 5].argmax()]


@pytest.mark.browser
def test_browser_and_loops_agree_for_every_head_and_pair(browser, tmp_path):
    rng = np.random.default_rng(13)
    with opened(browser, tmp_path, explorer()) as page:
        for _ in range(40):
            values = {
                "layer": rng.integers(2),
                "head": rng.integers(3),
                "query": rng.integers(7),
                "key": rng.integers(7),
            }
            found = page.evaluate(SET, {name: int(value) for name, value in values.items()})
            assert found == expected(page.evaluate(STATE))


@pytest.mark.browser
def test_a_click_in_a_table_chooses_the_pair_or_the_head_and_sliders_follow(browser, tmp_path):
    with opened(browser, tmp_path, explorer()) as page:
        page.locator("[data-panel=map] tbody tr").nth(5).locator("td").nth(2).click()
        page.locator("[data-panel=heads] tbody tr").nth(1).locator("td").nth(2).click()
        state = page.evaluate(STATE)
        assert (state["layer"], state["head"], state["query"], state["key"]) == (1, 2, 5, 2)
        assert page.locator("[data-control=query]").input_value() == "5"
        said = page.locator("[data-output=message]").inner_text().replace("\u2068", "").replace("\u2069", "")
        weight = causal_weights()[1, 2, 5, 2]
        assert said.startswith("Layer 2, head 3: f (word 6)")
        assert f"{weight:.3f}" in said


@pytest.mark.browser
def test_every_control_answers_to_the_arrow_keys(browser, tmp_path):
    with opened(browser, tmp_path, explorer()) as page:
        for name in ("layer", "head", "query", "key"):
            page.locator(f"[data-control={name}]").focus()
            page.keyboard.press("ArrowRight")
            assert page.evaluate(f"{FIGURE}.model.get('{name}')") == 1


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
def test_hostile_words_are_shown_as_text_on_a_phone_and_axe_finds_no_barrier(browser, tmp_path, dark):
    with opened(browser, tmp_path, explorer(words=HOSTILE), width=390, dark=dark) as page:
        assert page.title() == "An explorer"
        heads = page.locator("[data-panel=map] tbody th").evaluate_all("(heads) => heads.map((head) => head.title)")
        assert heads == HOSTILE
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        found = Axe().run(page, context="figure.regattn").response["violations"]
        assert [issue["id"] for issue in found if issue["impact"] in ("serious", "critical")] == []


@pytest.mark.browser
def test_a_move_is_redrawn_within_a_frame(browser, tmp_path):
    made = HeadExplorer(causal_weights(6, 8, 24), words=[f"word {k}" for k in range(24)])
    with opened(browser, tmp_path, made) as page:
        move = """(k) => { const start = performance.now(); const { model } = document.querySelector("figure.regattn");
          model.set("query", k); return performance.now() - start; }"""
        assert median(page.evaluate(move, k) for k in range(1, 24)) < 16


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        (np.ones((2, 3, 3)), {}, r"\(L, H, T, T\), got \(2, 3, 3\)"),
        (np.ones((1, 1, 3, 2)), {}, r"\(L, H, T, T\), got \(1, 1, 3, 2\)"),
        (-np.ones((1, 1, 3, 3)), {}, "weights must be ≥ 0, got -1.0"),
        (np.full((1, 1, 3, 3), np.nan), {}, "weights must be finite, got nan"),
        (np.ones((1, 1, 25, 25)), {}, "there are 25 words; an explorer has room for 24"),
        (np.ones((1, 1, 2, 2)), {}, "words has 3 entries but there are 2 rows"),
        (np.ones((1, 1, 3, 3)), {"layer": 1}, "layer must be ≤ 0 .*got 1"),
        (np.ones((1, 1, 3, 3)), {"query": 3}, "query must be ≤ 2 .*got 3"),
        (np.ones((1, 1, 3, 3)), {"key": -1}, "key must be ≥ 0, got -1"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(weights, options, message):
    with pytest.raises(ValueError, match=message):
        HeadExplorer(weights, words=["a", "b", "c"], **options)
