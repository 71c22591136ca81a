"""The MaskExplorer masks as the chapter says, names what it refuses, and shows which fits a shock moves."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from statsmodels.tsa.api import AutoReg

from regattn.data import load_macro
from regattn.series import autoregression, expanding_window_forecasts
from regattn.widgets import MaskExplorer
from tests.explorers.mask import example, expected
from tests.widgets.harness import FIGURE, SET, assert_same, opened

SERIES = load_macro()[["inflation"]]


def test_without_a_mask_the_fit_is_that_of_statsmodels_and_with_own_omega_that_of_refitting():
    found = MaskExplorer(SERIES, max_lag=2).result()
    np.testing.assert_allclose(found["fitted"], AutoReg(SERIES.to_numpy(), 2).fit().fittedvalues[12:], atol=1e-10)
    model = autoregression(SERIES, max_lag=2)
    honest = expanding_window_forecasts(LinearRegression(), model.past, model.present["inflation"], start=12)
    np.testing.assert_allclose(MaskExplorer(SERIES, max_lag=2, mask="own").result()["fitted"], honest, atol=1e-9)


def test_the_absurd_fit_of_1986_and_its_denominator_are_shown():
    found = MaskExplorer(SERIES, mask="causal", query="1986Q2").result()
    assert [found["prediction"], found["left"]] == pytest.approx([-21.5, 0.161], abs=0.01)
    found = MaskExplorer(SERIES, mask="causal", query="1986Q2", kernel="softmax").result()
    assert 0 < found["prediction"] < 13


@pytest.mark.parametrize(
    ("mask", "kernel"), list(product(["none", "others", "causal", "own"], ["identity", "softmax"]))
)
@pytest.mark.parametrize("shock", [1, 2, 3])
def test_a_shock_moves_earlier_fits_unless_each_date_has_its_own_omega(mask, kernel, shock):
    found = MaskExplorer(SERIES, mask=mask, kernel=kernel, query="1978Q1", shock=shock).result()
    assert (found["how_many"] == 0) == (mask == "own")
    assert (found["ahead"] == 0) == (mask in ("causal", "own"))
    assert sum(found["weights"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MaskExplorer(SERIES, query="1962Q1"), "'1962Q1' is not one of the 190 dates 1962Q2 to 2009Q3"),
        (lambda: MaskExplorer(SERIES, query=190), "query must be ≤ 189"),
        (lambda: MaskExplorer(SERIES, known=1), "start 1 leaves 1 rows for 2 coefficients"),
        (lambda: MaskExplorer(SERIES, known=202), "start must be ≤ 201"),
        (lambda: MaskExplorer(SERIES, shock=-1), "shock must be ≥ 0, got -1"),
        (lambda: MaskExplorer(SERIES, mask="past"), "mask must be one of none, others, causal, own, got 'past'"),
        (lambda: MaskExplorer(SERIES.drop(SERIES.index[40])), "1969Q2 follows 1968Q4: a gap"),
        (lambda: MaskExplorer(load_macro()[["inflation", "bill_rate"]]), "series must have one column, got 2"),
        (lambda: MaskExplorer(pd.DataFrame({"x": [1.0] * 20 + [2.0, 3.0]})), "the 12 rows before start have rank 1"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.browser
@pytest.mark.parametrize("max_lag", [1, 3])
def test_numbers_equal_the_packages_over_a_grid(browser, tmp_path, max_lag):
    explorer = example(max_lag=max_lag)
    with opened(browser, tmp_path, explorer) as page:
        for mask, kernel, shock in product(("none", "others", "causal", "own"), ("identity", "softmax"), (0, 7)):
            values = {"mask": mask, "kernel": kernel, "shock": shock, "query": 37}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}), str(values))


@pytest.mark.browser
def test_the_button_shocks_says_what_moved_and_reset_takes_it_back(browser, tmp_path):
    with opened(browser, tmp_path, example()) as page:
        page.get_by_role("button", name="Shock the future").click()
        assert page.evaluate(f"{FIGURE}.model.get('shock')") == 1
        assert "40 of 40 fitted values moved" in page.locator(".ra-live").inner_text()
        page.locator('[data-control="mask"]').select_option("own")
        assert "none of 40 fitted values moved" in page.locator(".ra-live").inner_text()


@pytest.mark.browser
def test_the_sentence_says_who_has_no_future_and_the_diamond_and_the_axes_show_an_absurd_fit(browser, tmp_path):
    explorer = MaskExplorer(SERIES, mask="causal", query="1986Q2")
    with opened(browser, tmp_path, explorer) as page:
        assert "gives none of its weight to what comes after it" in page.locator(".ra-live").inner_text()
        history, weights = (page.locator(f"[data-panel={panel}]") for panel in ("history", "weights"))
        diamond, axis = history.locator(".ra-diamond.ra-query"), history.locator("svg.ra-plot")
        inside = diamond.bounding_box()["y"] + 7, axis.bounding_box()["y"] + axis.bounding_box()["height"]
        assert inside[0] < inside[1] - 40  # not held at the lower edge
        assert history.locator(".ra-hollow.ra-train").get_attribute("d")
        assert len([text for text in weights.locator("svg.ra-plot text").all_text_contents() if "0." in text]) >= 2
        page.evaluate(SET, [{"query": len(SERIES) - 14, "shock": 1}, 0])
        assert " is the last date: nothing comes after it" in page.locator(".ra-live").inner_text()
