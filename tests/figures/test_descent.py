"""The figures of chapter 1 and of the front page draw the numbers they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.contour import ContourSet

from regattn.figures import plot_clouds, plot_line, plot_losses, plot_paths
from regattn.regression import gradient_descent

X = np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 2.0]])
Y = np.array([3.0, 1.0, 2.0])


def test_the_line_runs_from_end_to_end_and_names_what_it_is_asked_to():
    index = pd.period_range("2001Q1", periods=3, freq="Q")
    x = pd.Series([4.0, -2.0, 1.0], index=index, name="growth, %")
    ax = plot_line(x, pd.Series(Y, index=index, name="change"), (0.5, 2.0), named=["2001Q2"])
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [-2.0, 4.0])
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [-3.5, 8.5])
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), np.column_stack([x, Y]))
    assert [(text.get_text(), tuple(text.xy)) for text in ax.texts] == [("2001Q2", (-2.0, 1.0))]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("growth, %", "change")


def test_losses_are_drawn_step_by_step_and_only_a_runaway_ends_in_a_cross():
    runs = {
        "good": gradient_descent(X, Y, learning_rate=0.1, steps=7),
        "bad": gradient_descent(X, Y, learning_rate=9.0, steps=97),
    }
    ax = plot_losses(runs, least=0.6)
    good, bad, cross, level = ax.lines
    np.testing.assert_array_equal(good.get_ydata(), runs["good"].losses)
    np.testing.assert_array_equal(bad.get_xdata(), np.arange(runs["bad"].diverged_at))
    assert (cross.get_xdata()[0], cross.get_ydata()[0]) == (runs["bad"].diverged_at - 1, runs["bad"].losses[-1])
    assert set(level.get_ydata()) == {0.6}
    assert ax.get_yscale() == "log"


def test_paths_share_their_limits_and_mark_start_and_bottom():
    grid = np.linspace(-3, 5, 9), np.linspace(-2, 2, 5)
    loss = (grid[0] - 1.0) ** 2 + (grid[1][:, None] + 1.0) ** 2
    runs = {name: gradient_descent(X, Y, learning_rate=eta, steps=5) for name, eta in [("a", 0.1), ("b", 0.2)]}
    axes = plot_paths(loss, grid, runs, names=("one", "two"))
    for ax, run in zip(axes, runs.values(), strict=True):
        assert sum(isinstance(artist, ContourSet) for artist in ax.collections) == 1
        path, start, bottom = ax.lines
        np.testing.assert_array_equal(path.get_xydata(), run.parameters)
        np.testing.assert_array_equal(start.get_xydata(), [[0.0, 0.0]])
        np.testing.assert_array_equal(bottom.get_xydata(), [[1.0, -1.0]])
        assert (ax.get_xlim(), ax.get_ylim(), ax.get_xlabel()) == ((-3, 5), (-2, 2), "one")


def test_clouds_share_limits_that_hold_the_widest():
    rng = np.random.default_rng(0)
    clouds = {"wide": rng.normal(size=(101, 2)), "narrow": 0.1 * rng.normal(size=(67, 2))}
    axes = plot_clouds(clouds, [0.0, 0.0])
    assert axes[0].get_xlim() == axes[1].get_xlim()
    assert axes[0].get_xlim()[1] > 2
    for ax, points in zip(axes, clouds.values(), strict=True):
        np.testing.assert_array_equal(ax.collections[0].get_offsets(), points)
