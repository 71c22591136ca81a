"""The HeadExplorer: what its tables choose, and what it refuses. What every explorer does: test_every_explorer.py."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.widgets import HeadExplorer
from tests.explorers.head import causal_weights, example, expected
from tests.widgets.harness import SET, STATE, opened


def test_the_result_reads_the_weights_off_to_six_decimals():
    weights = causal_weights()
    result = example(layer=1, head=2, query=5, key=3).result()
    np.testing.assert_allclose(result["weights"], weights[1, 2], atol=5e-7)
    np.testing.assert_allclose(result["row"], weights[1, 2, 5], atol=5e-7)
    np.testing.assert_allclose(result["heads"], weights[:, :, 5, 3], atol=5e-7)
    assert result["strongest"] == "abcdefg"[weights[1, 2, 5].argmax()]


@pytest.mark.browser
def test_browser_and_loops_agree_for_every_head_and_pair(browser, tmp_path):
    sizes = {"layer": 2, "head": 3, "query": 7, "key": 7}
    with opened(browser, tmp_path, example()) as page:
        for draw in np.random.default_rng(13).random((40, 4)):
            values = {name: int(part * sizes[name]) for name, part in zip(sizes, draw, strict=True)}
            assert page.evaluate(SET, [values, 0]) == expected(page.evaluate(STATE))


@pytest.mark.browser
def test_a_click_in_a_table_chooses_the_pair_or_the_head_and_sliders_follow(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.locator("[data-panel=map] tbody tr").nth(5).locator("td").nth(2).click()
        page.locator("[data-panel=heads] tbody tr").nth(1).locator("td").nth(2).click()
        state = page.evaluate(STATE)
        assert (state["layer"], state["head"], state["query"], state["key"]) == (1, 2, 5, 2)
        assert page.locator("[data-control=query]").input_value() == "5"
        said = page.locator("[data-output=message]").inner_text().replace("\u2068", "").replace("\u2069", "")
        assert said.startswith("Layer 2, head 3: f (word 6)")
        assert f"{causal_weights()[1, 2, 5, 2]:.3f}" in said


@pytest.mark.parametrize(("weights", "options", "message"), [
    (np.ones((2, 3, 3)), {}, r"\(L, H, T, T\), got \(2, 3, 3\)"),
    (np.ones((1, 1, 3, 2)), {}, r"\(L, H, T, T\), got \(1, 1, 3, 2\)"),
    (-np.ones((1, 1, 3, 3)), {}, "weights must be ≥ 0, got -1.0"),
    (np.full((1, 1, 3, 3), np.nan), {}, "weights must be finite, got nan"),
    (np.ones((1, 1, 25, 25)), {}, "there are 25 words; an explorer has room for 24"),
    (np.ones((1, 1, 2, 2)), {}, "words has 3 entries but there are 2 rows"),
    (np.ones((1, 1, 3, 3)), {"layer": 1}, "layer must be ≤ 0 .*got 1"),
    (np.ones((1, 1, 3, 3)), {"query": 3}, "query must be ≤ 2 .*got 3"),
    (np.ones((1, 1, 3, 3)), {"key": -1}, "key must be ≥ 0, got -1"),
])  # fmt: skip
def test_inputs_that_do_not_fit_are_refused(weights, options, message):
    with pytest.raises(ValueError, match=message):
        HeadExplorer(weights, words=["a", "b", "c"], **options)
