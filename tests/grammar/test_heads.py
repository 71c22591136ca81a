"""Silencing a head, measuring what that costs, and where a model puts its probability."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn import attend
from regattn.grammar import (
    Grammar,
    ablate_head,
    ablation_costs,
    as_tokens,
    excess_nats,
    find_links,
    lawful_lengths,
    next_words,
    patched_logits,
    referent_probability,
    verb_mass,
)
from regattn.transformer import Architecture, LanguageModel, MultiHeadAttention, generate, load_shipped

GRAMMAR = Grammar()


class Truth(torch.nn.Module):
    """A model that knows a grammar."""

    architecture = Architecture(vocabulary=105, layers=1, context=8, width=4, n_heads=1)

    def __init__(self, grammar):
        super().__init__()
        self.grammar = grammar

    def forward(self, tokens):
        return torch.from_numpy(np.log(np.maximum(self.grammar.conditionals(tokens.numpy()), 1e-300)))


@pytest.fixture(scope="module")
def shipped():
    return load_shipped()[0]


def test_a_silenced_head_takes_away_exactly_what_it_wrote():
    design = Architecture(vocabulary=105, layers=2, context=16, width=12, n_heads=3)
    model = LanguageModel(design, rng=5)
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    less = ablate_head(model, layer=2, head=3)
    x = torch.randn(2, 7, 12, generator=torch.Generator().manual_seed(0))
    attention: MultiHeadAttention = model.blocks[1].attention
    d = slice(8, 12)  # head 3 of 3, each 4 wide
    q, k, v = (part[..., d] for part in attention.projection(x).chunk(3, dim=-1))
    written = attend(q, k, v, mask="causal") @ attention.output.weight[:, d].T
    taken = attention(x, mask="causal") - less.blocks[1].attention(x, mask="causal")
    torch.testing.assert_close(taken, written, atol=1e-6, rtol=1e-5)
    assert all(torch.equal(weight, before[name]) for name, weight in model.named_parameters())


@pytest.mark.parametrize(
    ("place", "message"), [((4, 1), "layer .* got 4"), ((1, 5), "head .* got 5"), ((0, 1), "got 0")]
)
def test_a_head_that_is_not_there_is_named(shipped, place, message):
    with pytest.raises(ValueError, match=message):
        ablate_head(shipped, layer=place[0], head=place[1])


def test_a_patched_head_adds_what_it_writes_for_the_donor_and_takes_its_own_away():
    model = LanguageModel(Architecture(vocabulary=105, layers=3, context=16, width=12, n_heads=3), rng=6)
    rng = torch.Generator().manual_seed(1)
    tokens, donors = (torch.randint(105, (4, length), generator=rng) for length in (7, 9))
    attention, d, seen = model.blocks[1].attention, slice(4, 8), []  # head 2 of 3

    def written(x):
        q, k, v = (part[..., d] for part in attention.projection(x).chunk(3, dim=-1))
        return (attend(q, k, v, mask="causal") @ attention.output.weight[:, d].T)[:, -1]

    with attention.register_forward_pre_hook(lambda _, inputs: seen.append(written(inputs[0]))):
        model(donors)
        model(tokens)

    def exchange(_, inputs, output):
        return torch.cat([output[:, :-1], (output[:, -1] + seen[0] - seen[1])[:, None]], dim=1)

    with attention.register_forward_hook(exchange):
        expected = model(tokens)[:, -1]
    found = patched_logits(model, tokens, donors, heads=[(2, 2)])
    assert not found.requires_grad
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    assert (found - model(tokens)[:, -1]).abs().max() > 1e-3
    with pytest.raises(ValueError, match="one text for each of tokens, got 3 for 4"):
        patched_logits(model, tokens, donors[:3], heads=[(2, 2)])
    with pytest.raises(ValueError, match="one of the 7 positions that texts and donors have, got 7"):
        patched_logits(model, tokens, donors, heads=[(2, 2)], place=7)


def test_all_heads_patched_at_all_places_leave_of_a_text_its_words_alone():
    model = LanguageModel(Architecture(vocabulary=105, layers=2, context=16, width=12, n_heads=3), rng=7)
    rng = torch.Generator().manual_seed(2)
    tokens = torch.randint(105, (5, 7), generator=rng)
    donors = tokens.clone()
    donors[:, 2] = (tokens[:, 2] + 1) % 105
    every = [(layer, head) for layer in (2, 1) for head in (1, 3, 2)]
    # what stands at the end is the same word, so with all that is gathered there the end is that of the donor
    torch.testing.assert_close(patched_logits(model, tokens, donors, heads=every), model(donors)[:, -1])
    # before the word that differs nothing differs; behind it something does
    early, late = (patched_logits(model, tokens, donors, heads=every, place=place) for place in (1, 4))
    torch.testing.assert_close(early, model(tokens)[:, -1])
    assert (late - early).abs().max() > 1e-4


def test_names_are_counted_for_the_one_whom_the_pronoun_leaves():
    pairs = [("anna", "tom"), ("tom", "anna")]
    beliefs = next_words(Truth(GRAMMAR), GRAMMAR, [f"{a} called {b} because he missed" for a, b in pairs])
    found = referent_probability(beliefs, GRAMMAR, pairs, "he")
    assert found["the other name"] == pytest.approx(beliefs["anna"].mean())
    assert found["any woman"] == pytest.approx(beliefs[list(GRAMMAR.lexicon.names["she"])].sum(axis=1).mean())
    assert found["any man"] == pytest.approx(0)
    for wrong, message in (
        ((pairs, "they"), "pronoun must be 'she' or 'he', got 'they'"),
        ((pairs[:1], "he"), "got 2 rows for 1 pairs"),
        (([("anna", "mary"), ("tom", "anna")], "he"), "a woman and a man, got"),
    ):
        with pytest.raises(ValueError, match=message):
            referent_probability(beliefs, GRAMMAR, *wrong)


def test_the_cost_of_a_head_is_the_rise_of_the_excess_where_the_links_predict(shipped):
    rng = np.random.default_rng(3)
    sentences = [GRAMMAR.sample(rng) for _ in range(30)]
    tokens, links = as_tokens(sentences, GRAMMAR), find_links(sentences, "verb")
    costs = ablation_costs(shipped, GRAMMAR, tokens, links)
    at = links.text, links.query
    whole, less = (
        excess_nats(model, GRAMMAR, tokens.numpy())[at].mean()
        for model in (shipped, ablate_head(shipped, layer=2, head=4))
    )
    assert costs.shape == (3, 4)
    assert costs.loc[2, 4] == pytest.approx(less - whole, rel=1e-4)
    assert costs.loc[2, 4] > 1


def test_a_model_that_knows_the_grammar_puts_all_mass_on_verbs_that_agree():
    deeper = Grammar(depth=2)
    mass = verb_mass(Truth(deeper), deeper, clauses=2, rng=np.random.default_rng(0), n=7)
    np.testing.assert_allclose(mass["own"], 1.0)
    assert (mass["other"] < 1e-12).all()


def test_after_two_clauses_the_shipped_model_expects_no_verb_at_all(shipped):
    mass = verb_mass(shipped, Grammar(depth=2), clauses=2, rng=np.random.default_rng(1), n=50)
    assert (mass["own"] + mass["other"]).max() < 0.02
    assert set(mass["top"]) == {"the"}


def test_next_words_are_the_softmax_of_the_models_last_row(shipped):
    contexts = ["the dogs", "anna called tom because she"]
    beliefs = next_words(shipped, GRAMMAR, contexts)
    logits = shipped(torch.tensor([[0, *GRAMMAR.encode(contexts[1].split())]]))[0, -1].detach().double().numpy()
    np.testing.assert_allclose(beliefs.loc[contexts[1]], np.exp(logits) / np.exp(logits).sum(), rtol=1e-6)
    np.testing.assert_allclose(beliefs.sum(axis=1), 1.0)


def test_everything_the_grammar_writes_is_lawful_and_one_wrong_word_ends_it():
    tokens = GRAMMAR.sample_tokens(np.random.default_rng(2), texts=5, length=23)
    assert lawful_lengths(GRAMMAR, tokens).tolist() == [22] * 5
    tokens[:, 11] = GRAMMAR.encode([","])[0]  # a comma only follows a cue of bank
    possible = GRAMMAR.conditionals(tokens[:, :11])[:, -1, tokens[0, 11]] > 0
    assert not possible.all()
    assert (lawful_lengths(GRAMMAR, tokens)[~possible] == 10).all()


def test_a_few_texts_in_a_hundred_of_the_shipped_model_hold_an_impossible_word(shipped):
    start = torch.zeros(500, 1, dtype=torch.long)
    texts = generate(shipped, start, 40, rng=torch.Generator().manual_seed(1))
    assert 15 <= (lawful_lengths(GRAMMAR, texts) < 40).sum() <= 55
