"""However many things a figure is given, all are drawn, and no two that could be confused look alike."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from regattn.figures import (
    plot_curves,
    plot_fits,
    plot_heat_maps,
    plot_losses,
    plot_neighbours,
    plot_parts,
    plot_probabilities,
    plot_regions,
    plot_themes,
)
from regattn.regression.classification import Network
from regattn.regression.trajectory import Trajectory

NAMES = [f"the {i}th" for i in range(11)]
ONE = np.ones(3)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot_curves(dict.fromkeys(NAMES, ONE)),
        lambda: plot_fits(ONE, ONE, dict.fromkeys(NAMES, ONE)),
        lambda: plot_losses(dict.fromkeys(NAMES, Trajectory(np.ones((3, 2)), ONE, np.ones(2), None))),
    ],
    ids=["curves", "fits", "losses"],
)
def test_eleven_lines_are_drawn_and_differ(draw):
    ax = draw()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == NAMES
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(ax.lines) == len(looks)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot_parts({"a": dict.fromkeys(NAMES, 1.0), "b": dict.fromkeys(NAMES, 1.0)}),
        lambda: plot_themes(pd.DataFrame(1 / 11, ["a", "b"], NAMES)),
        lambda: plot_probabilities(["a", "b"], {name: [0.5, 0.5] for name in NAMES}),
    ],
    ids=["parts", "themes", "probabilities"],
)
def test_eleven_kinds_of_bars_are_drawn_and_neighbours_differ(draw):
    ax = draw()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == NAMES
    colours = [bars[0].get_facecolor() for bars in ax.containers]
    assert len(ax.patches) == 22
    assert all(one != another for one, another in pairwise(colours))


def test_points_of_eleven_kinds_are_drawn_and_differ():
    X = np.random.default_rng(1).normal(size=(11, 2))
    (ax,) = plot_regions({"a line": Network((([[1.0, -1.0]], [0.0]),))}, X, NAMES)
    points = [each for each in ax.collections if each.get_label() in NAMES]
    assert sum(len(each.get_offsets()) for each in points) == 11
    assert len({(*each.get_facecolor()[0], each.get_paths()[0].vertices.tobytes()) for each in points}) == 11


def test_a_row_that_has_the_name_of_another_has_bars_of_its_own():
    ax = plot_neighbours(pd.Series([3.0, 2.0], index=["bank", "bank"]))
    assert [bar.get_y() for bar in ax.patches] == pytest.approx([-0.35, 0.65])
    ax = plot_themes(pd.DataFrame({"a": [0.5, 0.2], "b": [0.5, 0.8]}, index=["bank", "bank"]))
    assert len({bar.get_y() for bar in ax.patches}) == 2
    assert [label.get_text() for label in ax.get_yticklabels()] == ["bank", "bank"]


def test_curves_may_stand_at_periods():
    months = pd.period_range("2000-01", periods=3, freq="M")
    ax = plot_curves({"a": ONE}, x=months)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(orig=True), months.to_timestamp().to_numpy())


@pytest.mark.parametrize("size", [7, 50, 145])
def test_labels_of_a_large_table_do_not_run_into_each_other(size):
    names = [f"industry {i}" for i in range(size)]
    (ax,) = plot_heat_maps({"": pd.DataFrame(np.eye(size), names, names)})
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(below.y1 <= above.y0 + 1 for above, below in pairwise(boxes))
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == [names[round(place)] for place in ax.get_yticks()]
    assert len(shown) == 7 if size == 7 else 10 < len(shown) <= 50
    assert [label.get_text() for label in ax.get_xticklabels()][:2] == [names[round(p)] for p in ax.get_xticks()[:2]]
