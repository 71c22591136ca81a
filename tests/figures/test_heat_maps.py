"""Heat maps show the numbers they are given: the artists are read, not the pixels."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from regattn.data import load_seven_words
from regattn.figures import plot_heat_maps

S = load_seven_words()


def test_every_count_that_is_not_zero_stands_in_its_cell_between_its_words():
    (ax,) = plot_heat_maps({"counts": S}, decimals=2)
    written = np.zeros((7, 7), dtype=int)
    for text in ax.texts:
        j, i = text.get_position()
        written[i, j] = int(text.get_text())
    np.testing.assert_array_equal(written, S)
    np.testing.assert_array_equal(ax.images[0].get_array(), S)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(S.index)
    assert [label.get_text() for label in ax.get_xticklabels()] == list(S.columns)
    assert "counts" in {ax.get_title(loc="left"), ax.get_title()}  # on the left in the book's style


def test_only_maps_with_fractions_get_decimals():
    axes = plot_heat_maps({"counts": S.iloc[:2, :2], "shares": S.iloc[:2, :3] / 8}, decimals=3)
    assert {text.get_text() for text in axes[0].texts} == {"4"}
    assert {text.get_text() for text in axes[1].texts} == {"0.500", "0.750"}


def test_numbers_are_written_only_when_asked_for():
    assert not plot_heat_maps({"counts": S})[0].texts


def test_an_empty_table_draws():
    (ax,) = plot_heat_maps({"nothing": S * 0}, decimals=1)
    assert not ax.texts


def test_each_map_has_its_own_scale_from_zero_unless_a_limit_is_given():
    maps = {"small": np.array([[0.5, 0.25]]), "large": np.array([[4.0, 1.0]])}
    assert [ax.images[0].get_clim() for ax in plot_heat_maps(maps)] == [(0, 0.5), (0, 4)]
    assert {ax.images[0].get_clim() for ax in plot_heat_maps(maps, limit=1)} == {(0, 1)}


def test_signed_maps_share_one_scale_around_zero_when_asked():
    maps = {"a": np.eye(3), "b": -2 * np.ones((3, 4))}
    assert {ax.images[0].get_clim() for ax in plot_heat_maps(maps, limit="shared")} == {(-2.0, 2.0)}
    assert [ax.images[0].get_clim() for ax in plot_heat_maps(maps)] == [(-1, 1), (-2, 2)]


def test_rows_and_columns_are_named():
    axes = plot_heat_maps({"a": np.eye(2), "b": np.eye(2)}, names=("looks", "looked at"))
    assert (axes[0].get_ylabel(), axes[1].get_xlabel()) == ("looks", "looked at")


def test_maps_draw_where_they_are_told():
    axes = plt.subplots(1, 2)[1]
    assert plot_heat_maps({"a": np.eye(2), "b": pd.DataFrame(np.eye(2))}, axes=axes) is axes


def test_an_unknown_limit_is_named():
    with pytest.raises(ValueError, match="got 'both'"):
        plot_heat_maps({"a": np.eye(2)}, limit="both")
