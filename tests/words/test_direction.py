"""Query and key maps by counting, places added to words, the meter of order, and aligned texts."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from regattn import causal_mask
from regattn.data import load_seven_words
from regattn.words import (
    Vocabulary,
    count_cooccurrences,
    make_aligned_text,
    normalise_rows,
    one_map_errors,
    order_defect,
    position_terms,
    project,
    query_key_maps,
    score_alignment,
    selector,
    sentence_scores,
    share_ahead,
    share_right,
    stretches,
    term_defects,
    translation_table,
)
from regattn.words.alignment import AlignedPair

S = load_seven_words()
DIRECTED = np.random.default_rng(0).poisson(2.0, size=(7, 7)).astype(float)


# --- query_key_maps ---------------------------------------------------------------------------------------------------


def test_all_columns_give_back_the_table():
    W_Q, W_K = query_key_maps(DIRECTED)
    assert W_Q.shape == W_K.shape == (7, 7)
    np.testing.assert_allclose(W_Q @ W_K.T, DIRECTED, atol=1e-12)


@pytest.mark.parametrize("rank", [1, 3, 6])
def test_fewer_columns_miss_the_singular_values_that_were_cut_off(rank):
    W_Q, W_K = query_key_maps(DIRECTED, rank=rank)
    values = np.linalg.svd(DIRECTED, compute_uv=False)
    assert np.linalg.norm(W_Q @ W_K.T - DIRECTED) == pytest.approx(np.linalg.norm(values[rank:]))
    np.testing.assert_allclose(W_Q.T @ W_Q, np.diag(values[:rank]), atol=1e-12)  # half of each value on either side
    np.testing.assert_allclose(W_K.T @ W_K, np.diag(values[:rank]), atol=1e-12)


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array, pd.DataFrame], ids=["array", "sparse", "frame"])
def test_few_columns_of_a_large_table_are_the_best_too(wrap):
    table = np.random.default_rng(1).poisson(0.5, size=(53, 53))
    W_Q, W_K = query_key_maps(wrap(table), rank=5)
    U, s, Vt = np.linalg.svd(table)
    np.testing.assert_allclose(W_Q @ W_K.T, U[:, :5] * s[:5] @ Vt[:5], atol=1e-9)
    assert (np.diff((W_Q**2).sum(axis=0)) < 0).all()  # the strongest first


def test_a_rank_beyond_the_words_is_refused():
    with pytest.raises(ValueError, match="got 8"):
        query_key_maps(DIRECTED, rank=8)


def test_a_table_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        query_key_maps(np.ones((2, 3)))


# --- position_terms ---------------------------------------------------------------------------------------------------

P = np.random.default_rng(2).normal(size=(3, 7))


@pytest.mark.parametrize("table", [S, DIRECTED, sparse.csr_array(DIRECTED)], ids=["frame", "array", "sparse"])
def test_the_four_terms_add_up_to_words_with_places(table):
    tokens = ["river", "bank", "flooded"] if isinstance(table, pd.DataFrame) else [0, 1, 4]
    X = selector([0, 1, 4], 7) + P
    dense = table.toarray() if sparse.issparse(table) else np.asarray(table)
    np.testing.assert_allclose(sum(position_terms(table, tokens, P).values()), X @ dense @ X.T, atol=1e-12)


def test_each_term_is_the_sum_its_name_says():
    terms = position_terms(DIRECTED, [2, 5, 2], P)
    for r, w in enumerate([2, 5, 2]):
        for s, v in enumerate([2, 5, 2]):
            assert terms["word to word"][r, s] == DIRECTED[w, v]
            assert terms["word to place"][r, s] == pytest.approx(DIRECTED[w] @ P[s])
            assert terms["place to word"][r, s] == pytest.approx(P[r] @ DIRECTED[:, v])
            assert terms["place to place"][r, s] == pytest.approx(P[r] @ DIRECTED @ P[s])


def test_places_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 7\).*got \(3, 7\)"):
        position_terms(S, ["river", "bank"], P)


# --- order_defect -----------------------------------------------------------------------------------------------------


def test_any_table_without_places_reads_zero():
    assert order_defect(lambda tokens: project(DIRECTED, tokens), [0, 3, 3, 5]) == 0


@pytest.mark.parametrize("name", ["word to place", "place to word", "place to place"])
def test_each_term_with_a_place_reads_more_than_zero(name):
    assert order_defect(lambda tokens: position_terms(DIRECTED, tokens, P)[name], [0, 3, 5]) > 0.1


def test_the_meter_of_each_term_is_that_of_the_term_alone():
    found = term_defects(S, ["river", "bank", "shore"], P)
    assert found["word to word"] == 0
    for name, meter in found.items():
        assert meter == order_defect(lambda w, name=name: position_terms(S, w, P)[name], ["river", "bank", "shore"])


def test_the_meter_takes_the_worst_of_all_orders():
    def masked(tokens):
        return project(DIRECTED, tokens) * causal_mask(len(tokens))

    tokens, worst = [0, 3, 5, 6], 0.0
    for order in permutations(range(4)):
        Pi = np.eye(4)[list(order)]
        moved = masked([tokens[place] for place in order])
        worst = max(worst, np.abs(moved - Pi @ masked(tokens) @ Pi.T).max())
    assert order_defect(masked, tokens) == worst > 0


@pytest.mark.parametrize("count", [1, 8])
def test_too_few_or_too_many_words_are_refused(count):
    with pytest.raises(ValueError, match=f"got {count}"):
        order_defect(lambda tokens: np.eye(len(tokens)), list(range(count)))


def test_scores_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"\(3, 3\), got \(3, 7\)"):
        order_defect(lambda _: P, [0, 1, 2])


# --- aligned texts ----------------------------------------------------------------------------------------------------


def test_the_alignment_pairs_every_word_once_and_has_one_translation_but_for_endings():
    partners = {}
    for source, target, places in make_aligned_text(500, rng=1):
        assert sorted(places) == list(range(len(source)))
        assert len(source) == len(target)
        for word, place in zip(target, places, strict=True):
            partners.setdefault(word, set()).add(source[place])
    assert all(len(words) == 1 for words in partners.values())
    assert partners["wilder"] == partners["wilde"] == partners["wilden"] == {"wild"}


def test_the_endings_say_who_bites_whom():
    for source, target, places in make_aligned_text(200, rng=2):
        first, second = (place for place, word in enumerate(target) if word in ("der", "den", "ein", "einen"))
        assert target[first] in ("der", "ein")
        assert target[second] in ("den", "einen")
        assert places[first] < places[-1] < places[second]  # the verb stands between the two in English
        assert source[places[first]] in ("the", "a")


def test_chance_decides_the_text():
    assert make_aligned_text(5, rng=3) == make_aligned_text(5, rng=3) != make_aligned_text(5, rng=4)


def test_the_first_round_counts_who_stands_in_a_pair_with_whom():
    pairs = [(["a", "b"], ["x", "y"]), (["a"], ["x", "x"])]
    found = translation_table(pairs)
    counts = pd.DataFrame([[0.5 + 2, 0.5], [0.5, 0.5]], ["x", "y"], ["a", "b"])
    pd.testing.assert_frame_equal(found, counts / counts.sum())


def test_rounds_never_lower_the_likelihood_and_columns_sum_to_one():
    pairs, last = make_aligned_text(40, rng=5), -np.inf
    for rounds in (1, 2, 3, 5, 9):
        t = translation_table(pairs, rounds=rounds)
        np.testing.assert_allclose(t.sum(), 1)
        likelihood = sum(np.log(t.loc[target, source].mean(axis=1)).sum() for source, target, _ in pairs)
        assert likelihood > last
        last = likelihood


def test_a_round_counts_the_attention_of_the_round_before():
    pairs = make_aligned_text(7, rng=6)
    t, counts = translation_table(pairs, rounds=3), 0.0
    for source, target, _ in pairs:
        weights = normalise_rows(t.loc[target, source]).to_numpy()
        here = pd.DataFrame(0.0, t.index, t.columns)
        for f, row in zip(target, weights, strict=True):
            for e, weight in zip(source, row, strict=True):
                here.loc[f, e] += weight
        counts = here + counts
    pd.testing.assert_frame_equal(translation_table(pairs, rounds=4), counts / counts.sum())


def test_two_copies_of_a_word_share_the_attention_equally():
    t = translation_table(make_aligned_text(60, rng=7), rounds=10)
    weights = normalise_rows(t.loc[["der"], ["the", "dog", "bit", "the"]]).to_numpy()[0]
    assert weights[0] == weights[3] > 0.4


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "no pair"),
        ([(["a"], [])], "pair 0 is empty"),
        ([("a b", ["x"])], "'a b'"),
    ],
    ids=["nothing", "empty", "a string"],
)
def test_what_is_no_pair_of_sentences_is_refused(pairs, message):
    with pytest.raises(ValueError, match=message):
        translation_table(pairs)


def test_an_alignment_is_scored_word_by_word_and_a_tie_is_shared():
    pair = AlignedPair(["the", "dog", "bit", "the"], ["der", "Hund", "den", "biss"], [0, 1, 3, 2])
    columns, rows = ["the", "dog", "bit"], ["der", "Hund", "den", "biss"]
    table = pd.DataFrame([[9, 1, 0], [3, 2, 0], [5, 0, 5], [0, 0, 1e-9]], rows, columns)
    found = score_alignment(table, [pair, AlignedPair(["cat"], ["Katze"], [0])])
    np.testing.assert_allclose(found["right"], [1 / 2, 0, 1 / 3, 1])
    assert found["copies"].tolist() == [2, 1, 2, 1]
    assert found["place"].tolist() == [0, 1, 2, 3]
    assert found["partner"].tolist() == pair.places
    with pytest.raises(ValueError, match="no pair"):
        score_alignment(table, [AlignedPair(["cat"], ["Katze"], [0])])


def test_a_largest_score_counts_one_and_a_tie_its_share():
    tied = np.log([[0.1 + 0.2, 0.3, 0.1], [0.3, 0.3, 0.3], [0.2, 0.5, 0.3]])  # 0.1 + 0.2 is not quite 0.3
    np.testing.assert_allclose(share_right(tied, [1, 2, 0]), [1 / 2, 1 / 3, 0])
    np.testing.assert_array_equal(share_right([[-np.inf, -2.0], [0, 0]], [1, 0]), [1, 0.5])
    assert share_right(np.empty((0, 3)), []).shape == (0,)


@pytest.mark.parametrize(
    ("scores", "truth", "message"),
    [
        ([1.0, 2.0], [0], r"shape \(2,\)"),
        ([[1.0, 2.0], [np.nan, 1.0]], [0, 0], "row 1"),
        ([[1.0, 2.0]], [0, 1], "1 rows"),
        ([[1.0, 2.0]], [2], r"from 0 to 1, got \[2\]"),
        ([[1.0, 2.0]], [-1], "got"),
        ([[1.0, 2.0]], [0.5], "got"),
    ],
    ids=["a row", "nan", "too many", "beyond", "below", "no integer"],
)
def test_what_is_no_table_with_one_right_column_is_refused(scores, truth, message):
    with pytest.raises(ValueError, match=message):
        share_right(scores, truth)


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", "\u202eabc", "", "a\x00b", "🙂"])
def test_hostile_words_are_words_like_others(hostile):
    t = translation_table([([hostile, "b"], ["x", hostile]), (["b"], ["x"])], rounds=5)
    assert t.loc[hostile, hostile] > 0.5
    vocabulary = Vocabulary([hostile, "b"])
    counts = count_cooccurrences([[hostile, "b"]], vocabulary, window=1, directed=True, as_frame=True)
    assert project(counts, [hostile, "b"]).loc[hostile, "b"] == 1


# --- scores of sentences and of stretches -----------------------------------------------------------------------------


def test_scores_of_a_sentence_are_the_square_with_places_under_a_mask():
    words, P = ["river", "bank", "loan"], np.random.default_rng(3).normal(size=(3, 7))
    X = selector([list(S.columns).index(word) for word in words], 7) + P
    np.testing.assert_allclose(sentence_scores(words, S, places=P), X @ S.to_numpy() @ X.T)
    np.testing.assert_array_equal(sentence_scores(words, S, mask=causal_mask(3)), np.tril(project(S, words)))
    with pytest.raises(ValueError, match=r"mask must have shape \(3, 3\), got \(2, 2\)"):
        sentence_scores(words, S, mask=np.eye(2))


def test_stretches_follow_one_another_and_hold_no_word_twice():
    texts = [np.arange(11), np.array([3, 3, 1, 2, 0, 4]), np.array([], dtype=int)]
    assert stretches(texts, length=3).tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [2, 0, 4]]
    assert stretches([], length=3).shape == (0, 3)
    assert stretches(texts[1:2], length=1).ravel().tolist() == [3, 3, 1, 2, 0, 4]
    with pytest.raises(ValueError, match="length must be ≥ 1, got 0"):
        stretches(texts, length=0)


@pytest.mark.parametrize("mask", [np.ones((5, 5)), causal_mask(5), np.eye(5, k=-1)], ids=["all", "earlier", "one back"])
def test_the_larger_sum_is_ahead_and_a_tie_is_half(mask):
    rng = np.random.default_rng(5)
    texts = np.array([rng.permutation(7)[:5] for _ in range(23)])
    points = []
    for text in texts:
        one, other = (
            sum(mask[r, s] * DIRECTED[w[r], w[s]] for r in range(5) for s in range(5)) for w in (text, text[::-1])
        )
        points.append(0.5 if one == other else float(one > other))
    assert share_ahead(DIRECTED, texts, texts[:, ::-1], mask=mask) == pytest.approx(np.mean(points))
    assert share_ahead(DIRECTED + DIRECTED.T, texts, texts[:, ::-1], mask=mask) == 0.5  # near is mutual


def test_readings_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"got \(2, 3\) and \(3, 2\)"):
        share_ahead(DIRECTED, np.zeros((2, 3), int), np.zeros((3, 2), int), mask=np.eye(3))
    with pytest.raises(ValueError, match=r"mask must have shape \(3, 3\), got \(2, 2\)"):
        share_ahead(DIRECTED, np.zeros((2, 3), int), np.zeros((2, 3), int), mask=np.eye(2))


def test_one_map_misses_the_negative_eigenvalues_and_nothing_else_when_it_is_wide():
    values = np.linalg.eigvalsh(S)
    missed = np.linalg.norm(values[values < 0]) / np.linalg.norm(values)
    np.testing.assert_allclose(one_map_errors(S, width=5, starts=3), missed, atol=1e-4)
    assert one_map_errors(S, width=3, free_diagonal=True).min() < 1e-4
    assert len(one_map_errors(S, width=1, starts=2)) == 2
