"""The grid of chapter 17: tasks ask what they say, tests are paired, and a kept run can be made again."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
import torch

from regattn.recorded_runs import load_runs
from regattn.transformer import Architecture, LanguageModel, frequencies, length_scores, length_task
from regattn.transformer._experiments import loss_by_place
from regattn.transformer.lengths import _asked_loss
from tools import positions as tool


@pytest.mark.parametrize("name", ["news", "copying"])
def test_windows_of_every_length_end_alike_and_ask_the_same_places(name):
    tests = length_task(name, rng=3).tests
    for m in (1, 2):
        for short, long in zip(tests[m], tests[2 * m], strict=True):
            torch.testing.assert_close(long[:, -32:], short[:, -32:])
        assert ((tests[m][1] >= 0).sum(dim=1) == 16).all()


def test_the_news_asks_for_the_next_character_of_stories_that_were_not_read():
    task = length_task("news", stories=["abcd" * 40] * 3 + ["dcba" * 200] * 50)
    tokens, targets = task.batches(0)
    assert (tokens[:, 1:] == targets[:, :-1]).all()
    assert ((targets - tokens) == 1).float().mean() > 0.7  # a to b, …
    tokens, targets = task.tests[1]
    assert ((targets - tokens)[:, -16:] == -1).float().mean() > 0.7  # d to c, …


def test_copying_asks_what_stood_eight_places_ago_and_sorting_the_next_larger():
    tokens, targets = length_task("copying").batches(5)
    assert (targets[:, 8:] == tokens[:, :-8]).all()
    tokens, targets = length_task("sorting").batches(5)
    assert (targets[:, :12] == -100).all()
    assert (targets[:, 12:] == tokens[:, :12].sort(dim=1).values).all()
    assert (tokens[:, 12] == 64).all()
    assert (tokens[:, 13:] == targets[:, 12:-1]).all()


def test_tasks_refuse_names_they_do_not_know():
    with pytest.raises(ValueError, match="name must be one of news, copying, sorting, got 'counting'"):
        length_task("counting")


def test_scores_are_the_loss_and_the_share_right_of_what_is_asked():
    task = length_task("copying")
    exact = length_scores(lambda x: 50.0 * torch.nn.functional.one_hot(x.roll(8, dims=1), 16), task)
    np.testing.assert_allclose(exact, [[0.0, 1.0]] * 3, atol=1e-6)
    ignorant = length_scores(lambda x: torch.zeros(*x.shape, 16), task)
    np.testing.assert_allclose(ignorant["loss"], math.log(16), rtol=1e-6)
    by_place = loss_by_place(lambda x: torch.zeros(*x.shape, 16), task.tests[1][0])
    np.testing.assert_allclose(by_place, np.full(31, math.log(16)), rtol=1e-6)


def test_every_cell_of_the_grid_ran_with_every_seed():
    runs, card = load_runs("lengths")
    runs = runs[runs["part"] != "shifted"]
    cells = set(zip(runs["part"], runs["positions"], runs["seed"], strict=True))
    assert cells == set(product(tool.STEPS, tool.SCHEMES, tool.SEEDS))
    assert all([score["multiple"] for score in scores] == [1, 2, 4] for scores in runs["scores"])
    assert card["steps"] == tool.STEPS
    assert set(runs.loc[runs["part"] == "news", "by_place"].map(len)) == {128 // tool.PLACES}


def test_every_training_that_begins_elsewhere_ran_with_every_seed_and_a_trial_runs_again():
    runs = load_runs("lengths", "shifted").runs.set_index(["begins", "steps", "seed"])
    assert sorted(runs.index) == sorted(product(tool.FARTHEST, tool.SHIFTED, tool.SEEDS))
    again = tool.shifted(1, "anywhere", 20, math.inf)
    assert again["training"] == pytest.approx(runs.loc[("anywhere", 20, 1), "training"], abs=0.01)


def test_a_place_where_windows_begin_changes_the_loss_only_where_places_are_absolute():
    tokens, targets = length_task("copying").batches(0)
    for positions, moves in {"sinusoidal": True, "rotary": False}.items():
        model = LanguageModel(
            Architecture(vocabulary=16, layers=1, context=32, width=8, n_heads=2, positions=positions)
        )
        here, there = (_asked_loss(model, (tokens, targets, start)).item() for start in (0, 7))
        assert _asked_loss(model, (tokens, targets)).item() == here
        assert (abs(here - there) > 1e-4) is moves


def test_what_tables_of_counts_lose_can_be_counted_again():
    kept = load_runs("lengths").card["tables"]
    assert list(kept) == [str(order) for order in tool.TABLES]
    again = tool.table_losses(tool.stories_of(None), orders=(1, 2))
    assert again == {order: pytest.approx(kept[order], abs=2e-4) for order in ("1", "2")}


def test_a_shuffle_leaves_the_last_letters_in_place_and_moves_the_others():
    task, seen = length_task("news"), []
    tool.shuffled_scores(lambda x: seen.append(x) or torch.zeros(*x.shape, task.vocabulary), task, 3, seed=0)
    for plain, mixed in zip(seen[::2], seen[1::2], strict=True):
        assert (plain[:, -3:] == mixed[:, -3:]).all()
        assert (plain.sort(dim=1).values == mixed.sort(dim=1).values).all()
        assert (plain[:, :-3] != mixed[:, :-3]).float().mean() > 0.8
    shuffled = load_runs("lengths", "news").runs.dropna(subset="shuffled")
    assert set(shuffled["positions"]) == set(tool.IN_PLACE)
    assert len(shuffled) == len(tool.IN_PLACE) * len(tool.SEEDS)


def test_a_rescaled_base_slows_the_slowest_pair_and_leaves_the_fastest_and_the_weights():
    design = Architecture(vocabulary=7, layers=1, context=8, width=48, n_heads=3, positions="rotary", base=100.0)
    model = LanguageModel(design, rng=0)
    slower = tool.rescaled(model, 4)
    before, after = (frequencies(16, base=m.architecture.base) for m in (model, slower))
    assert before[-1] / after[-1] == pytest.approx(4)
    assert before[0] == after[0] == 1
    tokens = torch.arange(7)[None]
    same = slower.state_dict()
    assert all(torch.equal(weight, same[name]) for name, weight in model.state_dict().items())
    assert not torch.allclose(model(tokens), slower(tokens))


def test_rotary_models_of_the_news_were_asked_with_other_bases():
    runs = load_runs("lengths", "news").runs.dropna(subset="rescaled")
    assert set(runs["positions"]) == set(tool.STRETCHES)
    for rows in runs["rescaled"]:
        assert [(row["stretch"], row["multiple"]) for row in rows] == list(product(tool.STRETCHES["rotary"], (1, 2, 4)))
    assert len(runs) == len(tool.SEEDS)


def test_a_kept_run_can_be_made_again():
    """Another processor rounds otherwise; what that grows to in 400 steps is small beside what seeds differ by."""
    runs = load_runs("lengths", "sorting").runs
    (scores,) = runs.query("positions == 'none' and seed == 0")["scores"]
    kept = pd.DataFrame(scores)
    again = tool.run(0, "sorting", "none", None, math.inf)
    assert [score["right"] for score in again["scores"][:2]] == pytest.approx(kept["right"][:2].tolist(), abs=0.02)
    assert [score["loss"] for score in again["scores"][:2]] == pytest.approx(kept["loss"][:2].tolist(), abs=0.05)
