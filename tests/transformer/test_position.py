"""Facts about positions: what is added, what is turned, what is subtracted from the scores."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn import attend
from regattn.transformer import alibi_columns, alibi_slopes, frequencies, rotate, sinusoidal_positions

RNG = np.random.default_rng(7)


def test_sinusoidal_rows_follow_the_formula_entry_by_entry():
    table = sinusoidal_positions(range(5), 6, base=50.0)
    for p in range(5):
        for i in range(3):
            angle = p / 50.0 ** (2 * i / 6)
            np.testing.assert_allclose(table[p, 2 * i : 2 * i + 2], [np.sin(angle), np.cos(angle)], atol=1e-15)


def test_inner_product_of_two_sinusoidal_rows_depends_on_distance_alone():
    table = sinusoidal_positions(range(53), 22)
    gram = table @ table.T
    for lag in range(53):
        assert np.ptp(np.diagonal(gram, lag)) < 1e-12


def test_rotation_is_multiplication_by_a_complex_number():
    x = RNG.normal(size=(3, 5, 14))
    positions = np.array([0, 2, 3, 11, 400])
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * positions[:, None] * frequencies(14))
    got = rotate(x, positions)
    np.testing.assert_allclose(got[..., 0::2], turned.real, atol=1e-13)
    np.testing.assert_allclose(got[..., 1::2], turned.imag, atol=1e-13)


def test_rotary_scores_survive_a_shift_of_both_positions():
    q, k = RNG.normal(size=(1, 14)), RNG.normal(size=(1, 14))
    near = rotate(q, [5]) @ rotate(k, [3]).T
    far = rotate(q, [100_005]) @ rotate(k, [100_003]).T
    assert abs(near - far).item() < 1e-9  # angles of 1e5 radians keep about 1e-11
    assert abs(near - rotate(q, [3]) @ rotate(k, [5]).T).item() > 1e-3


def test_rotation_of_a_tensor_equals_that_of_the_array_and_passes_gradients():
    x = torch.randn(2, 3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1), requires_grad=True)
    turned = rotate(x, range(3))
    np.testing.assert_allclose(turned.detach(), rotate(x.detach().numpy(), range(3)), atol=1e-15)
    (turned**2).sum().backward()
    np.testing.assert_allclose(x.grad, 2 * x.detach(), atol=1e-14)  # lengths do not change


def test_alibi_columns_multiply_softmax_weights_by_the_decay():
    q, k, v = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
    extra_q, extra_k = alibi_columns([0.5], range(5), range(5))
    got = attend(np.hstack((q, extra_q[0])), np.hstack((k, extra_k[0])), v, scale=1.0)
    distance = np.arange(5)[:, None] - np.arange(5)
    weights = np.exp(q @ k.T) * np.exp(-0.5 * distance)
    np.testing.assert_allclose(got, weights / weights.sum(1, keepdims=True) @ v, atol=1e-13)


def test_alibi_slopes_are_those_of_the_paper_for_eight_heads():
    np.testing.assert_array_equal(alibi_slopes(8), [2.0**-h for h in range(1, 9)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: frequencies(5), "even.*got 5"),
        (lambda: frequencies(4, base=0.0), "base must be > 0, got 0.0"),
        (lambda: sinusoidal_positions([[1]], 4), r"one-dimensional, got shape \(1, 1\)"),
        (lambda: sinusoidal_positions([np.nan], 4), "positions must be finite, got nan"),
        (lambda: rotate(np.ones((2, 4)), range(3)), r"shape \(2, 4\) but there are 3 positions"),
        (lambda: alibi_slopes(0), "heads must be ≥ 1, got 0"),
    ],
)
def test_bad_input_is_refused_with_its_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()
