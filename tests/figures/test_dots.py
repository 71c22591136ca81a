"""Values with intervals stand in rows, in the order given, with the numbers given."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from regattn.figures import COLOURS, plot_dots

SCORES = {"naive": 1.0, "pooled least squares": 0.61, "transformer": 0.59}


def test_each_value_is_a_dot_in_its_row_with_the_first_on_top():
    ax = plot_dots(SCORES)
    assert [dots.get_offsets()[0].tolist() for dots in ax.collections] == [[1.0, 0], [0.61, 1], [0.59, 2]]
    assert [label.get_text() for label in ax.get_yticklabels()] == list(SCORES)
    assert ax.yaxis_inverted()
    assert not ax.lines


def test_intervals_draws_and_the_line_stand_where_their_numbers_say():
    ax = plot_dots(SCORES, intervals={"transformer": (0.5, 0.7)}, draws={"transformer": [0.55, 0.63]}, line=0.8)
    assert ax.lines[0].get_xdata() == [0.8, 0.8]
    assert ax.lines[1].get_xydata().tolist() == [[0.5, 2], [0.7, 2]]
    small = ax.collections[2].get_offsets()
    assert small[:, 0].tolist() == [0.55, 0.63]
    assert (small[:, 1] > 2).all()  # beside the row's own dot, and not under it
    assert (small[:, 1] < 2.5).all()


def test_a_strong_row_has_the_colour_of_predictions():
    ax = plot_dots(SCORES, strong=["transformer"])
    assert [to_hex(dots.get_facecolor()[0]) for dots in ax.collections] == [
        COLOURS[role].lower() for role in ("key", "key", "prediction")
    ]


def test_a_series_goes_by_its_index_and_a_missing_value_leaves_its_row_empty():
    ax = plot_dots(pd.Series({"a": np.nan, "b": 2.0}))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    drawn = [dots.get_offsets() for dots in ax.collections]
    assert [np.ma.count(each[:, 0]) for each in drawn] == [0, 1]


@pytest.mark.parametrize("count", [1, 5, 17])
def test_a_row_has_the_same_height_however_many_there_are(count):
    ax = plot_dots({str(k): float(k) for k in range(count)})
    assert ax.figure.get_figheight() == pytest.approx(0.34 * count + 0.9)


def test_a_long_name_is_broken_so_that_the_dots_keep_half_of_the_figure():
    ax = plot_dots({"the same linear model with errors in units of each series": 1.0, "naive": 2.0})
    ax.figure.canvas.draw()
    assert ax.get_position().width > 0.5
    assert "\n" in ax.get_yticklabels()[0].get_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": {}}, "at least one number, got none"),
        ({"values": SCORES, "intervals": {"drift": (0, 1)}}, "intervals names 'drift'"),
        ({"values": SCORES, "draws": {"drift": [1]}}, "draws names 'drift'"),
        ({"values": SCORES, "strong": ["drift"]}, "strong names 'drift'"),
        ({"values": SCORES, "intervals": {"naive": (2, 1)}}, r"interval of 'naive' must .* got \(2, 1\)"),
    ],
)
def test_what_belongs_to_no_row_is_named(arguments, message):
    values = arguments.pop("values")
    with pytest.raises(ValueError, match=message):
        plot_dots(values, **arguments)
