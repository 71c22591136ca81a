"""Breeden, "The Simple Mathematics of Large Language Models": tokens, contexts, embeddings, positions, training.

As far as no other test of this source has them; figures on text are those of the Lee corpus.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise, product

import numpy as np
import pytest
import torch
from scipy.special import entr, log_softmax
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import nn

from regattn import attend
from regattn.data import load_lee_corpus, load_wikipedia_sample
from regattn.transformer import Architecture, LanguageModel, sinusoidal_positions
from regattn.words import count_ngrams, split_words, train_tokenizer

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

torch.set_num_threads(1)


@pytest.fixture
def tokens():
    return np.random.default_rng(3).normal(size=(7, 8))


# --- Sec. 2: tokens and contexts --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stories():
    return load_lee_corpus()


def pieces(stories, model, trainer):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(stories, trainer)
    return tokenizer.encode("unhappiness").tokens


@pytest.mark.parametrize(
    ("size", "expected"), [(500, "un ha pp in ess"), (2000, "un happ iness"), (8000, "un happ iness")]
)
def test_br_2_1b_byte_pairs_do_not_find_the_linguists_pieces(stories, size, expected):
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False)
    assert pieces(stories, models.BPE(), trainer) == expected.split() != ["un", "happi", "ness"]


def test_br_2_1b_the_books_own_tokeniser_gives_four_pieces(stories):
    assert train_tokenizer(stories, vocabulary=8000).encode("unhappiness").tokens == ["un", "h", "app", "iness"]


def test_br_2_1b_neither_does_wordpiece(stories):
    trainer = trainers.WordPieceTrainer(vocab_size=8000, show_progress=False, special_tokens=["[UNK]"])
    assert pieces(stories, models.WordPiece(unk_token="[UNK]"), trainer) == ["unh", "##app", "##iness"]


def test_br_2_1b_unigram_tokenisers_do(stories):
    trainer = trainers.UnigramTrainer(vocab_size=8000, show_progress=False)
    assert pieces(stories, models.Unigram(), trainer) == ["un", "happi", "ness"]


def test_br_2_1b_none_of_six_tokenisers_of_8000_pieces_finds_the_linguists_pieces(stories):
    found = set()
    for texts in (stories, [article[:3400] for article in load_wikipedia_sample()]):
        for kind in ("bytes", "characters", "unigram"):
            tokens = train_tokenizer(texts, vocabulary=8000, kind=kind).encode(" unhappiness").tokens
            found.add(tuple("".join(tokens[:1])[1:].split()) + tuple(tokens[1:]))
    assert found == {
        ("unh", "app", "iness"),
        ("un", "happ", "i", "ness"),
        ("un", "h", "app", "iness"),
        ("un", "h", "appiness"),
    }


def conditionals(joint):
    """Return P(w1), P(w2 | w1), … of a table of joint probabilities, one axis per token."""
    prefixes = [joint.sum(axis=tuple(range(i, joint.ndim))) for i in range(joint.ndim + 1)]
    return [later / earlier[..., None] for earlier, later in pairwise(prefixes)]


def test_br_2_2_a_joint_distribution_is_the_product_of_its_conditionals():
    joint = np.random.default_rng(0).dirichlet(np.ones(210)).reshape(2, 3, 5, 7)
    factors = conditionals(joint)
    for w in product(range(2), range(3), range(5), range(7)):
        by_chain = math.prod(factor[w[: i + 1]] for i, factor in enumerate(factors))
        assert by_chain == pytest.approx(joint[w], rel=1e-12)
    assert all(np.allclose(factor.sum(axis=-1), 1) for factor in factors)


def test_br_2_2_after_a_prefix_of_probability_zero_there_is_no_conditional():
    joint = np.array([[0.25, 0.75], [0.0, 0.0]])
    with np.errstate(invalid="ignore"):
        _, second = conditionals(joint)
    np.testing.assert_array_equal(second, [[0.25, 0.75], [np.nan, np.nan]])


def test_br_2_3a_ten_tokens_are_not_more_contexts_than_atoms_and_eighteen_are():
    atoms, oceans = 10**80, 47 * 10**45  # usual estimates: atoms of the observable universe, water molecules on Earth
    assert 50_000**10 * 10**33 < atoms < 50_000**10 * 2 * 10**33
    assert 50_000**17 < atoms < 50_000**18
    assert oceans < 50_000**10 < 3 * oceans


@pytest.mark.parametrize(("layers", "reach"), [(1, 8), (2, 15), (4, 29)])
def test_br_2_3b_layers_of_a_sliding_window_remember_more_than_the_window(layers, reach):
    n, window = 37, 8
    place = np.arange(n)
    mask = (place[:, None] >= place) & (place[:, None] - place < window)
    x = torch.randn((n, 5), generator=torch.Generator().manual_seed(1), dtype=torch.float64, requires_grad=True)
    h = x
    for _ in range(layers):
        h = h + attend(h, h, h, mask=mask)
    (gradient,) = torch.autograd.grad(h[-1].sum(), x)
    assert int((gradient.abs().sum(dim=1) > 0).sum()) == reach == layers * (window - 1) + 1


def information(joint):
    """Return the mutual information of two variables, in bits."""
    return (entr(joint.sum(axis=0)).sum() + entr(joint.sum(axis=1)).sum() - entr(joint).sum()) / np.log(2)


@pytest.mark.parametrize(
    ("error", "expected"), [(0.0, [1, 1, 1]), (0.01, [0.919, 0.559, 0.013])], ids=["exact", "1 % errors"]
)
def test_br_2_3c_one_token_of_memory_hands_a_message_on(error, expected):
    step = np.array([[1 - error, error], [error, 1 - error]])
    bits = [information(np.linalg.matrix_power(step, lag) / 2) for lag in (1, 10, 100)]
    assert bits == pytest.approx(expected, abs=5e-4)


def test_br_2_3c_given_the_window_what_came_before_adds_nothing():
    step = np.array([[0.9, 0.1], [0.3, 0.7]])
    joint = np.array([0.75, 0.25])[:, None, None] * step[:, :, None] * step  # P(w1, w2, w3), stationary
    assert information(joint.sum(axis=1)) > 0.05  # w1 and w3 depend on each other
    given = [p * information(joint[:, w] / p) for w, p in enumerate(joint.sum(axis=(0, 2)))]
    assert sum(given) == pytest.approx(0, abs=1e-12)  # but not once w2 is known


# --- Sec. 3: vectors --------------------------------------------------------------------------------------------------


def test_br_3_1_one_hot_tokens_are_all_equally_far_apart():
    distances = [np.linalg.norm(a - b) for a, b in combinations(np.eye(11), 2)]
    np.testing.assert_allclose(distances, np.sqrt(2))


def test_br_3_2a_an_embedding_is_a_one_hot_times_a_matrix():
    table = nn.Embedding(11, 5, dtype=torch.float64)
    tokens = torch.tensor([7, 2, 7, 0])
    torch.testing.assert_close(table(tokens), nn.functional.one_hot(tokens, 11).double() @ table.weight)


@pytest.fixture(scope="module", params=[0, 1], ids=["cbow", "skip-gram"])
def words(request, stories):
    """Return word2vec's vectors of the 1831 words that occur five times."""
    models = pytest.importorskip("gensim.models", reason="gensim is not built for this Python", exc_type=ImportError)
    documents = [split_words(story) for story in stories]
    model = models.Word2Vec(documents, vector_size=47, min_count=5, sg=request.param, workers=1, seed=1, epochs=5)
    return model.wv.vectors.astype(float)


