"""The lines on the blackboard and the fast code of the package give the same numbers."""

from __future__ import annotations

import ast
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from tokenizers import models

from regattn import attend, causal_mask, from_scratch, others_mask
from regattn.data import load_lee_corpus
from regattn.regression import convolution_matrix, descent, make_network, network_descent, spectrum
from regattn.series import autoregression, expanding_least_squares, local_trend, panel_weights
from regattn.transformer import (
    Architecture,
    Block,
    BlockDesign,
    CodeAutoencoder,
    LanguageModel,
    MultiHeadAttention,
    rotate,
    sinusoidal_positions,
)
from regattn.words import train_tokenizer

m, n, d, d_v = 3, 7, 5, 2
rng = np.random.default_rng(11)
Q, K, V = rng.normal(size=(m, d)), rng.normal(size=(n, d)), rng.normal(size=(n, d_v))
X, X_new, y = rng.normal(size=(13, 3)), rng.normal(size=(m, 3)), rng.normal(size=13)
FOLDER = Path(from_scratch.__file__).parent
same = {"rtol": 1e-12, "atol": 1e-13}


@pytest.mark.parametrize("kernel", ["softmax", "identity"])
def test_attend(kernel):
    expected = from_scratch.attend(Q, K, V, kernel=getattr(from_scratch, kernel), scale=0.7)
    np.testing.assert_allclose(attend(Q, K, V, kernel=kernel, scale=0.7), expected, **same)


def test_attend_behind_a_mask():
    mask = causal_mask(m, n)
    np.testing.assert_allclose(
        attend(Q, K, V, scale=0.7, mask=mask), from_scratch.attend(Q, K, V, scale=0.7, mask=mask)
    )


def test_attend_on_torch():
    fused = attend(*map(torch.from_numpy, (Q, K, V)), scale=0.7).numpy()
    np.testing.assert_allclose(fused, from_scratch.attend(Q, K, V, scale=0.7), **same)


def test_gradient_descent():
    path = descent.gradient_descent(X, y, learning_rate=0.03, steps=17)
    np.testing.assert_allclose(path.parameters[-1], from_scratch.gradient_descent(X, y, 0.03, 17), **same)


def test_logistic_descent():
    outcome = (y > 0).astype(int)
    start = make_network((2,), draws=[0.5, 0.5])  # weights of zero; the intercept is the network's bias
    path = network_descent(start, X[:, :2], outcome, learning_rate=0.3, steps=17)
    design = np.column_stack([X[:, :2], np.ones(13)])
    np.testing.assert_allclose(path.parameters[-1], from_scratch.logistic_descent(design, outcome, 0.3, 17), **same)


def test_within_slope():
    paths = rng.normal(size=(5, 9)).cumsum(axis=1)
    dummies = np.column_stack([paths[:, :-1].ravel(), np.kron(np.eye(5), np.ones((8, 1)))])
    expected = np.linalg.lstsq(dummies, paths[:, 1:].ravel())[0][0]  # a constant for each path
    np.testing.assert_allclose(from_scratch.within_slope(paths), expected, **same)


def test_network_step():
    outcome, start = (y > 0).astype(int), make_network((3, 5), rng=rng)
    (W, b), (v, c) = start.layers
    found = [W, b, v[0], c[0]]
    for _ in range(17):
        found = from_scratch.network_step(found, X, outcome, 0.3)
    path = network_descent(start, X, outcome, learning_rate=0.3, steps=17)
    np.testing.assert_allclose(np.concatenate([np.ravel(part) for part in found]), path.parameters[-1], **same)


def test_feature_map():
    image, kernel = rng.normal(size=(7, 5)), rng.normal(size=(3, 2))
    expected = (convolution_matrix(kernel, (7, 5)) @ image.ravel()).reshape(5, 4)
    np.testing.assert_allclose(from_scratch.feature_map(image, kernel), expected, **same)


def test_least_squares_weights():
    np.testing.assert_allclose(
        spectrum(X, centre=False).weights(X_new), from_scratch.least_squares_weights(X, X_new), rtol=1e-10
    )


def test_lag_rows():
    model = autoregression(pd.DataFrame({"y": y}), max_lag=3)
    past, present = from_scratch.lag_rows(y, 3)
    np.testing.assert_array_equal(past, model.past)
    np.testing.assert_array_equal(present, model.present["y"])


def test_masked_average_is_leave_one_out_under_the_mask_of_the_others():
    with_ones = np.column_stack([np.ones(13), X])
    hat, errors = from_scratch.least_squares_weights(with_ones, with_ones), []
    for i in range(13):
        others = np.arange(13) != i
        errors.append(y[i] - with_ones[i] @ np.linalg.lstsq(with_ones[others], y[others], rcond=None)[0])
    np.testing.assert_allclose(y - from_scratch.masked_average(hat, y, others_mask(13)), errors, rtol=1e-9)


