"""Counting against a slow loop, and the projection against matrix products written out."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse

from regattn.data import load_lee_corpus, load_seven_words, load_wikipedia_sample
from regattn.words import (
    Vocabulary,
    _chunks,
    context_weights,
    count_cooccurrences,
    equivariant_maps,
    normalise_rows,
    ppmi,
    predict_next,
    project,
    selector,
    split_words,
    totals,
    vocabulary_scores,
)
from regattn.words.cooccurrence import NORMALISERS

WORDS = ["a", "b", "c", "d", "e"]


def slow_counts(documents, window, weighting, directed, V=5):
    """The definition, pair by pair, in exact fractions; −1 is a place nobody counts."""
    S = [[Fraction(0)] * V for _ in range(V)]
    for document in documents:
        for s, i in enumerate(document):
            for t, j in enumerate(document):
                if 0 < abs(t - s) <= window and i >= 0 and j >= 0 and (t > s or not directed):
                    S[i][j] += Fraction(1, abs(t - s)) if weighting == "harmonic" else 1
    return np.array([[float(x) for x in row] for row in S])


documents_of_numbers = st.lists(st.lists(st.integers(-1, len(WORDS) - 1), max_size=13), max_size=7)


@settings(max_examples=150, deadline=None)
@given(
    documents=documents_of_numbers,
    window=st.integers(1, 11),
    weighting=st.sampled_from(["uniform", "harmonic"]),
    directed=st.booleans(),
    chunk=st.sampled_from([1, 17, 64, 2**24]),
)
def test_counts_equal_the_slow_double_loop_however_the_text_is_cut(documents, window, weighting, directed, chunk):
    arrays = [np.array(document, dtype=np.int64) for document in documents]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_chunks, "PAIRS_PER_CHUNK", chunk)
        S = count_cooccurrences(arrays, Vocabulary(WORDS), window=window, weighting=weighting, directed=directed)
    expected = slow_counts(documents, window, weighting, directed)
    np.testing.assert_array_equal(S.toarray(), expected)  # equal, not close: one rounding at the end in both
    assert S.dtype == (np.int64 if weighting == "uniform" else np.float64)
    assert S.has_sorted_indices
    assert (S.data != 0).all()


@settings(max_examples=60, deadline=None)
@given(documents=documents_of_numbers, cut=st.integers(0, 7), window=st.integers(1, 7), directed=st.booleans())
def test_counts_of_shards_add_up(documents, cut, window, directed):
    arrays = [np.array(document, dtype=np.int64) for document in documents]
    vocabulary = Vocabulary(WORDS)

    def count(part, weighting):
        return count_cooccurrences(part, vocabulary, window=window, weighting=weighting, directed=directed).toarray()

    whole, first, second = (count(part, "uniform") for part in (arrays, arrays[:cut], arrays[cut:]))
    np.testing.assert_array_equal(first + second, whole)
    whole, first, second = (count(part, "harmonic") for part in (arrays, arrays[:cut], arrays[cut:]))
    np.testing.assert_allclose(first + second, whole, rtol=3e-16 * 2)  # two roundings and a sum


@settings(max_examples=60, deadline=None)
@given(documents=documents_of_numbers, window=st.integers(1, 7), weighting=st.sampled_from(["uniform", "harmonic"]))
def test_undirected_counts_are_directed_counts_plus_their_transpose(documents, window, weighting):
    arrays = [np.array(document, dtype=np.int64) for document in documents]
    how = {"window": window, "weighting": weighting}
    both = count_cooccurrences(arrays, Vocabulary(WORDS), **how).toarray()
    after = count_cooccurrences(arrays, Vocabulary(WORDS), **how, directed=True).toarray()
    np.testing.assert_allclose(both, after + after.T, rtol=4e-16)  # both sides round once more than the counts
    np.testing.assert_array_equal(both, both.T)


def test_wide_harmonic_windows_are_counted_in_groups_and_still_right():
    assert len(totals._distance_groups(31, "harmonic")) > 1
    document = np.random.default_rng(0).integers(0, 5, 67)
    S = count_cooccurrences([document], Vocabulary(WORDS), window=31, weighting="harmonic").toarray()
    np.testing.assert_allclose(S, slow_counts([document.tolist()], 31, "harmonic", False), rtol=1e-15)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighting", ["uniform", "harmonic"])
def test_counts_are_right_when_the_vocabulary_needs_64_bit_keys(directed, weighting):
    V = 100_003
    tokens = np.random.default_rng(1).choice([0, 1, 70_001, V - 2, V - 1], 101)
    S = count_cooccurrences(
        [tokens], Vocabulary([str(i) for i in range(V)]), window=3, weighting=weighting, directed=directed
    )
    used, small = np.unique(tokens, return_inverse=True)
    np.testing.assert_array_equal(
        S[used][:, used].toarray(), slow_counts([small.tolist()], 3, weighting, directed, V=len(used))
    )
    assert S.sum() == pytest.approx(slow_counts([small.tolist()], 3, weighting, directed, V=len(used)).sum())


def test_a_generator_of_documents_is_read_once_and_in_order():
    read = []

    def stream():
        for document in (["a", "b"], ["b", "c"]):
            read.append(document)
            yield document

    S = count_cooccurrences(stream(), Vocabulary(WORDS), window=3)
    assert len(read) == 2
    assert S.nnz == 4
    assert S[0, 2] == 0, "windows must not cross documents"


def test_the_text_waiting_to_be_counted_stays_small(monkeypatch):
    monkeypatch.setattr(_chunks, "PAIRS_PER_CHUNK", 300)
    sizes = []
    count_chunk = totals.count_chunk

    def spy(tokens, *rest):
        sizes.append(len(tokens))
        return count_chunk(tokens, *rest)

    monkeypatch.setattr(totals, "count_chunk", spy)
    count_cooccurrences((np.zeros(7, dtype=int) for _ in range(997)), Vocabulary(["a"]), window=3)
    assert len(sizes) > 90
    assert max(sizes) <= 300 // 3 + 3


def test_skipped_words_close_the_gap_and_gaps_keep_it():
    document = ["a", "odd", "b"]
    assert count_cooccurrences([document], Vocabulary(["a", "b"], "skip"), window=1)[0, 1] == 1
    assert count_cooccurrences([document], Vocabulary(["a", "b"], "gap"), window=1)[0, 1] == 0
    assert count_cooccurrences([document], Vocabulary(["a", "b"], "gap"), window=2, weighting="harmonic")[0, 1] == 0.5
    replaced = count_cooccurrences([document], Vocabulary(["a", "b", "<unk>"], "replace"), window=1)
    assert replaced[0, 2] == replaced[2, 1] == 1


def test_an_empty_corpus_has_an_empty_table():
    S = count_cooccurrences([], Vocabulary(WORDS), window=2)
    assert S.shape == (5, 5)
    assert S.nnz == 0
    assert count_cooccurrences([[], ["a"]], Vocabulary(WORDS), window=2, weighting="harmonic").nnz == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"documents": [["a"]], "window": 0}, "window must be ≥ 1, got 0"),
        ({"documents": [["a"]], "window": 2.5}, "got 2.5"),
        ({"documents": [["a"]], "window": 2, "weighting": "gaussian"}, "got 'gaussian'"),
        ({"documents": "a b", "window": 2}, "got the string 'a b'"),
        ({"documents": ["a b"], "window": 2}, "got the string 'a b'"),
        ({"documents": [["a", "zebra"]], "window": 2}, "unknown word 'zebra' at position 1"),
        ({"documents": [["a", 3]], "window": 2}, "got 3 in it"),
        ({"documents": [7], "window": 2}, "got 7"),
        ({"documents": [np.array([0, 5])], "window": 2}, "word number 5, outside −1 to 4"),
        ({"documents": [np.array([0, -2])], "window": 2}, "word number -2"),
        ({"documents": [np.array([[0, 1]])], "window": 2}, r"got shape \(1, 2\)"),
    ],
)
def test_counting_names_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        count_cooccurrences(vocabulary=Vocabulary(WORDS), **arguments)


def test_a_vocabulary_orders_words_as_asked():
    documents = [["d", "b", "b"], ["a", "b", "a", "c", "d"]]
    assert Vocabulary.from_documents(documents).words == ("b", "a", "d", "c")
    assert Vocabulary.from_documents(documents, order="first").words == ("d", "b", "a", "c")
    assert Vocabulary.from_documents(documents, order="alphabet").words == ("a", "b", "c", "d")
    assert Vocabulary.from_documents(documents, min_count=2, max_size=2, order="alphabet").words == ("a", "b")
    assert Vocabulary.from_documents(iter(documents), min_count=3, unknown="replace").words == ("b", "<unk>")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Vocabulary([]), "got none"),
        (lambda: Vocabulary("abc"), "got the string 'abc'"),
        (lambda: Vocabulary(["a", "b", "a"]), "got 'a' twice"),
        (lambda: Vocabulary(["a", 2]), "got 2 at position 1"),
        (lambda: Vocabulary(["a"], "forget"), "got 'forget'"),
        (lambda: Vocabulary(["a"], "replace"), "<unk>"),
        (lambda: Vocabulary(["a"]).indices("a"), "got the string 'a'"),
        (lambda: Vocabulary(["a"]).indices(["a", "q"]), "unknown word 'q' at position 1$"),
        (lambda: Vocabulary(["inflation"]).indices(["Inflation"]), "position 0; did you mean 'inflation'\\?"),
        (lambda: Vocabulary.from_documents([["a"]], min_count=2), "at least 2 times"),
        (lambda: Vocabulary.from_documents([["a"]], order="length"), "got 'length'"),
        (lambda: Vocabulary.from_documents([["a"]], max_size=0), "max_size must be ≥ 1, got 0"),
        (lambda: split_words(3), "got 3"),
    ],
)
def test_a_vocabulary_names_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_words_are_lower_case_runs_of_letters_and_digits():
    assert split_words("Café “Ümlaut”: 0.25% — isn’t it?") == ["café", "ümlaut", "0", "25", "isn’t", "it"]
    assert split_words(" ,;") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),  # vowel signs, and a sign that joins consonants
        ("cafe\u0301 ou thé", ["cafe\u0301", "ou", "thé"]),  # an accent of its own, and one in its letter
        ("İstanbul", ["i̇stanbul"]),  # a capital that has two characters when it is small
        ("เบียร์ ไทย", ["เบียร์", "ไทย"]),
        ("שָׁלוֹם עֲלֵיכֶם", ["שָׁלוֹם", "עֲלֵיכֶם"]),
        ("צה״ל ג׳ירפה", ["צה״ל", "ג׳ירפה"]),  # marks of abbreviation and of foreign sounds stand inside words
        ("العَرَبِيَّة", ["العَرَبِيَّة"]),
        ("می\u200cخواهم بروم", ["می\u200cخواهم", "بروم"]),  # a joiner that keeps letters apart
        ("അവന്\u200d", ["അവന്\u200d"]),  # and one at the end that makes a letter of another form
        ("tiếng Vie\u0323\u0302t", ["tiếng", "vie\u0323\u0302t"]),
        ("I ❤\ufe0f 👩\u200d👩 1️⃣", ["i", "1\ufe0f\u20e3"]),  # marks and joiners of signs begin no word
        ("x² ½ snake_case", ["x²", "½", "snake_case"]),
        ("hi\u0308s one-off’s", ["hi\u0308s", "one", "off’s"]),
    ],
)
def test_marks_belong_to_their_letters_and_joiners_to_their_words(text, words):
    assert split_words(text) == words


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_plain_and_other_texts_are_split_by_one_rule(text):
    assert [*split_words(text), "é"] == split_words(f"{text} é")


UNMARKED = re.compile(r"\w+(?:['’]\w+)*")  # runs of letters and digits alone, which English is written in


def test_the_news_are_split_as_runs_of_letters_and_digits():
    for story in load_lee_corpus():
        assert split_words(story) == UNMARKED.findall(story.lower())


def test_wikipedia_is_split_as_runs_of_letters_and_digits_but_for_twelve_foreign_words():
    found, pieces = Counter(), Counter()
    for article in load_wikipedia_sample():
        words, runs = Counter(split_words(article)), Counter(UNMARKED.findall(article.lower()))
        found += words - runs
        pieces += runs - words
    assert (found.total(), pieces.total()) == (12, 23)
    assert all(any(unicodedata.category(character)[0] == "M" for character in word) for word in found)


def test_the_lee_corpus_has_300_stories_in_which_bank_is_west_or_reserve():
    stories = [split_words(story) for story in load_lee_corpus()]
    pairs = {(a, b) for story in stories for a, b in pairwise(story)}
    assert len(stories) == 300
    assert {("west", "bank"), ("reserve", "bank")} <= pairs


def test_ppmi_is_the_log_ratio_to_chance_where_positive():
    counts = np.random.default_rng(2).integers(0, 5, (7, 7))
    counts[3] = 0
    joint = counts / counts.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.log(joint / np.outer(joint.sum(1), joint.sum(0)))
        expected = np.where(counts > 0, np.maximum(expected - 0.1, 0), 0)
    np.testing.assert_allclose(ppmi(counts, shift=0.1), expected, atol=1e-15)
    as_sparse = ppmi(sparse.csr_array(counts), shift=0.1)
    assert sparse.issparse(as_sparse)
    np.testing.assert_array_equal(as_sparse.toarray(), ppmi(counts, shift=0.1))


def test_a_context_power_tempers_frequent_contexts():
    counts = np.array([[2.0, 8.0], [8.0, 200.0]])
    q = counts.sum(0) ** 0.75 / (counts.sum(0) ** 0.75).sum()
    expected = np.maximum(np.log(counts / counts.sum(1, keepdims=True) / q), 0)
    np.testing.assert_allclose(ppmi(counts, context_power=0.75), expected, atol=1e-15)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.zeros((2, 3)), r"got shape \(2, 3\)"),
        (np.zeros((0, 0)), r"got shape \(0, 0\)"),
        ([[1.0, -2.0], [0.0, 1.0]], "got -2"),
        ([[1.0, np.nan], [0.0, 1.0]], "got nan"),
        ([["1", "2"], ["3", "4"]], "dtype"),
        (np.zeros((2, 2)), "total of 0"),
    ],
)
def test_ppmi_names_what_is_wrong(counts, message):
    with pytest.raises(ValueError, match=message):
        ppmi(counts)


# The projection


def random_table(V=7, seed=3):
    S = np.random.default_rng(seed).integers(1, 9, (V, V)).astype(float)
    return S + S.T


SENTENCES = [[0, 3, 5], [2, 2, 6], [4, 1], [6, 5, 4, 3, 2, 1, 0]]


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_the_chain_equals_its_matrix_products(tokens, kind):
    S = random_table()
    Z = selector(tokens, 7)
    np.testing.assert_array_equal(project(kind(S), tokens), Z @ S @ Z.T)
    E = (Z @ S @ Z.T) @ (Z @ S)
    np.testing.assert_allclose(vocabulary_scores(kind(S), tokens), E, rtol=1e-14)
    p = np.exp(E.mean(0) / 50 - E.mean(0).max() / 50)
    np.testing.assert_allclose(predict_next(kind(S), tokens, temperature=50.0), p / p.sum(), rtol=1e-12)


@pytest.mark.parametrize("tokens", SENTENCES)
def test_row_shares_are_softmax_attention_on_log_counts(tokens):
    S = random_table()
    shares = normalise_rows(project(S, tokens))
    np.testing.assert_allclose(context_weights(S, tokens), shares, rtol=1e-14)
    np.testing.assert_allclose(vocabulary_scores(S, tokens, normaliser="log softmax"), shares @ S[tokens], rtol=1e-13)


def test_row_shares_survive_zero_counts_by_a_mask():
    S = load_seven_words()
    sentence = ["river", "bank", "flooded"]
    np.testing.assert_allclose(context_weights(S, sentence), normalise_rows(project(S, sentence)), atol=1e-15)


def test_softmax_of_counts_is_another_set_of_weights():
    S = load_seven_words()
    M = project(S, ["river", "bank", "flooded"]).to_numpy()
    expected = np.exp(M) / np.exp(M).sum(1, keepdims=True)
    np.testing.assert_allclose(context_weights(S, ["river", "bank", "flooded"], normaliser="softmax"), expected)


def test_directed_tables_read_row_looks_at_column():
    S = np.arange(25.0).reshape(5, 5)
    np.testing.assert_array_equal(project(S, [1, 4]), [[6, 9], [21, 24]])


def test_large_sparse_tables_are_never_made_dense():
    V = 60_013  # dense: 29 GB
    S = sparse.csr_array((np.array([2.0, 3.0]), (np.array([5, V - 1]), np.array([V - 1, 5]))), shape=(V, V))
    np.testing.assert_array_equal(project(S, [5, V - 1]), [[0, 2], [3, 0]])
    assert predict_next(S, [5, V - 1]).sum() == pytest.approx(1)


def test_words_that_never_meet_give_equal_odds_by_counts():
    S = load_seven_words()
    assert not project(S, ["river", "loan"]).any(axis=None)
    np.testing.assert_allclose(predict_next(S, ["river", "loan"]), np.full(7, 1 / 7))
    np.testing.assert_allclose(predict_next(S, ["river"]), np.full(7, 1 / 7))


@pytest.mark.parametrize("normaliser", NORMALISERS)
def test_the_order_of_the_words_only_reorders_the_weights(normaliser):
    S, sentence, order = load_seven_words(), ["river", "bank", "flooded"], [2, 0, 1]
    weights = context_weights(S, sentence, normaliser=normaliser)
    turned = context_weights(S, [sentence[i] for i in order], normaliser=normaliser)
    np.testing.assert_allclose(turned, weights.iloc[order, order], rtol=1e-15)


def test_a_unit_of_counting_acts_as_a_temperature():
    S, sentence = load_seven_words(), ["river", "bank", "flooded"]
    np.testing.assert_allclose(predict_next(S / 4, sentence), predict_next(S, sentence, temperature=16), rtol=1e-12)


def test_huge_counts_give_certainty_not_overflow():
    p = predict_next(1e150 * load_seven_words(), ["river", "bank", "flooded"])
    np.testing.assert_array_equal(p, [0, 0, 0, 0, 0, 1, 0])


SEVEN = load_seven_words()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: project(SEVEN, []), "sentence is empty"),
        (lambda: project(SEVEN, ["river", "zebra"]), "unknown word 'zebra' at position 1"),
        (lambda: project(SEVEN, "river bank"), "got the string 'river bank'"),
        (lambda: project(SEVEN.to_numpy(), ["river"]), "'river' is a word"),
        (lambda: project(SEVEN.to_numpy(), [7]), "must be ≤ 6"),
        (lambda: project(SEVEN.to_numpy(), [-1]), "must be ≥ 0, got -1"),
        (lambda: project(np.ones((2, 3)), [0]), r"got shape \(2, 3\)"),
        (lambda: project(np.array([[0, np.inf], [1, 0]]), [0]), "got inf"),
        (lambda: project(SEVEN.iloc[::-1], ["river"]), "same words on rows and columns"),
        (lambda: project(pd.DataFrame(np.eye(2), ["a", "a"], ["a", "a"]), ["a"]), "must differ"),
        (lambda: context_weights(SEVEN, ["river", "bank", "rely", "loan", "zebra"]), "'zebra' at position 4"),
        (lambda: context_weights(SEVEN, ["bank", "river", "loan"], normaliser="sparsemax"), "got 'sparsemax'"),
        (lambda: context_weights(SEVEN, ["river", "flooded", "loan"]), "'loan' at position 2 meets no token"),
        (lambda: context_weights(SEVEN, ["bank"]), "'bank' at position 0 meets no token"),
        (lambda: context_weights(-SEVEN, ["bank", "loan"]), "got -6"),
        (lambda: predict_next(SEVEN, ["bank", "loan"], temperature=0), "temperature must be > 0, got 0"),
        (lambda: normalise_rows([[0, 1], [0, 0]]), "row 1 of M sums to 0"),
        (lambda: normalise_rows([[2, -1], [1, 1]]), "got -1"),
        (lambda: selector(["river"], 7), "'river' is a word"),
        (lambda: selector([], Vocabulary(WORDS)), "sentence is empty"),
        (lambda: selector(["zebra"], Vocabulary(WORDS)), "unknown word 'zebra'"),
        (lambda: selector([0], 0), "vocabulary must be ≥ 1, got 0"),
        (lambda: equivariant_maps(6), "got 6"),
        (lambda: equivariant_maps(1), "got 1"),
    ],
)
def test_the_projection_names_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("local", [False, True])
def test_equivariant_maps_commute_with_every_renaming(local):
    rng = np.random.default_rng(4)
    S = rng.normal(size=(3, 3))
    for T in equivariant_maps(3, local=local):
        P = np.eye(3)[rng.permutation(3)]
        renamed = np.einsum("rsab,ab->rs", T, P @ S @ P.T)
        np.testing.assert_allclose(renamed, P @ np.einsum("rsab,ab->rs", T, S) @ P.T, atol=1e-12)