def test_br_3_3_analogies_return_an_input_unless_inputs_are_excluded(words):
    rng = np.random.default_rng(2)
    triples = np.array([rng.choice(len(words), 3, replace=False) for _ in range(1000)])
    a, b, c = triples.T
    unit = words / np.linalg.norm(words, axis=1, keepdims=True)
    similarity = (unit[b] - unit[a] + unit[c]) @ unit.T
    an_input = (similarity.argmax(axis=1)[:, None] == triples).any(axis=1).mean()
    assert an_input > 0.3  # by chance 3 in 1831
    np.put_along_axis(similarity, triples, -np.inf, axis=1)
    assert not (similarity.argmax(axis=1)[:, None] == triples).any()


def test_br_3_2c_learned_embeddings_are_neither_centred_nor_orthogonal_as_principal_components_are(words):
    def off_diagonal(scores):
        return np.abs(np.corrcoef(scores.T) - np.eye(47)).max()

    components = PCA(n_components=47).fit_transform(words)
    assert off_diagonal(components) < 1e-6
    assert off_diagonal(words) > 0.3
    assert np.abs(components.mean(axis=0)).max() < 1e-9
    assert np.abs(words.mean(axis=0)).max() > 0.1 * words.std()


# --- Secs. 6 and 7: heads and layers ----------------------------------------------------------------------------------


