"""Breeden's equations (1) to (13) and the statements around them, computed again."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.special import rel_entr, xlogy
from torch.nn import functional

from regattn import attend, attention_weights
from regattn.grammar import Grammar
from regattn.transformer import (
    Architecture,
    Block,
    BlockDesign,
    LanguageModel,
    MultiHeadAttention,
    count_parameters,
    next_token_loss,
    rotate,
)
from regattn.words import count_ngrams

RNG = np.random.default_rng(44)


@pytest.fixture
def three_maps():
    """Six tokens of width 8 as rows, and the maps W^A, W^B (3 × 8) and W^C (5 × 8)."""
    return RNG.normal(size=(6, 8)), RNG.normal(size=(3, 8)), RNG.normal(size=(3, 8)), RNG.normal(size=(5, 8))


def breeden_12_13(a, b, c):
    """Return weights and outputs of eqs. (12) and (13) literally: everyone in the normaliser, the past in the sum."""
    r = np.exp(a @ b.T / math.sqrt(a.shape[1]))
    weights = np.tril(r / r.sum(axis=1, keepdims=True))
    return weights, weights @ c


@pytest.mark.parametrize("equation", [1, 2, 3])
def test_br_01_to_03_applied_to_one_token_or_to_rows_is_the_same(three_maps, equation):
    e, w = three_maps[0], three_maps[equation]
    for i in range(6):
        np.testing.assert_allclose(w @ e[i], (e @ w.T)[i], atol=1e-13)


def test_br_5_4b_different_maps_can_still_give_symmetric_scores(three_maps):
    e, w_a, w_b, _ = three_maps
    symmetric = (e @ w_a.T) @ (e @ (2 * w_a).T).T
    np.testing.assert_allclose(symmetric, symmetric.T, atol=1e-12)
    general = (e @ w_a.T) @ (e @ w_b.T).T
    assert np.abs(general - general.T).max() > 1


def test_br_5_5b_the_bilinear_form_has_the_rank_of_the_projection(three_maps):
    _, w_a, w_b, _ = three_maps
    assert np.linalg.matrix_rank(w_a.T @ w_b) == 3


def test_br_5_6b_any_invertible_matrix_and_not_only_rotations_leaves_scores_unchanged(three_maps):
    e, w_a, w_b, _ = three_maps
    g = RNG.normal(size=(3, 3))
    scores = (e @ w_a.T) @ (e @ w_b.T).T
    moved = (e @ (np.linalg.inv(g).T @ w_a).T) @ (e @ (g @ w_b).T).T
    np.testing.assert_allclose(moved, scores, atol=1e-10)
    assert np.abs((e @ (g @ w_a).T) @ (e @ (g @ w_b).T).T - scores).max() > 1


def test_br_5_8_the_five_steps_are_attend(three_maps):
    e, w_a, w_b, w_c = three_maps
    h = np.zeros((6, 5))
    for i in range(6):
        r = [(w_a @ e[i]) @ (w_b @ e[j]) / math.sqrt(3) for j in range(6)]
        total = sum(math.exp(s) for s in r)
        h[i] = sum(math.exp(r[j]) / total * (w_c @ e[j]) for j in range(6))
    np.testing.assert_allclose(attend(e @ w_a.T, e @ w_b.T, e @ w_c.T), h, atol=1e-12)


def test_br_6b_two_heads_with_one_pattern_are_a_head_of_twice_the_value_rank():
    o, c = RNG.normal(size=(2, 8, 3)), RNG.normal(size=(2, 3, 8))
    together = o[0] @ c[0] + o[1] @ c[1]
    assert np.linalg.matrix_rank(together) == 6
    s = np.linalg.svd(together, compute_uv=False)
    assert math.sqrt((s[3:] ** 2).sum() / (s**2).sum()) > 0.1  # the best single head of width 3


def test_br_6c_patterns_are_neither_independent_nor_spanning():
    patterns = [
        attention_weights(RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4)), mask="causal").ravel() for _ in range(12)
    ]
    assert np.linalg.matrix_rank(np.array(patterns)) == 4  # of 9 entries: first row fixed, then 1 and 2 free, plus 1


def test_br_04_to_08_layers_are_composed():
    model = LanguageModel(Architecture(vocabulary=11, layers=3, context=9, width=8, n_heads=2))
    tokens = torch.tensor([[1, 5, 2, 7]])
    trace = model.trace(tokens)
    torch.testing.assert_close(trace.streams[0], model.embed(tokens))
    for layer in range(3):
        expected = model.blocks[layer](trace.streams[layer], mask="causal")
        torch.testing.assert_close(trace.streams[layer + 1], expected)


def test_br_7_0a_one_layer_reaches_every_position():
    attention = MultiHeadAttention(8, 2)
    x = torch.randn(1, 200, 8, generator=torch.Generator().manual_seed(1), requires_grad=True)
    attention(x, mask="causal")[0, -1].sum().backward()
    assert (x.grad[0].norm(dim=1) > 0).all()


def test_br_7_0c_the_number_of_heads_is_no_part_of_the_count():
    counts = set()
    for heads in (1, 12, 96, 128):
        with torch.device("meta"):
            counts.add(sum(p.numel() for p in MultiHeadAttention(12_288, heads, bias=False).parameters()))
    assert counts == {603_979_776}


def test_br_7_0d_and_11_2_the_quoted_sizes_give_175_billion():
    with torch.device("meta"):
        model = LanguageModel(
            Architecture(vocabulary=50_257, layers=96, context=2048, width=12_288, n_heads=96, positions="learned")
        )
    counts = count_parameters(model)
    assert counts["total"] / 1e9 == pytest.approx(174.60, abs=0.01)
    assert counts["attention"] / 1e9 == pytest.approx(57.98, abs=0.01)
    assert counts["feed_forward"] / 1e9 == pytest.approx(115.97, abs=0.01)


def test_br_7_1b_attention_layers_do_not_collapse_without_a_nonlinearity_between_them():
    layers = [MultiHeadAttention(8, 2, bias=False).double() for _ in range(2)]

    def stack(x):
        return layers[1](layers[0](x))

    x, y = (torch.from_numpy(RNG.normal(size=(1, 5, 8))) for _ in range(2))
    assert (stack(x + y) - stack(x) - stack(y)).norm() / stack(x + y).norm() > 0.01
    frozen = layers[0].weights(x)[:, 0]
    torch.testing.assert_close(frozen @ (x + y), frozen @ x + frozen @ y, atol=1e-13, rtol=0)


def test_br_7_1c_a_square_is_no_better_than_the_best_quadratic():
    x = np.linspace(-1, 1, 400)
    y = np.sin(6 * x)
    misfit = ((y - np.polyval(np.polyfit(x, y, 2), x)) ** 2).mean()
    assert misfit == pytest.approx(0.436, abs=0.002)  # W₂ (W₁x + b₁)² + b₂ is a quadratic, whatever the width


def test_br_7_2c_under_post_norm_the_identity_path_fades_and_under_pre_norm_it_does_not():
    with torch.random.fork_rng():
        torch.manual_seed(5)
        z = torch.randn(64, dtype=torch.float64)
        path = torch.eye(64, dtype=torch.float64)
        for _ in range(24):
            u = functional.layer_norm(z, (64,)) + torch.randn(64, dtype=torch.float64)  # a branch of variance 1
            jacobian = torch.autograd.functional.jacobian(lambda v: functional.layer_norm(v, (64,)), u)
            path, z = jacobian @ path, u
        stack = torch.nn.Sequential(*[Block(BlockDesign(width=8, n_heads=2)).double() for _ in range(24)])
    assert torch.linalg.matrix_norm(path, 2) < 0.01
    for block in stack:  # pre-norm with silent branches: what is left is the path that passes none of them
        for layer in (block.attention.output, block.feed_forward.values):
            layer.weight.data.zero_()
            layer.bias.data.zero_()
    left = torch.autograd.functional.jacobian(stack, torch.from_numpy(RNG.normal(size=(1, 1, 8))))
    torch.testing.assert_close(left.reshape(8, 8), torch.eye(8, dtype=torch.float64), atol=0, rtol=0)


def test_br_7_3_normalising_divides_by_d_and_leaves_a_sphere():
    x = torch.from_numpy(RNG.normal(size=(3, 16)))
    z = (x - x.mean(1, keepdim=True)) / torch.sqrt(x.var(1, correction=0, keepdim=True) + 1e-5)
    torch.testing.assert_close(functional.layer_norm(x, (16,)), z, atol=1e-12, rtol=0)
    torch.testing.assert_close(z.square().sum(1), torch.full((3,), 16.0, dtype=torch.float64), atol=1e-3, rtol=0)
    jacobian = torch.autograd.functional.jacobian(lambda v: functional.layer_norm(v, (16,), eps=0.0), x[0])
    assert np.linalg.matrix_rank(jacobian, tol=1e-9) == 14


def test_br_8a_one_causal_layer_sees_a_bag_and_two_see_order():
    x = torch.from_numpy(RNG.normal(size=(1, 6, 8)))
    shuffled = x[:, [2, 0, 4, 1, 3, 5]]
    layers = [MultiHeadAttention(8, 2).double() for _ in range(2)]
    one, two = layers[0](x, mask="causal"), layers[0](shuffled, mask="causal")
    torch.testing.assert_close(one[:, -1], two[:, -1], atol=1e-13, rtol=0)
    again = [layers[1](h, mask="causal")[:, -1] for h in (one, two)]
    assert (again[0] - again[1]).abs().max() > 1e-4


def test_br_8e_rotary_scores_depend_on_the_distance_alone():
    q, k = RNG.normal(size=(2, 1, 8))
    at = [(rotate(q, [i]) @ rotate(k, [j]).T).item() for i, j in ((5, 3), (505, 503), (100_005, 100_003), (3, 5))]
    assert at[0] == pytest.approx(at[1], abs=1e-11)
    assert at[0] == pytest.approx(at[2], abs=1e-9)
    assert abs(at[0] - at[3]) > 1e-3


def test_br_8g_a_start_token_and_a_causal_mask_let_a_model_count():
    nothing, values = np.zeros((10, 1)), np.zeros((10, 1))
    values[0] = 1  # a start token, and nothing else to tell positions apart
    counted = attend(nothing, nothing, values, mask="causal")[:, 0]
    np.testing.assert_allclose(counted, 1 / np.arange(1, 11), atol=1e-15)
    np.testing.assert_allclose(
        attend(nothing, nothing, values + (values == 0), mask="causal"), 1
    )  # without it: nothing
    np.testing.assert_allclose(attend(nothing, nothing, values), 1 / 10)


def test_br_8h_alibi_multiplies_weights_by_a_constant_per_step():
    weights = MultiHeadAttention(4, 1, positions="alibi").weights(torch.zeros(1, 4, 4), mask="causal")[0, 0, -1]
    torch.testing.assert_close(weights[:-1] / weights[1:], torch.full((3,), math.exp(-(2.0**-8))))


def test_br_9b_the_output_layer_is_an_over_parametrised_low_rank_logit():
    u, h, shift = RNG.normal(size=(100, 16)), RNG.normal(size=(200, 16)), RNG.normal(size=16)
    log_p = torch.log_softmax(torch.from_numpy(h @ u.T), 1)
    torch.testing.assert_close(torch.log_softmax(torch.from_numpy(h @ (u + shift).T), 1), log_p, atol=1e-12, rtol=0)
    assert np.linalg.matrix_rank(log_p, tol=1e-8) == 17


def test_br_09_to_11_queries_keys_and_values_of_a_head_are_the_three_maps():
    attention = MultiHeadAttention(8, 2, bias=False).double()
    h = torch.from_numpy(RNG.normal(size=(1, 5, 8)))
    w_a, w_b, w_c = (w.unflatten(0, (2, 4)) for w in attention.projection.weight.chunk(3))
    heads = [attend(h[0] @ w_a[i].T, h[0] @ w_b[i].T, h[0] @ w_c[i].T, mask="causal") for i in range(2)]
    expected = torch.cat(heads, dim=1) @ attention.output.weight.T  # the combining formula, W^O [o¹; o²]
    torch.testing.assert_close(attention(h, mask="causal")[0], expected, atol=1e-14, rtol=0)


def test_br_12_weights_as_printed_do_not_sum_to_one_before_the_last_row(three_maps):
    e, w_a, w_b, w_c = three_maps
    weights, _ = breeden_12_13(e @ w_a.T, e @ w_b.T, e @ w_c.T)
    sums = weights.sum(1)
    assert (sums[:-1] < 1).all()
    assert sums[-1] == pytest.approx(1.0)
    equal, _ = breeden_12_13(np.zeros((6, 3)), np.zeros((6, 3)), np.zeros((6, 3)))
    np.testing.assert_allclose(equal.sum(1), np.arange(1, 7) / 6, atol=1e-15)


def test_br_12_as_printed_the_future_leaks_and_with_the_mask_in_the_normaliser_it_does_not(three_maps):
    e, w_a, w_b, w_c = three_maps
    changed = e.copy()
    changed[-1] = RNG.normal(size=8)
    printed = [breeden_12_13(x @ w_a.T, x @ w_b.T, x @ w_c.T)[1] for x in (e, changed)]
    assert np.abs(printed[0][:-1] - printed[1][:-1]).max() > 1e-3
    corrected = [attend(x @ w_a.T, x @ w_b.T, x @ w_c.T, mask="causal") for x in (e, changed)]
    np.testing.assert_array_equal(corrected[0][:-1], corrected[1][:-1])
    weights, outputs = breeden_12_13(e @ w_a.T, e @ w_b.T, e @ w_c.T)
    np.testing.assert_allclose(outputs / weights.sum(1, keepdims=True), corrected[0], atol=1e-12)


def test_br_13_with_the_sum_of_12_over_the_same_positions_the_output_is_an_average_of_the_past(three_maps):
    e, w_a, w_b, w_c = three_maps
    a, b, c = e @ w_a.T, e @ w_b.T, e @ w_c.T
    for i in range(6):
        r = np.exp(b[: i + 1] @ a[i] / math.sqrt(3))
        assert (r / r.sum()).sum() == pytest.approx(1)
        np.testing.assert_allclose(attend(a, b, c, mask="causal")[i], r / r.sum() @ c[: i + 1], atol=1e-13)


def test_br_s2_without_intercepts_the_printed_block_is_blind_to_scale():
    block = Block(BlockDesign(width=16, n_heads=4, order="single", activation="relu", bias=False)).double()
    u = torch.from_numpy(RNG.normal(size=(1, 5, 16)))

    def after(u):
        return functional.layer_norm(u + block.feed_forward(u), (16,), eps=0.0)

    torch.testing.assert_close(after(7 * u), after(u), atol=1e-12, rtol=0)


def test_br_s2_the_printed_block_is_neither_post_norm_nor_pre_norm():
    with torch.random.fork_rng():
        torch.manual_seed(6)
        designs = {o: BlockDesign(width=16, n_heads=4, order=o, activation="relu") for o in ("single", "post", "pre")}
        blocks = {order: Block(design).double() for order, design in designs.items()}
        x = torch.randn(1, 7, 16, dtype=torch.float64)
    weights = {k: v for k, v in blocks["single"].state_dict().items() if not k.startswith("norm_2")}
    for order in ("post", "pre"):
        blocks[order].load_state_dict(weights, strict=False)
    out = {order: functional.layer_norm(block(x), (16,)) for order, block in blocks.items()}
    for order in ("post", "pre"):
        assert (out[order] - out["single"]).norm() / out["single"].norm() > 0.02


def test_br_10_2b_the_mean_and_not_the_sum_of_surprisals_is_the_cross_entropy():
    text = [
        "the",
        "cat",
        "sat",
        "on",
        "the",
        "mat",
        "and",
        "the",
        "dog",
        "sat",
        "on",
        "the",
        "log",
        "and",
        "the",
        "cat",
        "ran",
    ]
    numbers = {w: i for i, w in enumerate(dict.fromkeys(text))}
    tokens = [numbers[w] for w in text]
    surprisals = count_ngrams(tokens, order=2, vocabulary=len(numbers)).surprisals(tokens)
    assert surprisals.sum() == pytest.approx(16 * surprisals.mean())
    model = LanguageModel(Architecture(vocabulary=len(numbers), layers=1, context=17, width=8, n_heads=2))
    loss = next_token_loss(model, torch.tensor([tokens])).item()
    log_p = torch.log_softmax(model(torch.tensor([tokens[:-1]])), -1)[0].detach()
    assert loss == pytest.approx(-np.mean([log_p[i, t].item() for i, t in enumerate(tokens[1:])]), abs=1e-5)


def test_br_10_3a_cross_entropy_is_entropy_plus_divergence():
    p, q = RNG.dirichlet(np.ones(7), size=2)
    cross = -(p * np.log(q)).sum()
    assert cross == pytest.approx(-xlogy(p, p).sum() + rel_entr(p, q).sum(), abs=1e-14)


def test_br_10_3a_where_q_is_zero_and_p_is_not_both_sides_are_infinite():
    p, q = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    with np.errstate(divide="ignore"):
        assert -xlogy(p, q).sum() == np.inf == -xlogy(p, p).sum() + rel_entr(p, q).sum()


def test_br_10_3b_the_entropy_of_a_one_hot_is_zero_only_by_convention():
    one_hot = np.array([0.0, 1.0])
    assert -xlogy(one_hot, one_hot).sum() == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        assert np.isnan((one_hot * np.log(one_hot)).sum())


def test_br_10_3c_the_floor_of_the_loss_is_the_conditional_entropy_and_not_zero():
    grammar = Grammar()
    tokens = grammar.sample_tokens(np.random.default_rng(3), texts=30, length=60)
    p = grammar.conditionals(tokens[:, :-1])
    floor = -np.log(np.take_along_axis(p, tokens[:, 1:, None], 2)).mean()
    entropies = -xlogy(p, p).sum(-1)
    assert floor == pytest.approx(entropies.mean(), abs=0.1)
    assert floor > 1  # though every single target is one-hot and has entropy 0


def test_br_10_4a_plus_is_right_for_a_likelihood_and_makes_it_ascent():
    z = torch.zeros(1, requires_grad=True)  # 30 successes in 100
    for _ in range(2000):
        likelihood = (30 * functional.logsigmoid(z) + 70 * functional.logsigmoid(-z)).sum() / 100
        (gradient,) = torch.autograd.grad(likelihood, z)
        z = (z + 0.5 * gradient).detach().requires_grad_()
    assert torch.sigmoid(z).item() == pytest.approx(0.3, abs=1e-4)
