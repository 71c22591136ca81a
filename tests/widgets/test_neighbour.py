"""The NeighbourExplorer counts as loops do, names what it refuses, and lets a click ask."""

import numpy as np
import pytest

from regattn.widgets import NeighbourExplorer
from tests.explorers.neighbour import WORDS, example, expected
from tests.widgets.harness import SET, STATE, assert_same, opened

ROWS = np.eye(3)[None]


@pytest.mark.browser
def test_browser_package_and_loops_agree_for_many_settings(browser, tmp_path):
    explorer, rng = example(), np.random.default_rng(3)
    with opened(browser, tmp_path, explorer) as page:
        for _ in range(30):
            values = {"query": int(rng.integers(13)), "rank": int(rng.integers(2, 8))}
            values |= {
                "method": str(rng.choice(["counted", "trained"])),
                "window": "2",
                "shift": str(rng.choice(["1", "5"])),
            }
            shown = page.evaluate(SET, [values, 0])
            assert_same(shown, expected(page.evaluate(STATE)))
            assert_same(shown, example(**values).result())


@pytest.mark.browser
def test_a_click_near_a_word_lets_it_ask(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        svg = page.locator("[data-panel=map] svg")
        box = svg.bounding_box()
        svg.click(position={"x": box["width"] * 0.8, "y": box["height"] * 0.5})
        state = page.evaluate(STATE)
        assert state["query"] != 0
        assert page.locator("[data-output=message] strong").inner_text().strip("⁨⁩") == WORDS[state["query"]]


def test_words_of_one_category_are_counted_among_the_nearest_and_none_without_categories():
    spaces = {("m", 2, 1): np.array([[[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]])}
    found = [NeighbourExplorer(spaces, words=list("abc"), groups=groups).result() for groups in (["x", "x", "y"], None)]
    assert [each["alike"] for each in found] == [1, 0]


@pytest.mark.browser
def test_the_page_says_how_many_could_be_of_the_category(browser, tmp_path):
    spaces = {("m", 2, 1): np.array(2 * [[[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.5, 0.5]]])}
    made = NeighbourExplorer(spaces, words=list("abcd"), groups=["x", "x", "y", "y"])
    with opened(browser, tmp_path, made) as page:
        assert page.inner_text("[data-output=alike]") == "1 of at most 1"
        assert "in 1 resampled corpus always first" in page.inner_text("[data-output=message]")


def test_a_word_that_a_resampled_corpus_lacks_has_the_last_rank_there_or_no_say():
    vectors = np.array(2 * [[[1.0, 0.0, 0.0], [1.0, 0.5, 0.0], [0.0, 1.0, 0.0]]])  # no two are equally near
    vectors[1, 1] = 0.0
    spaces = {("m", 2, 1): vectors}
    assert NeighbourExplorer(spaces, words=list("abc")).result()["most"] == [2, 2]
    found = NeighbourExplorer(spaces, words=list("abc"), query="b").result()
    assert found["least"] == found["most"] == [1, 2]  # b is absent from the copy: only the corpus itself speaks


@pytest.mark.parametrize(("spaces", "options", "message"), [
    ({}, {}, "must map"),
    ({"m": ROWS}, {}, "keys of spaces must be .* got 'm'"),
    ({("m", 2, 1): ROWS, ("n", 5, 1): ROWS}, {}, "has 2 combinations"),
    ({("m", 2, 1): ROWS[0]}, {}, r"one shape \(1 \+ B, V, D\), got \[\(3, 3\)\]"),
    ({("m", 2, 1): ROWS * np.nan}, {}, "vectors must be finite"),
    ({("m", 2, 1): ROWS}, {"query": "z"}, "query must be one of the 3 words, got 'z'"),
    ({("m", 2, 1): ROWS}, {"rank": 4}, "rank must be ≤ 3"),
    ({("m", 2, 1): np.ones((1, 201, 2))}, {}, "there are 201 words"),
    ({("m", 2, 1): ROWS}, {"groups": ["a", "b"]}, "groups names 2 categories for 3 words"),
    ({("m", 2, 1): ROWS}, {"groups": "abc"}, "groups must be a list of 3 categories, got 'abc'"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name(spaces, options, message):
    with pytest.raises(ValueError, match=message):
        NeighbourExplorer(spaces, words=list("abc"), **options)
