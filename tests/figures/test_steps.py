"""One row of attention, step by step: the panels hold its scores, kernel, weights and average."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from regattn.figures import COLOURS, plot_steps

SCORES = pd.Series([2.0, -1.0, 0.5], index=["a", "b", "c"])
VALUES = [10.0, 20.0, 40.0]
KERNELS = {"softmax": softmax(SCORES), "identity": SCORES.to_numpy(), "exponential": np.exp(SCORES.to_numpy())}


@pytest.mark.parametrize("kernel", KERNELS)
def test_panels_hold_scores_weights_and_the_average_of_the_values(kernel):
    first, second, third, last = plot_steps(SCORES, VALUES, kernel=kernel)
    weights = KERNELS[kernel]
    np.testing.assert_allclose(first.lines[0].get_xdata(), SCORES)
    np.testing.assert_allclose(second.collections[0].get_offsets(), np.column_stack([SCORES, weights]))
    np.testing.assert_allclose([bar.get_width() for bar in third.patches], weights)
    np.testing.assert_allclose(last.collections[0].get_offsets()[:, 0], VALUES)
    np.testing.assert_allclose(last.lines[0].get_xdata(), [weights @ VALUES] * 2)
    assert last.texts[0].get_text() == f"{weights @ VALUES:.2f}"


@pytest.mark.parametrize("kernel", ["softmax", "identity", "exponential", "relu"])
def test_the_curve_of_the_kernel_goes_through_every_key(kernel):
    second = plot_steps(SCORES, VALUES, kernel=kernel)[1]
    grid, curve = second.lines[0].get_xydata().T
    for score, weight in second.collections[0].get_offsets():
        assert np.interp(score, grid, curve) == pytest.approx(weight, rel=1e-3)  # a chord between points 0.02 apart


def test_rows_are_keys_and_a_dot_grows_with_its_weight():
    first, _, third, last = plot_steps(SCORES, VALUES, kernel="identity", names=("s", "w", "v"))
    assert [text.get_text() for text in first.get_yticklabels()] == ["a", "b", "c"]
    np.testing.assert_allclose((last.collections[0].get_sizes() - 14) / 420, np.abs(SCORES))
    colours = [mpl.colors.to_hex(bar.get_facecolor()).upper() for bar in third.patches]
    assert colours == [COLOURS["positive"], COLOURS["negative"], COLOURS["positive"]]
    assert [ax.get_xlabel() for ax in (first, third, last)] == ["s", "w", "v"]


def test_a_value_is_wanted_for_every_score():
    with pytest.raises(ValueError, match="3 scores need as many values, got 2"):
        plot_steps(SCORES, [1.0, 2.0])
