"""The benchmarks of large jobs, run small: what they hand over, and that what counts other bits is not timed."""

import json
import math

import numpy as np
import pytest

from tests.benchmarks.cases import check_goal, concerns

pytestmark = pytest.mark.weekly(*concerns(__file__))


def test_a_power_is_the_slope_of_the_logarithms(benchmark):
    module = benchmark("growth")
    fit = module.power((10, 20, 40), [3 * n**2 for n in (10, 20, 40)])
    assert fit == pytest.approx((2, math.log(3)))
    assert module.reach(fit, 3e6) == pytest.approx(1000)
    assert module.reach((0.05, 1.0), 3e6) is None


def test_every_curve_has_a_power_and_a_case(benchmark):
    module = benchmark("growth")
    small = {"tokens": (400, 800), "rows": (50, 100), "columns": (3, 6), "rows that look at each other": (8, 16)}
    curves = [module.Curve(c.task, c.unit, c.prepare, small[c.unit]) for c in module.CURVES[:1]]
    whole = module.measure(curves, rounds=2)
    assert json.loads(json.dumps(whole, allow_nan=False)) == whole
    powers, case = whole
    (line,) = powers["rows"]
    assert line["power of time_low"] <= line["power of time"] <= line["power of time_high"]
    assert [row["contender"] for row in case["rows"]] == ["400 tokens", "800 tokens"]
    assert all(row["ours"] and row["seconds"] > 0 and row["peak memory MB"] > 0 for row in case["rows"])
    for curve in module.CURVES:
        curve.prepare(small[curve.unit][0])()  # each of them runs


def test_shards_are_compared_with_one_pass(benchmark):
    (case,) = benchmark("shards").measure(sizes=((2, 900),), workers=(1, 2), rounds=2, processes=False)
    json.dumps(case, allow_nan=False)
    rows = {row["contender"]: row for row in case["rows"]}
    workers = ["Dask, 1 worker", "Dask, 2 workers"]
    assert list(rows) == ["one pass", "shard by shard, no Dask", "SciPy COO to CSR, shard by shard", *workers]
    assert [name for name, row in rows.items() if not row["ours"]] == ["SciPy COO to CSR, shard by shard"]
    check_goal(*case["goals"])
    first = rows["one pass"]
    assert first["times one pass"] == first["times one pass_low"] == first["times one pass_high"] == 1
    for row in rows.values():
        assert row["seconds"] > 0
        assert row["times one pass_low"] <= row["times one pass"] <= row["times one pass_high"]
        assert 0 <= row["largest process: peak memory MB"] <= row["all of them together: peak memory MB"]
        assert (row["seconds to start"] is None) == ("worker" not in row["contender"])


def test_a_count_of_other_bits_is_not_timed(benchmark):
    module = benchmark("shards")
    table = module.one_pass([], module.vocabulary())
    with pytest.raises(AssertionError):
        module.check(lambda: table.__class__(np.eye(module.WORDS, 1)), table)
    with pytest.raises(AssertionError):
        module.check_nearly(lambda: table.__class__(np.eye(module.WORDS, 1)), table)
