"""Rankine's statements about positions, attention and the block (Sections 3 to 5), computed again."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from regattn import attend, attention_weights
from regattn.transformer import Block, BlockDesign, FeedForward, MultiHeadAttention, rotate, sinusoidal_positions

RNG = np.random.default_rng(42)


def printed_positions(n: int, width: int) -> np.ndarray:
    """Return eqs. (6) and (7) as printed: the cosine has the exponent (2i + 1) / D."""
    p, i = np.arange(n)[:, None], np.arange(width // 2)
    table = np.empty((n, width))
    table[:, 0::2] = np.sin(p / 10_000 ** (2 * i / width))
    table[:, 1::2] = np.cos(p / 10_000 ** ((2 * i + 1) / width))
    return table


def test_rk_06_sine_and_cosine_of_one_frequency_give_rows_of_one_length():
    table = sinusoidal_positions(range(512), 64)
    np.testing.assert_allclose((table**2).sum(1), 32.0, atol=1e-12)
    np.testing.assert_allclose(table[:, 0::2], printed_positions(512, 64)[:, 0::2], atol=1e-12)


def test_rk_07_as_printed_lengths_differ_between_rows():
    lengths = (printed_positions(512, 64) ** 2).sum(1)
    assert lengths.min() == pytest.approx(26.95, abs=0.01)
    assert lengths.max() == pytest.approx(37.34, abs=0.01)


def test_rk_07a_a_shift_is_a_linear_map_only_with_the_corrected_exponent():
    def worst_misfit(table):
        shift = np.linalg.lstsq(table[:-5], table[5:], rcond=None)[0]
        return np.abs(table[:-5] @ shift - table[5:]).max()

    correct = sinusoidal_positions(range(512), 64)
    assert worst_misfit(correct) < 1e-11
    assert worst_misfit(printed_positions(512, 64)) == pytest.approx(1.16, abs=0.01)
    np.testing.assert_allclose(rotate(correct[:-5], np.full(507, -5.0)), correct[5:], atol=1e-11)
    lag_5 = np.diagonal(correct @ correct.T, 5)
    assert np.ptp(lag_5) < 1e-11
    assert np.ptp(np.diagonal(printed_positions(512, 64) @ printed_positions(512, 64).T, 5)) == pytest.approx(
        9.89, abs=0.01
    )


def test_rk_3_2a_a_linear_map_of_a_one_hot_position_is_a_row_of_a_table():
    table = RNG.normal(size=(7, 5))
    np.testing.assert_array_equal(np.eye(7)[3] @ table, table[3])


def test_rk_3_2d_zero_padding_without_a_mask_draws_attention():
    shares = []
    for _ in range(400):
        x = np.vstack((RNG.normal(size=(3, 16)), np.zeros((5, 16))))
        w_q, w_k = RNG.normal(size=(2, 16, 16)) / 4
        padded = attention_weights(x[:3] @ w_q, x @ w_k)
        shares.append(padded[:, 3:].sum(1).mean())
        masked = attention_weights(x[:3] @ w_q, x @ w_k, mask=np.arange(8) < 3)
        np.testing.assert_allclose(masked[:, :3], attention_weights(x[:3] @ w_q, x[:3] @ w_k), atol=1e-12)
    assert np.mean(shares) == pytest.approx(0.55, abs=0.03)  # the ledger's 55.6 % has other draws


def test_rk_3_4a_the_residual_adds_what_the_layer_found():
    block = Block(BlockDesign(width=6, n_heads=2, norm="none", order="parallel"))
    x = torch.randn(2, 5, 6)
    torch.testing.assert_close(block(x) - x, block.attention(x) + block.feed_forward(x))


def test_rk_3_4b_an_affine_map_normalises_nothing():
    u = torch.randn(7, 512, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    gain, shift = torch.rand(512, dtype=torch.float64), torch.zeros(512, dtype=torch.float64)
    printed = gain * u + shift
    assert torch.allclose(gain * (10 * u) + shift, 10 * printed)
    layer = functional.layer_norm(u, (512,), gain, shift)
    assert (functional.layer_norm(10 * u, (512,), gain, shift) - layer).abs().max() < 1e-4  # eps = 1e-5 is what is left


def test_rk_3_4b_a_stack_of_24_blocks_grows_without_the_division_and_does_not_with_it():
    size = {}
    for norm in ("none", "layer"):
        with torch.random.fork_rng():
            torch.manual_seed(3)
            x = torch.randn(1, 16, 64)
            for _ in range(24):
                block = Block(BlockDesign(width=64, n_heads=4, norm=norm, order="post", activation="relu"))
                for layer in (block.feed_forward.keys, block.feed_forward.values):
                    nn.init.normal_(layer.weight, std=layer.in_features**-0.5 * math.sqrt(2))
                x = block(x)
        size[norm] = x.square().mean().sqrt().item()
    assert size["layer"] == pytest.approx(1.0, abs=1e-3)
    assert size["none"] > 1000


def test_rk_08_the_printed_index_divides_by_n_times_one_term():
    x = np.array([1.0, 2.0, 3.0])
    literal = math.exp(x[0]) / sum(math.exp(x[2]) for _ in x)  # the sum runs over i, the summand is j
    assert literal == pytest.approx(0.0451, abs=5e-5)
    correct = attention_weights(np.ones((1, 1)), x[:, None], scale=1.0)[0, 0]
    assert correct == pytest.approx(0.0900, abs=5e-5)


def test_rk_4_1a_columns_and_rows_do_not_mix():
    x = RNG.normal(size=(5, 8))  # five tokens as rows
    w_q, w_k = RNG.normal(size=(2, 8, 8))
    q_columns, k_columns = w_q @ x.T, w_k @ x.T
    assert (q_columns @ k_columns.T).shape == (8, 8)  # the printed product of printed columns: not token by token
    np.testing.assert_allclose(q_columns.T @ k_columns, (x @ w_q.T) @ (x @ w_k.T).T, atol=1e-12)


def test_rk_4_1b_doubling_a_key_changes_its_dot_product_and_not_its_cosine():
    q, keys = RNG.normal(size=(1, 8)), RNG.normal(size=(7, 8))
    longer = keys.copy()
    longer[2] *= 2
    assert attention_weights(q, keys)[0, 2] != pytest.approx(attention_weights(q, longer)[0, 2], abs=1e-3)

    def unit(a):
        return a / np.linalg.norm(a, axis=1, keepdims=True)

    np.testing.assert_allclose(attention_weights(q, unit(keys)), attention_weights(q, unit(longer)), atol=1e-15)


def test_rk_4_1c_a_dot_product_of_d_terms_has_variance_d_so_the_divisor_is_its_root():
    for d in (16, 64, 256):
        a, b = RNG.normal(size=(2, 20_000, d))
        assert ((a * b).sum(1) / math.sqrt(d)).var() == pytest.approx(1.0, abs=0.05)  # five standard errors


def test_rk_09_attention_is_torch_scaled_dot_product_attention():
    q, k, v = (torch.from_numpy(RNG.normal(size=(5, 7))) for _ in range(3))
    expected = functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
    np.testing.assert_allclose(attend(q.numpy(), k.numpy(), v.numpy()), expected, atol=1e-14)


def test_rk_4_2a_scaling_and_not_splitting_controls_the_variance():
    for d in (512, 64):
        a, b = RNG.normal(size=(2, 20_000, d))
        scores = (a * b).sum(1)
        assert (scores / math.sqrt(d)).std() == pytest.approx(1.0, abs=0.03)
        assert scores.std() == pytest.approx(math.sqrt(d), rel=0.03)


def test_rk_4_2b_parameters_and_products_are_the_same_for_every_number_of_heads():
    counts = {sum(p.numel() for p in MultiHeadAttention(512, h, bias=False).parameters()) for h in (1, 2, 8, 16)}
    assert counts == {1_048_576}
    n = d = 512
    flops = {h: 8 * n * d * d + h * 4 * n * n * (d // h) for h in (1, 8)}
    assert flops[1] == flops[8] == 1_073_741_824 + 536_870_912
    softmax_entries = {h: MultiHeadAttention(16, h).weights(torch.randn(1, 5, 16)).numel() for h in (1, 8)}
    assert softmax_entries == {1: 25, 8: 200}


def test_rk_10_concatenation_and_w_o_are_torch_multihead_attention():
    ours = MultiHeadAttention(12, 3).double()
    theirs = nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64)
    theirs.in_proj_weight.data, theirs.in_proj_bias.data = ours.projection.weight.data, ours.projection.bias.data
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    x = torch.from_numpy(RNG.normal(size=(2, 5, 12)))
    torch.testing.assert_close(ours(x), theirs(x, x, x)[0], atol=1e-14, rtol=0)


def test_rk_11_projecting_twice_is_projecting_once_with_a_matrix_of_the_rank_of_a_head():
    x, w, w_i = RNG.normal(size=(5, 64)), RNG.normal(size=(64, 64)), RNG.normal(size=(64, 8))
    np.testing.assert_allclose((x @ w) @ w_i, x @ (w @ w_i), atol=1e-10)
    assert np.linalg.matrix_rank(w @ w_i) == 8


def test_rk_5a_a_softmax_inside_keeps_the_output_in_a_convex_hull():
    with torch.random.fork_rng():
        torch.manual_seed(1)
        soft, relu = (FeedForward(16, 64, activation=name) for name in ("softmax", "relu"))
        x = torch.randn(200, 16)
    relu.load_state_dict(soft.state_dict())
    bound = (soft.values.weight.T + soft.values.bias).norm(dim=1).max()
    largest = [soft(scale * x).norm(dim=1).max().item() for scale in (1, 10, 1000)]
    assert max(largest) <= bound.item() + 1e-5
    growth = relu(1000 * x).norm(dim=1).max() / relu(x).norm(dim=1).max()
    assert growth.item() > 500


def test_rk_5a_a_softmax_feed_forward_is_attention_over_a_fixed_memory():
    layer = FeedForward(6, 11, activation="softmax", bias=False).double()
    x = torch.from_numpy(RNG.normal(size=(3, 6)))
    memory = attend(x, layer.keys.weight, layer.values.weight.T, scale=1.0)
    torch.testing.assert_close(layer(x), memory, atol=1e-14, rtol=0)


def test_rk_5b_squared_error_dies_where_cross_entropy_does_not():
    logits = torch.tensor([10.0, 0.0, 0.0], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
    (squared,) = torch.autograd.grad(((logits.softmax(0) - target) ** 2).mean(), logits)
    (entropy,) = torch.autograd.grad(-(target * logits.log_softmax(0)).sum(), logits)
    assert squared.norm().item() == pytest.approx(1.1e-4, rel=0.2)
    assert entropy.norm().item() == pytest.approx(1.414, abs=1e-3)
