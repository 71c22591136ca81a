"""GloVe is scikit-learn's ridge in turn; held-out pairs are what they say; kept results are the tool's."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score

from regattn import data
from regattn.data import load_lee_corpus, load_wikipedia_sample
from regattn.words import (
    Vocabulary,
    count_cooccurrences,
    glove_vectors,
    held_out_pairs,
    load_word_results,
    ppmi,
    split_words,
)

COUNTS = np.random.default_rng(1).poisson(3.0, size=(13, 13))
COUNTS = COUNTS + COUNTS.T


def test_a_word_of_glove_is_a_weighted_ridge_regression_on_the_contexts():
    found = glove_vectors(COUNTS, rank=3, sweeps=40, ridge=0.1, cap=7.0)
    for j in (0, 5, 12):  # contexts are fitted last, so that the words are those they were fitted to
        met = COUNTS[:, j] > 0
        ridge = Ridge(alpha=0.1).fit(
            found.vectors[met],
            np.log(COUNTS[met, j]) - found.levels[met],
            sample_weight=np.minimum(1, (COUNTS[met, j] / 7.0) ** 0.75),
        )
        np.testing.assert_allclose(ridge.coef_, found.contexts[j], atol=1e-9)
        assert ridge.intercept_ == pytest.approx(found.context_levels[j], abs=1e-9)


def test_the_loss_of_glove_is_the_sum_it_says_and_never_rises():
    found = glove_vectors(COUNTS, rank=2, sweeps=15, ridge=0.2, cap=5.0, power=0.5)
    total = 0.2 * ((found.vectors**2).sum() + (found.contexts**2).sum())
    for i, j in zip(*np.nonzero(COUNTS), strict=True):
        gap = found.vectors[i] @ found.contexts[j] + found.levels[i] + found.context_levels[j] - np.log(COUNTS[i, j])
        total += min(1.0, (COUNTS[i, j] / 5.0) ** 0.5) * gap**2
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
    (lambda: held_out_pairs(COUNTS, COUNTS[:5, :5], np.ones(13)), r"train is \(13, 13\), test \(5, 5\)"),
    (lambda: held_out_pairs(COUNTS, COUNTS, np.ones(5)), r"frequency has shape \(5,\)"),
    (lambda: held_out_pairs(COUNTS, COUNTS, np.ones(13), least=0), "least must be ≥ 1"),
    (lambda: load_word_results("banks"), "part must be one of held_out, .* got 'banks'"),
])  # fmt: skip
def test_what_cannot_be_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def halves(seed):
    stories = [split_words(story) for story in load_lee_corpus()]
    order = np.random.default_rng(seed).permutation(len(stories))
    first, second = ([stories[i] for i in order[a::2]] for a in (0, 1))
    words = Vocabulary.from_documents(first, min_count=5, unknown="skip")
    frequency = np.bincount(np.concatenate([words.indices(text) for text in first]))
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
    place = np.argsort(np.argsort(-frequency, kind="stable"))
    assert np.abs(place[met[:, 1]] - place[never[:, 1]]).max() <= 25


def test_frequency_alone_cannot_tell_a_pair_from_its_rival_and_kept_areas_are_found_again():
    kept = load_word_results("held_out")
    assert np.abs(np.array(kept["frequency"]) - 0.5).max() < 0.01
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


def test_the_wikipedia_sample_is_kept_and_what_is_broken_is_made_again(tmp_path, monkeypatch):
    made = []

    def articles(path):
        made.append(path.name)
        return ["one article", "another"]

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(data, "_wikipedia_articles", articles)
    assert load_wikipedia_sample() == load_wikipedia_sample() == ["one article", "another"]
    assert len(made) == 1
    (kept,) = (tmp_path / "regattn").iterdir()
    kept.write_bytes(b"\x1f\x8bbroken")
    assert load_wikipedia_sample() == ["one article", "another"]
    assert len(made) == 2
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert load_wikipedia_sample() == ["one article", "another"]
    assert json.dumps(made).count("enwiki") == 3
