"""Mehta, "Self-Attention as Distributional Projection", Secs. 4 to 8: order, direction, heads, and what is claimed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import torch
from scipy import sparse
from scipy.optimize import minimize
from scipy.sparse.linalg import svds
from scipy.special import softmax
from sklearn.metrics import roc_auc_score
from torch.nn import functional

from regattn import attend, attention_weights
from regattn.data import load_lee_corpus, load_seven_words
from regattn.words import Vocabulary, count_cooccurrences, normalise_rows, ppmi, selector, split_words
from tests.ledger.counted import context_weights, project, vocabulary_scores

S = load_seven_words()
WORDS = list(S.columns)
TABLE = S.to_numpy().astype(float)
RIVER, BANK, LOAN, MONEY, FLOODED, SHORE, RELY = range(7)
GOOD, BAD = [RIVER, FLOODED, BANK], [BANK, FLOODED, RIVER]  # "river flooded bank" and the same words reversed
REVERSAL = np.eye(3)[::-1]
CAUSAL = np.tri(3, dtype=bool)


def with_positions(places, P, table=TABLE):
    """Return (Z + P) S (Z + P)' for the words at these places."""
    Z = selector(places, 7) + P
    return Z @ table @ Z.T


def random_positions(seed=0, size=(3, 7)):
    return np.random.default_rng(seed).normal(size=size)


def asymmetric_kernel(seed=0):
    W_Q, W_K = np.random.default_rng(seed).normal(size=(2, 7, 5))
    return W_Q, W_K


# --- Abstract, Sec. 6: what follows and what is chosen ----------------------------------------------------------------


def test_mh_0_the_same_scores_allow_other_weights_than_softmax():
    M = project(S, ["river", "bank", "flooded"])
    np.testing.assert_allclose(normalise_rows(M)[0], [0, 0.44, 0.56], atol=0.005)
    np.testing.assert_allclose(softmax(M, axis=1)[0], [0.005, 0.268, 0.727], atol=5e-4)


def test_mh_6_0_row_shares_do_not_depend_on_the_unit_of_counting_and_softmax_does():
    M = project(S, ["river", "bank", "flooded"])
    np.testing.assert_allclose(normalise_rows(M / 4), normalise_rows(M), atol=1e-15)
    assert np.abs(softmax(M / 4, axis=1) - softmax(M, axis=1)).max() > 0.2


# --- Sec. 4: position -------------------------------------------------------------------------------------------------


def test_mh_4_0_reordering_reorders_m_and_e_and_leaves_only_the_mean_alone():
    good, bad = ([WORDS[i] for i in order] for order in (GOOD, BAD))
    assert (project(S, bad) != project(S, good)).any()
    np.testing.assert_array_equal(project(S, bad), REVERSAL @ project(S, good) @ REVERSAL.T)
    E_good, E_bad = vocabulary_scores(S, good), vocabulary_scores(S, bad)
    assert (E_bad != E_good).any()
    np.testing.assert_array_equal(E_bad, REVERSAL @ E_good)
    np.testing.assert_allclose(E_bad.mean(axis=0), E_good.mean(axis=0))


def test_mh_4_1_a_one_hot_place_is_mistaken_for_a_word():
    augmented = selector([RIVER, BANK], 7) + np.eye(2, 7)
    assert augmented[0].tolist() == [2, 0, 0, 0, 0, 0, 0]
    np.testing.assert_array_equal(np.eye(7)[RIVER] + np.eye(7)[1], np.eye(7)[BANK] + np.eye(7)[0])
    sums = {tuple(np.eye(7)[word] + np.eye(7)[place]) for word in range(7) for place in range(7)}
    assert len(sums) == 28  # of 49 combinations of word and place


def test_mh_4_1_in_a_common_space_word_and_place_can_be_told_apart():
    rng = np.random.default_rng(1)
    words, places = rng.normal(size=(2, 7, 5))
    sums = (words[:, None] + places).reshape(49, 5)
    assert min(np.linalg.norm(a - b) for a, b in combinations(sums, 2)) > 0.05


