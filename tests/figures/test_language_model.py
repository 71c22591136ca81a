"""Figures of chapters 18 and 19 show the numbers they are given: the artists are read, not the pixels."""

import pytest

from regattn.figures import COLOURS, plot_exchange, plot_probabilities, plot_routes, plot_words


def test_each_series_has_a_bar_for_every_word_as_long_as_its_probability():
    ax = plot_probabilities(["muddy", "steep", "closed"], {"grammar": [0.5, 0.3, 0.2], "model": [0.4, 0.4, 0.2]})
    grammar, model = ([bar.get_width() for bar in bars] for bars in ax.containers)
    assert grammar == [0.5, 0.3, 0.2]
    assert model == [0.4, 0.4, 0.2]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["muddy", "steep", "closed"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["grammar", "model"]


def test_words_keep_their_order_and_may_repeat():
    ax = plot_words(["the", "dog", "the"], [0.5, 2.5, 1.5], unit="nats")
    assert [bar.get_height() for bar in ax.patches] == [0.5, 2.5, 1.5]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["the", "dog", "the"]
    assert ax.get_ylabel() == "nats"


def test_an_exchange_colours_the_words_that_differ_and_has_one_arrow_down():
    ax = plot_exchange(["the", "dogs"], ["the", "dog"], head="3.1", next_words=("are", "is"))
    texts = [(t.get_text(), t.get_color()) for t in ax.texts]
    assert [text for text, colour in texts if colour == COLOURS["key"]] == ["dog", "dogs"]
    assert {"head 3.1", "→ is", "→ is,", "not are"} <= {text for text, _ in texts}
    (arrow,) = [t for t in ax.texts if getattr(t, "arrow_patch", None) is not None]
    assert arrow.xyann[1] > arrow.xy[1]
    with pytest.raises(ValueError, match="got 2 and 1 words"):
        plot_exchange(["the", "dogs"], ["the"], head="3.1", next_words=("are", "is"))


def test_routes_lead_from_word_to_word_above_and_below():
    ax = plot_routes(["anna", "met", "tom"], {(0, 2): "up"}, {(2, 0): "down"})
    at = {t.get_text(): t.get_position() for t in ax.texts if t.get_text()}
    assert at["anna"][0] < at["met"][0] < at["tom"][0]
    assert at["up"][1] > 0 > at["down"][1]
    ends = [t.xy for t in ax.texts if getattr(t, "arrow_patch", None) is not None]
    assert [x for x, _ in ends] == pytest.approx([at["tom"][0], at["anna"][0]], abs=0.2)


def test_routes_that_share_a_word_stand_beside_each_other_and_do_not_cross():
    ax = plot_routes(["anna", "met", "tom"], {(0, 1): "first", (2, 0): "then"}, {(2, 1): "near", (2, 0): "far"})
    first, then, near, far = (line.get_xdata() for line in ax.lines)
    assert then[-1] < first[0] < first[-1] < then[0]  # the higher one is outside on both sides
    assert far[-1] < near[-1] < near[0] < far[0]
