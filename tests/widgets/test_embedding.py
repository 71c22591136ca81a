"""The EmbeddingExplorer of chapter 6, its walks above all. What every explorer does: test_every_explorer.py."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.widgets import EmbeddingExplorer
from tests.explorers.embedding import example, expected
from tests.widgets.harness import SET, STATE, assert_same, opened

FIVE = np.eye(5)[:, :3]


# ---- without a browser ----------------------------------------------------------------------------------------------


def test_dots_end_on_their_bars_when_descent_from_zero_has_ended():
    explorer = example(count=2, steps=6000, step=6000)
    found = explorer.result()
    np.testing.assert_allclose(found["learned"], found["shares"], atol=1e-6)
    assert sum(found["shares"]) == pytest.approx(2)


def test_with_as_many_targets_as_columns_the_table_becomes_the_inverse():
    rng = np.random.default_rng(3)
    X = np.linalg.qr(rng.normal(size=(61, 5)))[0] * [1.0, 1.2, 0.9, 1.1, 1.0]
    explorer = EmbeddingExplorer(X, rng.normal(size=(61, 12)), X[:, 0], count=12, steps=5000, step=5000)
    found = explorer.result()
    assert found["rank"] == 5
    assert found["map_errors"][-1] < 1e-6
    np.testing.assert_allclose(found["omega"], explorer.inverse, rtol=1e-5, atol=1e-5)


def test_the_new_target_is_wrong_while_the_loss_is_least():
    found = example(count=1, steps=2000, step=2000).result()
    assert found["losses"][-1] == pytest.approx(min(found["losses"]))
    assert found["map_errors"][-1] > 0.8


@pytest.mark.parametrize("count", [1, 4, 8])
def test_factors_settle_below_their_limit(count):
    losses = example(count=count, start="factors", learning_rate=0.95, steps=3000, step=3000).result()["losses"]
    assert np.all(np.diff(losses[2000:]) <= 1e-12)


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("count", 9, r"count must be ≤ 8 \(the number of targets\), got 9"),
        ("count", 0, "count must be ≥ 1, got 0"),
        ("step", 501, r"step must be ≤ 500 \(the number of steps\), got 501"),
        ("learning_rate", 0.0, "learning_rate must be ≥ 1e-06, got 0.0"),
        ("seed", 6, r"seed must be ≤ 5 \(the last draw\), got 6"),
        ("start", "one", "start must be one of zero, random, factors, got 'one'"),
        ("teacher", "nobody", "teacher must be one of listed, mixed, noise, got 'nobody'"),
    ],
)
def test_a_bad_trait_is_refused(trait, value, message):
    explorer = example()
    with pytest.raises(ValueError, match=message):
        setattr(explorer, trait, value)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ((np.ones((5, 2)), np.eye(5), np.arange(5.0)), "must be independent, got rank 1"),
        ((FIVE, np.arange(5.0), np.arange(5.0)), r"Y must have two dimensions .* got shape \(5,\)"),
        ((FIVE, np.eye(5)[:4], np.arange(5.0)), "Y has 4 entries but there are 5 training rows"),
        ((FIVE, FIVE, FIVE), r"new must be one target .* got shape \(5, 3\)"),
        ((FIVE, FIVE, np.eye(5)[4]), "new must be one target that is not orthogonal to X"),
        ((FIVE, np.eye(5)[:, 4:], np.arange(5.0)), "orthogonal to every column of X"),
    ],
)
def test_bad_inputs_are_refused(inputs, message):
    with pytest.raises(ValueError, match=message):
        EmbeddingExplorer(*inputs)


def test_draws_differ_in_noise_order_and_starts_and_the_first_is_that_of_the_seed():
    explorer = example(teacher="noise", start="random")
    drawn = [explorer.drawn[k] for k in range(5)]
    for name in ("noise", "mixed"):
        assert len({np.asarray(one[name]).tobytes() for one in drawn}) == 5
    assert len({one["starts"]["random"].tobytes() for one in drawn}) == 5
    np.testing.assert_array_equal(drawn[0]["noise"], np.random.default_rng(0).normal(size=(61, 8)) / np.sqrt(61))
    errors = []
    for seed in (1, 2):
        explorer.seed = seed
        errors.append(explorer.result()["map_errors"][-1])
    assert errors[0] != errors[1]


# ---- in the browser -------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("teacher", ["listed", "mixed", "noise"])
@pytest.mark.parametrize("start", ["zero", "random", "factors"])
def test_five_hundred_steps_are_the_packages(browser, tmp_path, teacher, start):
    with opened(browser, tmp_path, example()) as page:
        # beyond the limit descent on factors may be chaotic, and then no two machines agree
        for count, rate in [(1, 0.3), (4, 0.97), (8, 0.9 if start == "factors" else 1.5)]:
            knobs = {"teacher": teacher, "start": start, "count": count, "learning_rate": rate, "step": 500}
            found = page.evaluate(SET, [knobs, 0])
            assert_same(found, expected(page.evaluate(STATE)), f"{count} targets at {rate}")


@pytest.mark.browser
def test_a_walk_that_runs_away_says_so_in_words(browser, tmp_path):
    explorer = example(learning_rate=3.5, step=500)
    step = explorer.result()["diverged_at"]
    assert step is not None
    with opened(browser, tmp_path, explorer) as page:
        assert f"step {step} would have taken" in page.locator(".ra-live").inner_text()
        drawn = page.eval_on_selector_all("svg, table", "all => all.map((drawing) => drawing.outerHTML).join()")
        assert "NaN" not in drawn
        assert "Infinity" not in drawn
        cells = page.locator("[data-panel=omega] td").all_inner_texts()
        assert max(map(len, cells)) <= 7  # as −2·10¹⁰
        assert any("·10" in cell for cell in cells)
        assert "drawn at its rim" in page.locator(".ra-live").inner_text()
        page.evaluate(SET, [{"step": step - 1}, 0])
        assert "ran away" not in page.locator(".ra-live").inner_text()
        page.evaluate(SET, [{"learning_rate": 0.5, "step": 30}, 0])
        assert "rim" not in page.locator(".ra-live").inner_text()


@pytest.mark.browser
def test_numbers_below_zero_have_the_colour_of_negative_weights(browser, tmp_path):
    explorer = example(step=0)
    with opened(browser, tmp_path, explorer) as page:
        below = page.locator("[data-panel=inverse] td.ra-below").count()
    assert below == int((explorer.inverse < 0).sum())


@pytest.mark.browser
def test_drawing_again_takes_the_next_of_five_draws_and_begins_anew_after_the_last(browser, tmp_path):
    press = "() => document.querySelector('[data-control=seed]').click()"
    result = "document.querySelector('figure.regattn').model.result()"
    with opened(browser, tmp_path, example(teacher="noise")) as page:
        seen = [page.evaluate(result)]
        for _ in range(5):
            page.evaluate(press)
            seen.append(page.evaluate(result))
        assert_same(seen[2], expected(page.evaluate(STATE) | {"seed": 3}))
    assert len({tuple(found["map_errors"]) for found in seen}) == 5
    assert seen[5] == seen[0]
