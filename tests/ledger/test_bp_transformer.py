"""The blog post's statements about the transformer, computed again."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn

from regattn import attend, attention_weights
from regattn.transformer import Architecture, Block, BlockDesign, LanguageModel, MultiHeadAttention, count_parameters

RNG = np.random.default_rng(43)


def shares(attention: float, feed_forward: float) -> float:
    return feed_forward / (attention + feed_forward)


def test_bp_t1_the_output_matrix_is_a_quarter_of_the_attention_parameters():
    attention = MultiHeadAttention(8, 2, bias=False)
    total = sum(p.numel() for p in attention.parameters())
    assert attention.output.weight.numel() / total == 0.25
    a = Architecture(vocabulary=11, layers=3, context=5, width=8, n_heads=2, tied=False)
    counts = count_parameters(LanguageModel(a))
    assert counts["embedding"] == counts["unembedding"] == 11 * 8  # once for the model, not once for each block


def test_bp_t2_embedding_a_one_hot_token_looks_up_a_row():
    model = LanguageModel(Architecture(vocabulary=11, layers=1, context=5, width=8, n_heads=2))
    one_hot = torch.eye(11)[[3, 7]]
    looked_up = model.embed(torch.tensor([[3, 7]]))[0]
    torch.testing.assert_close(math.sqrt(8) * one_hot @ model.embedding.weight, looked_up)


def test_bp_t3_columns_in_rows_out():
    x, w_q, w_k, w_v = RNG.normal(size=(6, 4)), *RNG.normal(size=(3, 3, 6))  # four tokens as columns
    q, k, v = w_q @ x, w_k @ x, w_v @ x
    out = attend(q.T, k.T, v.T)
    scores = np.exp(q.T @ k / math.sqrt(3))
    np.testing.assert_allclose(out, scores / scores.sum(1, keepdims=True) @ v.T, atol=1e-13)
    assert out.shape == (4, 3)


def test_bp_t4_the_merged_form_as_printed_runs_only_when_it_should_not():
    w_v = RNG.normal(size=(3, 6))
    with pytest.raises(ValueError, match="mismatch"):
        RNG.normal(size=(6, 4)) @ w_v
    x, w_v = RNG.normal(size=(6, 6)), RNG.normal(size=(6, 6))  # as many tokens as coordinates: no error, wrong numbers
    wrong, right = x @ w_v, (w_v @ x).T
    assert np.linalg.norm(wrong - right) / np.linalg.norm(right) > 0.5


def test_bp_t5_merging_keeps_the_function_and_changes_the_parametrisation():
    attention = MultiHeadAttention(6, 2, bias=False).double()
    merged = attention.query_key_matrices()
    x = torch.from_numpy(RNG.normal(size=(1, 5, 6)))
    for h in range(2):
        weights = attention_weights(x @ merged[h], x, scale=attention.scale)
        torch.testing.assert_close(weights, attention.weights(x)[:, h], atol=1e-14, rtol=0)
        assert np.linalg.matrix_rank(merged[h].detach()) == 3  # a free 6 × 6 matrix would have 6
    d, heads = 64, 8
    assert heads * d * d + 2 * d * d == 10 * d * d  # merged W_QK for each head, W_V and W_O as before; instead of 4 d²


def test_bp_t5_rotary_positions_stand_between_the_factors_and_forbid_merging():
    attention = MultiHeadAttention(6, 1, bias=False, positions="rotary").double()
    x = torch.from_numpy(RNG.normal(size=(1, 5, 6)))
    merged = attention_weights(x @ attention.query_key_matrices()[0], x, scale=attention.scale)
    assert (merged - attention.weights(x)[:, 0]).abs().max() > 0.01


def test_bp_t7_concatenation_times_w_o_is_a_sum_over_heads():
    attention = MultiHeadAttention(6, 3, bias=False).double()
    x = torch.from_numpy(RNG.normal(size=(1, 5, 6)))
    values = (x @ attention.projection.weight[12:].T).unflatten(-1, (3, 2)).transpose(1, 2)
    heads = attention.weights(x) @ values
    by_head = sum(heads[:, h] @ attention.output.weight[:, 2 * h : 2 * h + 2].T for h in range(3))
    torch.testing.assert_close(by_head, attention(x), atol=1e-14, rtol=0)


def test_bp_t8_the_printed_sum_adds_rows_to_columns():
    stream, attended = RNG.normal(size=(6, 4)), RNG.normal(size=(4, 6))
    with pytest.raises(ValueError, match="could not be broadcast"):
        stream + attended
    assert (stream + attended.T).shape == (6, 4)


def test_bp_t9_parallel_and_sequential_differ_by_the_square_of_the_branch_scale():
    with torch.random.fork_rng():
        torch.manual_seed(4)
        pre = Block(BlockDesign(width=16, n_heads=4, norm="none")).double()
        x = torch.randn(1, 7, 16, dtype=torch.float64)
    parallel = Block(BlockDesign(width=16, n_heads=4, norm="none", order="parallel")).double()
    difference = {}
    for scale in (0.1, 0.01):
        for p, q in zip(parallel.parameters(), pre.parameters(), strict=True):
            p.data = q.data.clone()
        for block in (pre, parallel):
            for layer in (block.attention.output, block.feed_forward.values):
                layer.weight.data *= scale
                nn.init.zeros_(layer.bias)
        difference[scale] = (parallel(x) - pre(x)).norm().item()
        for layer in (pre.attention.output, pre.feed_forward.values):
            layer.weight.data /= scale
    assert difference[0.1] / difference[0.01] == pytest.approx(100, rel=0.1)


@pytest.mark.parametrize("order", ["parallel", "pre"])
def test_bp_t9_in_both_readings_the_stream_gains_the_outputs_of_attention_and_of_the_mlp(order):
    block = Block(BlockDesign(width=8, n_heads=2, norm="none", order=order)).double()
    r = torch.from_numpy(RNG.normal(size=(1, 5, 8)))
    attended = block.attention(r)
    read = r if order == "parallel" else r + attended
    torch.testing.assert_close(block(r) - r, attended + block.feed_forward(read), atol=1e-13, rtol=0)


def test_bp_t10_stacking_whole_models_would_insert_an_unembedding_and_an_embedding():
    model = LanguageModel(Architecture(vocabulary=11, layers=3, context=5, width=8, n_heads=2, tied=False))
    assert len(model.blocks) == 3
    between = model.embedding.weight.T @ model.unembedding.weight
    assert (between - torch.eye(8)).norm() > 1


def test_bp_t11_a_tied_unembedding_looks_tokens_up_in_reverse_when_no_token_is_much_longer_than_another():
    tied = RNG.normal(size=(50, 16))
    unit = tied / np.linalg.norm(tied, axis=1, keepdims=True)
    np.testing.assert_array_equal((unit @ unit.T).argmax(1), np.arange(50))
    longer = unit.copy()
    longer[3] *= 10
    assert ((longer @ longer.T).argmax(1) == 3).sum() > 1  # a long vector answers for others too


def test_bp_t12_two_thirds_and_one_third_for_the_standard_block():
    layer = nn.TransformerEncoderLayer(512, 8, 2048)
    feed_forward = sum(p.numel() for n, p in layer.named_parameters() if n.startswith("linear"))
    attention = sum(p.numel() for n, p in layer.named_parameters() if n.startswith("self_attn"))
    assert shares(attention, feed_forward) == pytest.approx(0.6665, abs=5e-4)
    assert shares(4, 8) == pytest.approx(2 / 3)
    assert shares(4, 2 * 10) == pytest.approx(5 / 6)  # d_ff = 10 d
    assert shares(10, 8) == pytest.approx(0.444, abs=1e-3)  # eight heads merged
    assert shares(2, 8) == pytest.approx(0.8)  # one merged head without W_O


def test_bp_t12_grouped_queries_and_gated_layers_come_near_five_sixths():
    found = {}
    for width, heads, groups in ((4096, 32, 8), (8192, 64, 8)):
        attention = 2 * width**2 + 2 * width * width * groups // heads
        found[width] = shares(attention, 3 * 3.5 * width**2)
    assert found[4096] == pytest.approx(0.808, abs=1e-3)
    assert found[8192] == pytest.approx(0.824, abs=1e-3)


def test_bp_t12_gpt_2_small():
    with torch.device("meta"):
        model = LanguageModel(
            Architecture(vocabulary=50_257, layers=12, context=1024, width=768, n_heads=12, positions="learned")
        )
    counts = count_parameters(model)
    assert counts["total"] == 124_439_808
    assert counts["feed_forward"] / counts["total"] == pytest.approx(0.455, abs=1e-3)
    assert counts["attention"] / counts["total"] == pytest.approx(0.228, abs=1e-3)


def test_bp_t14_merging_has_more_parameters_when_a_head_is_narrower_than_half_the_model():
    for d, d_k in ((64, 8), (64, 48)):
        assert (d * d > 2 * d * d_k) == (d_k < d / 2)
