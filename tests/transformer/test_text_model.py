"""A text goes in and text comes out: trained on a file, kept in a file, scored beside models that only count."""

from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pytest
import torch

from regattn.transformer import Architecture, LanguageModel, TextModel, load_model, next_token_loss, save_model
from regattn.transformer._text_scores import surprisals
from regattn.words import count_ngrams, train_tokenizer

LINES = [f"The {a} lends the {b} to the {c}.\n" for a in ("bank", "river", "farmer") for b in "abcde" for c in "vwxyz"]
TEXT = "".join(np.random.default_rng(3).permutation(LINES * 4))
SMALL = {"vocabulary": 270, "context": 16, "width": 16, "layers": 1, "n_heads": 2}


@cache
def trained() -> TextModel:
    """Return a small model of a text of one kind of sentence; nobody changes it."""
    return TextModel.train_on(text=TEXT, steps=60, rng=5, peak=2e-2, **SMALL)


def untrained(tokens: int = 7, context: int = 5) -> LanguageModel:
    return LanguageModel(Architecture(vocabulary=tokens, layers=1, context=context, width=8, n_heads=2), rng=1)


def test_a_text_of_one_kind_of_sentence_is_learned_and_gone_on_with():
    model = trained()
    assert model.scores().loc["transformer", "bits_per_byte"] < model.scores().loc["1-grams of tokens", "bits_per_byte"]
    assert model.history()["bits_per_byte"].min() < 1.5
    assert "lends" in model.generate("The bank ", 8, temperature=0.0)


def test_a_model_of_a_file_is_that_of_its_text_and_a_seed_repeats_it(tmp_path):
    file = tmp_path / "own.txt"
    file.write_bytes(TEXT.encode("utf-16"))
    models = [
        TextModel.train_on(file, encoding="utf-16", steps=2, rng=3, **SMALL),
        TextModel.train_on(str(file), encoding="utf-16", steps=2, rng=3, **SMALL),
        TextModel.train_on(text=TEXT, steps=2, rng=3, **SMALL),
        TextModel.train_on(text=TEXT, steps=2, rng=4, **SMALL),
    ]
    first, *others = [[p.detach() for p in each.model.parameters()] for each in models]
    equal = [all(map(torch.equal, first, other)) for other in others]
    assert equal == [True, True, False]
    assert [each.card["text"] for each in models[:3]] == ["own.txt", "own.txt", "text"]


@pytest.mark.parametrize("kind", ["bytes", "characters", "unigram"])
def test_a_model_comes_back_from_one_file_with_its_words_and_its_numbers(tmp_path, kind):
    made = TextModel.train_on(text=TEXT, steps=2, kind=kind, **SMALL)
    made.save(tmp_path / "m.safetensors")
    assert [path.name for path in tmp_path.iterdir()] == ["m.safetensors"]
    again = TextModel.load(tmp_path / "m.safetensors")
    assert again.generate("The river ", 20, rng=2) == made.generate("The river ", 20, rng=2)
    assert again.bits_per_byte(TEXT[:300]) == made.bits_per_byte(TEXT[:300])
    assert again.scores().equals(made.scores())
    assert again.history().equals(made.history())
    assert again.tokenizer.to_str() == made.tokenizer.to_str()


def test_what_is_written_begins_as_the_prompt_does_and_a_space_at_its_end_begins_a_word():
    model = trained()
    for prompt in ("", "The", "The bank ", "é ☺ \n", "  ", " "):
        written = model.generate(prompt, 9, rng=1)
        assert written.startswith(prompt)
        assert written == model.generate(prompt, 9, rng=1)
        assert written != model.generate(prompt, 9, rng=2)
    for seed in range(20):
        assert not model.generate("The bank ", 1, rng=seed, top_k=3)[len("The bank ") :].startswith(" ")


def test_what_is_written_does_not_end_where_the_context_does():
    model = trained()
    long = model.generate("The", 100, temperature=0.0)
    assert len(model.tokenizer.encode(long).ids) > 3 * SMALL["context"]
    ids, half = model._encoded(long, "text")[0], SMALL["context"] // 2
    for t in range(2 * half, len(ids) - 1):  # each is the best after some half to whole of a context
        windows = [ids[t - size : t][None] for size in range(half, 2 * half + 1)]
        assert any(model.model(window)[0, -1].argmax() == ids[t] for window in windows)


