"""The FilterExplorer equals statsmodels over a grid, names what it refuses, and lets a click choose who asks."""

from itertools import product

import pandas as pd
import pytest
from statsmodels.datasets import nile

from regattn.widgets import FilterExplorer
from tests.explorers.filter import example, expected
from tests.widgets.harness import FIGURE, SET, assert_same, opened

FLOW = nile.load_pandas().data.astype({"year": int}).set_index("year")["volume"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FilterExplorer(FLOW, query=1876), "1876 is not one of the 94 dates 1877 to 1970"),
        (lambda: FilterExplorer(FLOW, query=94), "query must be ≤ 93"),
        (lambda: FilterExplorer(FLOW, layers=4), "layers must be ≤ 3"),
        (lambda: FilterExplorer(FLOW, level=-0.1), "level must be ≥ 0"),
        (lambda: FilterExplorer(FLOW.drop(1900)), "1901 follows 1899: a gap"),
        (lambda: FilterExplorer(FLOW.iloc[:6]), "series has 6 dates, too few for 3 layers"),
        (lambda: FilterExplorer(FLOW.to_frame()), "must be a Series"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_labels_and_places_name_the_same_date():
    assert FilterExplorer(FLOW, query=1905).query == FilterExplorer(FLOW, query=28).query == 28
    quarters = pd.Series(FLOW.to_numpy(), index=pd.period_range("1950Q1", periods=100, freq="Q"))
    assert FilterExplorer(quarters, query="1957Q1").query == 22


@pytest.mark.browser
def test_numbers_equal_those_of_statsmodels_over_a_grid(browser, tmp_path):
    explorer = example()
    with opened(browser, tmp_path, explorer) as page:
        for layers, level, last in product((1, 2, 3), (0.0, 1e-4, 100.0), (0.0, 10.0)):
            values = {"layers": layers, "level": level, "slope": last, "acceleration": last, "query": 31}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}))


@pytest.mark.browser
def test_a_click_on_the_weights_lets_a_date_ask_that_has_no_later_weights(browser, tmp_path):
    with opened(browser, tmp_path, example(query=30)) as page:
        page.locator("[data-panel=weights] svg").click(position={"x": 600, "y": 100})
        chosen = page.evaluate(f"{FIGURE}.model.get('query')")
        assert 0 < chosen < 30
        assert len(page.evaluate(f"{FIGURE}.model.result().weights")) == chosen + 7
