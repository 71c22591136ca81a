"""Figures show the numbers they are given: the artists are read, not the pixels."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from regattn.figures import (
    COLOURS,
    plot_directions,
    plot_forecast,
    plot_weights,
    use_style,
)
from regattn.regression import spectrum

QUARTERS = pd.period_range("2000Q1", periods=5, freq="Q", name="quarter")
WEIGHTS = pd.Series([0.5, -0.1, 0.2, 0.0, 0.4], index=QUARTERS)


def test_bars_are_the_weights_and_their_colour_is_the_sign():
    ax = plot_weights(WEIGHTS, uniform=0.2)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], WEIGHTS)
    colours = [mpl.colors.to_hex(bar.get_facecolor()).upper() for bar in ax.patches]
    assert colours[:2] == [COLOURS["positive"], COLOURS["negative"]]
    assert ax.get_ylabel() == "weight"


def gaps_between(ax):
    """Return the room between bars, in shares of the way from one to the next."""
    left = np.array([bar.get_x() for bar in ax.patches])
    width = np.array([bar.get_width() for bar in ax.patches])
    assert width.min() > 0
    return (left[1:] - (left + width)[:-1]) / np.diff(left)


@pytest.mark.parametrize(
    "index",
    [
        *(pd.period_range("2000-01", periods=7, freq=freq) for freq in ("Y", "Q", "M", "W", "D", "h")),
        *(pd.date_range("2000-01-01", periods=7, freq=freq) for freq in ("YS", "QS", "MS", "W", "D", "h")),
        pd.date_range("2000-01-01", periods=7, freq="MS", tz="Europe/Paris"),
        pd.RangeIndex(1990, 1997),
        pd.Index(np.arange(7) / 4),
        pd.Index(range(7), dtype="Int64"),
    ],
    ids=lambda index: f"{type(index).__name__}-{getattr(index, 'freqstr', None)}-{index.dtype}",
)
def test_bars_of_any_frequency_neither_touch_nor_vanish(index):
    ax = plot_weights(pd.Series(np.arange(-3.0, 4.0), index=index))
    gaps = gaps_between(ax)
    assert gaps.min() > 0.05
    assert gaps.max() < 0.25  # of months in days, of quarters and years
    np.testing.assert_array_equal([bar.get_height() for bar in ax.patches], np.arange(-3.0, 4.0))


def test_business_days_and_dates_with_gaps_are_as_wide_as_a_day():
    for index in (
        pd.bdate_range("2024-01-01", periods=12),
        pd.DatetimeIndex(["2024-01-05", "2024-01-02", "2024-01-01"]),
    ):
        widths = [bar.get_width() for bar in plot_weights(pd.Series(1.0, index=index)).patches]
        np.testing.assert_allclose(widths, 0.88)


def test_one_bar_is_seen():
    for index in (pd.period_range("2000", periods=1, freq="M"), pd.date_range("2000", periods=1), [3], ["bank"]):
        (bar,) = plot_weights(pd.Series([0.5], index=index)).patches
        assert bar.get_width() >= 0.5


def test_fifty_names_stand_apart():
    names = [f"industry number {i}" for i in range(50)]
    ax = plot_weights(pd.Series(np.linspace(-1, 1, 50), index=names), uniform=0.02)
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    assert all(above.y0 >= below.y1 for above, below in pairwise(boxes))
    np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], np.linspace(-1, 1, 50))
    assert ax.get_xlabel() == "weight"
    assert ax.lines[-1].get_xdata()[0] == 0.02


def test_a_name_that_occurs_twice_has_two_bars_and_one_of_two_levels_both_words():
    ax = plot_weights(pd.Series([1.0, 2.0, 3.0], index=["the", "bank", "the"]))
    assert [bar.get_y() + bar.get_height() / 2 for bar in ax.patches] == pytest.approx([0, 1, 2])
    firms = pd.MultiIndex.from_tuples([("Ford", 1935), ("GM", 1935)])
    labels = plot_weights(pd.Series([1.0, 2.0], index=firms)).get_yticklabels()
    assert [label.get_text() for label in labels] == ["Ford 1935", "GM 1935"]


def test_only_the_largest_are_drawn_when_asked_and_said_to_be():
    named = pd.Series([0.1, -0.7, 0.3, -0.2], index=list("abcd"))
    ax = plot_weights(named, top=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c"]
    assert [bar.get_width() for bar in ax.patches] == [-0.7, 0.3]
    assert ax.get_xlabel() == "weight, the 2 largest of 4"
    dated = plot_weights(WEIGHTS, top=3)
    assert [bar.get_height() for bar in dated.patches] == [0.5, 0.2, 0.4]  # in the order of the dates
    assert len(plot_weights(named, top=4).patches) == len(plot_weights(named, top=9).patches) == 4
    with pytest.raises(ValueError, match="top must be ≥ 1, got 0"):
        plot_weights(named, top=0)


def test_weights_of_zero_are_drawn_without_a_size():
    ax = plot_forecast(WEIGHTS, WEIGHTS * 0, pd.Series([2.0], index=[QUARTERS[-1] + 1]))
    assert ax.collections[0].get_sizes().tolist() == [0.0] * 5


def test_dots_of_a_forecast_grow_with_the_weight():
    ax = plot_forecast(pd.Series(range(5), index=QUARTERS), WEIGHTS, pd.Series([2.0], index=[QUARTERS[-1] + 1]))
    sizes = ax.collections[0].get_sizes()
    np.testing.assert_allclose(sizes / sizes.max(), WEIGHTS.abs() / 0.5)
    assert any(line.get_ydata()[0] == 2.0 for line in ax.lines if line.get_marker() == "D")


def test_directions_show_the_share_kept_and_what_each_adds_to_the_forecast():
    X, y, x_new = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), np.arange(4.0), np.array([[1.0, 1.0]])
    s = spectrum(X, centre=True)
    above, below = plot_directions(s, x_new, y, ridge=18.0)
    np.testing.assert_allclose(above.lines[0].get_ydata(), [0.5, 0.1])
    bars = np.array([bar.get_height() for bar in below.patches]).reshape(2, 2)  # least squares, then the penalty
    np.testing.assert_allclose(bars[0].sum(), s.predict(x_new, y)[0] - y.mean())
    np.testing.assert_allclose(bars[1].sum(), s.predict(x_new, y, ridge=18.0)[0] - y.mean())
    np.testing.assert_allclose(bars[1], bars[0] * [0.5, 0.1])


def test_figures_draw_where_they_are_told():
    ax = plt.subplots()[1]
    assert plot_weights(WEIGHTS, ax=ax) is ax


def luminance(colour):
    linear = np.where(colour <= 0.03928, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def in_the_dark(colour):
    """Return what the page's dark theme makes of a colour: invert(0.92), then hue-rotate(180deg)."""
    weights = np.array([0.213, 0.715, 0.072])
    return np.clip((2 * weights - np.eye(3)) @ (0.92 - 0.84 * colour), 0, 1)


@pytest.mark.parametrize("role", COLOURS)
def test_the_colour_of_a_role_is_readable_on_a_light_page_and_a_dark_one(role):
    colour, white = np.array(mpl.colors.to_rgb(COLOURS[role])), np.ones(3)
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5
    assert (luminance(in_the_dark(colour)) + 0.05) / (luminance(in_the_dark(white)) + 0.05) >= 4.5


def test_the_style_survives_a_second_use():
    with mpl.rc_context():
        use_style()
        use_style()
        assert not plt.rcParams["axes.spines.top"]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (pd.Series([1, None], ["a", "b"], dtype="Int64"), "weights, row b: nan is not finite"),
        (pd.Series(["1,5", "2"], ["a", "b"]), "weights, row a: '1,5' is not a number; decimal comma"),
        (pd.Series(["x", "y"], ["a", "b"], dtype="category"), "categories are not numbers"),
    ],
)
def test_weights_that_are_no_numbers_are_refused_by_row(weights, message):
    with pytest.raises(ValueError, match=message):
        plot_weights(weights)
