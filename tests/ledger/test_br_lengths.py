"""Breeden's and Rankine's statements about positions that only trained models can judge: the grid of chapter 17."""

from __future__ import annotations

import pandas as pd
import pytest

from regattn.recorded_runs import load_runs

RUNS, CARD = load_runs("lengths")
GRID = RUNS.explode("scores", ignore_index=True)
GRID = GRID.join(pd.DataFrame(GRID.pop("scores").tolist()))
TASKS = ("news", "copying", "sorting")
FAST = "rotary, base 5"  # every clock goes round within the trained length


def losses(task: str, multiple: int) -> pd.DataFrame:
    """Return the loss of every scheme at a multiple of the trained length, a row for each seed."""
    rows = GRID[(GRID["part"] == task) & (GRID["multiple"] == multiple)]
    return rows.pivot_table(index="seed", columns="positions", values="loss")


def right(task: str, multiple: int) -> pd.DataFrame:
    """Return the share of answers that are right, likewise."""
    rows = GRID[(GRID["part"] == task) & (GRID["multiple"] == multiple)]
    return rows.pivot_table(index="seed", columns="positions", values="right")


def test_rk_3_2b_on_news_and_in_sorting_sines_do_better_than_a_learned_table():
    assert len(GRID["seed"].unique()) == len(CARD["seeds"]) >= 3
    news, sorting = losses("news", 1), losses("sorting", 1)
    assert news[["learned", "sinusoidal"]].mean().round(2).tolist() == [2.16, 2.0]
    assert (news["learned"] - news["sinusoidal"] > 0.1).all()
    assert (sorting["learned"] - sorting["sinusoidal"] > 0.1).all()


def test_rk_3_2b_in_copying_the_learned_table_is_the_better_one():
    copying = losses("copying", 1)
    assert (copying["learned"] < copying["sinusoidal"]).all()
    assert (right("copying", 1)[["learned", "sinusoidal"]] > 0.99).all(axis=None)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("scheme", ["sinusoidal", "learned"])
def test_br_8d_absolute_positions_lose_more_than_half_a_nat_at_twice_the_length(task, scheme):
    for multiple in (2, 4):
        assert (losses(task, multiple)[scheme] - losses(task, 1)[scheme] > 0.5).all()


def test_br_8d_length_alone_need_not_cost_that_but_it_does_in_sorting():
    lost = {task: losses(task, 4)["alibi"] - losses(task, 1)["alibi"] for task in TASKS}
    assert {task: round(lost[task].mean(), 2) for task in TASKS} == {"news": 0.03, "copying": 0.23, "sorting": 0.48}
    assert lost["news"].max() < 0.04
    assert lost["sorting"].min() > 0.4


def test_br_8d_a_table_of_three_letters_is_as_steady_and_better_than_a_linear_penalty():
    for multiple in (1, 2, 4):
        assert (losses("news", multiple)["alibi"] > CARD["tables"]["3"] + 0.03).all()


@pytest.mark.parametrize("task", TASKS)
def test_br_8f_at_twice_the_length_rotary_is_ahead_of_both_absolute_schemes(task):
    at = losses(task, 2)
    for rival in ("sinusoidal", "learned"):
        assert (at["rotary"] < at[rival]).all()


def test_br_8f_at_four_times_the_length_only_in_copying():
    assert (right("copying", 4)["rotary"] > 0.7).all()
    assert (right("copying", 4).drop(columns=["rotary", FAST]) < 0.2).all(axis=None)
    for task in ("news", "sorting"):
        at = losses(task, 4)
        assert (at["rotary"] > at["none"] + 0.5).all()
        assert (at["rotary"] > at["alibi"] + 0.5).all()
        for rival in ("sinusoidal", "learned"):
            assert not (at["rotary"] < at[rival]).all()
    for rival in ("sinusoidal", "learned"):
        assert (losses("copying", 4)["rotary"] < losses("copying", 4)[rival]).all()
    assert (losses("sorting", 4)["rotary"] > losses("sorting", 4)["sinusoidal"]).all()
    news = losses("news", 4)
    assert (news["rotary"] > news["learned"]).all()
    assert news[["alibi", "none", "rotary"]].mean().round(1).tolist() == [2.1, 2.5, 3.2]


def test_br_8f_without_slow_clocks_rotary_keeps_most_of_the_news_and_fails_in_sorting():
    news, at_once = losses("news", 4), right("sorting", 1)
    assert (news["rotary"] - news[FAST] > 0.7).all()
    assert (losses("news", 1)["rotary"] - losses("news", 1)[FAST]).abs().max() < 0.02
    assert (right("copying", 4)[FAST] > 0.98).all()
    assert (at_once["rotary"] - at_once[FAST] > 0.2).all()