def test_honest_weights():
    weights = from_scratch.honest_weights(X, 4)
    package = expanding_least_squares(X, y, start=4, intercept=False)
    np.testing.assert_allclose(weights, package.weights(), atol=1e-10)
    np.testing.assert_allclose(weights @ y, package.forecasts, atol=1e-10)


@pytest.mark.parametrize("spread", [0.0, 0.7, 5.0])
def test_panel_weights(spread):
    units, asked = np.repeat(["b", "a", "c"], [7, 5, 1]), np.resize(["a", "new", "b"], len(X_new))
    weights = from_scratch.panel_weights(X, units, X_new, asked, spread)
    np.testing.assert_allclose(weights, panel_weights(X, units, X_new, asked, spread=spread), atol=1e-10)


@pytest.mark.parametrize("ratio", [0.0, 0.1, 3.0])
def test_level_filter_is_the_local_level_model_of_statsmodels(ratio):
    theirs = local_trend(pd.Series(y)).smooth([1.0, ratio]).filtered_state[0]
    np.testing.assert_allclose(from_scratch.level_filter(y, ratio), theirs, rtol=1e-9)


def test_residual_layers_are_steps_of_descent():
    step = 0.9 / np.linalg.norm(X, 2) ** 2
    theta = from_scratch.gradient_descent(X, y, learning_rate=step * len(y) / 2, steps=17)
    np.testing.assert_allclose(from_scratch.residual_layers(X, y, X_new, step, depth=17), X_new @ theta, **same)
    found = from_scratch.residual_layers(X, y, X_new, step, depth=5000)
    np.testing.assert_allclose(found, spectrum(X, centre=False).predict(X_new, y), rtol=1e-9)


def test_ridge_filter_and_weights():
    s = spectrum(X, centre=False)
    np.testing.assert_allclose(s.filter(ridge=2.5), from_scratch.ridge_filter(s.singular_values, 2.5), **same)
    np.testing.assert_allclose(s.weights(X_new, ridge=2.5), from_scratch.ridge_weights(X, X_new, 2.5), rtol=1e-10)


@pytest.mark.parametrize("ridge", [0.0, 2.5])
def test_leave_one_out(ridge):
    hat = from_scratch.ridge_weights(X, X, ridge)
    np.testing.assert_allclose(
        spectrum(X, centre=False).loo_residuals(y, ridge=ridge), from_scratch.leave_one_out(hat, y), rtol=1e-10
    )


def test_leave_one_out_is_what_refitting_says():
    errors = [
        y[i] - from_scratch.least_squares_weights(np.delete(X, i, 0), X[[i]]) @ np.delete(y, i) for i in range(13)
    ]
    hat = from_scratch.least_squares_weights(X, X)
    np.testing.assert_allclose(from_scratch.leave_one_out(hat, y), np.ravel(errors), rtol=1e-10)


def maps_of(attention: MultiHeadAttention) -> list[list[np.ndarray]]:
    """Return W_Q, W_K, W_V of every head, each (D, d)."""
    maps = attention.projection.weight.detach().unflatten(0, (3, attention.n_heads, -1))  # (3, H, d, D)
    return [[maps[part, h].T.numpy() for part in range(3)] for h in range(attention.n_heads)]


def test_head():
    torch.manual_seed(3)
    attention = MultiHeadAttention(6, 1, bias=False).double()
    attention.output.weight.data = torch.eye(6, dtype=torch.float64)
    x = rng.normal(size=(4, 6))
    expected = from_scratch.head(x, *maps_of(attention)[0], mask=causal_mask(4))
    found = attention(torch.from_numpy(x)[None], mask="causal")[0].detach().numpy()
    np.testing.assert_allclose(found, expected, **same)


def test_block():
    torch.manual_seed(5)
    block = Block(BlockDesign(width=6, n_heads=2, hidden=11, bias=False, activation="relu")).double()
    x = rng.normal(size=(5, 6))
    W_O = block.attention.output.weight.detach().T.numpy()
    W_1, W_2 = (layer.weight.detach().T.numpy() for layer in (block.feed_forward.keys, block.feed_forward.values))
    expected = from_scratch.block(x, maps_of(block.attention), W_O, W_1, W_2, mask=causal_mask(5))
    found = block(torch.from_numpy(x)[None], mask="causal")[0].detach().numpy()
    np.testing.assert_allclose(found, expected, **same)


def test_language_model():
    design = Architecture(
        vocabulary=7, layers=2, context=6, width=6, n_heads=2, positions="learned", activation="relu", bias=False
    )
    model, tokens = LanguageModel(design, rng=5).double(), np.array([3, 1, 4, 1, 5])
    blocks = [
        [maps_of(block.attention), *(layer.weight.detach().T.numpy() for layer in layers)]
        for block in model.blocks
        for layers in [(block.attention.output, block.feed_forward.keys, block.feed_forward.values)]
    ]
    E, places = (layer.weight.detach().numpy() for layer in (model.embedding, model.positions))
    found = model(torch.from_numpy(tokens)[None])[0].softmax(-1).detach().numpy()
    np.testing.assert_allclose(found, from_scratch.language_model(tokens, E, places, blocks), rtol=1e-10)


