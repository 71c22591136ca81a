"""The figures of chapters 5 and 7: what their artists hold."""

import numpy as np
import pandas as pd

from regattn.figures import plot_fits, plot_query_weights, plot_race


def test_fits_are_drawn_in_order_of_x_over_the_observations():
    x, y = np.array([3.0, 1.0, 2.0]), np.array([30.0, 10.0, 20.0])
    ax = plot_fits(x, y, {"line": 10 * x, "level": np.full(3, 5.0)}, query=2.0)
    mark, line, level = ax.lines
    assert mark.get_xdata()[0] == 2.0
    assert line.get_xdata().tolist() == [1.0, 2.0, 3.0]
    assert line.get_ydata().tolist() == [10.0, 20.0, 30.0]
    assert level.get_ydata().tolist() == [5.0] * 3
    assert ax.collections[0].get_offsets().tolist() == [[3.0, 30.0], [1.0, 10.0], [2.0, 20.0]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["line", "level"]
    assert line.get_color() != level.get_color()


def test_query_weights_are_coloured_by_sign_in_a_panel_each():
    x = np.array([1.0, 2.0, 3.0])
    axes = plot_query_weights(x, {"one": np.array([0.5, 0.7, -0.2]), "two": np.full(3, 1 / 3)}, query=2.0)
    assert [ax.get_title() for ax in axes] == ["one", "two"]
    colours = axes[0].collections[0].get_facecolors()
    assert colours[0].tolist() == colours[1].tolist() != colours[2].tolist()
    assert axes[0].collections[0].get_offsets()[:, 1].tolist() == [0.5, 0.7, -0.2]


def test_a_race_is_drawn_best_on_top_without_its_baseline():
    race = pd.DataFrame(
        {"difference": [np.nan, -1.0, 2.0], "standard_error": [np.nan, 0.5, 0.25]},
        index=["OLS", "attention, x", "ridge"],
    )
    ax = plot_race(race, baseline="OLS")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["attention, x", "ridge"]
    assert ax.yaxis_inverted()
    bars = [list(line.get_xdata()) for line in ax.lines[1:]]
    assert bars == [[-2.0, 0.0], [1.5, 2.5]]
    colours = [dots.get_facecolors()[0] for dots in ax.collections]
    assert colours[0].tolist() != colours[1].tolist()
