"""Facts about the runs on news stories that chapter 18 draws: what can be recomputed in seconds is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch

from regattn.data import load_lee_corpus
from regattn.recorded_runs import load_runs
from regattn.transformer import Architecture, LanguageModel, TrainingPlan, next_token_loss, text_batches, train
from regattn.words import count_ngrams, train_tokenizer


@pytest.fixture(scope="module")
def news():
    return load_runs("news")


@pytest.fixture(scope="module")
def texts():
    stories = load_lee_corpus()
    tokenizer = train_tokenizer(stories[:-30], vocabulary=1000)
    encode = [[i for story in part for i in tokenizer.encode(story).ids] for part in (stories[:-30], stories[-30:])]
    return encode[0], np.array(encode[1][: len(encode[1]) // 65 * 65]).reshape(-1, 65)


def test_the_counted_models_of_the_first_run_are_what_the_text_gives(news, texts):
    train, windows = texts
    first = news.runs.iloc[0]
    assert (first["tokens"], news.card["windows"]) == (len(train), len(windows))
    for order in (1, 2):
        counted = count_ngrams(train, order=order, vocabulary=1000)
        nats = np.mean([counted.surprisals(window).mean() for window in windows.tolist()])
        assert first["ngrams"][str(order)]["all"] == pytest.approx(nats, abs=1e-4)


def test_windows_called_fresh_hold_no_twenty_tokens_of_the_training_stories(news, texts):
    train, windows = texts
    text = f" {' '.join(map(str, train))} "  # found by a search for strings, token by token
    runs = [[f" {' '.join(map(str, window[i : i + 20]))} " for i in range(46)] for window in windows.tolist()]
    repeated = [any(run in text for run in window) for window in runs]
    assert news.card["fresh_windows"] == len(windows) - sum(repeated)


def test_every_amount_of_text_was_learned_from_three_seeds(news):
    runs = [(run["stories"], run["seed"]) for _, run in news.runs.iterrows()]
    assert sorted(runs) == sorted(product((270, 135, 68), (1, 2, 3)))
    assert [bool(counted) for counted in news.runs["ngrams"]] == [seed == 1 for _, seed in runs]


def test_every_run_has_its_losses_and_learns(news):
    for _, run in news.runs.iterrows():
        assert len(run["step"]) == len(run["loss"]) == len(run["all"]) == len(run["fresh"])
        assert min(run["all"]) < run["all"][0]  # held out it learns first, and may overfit then
        assert run["loss"][-1] < run["loss"][0]
        assert np.all(np.diff(run["step"]) == 100)


class Enough(Exception):
    """The training has come as far as the test needs it."""


def test_the_first_hundred_steps_lead_where_the_run_that_was_kept_was_by_then(news, texts):
    ids, windows = texts
    reached = []

    def look(model):
        reached.append(next_token_loss(model, torch.tensor(windows)).item())
        raise Enough

    design = Architecture(vocabulary=1000, layers=2, context=64, width=64, n_heads=4, positions="rotary")
    plan = TrainingPlan(steps=2500, peak=4e-3, warmup=40, evaluate_every=100)
    with pytest.raises(Enough):
        train(LanguageModel(design, rng=1), text_batches(ids, batch_size=16, context=64, rng=1), plan, evaluate=look)
    assert reached == [pytest.approx(news.runs["all"][0][0], abs=0.02)]  # rounding grows along the way
