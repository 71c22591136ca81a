"""The AverageExplorer of the front page. What every explorer does: test_every_explorer.py."""

from __future__ import annotations

import numpy as np
import pytest

from regattn.widgets import AverageExplorer
from tests.explorers.average import example
from tests.widgets.harness import SET, assert_same, opened


def test_an_input_that_does_not_vary_is_refused():
    with pytest.raises(ValueError, match=r"x must vary, got 2.0 in all 3 places"):
        AverageExplorer([2.0, 2.0, 2.0], [1.0, 2.0, 3.0])


def test_least_squares_on_the_front_page_is_the_straight_line():
    explorer = example(query=-3.0)
    line = np.polynomial.Polynomial.fit(explorer.x, explorer.y, 1)
    assert explorer.result()["prediction"] == pytest.approx(line(-3.0), rel=1e-10)


def test_softmax_weights_on_the_front_page_are_positive_and_sum_to_one():
    weights = np.array(example(query=-8.0, kernel="softmax").result()["weights"])
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1, rel=1e-12)


def test_gaussian_weights_are_those_of_the_nadaraya_watson_smoother():
    explorer = example(query=-3.0, kernel="gaussian", sharpness=4.0)
    z = (explorer.x - explorer.x.mean()) / explorer.x.std()
    near = np.exp(-2.0 * (z - (-3.0 - explorer.x.mean()) / explorer.x.std()) ** 2)
    assert explorer.result()["weights"] == pytest.approx(near / near.sum(), rel=1e-10)


def test_under_a_line_a_straight_line_is_answered_exactly_also_beyond_the_cases():
    x = np.linspace(0, 1, 41)
    explorer = AverageExplorer(x, 2 * x, query=1.2, kernel="line", line=True, sharpness=0.5)
    assert explorer.result()["prediction"] == pytest.approx(2.4, abs=0.01)
    assert min(explorer.result()["weights"]) < 0


def test_a_line_under_weights_that_are_alike_on_both_sides_is_the_average():
    x = np.linspace(0, 1, 41)
    found = [
        AverageExplorer(x, np.sin(7 * x), query=0.5, kernel=kernel, line=True).result()
        for kernel in ("line", "gaussian")
    ]
    assert found[0]["weights"] == pytest.approx(found[1]["weights"])


def test_a_line_is_offered_only_where_it_was_asked_for():
    with pytest.raises(ValueError, match="kernel must be one of the 3 ways to weigh, got 'line'"):
        AverageExplorer([0.0, 1.0, 2.0], [1.0, 2.0, 3.0], kernel="line")


def test_the_outcomes_stay_with_their_inputs_when_they_are_put_in_order():
    explorer = AverageExplorer([3.0, 1.0, 2.0], [30.0, 10.0, 20.0], labels=["c", "a", "b"])
    assert (explorer.data["x"], explorer.data["y"]) == ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
    assert explorer.data["labels"] == ["a", "b", "c"]


def test_a_preset_that_names_no_query_does_not_set_it():
    explorer = example(query=-3.0, presets={"softmax": {"kernel": "softmax"}, "boom": {"query": 6.0}})
    assert [("query" in values, values["kernel"]) for _, values, _ in explorer.kit["presets"]] == [
        (False, "softmax"),
        (True, "identity"),
    ]


LIT = "[...document.querySelectorAll('[data-preset][aria-pressed=true]')].map((button) => button.dataset.preset)"


@pytest.mark.browser
def test_methods_are_compared_at_the_readers_question(browser, tmp_path):
    presets = {"least squares": {"kernel": "identity"}, "softmax": {"kernel": "softmax"}}
    with opened(browser, tmp_path, example(query=-3.0, presets=presets)) as page:
        page.evaluate(SET, [{"query": 2.0}, 0])
        assert page.evaluate(LIT) == ["least squares"]
        page.locator("[data-preset=softmax]").click()
        assert page.evaluate(LIT) == ["softmax"]
        found = page.evaluate("document.querySelector('figure.regattn').model.result()")
        assert_same(found, example(query=2.0, kernel="softmax").result())


@pytest.mark.browser
@pytest.mark.parametrize(("options", "said"), [
    ({}, "Least squares at −3.0: 0.627. Loudest: 2009Q1, weight 0.21. Nearest: 2008Q3, weight 0.12."),
    ({"kernel": "softmax"}, "Softmax at −3.0: 1.01. Loudest: 2009Q1, weight 0.59. Nearest: 2008Q3, weight 0.047."),
    ({"kernel": "gaussian"}, "An average by nearness at −3.0: 0.361. Loudest is the nearest: 2008Q3, weight 0.13."),
    ({"kernel": "softmax", "sharpness": 0.0}, "The plain average at −3.0: 0.132. All 31 weights are equal."),
    ({"kernel": "line", "line": True}, "A line by nearness at −3.0: "),
    ({"kernel": "line", "line": True, "sharpness": 0.0}, "A line under equal weights at −3.0: "),
])  # fmt: skip
def test_the_sentence_names_the_method_and_whom_it_hears(browser, tmp_path, options, said):
    with opened(browser, tmp_path, example(query=-3.0, **options)) as page:
        assert page.locator(".ra-live").inner_text().replace("\u2068", "").replace("\u2069", "").startswith(said)


@pytest.mark.browser
@pytest.mark.parametrize("query", [-9.0, -3.0, 0.0, 2.5, 8.0])
@pytest.mark.parametrize("kernel", ["identity", "softmax", "gaussian", "line"])
def test_the_average_is_the_packages(browser, tmp_path, query, kernel):
    explorer = example(query=query, kernel=kernel)
    with opened(browser, tmp_path, explorer) as page:
        assert_same(page.evaluate(SET, [{}, 0]), explorer.result())
