"""Figures of chapter 18 show the numbers they are given: the artists are read, not the pixels."""

from regattn.figures import plot_probabilities, plot_words


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
