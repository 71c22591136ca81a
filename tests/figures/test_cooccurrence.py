"""Tables, neighbours and themes show the numbers they are given."""

import numpy as np
import pandas as pd

from regattn.data import load_seven_words
from regattn.figures import plot_contexts, plot_neighbours, plot_themes

S = load_seven_words()


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


def test_contexts_stand_side_by_side_on_one_scale_with_each_neighbour_in_one_row():
    heard = pd.DataFrame({"table": [2.0, 1.0, 0.5], "sentence": [0.0, 3.0, 0.1]}, ["loan", "shore", "rely"])
    axes = plot_contexts(heard)
    assert [[bar.get_width() for bar in ax.patches] for ax in axes] == heard.T.to_numpy().tolist()
    assert [label.get_text() for label in axes[0].get_yticklabels()] == list(heard.index)
    assert axes[0].get_xlim() == axes[1].get_xlim()
    assert all(ax.yaxis_inverted() for ax in axes)


def test_neighbours_of_one_group_share_a_colour_and_the_key_names_it():
    heard = pd.DataFrame({"table": [2.0, 1.0, 0.5], "sentence": [0.0, 3.0, 0.1]}, ["loan", "shore", "rely"])
    axes = plot_contexts(heard, groups={"finance": ["loan", "rely"], "geography": ["shore"]})
    colours = [[bar.get_facecolor() for bar in ax.patches] for ax in axes]
    assert colours[0] == colours[1]
    assert colours[0][0] == colours[0][2] != colours[0][1]
    assert [text.get_text() for text in axes[1].get_legend().get_texts()] == ["finance", "geography"]
