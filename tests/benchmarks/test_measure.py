"""How benchmarks measure: turns, ratios, and what belongs to us."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest


@pytest.fixture
def measure(benchmark):
    return benchmark("measure")


@pytest.mark.parametrize("count", [2, 3, 5])
def test_everyone_runs_once_in_a_round_and_none_always_follows_the_same_other_one(measure, count):
    names = [f"contender {i}" for i in range(count)]
    rounds = [measure.order(names, turn) for turn in range(2 * count)]
    assert all(sorted(turn) == names for turn in rounds)
    for name in names:
        before = {earlier for turn in rounds for earlier, later in pairwise(turn) if later == name}
        assert len(before) == min(2, count - 1)
        assert name in {turn[0] for turn in rounds}
        assert name in {turn[-1] for turn in rounds}


def test_rounds_take_their_turns_in_that_order(measure):
    calls = []
    seconds = measure.alternate({name: lambda name=name: calls.append(name) for name in "abc"}, rounds=4)
    assert calls[:3] == ["a", "b", "c"]  # to warm up
    assert {name: len(runs) for name, runs in seconds.items()} == dict.fromkeys("abc", 4)
    in_turn = [name for turn in range(4) for name in measure.order("abc", turn)]
    once_each = [name for name, later in pairwise([*calls[3:], None]) if name != later]  # leads repeat a name
    assert once_each == [name for name, later in pairwise([*in_turn, None]) if name != later]


def test_a_ratio_is_that_of_a_round_and_also_ours_is_not_compared_with(measure):
    rows = measure.summary({"x": [1.0, 2.0, 4.0], "y": [2.0, 6.0, 4.0], "z": [3.0] * 3}, ours="x", also=("z",), times=2)
    assert [row["ours"] for row in rows] == [True, False, True]
    assert [row["seconds"] for row in rows] == [1.0, 2.0, 1.5]
    assert [row["ratio"] for row in rows] == [1.0, 2.0, 1.5]
    assert (rows[1]["ratio_low"], rows[1]["ratio_high"]) == (1.5, 2.5)
    assert measure.ratio_to(rows, "y") == 2.0


@pytest.mark.parametrize(("bounds", "met"), [({"least": 2.0}, True), ({"most": 2.0}, True), ({"least": 2.5}, False)])
def test_a_goal_is_met_on_its_bound(measure, bounds, met):
    assert measure.goal("g", 2.0, **bounds)["met"] is met


@pytest.mark.parametrize("bounds", [{}, {"least": 1.0, "most": 2.0}])
def test_a_goal_has_one_bound(measure, bounds):
    with pytest.raises(ValueError, match="one bound"):
        measure.goal("g", math.pi, **bounds)


def test_ratios_beside_a_busy_core_stand_beside_those_of_an_idle_one(measure):
    def result(ratio, case="small"):
        rows = [{"contender": "x", "ratio": 1.0}, {"contender": "y", "ratio": ratio}, {"contender": "z", "digits": 9.0}]
        return {"cases": [{"case": case, "rows": rows}]}

    (case,) = measure.beside(result(2.0), result(3.0)["cases"])["cases"]
    assert [(row.get("ratio"), row.get(measure.BESIDE)) for row in case["rows"]] == [(1, 1), (2, 3), (None, None)]
    with pytest.raises(ValueError, match="'large' was measured where 'small' had been"):
        measure.beside(result(2.0), result(3.0, "large")["cases"])
