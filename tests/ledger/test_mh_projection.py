"""Mehta, "Self-Attention as Distributional Projection", Secs. 2 and 3: one test per row of the ledger."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from regattn import attend
from regattn.data import load_seven_words
from regattn.words import equivariant_maps, normalise_rows, predict_next, selector
from tests.ledger.counted import context_weights, project, vocabulary_scores

S = load_seven_words()
WORDS = list(S.columns)
RIVER, BANK, LOAN, MONEY, FLOODED, SHORE, RELY = range(7)
RIVERSIDE = ["river", "bank", "flooded"]
LENDING = ["bank", "loan"]
GEOGRAPHY, FINANCE = [RIVER, FLOODED, SHORE], [LOAN, MONEY, RELY]


def chance(unit, sentence, word):
    return predict_next(S / unit, sentence)[word]


def meeting_sets(size):
    return [words for words in combinations(WORDS, size) if (project(S, words).sum(axis=1) > 0).all()]


def test_mh_2_1_rows_are_counts_until_divided_by_their_sums():
    assert S.sum(axis=1).tolist() == [15, 27, 15, 15, 12, 15, 9]
    np.testing.assert_allclose(normalise_rows(S).sum(axis=1), 1)


def test_mh_2_2a_the_projection_is_a_block_of_the_table():
    for sentence in (RIVERSIDE, LENDING, ["bank", "river", "bank"]):
        np.testing.assert_array_equal(project(S, sentence), S.loc[sentence, sentence])


def test_mh_2_2b_the_selector_gives_a_projector_only_without_repetition():
    distinct, repeated = (
        selector([WORDS.index(w) for w in s], 7) for s in (["river", "bank"], ["bank", "river", "bank"])
    )
    P = distinct.T @ distinct
    np.testing.assert_array_equal(P @ P, P)
    P = repeated.T @ repeated
    assert P[BANK, BANK] == 2
    assert (P @ P != P).any()


def test_mh_2_2c_no_other_word_changes_a_score_or_a_ratio_of_weights():
    np.testing.assert_array_equal(project(S, [*RIVERSIDE, "loan"])[:3, :3], project(S, RIVERSIDE))
    before, after = (context_weights(S, s)[1] for s in (RIVERSIDE, [*RIVERSIDE, "loan"]))
    np.testing.assert_allclose(before, [4 / 7, 0, 3 / 7])
    np.testing.assert_allclose(after, [4 / 13, 0, 3 / 13, 6 / 13])
    assert before[0] / before[2] == pytest.approx(4 / 3)
    assert after[0] / after[2] == pytest.approx(4 / 3)


FINANCE_WORDS = ["loan", "money", "rely"]


def test_mh_2_3_words_outside_the_sentence_act_on_e_only():
    edited = S.copy()
    edited.loc["bank", FINANCE_WORDS] = edited.loc[FINANCE_WORDS, "bank"] = 100
    edited.loc["shore"] = edited["shore"] = 0
    np.testing.assert_array_equal(project(edited, RIVERSIDE), project(S, RIVERSIDE))
    assert (vocabulary_scores(edited, RIVERSIDE) != vocabulary_scores(S, RIVERSIDE)).any()


def test_mh_2_4a_shares_need_a_neighbour_in_the_sentence():
    assert 21 - len(meeting_sets(2)) == 9
    assert 35 - len(meeting_sets(3)) == 18
    with pytest.raises(ValueError, match="'bank' at position 0 meets no token"):
        context_weights(S, ["bank"])
    with pytest.raises(ValueError, match="row 0 of M sums to 0"):
        normalise_rows(project(S, ["bank"]))


def test_mh_2_4b_row_shares_are_softmax_of_log_counts_not_of_counts():
    shares = normalise_rows(project(S, RIVERSIDE))
    np.testing.assert_allclose(context_weights(S, RIVERSIDE, normaliser="log softmax"), shares, atol=2e-16)
    np.testing.assert_allclose(shares[0], [0, 4 / 9, 5 / 9])
    softmax = context_weights(S, RIVERSIDE, normaliser="softmax")
    np.testing.assert_allclose(softmax[0], [0.005, 0.268, 0.727], atol=5e-4)


def test_mh_2_5a_the_table_is_symmetric():
    assert (S == S.T).all(axis=None)


@pytest.mark.parametrize(
    ("sentence", "zeroed"), [(RIVERSIDE, [("loan", "rely"), ("money", "rely")]), (LENDING, [("money", "rely")])]
)
def test_mh_2_5b_2_5i_the_displayed_copies_are_not_symmetric_and_it_does_no_harm(sentence, zeroed):
    displayed = S.copy()
    for row, column in zeroed:
        displayed.loc[row, column] = 0
    assert (displayed != S).to_numpy().sum() == len(zeroed)
    assert not (displayed == displayed.T).all(axis=None)
    np.testing.assert_array_equal(displayed.loc[sentence], S.loc[sentence])


def test_mh_2_5c_d_e_the_riverside_numbers():
    Z = selector([RIVER, BANK, FLOODED], 7)
    np.testing.assert_array_equal(
        Z @ S.to_numpy(), [[0, 4, 0, 0, 5, 6, 0], [4, 0, 6, 5, 3, 5, 4], [5, 3, 0, 0, 0, 4, 0]]
    )
    np.testing.assert_array_equal(project(S, RIVERSIDE), [[0, 4, 5], [4, 0, 3], [5, 3, 0]])
    np.testing.assert_allclose(
        normalise_rows(project(S, RIVERSIDE)), [[0, 0.44, 0.56], [0.57, 0, 0.43], [0.62, 0.38, 0]], atol=0.00501
    )


def test_mh_2_5f_deleting_shore_leaves_the_weights():
    without = S.drop(index="shore", columns="shore")
    np.testing.assert_array_equal(context_weights(without, RIVERSIDE), context_weights(S, RIVERSIDE))


def test_mh_2_5g_river_and_flooded_meet_five_times():
    assert S.loc["river", "flooded"] == 5


def test_mh_2_5h_the_row_of_bank_loses_finance_because_it_leaves_bank_out():
    assert not S.loc[["river", "flooded"], FINANCE_WORDS].to_numpy().any()  # no support
    E_bank = vocabulary_scores(S, RIVERSIDE)[1]
    np.testing.assert_array_equal(E_bank, 4 * S.loc["river"] + 3 * S.loc["flooded"])
    assert E_bank[GEOGRAPHY].sum() == 71
    assert E_bank[FINANCE].sum() == 0
    with_itself = S + np.diag([0, 1, 0, 0, 0, 0, 0])
    assert vocabulary_scores(with_itself, RIVERSIDE)[1][FINANCE].sum() == 15


def test_mh_2_5j_bank_is_44_per_cent_geographical():
    bank = S.loc["bank"].to_numpy()
    assert (bank[GEOGRAPHY].sum(), bank[FINANCE].sum()) == (12, 15)
    assert round(12 / 27, 2) == 0.44


def test_mh_2_5k_the_lending_numbers():
    Z = selector([BANK, LOAN], 7)
    np.testing.assert_array_equal(Z @ S.to_numpy(), [[4, 0, 6, 5, 3, 5, 4], [0, 6, 0, 7, 0, 0, 2]])
    np.testing.assert_array_equal(project(S, LENDING), [[0, 6], [6, 0]])
    np.testing.assert_array_equal(normalise_rows(project(S, LENDING)), [[0, 1], [1, 0]])


def test_mh_2_5l_every_pair_that_meets_swaps():
    pairs = meeting_sets(2)
    assert len(pairs) == 12
    for pair in pairs:
        np.testing.assert_array_equal(context_weights(S, pair), [[0, 1], [1, 0]])
    assert (context_weights(S + 2 * np.eye(7), ["bank", "river"]) > 0).all()


def test_mh_2_5m_loan_supports_no_geography_and_the_two_words_exchange_profiles():
    assert not S.loc["loan"].to_numpy()[GEOGRAPHY].any()
    E = vocabulary_scores(S, LENDING)
    np.testing.assert_array_equal(E, 6 * S.loc[["loan", "bank"]].to_numpy())
    assert E[0, GEOGRAPHY].sum() == 0
    assert E[0, FINANCE].sum() == 54
    assert (E[1, GEOGRAPHY].sum(), E[1, FINANCE].sum()) == (72, 90)


def test_mh_2_6a_condition_one_contradicts_and_condition_two_is_the_conclusion():
    assert (project(S, RIVERSIDE) != project(S, ["bank", "flooded", "river"])).any()  # same set, another M
    Z, one_hot = selector([RIVER, BANK, FLOODED], 7), np.eye(3)
    condition = [[(Z.T @ u) @ S.to_numpy() @ (Z.T @ v) for v in one_hot] for u in one_hot]
    np.testing.assert_array_equal(condition, project(S, RIVERSIDE))


def test_mh_2_6a_equivariance_leaves_15_dimensions_and_locality_two():
    assert [len(equivariant_maps(n)) for n in (2, 3, 4, 5)] == [8, 14, 15, 15]
    assert [len(equivariant_maps(n, local=True)) for n in (2, 3, 4, 5)] == [2, 2, 2, 2]
    for T in equivariant_maps(4, local=True):  # T(S)_rs = T_rsrs S_rs, one factor on the diagonal and one off it
        factors = np.einsum("rsrs->rs", T)
        assert np.count_nonzero(T.round(12)) <= 16
        np.testing.assert_allclose(factors[~np.eye(4, dtype=bool)], factors[0, 1], atol=1e-12)
        np.testing.assert_allclose(np.diag(factors), factors[0, 0], atol=1e-12)


def test_mh_2_6a_picking_twice_is_picking_once():
    outer, inner = selector([2, 0], 3), selector([RIVER, BANK, FLOODED], 7)
    np.testing.assert_array_equal(outer @ project(S, RIVERSIDE) @ outer.T, project(S, ["flooded", "river"]))
    np.testing.assert_array_equal(outer @ inner, selector([FLOODED, RIVER], 7))


def test_mh_2_6a_the_theorem_needs_linearity():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(5, 5))
    for order in list(permutations(range(5)))[::17]:
        P = np.eye(5)[list(order)]
        np.testing.assert_allclose((P @ table @ P.T) ** 2, P @ table**2 @ P.T)  # equivariant and local, not linear
    assert ((2 * table) ** 2 != 2 * table**2).all()


def test_mh_2_6b_the_form_is_not_an_inner_product():
    assert np.linalg.eigvalsh(S)[0] == pytest.approx(-8.328, abs=5e-4)
    u = np.array([1, -1, 0])
    assert u @ project(S, RIVERSIDE) @ u == -8


def test_mh_2_6c_the_order_of_counts_is_kept_in_m_and_after_shares_only_within_a_row():
    np.testing.assert_array_equal(project(S, RIVERSIDE), S.loc[RIVERSIDE, RIVERSIDE])
    assert S.loc["loan", "money"] > S.loc["river", "bank"]
    sentence = ["river", "bank", "loan", "money", "rely"]
    weights = context_weights(S, sentence)
    assert weights[0, 1] == 1  # river–bank, count 4
    assert weights[2, 3] == pytest.approx(7 / 15)  # loan–money, count 7


def test_mh_3_1a_entries_of_e_are_weighted_sums():
    M, rows = project(S, RIVERSIDE), S.loc[RIVERSIDE].to_numpy()
    slow = [[sum(M[r, s] * rows[s, j] for s in range(3)) for j in range(7)] for r in range(3)]
    np.testing.assert_array_equal(vocabulary_scores(S, RIVERSIDE), slow)


def test_mh_3_1b_the_mean_is_a_vote_weighted_by_degree_and_one_large_count_wins():
    M = project(S, RIVERSIDE)
    assert M.sum(axis=0).tolist() == [9, 7, 8]
    np.testing.assert_allclose(
        vocabulary_scores(S, RIVERSIDE).mean(axis=0), M.sum(axis=0) @ S.loc[RIVERSIDE].to_numpy() / 3
    )
    winners = {}
    for count in (6, 17, 18):
        edited = S.copy()
        edited.loc["bank", "loan"] = edited.loc["loan", "bank"] = count
        winners[count] = WORDS[vocabulary_scores(edited, RIVERSIDE).mean(axis=0).argmax()]
    assert winners == {6: "shore", 17: "shore", 18: "loan"}


def test_mh_3_2a_the_riverside_e():
    np.testing.assert_array_equal(
        vocabulary_scores(S, RIVERSIDE),
        [[41, 15, 24, 20, 12, 40, 16], [15, 25, 0, 0, 20, 36, 0], [12, 20, 18, 15, 34, 45, 12]],
    )


def test_mh_3_2b_the_column_of_shore():
    assert vocabulary_scores(S, RIVERSIDE)[:, SHORE].tolist() == [40, 36, 45] != [44, 49, 42]


def test_mh_3_2c_the_column_of_loan():
    assert vocabulary_scores(S, RIVERSIDE)[:, LOAN].tolist() == [24, 0, 18] != [24, 0, 0]


def test_mh_3_2d_the_rows_give_shore_6_5_4():
    assert S.loc[RIVERSIDE, "shore"].tolist() == [6, 5, 4]


def test_mh_3_2e_the_riverside_mean():
    np.testing.assert_allclose(
        vocabulary_scores(S, RIVERSIDE).mean(axis=0), [22.7, 20.0, 14.0, 11.7, 22.0, 40.3, 9.3], atol=0.0501
    )


@pytest.mark.parametrize(("unit", "expected"), [(2, 0.970), (4, 0.411), (10, 0.174)])
def test_mh_3_2f_3_1c_shore_is_near_certain_only_in_this_unit(unit, expected):
    assert 1 - chance(1, RIVERSIDE, "shore") == pytest.approx(3.36e-8, rel=2e-3)
    assert chance(1, RIVERSIDE, "river") == pytest.approx(2.1e-8, rel=2e-2)
    assert chance(unit, RIVERSIDE, "shore") == pytest.approx(expected, abs=5e-4)


def test_mh_3_2f_shares_instead_of_counts_leave_shore_hardly_above_chance():
    shares = S.div(S.sum(axis=1), axis=0)
    assert predict_next(shares, RIVERSIDE).iloc[SHORE] == pytest.approx(0.155, abs=5e-4)


def test_mh_3_2g_3_2h_the_lending_e_and_mean():
    E = vocabulary_scores(S, LENDING)
    np.testing.assert_array_equal(E, [[0, 36, 0, 42, 0, 0, 12], [24, 0, 36, 30, 18, 30, 24]])
    np.testing.assert_array_equal(E.mean(axis=0), [12, 18, 18, 36, 9, 15, 18])


@pytest.mark.parametrize(("unit", "expected"), [(2, 0.9595), (4, 0.3772), (10, 0.1705)])
def test_mh_3_2i_money_is_near_certain_only_in_this_unit(unit, expected):
    assert 1 - chance(1, LENDING, "money") == pytest.approx(4.65e-8, rel=2e-3)
    assert chance(unit, LENDING, "money") == pytest.approx(expected, abs=5e-5)


def test_mh_3_2j_the_plain_sum_of_rows_has_the_same_winners():
    for sentence, winner, top_two in ((RIVERSIDE, "shore", [15, 9]), (LENDING, "money", [12, 6])):
        plain = S.loc[sentence].sum()
        assert plain.idxmax() == winner
        assert plain.nlargest(2).tolist() == top_two
    np.testing.assert_array_equal(vocabulary_scores(S, LENDING).sum(axis=0), 6 * S.loc[LENDING].sum())
    gain = S.loc[RIVERSIDE].sum().pipe(lambda plain: vocabulary_scores(S, RIVERSIDE).sum(axis=0) / plain)
    assert gain["shore"] / gain["loan"] == pytest.approx(8.07 / 7.00, abs=2e-3)


def test_mh_3_2j_the_weights_change_the_top_unseen_word_of_few_sentences():
    sets = [words for size in (2, 3, 4) for words in combinations(WORDS, size) if project(S, words).any()]
    changed = 0
    for words in sets:
        unseen = [i for i, word in enumerate(WORDS) if word not in words]
        weighted, plain = vocabulary_scores(S, words).sum(axis=0)[unseen], S.loc[list(words)].sum().to_numpy()[unseen]
        changed += not ((weighted == weighted.max()) & (plain == plain.max())).any()  # a shared tie is no change
    assert (changed, len(sets)) == (10, 82)


def test_mh_3_3_nothing_is_learned_and_nothing_is_removed():
    E = vocabulary_scores(S, RIVERSIDE).mean(axis=0)
    np.testing.assert_allclose(E[FINANCE], [14, 35 / 3, 28 / 3])  # one supporter, and still in the running


def test_mh_3_4_the_sequence_of_products():
    Z, table = selector([RIVER, BANK, FLOODED], 7), S.to_numpy()
    np.testing.assert_array_equal((Z @ table @ Z.T) @ (Z @ table), vocabulary_scores(S, RIVERSIDE))


def test_mh_3_5_the_chain_is_linear_attention_with_matrices_that_factor_s():
    U, s, Vt = np.linalg.svd(S.to_numpy().astype(float))
    W_Q, W_K, W_V, Z = U * np.sqrt(s), Vt.T * np.sqrt(s), S.to_numpy(), selector([RIVER, BANK, FLOODED], 7)
    linear = attend(Z @ W_Q, Z @ W_K, Z @ W_V, kernel="identity")
    np.testing.assert_allclose(linear, vocabulary_scores(S, RIVERSIDE), atol=1e-12)
    softmax = attend(Z @ W_Q, Z @ W_K, Z @ W_V, kernel="softmax", scale=1.0)
    assert np.abs(softmax - vocabulary_scores(S, RIVERSIDE)).max() > 10
    narrow = attend(Z @ W_Q[:, :4], Z @ W_K[:, :4], Z @ W_V, kernel="identity")  # d_k below the rank of S
    assert np.abs(narrow - vocabulary_scores(S, RIVERSIDE)).max() > 1
