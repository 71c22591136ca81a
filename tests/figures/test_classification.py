"""Images, regions and reliability diagrams show the numbers they are given."""

import numpy as np
import pytest

from regattn.figures import plot_images, plot_regions, plot_reliability
from regattn.regression import reliability
from regattn.regression.classification import Network

LINE = Network((([[1.0, -1.0]], [0.0]),))


def test_images_stand_in_rows_below_their_titles():
    images = np.arange(20.0).reshape(5, 2, 2)
    axes = plot_images(images, list("abcde"), columns=3)
    assert axes.shape == (2, 3)
    assert [ax.get_title() for ax in axes.flat] == ["a", "b", "c", "d", "e", ""]
    np.testing.assert_array_equal(axes[1, 0].images[0].get_array(), images[3])
    assert {ax.images[0].get_clim() for ax in axes.flat[:5]} == {(0.0, 19.0)}


def test_images_without_a_title_are_not_left_out_in_silence():
    with pytest.raises(ValueError, match="5 images need as many titles, got 4"):
        plot_images(np.zeros((5, 2, 2)), list("abcd"))


def test_images_with_negative_numbers_have_a_middle():
    axes = plot_images(np.array([[[-2.0, 1.0]]]), ["a"], columns=1)
    assert axes[0, 0].images[0].get_clim() == (-2.0, 2.0)


def test_a_reliability_diagram_has_a_marker_and_a_band_for_each_bin():
    found = reliability([0.1, 0.2, 0.6, 0.9], [0, 1, 1, 1], bins=2)
    ax = plot_reliability({"in": found})[0]
    np.testing.assert_array_equal(ax.lines[1].get_xydata(), np.column_stack([found.predicted, found.observed]))
    bands = np.array(ax.collections[0].get_segments())
    np.testing.assert_array_equal(bands[:, :, 1], np.column_stack([found.low, found.high]))


def test_regions_are_the_networks_probabilities_and_every_kind_has_its_points():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    ax = plot_regions({"a line": LINE}, X, ["a", "b", "b", "c"])[0]
    p = ax.images[0].get_array()
    assert p[0, -1] == pytest.approx(LINE.probabilities([[1.05, -0.05]])[0])
    assert [len(points.get_offsets()) for points in ax.collections if points.get_label() in set("abc")] == [1, 2, 1]
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["a", "b", "c"]


def test_a_network_that_is_never_undecided_has_no_border():
    sure = Network((([[0.0, 0.0]], [5.0]),))
    ax = plot_regions({"sure": sure}, np.eye(2), ["a", "b"])[0]
    assert len(ax.collections) == 2
