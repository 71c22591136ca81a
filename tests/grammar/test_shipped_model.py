"""Facts about the shipped model: its card is recomputed, and its heads are scored against the grammar's truth."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest
import torch

from regattn.grammar import Grammar, Links, as_tokens, excess_nats, find_links, head_scores, verb_mass
from regattn.grammar.sentences import Sentence
from regattn.transformer import Architecture, LanguageModel, load_shipped

GRAMMAR = Grammar()


@pytest.fixture(scope="module")
def shipped():
    return load_shipped()


@pytest.fixture(scope="module")
def parsed(shipped):
    rng = np.random.default_rng(11)
    sentences = [GRAMMAR.sample(rng) for _ in range(500)]
    return sentences, shipped[0].trace(as_tokens(sentences, GRAMMAR)).weights


def test_the_metrics_on_the_card_are_what_the_weights_give(shipped):
    model, card = shipped
    metrics = card["metrics"]
    rng = np.random.default_rng(metrics["held_out_seed"])
    held_out = GRAMMAR.sample_tokens(rng, texts=metrics["held_out_texts"], length=card["context"])
    assert metrics["entropy_per_word"] == pytest.approx(GRAMMAR.entropy().per_word, abs=1e-9)
    excess = excess_nats(model, GRAMMAR, held_out).mean()
    assert metrics["excess_nats"] == pytest.approx(excess, rel=1e-3)  # float32 sums differ with the thread count
    assert card["tokens"] == card["steps"] * card["batch"] * card["context"]


def test_the_card_beside_the_weights_is_the_one_inside_and_the_file_is_small(shipped):
    folder = files("regattn.transformer") / "shipped"
    assert json.loads((folder / "grammar.json").read_text(encoding="utf-8")) == shipped[1]
    assert len((folder / "grammar.safetensors").read_bytes()) < 5e6


def test_excess_is_zero_for_a_model_that_is_the_grammar_and_log_v_less_entropy_for_a_uniform_one():
    class Truth(torch.nn.Module):
        architecture = Architecture(vocabulary=105, layers=1, context=8, width=4, n_heads=1)

        def forward(self, tokens):
            return torch.from_numpy(np.log(np.maximum(GRAMMAR.conditionals(tokens.numpy()), 1e-300)))

    tokens = GRAMMAR.sample_tokens(np.random.default_rng(1), texts=3, length=17)
    np.testing.assert_allclose(excess_nats(Truth(), GRAMMAR, tokens), 0.0, atol=1e-12)
    uniform = LanguageModel(Truth.architecture)
    torch.nn.init.zeros_(uniform.embedding.weight)  # tied, so that every logit is zero
    p = GRAMMAR.conditionals(tokens)
    entropy = -(p * np.log(np.where(p > 0, p, 1.0))).sum(-1)
    np.testing.assert_allclose(excess_nats(uniform, GRAMMAR, tokens), np.log(105) - entropy, atol=1e-6)


def test_one_head_finds_the_other_name_and_chance_does_not(parsed):
    sentences, weights = parsed
    links = find_links(sentences, "repeated name")
    scores = head_scores(weights, links, rng=np.random.default_rng(2))
    best = scores.iloc[0]
    assert best["weight"] > 0.6
    assert best["weight"] > best["baseline"] + 0.25
    assert best["p_value"] < 0.01


def test_heads_that_attend_at_random_pass_for_none(parsed):
    sentences, weights = parsed
    rng = np.random.default_rng(3)
    noise = np.tril(rng.random(weights.shape))
    noise /= noise.sum(-1, keepdims=True)
    scores = head_scores(noise, find_links(sentences, "repeated name"), rng=rng)
    assert scores["p_value"].min() > 0.01


def test_a_head_is_no_clearer_than_chance_makes_the_clearest_of_all_heads():
    links = Links(text=np.array([0, 1]), query=np.array([3, 3]), key=np.array([1, 2]))
    weights = np.zeros((1, 2, 2, 4, 4))
    weights[0, [0, 1], 0, 3, [1, 2]] = 0.5  # head 1 looks where it should
    weights[0, [0, 1], 1, 3, [2, 1]] = 1.0  # head 2 where it should not: dealt the other way, it stands out further
    alone = head_scores(weights[:, :, :1], links, rng=np.random.default_rng(6)).iloc[0]
    assert alone["p_value"] == pytest.approx(0.5, abs=0.15)  # there are two ways to deal two keys
    both = head_scores(weights, links, rng=np.random.default_rng(6))
    assert both[["layer", "head"]].to_numpy().tolist() == [[1, 1], [1, 2]]
    assert both["weight"].tolist() == [0.5, 0.0]
    assert both["p_value"].tolist() == [1.0, 1.0]


def test_a_head_that_only_counts_words_back_has_no_excess():
    rng = np.random.default_rng(4)
    sentences = [GRAMMAR.sample(rng) for _ in range(300)]
    links = find_links(sentences, "repeated name")
    length = as_tokens(sentences, GRAMMAR).shape[1]
    by_position = np.zeros((1, 300, 1, length, length))
    by_position[..., np.arange(3, length), np.arange(3, length) - 3] = 1.0
    scores = head_scores(by_position, links, rng=rng)
    assert abs(scores["excess"].iloc[0]) < 1e-9


def test_links_point_at_the_words_their_parse_names():
    rng = np.random.default_rng(5)
    sentences = [GRAMMAR.sample(rng) for _ in range(200)]
    tokens = as_tokens(sentences, GRAMMAR).numpy()
    for text, query, key in zip(*find_links(sentences, "repeated name"), strict=True):
        assert tokens[text, query + 1] == tokens[text, key]  # the next word repeats the name looked at
    for text, query, key in zip(*find_links(sentences, "pronoun", predicting=False), strict=True):
        pronoun, name = GRAMMAR.decode(tokens[text, [query, key]])
        assert name in GRAMMAR.lexicon.names[pronoun]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: as_tokens([], GRAMMAR), "at least one, got none"),
        (lambda: find_links([Sentence(("the",), ("article",), (None,))], "verb"), "role 'verb'"),
        (
            lambda: head_scores(np.ones((2, 3)), Links(*np.zeros((3, 1), dtype=int)), rng=np.random.default_rng(0)),
            r"\(L, B, H, T, T\), got \(2, 3\)",
        ),
        (
            lambda: excess_nats(
                LanguageModel(Architecture(vocabulary=7, layers=1, context=8, width=4, n_heads=1)),
                GRAMMAR,
                np.zeros((1, 2), dtype=int),
            ),
            "knows 7 tokens, the grammar 105 words",
        ),
    ],
)
def test_bad_input_is_refused_with_its_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("clauses", [0, 1])
def test_the_shipped_model_agrees_across_the_clauses_it_was_trained_on(shipped, clauses):
    mass = verb_mass(shipped[0], Grammar(depth=1), clauses=clauses, rng=np.random.default_rng(4), n=41)
    assert (mass["own"] > mass["other"]).all()


def test_a_model_that_guesses_agrees_about_half_of_the_time():
    guesser = LanguageModel(Architecture(vocabulary=105, layers=1, context=64, width=8, n_heads=2), rng=3)
    mass = verb_mass(guesser, Grammar(depth=1), clauses=1, rng=np.random.default_rng(4), n=61)
    assert 0.2 < (mass["own"] > mass["other"]).mean() < 0.8


def test_more_clauses_than_the_grammar_nests_are_refused(shipped):
    with pytest.raises(ValueError, match=r"clauses must be ≤ 1 .*, got 2"):
        verb_mass(shipped[0], Grammar(depth=1), clauses=2, rng=np.random.default_rng(4))
