"""Tables, neighbours and themes show the numbers they are given."""

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from regattn.data import load_seven_words
from regattn.figures.cooccurrence import plot_neighbours, plot_tables, plot_themes

S = load_seven_words()


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_a_table_prints_every_count_that_is_not_zero_in_its_cell():
    (ax,) = plot_tables({"counts": S})
    written = np.zeros((7, 7), dtype=int)
    for text in ax.texts:
        j, i = text.get_position()
        written[i, j] = int(text.get_text())
    np.testing.assert_array_equal(written, S)
    np.testing.assert_array_equal(ax.images[0].get_array(), S)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(S.index)
    assert "counts" in {ax.get_title(loc="left"), ax.get_title()}  # on the left in the book's style


def test_only_tables_with_fractions_get_decimals():
    axes = plot_tables({"counts": S.iloc[:2, :2], "shares": S.iloc[:2, :3] / 8}, decimals=3)
    assert {text.get_text() for text in axes[0].texts} == {"4"}
    assert {text.get_text() for text in axes[1].texts} == {"0.500", "0.750"}


def test_an_empty_table_draws():
    (ax,) = plot_tables({"nothing": S * 0})
    assert not ax.texts


def test_neighbours_are_bars_with_the_closest_on_top():
    closeness = pd.Series([3.0, 2.0, 1.0], ["west", "reserve", "the"])
    ax = plot_neighbours(closeness)
    np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], closeness)
    assert ax.yaxis_inverted()


def test_theme_bars_stack_to_one():
    shares = pd.DataFrame({"geography": [0.25, 0.5], "finance": [0.75, 0.5]}, ["bank", "loan"])
    ax = plot_themes(shares)
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], shares.T.to_numpy().ravel())
    np.testing.assert_allclose(ends, [0.25, 0.5, 1, 1])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["geography", "finance"]