def test_mh_4_2_the_square_has_four_terms():
    Z, P = selector(GOOD, 7), random_positions()
    terms = [Z @ TABLE @ Z.T, Z @ TABLE @ P.T, P @ TABLE @ Z.T, P @ TABLE @ P.T]
    whole = with_positions(GOOD, P)
    np.testing.assert_allclose(sum(terms), whole, atol=1e-12)
    for dropped in range(4):
        assert np.abs(sum(t for i, t in enumerate(terms) if i != dropped) - whole).max() > 1


def test_mh_4_3_the_block_matrix_belongs_to_stacked_and_not_to_added_positions():
    Z, P = selector(GOOD, 7), random_positions()
    stacked, fold = np.vstack([Z, P]), np.hstack([np.eye(3), np.eye(3)])
    block = np.block([[Z @ TABLE @ Z.T, Z @ TABLE @ P.T], [P @ TABLE @ Z.T, P @ TABLE @ P.T]])
    np.testing.assert_allclose(stacked @ TABLE @ stacked.T, block, atol=1e-12)
    assert with_positions(GOOD, P).shape == (3, 3) != block.shape == (6, 6)
    np.testing.assert_allclose(fold @ block @ fold.T, with_positions(GOOD, P), atol=1e-12)


def order_sensitivity(term, P):
    """Return how far a term is from being merely reordered when the words, but not the places, are reversed."""
    return np.abs(term(selector(BAD, 7), P) - REVERSAL @ term(selector(GOOD, 7), P) @ REVERSAL.T).max()


@pytest.mark.parametrize(
    ("term", "sensitive"),
    [
        (lambda Z, _: Z @ TABLE @ Z.T, False),
        (lambda Z, P: Z @ TABLE @ P.T, True),
        (lambda Z, P: P @ TABLE @ Z.T, True),
        (lambda _, P: P @ TABLE @ P.T, True),
        (lambda Z, P: Z @ TABLE @ Z.T + P @ TABLE @ P.T, True),
    ],
    ids=["words", "words-places", "places-words", "places", "words plus places, no cross terms"],
)
def test_mh_4_4_any_term_with_a_place_in_it_breaks_the_symmetry(term, sensitive):
    assert (order_sensitivity(term, random_positions()) > 1) == sensitive


def test_mh_4_5_a_place_stands_for_what_stands_there_if_it_is_the_mean_of_what_stood_there():
    sentences = np.random.default_rng(2).choice(7, size=(211, 3), p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1])
    P = np.mean([selector(sentence, 7) for sentence in sentences], axis=0)
    expected = [[np.mean([TABLE[w, sentence[s]] for sentence in sentences]) for s in range(3)] for w in range(7)]
    np.testing.assert_allclose(TABLE @ P.T, expected, atol=1e-12)