def test_br_6a_and_s1_the_combining_matrix_adds_up_what_the_heads_found():
    rng = np.random.default_rng(7)
    heads, W_O = rng.normal(size=(3, 5, 2)), rng.normal(size=(8, 6))  # 3 relations, 5 tokens, k = 2, d = 8
    combined = np.concatenate(heads, axis=1) @ W_O.T
    np.testing.assert_allclose(combined, sum(h @ W_O[:, 2 * i : 2 * i + 2].T for i, h in enumerate(heads)), atol=1e-13)
    assert np.abs(combined - np.concatenate(heads[::-1], axis=1) @ W_O.T).max() > 0.1


def test_br_7_0b_96_layers_of_96_relations_are_9216_relations():
    layers = [nn.TransformerEncoderLayer(12_288, 96, 49_152, device="meta") for _ in range(96)]
    assert len({id(layer.self_attn) for layer in layers}) == 96
    assert sum(layer.self_attn.num_heads for layer in layers) == 9216


def test_br_7_0e_the_gradient_of_one_layer_depends_on_the_parameters_of_another():
    x, y = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([1.0, 0.0, 3.0])

    def loss(w):
        return (w[1] * torch.tanh(w[0] * x) - y).square().sum()

    hessian = torch.autograd.functional.hessian(loss, torch.tensor([0.7, 1.3]))
    assert hessian[0, 1].abs() > 0.1


def test_br_7_1a_the_feed_forward_map_treats_every_position_alone(tokens):
    rng = np.random.default_rng(8)
    W_1, b_1, W_2, b_2 = rng.normal(size=(13, 8)), rng.normal(size=13), rng.normal(size=(8, 13)), rng.normal(size=8)
    inner, outer = nn.Linear(8, 13, dtype=torch.float64), nn.Linear(13, 8, dtype=torch.float64)
    for layer, (W, b) in ((inner, (W_1, b_1)), (outer, (W_2, b_2))):
        layer.weight.data, layer.bias.data = torch.tensor(W), torch.tensor(b)
    together = nn.Sequential(inner, nn.ReLU(), outer)(torch.tensor(tokens)).detach()
    alone = [W_2 @ np.maximum(0, W_1 @ h + b_1) + b_2 for h in tokens]
    np.testing.assert_allclose(together, alone, atol=1e-12)


def gradient_gain(scale, *, skip):
    """Return how large the gradient of the first of 96 ReLU layers is next to that of the last output."""
    generator = torch.Generator().manual_seed(9)
    h = x = torch.randn(67, generator=generator, dtype=torch.float64, requires_grad=True)
    for _ in range(96):
        W = torch.randn((67, 67), generator=generator, dtype=torch.float64) * scale * (2 / 67) ** 0.5
        h = skip * h + torch.relu(W @ h)
    output = torch.randn(67, generator=generator, dtype=torch.float64)
    (gradient,) = torch.autograd.grad(h @ output, x)
    return float(gradient.norm() / output.norm())


def test_br_7_2b_without_skips_gradients_vanish_when_layers_shrink():
    assert gradient_gain(0.5, skip=0) < 1e-25
    assert 1e-2 < gradient_gain(1.0, skip=0) < 1e2  # "can": at the right scale they do not


def test_br_7_2a_adding_the_input_adds_the_identity_to_the_derivative():
    W = torch.randn((7, 7), generator=torch.Generator().manual_seed(10), dtype=torch.float64)
    x = torch.linspace(-1, 1, 7, dtype=torch.float64)
    f, g = (lambda h: torch.tanh(W @ h)), (lambda h: h + torch.tanh(W @ h))
    J_f, J_g = (torch.autograd.functional.jacobian(map_, x) for map_ in (f, g))
    torch.testing.assert_close(J_g - J_f, torch.eye(7, dtype=torch.float64))


def test_br_7_4_the_weights_of_section_5_look_ahead_so_the_model_is_no_decoder_before_the_mask(tokens):
    edited = tokens.copy()
    edited[-1] += 1
    assert np.abs(attend(edited, edited, edited) - attend(tokens, tokens, tokens))[0].max() > 1e-3
    masked = [attend(x, x, x, mask="causal")[0] for x in (edited, tokens)]
    np.testing.assert_array_equal(*masked)