@pytest.mark.parametrize("count", [1, 3, 5, 6, 7, 8, 23])
@pytest.mark.parametrize("context", [1, 2, 5])
def test_every_token_is_predicted_once_from_at_least_half_a_context(count, context):
    model = untrained(context=context)
    tokens = torch.from_numpy(np.random.default_rng(count).integers(0, 7, size=count + 1))
    found = surprisals(model, tokens)
    assert found.shape == (count,)
    step = max(1, context // 2)
    for t in range(count):
        k = max(0, math.ceil((t + 1 - context) / step))  # the first stretch that reaches it
        window = tokens[k * step : t + 2][None]
        logits = model(window[:, :-1])[0, -1]
        assert found[t].item() == pytest.approx(-torch.log_softmax(logits, -1)[tokens[t + 1]].item(), abs=1e-5)


def test_bits_per_byte_of_a_short_text_are_the_loss_of_its_tokens():
    model, text = trained(), "The bank lends.\n"
    tokens = model._encoded(text, "text")
    nats = next_token_loss(model.model, tokens).item() * (tokens.shape[1] - 1)
    assert model.bits_per_byte(text) == pytest.approx(nats / math.log(2) / len(text), rel=1e-5)


def test_a_model_that_knows_nothing_pays_eight_bits_a_byte():
    tokenizer = train_tokenizer([], vocabulary=256)
    model = LanguageModel(Architecture(vocabulary=256, layers=1, context=5, width=8, n_heads=2))
    torch.nn.init.zeros_(model.embedding.weight)
    assert TextModel(tokenizer, model).bits_per_byte("any text ☺") == pytest.approx(8, abs=1e-6)


def test_the_counting_models_are_those_of_the_words_room_on_the_same_part():
    model = trained()
    cut = model.card["characters"]
    half = next(k for k in range(len(TEXT) - round(0.05 * len(TEXT)), len(TEXT)) if TEXT[k].isspace())
    test = TEXT[half:]
    ids = [[model.start, *model.tokenizer.encode(part).ids] for part in (TEXT[:cut], test)]
    wanted = count_ngrams(ids[0], order=2, vocabulary=model.tokenizer.get_vocab_size()).surprisals(ids[1]).sum()
    scores = model.scores()["bits_per_byte"]
    assert scores["2-grams of tokens"] == pytest.approx(wanted / math.log(2) / len(test))
    single = [[10, *part.encode()] for part in (TEXT[:cut], test)]
    wanted = count_ngrams(single[0], order=5, vocabulary=256).surprisals(single[1]).sum()
    assert scores["5-grams of bytes"] == pytest.approx(wanted / math.log(2) / len(test))
    assert scores["transformer"] == pytest.approx(model.bits_per_byte(test))


def test_the_weights_kept_are_those_that_cost_the_watched_text_least(monkeypatch):
    seen, costs = [], iter([5.0, 3.0, 4.0, 2.0, 6.0, 2.0, 7.0, 8.0, 9.0, 3.0, 1.5])  # ten moments, and the score

    def scripted(self: TextModel, text: str) -> float:
        seen.append(self.model.embedding.weight.detach().clone())
        return next(costs)

    monkeypatch.setattr(TextModel, "bits_per_byte", scripted)
    made = TextModel.train_on(text=TEXT, steps=10, **SMALL)
    assert torch.equal(made.model.embedding.weight, seen[3])  # of two as good the first
    assert not torch.equal(seen[3], seen[9])
    assert made.history()["bits_per_byte"].tolist() == [5.0, 3.0, 4.0, 2.0, 6.0, 2.0, 7.0, 8.0, 9.0, 3.0]
    assert made.scores().loc["transformer", "bits_per_byte"] == 1.5


@pytest.mark.parametrize(("how", "message"), [
    ({}, "give the path of a text file or text="),
    ({"path": "x", "text": "y"}, "one of the two"),
    ({"text": ""}, "text is empty"),
    ({"text": " \n"}, "text is empty: there is nothing to learn from in its 2 characters"),
    ({"text": 7}, "text must be a string, got 7"),
    ({"text": "a\udce9"}, "text must be text that UTF-8 can write"),
    ({"path": 7}, "path must be that of a text file, got 7"),
    ({"text": "only a few words of text", "held_out": 0.0}, "tokens to train on, and a context of 128 needs more"),
    ({"text": TEXT, "held_out": 0.7}, "held_out must be ≤ 0.5, got 0.7"),
    ({"text": TEXT, "steps": 0}, "steps must be ≥ 1, got 0"),
    ({"text": TEXT, "vocabulary": 100}, "vocabulary must be ≥ 256, got 100"),
    ({"text": TEXT, "width": 30}, "width must be a multiple of n_heads"),
    ({"text": TEXT + "☺", "kind": "characters"}, "the held-out text has '☺' at character"),
])  # fmt: skip
def test_what_cannot_be_trained_on_is_named(how, message):
    with pytest.raises(ValueError, match=message):
        TextModel.train_on(**how)


def test_a_text_is_long_enough_from_one_token_more_than_the_context_on():
    how = SMALL | {"vocabulary": 256, "held_out": 0.0, "steps": 1}  # a token is a byte
    for length in (1, how["context"] - 1, how["context"]):
        with pytest.raises(ValueError, match=rf"the text has {length} tokens .* a context of 16 needs more"):
            TextModel.train_on(text=TEXT[:length], **how)
    assert len(TextModel.train_on(text=TEXT[: how["context"] + 1], **how).history()) == 1


def test_a_file_that_is_none_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no text file at .*/none.txt; a text itself is given as text="):
        TextModel.train_on(tmp_path / "none.txt")
    with pytest.raises(FileNotFoundError, match="a text itself is given as text="):
        TextModel.train_on(TEXT)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        TextModel.train_on(tmp_path)
    (tmp_path / "old.txt").write_bytes("café".encode("latin-1"))
    with pytest.raises(ValueError, match=r"old.txt is no utf-8 \(byte 0xe9 at position 3\); give its encoding="):
        TextModel.train_on(tmp_path / "old.txt")


def test_a_prompt_with_characters_the_tokeniser_does_not_know_is_refused_by_character():
    made = TextModel.train_on(text=TEXT, kind="characters", steps=1, **SMALL)
    for ask in (made.generate, made.bits_per_byte):
        with pytest.raises(ValueError, match="has '☺' at character 4, which the tokeniser does not know"):
            ask("The ☺")
    assert trained().generate("The ☺", 1).startswith("The ☺")


@pytest.mark.parametrize(("cuts", "message"), [
    ({"n_new": 0}, "n_new must be ≥ 1, got 0"),
    ({"prompt": 7}, "prompt must be a string, got 7"),
    ({"prompt": "The ", "top_k": 0}, "top_k must be ≥ 1, got 0"),
    ({"prompt": "The ", "top_k": 999}, "top_k must be ≤ 2.. .*got 999"),
    ({"temperature": -1.0}, "temperature must be ≥ 0, got -1.0"),
])  # fmt: skip
def test_bad_settings_of_a_text_are_refused(cuts, message):
    with pytest.raises(ValueError, match=message):
        trained().generate(**cuts)


def test_parts_that_do_not_fit_are_refused():
    tokenizer = train_tokenizer([], vocabulary=256)
    with pytest.raises(ValueError, match="the tokeniser has 256 tokens, but the model 7"):
        TextModel(tokenizer, untrained())
    with pytest.raises(ValueError, match=r"tokenizer must be a tokenizers.Tokenizer, got str"):
        TextModel("bytes", untrained())
    with pytest.raises(ValueError, match="model must be a LanguageModel, got Linear"):
        TextModel(tokenizer, torch.nn.Linear(1, 1))
    bare = TextModel(tokenizer, untrained(256))
    for ask in (bare.scores, bare.history):
        with pytest.raises(ValueError, match=r"held out|train_on"):
            ask()
    with pytest.raises(ValueError, match="empty text"):
        bare.bits_per_byte("")


def test_a_file_without_a_tokeniser_or_with_a_broken_one_is_refused(tmp_path):
    save_model(untrained(), tmp_path / "bare")
    with pytest.raises(ValueError, match="bare holds a language model without tokeniser; load_model reads it"):
        TextModel.load(tmp_path / "bare")
    save_model(untrained(), tmp_path / "broken", card={"tokenizer": {"model": 3}, "card": {}})
    with pytest.raises(ValueError, match="broken has a tokeniser that cannot be read"):
        TextModel.load(tmp_path / "broken")
    cut = json.loads(train_tokenizer([], vocabulary=256).to_str())
    save_model(untrained(), tmp_path / "other", card={"tokenizer": cut, "card": {}})
    with pytest.raises(ValueError, match="the tokeniser has 256 tokens, but the model 7"):
        TextModel.load(tmp_path / "other")
    with pytest.raises(FileNotFoundError):
        TextModel.load(tmp_path / "none")


def test_its_file_is_also_that_of_a_language_model(tmp_path):
    trained().save(tmp_path / "m")
    model, _ = load_model(tmp_path / "m")
    assert torch.equal(model.embedding.weight, trained().model.embedding.weight)


def test_it_says_what_it_is():
    bits = trained().scores().loc["transformer", "bits_per_byte"]
    size = trained().tokenizer.get_vocab_size()
    assert repr(trained()) == f"TextModel({size} tokens, 1 layers of width 16, {bits:.2f} bits per byte held out)"
    assert repr(TextModel(train_tokenizer([], vocabulary=256), untrained(256))).endswith("of width 8)")


def test_without_a_held_out_part_all_is_learned_and_nothing_scored():
    made = TextModel.train_on(text=TEXT, held_out=0, steps=2, **SMALL)
    assert made.card["characters"] == len(TEXT)
    with pytest.raises(ValueError, match="nothing was held out"):
        made.scores()
