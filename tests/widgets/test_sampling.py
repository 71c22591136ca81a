"""The SamplingExplorer: its traits in Python, and its numbers and words in a real browser, offline."""

from __future__ import annotations

from contextlib import contextmanager
from statistics import median

import numpy as np
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from regattn.transformer import next_token_distribution
from regattn.widgets import SamplingExplorer
from tests.browser import open_offline
from tests.explorers.sampling import expected
from tests.widgets.pages import write_page

LOGITS = np.random.default_rng(8).normal(scale=2.0, size=(3, 29))
HOSTILE = ['<img src=x onerror="document.title=1">', "שלום", "🦊", "x" * 200, "two words", "&amp;", "'\""]
FIGURE = "document.querySelector('figure.regattn')"
SET = """(values) => {
  const figure = document.querySelector("figure.regattn");
  for (const [name, value] of Object.entries(values)) figure.model.set(name, value);
  figure.model.save_changes();
  return figure.model.result();
}"""
STATE = (
    f"Object.fromEntries(['data', 'context', 'temperature', 'top_k', 'top_p'].map((n) => [n, {FIGURE}.model.get(n)]))"
)


def explorer(**options) -> SamplingExplorer:
    words = [f"word {k}" for k in range(29)]
    return SamplingExplorer(LOGITS, contexts=["one", "two", "three"], words=words, **options)


@contextmanager
def opened(browser, folder, made, **options):
    with open_offline(browser, write_page(folder, made), **options) as page:
        page.wait_for_function(f"{FIGURE}.model")
        yield page
        assert page.errors == []
        assert page.requests == []


def assert_same(found: dict, wanted: dict) -> None:
    assert set(found) == set(wanted)
    for name in ("next_word", "possible"):
        assert found[name] == wanted[name]
    for name in ("probabilities", "entropy"):
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-9, atol=1e-12)


def test_the_result_is_the_packages_answer():
    made = explorer(context="two", temperature=0.7, top_k=9, top_p=0.8)
    p = next_token_distribution(torch.from_numpy(LOGITS[1]), temperature=0.7, top_k=9, top_p=0.8).numpy()
    result = made.result()
    np.testing.assert_array_equal(result["probabilities"], p)
    assert result["possible"] == (p > 0).sum() <= 9
    assert result["entropy"] == pytest.approx(-sum(q * np.log(q) for q in p if q), abs=1e-14)
    assert explorer(temperature=0.0).result()["entropy"] == 0.0


@pytest.mark.browser
def test_browser_and_package_agree_for_every_kind_of_setting(browser, tmp_path):
    rng = np.random.default_rng(9)
    with opened(browser, tmp_path, explorer()) as page:
        for _ in range(60):
            values = {
                "context": str(rng.choice(["one", "two", "three"])),
                "temperature": float(rng.choice([0.0, 0.05, 0.5, 1.0, 1.7, 3.0])),
                "top_k": int(rng.integers(1, 30)),
                "top_p": float(rng.choice([0.05, 0.3, 0.95, 1.0])),
            }
            assert_same(page.evaluate(SET, values), expected(page.evaluate(STATE)))


@pytest.mark.browser
def test_moving_a_slider_moves_the_trait_the_words_and_the_bars(browser, tmp_path):
    with opened(browser, tmp_path, explorer()) as page:
        before = page.locator("[data-output=entropy]").inner_text()
        page.locator("[data-control=temperature]").focus()
        for _ in range(10):
            page.keyboard.press("ArrowRight")
        assert page.evaluate(f"{FIGURE}.model.get('temperature')") == 1.5
        assert float(page.locator("[data-output=entropy]").inner_text()) > float(before)
        page.locator("[data-control=top_k]").focus()
        page.keyboard.press("Home")
        assert page.locator("[data-output=possible]").inner_text() == "1 of 29"
        best = f"word {int(LOGITS[0].argmax())}"
        assert best in page.locator("[data-output=message]").inner_text()
        shares = page.locator("table.ra-shares tr td:last-child").all_inner_texts()
        assert shares == ["1.000"] + ["0"] * 12  # twelve words and all the others


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
def test_hostile_words_are_shown_as_text_on_a_phone_and_axe_finds_no_barrier(browser, tmp_path, dark):
    made = SamplingExplorer(LOGITS[:2, :7], contexts=HOSTILE[:2], words=HOSTILE)
    with opened(browser, tmp_path, made, width=390, dark=dark) as page:
        assert page.title() == "An explorer"
        heads = page.locator("table.ra-shares th").evaluate_all("(heads) => heads.map((head) => head.title)")
        assert sorted(heads) == sorted(HOSTILE)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        found = Axe().run(page, context="figure.regattn").response["violations"]
        assert [issue["id"] for issue in found if issue["impact"] in ("serious", "critical")] == []


@pytest.mark.browser
def test_a_move_is_redrawn_within_a_frame(browser, tmp_path):
    words = [f"word {k}" for k in range(500)]
    made = SamplingExplorer(np.random.default_rng(1).normal(size=(1, 500)), contexts=["one"], words=words)
    with opened(browser, tmp_path, made) as page:
        move = """(t) => { const start = performance.now(); const { model } = document.querySelector("figure.regattn");
          model.set("temperature", t); return performance.now() - start; }"""
        assert median(page.evaluate(move, 0.1 + k / 20) for k in range(21)) < 16


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -0.1}, "temperature must be ≥ 0, got -0.1"),
        ({"temperature": 3.5}, "temperature must be ≤ 3, got 3.5"),
        ({"top_k": 30}, "top_k must be ≤ 29 .*got 30"),
        ({"top_k": 0}, "top_k must be ≥ 1, got 0"),
        ({"top_p": 0.0}, "top_p must be ≥ 0.05, got 0.0"),
        ({"context": "four"}, "one of the 3 contexts, got 'four'"),
    ],
)
def test_bad_settings_are_refused_with_their_value(options, message):
    with pytest.raises(ValueError, match=message):
        explorer(**options)


@pytest.mark.parametrize(
    ("logits", "contexts", "words", "message"),
    [
        ([[np.nan, 1.0]], ["a"], ["x", "y"], "logits must be finite, got nan"),
        ([[0.0, 1.0]], ["a", "b"], ["x", "y"], "contexts has 2 entries but there are 1 rows of logits"),
        ([[0.0, 1.0]], ["a"], ["x"], "words has 1 entries but there are 2 columns of logits"),
        ([[0.0, 1.0], [1.0, 0.0]], ["a", "a"], ["x", "y"], "contexts must differ"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(logits, contexts, words, message):
    with pytest.raises(ValueError, match=message):
        SamplingExplorer(logits, contexts=contexts, words=words)
