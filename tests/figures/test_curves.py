"""Named curves show the numbers they are given."""

import numpy as np
import pytest

from regattn.figures import COLOURS, plot_curves


def test_curves_named_after_a_role_take_its_colour():
    ax = plot_curves({"train": np.ones(2), "test": np.zeros(2)}, x=[0.1, 1.0], log="x", mark=0.5)
    assert [line.get_color() for line in ax.lines[:2]] == [COLOURS["train"], COLOURS["test"]]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "linear")
    assert ax.lines[2].get_xdata()[0] == 0.5


def test_lines_are_the_curves_and_may_carry_their_names():
    ax = plot_curves({"up": [1.0, 10.0, 100.0], "down": [5.0, 4.0, 3.0]}, x=[2, 4, 8], log="y", names="end")
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), [[2, 1], [4, 10], [8, 100]])
    assert {text.get_text() for text in ax.texts} == {"up", "down"}
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")
    assert ax.get_legend() is None


def test_without_places_the_numbers_stand_at_0_1_2():
    assert plot_curves({"a": [3.0, 5.0, 4.0]}).lines[0].get_xdata().tolist() == [0, 1, 2]


@pytest.mark.parametrize(("argument", "value"), [("log", "z"), ("names", "nowhere")])
def test_an_unknown_word_is_named(argument, value):
    with pytest.raises(ValueError, match=f"{argument} must be .*got '{value}'"):
        plot_curves({"a": [1.0]}, **{argument: value})
