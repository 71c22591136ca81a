"""Each token has its three slots, each word goes one place on, and arrows come from where the last token looks."""

import numpy as np
import pytest
from matplotlib.text import Annotation

from regattn.figures import plot_induction

TEXT = ["<start>", "wug", "dax", "fep", "wug"]


def test_slots_hold_the_word_the_word_before_and_the_place():
    ax = plot_induction(TEXT, [0, 0, 1, 0, 0])
    said = [text.get_text() for text in ax.texts if not isinstance(text, Annotation)]
    assert said[::3] == TEXT
    assert said[1::3] == ["<start>", *TEXT[:-1]]  # the first place sees itself alone
    assert said[2::3] == list("01234")


@pytest.mark.parametrize("weights", [[0, 0, 1, 0, 0], [0, 0.3, 0.7, 0, 0], np.full(5, 0.2)])
def test_one_arrow_for_each_step_back_and_one_for_each_place_that_is_looked_at(weights):
    arrows = [text for text in plot_induction(TEXT, weights).texts if isinstance(text, Annotation)]
    assert len(arrows) == len(TEXT) - 1 + np.count_nonzero(weights)
    assert all(arrow.xy[0] == len(TEXT) - 1 for arrow in arrows[len(TEXT) - 1 :])


def test_words_and_weights_have_to_fit():
    with pytest.raises(ValueError, match=r"5 words need as many weights and must be two at least, got \(3,\)"):
        plot_induction(TEXT, [0, 1, 0])
