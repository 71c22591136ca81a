"""The DescentExplorer of chapter 1, its walks above all. What every explorer does: test_every_explorer.py."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.regression import curvatures, gradient_descent, mean_squared_error
from regattn.widgets import DescentExplorer
from regattn.widgets._kit.page_rng import page_batches
from tests.explorers.descent import example
from tests.node import in_node
from tests.widgets.harness import SET, opened

N = 43


def made_up(**options) -> DescentExplorer:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 2)) @ [[1.0, 0.3], [0.0, 0.6]]
    return DescentExplorer(X, X @ [2.0, -1.0] + rng.normal(size=N), **options)


def assert_same_walk(found: dict, expected: dict) -> None:
    assert found["diverged_at"] == expected["diverged_at"]
    for key in ("parameters", "losses"):
        scale = np.abs(expected[key]).max(axis=0)
        np.testing.assert_allclose(found[key] / scale, expected[key] / scale, rtol=0, atol=1e-9)


# ---- without a browser ----------------------------------------------------------------------------------------------


def test_a_dealt_epoch_holds_every_row_once():
    dealt = np.concatenate(list(page_batches(N, size=4, steps=11)))
    assert sorted(dealt.tolist()) == list(range(N))


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("learning_rate", -1.0, "learning_rate must be ≥ 1e-12, got -1.0"),
        ("batch_size", 0, "batch_size must be ≥ 1, got 0"),
        ("batch_size", 44, r"batch_size must be ≤ 43 \(the number of observations\), got 44"),
        ("sign", "times", "sign must be one of minus, plus, got 'times'"),
        ("start_1", float("inf"), "got inf"),
    ],
)
def test_a_bad_trait_is_refused(trait, value, message):
    explorer = made_up()
    with pytest.raises(ValueError, match=message):
        setattr(explorer, trait, value)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((5, 3)), "X must have 2 columns, got 3"),
        (np.outer(np.arange(1.0, 6.0), [1.0, 2.0]), "must be independent, got rank 1"),
    ],
)
def test_inputs_without_two_directions_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        DescentExplorer(X, np.arange(5.0))


# ---- in the browser -------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("share", [0.02, 0.5, 0.97, 1.04, 2.0])
@pytest.mark.parametrize("sign", ["minus", "plus"])
def test_the_full_batch_walk_is_the_packages(browser, tmp_path, share, sign):
    explorer = example()
    eta = share * explorer.data["largest_stable_step"]
    with opened(browser, tmp_path, explorer) as page:
        found = page.evaluate(SET, [{"learning_rate": eta, "sign": sign, "start_1": -7.0, "start_2": 31.0}, 0])
    step = -1 if sign == "minus" else 1
    path = gradient_descent(explorer.X, explorer.y, learning_rate=eta, steps=60, start=[-7.0, 31.0], sign=step)
    assert_same_walk(found, {"parameters": path.parameters, "losses": path.losses, "diverged_at": path.diverged_at})


@pytest.mark.browser
@pytest.mark.parametrize("size", [1, 5, 42, N])
def test_a_walk_in_batches_is_the_packages_on_the_same_batches(browser, tmp_path, size):
    explorer = made_up(batch_size=size, steps=97, start=(3.0, 3.0))
    with opened(browser, tmp_path, explorer) as page:
        assert_same_walk(page.evaluate(SET, [{}, 0]), explorer.result())


def test_the_generator_is_the_same_in_both_languages(tmp_path):
    code = "const deal = dealer(13, 5, 7); say(Array.from({length: 40}, () => Array.from(deal())));"
    found = in_node(tmp_path, "_numbers/batches.js", code, None)
    assert found == [rows.tolist() for rows in page_batches(13, size=5, steps=40, seed=7)]


def test_the_excess_loss_is_the_loss_less_its_least_value(tmp_path):
    explorer = made_up()
    points = [[0.0, 0.0], [5.0, -3.0], explorer.data["best"]]
    code = "say(given.points.map((point) => excessLoss(given.data, point)));"
    found = in_node(tmp_path, "descent/numbers.js", code, {"data": explorer.data, "points": points})
    expected = [mean_squared_error(explorer.X, explorer.y, p) - explorer.data["least_loss"] for p in points]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(explorer.data["curvatures"], curvatures(explorer.X), rtol=1e-12)


def test_a_segment_is_cut_at_the_frame(tmp_path):
    ends = [[[-2, 1], [6, 1]], [[1, 1], [2, 1.5]], [[-1, 3], [5, 4]], [[2, -4], [2, 8]], [[3, 1], [7, 3]]]
    code = "say(given.map(([from, to]) => clipSegment(from, to, {x: [0, 4], y: [0, 2]})));"
    found = in_node(tmp_path, "_numbers/maths.js", code, ends)
    assert found == [[[0, 1], [4, 1]], [[1, 1], [2, 1.5]], None, [[2, 0], [2, 2]], [[3, 1], [4, 1.5]]]


@pytest.mark.browser
def test_a_walk_that_has_left_the_picture_says_so_and_is_not_drawn_at_its_edge(browser, tmp_path):
    explorer = example(learning_rate=0.05, start=(0.0, 40.0), step=2)
    with opened(browser, tmp_path, explorer) as page:
        walk = '[data-panel="surface"] .ra-mark.ra-key'
        drawn, said = [], []
        for step in (2, 20, 1):
            page.evaluate(SET, [{"sign": "plus", "step": step}, 0])
            drawn.append(page.locator(walk).is_visible())
            said.append("outside the picture" in page.locator(".ra-live").inner_text())
    assert drawn == [True, False, True]
    assert said == [False, True, False]


@pytest.mark.browser
def test_a_click_on_the_surface_moves_the_start_there(browser, tmp_path):
    explorer = example(start=(0.0, 40.0))
    with opened(browser, tmp_path, explorer) as page:
        surface = page.locator('[data-panel="surface"] svg')
        surface.scroll_into_view_if_needed()
        mark = surface.locator(".ra-mark.ra-truth").bounding_box()
        page.mouse.click(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
        start = page.evaluate(
            "['start_1', 'start_2'].map((n) => document.querySelector('figure.regattn').model.get(n))"
        )
        np.testing.assert_allclose(start, explorer.data["best"], atol=0.5)  # a pixel is 0.4 of a unit here
        assert page.evaluate(SET, [{}, 0])["parameters"][0] == start


@pytest.mark.browser
def test_a_walk_that_runs_away_says_so_in_words(browser, tmp_path):
    explorer = example()
    with opened(browser, tmp_path, explorer) as page:
        page.evaluate(SET, [{"learning_rate": 5.0}, 0])
        explorer.learning_rate = 5.0
        step = explorer.result()["diverged_at"]
        assert step is not None
        assert f"step {step} would have taken" in page.locator(".ra-live").inner_text()
        drawn = page.eval_on_selector_all("svg", "all => all.map((drawing) => drawing.outerHTML).join()")
        assert "NaN" not in drawn
        assert "Infinity" not in drawn


@pytest.mark.browser
def test_a_seed_that_deals_no_batches_says_once_that_it_is_not_in_use(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        assert page.locator("[data-output=seed]").text_content().count("not in use") == 1
