"""Facts about tokens and counted language models."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from regattn.data import load_lee_corpus
from regattn.words import count_ngrams, ngram_bits, train_tokenizer, unseen_share, write_like

TEXT = np.random.default_rng(5).zipf(1.6, size=400) % 11


def test_merges_are_those_of_counting_pairs_by_hand():
    tokenizer = train_tokenizer(["aaabdaaabac"], vocabulary=259)
    learned = [token for token, number in sorted(tokenizer.get_vocab().items(), key=lambda i: i[1]) if number >= 256]
    assert learned[0] == "aa"  # four times; every other pair at most twice
    assert all(len(token) > 1 for token in learned)
    assert tokenizer.get_vocab_size() == 259


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(["the cat sat on the mat", "the dog sat on the log"] * 20, vocabulary=280)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=40))
def test_decoding_gives_back_any_text(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_frequent_words_become_single_tokens(tokenizer):
    assert tokenizer.encode("the").tokens == ["the"]
    assert len(tokenizer.encode("unhappiness").tokens) > 3


SPACED = ["the unhappy man was happy", "a happier woman, unharmed"] * 3


@pytest.mark.parametrize("kind", ["characters", "unigram"])
@given(text=st.text("thea unhpy\n☕ש", max_size=30))
@settings(max_examples=60, deadline=None)
def test_all_that_is_known_comes_back_and_the_rest_is_number_0(kind, text):
    tokenizer = train_tokenizer(SPACED, vocabulary=45, kind=kind)
    encoded = tokenizer.encode(text)
    known = set(text) <= set("".join(SPACED))
    assert known == (0 not in encoded.ids)
    if known:
        assert tokenizer.decode(encoded.ids) == text


@pytest.mark.parametrize("kind", ["bytes", "characters", "unigram"])
def test_the_name_of_the_unknown_is_no_token_in_a_text(kind):
    tokenizer = train_tokenizer([*SPACED, "< k u n >"], vocabulary=300, kind=kind)
    encoded = tokenizer.encode("<unk>")
    assert len(encoded.ids) > 1
    assert tokenizer.decode(encoded.ids) == "<unk>"


def test_a_unigram_vocabulary_is_the_same_with_one_thread_and_holds_rounded_logarithms():
    model = json.loads(train_tokenizer(SPACED, vocabulary=45, kind="unigram").to_str())["model"]
    assert all(score == round(score, 6) <= 0 for _, score in model["vocab"])
    assert len(model["vocab"]) <= 45


@pytest.mark.parametrize(("texts", "vocabulary", "kind", "message"), [
    (["ab"], 300, "words", "kind must be one of bytes, characters, unigram, got 'words'"),
    (["ab"], 2, "characters", "more than the 3 characters of the texts, got 2"),
    (["ab ab"], 3, "unigram", "more than the 3 characters of the texts, got 3"),
    (["", ""], 9, "unigram", "of texts that hold something, got 9"),
    ([], 9, "characters", "of texts that hold something, got 9"),
    (["a"], 255, "bytes", "vocabulary must be ≥ 256, got 255"),
])  # fmt: skip
def test_a_tokeniser_that_cannot_be_is_refused(texts, vocabulary, kind, message):
    with pytest.raises(ValueError, match=message):
        train_tokenizer(texts, vocabulary=vocabulary, kind=kind)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_surprisals_are_those_of_whole_distributions_to_the_last_digit(order):
    model = count_ngrams(TEXT[:300], order=order, vocabulary=11)
    wanted = [-np.log(model.probabilities(TEXT[:i])[TEXT[i]]) for i in range(1, len(TEXT))]
    np.testing.assert_array_equal(model.surprisals(TEXT), wanted)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_probabilities_sum_to_one_for_seen_and_unseen_contexts(order):
    model = count_ngrams(TEXT, order=order, vocabulary=13)
    for context in ([], [1], [12], [1, 2, 1], [12, 11, 12], TEXT[:7].tolist()):
        p = model.probabilities(context)
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        assert (p > 0).all()


def test_bigram_equals_the_formula_by_hand():
    a, b, c = 0, 1, 2
    model = count_ngrams([a, b, a, b, a, c], order=2, vocabulary=3, discount=0.5)
    # pairs ab 2, ba 2, ac 1; different contexts before a, b, c: 1, 1, 1
    low = [(1 - 0.5) / 3 + 0.5 * 3 / 3 / 3] * 3
    after_a = [0 + 0.5 * 2 / 3 * low[a], (2 - 0.5) / 3 + 0.5 * 2 / 3 * low[b], (1 - 0.5) / 3 + 0.5 * 2 / 3 * low[c]]
    np.testing.assert_allclose(model.probabilities([a]), after_a, atol=1e-15)
    np.testing.assert_allclose(model.probabilities([c]), low, atol=1e-15)  # c was never followed by anything


def test_trigram_equals_a_slow_recursion_over_the_text():
    discount, vocabulary, text = 0.7, 13, TEXT.tolist()
    grams = {n: Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1)) for n in (1, 2, 3)}

    def count(gram):
        if len(gram) == 3:
            return grams[3][gram]
        # a gram counts once for each different longer gram that ends in it
        level = {3: set(grams[3])}
        level[2] = {g[1:] for g in level[3]}
        return sum(1 for g in level[len(gram) + 1] if g[1:] == gram)

    def p(word, context):
        below = 1 / vocabulary if not context else p(word, context[1:])
        after = {w: count((*context, w)) for w in range(vocabulary)}
        total = sum(after.values())
        if total == 0:
            return below
        kinds = sum(1 for c in after.values() if c)
        return max(after[word] - discount, 0) / total + discount * kinds / total * below

    model = count_ngrams(text, order=3, vocabulary=vocabulary, discount=discount)
    for context in ((text[3], text[4]), (text[50], text[51]), (12, 1)):
        expected = [p(w, context) for w in range(vocabulary)]
        np.testing.assert_allclose(model.probabilities(context), expected, atol=1e-12)


def test_surprisals_are_minus_the_logs_of_the_probabilities():
    model = count_ngrams(TEXT, order=3, vocabulary=11)
    text = TEXT[100:107].tolist()
    expected = [-math.log(model.probabilities(text[:i])[text[i]]) for i in range(1, 7)]
    np.testing.assert_allclose(model.surprisals(text), expected, atol=1e-14)


def test_a_longer_context_helps_on_a_text_that_needs_it():
    text = [0, 0, 1, 1] * 60  # the next token is known from two, not from one
    cost = {n: count_ngrams(text, order=n, vocabulary=2).surprisals(text[:41]).mean() for n in (1, 2, 3)}
    assert cost[3] < 0.05
    assert cost[2] == pytest.approx(math.log(2), abs=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: train_tokenizer(["a"], vocabulary=255), "vocabulary must be ≥ 256, got 255"),
        (lambda: train_tokenizer("abc", vocabulary=256), "several strings, got one of 3"),
        (lambda: count_ngrams([0, 1], order=3, vocabulary=2), "has 2 tokens, too few for order 3"),
        (lambda: count_ngrams([0, 5], order=1, vocabulary=3), "from 0 to 2, got 5"),
        (lambda: count_ngrams([0, -1], order=1, vocabulary=3), "from 0 to 2, got -1"),
        (lambda: count_ngrams([0.5], order=1, vocabulary=3), "whole numbers, got float64"),
        (lambda: count_ngrams([0, 1], order=1, vocabulary=3, discount=0.0), "discount must be > 0, got 0.0"),
    ],
)
def test_bad_input_is_refused_with_its_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_beginnings_keep_their_counts_and_no_run_goes_on_into_the_next_text():
    start, discount, vocabulary = 9, 0.6, 10
    draw = np.random.default_rng(8)
    texts = [(start, *(draw.zipf(1.7, size=draw.integers(1, 7)) % 7).tolist()) for _ in range(30)]
    grams = {n: Counter(t[i : i + n] for t in texts for i in range(len(t) - n + 1)) for n in (1, 2, 3)}

    def count(gram):  # as often as it occurs where nothing shorter counts it: at the top, and after a start
        if len(gram) == 3 or (gram[0] == start and len(gram) > 1):
            return grams[len(gram)][gram]
        return sum(longer[1:] == gram for longer in grams[len(gram) + 1])

    def p(word, context):
        below = 1 / vocabulary if not context else p(word, context[1:])
        after = {w: count((*context, w)) for w in range(vocabulary)}
        if not sum(after.values()):
            return below
        kept = max(after[word] - discount, 0) + discount * sum(c > 0 for c in after.values()) * below
        return kept / sum(after.values())

    model = count_ngrams(sum(texts, ()), order=3, vocabulary=vocabulary, discount=discount, start=start)
    for context in ((start,), texts[0][:2], texts[1][1:3], (5, 5), (3, start), ()):
        expected = [p(w, context) for w in range(vocabulary)]
        np.testing.assert_allclose(model.probabilities(context), expected, atol=1e-12)
        assert sum(expected) == pytest.approx(1)
    shares = np.bincount([t[1] for t in texts], minlength=vocabulary) / len(texts)
    opening = count_ngrams(sum(texts, ()), order=3, vocabulary=vocabulary, discount=0.01, start=start)
    np.testing.assert_allclose(opening.probabilities([start]), shares, atol=0.003)
    for order in (1, 2, 3):  # given, never the next token
        model = count_ngrams(sum(texts, ()), order=order, vocabulary=vocabulary, start=start)
        assert all(start not in seen for each in model.counts for seen in each.values())


def test_bits_of_held_out_texts_are_those_of_a_start_token_and_the_counts():
    train, test = ["the cat sat", "the dog", "a cat"] * 3, ["the cat", "é", ""]
    tokenizer = train_tokenizer(train, vocabulary=262)
    found = ngram_bits(tokenizer, train, test, order=2)
    size = tokenizer.get_vocab_size()
    text = [i for each in train for i in (size, *tokenizer.encode(each).ids)]
    model = count_ngrams(text, order=2, vocabulary=size + 1, start=size)
    for row, each in zip(found.itertuples(), test, strict=True):
        ids = [size, *tokenizer.encode(each).ids]
        p = [model.probabilities(ids[:i])[ids[i]] for i in range(1, len(ids))]
        assert row.bits == pytest.approx(-np.log2(p).sum())
        assert (row.tokens, row.bytes) == (len(ids) - 1, len(each.encode()))


def test_the_share_never_seen_is_counted_run_by_run_within_texts():
    train, test = [[1, 2, 3], [3, 1]], [[2, 3, 1], [1, 2, 3], [5]]
    assert unseen_share(train, test, order=1) == pytest.approx(1 / 7)
    assert unseen_share(train, test, order=2) == 0.0
    assert unseen_share(train, test, order=3) == pytest.approx(1 / 2)


def test_what_is_written_follows_the_shares_of_the_words_after_the_same_words():
    text = ["a", "b", "a", "b", "a", "c", "a", "b", "d"]
    written = write_like(text, order=2, length=20_000, rng=0)
    after_a = Counter(second for first, second in pairwise(written) if first == "a")
    assert after_a["b"] / after_a.total() == pytest.approx(3 / 4, abs=0.02)
    assert after_a["c"] / after_a.total() == pytest.approx(1 / 4, abs=0.02)
    anywhere = Counter(write_like(text, order=1, length=20_000, rng=0))
    assert anywhere["a"] / 20_000 == pytest.approx(4 / 9, abs=0.02)


def test_a_high_order_copies_until_the_text_ends_and_then_looks_less_far_back():
    text = [f"word {k}" for k in range(9)]
    written = write_like(text, order=4, length=30, rng=0)
    jumps = [first for first, second in pairwise(written) if text.index(second) != text.index(first) + 1]
    assert set(jumps) == {"word 8"}


@pytest.mark.parametrize(("call", "message"), [
    (lambda: count_ngrams([0, 1], order=1, vocabulary=2, start=2), "start must be ≤ 1, got 2"),
    (lambda: count_ngrams([0, 1], order=1, vocabulary=2, start=1), r"begins with its start token 1, got \[0\]"),
    (lambda: ngram_bits(train_tokenizer(["a"], vocabulary=256), "ab", ["a"], order=1), "train must be several texts"),
    (lambda: ngram_bits(train_tokenizer(["a"], vocabulary=256), ["a"], "ab", order=1), "test must be several texts"),
    (lambda: ngram_bits(train_tokenizer(["a"], vocabulary=256), ["a"], [], order=1), "test has no text to score"),
    (lambda: unseen_share([[1]], [[1, 2], []], order=3), "no text of test has the 3 tokens of a run"),
    (lambda: unseen_share([[1]], [[1]], order=0), "order must be ≥ 1, got 0"),
    (lambda: write_like(["a"], order=0, length=1, rng=0), "order must be ≥ 1, got 0"),
    (lambda: write_like([], order=1, length=1, rng=0), "text must be a list of at least one word"),
    (lambda: write_like("ab", order=1, length=1, rng=0), "text must be a list of at least one word, got 'ab'"),
])  # fmt: skip
def test_what_cannot_be_counted_is_refused_with_its_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.weekly  # and whenever what this file imports differs from main
@pytest.mark.parametrize(("kind", "best"), [("single", 7), ("bytes", 4), ("characters", 4), ("unigram", 5)])
def test_the_orders_that_the_chapter_compares_do_best_on_stories_that_it_does_not_report(kind, best):
    stories = load_lee_corpus()
    train, asked = stories[:120], stories[120:180]
    size = 256 if kind == "single" else 1000
    tokenizer = train_tokenizer(train, vocabulary=size, kind="bytes" if kind == "single" else kind)
    bits = {order: ngram_bits(tokenizer, train, asked, order=order).bits.sum() for order in (best - 1, best, best + 1)}
    assert min(bits, key=bits.get) == best
