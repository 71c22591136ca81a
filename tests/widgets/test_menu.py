"""What every explorer gets from the kit: the menu, links, numbers to download, and what a page may choose."""

from __future__ import annotations

import csv
import io
import json
from urllib.parse import quote

import numpy as np
import pytest

from tests.widgets.harness import (
    CONTROLS,
    EXPLORERS,
    FIGURE,
    MOVE,
    SHOWN,
    WITH_AXES,
    opened,
    oracle,
    sweep,
)

every = pytest.mark.parametrize("name", EXPLORERS)
in_browser = pytest.mark.browser


def choose(page, item: str) -> None:
    """Take one item of the menu."""
    if not page.evaluate("document.querySelector('.ra-menu').open"):
        page.locator(".ra-menu summary").click()
    page.locator(f"[data-menu='{item}']").click()


def state_of(page, explorer) -> dict:
    return page.evaluate(f"(names) => names.map((n) => {FIGURE}.model.get(n))", list(explorer.controls))


@in_browser
@every
def test_a_copied_link_brings_the_state_back_and_reset_takes_it_away(browser, tmp_path, name):
    explorer = oracle(name).example()
    with opened(browser, tmp_path, explorer) as page:
        start, shown = state_of(page, explorer), json.loads(page.evaluate(SHOWN))[:2]
        for control in page.evaluate(CONTROLS):
            page.evaluate(MOVE, [control, 0.4])
        moved = state_of(page, explorer)
        assert moved != start
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        page.evaluate("document.addEventListener('copy', () => { window.copied = getSelection().toString(); })")
        choose(page, "Copy link")
        address = page.locator(".ra-link").input_value()
        assert page.locator(".ra-said").inner_text() == "Link copied"
        choose(page, "Reset")
        assert state_of(page, explorer) == start
        assert json.loads(page.evaluate(SHOWN))[:2] == shown
        page.evaluate("(hash) => { location.hash = hash; }", address[address.index("#") :])
        page.wait_for_timeout(50)
        assert state_of(page, explorer) == moved
    with opened(browser, tmp_path, explorer, hash=address[address.index("#") :]) as page:
        assert state_of(page, explorer) == moved


@in_browser
@every
def test_a_hostile_address_changes_nothing(browser, tmp_path, name):
    explorer = oracle(name).example()
    odd = ['{"__proto__": 1}', "[1,2]", "null", "{", "%E0%A4%A", '"<img src=x onerror=window.ran=1>"', "7"]
    hostile = ({"<b>": 1}, [[[]]], "x" * 30_000, -1e300)
    odd += [quote(json.dumps(dict.fromkeys(explorer.controls, value))) for value in hostile]
    with opened(browser, tmp_path, explorer, hash=f"#regattn-{name}={odd[0]}") as page:
        start = [json.loads(json.dumps(explorer.state()[control])) for control in explorer.controls]
        for value in odd:
            page.evaluate("(hash) => { location.hash = hash; }", f"#regattn-{name}={value}&regattn-{name}-2=1&x")
            page.wait_for_timeout(20)
            assert state_of(page, explorer) == start
        assert page.evaluate("window.ran ?? null") is None


@in_browser
@every
def test_downloaded_numbers_are_the_result_to_the_last_digit(browser, tmp_path, name):
    explorer = oracle(name).example()
    with opened(browser, tmp_path, explorer) as page:
        with page.expect_download() as waiting:
            choose(page, "Download numbers")
        assert waiting.value.suggested_filename == f"regattn-{name}.csv"
        text = waiting.value.path().read_text(encoding="utf-8-sig")
        result = page.evaluate(f"{FIGURE}.model.result()")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    columns = {key: [row[k] for row in rows if row[k]] for k, key in enumerate(header)}
    whole = {key: value for key, value in result.items() if not isinstance(value, dict)}
    parts = {f"{key}_{name}": part for key, value in result.items() if key not in whole for name, part in value.items()}
    for key, value in (whole | parts).items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            parts = [columns[f"{key}_{j + 1}"] for j in range(len(value[0]))]
            assert np.array_equal(np.array(parts, dtype=float).T, np.array(value))
        elif isinstance(value, list):
            said = [
                str(cell).lower() if isinstance(cell, bool) else cell for cell in value
            ]  # as JavaScript writes them
            assert columns.get(key, []) == said or [float(cell) for cell in columns[key]] == said
        elif value is not None:
            assert columns[key] == [value] if isinstance(value, str) else float(columns[key][0]) == value
    assert set(explorer.controls) - {"sentence", "counts", "typed", "nudges"} <= set(header)


