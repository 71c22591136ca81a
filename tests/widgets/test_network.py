"""The NetworkExplorer of chapter 2, its training above all. What every explorer does: test_every_explorer.py."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.special import erf

from regattn.regression import make_network, network_descent
from regattn.widgets import NetworkExplorer
from regattn.widgets._kit.page_rng import mulberry32
from tests.explorers.network import example
from tests.node import in_node
from tests.widgets.harness import SET, assert_same, opened

N = 43


def made_up(**options) -> NetworkExplorer:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(N, 2))
    return NetworkExplorer(X, X[:, 0] * X[:, 1] > 0, **options)


# ---- without a browser ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("units_1", 9, r"units_1 must be ≤ 8 \(the widest layer\), got 9"),
        ("units_2", -1, "units_2 must be ≥ 0, got -1"),
        ("activation", "sine", "activation must be one of tanh, relu, .*, got 'sine'"),
        ("learning_rate", 0.0, "learning_rate must be ≥ 1e-06, got 0.0"),
        ("weight_decay", -1.0, "weight_decay must be ≥ 0, got -1.0"),
        ("batch_size", 44, r"batch_size must be ≤ 43 \(the number of training rows\), got 44"),
        ("seed", 0, "seed must be ≥ 1, got 0"),
        ("step", 1001, r"step must be ≤ 1000 \(the number of steps\), got 1001"),
    ],
)
def test_a_bad_trait_is_refused(trait, value, message):
    explorer = made_up()
    with pytest.raises(ValueError, match=message):
        setattr(explorer, trait, value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((5, 3)), np.zeros(5)), "X must have 2 columns, got 3"),
        ((np.ones((5, 2)), np.full(5, 2)), "zeros and ones, got 2"),
        ((np.ones((5, 2)), np.zeros(5), np.ones((2, 2))), "both X_held_out and y_held_out"),
        ((np.ones((5, 2)), np.zeros(5), np.ones((2, 3)), np.ones(2)), "X has 2 columns but X_held_out has 3"),
        ((np.ones((5, 2)), np.zeros(5), np.ones((2, 2)), np.ones(3)), "y_held_out has 3 entries but there are 2"),
    ],
)
def test_bad_rows_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        NetworkExplorer(*arguments)


def test_a_first_layer_of_no_unit_is_no_hidden_layer():
    assert len(made_up(units_1=0, units_2=5).start().layers) == 1
    assert [len(W) for W, _ in made_up(units_1=3, units_2=5).start().layers] == [3, 5, 1]


# ---- in the browser -------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("units", [(0, 0), (1, 0), (5, 0), (8, 8)])
@pytest.mark.parametrize("activation", ["tanh", "relu", "leaky_relu", "gelu", "silu", "identity"])
def test_two_hundred_full_batch_steps_are_those_of_the_package(browser, tmp_path, units, activation):
    explorer = example()
    knobs = {"units_1": units[0], "units_2": units[1], "activation": activation, "learning_rate": 0.3, "seed": 7}
    with opened(browser, tmp_path, explorer) as page:
        found = page.evaluate(SET, [{**knobs, "weight_decay": 0.001, "step": 200}, 0])
    sizes = [2, *[width for width in units if width]]
    start = make_network(sizes, activation=activation, draws=mulberry32(7))
    path = network_descent(start, explorer.X, explorer.y, learning_rate=0.3, steps=200, weight_decay=0.001)
    np.testing.assert_allclose(found["parameters"], path.parameters[-1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found["losses"], path.losses[::10], rtol=1e-9)
    assert found["loss"] == pytest.approx(path.losses[-1], rel=1e-9)


@pytest.mark.browser
@pytest.mark.parametrize("size", [1, 8, N])
def test_training_in_batches_is_the_packages_on_the_same_batches(browser, tmp_path, size):
    explorer = made_up(batch_size=size, units_1=3, learning_rate=0.3, step=97, seed=5)
    with opened(browser, tmp_path, explorer) as page:
        assert_same(page.evaluate(SET, [{}, 0]), explorer.result())


@pytest.mark.browser
def test_a_step_is_the_same_however_one_comes_to_it(browser, tmp_path):
    with opened(browser, tmp_path, made_up(units_1=3)) as page:
        found = [page.evaluate(SET, [{"step": step}, 0])["parameters"] for step in (130, 420, 129, 130, 0, 130)]
    assert found[0] == found[3] == found[5]
    assert found[0] != found[2]


@pytest.mark.browser
def test_a_training_that_runs_away_says_so_in_words(browser, tmp_path):
    explorer = made_up(units_1=4, units_2=4, activation="relu", weight_decay=0.1)
    explorer.learning_rate, explorer.step = 1e6, 300
    step = explorer.result()["diverged_at"]
    assert step is not None
    with opened(browser, tmp_path, explorer) as page:
        assert_same(page.evaluate(SET, [{}, 0]), explorer.result())
        assert f"step {step} would have taken" in page.locator(".ra-live").inner_text()
        drawn = page.eval_on_selector_all("svg", "all => all.map((drawing) => drawing.outerHTML).join()")
        assert "NaN" not in drawn
        assert "Infinity" not in drawn


@pytest.mark.browser
def test_a_loss_above_that_of_the_start_is_told(browser, tmp_path):
    explorer = made_up(units_1=0, learning_rate=300.0, batch_size=1, step=20)
    result = explorer.result()
    assert result["loss"] > result["losses"][0]
    with opened(browser, tmp_path, explorer) as page:
        assert "the steps are too long" in page.locator(".ra-live").inner_text()


@pytest.mark.browser
def test_units_that_answer_nothing_are_counted(browser, tmp_path):
    explorer = example(units_1=4, activation="relu", learning_rate=10.0, step=400, seed=3)
    hidden = explorer.trained()[0].hidden(explorer.X)[0]
    dead = int((hidden == 0).all(axis=0).sum())
    assert 0 < dead < 4
    assert explorer.result()["silent"] == dead
    with opened(browser, tmp_path, explorer) as page:
        assert_same(page.evaluate(SET, [{}, 0]), explorer.result())
        assert f"{dead} of 4 hidden units answer nothing to any training row" in page.locator(".ra-live").inner_text()
        page.evaluate(SET, [{"activation": "tanh", "step": 3}, 0])
        assert "answer nothing" not in page.locator(".ra-live").inner_text()


def test_the_border_is_where_the_network_is_undecided(tmp_path):
    code = "const values = given.flatMap((y) => given.map((x) => x + 2 * y - 3.5));"
    segments = in_node(tmp_path, "network/contour.js", f"{code} say(crossings(values, given, given, 0));", [0, 1, 2, 3])
    points = np.array(segments).reshape(-1, 2)
    assert len(segments) >= 3
    np.testing.assert_allclose(points @ [1, 2], 3.5)


def test_the_border_of_a_steep_unit_is_as_straight_as_it_is(tmp_path):
    code = """
    const z = (x, y) => 5 * Math.tanh(40 * (x + 2 * y - 3.4)) + 1;
    const values = given.flatMap((y) => given.map((x) => z(x, y)));
    const of = (points) => Array.from({ length: points.length / 2 }, (_, k) => z(points[2 * k], points[2 * k + 1]));
    say([crossings(values, given, given, 0), crossings(values, given, given, 0, of)]);
    """
    rough, close = (np.reshape(part, (-1, 2)) for part in in_node(tmp_path, "network/contour.js", code, [0, 1, 2, 3]))
    line = 3.4 + np.arctanh(-0.2) / 40
    assert np.abs(rough @ [1, 2] - line).max() > 0.2
    assert np.abs(close @ [1, 2] - line).max() < 0.02


def test_the_error_function_of_the_page_is_scipys(tmp_path):
    x = np.concatenate([np.linspace(-7, 7, 4001), [-0.46875, 0.46875, 4.0, 6.0, 1e-300, 0.0, 1e308]])
    found = in_node(tmp_path, "_numbers/erf.js", "say(given.map(erf));", x.tolist())
    np.testing.assert_allclose(found, erf(x), rtol=2e-15)  # three roundings in the last digit


@pytest.mark.browser
def test_the_axis_of_the_loss_holds_the_highest(browser, tmp_path):
    explorer = example(units_1=4, learning_rate=10.0, step=400)
    highest = max(explorer.result()["losses"])
    assert highest > 2
    with opened(browser, tmp_path, explorer) as page:
        ticks = page.locator("[data-panel='loss'] svg text").all_text_contents()
    assert max(float(text) for text in ticks if re.fullmatch(r"[\d.]+", text) and float(text) < 100) > 0.6 * highest


@pytest.mark.browser
def test_there_is_a_picture_for_every_hidden_unit(browser, tmp_path):
    with opened(browser, tmp_path, made_up(units_1=3, units_2=2)) as page:
        assert page.locator(".ra-unit").count() == 5
        page.evaluate(SET, [{"units_1": 0}, 0])
        assert page.locator(".ra-unit").count() == 0
        assert "no hidden layer" in page.locator("[data-panel='units']").inner_text()
