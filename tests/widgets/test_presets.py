"""What a preset promises: its run finished, what it changes in More shown, sizes compared; and what a move leaves."""

from __future__ import annotations

import json

import pytest

from tests.widgets.harness import EXPLORERS, FIGURE, MOVE, opened, oracle

pytestmark = pytest.mark.browser
AXES = "() => [...document.querySelectorAll('.ra-grid')].map((grid) => grid.outerHTML).join()"
MORE = "() => document.querySelector('.ra-more').open"
RUNNING = ["context", "descent", "embedding", "network"]
GHOSTS = """() => [...document.querySelectorAll("path.ra-dotted")].map((line) => line.getAttribute("d") ?? "")"""
LINES = """() => [...document.querySelectorAll("path.ra-line.ra-prediction:not(.ra-dotted)")]
  .map((line) => line.getAttribute("d"))"""


def far_end(spec: dict) -> object:
    """Return a value of a control other than the one at the start."""
    return {"tick": True}.get(spec["kind"]) or (spec["options"][-1][0] if spec["kind"] == "choice" else spec["max"])


@pytest.mark.parametrize("name", RUNNING)
def test_a_preset_runs_to_the_end_what_it_leaves_at_its_start(browser, tmp_path, name):
    explorer = oracle(name).example(presets={"run": {"step": 0}, "one step": {"step": 1}})
    with opened(browser, tmp_path, explorer) as page:
        page.emulate_media(reduced_motion="reduce")
        page.locator("[data-preset=run]").click()
        last = next(spec["max"] for spec in explorer.kit["controls"] if spec["name"] == "step")
        assert page.evaluate(f"{FIGURE}.model.get('step')") == last
        assert page.locator("[data-preset=run]").get_attribute("aria-pressed") == "true"
        page.locator("[data-preset='one step']").click()
        assert page.evaluate(f"{FIGURE}.model.get('step')") == 1


def test_a_preset_plays_where_motion_is_welcome(browser, tmp_path):
    with opened(browser, tmp_path, oracle("descent").example(presets={"run": {"step": 0}})) as page:
        page.locator("[data-preset=run]").click()
        page.wait_for_function(f"{FIGURE}.model.get('step') > 2")
        assert page.locator("[data-play=play]").inner_text() == "Pause"
        assert page.locator("[data-preset=run]").get_attribute("aria-pressed") == "true"


def test_where_what_plays_only_points_a_preset_leaves_it(browser, tmp_path):
    with opened(browser, tmp_path, oracle("depth").example(presets={"none": {"layers": 0}})) as page:
        page.emulate_media(reduced_motion="reduce")
        page.locator("[data-preset=none]").click()
        assert page.evaluate(f"{FIGURE}.model.get('layers')") == 0


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_preset_or_a_link_that_changes_something_in_more_opens_it(browser, tmp_path, name):
    module = oracle(name)
    explorer = module.example()
    kinds = ("tick", "choice", "count", "slider")
    first = [spec["name"] for spec in explorer.kit["controls"] if spec.get("first")]
    rest = [spec for spec in explorer.kit["controls"] if spec["kind"] in kinds and spec["name"] not in first]
    moved = [spec for spec in rest if far_end(spec) != getattr(explorer, spec["name"])]
    if not moved:
        return
    values = {moved[0]["name"]: far_end(moved[0])}
    with opened(browser, tmp_path, module.example(presets={"start": {}, "moved": values}), more=False) as page:
        page.emulate_media(reduced_motion="reduce")
        page.locator("[data-preset=start]").click()
        page.locator("[data-preset=start]").click()  # a run that it began has ended, and changes nothing in More
        assert page.evaluate(MORE) is False
        page.locator("[data-preset=moved]").click()
        assert page.evaluate(MORE) is True
    kind = type(explorer).__name__.removesuffix("Explorer").lower()
    with opened(browser, tmp_path, explorer, more=False, hash=f"#regattn-{kind}={json.dumps(values)}") as page:
        assert page.evaluate(MORE) is True


@pytest.mark.parametrize("name", ["average", "kernel", "lag", "spectral"])
def test_a_preset_that_compares_sizes_leaves_the_axes_as_they_are(browser, tmp_path, name):
    explorer = oracle(name).example()
    specs = [spec for spec in explorer.kit["controls"] if spec.get("first")]
    presets = {"compared": {spec["name"]: far_end(spec) for spec in specs} | {"lock": True}}
    with opened(browser, tmp_path, oracle(name).example(presets=presets)) as page:
        before = page.evaluate(AXES)
        page.locator("[data-preset=compared]").click()
        assert page.evaluate(f"{FIGURE}.model.get('{specs[0]['name']}')") == far_end(specs[0])
        assert page.evaluate(AXES) == before


@pytest.mark.parametrize(("name", "control"), [("kernel", "temperature"), ("filter", "level"), ("depth", "step")])
def test_what_was_shown_before_a_move_stays_until_the_next_control_moves(browser, tmp_path, name, control):
    with opened(browser, tmp_path, oracle(name).example()) as page:
        (start, *_), ghosts = page.evaluate(LINES), page.evaluate(GHOSTS)
        assert set(ghosts) == {""}
        for part in (0.2, 0.1):
            page.evaluate(MOVE, [control, part])
            assert page.evaluate(GHOSTS)[0] == start
            assert page.evaluate(LINES)[0] != start
        before = page.evaluate(LINES)[0]
        page.locator("[data-menu=Reset]").evaluate("(button) => button.click()")
        assert page.evaluate(GHOSTS)[0] == before


def test_the_smoother_that_a_kernel_is_compared_with_leaves_no_trace(browser, tmp_path):
    smoother = """() => document.querySelector("path.ra-line.ra-neutral.ra-dashed").getAttribute("d")"""
    with opened(browser, tmp_path, oracle("kernel").example(presets={"even": {"normalise_keys": True}})) as page:
        (start, *_), before = page.evaluate(LINES), page.evaluate(smoother)
        page.locator("[data-preset=even]").click()
        ghosts = page.evaluate(GHOSTS)
        assert start in ghosts
        assert before not in ghosts
        assert page.evaluate(smoother) != before