@in_browser
@pytest.mark.parametrize("name", WITH_AXES)
def test_locked_axes_stay_while_controls_move(browser, tmp_path, name):
    axes = "() => [...document.querySelectorAll('.ra-grid')].map((grid) => grid.outerHTML).join()"
    with opened(browser, tmp_path, oracle(name).example()) as page:
        before = page.evaluate(axes)
        choose(page, "Lock axes")
        for control in page.evaluate(CONTROLS):
            page.evaluate(MOVE, [control, 0.95])
            assert page.evaluate(axes) == before, control
        assert page.locator(".ra-badge").inner_text() == "axes locked"
        choose(page, "Lock axes")
        stands = {"average", "spectral"}  # limits that do not follow the data, or keep those of the start within them
        assert (page.evaluate(axes) != before) == (name not in stands)


@in_browser
def test_the_menu_opens_and_closes_by_keyboard(browser, tmp_path):
    with opened(browser, tmp_path, oracle("average").example()) as page:
        page.locator(".ra-menu summary").focus()
        page.keyboard.press("Enter")
        assert page.locator("[data-menu=Reset]").is_visible()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.dataset.menu") == "Reset"
        page.keyboard.press("Escape")
        assert not page.locator("[data-menu=Reset]").is_visible()
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


@in_browser
def test_two_of_a_kind_on_a_page_have_links_of_their_own(browser, tmp_path):
    one, two = oracle("average").example(), oracle("average").example()
    hash = f"#regattn-average-2={quote(json.dumps({'kernel': 'softmax'}))}"
    with opened(browser, tmp_path, one, two, hash=hash) as page:
        kernels = "[...document.querySelectorAll('figure.regattn')].map((f) => f.model.get('kernel'))"
        assert page.evaluate(kernels) == ["identity", "softmax"]
    hash += f"&regattn-average={quote(json.dumps({'kernel': 'softmax'}))}"
    with opened(browser, tmp_path, one, two, hash=hash) as page:
        assert page.evaluate(kernels) == ["softmax", "softmax"]
        assert page.evaluate(f"Math.abs({FIGURE}.getBoundingClientRect().top)") < 200  # at the one named last


# ---- what a page chooses --------------------------------------------------------------------------------------------


@in_browser
@every
def test_what_a_page_hides_is_not_there_and_the_rest_still_works(browser, tmp_path, name):
    module = oracle(name)
    explorer = module.example()
    control, panel = explorer.controls[-1], explorer.panels[-1]
    hide = [control] if len(explorer.panels) == 1 else [control, panel]
    with opened(browser, tmp_path, module.example(hide=hide)) as page:
        assert control not in page.evaluate(CONTROLS)
        assert (page.locator(f"[data-panel={panel}]").count() == 0) == (panel in hide)
        sweep(page, module.expected, parts=(0.7,))


@in_browser
def test_a_preset_sets_its_controls_and_shows_that_it_stands(browser, tmp_path):
    presets = {"the two crises": {"query": -8.0, "kernel": "softmax"}, "boom": {"query": 6.0}}
    with opened(browser, tmp_path, oracle("average").example(presets=presets)) as page:
        button = page.locator("[data-preset='the two crises']")
        assert button.get_attribute("aria-pressed") == "false"
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        assert page.evaluate(f"['query', 'kernel'].map((n) => {FIGURE}.model.get(n))") == [-8, "softmax"]


@pytest.mark.parametrize(("options", "message"), [
    ({"hide": ["curves"]}, "some of query, kernel, sharpness, scatter, running, more, got 'curves'"),
    ({"hide": "query"}, "got 'query'"),
    ({"presets": {"a": {"zoom": 1}}}, "the preset 'a' sets 'zoom'; controls are query, kernel, sharpness"),
    ({"presets": {"a": {"kernel": "relu"}}}, "kernel must be one of the 4 ways to weigh, got 'relu'"),
])  # fmt: skip
def test_what_a_page_cannot_choose_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        oracle("average").example(**options)


def test_an_argument_that_is_no_control_is_refused():
    with pytest.raises(TypeError, match="AverageExplorer got an unexpected keyword argument 'zoom'"):
        oracle("average").example(zoom=2)
