"""Vectors are NumPy's SVD, GloVe is scikit-learn's ridge in turn, held-out pairs and kept results are what they say."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import cosine_similarity

from regattn.data import load_lee_corpus, load_wikipedia_sample
from regattn.words import (
    Vocabulary,
    count_cooccurrences,
    glove_vectors,
    held_out_pairs,
    load_word_results,
    most_similar,
    nearest_words,
    ppmi,
    share_of_kind,
    split_words,
    word_vectors,
)
from tools import wikipedia
from tools.words import _properties, rank, settings, skip_gram, trained

NO_GENSIM = "gensim is not built for this Python"

COUNTS = np.random.default_rng(1).poisson(3.0, size=(13, 13))
COUNTS = COUNTS + COUNTS.T
TURNED = np.triu(COUNTS) + np.tril(COUNTS, -1) // 3  # a word and its context play different parts
either_table = pytest.mark.parametrize("S", [COUNTS, TURNED], ids=["symmetric", "asymmetric"])


def cosine(a, b):
    return float(a @ b) / float(np.sqrt((a @ a) * (b @ b)))


def test_word_vectors_are_the_left_half_of_numpys_svd():
    P = np.random.default_rng(5).normal(size=(17, 17))
    U, s, _ = np.linalg.svd(P)
    rows = U[:, :5] * np.sqrt(s[:5])
    made = word_vectors(P, rank=5)
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1.0)
    for i in range(17):
        for j in range(17):
            assert made[i] @ made[j] == pytest.approx(cosine(rows[i], rows[j]), abs=1e-9)
    shares = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(made), np.abs(shares), atol=1e-9)  # strongest first


def test_word_vectors_do_not_depend_on_the_unit_or_on_how_the_table_is_kept():
    dense = word_vectors(COUNTS, rank=3)
    for other in (
        sparse.csr_array(COUNTS),
        sparse.coo_array(COUNTS),
        pd.DataFrame(COUNTS),
        COUNTS * 1e300,
        COUNTS * 1e-300,
    ):
        np.testing.assert_allclose(word_vectors(other, rank=3), dense, atol=1e-9)


def test_the_largest_entry_of_each_direction_is_positive_and_a_word_alone_has_zeros():
    lonely = COUNTS.copy()
    lonely[4] = lonely[:, 4] = 0
    made = word_vectors(lonely, rank=4)
    assert not made[4].any()
    U = np.linalg.svd(lonely).U
    largest = np.abs(U[:, :4]).argmax(axis=0)
    assert (made[largest, range(4)] > 0).all()


def test_nearest_words_and_their_kinds_are_those_of_a_slow_loop():
    rng, vocabulary = np.random.default_rng(6), Vocabulary([f"w{k}" for k in range(19)])
    vectors = rng.normal(size=(19, 3))

    def nearest(asks, n):
        others = [k for k in range(19) if k != asks]
        return sorted(others, key=lambda k: -(vectors[k] @ vectors[asks]))[:n]

    for asks in range(19):
        assert nearest_words(vectors, vocabulary, f"w{asks}", n=7) == [f"w{k}" for k in nearest(asks, 7)]
    kinds = [[0, 3, 8], [11, 2, 5, 17]]
    shares = [np.mean([k in kind for asks in kind for k in nearest(asks, 5)]) for kind in kinds]
    assert share_of_kind(vectors, kinds, n=5) == pytest.approx(np.mean(shares))


def test_a_word_is_not_its_own_neighbour_even_where_another_is_nearer_to_it():
    vectors = np.array([[1.0, 0.0], [3.0, 0.0], [0.5, 0.0]])
    assert nearest_words(vectors, Vocabulary(["a", "b", "c"]), "a", n=2) == ["b", "c"]


def test_descent_and_regressions_find_the_same_fit_of_glove():
    found = [glove_vectors(COUNTS, rank=1, sweeps=400, ridge=0.05, method=m) for m in ("regressions", "descent")]
    fits = [f.vectors @ f.contexts.T + f.levels[:, None] + f.context_levels for f in found]
    np.testing.assert_allclose(fits[0], fits[1], atol=2e-3)  # both stop where a step no longer pays
    assert found[0].losses[0] == pytest.approx(found[1].losses[0])
    assert found[0].losses[-1] == pytest.approx(found[1].losses[-1], rel=1e-6)
    assert (np.diff(found[1].losses) < 1e-9).all()


@either_table
def test_where_descent_ends_no_regression_lowers_the_loss(S):
    found = glove_vectors(S, rank=2, sweeps=3000, ridge=0.1, cap=7.0, power=0.4, method="descent")
    for i in (0, 7):
        met = S[i] > 0
        ridge = Ridge(alpha=0.1).fit(
            found.contexts[met],
            np.log(S[i, met]) - found.context_levels[met],
            sample_weight=np.minimum(1, (S[i, met] / 7.0) ** 0.4),
        )
        np.testing.assert_allclose(ridge.coef_, found.vectors[i], atol=1e-3)
        assert ridge.intercept_ == pytest.approx(found.levels[i], abs=1e-3)


@either_table
def test_a_word_of_glove_is_a_weighted_ridge_regression_on_the_contexts(S):
    found = glove_vectors(S, rank=3, sweeps=40, ridge=0.1, cap=7.0)
    for j in (0, 5, 12):  # contexts are fitted last, so that the words are those they were fitted to
        met = S[:, j] > 0
        ridge = Ridge(alpha=0.1).fit(
            found.vectors[met],
            np.log(S[met, j]) - found.levels[met],
            sample_weight=np.minimum(1, (S[met, j] / 7.0) ** 0.75),
        )
        np.testing.assert_allclose(ridge.coef_, found.contexts[j], atol=1e-9)
        assert ridge.intercept_ == pytest.approx(found.context_levels[j], abs=1e-9)


@either_table
def test_the_loss_of_glove_is_the_sum_it_says_and_never_rises(S):
    found = glove_vectors(S, rank=2, sweeps=15, ridge=0.2, cap=5.0, power=0.5)
    total = 0.2 * ((found.vectors**2).sum() + (found.contexts**2).sum())
    for i, j in zip(*np.nonzero(S), strict=True):
        gap = found.vectors[i] @ found.contexts[j] + found.levels[i] + found.context_levels[j] - np.log(S[i, j])
        total += min(1.0, (S[i, j] / 5.0) ** 0.5) * gap**2
    assert found.losses[-1] == pytest.approx(total)
    assert (np.diff(found.losses) < 1e-9).all()
    assert len(found.losses) == 16


def test_a_word_without_company_gets_zeros():
    lonely = COUNTS.copy()
    lonely[4] = lonely[:, 4] = 0
    found = glove_vectors(lonely, rank=2, sweeps=3)
    assert not found.vectors[4].any()
    assert not found.contexts[4].any()
    assert found.levels[4] == found.context_levels[4] == 0


@pytest.mark.parametrize(("call", "message"), [
    (lambda: glove_vectors(COUNTS[:5], rank=2), "square table"),
    (lambda: glove_vectors(0 * COUNTS, rank=2), "total of 0"),
    (lambda: glove_vectors(COUNTS, rank=0), "rank must be ≥ 1, got 0"),
    (lambda: glove_vectors(COUNTS, rank=2, ridge=0.0), "ridge must be > 0, got 0.0"),
    (lambda: glove_vectors(COUNTS, rank=2, cap=-1.0), "cap must be > 0, got -1.0"),
    (lambda: glove_vectors(COUNTS, rank=2, sweeps=-1), "sweeps must be ≥ 0, got -1"),
    (lambda: glove_vectors(COUNTS, rank=2, method="steps"), "method must be .* got 'steps'"),
    (lambda: word_vectors(COUNTS[:5], rank=2), "square table"),
    (lambda: word_vectors(0 * COUNTS, rank=2), "other than 0"),
    (lambda: word_vectors(COUNTS, rank=13), r"rank must be ≤ 12 \(the number of words less one\), got 13"),
    (lambda: nearest_words(np.eye(3), Vocabulary(["a", "b", "c"]), "z", n=1), "in the vocabulary, got 'z'"),
    (lambda: nearest_words(np.eye(3), Vocabulary(["a", "b"]), "a", n=1), "3 rows, but the vocabulary 2 words"),
    (lambda: nearest_words(np.eye(3), Vocabulary(["a", "b", "c"]), "a", n=3), "n must be ≤ 2"),
    (lambda: nearest_words(np.ones(3), Vocabulary(["a", "b", "c"]), "a", n=1), r"shape \(V, L\), got \(3,\)"),
    (lambda: share_of_kind(np.eye(5), []), "at least one kind"),
    (lambda: share_of_kind(np.eye(5), [[1, 1]]), r"two different word numbers, got \[1, 1\]"),
    (lambda: share_of_kind(np.eye(5), [[0, 5]]), "word number 5, but vectors has 5 rows"),
    (lambda: held_out_pairs(COUNTS, COUNTS[:5, :5], np.ones(13)), r"train is \(13, 13\), test \(5, 5\)"),
    (lambda: held_out_pairs(COUNTS, COUNTS, np.ones(5)), r"frequency has shape \(5,\)"),
    (lambda: held_out_pairs(COUNTS, COUNTS, np.ones((13, 0))), r"frequency has shape \(13, 0\)"),
    (lambda: held_out_pairs(COUNTS, COUNTS, np.ones(13), least=0), "least must be ≥ 1"),
    (lambda: load_word_results("banks"), r"name must be one of held_out, .* got 'banks'"),
])  # fmt: skip
def test_what_cannot_be_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def halves(seed):
    stories = [split_words(story) for story in load_lee_corpus()]
    order = np.random.default_rng(seed).permutation(len(stories))
    first, second = ([stories[i] for i in order[a::2]] for a in (0, 1))
    words = Vocabulary.from_documents(first, min_count=5, unknown="skip")
    frequency = np.column_stack(
        [
            np.bincount(np.concatenate([words.indices(text) for text in half]), minlength=len(words))
            for half in (first, second)
        ]
    )
    return *(count_cooccurrences(half, words, window=10) for half in (first, second)), frequency


def test_held_out_pairs_meet_only_later_and_their_rivals_never():
    first, second, frequency = halves(3)
    met, never = held_out_pairs(first, second, frequency, rng=3)
    assert met.shape == never.shape
    assert (met[:, 0] == never[:, 0]).all()
    assert not np.asarray(first[met[:, 0], met[:, 1]]).any()
    assert (np.asarray(second[met[:, 0], met[:, 1]]) >= 2).all()
    for table in (first, second):
        assert not np.asarray(table[never[:, 0], never[:, 1]]).any()
    for column in frequency.T:
        places = [(column < n).sum() + (column == n).sum() / 2 for n in column]  # equals share their mean
        assert max(abs(places[a] - places[b]) for a, b in zip(met[:, 1], never[:, 1], strict=True)) <= 25


def test_frequency_in_neither_half_tells_a_pair_from_its_rival_and_kept_areas_are_found_again():
    kept = load_word_results("held_out")
    for half in ("first", "second"):
        assert np.abs(np.array(kept[f"frequency, {half} half"]) - 0.5).max() < 0.01
    first, second, frequency = halves(1)
    met, never = held_out_pairs(first, second, frequency, rng=1)
    rows = ppmi(first, context_power=0.75).toarray()
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    cosines = np.concatenate([(rows[i] * rows[j]).sum(axis=1) for i, j in (met.T, never.T)])
    area = roc_auc_score(np.repeat([1, 0], len(met)), cosines)
    assert area == pytest.approx(kept["PPMI"][1], abs=1e-4)
    assert len(met) == kept["pairs"][1]


def test_no_context_of_a_bank_was_judged_by_its_own_story():
    senses = load_word_results("senses")
    cases = senses["case"]
    assert (len(cases), sum(west for _, _, west in cases)) == (61, 31)
    assert all(len(values) == 61 for values in senses.values())
    copies = {
        story: [values[k] for k, (s, _, _) in enumerate(cases) if s == story]
        for story in (150, 156)
        for values in [senses["words themselves, examples"]]
    }
    assert copies[150] == copies[156]  # the copy sees no more than its original


def test_the_vectors_of_the_explorer_are_those_of_the_package_and_of_gensim():
    pytest.importorskip("gensim.models", reason=NO_GENSIM, exc_type=ImportError)
    kept = load_word_results("neighbours")
    stories = [split_words(story) for story in load_lee_corpus()]
    words = Vocabulary.from_documents(stories, min_count=5, unknown="skip")
    ids = words.indices(kept["words"])
    counted = word_vectors(ppmi(count_cooccurrences(stories, words, window=2), context_power=0.75), rank=32)[ids]
    counted /= np.linalg.norm(counted, axis=1, keepdims=True)
    shipped = kept["spaces"]["PPMI, SVD", 2, 1]
    assert shipped.shape == (7, 72, 32)
    np.testing.assert_allclose(shipped[0], 127 * counted / np.abs(counted).max(), atol=0.51)
    trained = skip_gram(stories, words, 0, vector_size=32, window=2, negative=1, epochs=20)[ids]
    rows = kept["spaces"]["word2vec", 2, 1][0]
    cosines = [v @ v.T / np.outer(np.linalg.norm(v, axis=1), np.linalg.norm(v, axis=1)) for v in (rows, trained)]
    np.testing.assert_allclose(*cosines, atol=0.03)  # rounded to bytes, and trained in single precision


def test_the_wikipedia_sample_is_what_gensims_dump_makes_and_names_every_article():
    pytest.importorskip("gensim.corpora", reason=NO_GENSIM, exc_type=ImportError)
    made = wikipedia.articles()
    assert load_wikipedia_sample() == list(made.values())
    assert json.loads(lzma.decompress(wikipedia.HOME.read_bytes())) == made
    assert all(title and title[0].isupper() for title in made)


def test_what_pca_would_have_is_measured_as_by_a_loop():
    X = np.random.default_rng(2).normal(size=(23, 5)) + 1.5
    plain, centred, mean = _properties(X)
    for found, Y in ((plain, X), (centred, X - X.mean(axis=0))):
        assert found == pytest.approx(max(abs(cosine(Y[:, i], Y[:, j])) for i in range(5) for j in range(i)))
    assert mean == pytest.approx(np.linalg.norm(X.mean(axis=0)) / np.sqrt(np.trace(X @ X.T) / 23))


def test_the_properties_of_trained_vectors_are_those_that_were_kept():
    pytest.importorskip("gensim.models", reason=NO_GENSIM, exc_type=ImportError)
    kept = load_word_results("properties")
    documents = [split_words(story) for story in load_lee_corpus()]
    model = trained(documents, vector_size=50, min_count=5, sg=1, workers=1, epochs=8, seed=1)
    np.testing.assert_allclose(_properties(model.wv.vectors), kept["word2vec, 8 passes, seed 1"], atol=0.01)


@pytest.mark.weekly
def test_free_factors_and_gensim_come_as_near_to_pmi_as_was_kept():
    pytest.importorskip("gensim.models", reason=NO_GENSIM, exc_type=ImportError)
    kept = load_word_results("rank")
    found = rank(ranks=[100], passes=[50], seeds=[0])
    assert found["descent, d = 100"][0] > 0.999
    assert found["gensim, d = 100, 50 epochs"][0] > 0.9
    for name, (correlation,) in found.items():  # sums in another order move a walk of 50 passes a little
        assert abs(correlation - kept[name][0]) < 0.01


@pytest.mark.weekly
def test_gensims_defaults_come_no_nearer_to_pmi_than_was_kept():
    pytest.importorskip("gensim.models", reason=NO_GENSIM, exc_type=ImportError)
    kept, found = load_word_results("settings"), settings(seeds=[0])
    assert list(found) == list(kept)
    for name, (correlation,) in found.items():
        assert abs(correlation - kept[name][0]) < 0.02
    assert found["as in the derivation"][0] > found["all three, gensim's defaults"][0] + 0.2


def test_the_wikipedia_sample_needs_no_home(monkeypatch):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert len(load_wikipedia_sample()) == 106


def test_most_similar_words_are_those_of_scikit_learns_cosines_whatever_the_lengths():
    rng = np.random.default_rng(8)
    words = [f"w{k}" for k in range(13)]
    vectors = pd.DataFrame(rng.normal(size=(13, 4)) * rng.uniform(0.1, 9, size=(13, 1)), index=words)
    cosines = pd.Series(cosine_similarity(vectors)[5], index=words).drop("w5").sort_values(ascending=False)
    pd.testing.assert_series_equal(most_similar(vectors, "w5", n=7), cosines.head(7))
    vectors.loc["w2"] = 0.0
    assert most_similar(vectors, "w5", n=12)["w2"] == 0
    assert list(most_similar(word_vectors(pd.DataFrame(COUNTS, words, words), rank=3), "w5").index) == nearest_words(
        word_vectors(COUNTS, rank=3), Vocabulary(words), "w5"
    )


@pytest.mark.parametrize(("vectors", "word", "message"), [
    (np.eye(2), "a", "vectors must be a DataFrame with the words as its index"),
    (pd.DataFrame(np.eye(2)), 0, "vectors must be a DataFrame with the words as its index"),
    (pd.DataFrame(np.eye(2), index=["a", "b"]), "c", "one of the 2 words of vectors, got 'c'"),
    (pd.DataFrame(np.eye(2), index=["a", "a"]), "a", "must differ, got 'a' twice"),
    (pd.DataFrame([[1.0, np.nan], [0, 1]], index=["a", "b"]), "a", "row a: nan is not finite"),
])  # fmt: skip
def test_vectors_without_words_have_nobody_similar(vectors, word, message):
    with pytest.raises(ValueError, match=message):
        most_similar(vectors, word, n=1)


def test_a_corpus_is_counted_in_the_vocabulary_that_was_made_of_it_and_named_all_the_way():
    documents = [split_words(text) for text in load_lee_corpus()[:40]]
    vocabulary = Vocabulary.from_documents(documents, min_count=5)
    counts = count_cooccurrences(documents, vocabulary, window=3, as_frame=True)
    bare = count_cooccurrences(documents, vocabulary, window=3)
    assert list(counts.index) == list(counts.columns) == list(vocabulary.words)
    np.testing.assert_array_equal(counts, bare.toarray())
    information = ppmi(counts)
    assert information.index.equals(counts.index)
    np.testing.assert_allclose(information, ppmi(bare).toarray())
    assert list(word_vectors(information, rank=5).index) == list(vocabulary.words)
