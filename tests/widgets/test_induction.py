"""The InductionExplorer: what the blackboard's two layers give, and how each part that is missing makes them fail."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn import from_scratch
from regattn.transformer import Architecture, LanguageModel, load_shipped
from regattn.widgets import InductionExplorer
from tests.widgets.harness import opened

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


def test_of_a_long_text_the_last_words_are_read_and_an_empty_one_has_its_start():
    long = InductionExplorer(text=" ".join(map(str, range(50)))).result()
    assert long["words"] == ["<start>", *map(str, range(26, 50))]
    empty = InductionExplorer(text="").result()
    assert (empty["words"], empty["right"]) == (["<start>"], None)


@pytest.mark.browser
def test_on_a_phone_the_word_that_asks_is_in_sight_and_what_is_not_read_is_said(browser, tmp_path):
    made = InductionExplorer(text=" ".join(["dax"] * 4 + [f"w{k}" for k in range(24)]))
    with opened(browser, tmp_path, made, width=390, height=900) as page:
        assert "Only the last 24 words are read." in page.inner_text("[data-output=message]")
        right = "(name) => document.querySelector(name).getBoundingClientRect().right"
        frame, asking = (page.evaluate(right, name) for name in (".ra-scroll", ".ra-scroll td:last-child"))
        assert asking == pytest.approx(frame, abs=2)
        page.fill("[data-control=text]", "wug dax wug")
        assert "Only the last" not in page.inner_text("[data-output=message]")


@pytest.fixture(scope="module")
def both():
    return InductionExplorer(load_shipped("induction")[0], text=TEXT)


def test_trained_layers_do_what_the_blackboards_do(both):
    found = both.result()
    assert int(np.argmax(found["trained_shares"])) == found["vocabulary"].index("dax")
    assert min(found["trained_score"], found["trained_previous"]) > 0.75
    assert sum(found["trained_looks"][s] for s in (2, 5)) > 0.75  # both places of dax
    assert sum(found["trained_shares"]) + found["trained_other"] == pytest.approx(1)


@pytest.mark.parametrize("missing", [{"back": "off"}, {"back": "0"}, {"match": False}])
def test_what_is_missing_fails_in_either_pair(both, missing):
    whole, found = both.result(), InductionExplorer(both.model, text=TEXT, **missing).result()
    assert min(whole["score"], whole["trained_score"]) > 0.85
    assert max(found["score"], found["trained_score"]) < 0.25


def test_without_the_mask_weight_goes_ahead_in_either_pair(both):
    whole, found = both.result(), InductionExplorer(both.model, text=TEXT, causal=False).result()
    assert found["score"] < whole["score"] - 0.3
    assert found["trained_score"] < whole["trained_score"] - 0.1


def test_with_all_parts_the_trained_layers_are_the_packages_own_forward_pass(both):
    found = both.result()
    codes = torch.tensor([[found["vocabulary"].index(word) for word in found["words"]]])
    shares = torch.softmax(both.model(codes)[0, -1], dim=-1)[: len(found["vocabulary"])]
    np.testing.assert_allclose(found["trained_shares"], shares.detach(), rtol=0, atol=1e-12)


def test_the_weights_are_small_in_a_page(both):
    assert len(both.to_html()) - len(InductionExplorer(text=TEXT).to_html()) < 60_000


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n_heads": 2}, "two blocks with one head each, got 2 with 2"),
        ({"layers": 3}, "two blocks with one head each, got 3 with 1"),
        ({"vocabulary": 24}, "25 words at least, got 24"),
        ({"positions": "alibi"}, "positions 'rotary', got 'alibi'"),
    ],
)
def test_models_of_another_design_are_refused(sizes, message):
    design = {"vocabulary": 25, "layers": 2, "context": 25, "width": 4, "n_heads": 1, "positions": "rotary"} | sizes
    with pytest.raises(ValueError, match=message):
        InductionExplorer(LanguageModel(Architecture(**design)))


@pytest.mark.browser
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a b c a b d a b", "c and d are expected alike after b, each with a share of 0.500 by hand; the trained"),
        ("a b a c a d a e a", "b, c, d and e are expected alike after a, each with a share of 0.250 by hand;"),
        ("a b a c a d a e a f a", "5 words are expected alike after a, each with a share of 0.200 by hand;"),
        ("a b c", "No word is expected more than another after c by hand;"),
        ("wug dax wug", "dax is expected after wug, with a share of 1 by hand;"),
    ],
)
def test_words_that_are_expected_alike_are_named(browser, tmp_path, both, text, said):
    with opened(browser, tmp_path, InductionExplorer(both.model, text=text)) as page:
        words = page.inner_text("[data-output=message]").translate({0x2068: None, 0x2069: None})
        assert words.startswith(said)
