"""The KernelExplorer in a real browser, from a file, with the network cut off."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from regattn import attend
from regattn.widgets.kernel import KernelExplorer, _standardised_codes
from tests.explorers.kernel import example, expected
from tests.widgets.harness import MOVE, PICTURE, SET, assert_same, opened

CONTROLS = ["kernel", "temperature", "neighbours", "include_self", "normalise_keys", "amplify", "query"]
KERNELS = ["softmax", "gaussian", "relu", "elu", "nearest", "identity"]
N = 61


# ---- numbers, without a browser --------------------------------------------------------------------------------------


def test_the_identity_kernel_draws_the_least_squares_line():
    explorer = example(kernel="identity")
    x, y = np.array(explorer.data["x"]), np.array(explorer.data["y"])
    np.testing.assert_allclose(explorer.result()["fitted"], np.polyval(np.polyfit(x, y, 1), x), rtol=1e-9)


def test_identity_is_least_squares_whichever_boxes_are_ticked():
    explorer = example(kernel="identity")
    line = explorer.result()
    explorer.include_self, explorer.normalise_keys, explorer.amplify = False, True, True
    assert explorer.result()["fitted"] == line["fitted"]
    assert line["gap"] == 0


def test_a_hot_softmax_enlarged_by_its_temperature_has_the_weights_of_least_squares():
    explorer = example(kernel="identity", query=5)
    wanted = np.array(explorer.result()["weights"])
    explorer.kernel, explorer.amplify = "softmax", True
    apart = []
    for temperature in (10.0, 100.0, 1000.0):
        explorer.temperature = temperature
        apart.append(np.abs(explorer.result()["weights"] - wanted).max())
    assert wanted.min() < 0
    assert apart[2] < 0.01 * np.abs(wanted).max()
    # the first term left out is of second order, so ten times hotter is ten times closer
    assert 8 < apart[0] / apart[1] < 12
    assert 9 < apart[1] / apart[2] < 11


def test_softmax_joins_the_gaussian_smoother_when_keys_have_one_length_and_not_before():
    explorer = example(temperature=0.05)
    before = explorer.result()
    assert np.abs(np.subtract(before["fitted"], before["smoother"])).max() > 0.5
    explorer.normalise_keys = True
    after = explorer.result()
    np.testing.assert_allclose(after["fitted"], after["smoother"], rtol=1e-10)


def test_a_cold_kernel_that_may_see_itself_repeats_the_data_and_one_that_may_not_does_not():
    x = np.arange(29.0)
    explorer = KernelExplorer(x, np.sin(x) + x / 10, kernel="gaussian", temperature=0.001)
    cold = explorer.result()["error"]
    explorer.include_self = False
    assert explorer.result()["own"] == 0
    assert explorer.result()["error"] > 10 * cold


def test_rows_are_sorted_by_x_and_keep_their_names():
    explorer = KernelExplorer(
        [3.0, 1.0, 2.0], [30.0, 10.0, 20.0], labels=["c", "a", "b"], kernel="nearest", neighbours=1
    )
    assert explorer.data["labels"] == ["a", "b", "c"]
    assert explorer.result()["fitted"] == [10.0, 20.0, 30.0]


def test_codes_of_your_own_take_the_place_of_the_standard_ones():
    x, y = np.array([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 2.0])
    explorer = KernelExplorer(x, y, codes=lambda x: np.column_stack([x, x**2]), temperature=10.0)
    F = np.column_stack([x, x**2])
    np.testing.assert_allclose(explorer.result()["fitted"], attend(F, F, y, scale=0.1), rtol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1.0, 1.0], [0.0, 1.0]), {}, "numbers that vary"),
        (([1.0, 2.0], [0.0]), {}, "y has 1 entries but there are 2"),
        (([1.0, 2.0], [[0.0], [1.0]]), {}, r"got shape \(2, 1\)"),
        (([1.0, np.nan], [0.0, 1.0]), {}, "x must be finite, got nan"),
        (([1.0, 2.0], [0.0, 1.0]), {"kernel": "cosine"}, "got 'cosine'"),
        (([1.0, 2.0], [0.0, 1.0]), {"temperature": 0.0}, "temperature must be ≥ 1e-07, got 0.0"),
        (([1.0, 2.0], [0.0, 1.0]), {"query": 2}, "got 2"),
        (([1.0, 2.0], [0.0, 1.0]), {"neighbours": 0}, "got 0"),
        (([1.0, 2.0], [0.0, 1.0]), {"codes": lambda x: np.zeros((2, 1))}, "none of length zero"),
        (([1.0, 2.0], [0.0, 1.0]), {"labels": ["a"]}, "labels has 1 entries"),
    ],
)
def test_an_argument_out_of_range_is_named_with_its_value(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        KernelExplorer(*arguments, **options)


# ---- in the browser --------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_numbers_equal_the_packages_over_a_grid(browser, tmp_path):
    explorer = example()
    with opened(browser, tmp_path, explorer) as page:
        yes_no = (True, False)
        for kernel, temperature, *ticks in product(KERNELS, (0.001, 0.3, 100.0), yes_no, yes_no, yes_no):
            values = dict(zip(("include_self", "normalise_keys", "amplify"), ticks, strict=True))
            values |= {"kernel": kernel, "temperature": temperature, "query": 37, "neighbours": 7}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}))
        assert "NaN" not in page.evaluate(PICTURE)


@pytest.mark.browser
@pytest.mark.parametrize("n", [2, 3])
def test_numbers_equal_the_packages_for_very_few_rows(browser, tmp_path, n):
    explorer = example(n)
    with opened(browser, tmp_path, explorer) as page:
        for kernel, own in product(KERNELS, (True, False)):
            values = {"kernel": kernel, "include_self": own, "neighbours": 1}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}))
        assert "NaN" not in page.evaluate(PICTURE)


@pytest.mark.browser
def test_every_printed_number_is_the_one_that_result_returns(browser, tmp_path):
    explorer = example(query=11, kernel="elu")
    with opened(browser, tmp_path, explorer) as page:
        for key in ("prediction", "own", "total", "error", "gap"):
            printed = page.locator(f'[data-output="{key}"]').inner_text().replace("−", "-")
            assert float(printed) == pytest.approx(explorer.result()[key], rel=5e-3)
        observed = page.locator('[data-output="observed"]').inner_text().replace("−", "-")
        assert float(observed) == pytest.approx(explorer.data["y"][11], rel=5e-3)
        weights = np.array(explorer.result()["weights"])
        words = page.locator(".ra-live").inner_text()
        assert f"{(weights > 1 / N).sum()} of {N}" in words
        assert f"{(weights < 0).sum()} of {N}" in words


@pytest.mark.browser
@pytest.mark.parametrize("control", CONTROLS)
def test_a_control_moves_the_picture(browser, tmp_path, control):
    options = {"kernel": "nearest"} if control == "neighbours" else {}
    with opened(browser, tmp_path, example(202, temperature=0.1, **options)) as page:
        pictures = set()
        for part in np.linspace(0, 1, 21).tolist():
            page.evaluate(MOVE, [control, part])
            pictures.add(page.evaluate(PICTURE))
        assert len(pictures) >= (2 if "_" in control or control == "amplify" else 5)


@pytest.mark.browser
def test_a_click_on_an_observation_makes_it_the_query(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.locator("[data-panel=weights] svg").click(position={"x": 400, "y": 100})
        chosen = page.evaluate("document.querySelector('figure.regattn').model.get('query')")
        assert chosen > 0
        assert page.locator('[data-output="query"]').inner_text() in page.locator(".ra-live strong").inner_text()


@pytest.mark.browser
def test_arrow_keys_read_the_weights_and_enter_asks(browser, tmp_path):
    explorer = example(query=20)
    with opened(browser, tmp_path, explorer) as page:
        plot = page.locator("[data-panel=weights] svg")
        plot.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        words = plot.get_attribute("aria-valuetext").replace("−", "-")
        place = int(plot.get_attribute("aria-valuenow"))
        weight = float(words.split("weight ")[1].split("\n")[0])
        assert weight == pytest.approx(explorer.result()["weights"][place], rel=5e-3)
        page.keyboard.press("Enter")
        assert page.evaluate("document.querySelector('figure.regattn').model.get('query')") == place


def test_standard_codes_are_orthogonal_with_squares_that_sum_to_n():
    F = _standardised_codes(np.array([1.0, 5.0, 2.0, 9.0, 4.0]))
    np.testing.assert_allclose(F.T @ F, 5 * np.eye(2), atol=1e-12)


@pytest.mark.browser
def test_what_is_enlarged_says_so_for_no_weight_of_softmax_is_negative(browser, tmp_path):
    with opened(browser, tmp_path, example(temperature=1000.0)) as page:
        assert page.locator("[data-output=below]").inner_text() == f"0 of {N}"
        page.evaluate(SET, [{"amplify": True}, 0])
        assert page.locator("[data-output=below]").inner_text().endswith(f" of {N}, enlarged")
        page.evaluate(SET, [{"kernel": "gaussian"}, 0])
        assert page.locator("[data-output=below]").inner_text() == f"0 of {N}"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({}, True),
        ({"hide": ["kernel", "amplify"]}, False),
        ({"hide": ["kernel", "amplify"], "presets": {"line": {"kernel": "identity"}}}, True),
        ({"hide": ["kernel", "amplify"], "amplify": True}, True),
    ],
)
def test_a_weight_below_zero_is_named_only_where_one_can_come_up(browser, tmp_path, options, named):
    with opened(browser, tmp_path, example(**options)) as page:
        assert ("weight below zero" in page.locator("[data-panel=curve] .ra-legend").inner_text()) is named
