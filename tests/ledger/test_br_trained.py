"""Breeden's §11.1 on the model that comes with the book, whose text was written by a grammar with known links."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from regattn.grammar import Grammar, ablation_costs, as_tokens, find_links, head_scores, patched_logits
from regattn.recorded_runs import load_runs
from regattn.transformer import load_shipped


@pytest.fixture(scope="module")
def best():
    """Return for each relation the head that looks at the linked word more than position explains, and its luck."""
    grammar, (model, _) = Grammar(), load_shipped()
    rng = np.random.default_rng(11)
    sentences = [grammar.sample(rng) for _ in range(300)]
    with torch.no_grad():
        weights = model.trace(as_tokens(sentences, grammar)).weights
    asked = {"repeated name": True, "verb": True, "pronoun": False, "bank (shore)": False}
    links = {role: find_links(sentences, role, predicting=predicting) for role, predicting in asked.items()}
    return {role: head_scores(weights, found, rng=np.random.default_rng(1)).iloc[0] for role, found in links.items()}


@pytest.mark.parametrize(("role", "least"), [("repeated name", 0.3), ("verb", 0.08)])
def test_br_11_1_some_heads_look_at_a_linked_word_more_than_its_position_explains(best, role, least):
    assert best[role].excess > least
    assert best[role].p_value < 0.01  # against the luckiest of all twelve


def test_br_11_1_the_name_that_comes_next_stands_out_most(best):
    assert best["repeated name"].excess > 2 * best["verb"].excess


@pytest.mark.parametrize("role", ["pronoun", "bank (shore)"])
def test_br_11_1_at_the_pronoun_and_at_the_cue_no_head_is_much_above_its_position(best, role):
    assert best[role].excess < 0.03


def test_br_11_1_the_cue_has_high_weights_that_position_explains(best):
    assert best["bank (shore)"].weight > 0.9
    assert best["bank (shore)"].baseline == pytest.approx(best["bank (shore)"].weight, abs=1e-3)


def test_br_11_1_the_number_of_the_subject_can_be_read_off_after_the_first_block():
    grammar, (model, _) = Grammar(), load_shipped()
    rng, far = np.random.default_rng(12), []
    while len(far) < 800:
        sentence = grammar.sample(rng)
        if "verb" in sentence.roles and sentence.roles.index("verb") - sentence.roles.index("subject") > 1:
            far.append(sentence)
    before_verb = [s.roles.index("verb") for s in far]  # in front stands a full stop
    plural = [s.words[s.roles.index("subject")] in grammar.lexicon.nouns["pl"] for s in far]
    with torch.no_grad():
        streams = model.trace(as_tokens(far, grammar)).streams.numpy()
    share = []
    for stream in streams[:2]:
        inputs = stream[np.arange(800), before_verb]
        probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)).fit(inputs[:400], plural[:400])
        share.append(probe.score(inputs[400:], plural[400:]))
    assert share[0] < 0.85  # the word before the verb says little of a subject behind it
    assert share[1] > 0.93  # of 400: the standard error is below 0.013


def test_br_11_1_the_number_of_the_subject_goes_with_one_head_and_not_with_the_one_that_the_verb_misses_most():
    grammar, (model, _) = Grammar(), load_shipped()
    nouns, share = grammar.lexicon.nouns, np.zeros((3, 4))
    texts = {n: [f"the old {noun} that the cats follow".split() for noun in nouns[n]] for n in ("sg", "pl")}
    tokens = {n: torch.tensor([[0, *grammar.encode(text)] for text in texts[n]]) for n in texts}
    for to, other in (("sg", "pl"), ("pl", "sg")):
        true_of_other = [p > 0 for p in grammar.next_word(texts[other][0]).values()]
        for layer, head in np.ndindex(share.shape):
            logits = patched_logits(model, tokens[to], tokens[other], heads=[(layer + 1, head + 1)])
            share[layer, head] += logits.softmax(-1)[:, true_of_other].sum(-1).mean().item() / 2
    assert share[2, 0] > 0.99  # of the probability goes over to the other number
    assert np.delete(share, 8).max() < 0.01
    rng = np.random.default_rng(11)
    sentences = [grammar.sample(rng) for _ in range(60)]
    costs = ablation_costs(model, grammar, as_tokens(sentences, grammar), find_links(sentences, "verb"))
    assert costs.stack().idxmax() == (2, 4)  # layer, head
    assert costs.loc[2, 4] > 2 * costs.loc[3, 1]


def test_br_11_1_other_trainings_keep_the_relation_in_other_heads():
    places = {}
    for _, run in load_runs("heads", "roles").runs.iterrows():
        for relation in ("the other name", "the verb's subject"):
            seen = run["scores"][relation]
            beyond = np.subtract(seen["weight"], seen["baseline"])
            assert seen["p_value"][beyond.argmax()] <= 0.01  # against the luckiest of twelve
            places.setdefault(relation, set()).add(int(np.argmax(run["costs"][relation])))
    assert all(len(found) > 1 for found in places.values())  # which head is missed most changes with the seed


def test_br_11_1_early_layers_look_no_less_far_and_meaning_comes_as_early_as_syntax():
    runs = load_runs("heads", "roles").runs
    distance = np.array(runs["distance"].tolist()).reshape(len(runs), 3, 4).mean(axis=2)
    assert (distance[:, 0] > 1.5).all()  # words back, in the first layer
    assert (np.abs(distance[:, 1] - distance[:, 0]) < 0.5).all()
    for probes in runs["probes"]:
        assert probes["sense of bank"][1] > 0.95
        assert probes["number of the subject"][1] < 0.95 < probes["number of the subject"][3]


def test_br_6d_several_heads_predict_no_better_than_one_at_equal_width_and_parameters():
    loss, parameters = {}, {}
    for _, run in load_runs("heads", "heads").runs.iterrows():
        loss[run["text"], run["seed"], run["n_heads"]] = run["loss"]
        parameters.setdefault(run["text"], set()).add(run["parameters"])
    assert all(len(sizes) == 1 for sizes in parameters.values())
    gained = {
        text: [loss[text, seed, 1] - loss[text, seed, n] for seed in range(3) for n in (4, 8)]
        for text in ("grammar", "news")
    }
    assert max(map(abs, gained["news"])) < 0.01  # nats per token
    assert np.mean(gained["grammar"]) < 0.01
    assert np.abs(gained["grammar"]).max() < np.ptp([loss["grammar", seed, 1] for seed in range(3)])


@torch.no_grad()
def test_br_6f_one_head_says_that_a_verb_is_due_and_which_name_comes():
    grammar, (model, _) = Grammar(), load_shipped()
    clause, alone = (
        torch.tensor([[0, *grammar.encode(text.split())]])
        for text in ("the dogs that the farmer sees", "the farmer sees")
    )
    expected = patched_logits(model, clause, alone, heads=[(2, 4)]).argmax().item()
    assert grammar.decode([expected]) == ["the"]  # as after a main verb
    women, men = (grammar.lexicon.names[pronoun] for pronoun in ("she", "he"))
    own, other = (
        torch.tensor(
            [
                [0, *grammar.encode([a, "called", men[k - shift], "because", "she", "missed"])]
                for a in women
                for k in range(6)
            ]
        )
        for shift in (0, 1)
    )
    right = own[:, 3]
    whole, less = (
        logits.softmax(-1)[torch.arange(len(right)), right].mean().item()
        for logits in (model(own)[:, -1], patched_logits(model, own, other, heads=[(2, 4)]))
    )
    assert whole > 0.99
    assert less < 0.9
