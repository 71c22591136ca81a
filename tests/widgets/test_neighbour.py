"""The NeighbourExplorer counts as loops do, names what it refuses, and lets a click ask."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.text import Annotation, Text

from regattn.widgets import NeighbourExplorer
from regattn.words import load_word_results
from tests.explorers.neighbour import WORDS, example, expected
from tests.widgets.harness import SET, STATE, assert_same, opened

ROWS = np.eye(3)[None]


@pytest.mark.browser
def test_browser_package_and_loops_agree_for_many_settings(browser, tmp_path):
    explorer, rng = example(), np.random.default_rng(3)
    with opened(browser, tmp_path, explorer) as page:
        for _ in range(30):
            values = {"query": int(rng.integers(13)), "rank": int(rng.integers(2, 8)), "up": int(rng.integers(1, 8))}
            values["across"] = int(rng.integers(1, 8))
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
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name(spaces, options, message):
    with pytest.raises(ValueError, match=message):
        NeighbourExplorer(spaces, words=list("abc"), **options)


def boxes(explorer):
    """Return the boxes of the names on the map of the plain picture by their words, and its frame."""
    figure = explorer.picture()
    figure.canvas.draw()
    names = [text for text in figure.axes[0].texts if isinstance(text, Annotation)]
    return {name.get_text(): Text.get_window_extent(name) for name in names}, figure.axes[0].bbox


@pytest.mark.parametrize("query", ["monday", "five", "firefighters", "parliament"])
def test_no_name_on_the_plain_map_of_the_chapter_covers_another(query):
    shown = load_word_results("neighbours")
    explorer = NeighbourExplorer(shown["spaces"], words=shown["words"], query=query)
    found, frame = boxes(explorer)
    assert set(found) == {query, *explorer.result()["neighbours"]}
    assert [pair for pair in combinations(found, 2) if found[pair[0]].overlaps(found[pair[1]])] == []
    assert all(frame.contains(*corner) for box in found.values() for corner in box.corners())


def test_of_words_at_one_place_those_are_named_for_which_there_is_room():
    words = [f"{k} is a long name" for k in range(40)]
    vectors = np.tile([1.0, 0.5], (1, 40, 1))
    found, _ = boxes(NeighbourExplorer({("m", 2, 1): vectors}, words=words))
    assert 3 < len(found) <= 11
    assert words[0][:14] in found
    assert [pair for pair in combinations(found, 2) if found[pair[0]].overlaps(found[pair[1]])] == []
