"""The PositionExplorer equals the package, knows which angles are new, and its hands can be taken hold of."""

from itertools import product

import numpy as np
import pytest

from regattn.recorded_runs import load_runs
from regattn.transformer import frequencies
from regattn.widgets import PositionExplorer
from tests.explorers.position import example, expected
from tests.widgets.harness import FIGURE, SET, assert_same, opened
from tools import positions as tool

ROTARY = ("rotary, base 5", "rotary")
SLOWED = ("base", "all", "slow")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PositionExplorer(place=0), "place must be ≥ 1"),
        (lambda: PositionExplorer(place=129), "place must be ≤ 128"),
        (lambda: PositionExplorer(hands="learned"), "hands must be one of trained, base, all, slow, fast"),
        (lambda: PositionExplorer(stretch="3"), "stretch must be one of 2, 4, 8"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("hands", ["trained", *SLOWED, "fast"])
def test_within_the_length_of_training_no_angle_is_new(hands):
    assert PositionExplorer(place=32, hands=hands).result()["unseen"] == 0


@pytest.mark.parametrize("hands", ["trained", *SLOWED])
def test_a_hand_is_away_where_every_angle_of_training_is_a_step_of_training_or_more_from_it(hands):
    speeds = frequencies(16)
    seen = np.outer(np.arange(32), speeds)
    slower = tool.slowness(hands, 4, 16, 32) if hands != "trained" else 1
    for place in (1, 32, 33, 40, 62, 70, 100, 126, 128):
        apart = (seen - (place - 1) * speeds / slower + np.pi) % (2 * np.pi) - np.pi
        found = PositionExplorer(place=place, hands=hands).result()
        assert found["away"] == (np.abs(apart).min(axis=0) >= speeds * (1 - 1e-9)).tolist()
        np.testing.assert_allclose(found["arcs"], np.minimum(seen[-1], 2 * np.pi))


def test_slowed_as_far_as_the_text_is_longer_no_angle_is_new_unless_hands_between_are_slowed_less():
    found = {hands: PositionExplorer(place=128, hands=hands).result() for hands in SLOWED}
    assert [found[hands]["unseen"] for hands in SLOWED] == [80, 0, 0]
    for hands in SLOWED:
        slower = np.array(found[hands]["around"]) / (2 * np.pi / frequencies(16))
        np.testing.assert_allclose(slower, tool.slowness(hands, 4, 16, 32))


def test_the_losses_are_means_over_the_seeds_of_the_file():
    rotary = load_runs("lengths", "news").runs.dropna(subset="slowed")
    assert len(rotary) == 3
    for hands, stretch in product(SLOWED, (2, 4, 8)):
        rows = [r for rows in rotary["slowed"] for r in rows if (r["hands"], r["stretch"]) == (hands, stretch)]
        curve = np.mean([row["by_place"] for row in rows], axis=0)
        for place in (1, 4, 5, 128):
            shown = PositionExplorer(place=place, hands=hands, stretch=str(stretch)).result()
            assert shown["loss"] == pytest.approx(curve[(place - 1) // 4])
            assert shown["curve"] == pytest.approx(curve)


@pytest.mark.browser
def test_numbers_equal_the_packages_over_a_grid(browser, tmp_path):
    explorer = example()
    with opened(browser, tmp_path, explorer) as page:
        for hands, stretch, place in product(("trained", *SLOWED, "fast"), ("2", "8"), (1, 33, 96, 127)):
            values = {"hands": hands, "stretch": stretch, "place": place}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}))


@pytest.mark.browser
def test_a_hand_that_is_dragged_takes_the_text_with_it(browser, tmp_path):
    with opened(browser, tmp_path, PositionExplorer(place=32)) as page:
        box = page.locator(".ra-hands").bounding_box()
        middle = box["x"] + 3.5 / 8 * box["width"], box["y"] + 40
        page.mouse.move(middle[0] + 20, middle[1] - 12)
        page.mouse.down()
        for x, y in ((25, 0), (20, 15), (0, 30)):  # to straight down
            page.mouse.move(middle[0] + x, middle[1] + y)
        page.mouse.up()
        place = page.evaluate(f"{FIGURE}.model.get('place')")
        assert abs(place - 1 - np.pi / frequencies(16)[3]) < 8
        page.mouse.move(middle[0] - 30, middle[1])  # let go
        assert page.evaluate(f"{FIGURE}.model.get('place')") == place