@pytest.mark.parametrize("base", [5.0, 10_000.0])
def test_clocks_and_turns_are_the_packages(base):
    places = [0, 3, 3, 41]
    np.testing.assert_allclose(
        from_scratch.clocks(places, 14, base), sinusoidal_positions(places, 14, base=base), **same
    )
    rows = rng.normal(size=(4, 14))
    turned = [from_scratch.turn(row, p, base) for row, p in zip(rows, places, strict=True)]
    np.testing.assert_allclose(turned, rotate(rows, places, base=base), **same)


@pytest.mark.parametrize("seed", range(5))
def test_induction_returns_what_followed_earlier_copies(seed):
    words = np.r_[0, np.random.default_rng(seed).integers(1, 6, size=23)]  # 0 is the start
    found = from_scratch.induction(words, 6, sharpness=60.0)
    for t in range(1, len(words)):
        followers = [words[s] for s in range(1, t + 1) if words[s - 1] == words[t]]
        seen = followers or words[: t + 1]
        np.testing.assert_allclose(found[t], np.bincount(seen, minlength=6) / len(seen), atol=1e-12)


@pytest.mark.parametrize("kind", ["bytes", "characters"])
def test_learned_merges_are_the_librarys_and_cut_as_it_does(kind):
    stories = load_lee_corpus()[:25]
    tokenizer = train_tokenizer(stories, vocabulary=700, kind=kind)
    split = tokenizer.pre_tokenizer.pre_tokenize_str
    words = Counter(word for story in stories for word, _ in split(story))
    theirs = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    assert from_scratch.learn_merges(words, len(set("".join(words))) + len(theirs)) == theirs
    for word, _ in split(load_lee_corpus()[30]):
        parts = list(word)
        for pair in theirs:
            parts = from_scratch.merge(parts, pair)
        vocabulary = tokenizer.get_vocab()
        found = [tokenizer.id_to_token(token.id) for token in tokenizer.model.tokenize(word)]
        assert [part if part in vocabulary else "<unk>" for part in parts] == found


def test_merges_of_a_pair_of_equals_begin_at_the_left():
    assert from_scratch.merge(list("aaab"), ("a", "a")) == ["aa", "a", "b"]
    assert from_scratch.learn_merges({"aaaa": 3, "ba": 2}, 4) == [("a", "a"), ("aa", "aa")]


def test_the_best_cut_is_the_best_of_all_and_the_librarys():
    draw = np.random.default_rng(4)
    costs = {"a": 3.0, "b": 2.5} | {a + b + c: draw.uniform(1, 6) for a in "ab" for b in "ab" for c in ("", "a", "b")}
    library = models.Unigram([("<unk>", -99.0), *((piece, -cost) for piece, cost in costs.items())], 0)
    for word in ("a", "abba", "babbabab"):
        ends = [[k for k in range(1, len(word)) if bits >> k & 1] for bits in range(0, 2 ** len(word), 2)]
        cuts = [[word[a:b] for a, b in pairwise([0, *inside, len(word)])] for inside in ends]
        known = [cut for cut in cuts if set(cut) <= set(costs)]
        best = min(known, key=lambda cut: sum(costs[piece] for piece in cut))
        assert from_scratch.best_cut(word, costs) == best == [token.value for token in library.tokenize(word)]


@pytest.mark.parametrize(
    "path", sorted(Path(from_scratch.__file__).parent.glob("[a-z]*.py")), ids=lambda path: path.stem
)
def test_the_blackboard_needs_numpy_alone_and_raises_nothing(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    imported = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= {"numpy", "regattn.from_scratch.attention"}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Raise | ast.Assert | ast.Try)]
    assert max(map(len, text.splitlines())) <= 84  # what a page shows without a scroll bar


def test_quantise_returns_codes_and_the_slopes_of_all_three_terms():
    model, x = CodeAutoencoder(5, n_codes=6, n_parts=1, width=3, hidden=4, rng=1).double(), torch.tensor(K)
    z = model.encoder(x).detach().requires_grad_()
    codes = model.codebook[model.codes(x)[:, 0]]
    entering = z + (codes - z).detach()
    entering.retain_grad()
    picture = (x - model.decoder(entering)).square().sum()
    (picture + (z.detach() - codes).square().sum() + 0.7 * (z - codes.detach()).square().sum()).backward()
    found = from_scratch.quantise(z.detach().numpy(), model.codebook.detach().numpy(), entering.grad.numpy(), 0.7)
    for mine, wanted in zip(found, (codes.detach(), z.grad, model.codebook.grad), strict=True):
        np.testing.assert_allclose(mine, wanted, **same)
