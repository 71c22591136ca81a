"""The InductionExplorer: what the blackboard's two layers give, and how each part that is missing makes them fail."""

from __future__ import annotations

import numpy as np
import pytest

from regattn import from_scratch
from regattn.widgets import InductionExplorer

TEXT = "wug dax fep wug dax blick fep wug"


def test_it_is_the_blackboards_two_layers():
    found = InductionExplorer(text=TEXT).result()
    numbers = np.array([found["vocabulary"].index(word) for word in found["words"]])
    shares = from_scratch.induction(numbers, len(found["vocabulary"]), 40.0)
    np.testing.assert_allclose(found["shares"], shares[-1], atol=1e-12)


@pytest.mark.parametrize("missing", [{"back": "off"}, {"back": "0"}, {"match": False}, {"sharpness": 0.0}])
def test_without_a_part_the_pattern_is_not_continued(missing):
    whole = InductionExplorer(text=TEXT).result()
    assert whole["vocabulary"][int(np.argmax(whole["shares"]))] == "dax"
    assert whole["right"] > 0.9 or whole["shares"][whole["vocabulary"].index("dax")] > 0.99
    found = InductionExplorer(text=TEXT, **missing).result()
    assert found["shares"][found["vocabulary"].index("dax")] < 0.5
    assert found["right"] < whole["right"]


def test_without_the_mask_a_token_reads_its_answer_ahead():
    text = "a b c a d"  # what follows the second a was never seen before
    behind, ahead = (InductionExplorer(text=text, causal=causal).result()["right"] for causal in (True, False))
    assert behind < 0.01
    assert 0.4 < ahead < 0.6


def test_of_a_long_text_the_first_words_are_read_and_an_empty_one_has_its_start():
    assert len(InductionExplorer(text=" ".join(["a"] * 50)).result()["words"]) == 25
    empty = InductionExplorer(text="").result()
    assert (empty["words"], empty["right"]) == (["<start>"], None)
