"""The ConvolutionExplorer of chapter 2. What every explorer does: test_every_explorer.py."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from regattn.widgets import ConvolutionExplorer
from tests.explorers.convolution import example
from tests.widgets.harness import SET, assert_same, opened

KERNEL = np.array([[0.5, -1.0, 2.0], [0.0, 1.5, -0.5], [3.0, 0.0, -2.0]])
CELLS = {f"kernel_{i + 1}{j + 1}": float(KERNEL[i, j]) for i in range(3) for j in range(3)}


def made_up(**options) -> ConvolutionExplorer:
    return ConvolutionExplorer(np.random.default_rng(2).normal(size=(2, 7, 11)), **(CELLS | options))


# ---- without a browser ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", [0, 2])
def test_the_stages_are_torchs_layers(stride, padding):
    explorer = made_up(stride=stride, padding=padding, bias=0.3, image=1)
    image, kernel = (torch.tensor(part.copy())[None, None] for part in (explorer.images[1], explorer.kernel()))
    phi = functional.conv2d(image, kernel, stride=stride, padding=padding)
    found = explorer.result()
    np.testing.assert_allclose(found["feature_map"], phi[0, 0], atol=1e-12)
    activated = functional.relu(phi + 0.3)
    np.testing.assert_allclose(found["activated"], activated[0, 0], atol=1e-12)
    np.testing.assert_allclose(found["pooled"], functional.max_pool2d(activated, 2)[0, 0], atol=1e-12)


def test_a_turned_kernel_is_read_backwards():
    np.testing.assert_array_equal(made_up().kernel(), KERNEL)
    np.testing.assert_array_equal(made_up(turned=True).kernel(), KERNEL[::-1, ::-1])


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.ones((8, 8)), r"images must have shape \(k, height, width\), .* got \(8, 8\)"),
        (np.ones((1, 5, 8)), r"each from 6 to 28, got \(1, 5, 8\)"),
        (np.full((1, 8, 8), np.nan), "images must be finite, got nan"),
        (np.full((1, 8, 8), 1e7), "at most 1e6, got 1e"),
    ],
)
def test_bad_images_are_refused(images, message):
    with pytest.raises(ValueError, match=message):
        ConvolutionExplorer(images)


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("kernel_13", 10.0, "kernel_13 must be ≤ 9, got 10.0"),
        ("stride", 0, "stride must be ≥ 1, got 0"),
        ("padding", 3, r"padding must be ≤ 2 \(the most rings\), got 3"),
        ("image", 2, r"image must be ≤ 1 \(the last image\), got 2"),
        ("place", 117, r"place must be ≤ 116 \(the last place\), got 117"),
        ("turned", 1, "turned must be True or False, got 1"),
    ],
)
def test_a_bad_trait_is_refused(trait, value, message):
    explorer = made_up()
    with pytest.raises(ValueError, match=message):
        setattr(explorer, trait, value)


# ---- in the browser -------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("turned", [False, True])
def test_every_stage_is_the_packages(browser, tmp_path, turned):
    explorer = made_up(turned=turned)
    with opened(browser, tmp_path, explorer) as page:
        for stride, padding, place in [(1, 0, 7), (2, 1, 100), (3, 2, 3), (1, 2, 60)]:
            knobs = {"stride": stride, "padding": padding, "place": place, "bias": -0.4, "image": 1}
            for name, value in knobs.items():
                setattr(explorer, name, value)
            assert_same(page.evaluate(SET, [knobs, 0]), explorer.result())


@pytest.mark.browser
def test_a_button_sets_the_kernel_and_a_cell_can_be_typed(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.get_by_role("button", name="identity").click()
        page.locator("[data-control='kernel_12']").fill("-2")
        found = page.evaluate("document.querySelector('figure.regattn').model.result()")
    expected = example(**dict.fromkeys(CELLS, 0.0) | {"kernel_22": 1.0, "kernel_12": -2.0})
    assert_same(found, expected.result())


@pytest.mark.browser
def test_an_empty_cell_changes_nothing_and_shows_its_number_again(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        before = page.evaluate("document.querySelector('figure.regattn').model.result()")
        cell = page.locator("[data-control='kernel_12']")
        cell.fill("")
        assert page.evaluate("document.querySelector('figure.regattn').model.result()") == before
        cell.blur()
        assert cell.input_value() == "1"


@pytest.mark.browser
def test_the_window_is_framed_in_image_and_map(browser, tmp_path):
    with opened(browser, tmp_path, example(stride=2, padding=1, place=6)) as page:
        read = "(frames) => frames.map((f) => ['y', 'x', 'height'].map((name) => Number(f.getAttribute(name))))"
        frames = page.eval_on_selector_all(".ra-window", read)
    assert frames == [[2, 4, 3], [1, 2, 1], [0, 2, 2], [0, 1, 1]]  # place 6 is row 1, column 2 of a map of 4 × 4


@pytest.mark.browser
def test_the_kernel_stands_on_the_window_and_the_slider_ends_at_the_last_place(browser, tmp_path):
    with opened(browser, tmp_path, example(turned=True, padding=1)) as page:
        numbers = page.locator(".ra-kernel-number").all_text_contents()
        assert numbers == ["−1"] * 3 + ["0"] * 3 + ["1"] * 3  # lower edges, turned
        slider = page.locator("[data-control='place']")
        assert slider.get_attribute("max") == "63"
        page.evaluate(SET, [{"padding": 0, "place": 60}, 0])
        assert (slider.get_attribute("max"), slider.input_value()) == ("35", "35")
        assert page.locator("[data-output='place']").text_content() == "36"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("width", "button", "below"), [(390, "lower edges", False), (390, "blur", True), (800, "blur", False)]
)
def test_a_kernel_that_has_no_room_on_the_window_stands_below_the_image(browser, tmp_path, width, button, below):
    with opened(browser, tmp_path, example()) as page:
        page.set_viewport_size({"width": width, "height": 844})
        page.get_by_role("button", name=button).click()
        square = page.locator(".ra-kernel-below")
        shown = square.locator("span") if below else page.locator(".ra-kernel-number")
        assert square.is_visible() == below
        written = {"blur": ["0.11"] * 9, "lower edges": ["1"] * 3 + ["0"] * 3 + ["−1"] * 3}[button]
        assert shown.all_text_contents() == written
        if not below:
            boxes = [number.bounding_box() for number in shown.all()]
            cell = page.locator(".ra-cells rect").first.bounding_box()["width"]
            assert all(box["width"] <= cell and box["height"] >= 9 for box in boxes)
