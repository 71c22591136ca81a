"""The SamplingExplorer: what it prints, and what it refuses. What every explorer does: test_every_explorer.py."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn.transformer import next_token_distribution
from regattn.widgets import SamplingExplorer
from tests.explorers.sampling import LOGITS, example, expected
from tests.widgets.harness import FIGURE, SET, STATE, assert_same, opened


def test_the_result_is_the_packages_answer():
    made = example(context="two", temperature=0.7, top_k=9, top_p=0.8)
    p = next_token_distribution(torch.from_numpy(LOGITS[1]), temperature=0.7, top_k=9, top_p=0.8).numpy()
    result = made.result()
    np.testing.assert_array_equal(result["probabilities"], p)
    assert result["possible"] == (p > 0).sum() <= 9
    assert result["entropy"] == pytest.approx(-sum(q * np.log(q) for q in p if q), abs=1e-14)
    assert example(temperature=0.0).result()["entropy"] == 0.0


@pytest.mark.browser
def test_browser_and_package_agree_for_every_kind_of_setting(browser, tmp_path):
    rng = np.random.default_rng(9)
    with opened(browser, tmp_path, example()) as page:
        for _ in range(60):
            values = {"context": str(rng.choice(["one", "two", "three"])), "top_k": int(rng.integers(1, 30))}
            values["temperature"] = float(rng.choice([0.0, 0.05, 0.5, 1.0, 1.7, 3.0]))
            values["top_p"] = float(rng.choice([0.05, 0.3, 0.95, 1.0]))
            assert_same(page.evaluate(SET, [values, 0]), expected(page.evaluate(STATE)))


@pytest.mark.browser
def test_moving_a_slider_moves_the_trait_the_words_and_the_bars(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
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
        assert shares == ["1"] + ["0"] * 12  # twelve words and all the others


@pytest.mark.parametrize(("options", "message"), [
    ({"temperature": -0.1}, "temperature must be ≥ 0, got -0.1"),
    ({"temperature": 3.5}, "temperature must be ≤ 3, got 3.5"),
    ({"top_k": 30}, "top_k must be ≤ 29 .*got 30"),
    ({"top_k": 0}, "top_k must be ≥ 1, got 0"),
    ({"top_p": 0.0}, "top_p must be ≥ 0.05, got 0.0"),
    ({"context": "four"}, "one of the 3 contexts, got 'four'"),
])  # fmt: skip
def test_bad_settings_are_refused_with_their_value(options, message):
    with pytest.raises(ValueError, match=message):
        example(**options)


@pytest.mark.parametrize(("logits", "contexts", "words", "message"), [
    ([[np.nan, 1.0]], ["a"], ["x", "y"], "logits must be finite, got nan"),
    ([[0.0, 1.0]], ["a", "b"], ["x", "y"], "contexts has 2 entries but there are 1 rows of logits"),
    ([[0.0, 1.0]], ["a"], ["x"], "words has 1 entries but there are 2 columns of logits"),
    ([[0.0, 1.0], [1.0, 0.0]], ["a", "a"], ["x", "y"], "contexts must differ"),
])  # fmt: skip
def test_inputs_that_do_not_fit_are_refused(logits, contexts, words, message):
    with pytest.raises(ValueError, match=message):
        SamplingExplorer(logits, contexts=contexts, words=words)
