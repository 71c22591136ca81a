"""The ContextExplorer of chapter 22: its steps in the page, and what its presets promise."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.regression import _context_training as training
from regattn.widgets import ContextExplorer
from regattn.widgets.context import PRESETS
from tests.explorers.context import expected
from tests.widgets.harness import FIGURE, SET, STATE, assert_same, opened

KEPT = "0,-0.36,-0.57,-0.36,1.61,-0.43,-0.57,-0.43,1.75"  # Ω of "same rows, own target", but for one cell
NETWORKS = {
    "one layer": {},
    "fixed, clean": {"design": "fixed", "target": "clean", "noise": 2.0, "learning_rate": 0.3},
    "untied": {"depth": 3, "tied": False, "dimension": 5},
    "tied, keys move": {"attention": "plus", "depth": 4, "learning_rate": 0.05},
    "fixed, keys move": {"design": "fixed", "attention": "plus", "depth": 2, "tied": False, "learning_rate": 0.05},
    "one head": {"attention": "softmax", "dimension": 2},
    "two heads": {"attention": "pair", "context": 8, "tested": "loud", "query": 3},
    "untied, keys move, x doubled": {"attention": "plus", "depth": 3, "tied": False, "factor": 2.0, "task": 5},
    "fixed, x doubled": {"design": "fixed", "noise": 2.0, "learning_rate": 0.3, "factor": 2.0, "query": 2},
    "two heads, x doubled": {"attention": "pair", "context": 8, "factor": 1.45, "task": 100},
    "fixed, from what was kept": {"design": "fixed", "noise": 2.0, "learning_rate": 0.3, "kept": KEPT, "begun": 40},
    "two columns, kept numbers of three": {"design": "fixed", "dimension": 2, "kept": KEPT, "begun": 40},
}


def after(preset: str, **options) -> dict:
    """Return what a preset shows when its training has ended."""
    return ContextExplorer(**(PRESETS[preset] | {"step": 600} | options)).result()


# ---- without a browser ----------------------------------------------------------------------------------------------


def test_the_own_target_on_the_same_rows_teaches_least_squares_and_the_clean_one_ridge():
    noisy, clean = (after(f"same rows, {target} target", beside="best") for target in ("own", "clean"))
    assert noisy["gap"] < 1e-3  # there is no floor of noise
    assert noisy["agreement"] > 0.9999
    assert clean["gap"] < 0.03 < 0.2 < after("same rows, clean target")["gap"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_new_rows_teach_the_optimum_of_the_population(seed):
    assert after("new rows", seed=seed)["gap"] < 0.05
    assert after("new rows", beside="inverse", seed=seed)["gap"] > 0.2
    heads = [after(preset, seed=seed) for preset in ("one softmax head", "two softmax heads")]
    assert heads[0]["risk"] > 1.5 * heads[0]["rivals"]["layer"]
    assert heads[1]["risk"] < 0.8 * heads[0]["risk"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_four_layers_beat_least_squares_and_have_learned_the_noise_too(seed):
    found = after("four layers", seed=seed)
    assert found["rivals"]["bayes"] < found["risk"] < found["rivals"]["ols"]
    quiet = after("four layers, less noise when tested", seed=seed)
    assert quiet["risk"] > 2 * quiet["rivals"]["ols"]


def test_with_every_x_doubled_least_squares_answers_as_before_and_four_layers_overshoot():
    found, doubled = after("four layers"), after("four layers, every x doubled")
    for rival in ("ols", "bayes"):
        assert doubled["rivals"][rival] == pytest.approx(found["rivals"][rival], rel=1e-9)
    assert doubled["answers"]["ols"] == pytest.approx(found["answers"]["ols"], rel=1e-9)
    assert doubled["risk"] > 50 * found["risk"]
    query = [row[-1] for row in doubled["left"]]
    assert query[0] == 0
    assert query[-1] == -doubled["answers"]["network"]
    assert query[2] > 5 > -5 > query[3]  # it swings from side to side
    assert query[4] > 5
    shrinks = [sum(map(abs, row[:-1])) for row in found["left"]]
    assert shrinks[-1] < 0.7 * shrinks[0]


def kept(found: dict) -> str:
    """Return the numbers of Ω from which a training on twenty rows goes on."""
    return ",".join(f"{20 * number:.6g}" for row in found["omega"] for number in row)


def test_cells_put_to_zero_come_back_whatever_the_noise():
    begun = after("same rows, own target", kept=KEPT, begun=600, step=0)
    assert begun["omega"][0][0] == 0
    assert begun["risk"] > 2 * begun["rivals"]["ols"]
    assert after("same rows, own target", kept=KEPT, begun=600)["gap"] < 1e-3
    assert after("same rows, clean target", kept=KEPT, begun=40)["shrunk"] < 0.03


def test_where_the_noise_moves_omega_follows_the_ridge_and_stays_on_the_inverse():
    own, clean = (kept(after(f"same rows, {target} target")) for target in ("own", "clean"))
    for noise in (1.0, 2.5):
        moved = [after("same rows, clean target", kept=clean, begun=600, noise=noise, step=k) for k in (0, 20, 600)]
        assert 0.15 < moved[0]["shrunk"] > 1.5 * moved[1]["shrunk"]  # it is on its way at once
        assert moved[2]["shrunk"] < 0.03
        assert after("same rows, own target", kept=own, begun=600, noise=noise, step=20)["gap"] < 1e-3


def test_at_the_inverse_a_task_misses_its_targets_and_moves_nothing():
    found = after("same rows, own target")["drawn"]
    assert np.std(np.subtract(found["targets"], found["answers"])) > 1
    assert np.abs(found["sums"]).max() < 1e-3
    begun = after("same rows, own target", step=0)["drawn"]
    assert not any(begun["answers"])
    assert np.abs(begun["sums"]).max() > 1
    assert np.abs(after("same rows, clean target")["drawn"]["sums"]).max() > 0.5  # zero on average only


def test_tasks_are_counted_on_which_the_network_is_nearer_than_least_squares():
    explorer, nearer = ContextExplorer(steps=60, step=60, depth=2, query=2), 0
    for explorer.task in range(1, 101):
        found = explorer.result()
        network, ols = (abs(found["answers"][who] - found["answers"]["right"]) for who in ("network", "ols"))
        nearer += network < ols
    assert found["nearer"] == nearer


BAD = {
    "depth": 5,
    "context": 7,
    "noise": -1.0,
    "attention": "relu",
    "query": 5,
    "step": 601,
    "kept": "1,x",
    "factor": 0.4,
}


def test_bad_settings_are_refused():
    for name, value in BAD.items():
        with pytest.raises(ValueError, match=f"{name} must be .* got {value!r}"):
            ContextExplorer(**{name: value})
    with pytest.raises(ValueError, match=r"correlation must be ≤ 0\.95, got 1"):
        ContextExplorer(correlation=1.0)


# ---- in the browser -------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("name", NETWORKS)
def test_three_hundred_steps_are_the_packages(browser, tmp_path, name):
    with opened(browser, tmp_path, ContextExplorer(seed=3)) as page:
        found = page.evaluate(SET, [{**NETWORKS[name], "step": 300}, 0])
        assert_same(found, expected(page.evaluate(STATE)), name)


@pytest.mark.browser
def test_rivals_that_coincide_are_one_line_which_is_named_for_all_at_it_or_in_the_legend(browser, tmp_path):
    drawn = "all => all.filter((line) => line.getAttribute('d')).length"
    with opened(browser, tmp_path, ContextExplorer(**PRESETS["same rows, own target"])) as page:
        names = "all => all.map((each) => each.textContent.trim()).filter(Boolean)"
        named = lambda: [  # noqa: E731
            *page.locator("[data-panel=risk] li:visible").all_inner_texts(),
            *page.eval_on_selector_all("[data-panel=risk] .ra-note", names),
        ]
        assert named()[:3] == ["network", "least squares = where descent ends", "Bayes = ridge of the training"]
        for preset, lines in {"same rows, own target": 3, "four layers, less noise when tested": 5}.items():
            page.evaluate(SET, [PRESETS[preset] | {"step": 20}, 0])
            assert len(named()) == lines
            assert page.eval_on_selector_all("[data-panel=risk] path.ra-line", drawn) == lines


@pytest.mark.browser
def test_the_curve_says_where_it_was_lowest_once_it_has_risen(browser, tmp_path):
    with opened(browser, tmp_path, ContextExplorer(**(PRESETS["same rows, own target"] | {"step": 40}))) as page:
        notes = page.locator("[data-panel=risk] .ra-note")
        early = lambda: [words for words in notes.all_text_contents() if "lowest" in words]  # noqa: E731
        assert not early()
        page.evaluate(SET, [{"step": 100}, 0])
        assert early() == ["lowest here, step 40: stopped early"]
        page.evaluate(SET, [{"target": "clean", "step": 100}, 0])
        assert not early()  # its lowest risk is chance of the steps
        page.evaluate(SET, [PRESETS["new rows"] | {"step": 600}, 0])
        assert not early()


@pytest.mark.browser
def test_without_tables_the_axis_of_the_risk_stays_when_the_test_has_less_noise(browser, tmp_path):
    ticks = "[data-panel=risk] svg .ra-grid text"
    explorer = ContextExplorer(**(PRESETS["four layers"] | {"step": 20}), hide=["omega", "theory"])
    with opened(browser, tmp_path, explorer) as page:
        before = page.locator(ticks).all_text_contents()
        page.evaluate(SET, [{"tested": "quiet"}, 0])
        assert page.locator(ticks).all_text_contents() == before


@pytest.mark.browser
def test_the_query_ends_at_its_answer_beside_what_it_answered_as_trained(browser, tmp_path):
    usual = "[data-panel=layers] path.ra-dotted"
    with opened(browser, tmp_path, ContextExplorer(**(PRESETS["four layers"] | {"step": 20}))) as page:
        assert not page.locator(usual).get_attribute("d")
        query = page.locator("[data-panel=layers] path.ra-query:not(.ra-dotted)").first.get_attribute("d")
        page.evaluate(SET, [{"tested": "quiet"}, 0])
        assert page.locator(usual).get_attribute("d") == query


@pytest.mark.browser
def test_a_training_that_runs_away_says_so_in_words(browser, tmp_path):
    explorer = ContextExplorer(**(PRESETS["four layers"] | {"learning_rate": 3.0, "step": 300}))
    step = explorer.result()["diverged_at"]
    with opened(browser, tmp_path, explorer) as page:
        assert f"step {step} would have taken" in page.locator(".ra-live").inner_text()
        drawn = page.eval_on_selector_all("svg, table", "all => all.map((drawing) => drawing.outerHTML).join()")
        assert not {word for word in ("NaN", "Infinity") if word in drawn}
        page.evaluate(SET, [{"attention": "softmax", "learning_rate": 200.0, "step": 50}, 0])
        assert "the steps are too long" in page.locator(".ra-live").inner_text()


# ---- what is pressed in the pictures --------------------------------------------------------------------------------


def now(page, *names: str) -> list:
    """Return where controls stand."""
    return page.evaluate(f"(names) => names.map((name) => {FIGURE}.model.get(name))", names)


@pytest.mark.browser
def test_a_cell_of_omega_that_is_pressed_is_zero_and_the_training_goes_on_from_there(browser, tmp_path):
    with opened(browser, tmp_path, ContextExplorer(**(PRESETS["same rows, own target"] | {"step": 80}))) as page:
        cells = page.locator("[data-panel=omega] tbody td")
        others = cells.nth(1).inner_text()
        cells.nth(0).click()
        assert now(page, "step", "begun") == [0, 80]
        assert page.locator("[data-output=step]").inner_text() == "80 + 0"
        assert [cells.nth(k).inner_text() for k in (0, 1)] == ["0.00", others]
        past = page.locator("[data-panel=risk] path.ra-line.ra-neutral.ra-dotted").get_attribute("d")
        before, after = (end.split(",") for end in past.split("L")[-2:])
        assert before[0] == after[0]  # it jumps where it stood
        assert float(after[1]) < float(before[1])
        assert page.locator(".ra-live").inner_text().startswith("Put to zero: risk 0.")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        assert now(page, "step", "begun") == [0, 80]
        assert now(page, "kept")[0].startswith("0,0,")
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)), "two cells")
        page.evaluate(SET, [{"step": 600}, 0])
        assert page.locator(".ra-live").inner_text().startswith("Ω is back.")
        cells.nth(8).click()
        assert now(page, "step", "begun") == [0, 680]
        page.click("[data-play=start]")
        assert now(page, "step", "kept", "begun") == [0, "", 0]  # back to zero


@pytest.mark.browser
def test_where_noise_or_target_move_omega_is_kept_and_what_plays_goes_on(browser, tmp_path):
    explorer = ContextExplorer(**(PRESETS["same rows, clean target"] | {"step": 600}))
    with opened(browser, tmp_path, explorer) as page:
        cells, live = page.locator("[data-panel=omega] tbody td"), page.locator(".ra-live")
        numbers = cells.all_inner_texts()
        page.focus("[data-control=noise]")
        for _ in range(10):
            page.keyboard.press("ArrowRight")
        assert cells.all_inner_texts() == numbers
        assert now(page, "noise", "step", "begun") == [2.5, 0, 600]
        assert live.inner_text().startswith("Noise 2.00 → 2.50: the ridge moved, Ω is 17")
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)), "kept")
        page.click("[data-play=play]")
        page.wait_for_function(f"() => {FIGURE}.model.get('step') > 2")
        page.focus("[data-control=noise]")
        page.keyboard.press("ArrowLeft")
        assert now(page, "noise") == [2.45]
        page.wait_for_function(f"() => {FIGURE}.model.get('step') > 2 && {FIGURE}.model.get('begun') > 602")
        page.click("[data-play=play]")
        page.select_option("[data-control=target]", "noisy")
        assert live.inner_text().startswith("From here it is told its own target: Ω is ")
        assert now(page, "step") == [0]


@pytest.mark.browser
def test_the_task_of_the_step_is_drawn_and_says_when_it_moves_omega_no_more(browser, tmp_path):
    with opened(browser, tmp_path, ContextExplorer(**PRESETS["same rows, own target"])) as page:
        said, dots = (page.locator(f"[data-panel=drawn] {part}") for part in (".ra-below", "path.ra-dot"))
        assert said.inner_text() == "These sums, times X′y, move Ω."
        first = dots.get_attribute("d")
        page.evaluate(SET, [{"step": 1}, 0])
        assert dots.get_attribute("d") != first
        page.evaluate(SET, [{"step": 600}, 0])
        assert said.inner_text() == "Dots stay off the line, and the sums are zero: no such task moves Ω."
        page.evaluate(SET, [{"step": 600, "target": "clean"}, 0])
        assert said.inner_text() == "No task is at rest; over many, the sums times X′y cancel."


@pytest.mark.browser
def test_one_layer_for_new_rows_is_beside_where_descent_ends(browser, tmp_path):
    with opened(
        browser, tmp_path, ContextExplorer(**(PRESETS["new rows"] | {"beside": "inverse", "step": 600}))
    ) as page:
        heads = page.locator(".ra-panel:has(table) > .ra-title").all_inner_texts()
        assert heads == ["Ω, times n", "The inverse, of the mean", "Where descent ends"]
        assert page.locator("[data-panel=ridge] p.ra-strong").count() == 1


@pytest.mark.browser
def test_a_press_on_the_curve_sets_the_step_and_the_curve_stays(browser, tmp_path):
    with opened(browser, tmp_path, ContextExplorer(**(PRESETS["same rows, own target"] | {"step": 600}))) as page:
        curve = page.locator("[data-panel=risk] path.ra-line.ra-prediction:not(.ra-dotted)")
        plot = page.locator("[data-panel=risk] svg")
        before, box = curve.get_attribute("d"), plot.bounding_box()
        plot.click(position={"x": box["width"] / 3, "y": 90})
        assert 50 < now(page, "step")[0] < 300
        assert curve.get_attribute("d") == before
        plot.focus()
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        assert now(page, "step") == [0]


@pytest.mark.browser
def test_a_training_that_has_not_arrived_says_why(browser, tmp_path):
    far = PRESETS["same rows, own target"] | {"dimension": 5, "context": 8, "step": 600}
    X = training.tests(ContextExplorer(**far).settings())[0].X[0]
    with opened(browser, tmp_path, ContextExplorer(**far)) as page:
        said = page.locator(".ra-live").inner_text()
        why = f"the weakest direction of the rows is learned last (condition number {np.linalg.cond(X.T @ X):.2g})"
        assert f"not enough: {why}" in said


@pytest.mark.browser
def test_keys_train_as_many_layers_and_keep_their_risks(browser, tmp_path):
    explorer = ContextExplorer(**(PRESETS["four layers"] | {"step": 0}), steps=20, hide=["omega", "theory", "ridge"])
    with opened(browser, tmp_path, explorer, width=1280) as page:
        keys = page.locator(".ra-layer-keys > span")
        ended = f"() => {FIGURE}.model.get('step') === 20"
        for depth in (2, 1):
            box = keys.nth(depth - 1).bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            assert now(page, "depth") == [depth]
            page.wait_for_function(ended)
        explorer.step = 20
        risks = ["–"] * 4
        for explorer.depth in (1, 2):
            risks[explorer.depth - 1] = f"{explorer.result()['risk']:.3g}"
        assert page.locator(".ra-layer-keys small").all_inner_texts() == risks
        box = keys.nth(1).bounding_box()
        page.mouse.click(box["x"] + 9, box["y"] + 9)
        assert now(page, "depth", "step") == [2, 20]  # it is not trained twice
        page.keyboard.press("ArrowLeft")
        assert now(page, "depth", "step") == [1, 20]
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert now(page, "depth", "step") == [3, 0]


@pytest.mark.browser
def test_a_hand_multiplies_every_x_and_is_told_from_where_least_squares_is_better(browser, tmp_path):
    hide = ["omega", "theory", "ridge"]
    explorer = ContextExplorer(**(PRESETS["four layers"] | {"step": 600}), hide=hide)
    with opened(browser, tmp_path, explorer, width=1280) as page:
        at = page.locator("[data-panel=factors] .ra-handle").bounding_box()
        x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 700, y)
        page.mouse.up()
        assert now(page, "factor") == [2]
        said = page.locator(".ra-live").inner_text()
        assert "4 times as long as in training: on these hundred tasks the risk is 83.6, and at 1 it is 0.785." in said
        assert "From 0.6 to 1.35 the network beats least squares" in said
        assert "It is nearer than least squares in 31 of 100 tasks." in said
        assert page.locator("[data-panel=risk] > .ra-title").inner_text() == "Risk, every x as in training"
        row = page.locator(".ra-layer-row").inner_text()
        assert "Layers, risks at 2.00" in row
        assert "83.6" in row
        ols = explorer.result()["rivals"]["ols"]
        for explorer.factor, better in {0.55: False, 0.6: True, 1.35: True, 1.4: False}.items():
            assert (explorer.result()["risk"] < ols) is better


@pytest.mark.browser
def test_the_risk_with_every_x_multiplied_is_drawn_and_pressed_while_it_trains(browser, tmp_path):
    hide = ["omega", "theory", "ridge", "drawn"]
    explorer = ContextExplorer(**(PRESETS["four layers"] | {"step": 0}), hide=hide)
    with opened(browser, tmp_path, explorer, width=1280) as page:
        curve = page.locator("[data-panel=factors] path.ra-line.ra-prediction")
        drawn = [curve.get_attribute("d")]
        for step in (20, 30, 40):
            page.evaluate(SET, [{"step": step}, 0])
            drawn.append(curve.get_attribute("d"))
        assert drawn[1] == drawn[2]
        assert len(set(drawn)) == 3
        plot = page.locator("[data-panel=factors] svg")
        plot.click(position={"x": 0.3 * plot.bounding_box()["width"], "y": 60})
        assert 0.5 <= now(page, "factor")[0] < 0.9


@pytest.mark.browser
def test_all_layers_are_trained_by_one_press_and_the_picture_stays(browser, tmp_path):
    explorer = ContextExplorer(**(PRESETS["four layers"] | {"step": 0}), steps=20, hide=["omega", "theory", "ridge"])
    with opened(browser, tmp_path, explorer, width=1280) as page:
        page.click(".ra-train")
        page.wait_for_function("() => document.querySelectorAll('.ra-layer-keys small')[3].textContent !== '–'")
        assert now(page, "depth", "step") == [4, 0]
        explorer.step, risks = 20, []
        for factor in (1.0, 0.5):
            page.evaluate(SET, [{"factor": factor}, 0])
            for explorer.depth in (1, 2, 3, 4):
                explorer.factor = factor
                risks.append(explorer.result()["risk"])
            shown = [float(words) for words in page.locator(".ra-layer-keys small").all_inner_texts()]
            assert shown == pytest.approx(risks[-4:], rel=5e-3)
        assert page.locator(".ra-train").is_disabled()


@pytest.mark.browser
def test_words_in_the_risk_lie_on_no_line_and_on_no_other_words(browser, tmp_path):
    boxes = """all => all.filter((text) => text.textContent).map((text) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      return [left, right, top + 3, bottom - 3];
    })"""
    with opened(browser, tmp_path, ContextExplorer(**(PRESETS["same rows, own target"] | {"step": 600}))) as page:
        found = page.eval_on_selector_all("[data-panel=risk] :is(.ra-note, .ra-grid text)", boxes)
        for k, (left, right, top, bottom) in enumerate(found):
            for other in found[:k]:
                assert not (left < other[1] and other[0] < right and top < other[3] and other[2] < bottom)


@pytest.mark.browser
def test_a_bar_that_is_pointed_at_says_which_row_it_is_and_what_the_layers_leave_of_it(browser, tmp_path):
    explorer = ContextExplorer(**(PRESETS["four layers"] | {"step": 20}))
    found = explorer.result()
    first = int(np.argmax(found["proximity"]))
    with opened(browser, tmp_path, explorer) as page:
        page.locator("[data-panel=weights] svg").focus()
        page.keyboard.press("Home")
        said = page.locator("[data-panel=weights] svg").get_attribute("aria-valuetext")
        assert said.startswith(f"row {first + 1}, whose outcome is ")
        line = page.locator("[data-panel=layers] path.ra-line.ra-key")
        assert line.get_attribute("d")
        assert (
            f"row {first + 1}: what is left of it" in page.locator("[data-panel=layers] .ra-note").all_text_contents()
        )
        page.keyboard.press("Escape")
        assert not line.get_attribute("d")


@pytest.mark.browser
def test_with_less_noise_it_says_so_and_at_which_factor_the_risk_is_least(browser, tmp_path):
    explorer = ContextExplorer(**(PRESETS["four layers, less noise when tested"] | {"step": 600}), hide=["omega"])
    with opened(browser, tmp_path, explorer) as page:
        assert "with a third of the noise it learned with" in page.locator(".ra-live").inner_text()
        page.evaluate(SET, [{"factor": 1.1}, 0])
        explorer.factor = 1.25
        least = f"It is least at 1.25, {explorer.result()['risk']:.3g}."
        assert least in page.locator(".ra-live").inner_text()
        for explorer.factor in (1.2, 1.3):
            assert explorer.result()["risk"] > float(least[-6:-1])