def test_mh_4_5_sines_stand_for_nothing_that_stands_there():
    sines = np.array(
        [[np.sin(p / 10_000 ** (2 * (j // 2) / 7) + np.pi / 2 * (j % 2)) for j in range(7)] for p in range(3)]
    )
    assert sines[0].tolist() == [0, 1, 0, 1, 0, 1, 0]  # sums to 3: no distribution over words
    assert (TABLE @ sines.T).max() > TABLE.max()  # expects more than any two words ever met


def test_mh_4_6_no_positions_let_the_good_order_have_the_higher_total():
    for seed in range(1000):
        P = random_positions(seed) * 10.0 ** (seed % 3)
        good, bad = with_positions(GOOD, P).sum(), with_positions(BAD, P).sum()
        assert good == pytest.approx(bad, rel=1e-9, abs=1e-9)


def test_mh_4_6_no_positions_let_the_good_order_have_the_higher_score_of_neighbours():
    for seed in range(100):
        P = random_positions(seed)
        M_good, M_bad = with_positions(GOOD, P), with_positions(BAD, P)
        assert np.diag(M_good, 1).sum() == pytest.approx(np.diag(M_bad, 1).sum(), rel=1e-9, abs=1e-9)


def test_mh_4_6_the_trace_prefers_one_order_but_which_one_is_up_to_the_positions():
    preferences = []
    for seed in range(2000):
        P = random_positions(seed)
        difference = np.trace(with_positions(GOOD, P)) - np.trace(with_positions(BAD, P))
        formula = 2 * (np.eye(7)[RIVER] - np.eye(7)[BANK]) @ TABLE @ (P[0] - P[2])
        assert difference == pytest.approx(formula, abs=1e-10)
        preferences.append(difference > 0)
    assert np.mean(preferences) == pytest.approx(0.5, abs=0.035)  # three standard errors of a fair coin
    assert [np.trace(with_positions(order, np.eye(3, 7))) for order in (GOOD, BAD)] == [18, 14]


@pytest.mark.parametrize(("met_themselves", "ahead"), [(0, -1), (3.9, -1), (4, 0), (4.1, 1), (9, 1)])
def test_mh_4_6_with_average_words_the_diagonal_of_the_table_decides_which_order(met_themselves, ahead):
    table = TABLE + met_themselves * np.eye(7)
    for often in (3, 5, 50):  # river flooded bank so many times, and once reversed
        P = (often * selector(GOOD, 7) + selector(BAD, 7)) / (often + 1)
        good, bad = (with_positions(order, P, table) for order in (GOOD, BAD))
        assert good.sum() == pytest.approx(bad.sum())
        assert np.sign(np.round(np.trace(good) - np.trace(bad), 9)) == ahead


def test_mh_4_6_directed_counts_with_positions_do_separate_the_totals_of_neighbours():
    directed = np.triu(TABLE)  # river before bank, flooded before shore, …
    P = random_positions()
    good, bad = (np.diag(with_positions(order, P, directed), 1).sum() for order in (GOOD, BAD))
    assert abs(good - bad) > 1


# --- Real text: directed counts of the Lee corpus ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def stories():
    """Return the documents as word numbers, for the words seen twenty times, and how many such words there are."""
    documents = [split_words(story) for story in load_lee_corpus()]
    vocabulary = Vocabulary.from_documents(documents, min_count=20, unknown="gap")
    return [vocabulary.indices(document) for document in documents], vocabulary


class Directed:
    """Directed counts of four fifths of the stories and the neighbours in the others."""

    def __init__(self, stories, fold):
        numbers, vocabulary = stories
        train = [n for i, n in enumerate(numbers) if i % 5 != fold]
        test = [n for i, n in enumerate(numbers) if i % 5 == fold]
        self.counts = count_cooccurrences(train, vocabulary, window=5, directed=True).toarray().astype(float)
        pairs = np.unique(np.vstack([np.stack([n[:-1], n[1:]], axis=1) for n in test]), axis=0)
        first, second = pairs[(pairs >= 0).all(axis=1) & (pairs[:, 0] != pairs[:, 1])].T
        seen = self.counts[first, second] + self.counts[second, first] > 0
        self.first, self.second = first[seen], second[seen]

    def accuracy(self, scores):
        """Return how often the order that occurs has the higher score; a tie is half right."""
        forth, back = scores[self.first, self.second], scores[self.second, self.first]
        return float(((forth > back) + 0.5 * (forth == back)).mean())


@pytest.fixture(scope="module")
def folds(stories):
    return [Directed(stories, fold) for fold in range(5)]


def test_mh_4_7_symmetric_counts_know_no_order_and_directed_counts_do(folds):
    for fold in folds:
        assert fold.accuracy(fold.counts + fold.counts.T) == 0.5
    directed = [fold.accuracy(fold.counts) for fold in folds]
    assert np.mean(directed) == pytest.approx(0.752, abs=0.005)
    assert min(directed) > 0.73


def test_mh_5_6_directed_counts_have_closed_form_query_and_key_matrices(folds):
    U, s, Vt = np.linalg.svd(folds[0].counts)
    W_Q, W_K = U * np.sqrt(s), Vt.T * np.sqrt(s)
    np.testing.assert_allclose(W_Q @ W_K.T, folds[0].counts, atol=1e-9)
    accuracy = {d: folds[0].accuracy(W_Q[:, :d] @ W_K[:, :d].T) for d in (1, 16, 64, 256)}
    assert [accuracy[d] for d in (16, 64, 256)] == pytest.approx([0.708, 0.731, 0.755], abs=5e-3)
    assert accuracy[1] < 0.55
    assert accuracy[256] > folds[0].accuracy(folds[0].counts) - 0.02


def test_mh_5_6_the_counts_are_more_lopsided_than_coin_flips_would_make_them(folds):
    D = folds[0].counts
    asymmetry = np.linalg.norm(D - D.T) / np.linalg.norm(D)
    rng, total = np.random.default_rng(3), np.triu(D + D.T, 1).astype(int)
    flipped = np.triu(rng.binomial(total, 0.5), 1)
    coin = flipped + (total - flipped).T + np.diag(np.diag(D))
    assert asymmetry == pytest.approx(0.507, abs=1e-3)
    assert np.linalg.norm(coin - coin.T) / np.linalg.norm(coin) < 0.25


def test_mh_3_2k_context_disambiguates_real_banks_and_weights_of_raw_counts_spoil_it():
    documents = [["bank" if w == "banks" else w for w in split_words(story)] for story in load_lee_corpus()]
    vocabulary = Vocabulary.from_documents(documents, min_count=2, unknown="gap")
    numbers = [vocabulary.indices(document) for document in documents]
    themes = [
        "rates",
        "market",
        "economy",
        "financial",
        "money",
        "israeli",
        "palestinian",
        "gaza",
        "troops",
        "militants",
    ]
    bank, *seeds = vocabulary.indices(["bank", *themes])
    counts = count_cooccurrences(numbers, vocabulary, window=5)
    frequency = np.asarray(counts.sum(axis=0))[seeds]
    west, leanings = [], {"E": [], "plain mean": []}
    for i, j in [(i, j) for i, story in enumerate(numbers) for j, word in enumerate(story) if word == bank]:
        # one story was printed twice
        same = [other for other, story in zip(numbers, documents, strict=True) if story == documents[i]]
        S = (counts - count_cooccurrences(same, vocabulary, window=5)).tocsr()
        near = np.delete(numbers[i], [j - 1, j])[max(0, j - 5) : j + 4]  # the word before is the label
        near = near[(near >= 0) & (near != bank)]
        rows = S[near].toarray()
        for name, weights in (("E", S[[bank]].toarray()[0, near]), ("plain mean", np.ones(len(near)))):
            shares = (weights @ rows)[seeds] / frequency
            leanings[name].append((shares[5:].sum() - shares[:5].sum()) / shares.sum())
        west.append(documents[i][j - 1] == "west")
    assert (len(west), sum(west)) == (61, 31)
    areas = {name: roc_auc_score(west, leaning) for name, leaning in leanings.items()}
    assert areas == pytest.approx({"E": 0.57, "plain mean": 0.88}, abs=0.01)


def test_mh_3_2k_on_the_scale_of_ppmi_the_weights_neither_help_nor_harm():
    documents = [split_words(story) for story in load_lee_corpus()]
    vocabulary = Vocabulary.from_documents(documents)
    finance = vocabulary.indices(["rates", "market", "economy", "financial", "money"])
    conflict = vocabulary.indices(["israeli", "palestinian", "gaza", "troops", "militants"])
    counts = count_cooccurrences(documents, vocabulary, window=5)
    west, leanings = [], []
    for story in (story for story in documents if "bank" in story):
        rows = ppmi(counts - count_cooccurrences([story], vocabulary, window=5)).tocsr()
        for t in (t for t, word in enumerate(story) if word == "bank"):
            near = vocabulary.indices(story[max(0, t - 5) : max(0, t - 1)] + story[t + 1 : t + 6])
            bank = rows[vocabulary.indices(["bank"])].toarray()[0]
            profiles = rows[near].toarray()
            lean = profiles[:, conflict].sum(axis=1) - profiles[:, finance].sum(axis=1)
            own = bank[conflict].sum() - bank[finance].sum()
            itself = bank[vocabulary.indices(["bank"])[0]]
            leanings.append((bank[near] @ lean + itself * own, lean.mean()))
            west.append(story[t - 1] == "west")
    areas = [roc_auc_score(west, leaning) for leaning in np.transpose(leanings)]
    right = [int(((leaning > 0) == west).sum()) for leaning in np.transpose(leanings)]
    assert areas == pytest.approx([0.991, 0.992], abs=5e-4)
    assert right == [39, 44]


# --- Sec. 5: direction ------------------------------------------------------------------------------------------------


def test_mh_5_0_symmetric_scores_are_not_symmetric_weights():
    M = project(S, ["river", "bank", "flooded"])
    np.testing.assert_array_equal(M, M.T)
    weights = normalise_rows(M)
    assert weights[0, 1] == pytest.approx(0.444, abs=5e-4)  # river gives bank
    assert weights[1, 0] == pytest.approx(0.571, abs=5e-4)  # bank gives river


def test_mh_5_1_the_directed_scores_are_products_of_queries_and_keys():
    (W_Q, W_K), Z = asymmetric_kernel(), selector(GOOD, 7)
    M = attention_weights(Z @ W_Q, Z @ W_K, kernel="identity")
    slow = [[sum(W_Q[r, k] * W_K[s, k] for k in range(5)) for s in GOOD] for r in GOOD]
    np.testing.assert_allclose(M, slow, atol=1e-12)
    assert np.abs(M - M.T).max() > 0.1


def test_mh_5_2_a_selector_row_needs_no_transpose():
    (W_Q, W_K), Z = asymmetric_kernel(), selector(GOOD, 7)
    r, s = Z[:1], Z[1:2]  # row vectors, as in Sec. 2.3
    with pytest.raises(ValueError, match="mismatch"):
        (r.T @ W_Q) @ (s.T @ W_K).T
    assert ((r @ W_Q) @ (s @ W_K).T).item() == pytest.approx(
        attention_weights(Z @ W_Q, Z @ W_K, kernel="identity")[0, 1]
    )


def test_mh_5_3_a_kernel_narrower_than_the_rank_of_s_loses_part_of_it():
    U, s, Vt = np.linalg.svd(TABLE)
    errors = [np.linalg.norm(TABLE - (U[:, :d] * s[:d]) @ Vt[:d]) / np.linalg.norm(TABLE) for d in range(1, 8)]
    np.testing.assert_allclose(errors, [0.691, 0.558, 0.425, 0.311, 0.170, 0.059, 0], atol=5e-4)
    np.testing.assert_allclose(errors[:6], [np.sqrt((s[d:] ** 2).sum() / (s**2).sum()) for d in range(1, 7)])


def test_mh_5_3_no_kernel_of_width_four_does_better_than_the_truncated_svd():
    def misfit(w):
        W_Q, W_K = w.reshape(2, 7, 4)
        left = W_Q @ W_K.T - TABLE
        return (left**2).sum(), np.stack([2 * left @ W_K, 2 * left.T @ W_Q]).ravel()

    starts = np.random.default_rng(4).normal(size=(3, 56))
    best = min(minimize(misfit, start, jac=True, method="L-BFGS-B", options={"maxiter": 2000}).fun for start in starts)
    assert np.sqrt(best) / np.linalg.norm(TABLE) == pytest.approx(0.311, abs=5e-4)


def test_mh_5_3_on_real_text_64_numbers_per_word_still_lose_seven_per_cent(stories):
    numbers, vocabulary = stories
    counts = count_cooccurrences(numbers, vocabulary, window=5, directed=True).astype(float)
    s = svds(counts, k=64, return_singular_vectors=False, rng=np.random.default_rng(5))
    assert np.sqrt(1 - (s**2).sum() / sparse.linalg.norm(counts) ** 2) == pytest.approx(0.074, abs=1e-3)


def test_mh_5_4_one_matrix_for_both_gives_symmetric_scores_and_two_need_not():
    (W_Q, W_K), Z = asymmetric_kernel(), selector(GOOD, 7)
    one, two = (attention_weights(Z @ W_Q, Z @ W, kernel="identity") for W in (W_Q, W_K))
    np.testing.assert_allclose(one, one.T, atol=1e-12)
    assert np.abs(two - two.T).max() > 0.1


def test_mh_5_4_counts_without_a_diagonal_are_no_square_of_one_matrix():
    values = np.linalg.eigvalsh(TABLE)
    np.testing.assert_allclose(values, [-8.33, -6.71, -6.00, -3.67, -1.36, 9.39, 16.68], atol=5e-3)
    assert values.sum() == pytest.approx(np.trace(TABLE), abs=1e-12)
    assert np.sqrt((values[values < 0] ** 2).sum() / (values**2).sum()) == pytest.approx(0.558, abs=5e-4)


@pytest.mark.parametrize("width", [2, 3, 7])
def test_mh_5_4_descent_on_one_matrix_stalls_at_56_per_cent_however_wide(width):
    def misfit(w):
        W = w.reshape(7, width)
        left = W @ W.T - TABLE
        return (left**2).sum(), (4 * left @ W).ravel()

    start = np.random.default_rng(width).normal(size=7 * width)
    best = minimize(misfit, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000, "ftol": 1e-14}).fun
    assert np.sqrt(best) / np.linalg.norm(TABLE) == pytest.approx(0.558, abs=5e-4)


def test_mh_5_4_with_a_free_diagonal_one_matrix_of_three_columns_is_enough():
    others = 1 - np.eye(7)

    def misfit(w):
        W = w.reshape(7, -1)
        left = (W @ W.T - TABLE) * others
        return (left**2).sum(), (4 * left @ W).ravel()

    starts = {width: np.random.default_rng(width).normal(size=(5, 7 * width)) for width in (1, 2, 3)}
    best = [min(minimize(misfit, w, jac=True, method="L-BFGS-B").fun for w in each) for each in starts.values()]
    np.testing.assert_allclose(np.sqrt(best) / np.linalg.norm(TABLE), [0.579, 0.124, 0], atol=1e-3)
    values, vectors = np.linalg.eigh(TABLE)  # by hand: a diagonal large enough lifts every eigenvalue above zero
    W = vectors * np.sqrt(values - values[0])
    np.testing.assert_allclose(W @ W.T, TABLE - values[0] * np.eye(7), atol=1e-12)


def test_mh_5_4_one_matrix_and_its_mirror_image_are_enough():
    values, vectors = np.linalg.eigh(TABLE)
    W, signs = vectors * np.sqrt(np.abs(values)), np.diag(np.sign(values))
    np.testing.assert_allclose(W @ (W @ signs).T, TABLE, atol=1e-13)


def test_mh_5_4_every_table_with_a_zero_diagonal_has_a_negative_eigenvalue():
    rng = np.random.default_rng(6)
    for _ in range(1000):
        upper = np.triu(rng.poisson(0.7, size=(7, 7)), 1)
        upper[0, 1] += 1  # not all zero
        assert np.linalg.eigvalsh(upper + upper.T)[0] < -0.5


def test_mh_5_4_more_than_half_of_the_eigenvalues_of_real_counts_are_negative(folds):
    counts = folds[0].counts + folds[0].counts.T
    values = np.linalg.eigvalsh(counts - np.diag(np.diag(counts)))
    assert (values < 0).mean() == pytest.approx(0.560, abs=5e-3)


def sentence_score(kernel, order, mask):
    Z = selector(order, 7)
    return float((Z @ kernel @ Z.T)[mask].sum())


def test_mh_5_5_a_directed_kernel_alone_reorders_its_scores_and_nothing_else():
    (W_Q, W_K), Z_good, Z_bad = asymmetric_kernel(), selector(GOOD, 7), selector(BAD, 7)
    good, bad = (attention_weights(Z @ W_Q, Z @ W_K, kernel="identity") for Z in (Z_good, Z_bad))
    np.testing.assert_allclose(bad, REVERSAL @ good @ REVERSAL.T, atol=1e-14)
    np.testing.assert_allclose(np.sort(bad.ravel()), np.sort(good.ravel()), atol=1e-14)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_mh_5_5_telling_the_sentences_apart_takes_a_directed_kernel_and_a_mask(directed, masked):
    W_Q, W_K = asymmetric_kernel()
    kernel = W_Q @ W_K.T if directed else TABLE
    mask = CAUSAL if masked else np.ones((3, 3), dtype=bool)
    gap = abs(sentence_score(kernel, GOOD, mask) - sentence_score(kernel, BAD, mask))
    assert (gap > 0.1) == (directed and masked)


# --- Sec. 6: learned attention and heads ------------------------------------------------------------------------------


@pytest.fixture
def layer():
    """Return H (5 tokens of width 6) and W_Q, W_K (6 × 3), W_V (6 × 2), in torch."""
    generator = torch.Generator().manual_seed(7)
    shapes = (5, 6), (6, 3), (6, 3), (6, 2)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def test_mh_6_1_the_layer_is_torch_scaled_dot_product_attention(layer):
    H, W_Q, W_K, W_V = layer
    written = torch.softmax(H @ W_Q @ W_K.T @ H.T / 3**0.5, dim=1) @ (H @ W_V)
    torch.testing.assert_close(written, functional.scaled_dot_product_attention(H @ W_Q, H @ W_K, H @ W_V))
    torch.testing.assert_close(written, attend(H @ W_Q, H @ W_K, H @ W_V))


def test_mh_6_2a_concatenating_and_mixing_is_a_sum_over_heads(layer):
    H, W_Q, W_K, W_V = layer
    W_O = torch.randn((4, 6), generator=torch.Generator().manual_seed(8), dtype=torch.float64)
    heads = [attend(H @ W_Q, H @ W_K, H @ W_V), attend(H @ W_K, H @ W_Q, H @ W_V)]
    by_head = heads[0] @ W_O[:2] + heads[1] @ W_O[2:]
    torch.testing.assert_close(torch.cat(heads, dim=1) @ W_O, by_head, atol=1e-14, rtol=0)
    assert (torch.cat(heads[::-1], dim=1) @ W_O - by_head).abs().max() > 0.01


@pytest.fixture
def split_kernel():
    """Return two heads, of rank 4 and 3, whose kernels add up to the table."""
    U, s, Vt = np.linalg.svd(TABLE)
    W_Q, W_K = U * np.sqrt(s), Vt.T * np.sqrt(s)
    return [(W_Q[:, :4], W_K[:, :4]), (W_Q[:, 4:], W_K[:, 4:])]


def test_mh_6_2b_linear_heads_with_shared_values_split_the_table(split_kernel):
    Z = selector(GOOD, 7)
    assert [np.linalg.matrix_rank(Q @ K.T) for Q, K in split_kernel] == [4, 3]
    heads = [attend(Z @ Q, Z @ K, Z @ TABLE, kernel="identity") for Q, K in split_kernel]
    np.testing.assert_allclose(sum(heads), Z @ TABLE @ Z.T @ Z @ TABLE, atol=1e-11)


def test_mh_6_2b_softmax_heads_do_not_add_up_to_a_softmax_of_the_sum(split_kernel):
    Z = selector(GOOD, 7)
    heads = [attend(Z @ Q, Z @ K, Z @ TABLE, scale=1.0) for Q, K in split_kernel]
    whole = softmax(Z @ TABLE @ Z.T, axis=1) @ Z @ TABLE
    assert np.abs(sum(heads) / 2 - whole).max() > 1


def test_mh_6_3_cross_attention_is_a_block_of_the_table_between_two_sentences():
    target, source = selector([BANK, LOAN], 7), selector([RIVER, BANK, FLOODED], 7)
    scores = attention_weights(target @ TABLE, source, kernel="identity")
    np.testing.assert_array_equal(scores, [[4, 0, 3], [0, 6, 0]])
    np.testing.assert_array_equal(attention_weights(source @ TABLE, target, kernel="identity"), scores.T)


def test_mh_6_3_cross_attention_mixes_the_values_of_the_source(layer):
    H, W_Q, W_K, W_V = layer
    target, source = H[:2], H[2:]
    out = attend(target @ W_Q, source @ W_K, source @ W_V)
    assert out.shape == (2, 2)
    torch.testing.assert_close(out, functional.scaled_dot_product_attention(target @ W_Q, source @ W_K, source @ W_V))


# --- Secs. 7 and 8: uniqueness, the chain, reproducibility ------------------------------------------------------------


def test_mh_7_21_free_parameters_leave_the_symmetric_part_alone():
    antisymmetric = [np.outer(a, b) - np.outer(b, a) for a, b in combinations(np.eye(7), 2)]
    assert np.linalg.matrix_rank(np.reshape(antisymmetric, (-1, 49))) == 21
    weights = np.random.default_rng(9).normal(size=21)
    refined = TABLE + np.tensordot(weights, antisymmetric, axes=1)
    assert np.abs(refined - refined.T).max() > 1
    np.testing.assert_allclose((refined + refined.T) / 2, TABLE, atol=1e-14)


def test_mh_7b_softmax_with_logarithms_of_counts_gives_back_classical_shares():
    counts = S + 1  # no zeros, so that the logarithm is finite
    U, s, Vt = np.linalg.svd(np.log(counts.to_numpy()))
    W_Q, W_K, Z = U * np.sqrt(s), Vt.T * np.sqrt(s), selector([RIVER, BANK, FLOODED], 7)
    shares = normalise_rows(project(counts, ["river", "bank", "flooded"]))
    np.testing.assert_allclose(attention_weights(Z @ W_Q, Z @ W_K, scale=1.0), shares, atol=1e-13)
    without_logarithm = attention_weights(Z @ counts.to_numpy(), Z, scale=1.0)
    assert np.abs(without_logarithm - shares).max() > 0.2
    np.testing.assert_allclose(
        context_weights(S, ["river", "bank", "flooded"], normaliser="log softmax")[0], [0, 4 / 9, 5 / 9]
    )


def test_mh_8_the_chain_loses_its_direction_at_the_step_with_positions():
    W_Q, W_K = asymmetric_kernel()
    Z = selector(GOOD, 7)
    directed = Z @ W_Q @ W_K.T @ Z.T
    assert np.abs(directed - directed.T).max() > 0.1
    for seed in range(20):
        printed = with_positions(GOOD, random_positions(seed))
        np.testing.assert_allclose(printed, printed.T, atol=1e-11)
        consistent = with_positions(GOOD, random_positions(seed), W_Q @ W_K.T)
        assert np.abs(consistent - consistent.T).max() > 0.1


def test_mh_8_1_54_sentences_of_two_words_make_a_corpus_for_the_table():
    corpus = [[WORDS[i], WORDS[j]] for i, j in combinations(range(7), 2) for _ in range(int(TABLE[i, j]))]
    assert len(corpus) == 54
    counted = count_cooccurrences(corpus, Vocabulary(WORDS), window=1)
    np.testing.assert_array_equal(counted.toarray(), TABLE)


def test_mh_8_1_more_than_one_corpus_has_these_counts():
    pairs = [[WORDS[i], WORDS[j]] for i, j in combinations(range(7), 2) for _ in range(int(TABLE[i, j]))]
    triangle = [["river", "flooded", "shore"]]  # three pairs at once, in a window of two
    left = Counter(map(tuple, pairs))
    left.subtract([("river", "flooded"), ("river", "shore"), ("flooded", "shore")])
    other = triangle + [list(pair) for pair in left.elements()]
    assert len(other) == 52
    np.testing.assert_array_equal(count_cooccurrences(other, Vocabulary(WORDS), window=2).toarray(), TABLE)