# --- Sec. 5: what predictions cannot identify -------------------------------------------------------------------------


def test_br_5_4c_each_of_the_96_relations_of_the_largest_example_has_128_numbers():
    assert nn.MultiheadAttention(12_288, 96, device="meta").head_dim == 128


def predictions(e, R, norm):
    """Return the log-probabilities of a one-layer model whose embeddings are turned by R and its matrices turned back.

    The matrices are drawn afresh from one seed, so that only R and the norm matter.
    """
    rng, back = np.random.default_rng(11), np.linalg.inv(R)
    W_A, W_B, W_C = (rng.normal(size=(3, 8)) @ back for _ in range(3))
    W_O, U = R @ rng.normal(size=(8, 3)), rng.normal(size=(13, 8)) @ back
    h = e @ R.T
    h = h + attend(h @ W_A.T, h @ W_B.T, h @ W_C.T, mask="causal") @ W_O.T
    return log_softmax(norm(h) @ U.T, axis=1)


def layer_norm(h):
    return (h - h.mean(axis=1, keepdims=True)) / h.std(axis=1, keepdims=True)


def rms_norm(h):
    return h / np.sqrt(np.square(h).mean(axis=1, keepdims=True))


def no_norm(h):
    return h


GENERAL = np.random.default_rng(12).normal(size=(8, 8))
ROTATION = np.linalg.qr(GENERAL)[0]
MEAN_FIRST = np.linalg.qr(np.column_stack([np.ones(8), np.eye(8)[:, :7]]))[0]  # its first column is 1 over its length
KEEPS_MEAN = (
    MEAN_FIRST
    @ np.block([[np.eye(1), np.zeros((1, 7))], [np.zeros((7, 1)), np.linalg.qr(GENERAL[:7, :7])[0]]])
    @ MEAN_FIRST.T
)  # a rotation that leaves the vector of ones where it is


@pytest.mark.parametrize(
    ("norm", "invisible"),
    [(no_norm, [True, True, True]), (rms_norm, [False, True, True]), (layer_norm, [False, False, True])],
)
def test_br_5_6c_normalising_leaves_few_invisible_changes_of_the_embedding(tokens, norm, invisible):
    before = predictions(tokens, np.eye(8), norm)
    moved = [np.abs(predictions(tokens, R, norm) - before).max() for R in (GENERAL, ROTATION, KEEPS_MEAN)]
    assert [m < 1e-10 for m in moved] == invisible
    assert all(m < 1e-10 or m > 0.1 for m in moved)


def test_br_5_6e_the_ambiguity_is_that_of_oblique_rotation_with_k_squared_dimensions():
    d, k = 5, 3
    A, B = torch.randn((2, k, d), generator=torch.Generator().manual_seed(13), dtype=torch.float64)
    J = torch.autograd.functional.jacobian(lambda A, B: A.T @ B, (A, B))
    rank = torch.linalg.matrix_rank(torch.cat([j.reshape(d * d, k * d) for j in J], dim=1))
    assert 2 * k * d - rank == k**2  # orthogonal rotations alone would be k(k − 1)/2


# --- Sec. 8: position -------------------------------------------------------------------------------------------------


ORDER = [4, 0, 6, 2, 1, 5, 3]


def test_br_8a_without_a_mask_reordering_the_tokens_reorders_the_output(tokens):
    def layers(x, mask=None):
        for _ in range(3):
            x = x + attend(x, x, x, mask=mask)
        return x

    np.testing.assert_allclose(layers(tokens[ORDER]), layers(tokens)[ORDER], rtol=1e-12)
    assert np.abs(layers(tokens[ORDER], "causal") - layers(tokens, "causal")[ORDER]).max() > 0.1


def test_br_8b_adding_positions_breaks_the_symmetry(tokens):
    P = sinusoidal_positions(range(7), 8)
    x, y = tokens + P, tokens[ORDER] + P
    assert np.abs(attend(y, y, y) - attend(x, x, x)[ORDER]).max() > 0.1


