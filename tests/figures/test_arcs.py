"""Arcs from rows to the one that asks: one for each weight, as wide as it is large, from where the row stands."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from regattn.figures import COLOURS, plot_arcs

GROUPS = ["a", "a", "b", "b", "b"]
MAPS = {"pooled": [0.2] * 5, "partial": [0.4, 0.3, 0.2, 0.2, -0.1], "local": [0.5, 0.5, 0, 0, 0]}


def test_each_weight_that_is_not_zero_is_an_arc_as_wide_as_it_is_large():
    axes = plot_arcs(MAPS, GROUPS, asks="a")
    assert [len(ax.lines) for ax in axes] == [5, 5, 2]
    for ax, row in zip(axes, MAPS.values(), strict=True):
        sizes = np.abs([weight for weight in row if weight])
        np.testing.assert_allclose([line.get_linewidth() for line in ax.lines], 7.0 * sizes / 0.5)
    assert [to_hex(line.get_color()) for line in axes[1].lines[-2:]] == [
        COLOURS[role].lower() for role in ("positive", "negative")
    ]


def test_arcs_lead_from_each_row_to_the_open_circle_behind_the_rows_of_its_group():
    ax = plot_arcs(MAPS, GROUPS, asks="a")[0]
    rows, query = (dots.get_offsets() for dots in ax.collections)
    assert rows[:, 0].tolist() == [0, 1, 4, 5, 6]
    assert query.tolist() == [[2, 0]]
    ends = [line.get_xydata()[[0, -1]].round(9).tolist() for line in ax.lines]
    assert ends == [[[place, 0], [2, 0]] for place in rows[:, 0]]


def test_titles_and_groups_are_named():
    axes = plot_arcs(MAPS, GROUPS, asks="b")
    assert [ax.get_title(loc="left") for ax in axes] == list(MAPS)
    assert [label.get_text() for label in axes[-1].get_xticklabels()] == ["a", "b"]
    assert axes[-1].get_xticks().tolist() == [0.5, 4.5]


@pytest.mark.parametrize(
    ("asks", "groups", "message"),
    [("c", GROUPS, "asks must be one of a, b, got 'c'"), ("a", GROUPS[1:], "'pooled' has 5 weights for 4 rows")],
)
def test_what_does_not_fit_is_refused(asks, groups, message):
    with pytest.raises(ValueError, match=message):
        plot_arcs(MAPS, groups, asks=asks)
