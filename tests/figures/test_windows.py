"""A series cut into windows: each row holds the past of a date and what came, and the last one asks."""

import numpy as np
import pandas as pd
import pytest

from regattn.figures import COLOURS, plot_windows
from regattn.from_scratch import lag_rows

QUARTERS = pd.period_range("1980Q4", periods=7, freq="Q")
SERIES = pd.Series([1.0, 2.5, 4.0, 3.0, 5.5, 7.0, 6.0], QUARTERS)


def cells(ax, row):
    """Return the texts of a row, from left to right."""
    found = sorted((text.get_position()[0], text.get_text()) for text in ax.texts if text.get_position()[1] == row)
    return [place for place, _ in found], [text for _, text in found]


@pytest.mark.parametrize("max_lag", [1, 2, 3])
def test_rows_hold_the_past_and_what_came_each_one_date_further(max_lag):
    _, table = plot_windows(SERIES, max_lag)
    past, came = lag_rows(SERIES.to_numpy(), max_lag)
    for row, (before, value) in enumerate(zip(past, came, strict=True)):
        places, texts = cells(table, row)
        assert places == list(range(row, row + max_lag + 1))
        assert texts == [f"{x:.1f}" for x in [*before[::-1], value]]


def test_the_last_row_is_the_query_and_nobody_knows_what_comes():
    line, table = plot_windows(SERIES, 2, unit="% a year")
    assert cells(table, 5) == ([5, 6, 7], ["7.0", "6.0", "?"])
    colours = {text.get_color() for text in table.texts if text.get_position()[1] == 5}
    assert colours == {COLOURS["query"]}
    labels = [text.get_text() for text in table.get_yticklabels()]
    assert labels == ["1981Q2", "1981Q3", "1981Q4", "1982Q1", "1982Q2", "1982Q3"]
    np.testing.assert_allclose(line.lines[0].get_ydata(), SERIES)
    assert line.get_ylabel() == "% a year"


def test_dates_that_cannot_be_counted_on_end_with_the_next():
    _, table = plot_windows(pd.Series([1.0, 2.0, 4.0], ["a", "b", "c"]), 1)
    assert [text.get_text() for text in table.get_yticklabels()] == ["b", "c", "next"]


@pytest.mark.parametrize("max_lag", [0, 7])
def test_a_window_needs_a_value_after_it(max_lag):
    with pytest.raises(ValueError, match=rf"max_lag must be .*got {max_lag}"):
        plot_windows(SERIES, max_lag)
