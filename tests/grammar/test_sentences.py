"""Facts about the grammar; the oracle writes out every sentence of a small one."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import fields, replace

import numpy as np
import pytest

from regattn.grammar import Grammar
from regattn.grammar._knowledge import frozen, successors
from regattn.grammar._lexicon import LEXICON, Lexicon
from regattn.grammar._rules import Rules, Word
from regattn.grammar._states import states

FEW = replace(
    LEXICON,
    nouns={"sg": ("dog", "cat"), "pl": ("dogs", "cats")},
    places={"sg": ("mill",), "pl": ("hills",)},
    adjectives=("old", "quiet"),
    prepositions=("near",),
    intransitive={"sg": ("sleeps",), "pl": ("sleep",)},
    transitive={"sg": ("sees",), "pl": ("see",)},
    names={"she": ("anna", "ruth"), "he": ("tom",)},
    past=("called", "missed"),
    times=("today",),
    links=("was",),
)


def all_sentences(grammar: Grammar) -> dict[tuple[str, ...], float]:
    """Write out every derivation, depth first, and add up the probabilities of equal sentences."""
    rules = Rules(grammar.depth, grammar.clause, grammar.lexicon)
    found = defaultdict(float)

    def derive(done, pending, p):
        while pending and isinstance(pending[0], Word):
            done, pending = (*done, pending[0].text), pending[1:]
        if not pending:
            found[done] += p
            return
        for q, replacement in getattr(rules, pending[0][0])(*pending[0][1:]):
            derive(done, (*replacement, *pending[1:]), p * q)

    derive((), (("S",),), 1.0)
    return found


@pytest.fixture(scope="module")
def small():
    grammar = Grammar(lexicon=FEW, clause=0.3)
    return grammar, all_sentences(grammar)


def test_probabilities_of_all_sentences_sum_to_one(small):
    assert math.fsum(small[1].values()) == pytest.approx(1.0, abs=1e-12)


def test_entropy_and_length_equal_the_sums_over_all_sentences(small):
    grammar, sentences = small
    assert len(sentences) > 3000
    entropy = grammar.entropy()
    assert entropy.per_sentence == pytest.approx(-math.fsum(p * math.log(p) for p in sentences.values()), abs=1e-10)
    assert entropy.mean_length == pytest.approx(math.fsum(p * len(s) for s, p in sentences.items()), abs=1e-10)
    assert entropy.per_word == entropy.per_sentence / entropy.mean_length


def test_next_word_distribution_equals_counting_the_sentences_that_go_on_so(small):
    grammar, sentences = small
    rng = np.random.default_rng(3)
    for _ in range(25):
        words = grammar.sample(rng).words
        context = words[: int(rng.integers(0, len(words)))]
        going_on = {s: p for s, p in sentences.items() if s[: len(context)] == context}
        total = math.fsum(going_on.values())
        expected = defaultdict(float)
        for s, p in going_on.items():
            expected[s[len(context)]] += p / total
        for word, p in grammar.next_word(context).items():
            assert p == pytest.approx(expected[word], abs=1e-12)


def test_sampled_sentences_have_the_frequencies_of_their_probabilities(small):
    grammar, sentences = small
    rng, n = np.random.default_rng(4), 4000
    counts = defaultdict(int)
    for _ in range(n):
        counts[grammar.sample(rng).words] += 1
    for sentence, p in sorted(sentences.items(), key=lambda item: -item[1])[:10]:
        assert abs(counts[sentence] / n - p) < 5 * math.sqrt(p * (1 - p) / n)  # five standard errors
    assert counts.keys() <= sentences.keys()


def test_surprisal_of_a_long_sample_approaches_the_entropy():
    grammar = Grammar()
    tokens = grammar.sample_tokens(np.random.default_rng(5), texts=60, length=101)
    p = grammar.conditionals(tokens[:, :-1])
    np.testing.assert_allclose(p.sum(-1), 1.0, atol=1e-12)
    surprisal = -np.log(np.take_along_axis(p, tokens[:, 1:, None], axis=2)[..., 0])
    error = surprisal.mean(1).std() / math.sqrt(60)
    assert abs(surprisal.mean() - grammar.entropy().per_word) < 5 * error


def test_verbs_agree_with_the_noun_their_parse_names():
    grammar, rng, seen = Grammar(depth=2), np.random.default_rng(6), 0
    singular = set(LEXICON.nouns["sg"])
    forms = {"is", *LEXICON.intransitive["sg"], *LEXICON.transitive["sg"]}
    for _ in range(400):
        sentence = grammar.sample(rng)
        for word, role, head in zip(*sentence, strict=True):
            if role in ("verb", "verb of subject", "clause verb of subject"):
                assert (sentence.words[head] in singular) == (word in forms)
                seen += head < sentence.words.index(word) - 2
    assert seen > 50  # some of them from afar


def test_pronouns_and_repeated_names_point_at_what_they_stand_for():
    grammar, rng, seen = Grammar(), np.random.default_rng(7), 0
    for _ in range(300):
        sentence = grammar.sample(rng)
        if "pronoun" not in sentence.roles:
            continue
        pronoun = sentence.roles.index("pronoun")
        antecedent = sentence.words[sentence.heads[pronoun]]
        repeated = sentence.roles.index("repeated name")
        assert antecedent in LEXICON.names[sentence.words[pronoun]]
        assert sentence.words[repeated] == sentence.words[sentence.heads[repeated]] != antecedent
        seen += 1
    assert seen > 50


def test_bank_without_a_cue_leaves_both_senses_open_until_the_next_word_decides():
    grammar = Grammar()
    states = {sense: LEXICON.states[sense] for sense in ("shore", "lender")}
    open_ = grammar.next_word(["the", "bank", "was"])
    cued = grammar.next_word(["near", "the", "stream", ",", "the", "bank", "was"])
    assert sum(open_[w] for w in states["shore"]) == pytest.approx(0.5, abs=1e-12)
    assert sum(cued[w] for w in states["shore"]) == pytest.approx(1.0, abs=1e-12)
    assert sum(cued[w] for w in states["lender"]) == 0.0


def test_depth_bounds_the_nesting_of_clauses():
    rng = np.random.default_rng(8)
    deepest = {
        depth: max(Grammar(depth=depth).sample(rng).words.count("that") for _ in range(800)) for depth in (0, 1, 2)
    }
    assert deepest == {0: 0, 1: 1, 2: 2}


def test_texts_start_with_a_full_stop_and_decode_to_words():
    grammar = Grammar()
    tokens = grammar.sample_tokens(np.random.default_rng(9), texts=3, length=29)
    assert tokens.shape == (3, 29)
    assert (tokens[:, 0] == 0).all()
    assert grammar.encode(grammar.decode(tokens[0])) == tokens[0].tolist()
    assert len(set(grammar.vocabulary)) == len(grammar.vocabulary) == 105


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda g: Grammar(depth=-1), "depth must be ≥ 0, got -1"),
        (lambda g: Grammar(clause=1.5), "clause must be ≤ 1, got 1.5"),
        (lambda g: g.encode(["the", "zebra"]), "'zebra' is not among the 105 words"),
        (lambda g: g.next_word(["the", "dog", "sleep"]), "word 2, 'sleep', cannot follow 'the dog'"),
        (lambda g: g.next_word(iter(["the", "dog", "sleep"])), "word 2, 'sleep', cannot follow 'the dog'"),
        (lambda g: g.next_word({"the": 1, "sleep": 2}), "word 1, 'sleep', cannot follow 'the'"),
        (lambda g: g.advance(g.start(), "sleeps"), "'sleeps' cannot come next"),
        (lambda g: g.conditionals(np.ones((2, 3), dtype=int)), "full stop first"),
        (lambda g: g.sample_tokens(np.random.default_rng(0), texts=0, length=3), "texts must be ≥ 1, got 0"),
    ],
)
def test_bad_input_is_refused_with_its_value(call, message):
    with pytest.raises(ValueError, match=message):
        call(Grammar())


def test_the_classes_of_a_lexicon_are_named_since_several_have_one_shape():
    classes = {field.name: getattr(LEXICON, field.name) for field in fields(Lexicon)}
    assert Lexicon(**classes).vocabulary == LEXICON.vocabulary
    with pytest.raises(TypeError, match="positional argument"):
        Lexicon(*classes.values())


def test_a_sentence_is_drawn_as_by_choice_from_the_rules():
    def words(grammar, rng, symbols):
        for symbol in symbols:
            if isinstance(symbol, Word):
                yield symbol.text
            else:
                rules = grammar.expand(symbol)
                yield from words(grammar, rng, rules[rng.choice(len(rules), p=[p for p, _ in rules])][1])

    for grammar in (Grammar(), Grammar(depth=2, clause=0.5)):
        fast, slow = np.random.default_rng(23), np.random.default_rng(23)
        for _ in range(400):
            assert grammar.sample(fast).words == tuple(words(grammar, slow, [("S",)]))
        assert fast.random() == slow.random()


@pytest.mark.parametrize("depth", [0, 1])
def test_a_table_of_states_has_room_for_just_as_many_as_it_is_given(depth):
    grammar = Grammar(depth=depth)
    reached = waiting = {frozen(grammar.start())}
    while waiting:
        after = {
            frozen(then) for each in waiting for word, (_, then) in successors(grammar, each).items() if word != "."
        }
        waiting = after - reached
        reached = reached | waiting
    assert len(states(grammar, len(reached))) <= len(reached)
    with pytest.raises(ValueError, match=f"room for {len(reached) - 1} states, and this grammar has more"):
        states(grammar, len(reached) - 1)
