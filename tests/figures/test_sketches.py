"""The drawings of chapters 21 and 22: their words, and arrows both ways."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex

from regattn.figures import COLOURS, plot_quantiser, plot_reading

WORDS = {
    plot_quantiser: {"encoder", "nearest code", "decoder", "a choice has none", "the copied slope: as if e were z"},
    plot_reading: {"a task: β, noise", "(x₁, y₁)", "attention: Ω", "each x asks", "ŷ = xᵀ Ω Σ xᵢ yᵢ", "target t"},
}


@pytest.mark.parametrize("draw", WORDS, ids=lambda draw: draw.__name__)
def test_it_says_its_words_once_inside_the_frame(draw):
    ax = draw()
    said = [text.get_text() for text in ax.texts if text.get_text()]
    assert WORDS[draw] <= set(said)
    assert len(said) == len(set(said))
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    for text in ax.texts:
        if text.get_text():
            x, y = text.get_position()
            assert left <= x <= right
            assert low <= y <= high


@pytest.mark.parametrize("draw", WORDS, ids=lambda draw: draw.__name__)
def test_what_comes_back_has_the_colour_of_a_correction(draw):
    arrows = [text.arrow_patch for text in draw().texts if getattr(text, "arrow_patch", None)]
    colours = {to_hex(arrow.get_edgecolor()) for arrow in arrows}
    assert to_hex(COLOURS["negative"]) in colours
    assert len(colours) == 2