@pytest.mark.browser
def test_the_place_can_be_taken_hold_of_in_both_pictures_below(browser, tmp_path):
    with opened(browser, tmp_path, PositionExplorer(place=64)) as page:
        for nth, there in enumerate((100, 40)):
            handle = page.locator("[data-panel=loss] .ra-handle").nth(nth).bounding_box()
            x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
            start = page.evaluate(f"{FIGURE}.model.get('place')")
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + 60 * (1 if there > start else -1), y)
            page.mouse.up()
            assert (page.evaluate(f"{FIGURE}.model.get('place')") > start) is (there > start)


@pytest.mark.browser
def test_the_sentence_says_what_is_new_what_it_costs_and_what_a_step_is_worth(browser, tmp_path):
    with opened(browser, tmp_path, PositionExplorer(place=32)) as page:
        words = page.locator(".ra-live")
        assert "Place 32: no angle is new." in words.inner_text()
        page.evaluate(SET, [{"place": 33}, 0])  # apart by less than the noise
        assert "Loss 1.83 nats, about as in training: as unsure as among 6.3 letters." in words.inner_text()
        page.evaluate(SET, [{"place": 128}, 0])
        assert "96 of its 128 tokens turn a hand" in words.inner_text()
        assert "Loss 3.40 nats, 1.88 in training: as unsure as among 30 letters, not 6.5; " in words.inner_text()
        assert "letter frequencies leave 21." in words.inner_text()
        page.evaluate(SET, [{"hands": "all"}, 0])
        unsure = "as unsure as among 25 letters, not 30; letter frequencies leave 21."
        assert f"Loss 3.22 nats, 3.40 as trained: {unsure}" in words.inner_text()
        assert "Place 128: no hand is a step too far." in words.inner_text()  # 127 / 4 > 31, and < 32
        assert "The fastest hand turns 14° a step, not 57°: neighbours look alike." in words.inner_text()
        page.evaluate(SET, [{"place": 125}, 0])  # 124 / 4 = 31
        assert "Place 125: no angle is new." in words.inner_text()
        page.evaluate(SET, [{"place": 128}, 0])
        page.evaluate(SET, [{"hands": "slow"}, 0])
        assert "At place 32 slowing costs .45 already: slower hands part near places less." in words.inner_text()
        assert page.locator("[data-control=stretch]").is_visible()
        legend = page.locator("[data-panel=loss] li").nth(2)
        assert legend.inner_text() == "loss, hands as trained"
        page.evaluate(SET, [{"hands": "fast"}, 0])
        assert not page.locator("[data-control=stretch]").is_visible()
        assert legend.inner_text() == "loss, base 10,000"
        assert words.inner_text().startswith("Another model, trained with base 5. Place 128: no angle is new.")
        assert "Loss 2.40 nats, 3.40 with base 10,000: as unsure as among 11 letters, not 30." in words.inner_text()
        sorting = load_runs("lengths", "sorting").runs
        rows = sorting[["positions", "scores"]].explode("scores")
        right = [[r["right"] for n, r in rows.values if n == name and r["multiple"] == 1] for name in ROTARY]
        assert np.round(100 * np.mean(right, axis=1)).tolist() == [73, 99]
        assert "Its price: trained to sort, it gets 73 % right, not 99." in words.inner_text()


@pytest.mark.browser
def test_an_arc_too_thin_to_be_seen_is_told_in_words(browser, tmp_path):
    with opened(browser, tmp_path, PositionExplorer(place=128)) as page:
        words = page.locator(".ra-hands text").all_text_contents()
        arcs = np.rad2deg(31 * frequencies(16))  # to the largest distance of a window
        assert [word for word in words if "seen" in word] == [f"seen {arc:.1f}°" for arc in arcs[arcs < 15]]
        page.evaluate(SET, [{"hands": "fast"}, 0])
        assert not any("seen" in word for word in page.locator(".ra-hands text").all_text_contents())