def test_br_8c_position_10000_has_a_computed_vector_but_a_learned_one_only_in_a_long_table():
    table = nn.Embedding(1024, 8)
    with pytest.raises(IndexError, match="out of range"):
        table(torch.tensor([10_000]))
    row = sinusoidal_positions([10_000], 8)[0]
    assert np.square(row).sum() == pytest.approx(4)
    assert np.abs(sinusoidal_positions(range(10_000), 8) - row).max(axis=1).min() > 1e-3  # no earlier place has it


# --- Sec. 9: probabilities --------------------------------------------------------------------------------------------


def test_br_9a_and_s3_scores_through_the_inverse_logit_are_what_multinomial_regression_predicts():
    rng = np.random.default_rng(4)
    h, v = rng.normal(size=(211, 3)), rng.integers(5, size=211)
    model = LogisticRegression(fit_intercept=False, C=10.0).fit(h, v)
    np.testing.assert_allclose(model.predict_log_proba(h), log_softmax(h @ model.coef_.T, axis=1), atol=1e-12)


# --- Sec. 10: training ------------------------------------------------------------------------------------------------


def test_br_10_1_a_block_has_parameters_that_the_list_leaves_out():
    block = nn.TransformerEncoderLayer(16, 2, dim_feedforward=23)
    listed = ("self_attn", "linear1", "linear2")
    rest = {name for name, _ in block.named_parameters() if not name.startswith(listed)}
    assert rest == {"norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"}


def test_br_10_1_positions_are_parameters_when_they_are_learned_and_not_when_they_are_computed():
    shape = {"vocabulary": 11, "layers": 1, "context": 5, "width": 8, "n_heads": 2}
    sizes = {}
    for positions in ("learned", "sinusoidal"):
        model = LanguageModel(Architecture(**shape, positions=positions))
        sizes[positions] = sum(p.numel() for p in model.parameters())
    assert sizes["learned"] - sizes["sinusoidal"] == 5 * 8


def test_br_10_2a_without_a_first_factor_the_probabilities_of_all_texts_sum_to_the_vocabulary_size():
    model = count_ngrams([0, 1, 2, 0, 2, 1, 1, 0], order=2, vocabulary=3)
    texts = list(product(range(3), repeat=4))
    from_second = sum(np.exp(-model.surprisals(text).sum()) for text in texts)
    start = model.probabilities([])
    from_first = sum(start[text[0]] * np.exp(-model.surprisals(text).sum()) for text in texts)
    assert (from_second, from_first) == pytest.approx((3, 1))


def test_br_10_5a_hundreds_of_billions_of_tokens_are_more_than_a_lifetime_of_reading():
    per_hour, days = 250 * 60, 70 * 365.25
    assert 2 * per_hour * days == pytest.approx(7.7e8, rel=0.01)
    assert 16 * per_hour * days == pytest.approx(6.1e9, rel=0.01)
    assert 16 * per_hour * days < 1e11


def test_br_10_5b_by_words_read_ten_trillion_tokens_take_a_billion_readers_a_week():
    tokens_per_day = 1e9 * 1000 * 1.3  # assumed: a billion readers, a thousand words a day, 1.3 tokens per word
    assert 1e13 / tokens_per_day == pytest.approx(7.7, abs=0.05)


def text_probability(text, *, masked_normaliser):
    """Return the product of the conditionals of a text of three tokens, under eqs. (12) and (13) of one layer."""
    rng = np.random.default_rng(14)
    E, W_A, W_B, W_C, U = (rng.normal(size=shape) for shape in ((4, 5), (5, 5), (5, 5), (5, 5), (3, 5)))
    h = E[[3, *text[:-1]]]  # token 3 starts the text
    scores = np.exp((h @ W_A.T) @ (h @ W_B.T).T / np.sqrt(5))
    past = np.tri(3)
    weights = scores * past / (scores * (past if masked_normaliser else 1)).sum(axis=1, keepdims=True)
    log_p = log_softmax((weights @ h @ W_C.T) @ U.T, axis=1)
    return np.exp(sum(log_p[i, token] for i, token in enumerate(text)))


def test_br_s4_with_weights_that_do_not_see_the_future_the_objective_is_a_likelihood():
    corrected, printed = (
        sum(text_probability(text, masked_normaliser=masked) for text in product(range(3), repeat=3))
        for masked in (True, False)
    )
    assert corrected == pytest.approx(1)
    assert abs(printed - 1) > 0.01  # the probabilities of all 27 texts do not even sum to one
