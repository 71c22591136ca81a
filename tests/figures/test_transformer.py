"""Figures of chapters 16, 17 and 20 show the numbers they are given: the artists are read, not the pixels."""

import numpy as np

from regattn.figures import plot_blueprint, plot_clocks, plot_encoder_decoder, plot_parts
from regattn.series import ForecasterDesign
from regattn.transformer import sinusoidal_positions


def test_bars_are_the_parts_end_to_end():
    ax = plot_parts({"small": {"a": 1.0, "b": 3.0}, "large": {"a": 2.0, "b": 7.0}}, unit="millions")
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == [1.0, 2.0, 3.0, 7.0]
    assert [bar.get_x() for bar in ax.patches] == [0.0, 0.0, 1.0, 2.0]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b"]
    assert ax.get_xlabel() == "millions"


def test_the_blueprint_names_every_part_inside_its_axes():
    ax = plot_blueprint()
    words = " ".join(text.get_text() for text in ax.texts)
    for part in ("embedding", "block 1", "block L", "unembedding", "softmax", "Q, K, V", "mask", "W_O", "W_1", "W_2"):
        assert part in words
    for text in ax.texts:
        x, y = text.get_position()
        assert 0 <= x <= 10
        assert 0 <= y <= 10.4
    assert ax.yaxis_inverted()  # tokens stand above, as in the explorer


def test_a_hand_of_a_clock_points_at_its_two_readings():
    ax = plot_clocks([0, 5, 32], width=16, base=100.0)
    hands = np.array([line.get_xydata()[1] - line.get_xydata()[0] for line in ax.lines]).reshape(3, 8, 2)
    readings = sinusoidal_positions([0, 5, 32], 16, base=100.0).reshape(3, 8, 2)
    np.testing.assert_allclose(hands / np.linalg.norm(hands, axis=-1, keepdims=True), readings * [1, -1], atol=1e-12)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["place 0", "place 5", "place 32"]
    assert len(ax.get_xticklabels()) == 8


def test_the_two_sides_carry_the_shapes_of_their_design():
    ax = plot_encoder_decoder(ForecasterDesign(context=30, horizon=7, width=24, n_heads=2))
    words = [text.get_text() for text in ax.texts]
    assert words.count("(30, 24)") == 2  # up the encoder
    assert "keys, values  (30, 24)" in words
    assert words.count("(7, 24)") == 3
    assert "queries  (7, 24)" in words
    assert words.count("+") == 5  # two layers on the left and three on the right are added to what went round them
    assert words.count("(7, 9)") == 1
    assert "cross-attention" in words
