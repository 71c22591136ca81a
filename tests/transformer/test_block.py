"""Facts about heads and blocks, with torch's own layers as the oracle."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from regattn import _activations, attention_weights
from regattn.transformer import (
    Block,
    BlockDesign,
    FeedForward,
    MultiHeadAttention,
    _linear,
    block_from_torch,
)
from regattn.transformer._checks import ACTIVATIONS, ORDERS
from regattn.transformer._linear import WORTH_IT, Linear
from regattn.transformer.multihead import KeyValueCache

B, T, D, H = 3, 7, 10, 5


@pytest.fixture
def x():
    return torch.randn(B, T, D, generator=torch.Generator().manual_seed(5), dtype=torch.float64)


def seeded(make):
    with torch.random.fork_rng():
        torch.manual_seed(11)
        return make().to(torch.float64)


def copied_to_torch(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    theirs = nn.MultiheadAttention(ours.width, ours.n_heads, batch_first=True, dtype=torch.float64)
    theirs.in_proj_weight.data = ours.projection.weight.data
    theirs.in_proj_bias.data = ours.projection.bias.data
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    return theirs


@pytest.mark.parametrize("causal", [False, True])
def test_heads_equal_torch_multihead_attention_in_outputs_and_weights(x, causal):
    ours = seeded(lambda: MultiHeadAttention(D, H))
    nn.init.normal_(ours.projection.bias, generator=torch.Generator().manual_seed(2))
    theirs = copied_to_torch(ours)
    forbidden = torch.ones(T, T, dtype=torch.bool).triu(1) if causal else None
    expected, weights = theirs(x, x, x, attn_mask=forbidden, average_attn_weights=False)
    mask = "causal" if causal else None
    torch.testing.assert_close(ours(x, mask=mask), expected, atol=1e-13, rtol=0)
    torch.testing.assert_close(ours.weights(x, mask=mask), weights, atol=1e-13, rtol=0)


def test_cross_attention_equals_torch_with_another_sequence_as_memory(x):
    ours = seeded(lambda: MultiHeadAttention(D, H))
    memory = x[:, :4] * 2 - 1
    expected, _ = copied_to_torch(ours)(x, memory, memory)
    torch.testing.assert_close(ours(x, memory=memory), expected, atol=1e-13, rtol=0)


@pytest.mark.parametrize(
    ("norm_first", "activation", "bias"), list(itertools.product([False, True], ["relu", "gelu"], [False, True]))
)
def test_block_equals_torch_encoder_layer(x, norm_first, activation, bias):
    layer = seeded(
        lambda: nn.TransformerEncoderLayer(
            D, H, 13, dropout=0.0, activation=activation, batch_first=True, norm_first=norm_first, bias=bias
        )
    )
    causal = nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64)
    block = block_from_torch(layer)
    torch.testing.assert_close(block(x), layer(x), atol=1e-12, rtol=0)
    torch.testing.assert_close(block(x, mask="causal"), layer(x, src_mask=causal), atol=1e-12, rtol=0)


def test_gradients_equal_those_of_the_torch_layer(x):
    layer = seeded(lambda: nn.TransformerEncoderLayer(D, H, 13, dropout=0.0, batch_first=True))
    block = block_from_torch(layer)
    for module in (layer, block):
        (module(x) ** 2).sum().backward()
    ours = block.attention.projection.weight.grad
    torch.testing.assert_close(ours, layer.self_attn.in_proj_weight.grad, atol=1e-10, rtol=0)


@pytest.mark.parametrize("order", ORDERS)
def test_block_adds_in_the_order_it_names(x, order):
    block = seeded(lambda: Block(BlockDesign(width=D, n_heads=H, order=order)))
    attention, forward, n1, n2 = block.attention, block.feed_forward, block.norm_1, block.norm_2
    u = x + attention(x)
    v = x + attention(n1(x))
    expected = {
        "pre": v + forward(n2(v)),
        "post": n2(n1(u) + forward(n1(u))),
        "parallel": v + forward(n1(x)),
        "single": n1(u + forward(u)),
    }[order]
    torch.testing.assert_close(block(x), expected, atol=1e-13, rtol=0)


@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
@pytest.mark.parametrize("kernel", ["softmax", "relu"])
def test_forward_is_the_weights_it_reports_times_the_values(x, positions, kernel):
    if kernel == "relu":
        x = x.abs()
    attention = seeded(lambda: MultiHeadAttention(D, 1, kernel=kernel, positions=positions))
    if kernel == "relu":
        attention.projection.weight.data.abs_()
    weights = attention.weights(x, mask="causal")
    values = x @ attention.projection.weight[2 * D :].T + attention.projection.bias[2 * D :]
    expected = attention.output(weights[:, 0] @ values)
    torch.testing.assert_close(attention(x, mask="causal"), expected, atol=1e-12, rtol=0)


def test_alibi_subtracts_a_slope_times_the_distance_from_each_head(x):
    plain = seeded(lambda: MultiHeadAttention(D, H))
    alibi = seeded(lambda: MultiHeadAttention(D, H, positions="alibi"))
    distance = (torch.arange(T)[:, None] - torch.arange(T)).double()
    for h in range(H):
        penalised = plain.weights(x).log()[:, h] - 2.0 ** (-8 * (h + 1) / H) * distance
        torch.testing.assert_close(alibi.weights(x)[:, h], penalised.softmax(-1), atol=1e-12, rtol=0)


def test_rotary_attention_is_blind_to_a_common_shift_but_not_to_order(x):
    attention = seeded(lambda: MultiHeadAttention(D, 1, positions="rotary"))
    first = torch.zeros(B, 3, D, dtype=torch.float64)
    shifted = attention.weights(torch.cat((first, x), 1))[..., 3:, 3:]
    alone = attention.weights(x)
    torch.testing.assert_close(
        shifted / shifted.sum(-1, keepdim=True), alone, atol=1e-12, rtol=0
    )  # among the same tokens, three places later
    assert not torch.allclose(attention(x).flip(1), attention(x.flip(1)), atol=1e-3)


def test_without_positions_unmasked_attention_permutes_with_its_input(x):
    attention = seeded(lambda: MultiHeadAttention(D, H))
    torch.testing.assert_close(attention(x).flip(1), attention(x.flip(1)), atol=1e-13, rtol=0)


@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_changing_a_later_token_changes_no_earlier_output_to_the_bit(x, positions, dtype):
    block = seeded(lambda: Block(BlockDesign(width=20, n_heads=H, positions=positions))).to(dtype)
    x = x.to(dtype).repeat(1, 1, 2)
    changed = x.clone()
    changed[:, 4:] = 1e3 * torch.randn(B, 3, 20, generator=torch.Generator().manual_seed(9), dtype=dtype)
    before, after = block(x, mask="causal"), block(changed, mask="causal")
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.equal(before[:, 4:], after[:, 4:])


@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
def test_reading_in_pieces_through_a_cache_equals_reading_at_once(x, positions):
    attention = seeded(lambda: MultiHeadAttention(20, H, positions=positions))
    x = x.repeat(1, 1, 2)
    cache = KeyValueCache(T)
    pieces = [attention(piece, mask="causal", cache=cache) for piece in x.split([3, 1, 2, 1], dim=1)]
    torch.testing.assert_close(torch.cat(pieces, 1), attention(x, mask="causal"), atol=1e-13, rtol=0)


def test_query_key_matrices_give_the_scores_and_have_the_rank_of_a_head(x):
    attention = seeded(lambda: MultiHeadAttention(D, H, bias=False))
    merged = attention.query_key_matrices()
    assert merged.shape == (H, D, D)
    assert all(int(torch.linalg.matrix_rank(m)) == D // H for m in merged)
    for h, m in enumerate(merged):
        weights = attention_weights(x @ m, x, scale=attention.scale)
        torch.testing.assert_close(weights, attention.weights(x)[:, h], atol=1e-13, rtol=0)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_feed_forward_is_two_linear_maps_around_the_named_function(x, name):
    layer = seeded(lambda: FeedForward(D, 13, activation=name))
    oracle = {"relu": nn.ReLU, "gelu": nn.GELU, "silu": nn.SiLU, "tanh": nn.Tanh, "identity": nn.Identity}
    phi = nn.Softmax(-1) if name == "softmax" else oracle[name]()
    expected = phi(x @ layer.keys.weight.T + layer.keys.bias) @ layer.values.weight.T + layer.values.bias
    torch.testing.assert_close(layer(x), expected, atol=1e-13, rtol=0)


@pytest.mark.parametrize("name", sorted(set(ACTIVATIONS) - {"softmax"}))
def test_activations_are_those_of_numpy(x, name):
    found = _activations.ACTIVATIONS[name]
    leaf = x.clone().requires_grad_()
    bent = ACTIVATIONS[name](leaf)
    np.testing.assert_allclose(found.value(x.numpy()), bent.detach(), atol=1e-14)
    np.testing.assert_allclose(found.slope(x.numpy()), torch.autograd.grad(bent.sum(), leaf)[0], atol=1e-14)
    assert found.value(np.float32([0.5])).dtype == found.slope(np.float32([0.5])).dtype == np.float32


def test_norms_are_the_ones_named(x):
    rms = seeded(lambda: Block(BlockDesign(width=D, n_heads=H, norm="rms"))).norm_1(x)
    np.testing.assert_allclose((rms**2).mean(-1).detach(), 1.0, atol=1e-4)  # eps 1e-6 under a mean square near 1
    layer = seeded(lambda: Block(BlockDesign(width=D, n_heads=H, norm="layer"))).norm_1(x)
    np.testing.assert_allclose(layer.mean(-1).detach(), 0.0, atol=1e-12)
    assert torch.equal(Block(BlockDesign(width=D, n_heads=H, norm="none")).norm_1(x), x)


def test_every_kernel_of_the_book_runs_in_a_block():
    x = torch.rand(B, T, D, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    for kernel in ("identity", "softmax", "exponential", "gaussian", "nearest", lambda s: s**2):
        block = seeded(lambda kernel=kernel: Block(BlockDesign(width=D, n_heads=H, kernel=kernel)))
        block(x, mask="causal").sum().backward()
        assert torch.isfinite(block.attention.projection.weight.grad).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BlockDesign(width=10, n_heads=3), "width 10 and 3 n_heads"),
        (lambda: BlockDesign(width=10, n_heads=0), "n_heads must be ≥ 1, got 0"),
        (lambda: BlockDesign(width=10, n_heads=2, hidden=0), "hidden must be ≥ 1, got 0"),
        (lambda: BlockDesign(width=10, n_heads=2, order="sideways"), "order must be one of pre, .*got 'sideways'"),
        (lambda: BlockDesign(width=10, n_heads=2, norm="batch"), "norm must be one of .*got 'batch'"),
        (lambda: BlockDesign(width=10, n_heads=2, kernel="cosine"), "unknown kernel 'cosine'"),
        (lambda: BlockDesign(width=10, n_heads=2, positions="rotary"), "even width per head, got 5"),
        (lambda: BlockDesign(width=10, n_heads=2, positions="alibi", kernel="gaussian"), "'gaussian' does not use"),
        (lambda: FeedForward(4, 8, activation="sine"), "activation must be one of .*got 'sine'"),
        (lambda: MultiHeadAttention(10, 2)(torch.zeros(3, 10)), r"\(B, T, 10\), got \(3, 10\)"),
        (lambda: MultiHeadAttention(10, 2)(torch.zeros(1, 0, 10)), "empty"),
        (lambda: KeyValueCache(2).append(torch.zeros(1, 1, 3, 2), torch.zeros(1, 1, 3, 2)), "holds 2 tokens, got 3"),
        (
            lambda: block_from_torch(nn.TransformerDecoderLayer(4, 2)),
            "layer must be a torch.nn.TransformerEncoderLayer, got TransformerDecoderLayer",
        ),
        (
            lambda: block_from_torch(nn.TransformerEncoderLayer(4, 2, activation=torch.sin)),
            "activation must be one of .*sin",
        ),
    ],
)
def test_bad_input_is_refused_with_its_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("bias", [True, False])
def test_linear_maps_of_large_batches_and_their_gradients_equal_torchs(bias, monkeypatch):
    monkeypatch.setattr(_linear, "ONEDNN", torch.backends.mkldnn.is_available())  # whatever processor this is
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(7, 131, 96, generator=generator)
    ours, torchs = Linear(96, 257, bias=bias), nn.Linear(96, 257, bias=bias)
    assert x.numel() * 257 >= WORTH_IT
    torchs.load_state_dict(ours.state_dict())
    found = []
    for module in (ours, torchs):
        inputs = x.clone().requires_grad_()
        outputs = module(inputs)
        gradients = torch.autograd.grad((outputs**2).sum(), [inputs, *module.parameters()])
        found.append([outputs, *gradients])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(
            one, other, rtol=1e-4, atol=1e-5 * float(other.detach().abs().max())
        )  # float32 sums of ~900
