"""Figures of chapters 17 and 18 show the numbers they are given: the artists are read, not the pixels."""

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

from regattn.figures.transformer import plot_curves, plot_head_maps, plot_parts


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_bars_are_the_parts_end_to_end():
    ax = plot_parts({"small": {"a": 1.0, "b": 3.0}, "large": {"a": 2.0, "b": 7.0}}, unit="millions")
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == [1.0, 2.0, 3.0, 7.0]
    assert [bar.get_x() for bar in ax.patches] == [0.0, 0.0, 1.0, 2.0]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b"]
    assert ax.get_xlabel() == "millions"


def test_lines_are_the_curves_and_carry_their_names():
    ax = plot_curves({"up": [1.0, 10.0, 100.0], "down": [5.0, 4.0, 3.0]}, x=[2, 4, 8], log=True)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[2, 1], [4, 10], [8, 100]])
    assert {t.get_text() for t in ax.texts} == {"up", "down"}
    assert ax.get_yscale() == "log"


def test_maps_are_the_weights_on_one_scale():
    weights = np.random.default_rng(1).dirichlet(np.ones(5), size=(3, 5))
    axes = plot_head_maps(weights, list("abcde"))
    for ax, head in zip(axes, weights, strict=True):
        np.testing.assert_array_equal(ax.images[0].get_array(), head)
        assert ax.images[0].get_clim() == (0, 1)
    assert [t.get_text() for t in axes[0].get_yticklabels()] == list("abcde")
