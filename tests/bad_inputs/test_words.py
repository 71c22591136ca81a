"""Faults in, refusals or right counts out: vocabularies, counting, the projection, tokens, the grammar, self-checks."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, strategies as st

from regattn.exercises import check, exercises
from regattn.grammar import Grammar
from regattn.words import (
    Vocabulary,
    _chunks,
    context_weights,
    count_cooccurrences,
    count_ngrams,
    normalise_rows,
    ppmi,
    predict_next,
    project,
    selector,
    split_words,
    totals,
    train_tokenizer,
    vocabulary_scores,
)
from regattn.words.cooccurrence import NORMALISERS
from regattn.words.vocabulary import _UNKNOWN_WORD as UNKNOWN_WORD
from tests.bad_inputs.inputs import ODD, REFUSED, many, matrices, outcome

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

AB, GRAMMAR = Vocabulary(["a", "b"]), Grammar()

ENTRANCES = {
    "split_words": split_words,
    "Vocabulary": lambda x: Vocabulary(x).words,
    "unknown": lambda x: Vocabulary(["a"], unknown=x).words,
    "from_documents": lambda x: Vocabulary.from_documents(x).words,
    "order": lambda x: Vocabulary.from_documents([["a"]], order=x).words,
    "indices": AB.indices,
    "documents": lambda x: count_cooccurrences(x, AB, window=2),
    "vocabulary": lambda x: count_cooccurrences([["a"]], x, window=2),
    "window": lambda x: count_cooccurrences([["a"]], AB, window=x),
    "weighting": lambda x: count_cooccurrences([["a"]], AB, window=1, weighting=x),
    "ppmi": ppmi,
    "context_power": lambda x: ppmi(np.array([[1e9, 1], [1, 1e9]]), context_power=x),
    "selector": lambda x: selector(x, 3),
    "normalise_rows": normalise_rows,
    "project": lambda x: project(x, [0, 1]),
    "sentence": lambda x: predict_next(np.eye(3), x),
    "vocabulary_scores": lambda x: vocabulary_scores(x, [0, 1]),
    "predict_next": lambda x: predict_next(x, [0, 1], normaliser="softmax"),
    "temperature": lambda x: predict_next(np.eye(3), [0], temperature=x),
    "normaliser": lambda x: context_weights(np.eye(3), [0], normaliser=x),
    "train_tokenizer": lambda x: train_tokenizer(x, vocabulary=257).get_vocab_size(),
    "count_ngrams": lambda x: count_ngrams(x, order=2, vocabulary=9).probabilities([1]),
    "discount": lambda x: count_ngrams([0, 1], order=1, vocabulary=3, discount=x).surprisals([0, 1, 2]),
    "context": lambda x: count_ngrams([0, 1], order=2, vocabulary=3).probabilities(x),
    "Grammar": lambda x: Grammar(depth=x),
    "clause": lambda x: Grammar(clause=x),
    "lexicon": lambda x: Grammar(lexicon=x),
    "encode": GRAMMAR.encode,
    "decode": GRAMMAR.decode,
    "next_word": GRAMMAR.next_word,
    "conditionals": GRAMMAR.conditionals,
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_odd_inputs_are_refused_or_answered(entrance):
    for odd in ODD.values():
        outcome(ENTRANCES[entrance], odd())


WORDS = st.one_of(st.sampled_from(["a", "b", "c", UNKNOWN_WORD, "", "\ud800"]), st.text(max_size=3))


def _can_be_written(word):
    return not any("\ud800" <= character <= "\udfff" for character in word)


def _slow_counts(documents, words, window, harmonic):
    """Pairs one by one, both ways, as the definition says."""
    table = np.zeros((len(words), len(words)))
    for document in documents:
        for s, word in enumerate(document):
            for t in range(max(0, s - window), min(len(document), s + window + 1)):
                if t != s and word in words and document[t] in words:
                    table[words.index(word), words.index(document[t])] += 1 / abs(s - t) if harmonic else 1
    return table


@many(300)
@given(
    documents=st.lists(st.lists(WORDS, max_size=9), max_size=4),
    words=st.lists(WORDS, min_size=1, max_size=5, unique=True),
    window=st.one_of(st.integers(1, 12), st.sampled_from([500, 0, -1, 10**6, 10**30])),
    unknown=st.sampled_from(["error", "gap"]),
    harmonic=st.booleans(),
)
def test_any_words_are_refused_or_counted_as_a_slow_loop_does(documents, words, window, unknown, harmonic):
    def count(documents):
        weighting = "harmonic" if harmonic else "uniform"
        return count_cooccurrences(documents, Vocabulary(words, unknown), window=window, weighting=weighting).toarray()

    found = outcome(count, documents)
    known = unknown == "gap" or set().union(*documents) <= set(words)
    if not 1 <= window <= 100_000 or not known or not all(map(_can_be_written, words)):
        assert found is REFUSED
    else:
        np.testing.assert_allclose(found, _slow_counts(documents, words, window, harmonic), rtol=1e-14)


@pytest.mark.parametrize("weighting", ["uniform", "harmonic"])
def test_a_window_wider_than_every_document_costs_no_more_than_the_documents(weighting):
    vocabulary = Vocabulary([str(i) for i in range(5000)])
    rng = np.random.default_rng(0)
    documents = [rng.integers(0, 5000, size=n) for n in (3, 1, 0, 2, 40, 9, 300)] * 20
    documents.append(rng.integers(0, 5000, size=2000))  # one long document does not make the short ones long
    places = []
    with pytest.MonkeyPatch.context() as patch:
        count = totals.count_chunk
        patch.setattr(totals, "count_chunk", lambda *x: places.append(x[1] * len(x[3])) or count(*x))
        widest = count_cooccurrences(documents, vocabulary, window=100_000, weighting=weighting)
    pairs = sum(len(d) * (len(d) - 1) // 2 for d in documents)
    assert sum(places) < 12 * pairs  # how many pairs of places were looked at
    enough = count_cooccurrences(documents, vocabulary, window=1999, weighting=weighting)
    assert (widest != enough).nnz == 0


def test_weights_of_far_words_are_right_to_the_last_digits_and_do_not_depend_on_chunks(monkeypatch):
    n = 4000
    document = np.full(n, -1)
    document[[0, 23, 24, 700, n - 1]] = [0, 1, 0, 2, 1]
    vocabulary = Vocabulary(["a", "b", "c"])
    exact = {
        (0, 1): 1 / 23 + 1 + 1 / (n - 1) + 1 / (n - 25),
        (0, 2): 1 / 700 + 1 / 676,
        (1, 2): 1 / 677 + 1 / (n - 701),
    }
    exact |= {(0, 0): 2 / 24, (1, 1): 2 / (n - 24)}
    found = count_cooccurrences([document], vocabulary, window=n, weighting="harmonic").toarray()
    for (i, j), value in exact.items():
        assert found[i, j] == found[j, i] == pytest.approx(value, rel=4e-15)
    for size in (2**20, 2**22 + 7):
        monkeypatch.setattr(_chunks, "PAIRS_PER_CHUNK", size)
        again = count_cooccurrences([document], vocabulary, window=n, weighting="harmonic").toarray()
        np.testing.assert_array_equal(again, found)


@many(300)
@given(st.text(st.characters(), max_size=40))
def test_words_of_any_text_are_counted_once_each(text):
    words = split_words(text)
    if words:
        vocabulary = Vocabulary.from_documents([words])
        assert sorted(vocabulary.words) == sorted(Counter(words))
        assert np.bincount(vocabulary.indices(words)).sum() == len(words)


TOKENIZER = train_tokenizer(["the river bank", "le prêt — 🏦"], vocabulary=270)


@many(300)
@given(st.text(st.characters(), max_size=60))  # with halves of surrogate pairs
def test_every_text_survives_the_tokeniser(text):
    decoded = outcome(lambda text: TOKENIZER.decode(TOKENIZER.encode(text).ids), text)
    assert decoded == text or (decoded is REFUSED and not _can_be_written(text))


@many(300)
@given(st.data())
def test_the_projection_of_any_table_is_refused_or_sums_to_one(data):
    n = data.draw(st.integers(1, 4))
    S = data.draw(matrices(rows=n, columns=n))
    sentence = data.draw(st.lists(st.integers(-1, n), max_size=4))
    how = {"normaliser": data.draw(st.sampled_from(NORMALISERS))}
    p = outcome(lambda S: predict_next(S, sentence, **how), S)
    weights = outcome(lambda S: context_weights(S, sentence, **how), S)
    if p is not REFUSED:
        assert min(sentence) >= 0
        assert max(sentence) < n
        np.testing.assert_allclose(p.sum(), 1)
    if weights is not REFUSED and how["normaliser"] != "counts":
        np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    assert p is REFUSED or weights is not REFUSED


@many(200)
@given(st.data())
def test_mutual_information_of_any_table_is_refused_or_does_not_depend_on_its_unit(data):
    n = data.draw(st.integers(1, 4))
    S = np.abs(data.draw(matrices(rows=n, columns=n)).astype(float))
    power = data.draw(st.sampled_from([1.0, 0.75, -1.0, 40.0]))
    found = outcome(lambda S: ppmi(S, context_power=power), S)
    if found is not REFUSED and 1e-100 < S.max() < 1e100 and power <= 1:
        np.testing.assert_allclose(outcome(lambda S: ppmi(S, context_power=power), S * 8), found, atol=1e-9)


@many(200)
@given(
    tokens=st.lists(st.integers(-1, 4), max_size=12),
    order=st.integers(0, 4),
    discount=st.sampled_from([1e-6, 0.5, 1.0, 0.0, np.nan]),
    context=st.lists(st.integers(-(10**20), 10**20), max_size=4),
)
def test_ngrams_of_any_text_are_refused_or_give_a_distribution(tokens, order, discount, context):
    p = outcome(lambda t: count_ngrams(t, order=order, vocabulary=4, discount=discount).probabilities(context), tokens)
    fits = tokens and min(tokens) >= 0 and max(tokens) < 4 and 1 <= order <= len(tokens) and discount > 0
    assert (p is not REFUSED) == bool(fits)
    if fits:
        assert (p > 0).all()
        np.testing.assert_allclose(p.sum(), 1)


@pytest.mark.parametrize("name", exercises())
def test_a_self_check_calls_odd_answers_wrong_and_says_why(name):
    for what, odd in ODD.items():
        verdict = outcome(lambda answer: check(name, answer), odd())
        assert verdict is not REFUSED
        assert not verdict or what in ("number", "one number", "vector")  # the right answer may be 3, 2 or ones
        assert str(verdict)


def test_a_right_answer_may_still_carry_its_gradient():
    assert check("ols_proximity.1", torch.tensor(1 / 3, requires_grad=True))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: count_cooccurrences([["a"]], ["a"], window=1), "vocabulary must be a Vocabulary, got list"),
        (lambda: count_cooccurrences([["a"]], AB, window=10**9), "window must be ≤ 100000, got 1000000000"),
        (
            lambda: Vocabulary(["a", "b\ud800"]),
            r"the word at position 1 must be text that UTF-8 can write, got 'b\\ud8",
        ),
        (lambda: Vocabulary.from_documents([["\udfff"]]), "position 0 must be text that UTF-8 can write, got '.udfff'"),
        (lambda: train_tokenizer(["a", "\ud800"], vocabulary=256), "text 1 must be text that UTF-8 can write"),
        (lambda: train_tokenizer([b"a"], vocabulary=256), "text 0 must be a string, got b'a'"),
        (lambda: ppmi(np.full((2, 2), 1e308)), "totals must stay finite and positive to the power 1"),
        (lambda: GRAMMAR.decode([-1]), "token must be ≥ 0, got -1"),  # not the last word
        (lambda: GRAMMAR.conditionals(np.array([[0, -1]])), "token must be ≥ 0, got -1"),
        (lambda: GRAMMAR.conditionals(np.zeros((1, 0), dtype=int)), r"with a full stop first, got shape \(1, 0\)"),
        (lambda: Grammar(lexicon={}), "lexicon must be a Lexicon, got dict"),
        (
            lambda: predict_next(pd.DataFrame([[1.0]], ["a"], ["b"]), ["a"]),
            "words on the rows of S are not those on its columns",
        ),
    ],
)
def test_refusals_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_discount_too_small_to_count_is_no_infinite_surprise():
    with pytest.raises(ValueError, match="a discount of 5e-324 leaves nothing for token 2"):
        count_ngrams([0, 0], order=1, vocabulary=3, discount=5e-324).surprisals([0, 2])
