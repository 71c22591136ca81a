"""The PositionExplorer equals the package over a grid, has stripes where theory has them, and names what it refuses."""

from itertools import product

import numpy as np
import pytest

from regattn.transformer import alibi_slopes, sinusoidal_positions
from regattn.widgets import PositionExplorer
from tests.explorers.position import example, expected
from tests.widgets.harness import FIGURE, SET, assert_same, opened


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PositionExplorer(dimension=7), "dimension must be even, got 7"),
        (lambda: PositionExplorer(dimension=514), "dimension must be ≤ 512"),
        (lambda: PositionExplorer(base=1), "base must be ≥ 2"),
        (lambda: PositionExplorer(exponent=1.5), "exponent must be ≤ 1"),
        (lambda: PositionExplorer(scheme="learned"), "scheme must be one of sinusoidal, alibi, rotary"),
        (lambda: PositionExplorer(head=9), "head must be ≤ 8"),
        (lambda: PositionExplorer(lag=64), "lag must be ≤ 63"),
        (lambda: PositionExplorer(length=1), "length must be ≥ 2"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("dimension", "lag"), [(2, 1), (64, 5), (512, 63)])
def test_a_lag_has_one_score_in_every_scheme_but_the_printed_one(dimension, lag):
    for scheme, draw in (("sinusoidal", 1), ("alibi", 1), ("rotary", 1), ("rotary", 999)):
        explorer = PositionExplorer(scheme=scheme, dimension=dimension, lag=lag, draw=draw)
        assert explorer.result()["spread"] == 0
    P = sinusoidal_positions([0, lag], dimension)
    assert PositionExplorer(dimension=dimension, lag=lag).result()["score"] == pytest.approx(P[0] @ P[1])
    many = PositionExplorer(dimension=dimension, exponent=1.0, lag=min(lag, 20)).result()
    assert many["spread"] > 0.5


@pytest.mark.parametrize("head", [1, 8])
def test_the_prices_are_those_of_a_model_of_eight_heads(head):
    curve = PositionExplorer(scheme="alibi", head=head, place=9).result()["curve"]
    np.testing.assert_allclose(curve, -alibi_slopes(8)[head - 1] * np.arange(128))


@pytest.mark.browser
def test_numbers_equal_the_packages_over_a_grid(browser, tmp_path):
    explorer = example()
    with opened(browser, tmp_path, explorer) as page:
        for scheme, dimension, base, exponent in product(("sinusoidal", "rotary"), (2, 512), (2.0, 1e6), (0.0, 0.35)):
            values = {"scheme": scheme, "dimension": dimension, "base": base, "exponent": exponent, "place": 63}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}))


@pytest.mark.browser
def test_a_scheme_shows_its_own_controls_and_no_other(browser, tmp_path):
    own = {"sinusoidal": {"dimension", "base", "exponent"}, "rotary": {"dimension", "base", "draw"}, "alibi": {"head"}}
    with opened(browser, tmp_path, PositionExplorer()) as page:
        for scheme, controls in own.items():
            page.evaluate(SET, [{"scheme": scheme}, 0])
            shown = {name for name in set().union(*own.values()) if page.locator(f"[data-control={name}]").is_visible()}
            assert shown == controls
            in_more = len(controls) + 2  # the length and the place
            assert page.locator(".ra-more summary").inner_text() == f"More: {in_more} controls and the numbers"


@pytest.mark.browser
def test_without_the_exponent_no_number_is_said_three_times(browser, tmp_path):
    with opened(browser, tmp_path, PositionExplorer(hide=["exponent"])) as page:
        assert page.locator(".ra-numbers [data-output]").count() == 2


@pytest.mark.browser
def test_the_words_say_whether_there_is_a_stripe_and_what_lies_beyond(browser, tmp_path):
    with opened(browser, tmp_path, PositionExplorer(lag=5)) as page:
        words = page.locator(".ra-live")
        assert "all 59 pairs score 23.5. 26 of 32 clocks do not go round once within 32 places." in words.inner_text()
        page.evaluate(SET, [{"exponent": 1.0}, 0])
        assert "from 21.0 to 26.9: no stripe" in words.inner_text()
        page.evaluate(SET, [{"scheme": "alibi", "head": 2}, 0])
        assert "Each step costs 0.250, beyond the length of training as within it." in words.inner_text()
        assert "Later places are masked." in words.inner_text()
        assert "no clocks" in page.locator("[data-panel=clocks] svg").text_content()
        assert page.locator("[data-panel=table] .ra-grid .ra-rule:visible").count() == 0
        page.evaluate(SET, [{"scheme": "rotary"}, 0])
        assert "no clocks" not in page.locator("[data-panel=clocks] svg").text_content()
        page.evaluate(SET, [{"scheme": "alibi"}, 0])
        assert page.evaluate(f"{FIGURE}.model.result().around") == []
        page.locator("[data-panel=table] svg").click(position={"x": 200, "y": 100})
        assert page.evaluate(f"{FIGURE}.model.get('place')") > 0
